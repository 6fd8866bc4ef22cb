package library_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/library"
	"chela/internal/org"
)

// nobody has no agents.
type nobody struct{}

func (nobody) Agent(context.Context, org.AgentID) (org.Agent, error) {
	return org.Agent{}, fault.New(fault.NotFound, "There is nobody.")
}

// TestBundle_BringsPayloadTypes: a bundle has the organization's own payload types that its workflow expects, and where
// it is imported they are registered after their difference was shown.
func TestBundle_BringsPayloadTypes(t *testing.T) {
	t.Parallel()
	const one = `{"type":"object","properties":{"total":{"type":"number"}},"required":["total"]}`
	by, ctx := org.Person{ID: "per_ann"}.Party(), t.Context()
	from, _ := shelf(t)
	if _, err := from.Register(ctx, by, "invoice.total.v1", json.RawMessage(one), ""); err != nil {
		t.Fatal(err)
	}
	v, err := from.Save(ctx, by, []byte(totals), "")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := from.Export(ctx, nobody{}, v.Slug, v.Number)
	if err != nil {
		t.Fatal(err)
	}
	to, db := shelf(t)
	b, problems, err := library.ReadBundle(raw, db.Workflows.Types(ctx))
	if err != nil || problems != nil || len(b.Schemas) != 1 {
		t.Fatalf("got %v %v %v, want a bundle with a schema", b.Schemas, problems, err)
	}
	brings, err := to.Brings(ctx, b)
	if err != nil || len(brings) != 1 || brings[0].Revision != 0 || !strings.Contains(brings[0].Diff, `+    "total": {`) {
		t.Errorf("before the import: got %+v %v, want a new type with its lines", brings, err)
	}
	if got, err := to.PayloadTypes(ctx); err != nil || len(got) != len(mustTypes(t, from))-1 {
		t.Errorf("looking registers: %v %v", got, err)
	}
	imported, err := to.Import(ctx, by, b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := to.Deploy(ctx, by, imported.Slug, imported.Number); err != nil {
		t.Errorf("what was imported is not deployed: %v", err)
	}
	if brings, err = to.Brings(ctx, b); err != nil || brings[0].Revision != 1 || brings[0].Diff != "" {
		t.Errorf("after the import: got %+v %v, want that nothing changes", brings, err)
	}
	b.Schemas["invoice.total.v1"] = json.RawMessage(strings.ReplaceAll(one, "number", "string"))
	if brings, err = to.Brings(ctx, b); err != nil || !strings.Contains(brings[0].Problem, "totals 1") || !strings.Contains(brings[0].Diff, "-      \"type\": \"number\"") {
		t.Errorf("one that breaks: got %+v %v, want whom it breaks and its difference", brings, err)
	}
	if _, err := to.Import(ctx, by, b); fault.KindOf(err) != fault.Conflict {
		t.Errorf("importing one that breaks: got %v, want a conflict", err)
	}
}

func mustTypes(t *testing.T, l *library.Library) []library.Payload {
	t.Helper()
	out, err := l.PayloadTypes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return out
}
