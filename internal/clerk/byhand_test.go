package clerk_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/org"
)

// TestClerk_WhatIsGivenByHand: a text with NUL characters and a reminder for the past are refused from people and agents; what is there
// already, and what comes from elsewhere, is taken as it is.
func TestClerk_WhatIsGivenByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old := w.make(desk.Reminder, `{"message":"Call\u0000Bob","triggerAt":"2020-01-01"}`)
	ticket := w.make(desk.Ticket, `{"title":"nul\u0000here"}`)
	for name, c := range map[string]struct {
		do   func(*clerk.Work) (desk.Record, error)
		says string // "" is taken
	}{
		"a reminder for the past": {func(c *clerk.Work) (desk.Record, error) {
			return c.Create(desk.Reminder, json.RawMessage(`{"message":"m","triggerAt":"2020-01-01T09:00:00Z"}`))
		}, "triggerAt: 2020-01-01T09:00:00Z has passed"},
		"one that is to come": {func(c *clerk.Work) (desk.Record, error) {
			return c.Create(desk.Reminder, json.RawMessage(`{"message":"m","triggerAt":"2090-01-01"}`))
		}, ""},
		"of an agent": {func(c *clerk.Work) (desk.Record, error) {
			return clerk.Add(c, desk.Reminder, &desk.ReminderBody{Message: "of an agent", TriggerAt: "2020-01-01"})
		}, "triggerAt"},
		"moved into the past": {func(c *clerk.Work) (desk.Record, error) {
			return c.Patch(desk.Reminder, old, json.RawMessage(`{"triggerAt":"2021-01-01"}`))
		}, "triggerAt"},
		"its other fields": {func(c *clerk.Work) (desk.Record, error) {
			return c.Patch(desk.Reminder, old, json.RawMessage(`{"acknowledgedAt":"2026-01-01"}`))
		}, ""},
		"NUL in a message": {func(c *clerk.Work) (desk.Record, error) {
			return c.Create(desk.Reminder, json.RawMessage(`{"message":"a\u0000b","triggerAt":"2090-01-01"}`))
		}, "message: The text has a NUL character"},
		"NUL in a list": {func(c *clerk.Work) (desk.Record, error) {
			return c.Create(desk.Phase, json.RawMessage(`{"name":"Beta","sortOrder":1,"exitCriteria":["a","b\u0000"]}`))
		}, "exitCriteria: The text"},
		"the escape, spelt out": {func(c *clerk.Work) (desk.Record, error) {
			return c.Create(desk.Ticket, json.RawMessage(`{"title":"the escape \\u0000"}`))
		}, ""},
		"another field of one that has it": {func(c *clerk.Work) (desk.Record, error) {
			return c.Patch(desk.Ticket, ticket, json.RawMessage(`{"priority":"HIGH"}`))
		}, ""},
		"NUL in an edit": {func(c *clerk.Work) (desk.Record, error) {
			return c.Patch(desk.Ticket, ticket, json.RawMessage(`{"description":"\u0000"}`))
		}, "description: The text"},
	} {
		err := w.do(func(work *clerk.Work) error {
			work.ByHand()
			_, err := c.do(work)
			return err
		})
		if c.says == "" && err != nil || c.says != "" && (fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.TextOf(err), c.says)) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

// TestClerk_AnAgentIsNoPerson: by hand nobody makes a person of an agent by giving it a ticket. A person who is called so may have tickets, and
// what comes from elsewhere is taken as it is.
func TestClerk_AnAgentIsNoPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agents := func(context.Context) ([]org.AgentID, error) { return []org.AgentID{"agent:coder", "agent:pm"}, nil }
	ticket := w.make(desk.Ticket, `{"title":"Totals"}`)
	w.make(desk.Resource, `{"name":"PM"}`)
	for _, c := range []struct {
		owner  string
		byHand bool
		says   string
	}{
		{"coder", true, "owner: coder is an agent"}, {"@Coder", true, "owner: coder is an agent"}, {"pm", true, ""}, {"Code Rider", true, ""}, {"coder", false, ""},
	} {
		work, err := clerk.New(w.db.Desk).Beside(agents).Begin(t.Context(), place(), w.project)
		if err != nil {
			t.Fatal(err)
		}
		if c.byHand {
			work.ByHand()
		}
		set, err := json.Marshal(map[string]string{"owner": c.owner})
		if err != nil {
			t.Fatal(err)
		}
		_, err = work.Patch(desk.Ticket, ticket, set)
		if got := fault.TextOf(err); err == nil && c.says != "" || err != nil && (c.says == "" || !strings.HasPrefix(err.Error(), c.says) && !strings.Contains(got, "is an agent")) {
			t.Errorf("%s, by hand %v: %v, want %q", c.owner, c.byHand, err, c.says)
		}
	}
}
