package ask_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"chela/internal/ask"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/model"
)

// A kept is an asker that has been asked before, beside the records that changes take.
type kept struct {
	*world
	asker   *ask.Asker
	tickets []string
	n       int
}

// said is what an asker tells the model about the project.
func (k *kept) said(a *ask.Asker) string {
	k.t.Helper()
	k.model.asked = nil
	q := ask.Question{Project: k.project, Text: "Which tickets are blocked, and what does Bob do?", By: event.Party{AgentID: "agent:person/per_1", Role: "person"}}
	if _, err := a.Ask(k.t.Context(), q); err != nil {
		k.t.Fatal(err)
	}
	return k.model.asked[0].Messages[0].Parts[0].Text
}

// one does one of the changes that a project sees.
func (k *kept) one(t *rapid.T) {
	k.n++
	pick := func() string { return rapid.SampledFrom(k.tickets).Draw(t, "ticket") }
	switch rapid.SampledFrom([]string{"create", "edit", "own", "delete", "merge", "person", "memory", "nothing"}).Draw(t, "change") {
	case "create":
		k.tickets = append(k.tickets, k.make(desk.Ticket, fmt.Sprintf(`{"title":"Ticket %d"}`, k.n)))
	case "edit":
		k.patch(pick(), fmt.Sprintf(`{"title":"Ticket %d","status":"BLOCKED","storyPoints":3}`, k.n))
	case "own":
		k.patch(pick(), fmt.Sprintf(`{"owner":%q}`, rapid.SampledFrom([]string{"Ann", "Bob", "Cid", ""}).Draw(t, "owner")))
	case "delete":
		k.gone(pick(), func(c *clerk.Work, id string) error { _, err := c.Remove(desk.Ticket, id); return err })
	case "merge":
		into := k.tickets[0]
		k.gone(pick(), func(c *clerk.Work, id string) error { return c.Merge(desk.Ticket, into, []string{id}) })
	case "person":
		k.make(desk.Resource, fmt.Sprintf(`{"name":"Person %d"}`, k.n))
	case "memory":
		m := &desk.MemoryBody{
			Key: fmt.Sprintf("k%d", k.n), Content: "Bob is away", Scope: rapid.SampledFrom([]string{"PROJECT", "GLOBAL"}).Draw(t, "scope"),
			ExpiresAt: rapid.SampledFrom([]desk.Date{"", "2020-01-01", "2999-01-01"}).Draw(t, "until"),
		}
		k.change(func(c *clerk.Work) error { _, err := clerk.Add(c, desk.Memory, m); return err }) // one may have expired since
	}
}

func (k *kept) patch(id, patch string) {
	k.change(func(c *clerk.Work) error { _, err := c.Patch(desk.Ticket, id, json.RawMessage(patch)); return err })
}

// gone takes a ticket away, but for the first, into which others are merged.
func (k *kept) gone(id string, how func(c *clerk.Work, id string) error) {
	if id == k.tickets[0] {
		return
	}
	k.change(func(c *clerk.Work) error { return how(c, id) })
	k.tickets = slices.DeleteFunc(k.tickets, func(x string) bool { return x == id })
}

// TestCache_WhatIsKeptIsWhatThereIs changes a project between questions: who has been asked
// before tells the model the same as who reads everything for the first time.
func TestCache_WhatIsKeptIsWhatThereIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.model.ready, w.model.answer = true, func(model.Request) string { return "Fine." }
	k := &kept{world: w, asker: ask.New(clerk.NewCache(w.db.Desk), w.db.Budgets, w.db.Log, w.model, w.db.Roster), tickets: []string{w.ids["Retry payments"], w.ids["Log failures"]}}
	rapid.Check(t, func(t *rapid.T) {
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			k.one(t)
		}
		if got, want := k.said(k.asker), k.said(ask.New(clerk.NewCache(w.db.Desk), w.db.Budgets, w.db.Log, w.model, w.db.Roster)); got != want {
			t.Fatalf("kept:\n%s\nread anew:\n%s", got, want)
		}
	})
}

// TestCache_ManyChangesAreReadAnew passes the number of changes that are looked at one by one,
// and asks about more projects than are kept.
func TestCache_ManyChangesAreReadAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.model.ready, w.model.answer = true, func(model.Request) string { return "Fine." }
	k := &kept{world: w, asker: ask.New(clerk.NewCache(w.db.Desk), w.db.Budgets, w.db.Log, w.model, w.db.Roster)}
	first := w.project
	before := k.said(k.asker)
	w.change(func(c *clerk.Work) error {
		for i := range 1100 {
			if _, err := c.Create(desk.Idea, json.RawMessage(fmt.Sprintf(`{"title":"Idea %d"}`, i))); err != nil {
				return err
			}
		}
		return nil
	})
	if k.said(k.asker) == before {
		t.Error("a thousand changes are not seen")
	}
	for i := range 6 {
		w.project = w.make(desk.Project, fmt.Sprintf(`{"name":"Other %d"}`, i))
		k.said(k.asker)
	}
	w.project = first
	got := k.said(k.asker)
	if want := k.said(ask.New(clerk.NewCache(w.db.Desk), w.db.Budgets, w.db.Log, w.model, w.db.Roster)); got != want || got == before {
		t.Errorf("kept:\n%s\nread anew:\n%s", got, want)
	}
}
