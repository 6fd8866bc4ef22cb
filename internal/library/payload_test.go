package library_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"chela/internal/definition"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/library"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/run/local"
	"chela/internal/store"
	"chela/internal/store/sqlite"
	"chela/internal/testkit/sqlitetest"
)

// all is there.
type all struct{}

func (all) Unknown(context.Context, *definition.Compiled) definition.Problems { return nil }

func (all) Lacks(context.Context, *definition.Compiled) []string { return nil }

func (all) TermsLack(context.Context, []desk.Term) []string { return nil }

func shelf(t *testing.T) (*library.Library, *store.DB) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlitetest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		rebuilt, err := db.Rebuild(context.Background()) //nolint:forbidigo // the test's context has ended
		if err != nil || len(rebuilt.Different()) > 0 {
			t.Errorf("the log does not give the tables again: %v %v", rebuilt.Different(), err)
		}
		_ = db.Close() // its file goes with the test
	})
	runs := run.New(db, db.Runs, local.New(db.Queue, nil, slog.New(slog.DiscardHandler)), run.Options{})
	return library.New(runs, db, db.Workflows, all{}, func(_ context.Context, id string) (string, error) { return id, nil }), db
}

const totals = `
slug: totals
name: Totals
steps:
  - id: sum
    model: {prompt: Sum it up.}
    expects: {schema_ref: "schema://acme/invoice/total@1"}
  - id: twice
    transform: {twice: "${sum.total * 2.0}"}
`

// TestPayloads_OwnTypes: a step expects a type that the organization registered, whose schema does not change under it.
func TestPayloads_OwnTypes(t *testing.T) {
	t.Parallel()
	l, _ := shelf(t)
	by := org.Person{ID: "per_ann"}.Party()
	ctx := t.Context()
	register := func(name, schema string) (library.Payload, error) {
		return l.Register(ctx, by, name, json.RawMessage(schema), "")
	}
	if _, problems := l.Check(ctx, []byte(totals)); problems == nil || !strings.Contains(problems[0].Text, "chela schema set invoice.total.v1") {
		t.Fatalf("a type that nobody registered: %v, want how to register it", problems)
	}
	const one = `{"type":"object","properties":{"total":{"type":"number"}},"required":["total"]}`
	if p, err := register("invoice.total.v1", one); err != nil || p.Revision != 1 {
		t.Fatalf("got %+v %v, want the first revision", p, err)
	}
	if p, err := register("invoice.total.v1", " "+one); err != nil || p.Revision != 1 {
		t.Errorf("the same again gives %+v %v, want the first revision", p, err)
	}
	v, err := l.Save(ctx, by, []byte(totals), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = l.Deploy(ctx, by, v.Slug, v.Number); err != nil {
		t.Fatal(err)
	}
	if _, users, err := l.PayloadType(ctx, "invoice.total.v1"); err != nil || strings.Join(users, ",") != "totals 1" {
		t.Errorf("it is expected by %v %v, want totals 1", users, err)
	}
	_, err = register("invoice.total.v1", strings.ReplaceAll(one, "number", "string"))
	if fault.KindOf(err) != fault.Conflict || !strings.Contains(fault.TextOf(err), "totals 1") || !strings.Contains(fault.TextOf(err), "invoice.total.v2") {
		t.Errorf("a change that breaks totals: %v, want a conflict that names it and the way out", err)
	}
	if p, err := register("invoice.total.v1", strings.Replace(one, `"properties":{`, `"properties":{"currency":{"type":"string"},`, 1)); err != nil || p.Revision != 2 {
		t.Errorf("one field more: %+v %v, want the second revision", p, err)
	}
	if err := l.TakeBack(ctx, by, "invoice.total.v1"); fault.KindOf(err) != fault.Conflict { // currency would be gone
		t.Errorf("taken back although totals may read the currency: %v", err)
	}
	if _, err := l.Retire(ctx, by, v.Slug); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := l.TakeBack(ctx, by, "invoice.total.v1"); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := l.PayloadType(ctx, "invoice.total.v1"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("after both were taken back: %v, want nothing there", err)
	}
}

func TestPayloads_WhatDoesNotFit(t *testing.T) {
	t.Parallel()
	l, _ := shelf(t)
	for _, c := range []struct {
		name, schema string
		kind         fault.Kind
	}{
		{"Invoice", `{"type":"object"}`, fault.Invalid},
		{"research.summary.v1", `{"type":"object"}`, fault.Conflict},
		{"invoice.total.v1", `[]`, fault.Invalid},
		{"invoice.total.v1", `{"type":"string"}`, fault.Invalid},
		{"invoice.total.v1", `{"type":"object","properties":{"a":{"$ref":"https://evil.example/x"}}}`, fault.Invalid},
		{"invoice.total.v1", `{"type":"object","description":"` + strings.Repeat("x", 70<<10) + `"}`, fault.TooLarge},
	} {
		if _, err := l.Register(t.Context(), event.Party{AgentID: "agent:person/per_ann", Role: "person"}, c.name, json.RawMessage(c.schema), ""); fault.KindOf(err) != c.kind {
			t.Errorf("%s %.40s: got %v, want %v", c.name, c.schema, err, c.kind)
		}
	}
	if list, err := l.PayloadTypes(t.Context()); err != nil || len(list) != len(definition.Payloads()) {
		t.Errorf("%d types %v, want those that come with Chela", len(list), err)
	}
}
