package ask_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"chela/internal/ask"
	"chela/internal/chart"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/org"
	"chela/internal/store/past"
)

// became is what the log tells of a world until now.
type became struct{ *past.Past }

func (b became) Charts(ctx context.Context, project, _ string) (chart.History, time.Time, error) {
	return b.Past.Charts(ctx, project, past.Now())
}

func (b became) History(ctx context.Context, record, _ string) ([]desk.Revised, error) {
	return b.Past.History(ctx, record, past.Now())
}

// then is what the log tells of a world at a moment.
type then struct {
	became

	at time.Time
}

func (b then) Charts(ctx context.Context, project, moment string) (chart.History, time.Time, error) {
	h, now, err := b.became.Charts(ctx, project, moment)
	if moment != "" {
		now = b.at
	}
	return h, now, err
}

// TestAsk_ReckonsFromTheMoment holds that what is late, due or in work for long is so at the moment of the records, and not now.
func TestAsk_ReckonsFromTheMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.make(desk.Ticket, `{"title":"Mend the gate","status":"TODO","dueDate":"2030-03-01","externalRef":"G-1"}`)
	blocked := w.make(desk.Ticket, `{"title":"Paint the fence","status":"IN_PROGRESS","externalRef":"G-2"}`)
	w.patch("per_ann", blocked, `{"status":"BLOCKED"}`)
	asker := ask.New(clerk.NewCache(w.db.Desk), w.db.Budgets, w.db.Log, w.model, w.db.Roster).With(then{became{past.New(w.db)}, time.Date(2030, 3, 3, 12, 0, 0, 0, time.UTC)}, crew{})
	for text, want := range map[string][2]string{
		"what is overdue": {"1 ticket: due before today, open: Log failures.", "2 tickets: due before today, open: Log failures, Mend the gate (G-1)."},
		"what will slip":  {"1 overdue, 1 blocked. Log failures (overdue for ", "), Mend the gate (G-1) (overdue for 2 days), Paint the fence (G-2) (blocked, in work for "},
	} {
		for i, moment := range []string{"", "2030-03-03T12:00:00Z"} {
			a, err := asker.Ask(t.Context(), ask.Question{Project: w.project, Text: text, AsOf: moment, Computed: true, By: org.Person{ID: "per_1"}.Party()})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(a.Answer, want[i]) || strings.Contains(strings.Join(a.Notes, " "), "was not looked at") {
				t.Errorf("%s at %q: got %q, %q, want %q", text, moment, a.Answer, a.Notes, want[i])
			}
		}
	}
}

// crew are persons whom a test has made up.
type crew []org.Person

func (c crew) Persons(context.Context) ([]org.Person, error) { return c, nil }

// as does what a clerk is told in one work, as a person.
func (w *world) as(person string, do func(c *clerk.Work) error) {
	w.t.Helper()
	w.by(event.Place{Thread: "thr_1", Run: w.db.Mint().ID("run"), Task: "task_1", From: org.Person{ID: person}.Party()}, do)
}

func (w *world) patch(person, id, set string) {
	w.t.Helper()
	w.as(person, func(c *clerk.Work) error {
		_, err := c.Patch(desk.Ticket, id, json.RawMessage(set))
		return err
	})
}

// TestAsk_WhatBecameOfRecords reads from the log who changed what, since when tickets stand as they do, and who had them; and from comments who said
// what.
func TestAsk_WhatBecameOfRecords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.make(desk.Resource, `{"name":"Bea Mill"}`)
	id := w.make(desk.Ticket, `{"title":"Mend the gate","status":"TODO","dueDate":"2030-03-01","owner":"Bob","externalRef":"G-1"}`)
	w.patch("per_ann", id, `{"status":"IN_PROGRESS"}`)
	w.patch("per_bea", id, `{"status":"REVIEW","dueDate":"2030-04-01"}`)
	w.patch("per_ann", id, `{"owner":"Ann"}`)
	closed := w.make(desk.Ticket, `{"title":"Paint the fence","status":"TODO","externalRef":"G-2"}`)
	w.patch("per_bea", closed, `{"status":"DONE"}`)
	w.patch("per_bea", closed, `{"status":"TODO","priority":"HIGH"}`)
	w.as("per_bea", func(c *clerk.Work) error {
		_, err := c.Create(desk.Comment, json.RawMessage(`{"recordId":"`+id+`","text":"The hinge is gone."}`))
		return err
	})
	w.as("per_ann", func(c *clerk.Work) error {
		_, err := c.Create(desk.Comment, json.RawMessage(`{"recordId":"`+id+`","text":"A new one is ordered."}`))
		return err
	})
	yesterday := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	w.make(desk.SprintPlan, `{"name":"Sprint 9","startDate":"`+yesterday+`","endDate":"2099-01-01"}`)
	w.patch("per_ann", id, `{"sprint":"Sprint 9","storyPoints":3}`)
	w.make(desk.Ticket, `{"title":"Oil the lock","externalRef":"G-3","sprint":"Sprint 9","externalCreated":"2020-01-01"}`)
	out := w.make(desk.Ticket, `{"title":"Wash the steps","externalRef":"G-4"}`)
	w.patch("per_ann", out, `{"sprint":"Sprint 9"}`)
	w.patch("per_ann", out, `{"sprint":null}`)
	history := became{past.New(w.db)}
	asker := ask.New(clerk.NewCache(w.db.Desk), w.db.Budgets, w.db.Log, w.model, w.db.Roster).With(history, crew{{ID: "per_ann", Name: "Ann Low"}, {ID: "per_bea", Name: "Bea Mill"}})
	today := time.Now().UTC().Format(time.DateOnly)
	for question, want := range map[string]string{
		"How long has Mend the gate been in review?":    "in this status since " + today + " (0 days)",
		"who moved the due date of G-1?":                "Mend the gate (G-1): due from 2030-03-01 to 2030-04-01 by Bea Mill on " + today + ".",
		"when was G-1 put in review?":                   "Mend the gate (G-1): status from In progress to Review by Bea Mill on " + today + ".",
		"When was G-1 started?":                         "Mend the gate (G-1): status from To do to In progress by Ann Low on " + today + ".",
		"how long was G-1 in progress?":                 "Mend the gate (G-1): 0 days in status In progress.",
		"how long were G-1 and G-2 in progress?":        "Mend the gate (G-1): 0 days in status In progress. Paint the fence (G-2): the log has no time in which its status was In progress.",
		"has G-1 changed hands?":                        "owner from Bob to Ann by Ann Low on " + today,
		"who closed G-2":                                "Paint the fence (G-2): status from To do to Done by Bea Mill on " + today + ".",
		"was G-2 reopened?":                             "Paint the fence (G-2): status from Done to To do by Bea Mill on " + today + ".",
		"which tickets were reopened today?":            "Paint the fence (G-2): status from Done to To do by Bea Mill on " + today + ".",
		"who changed the priority of G-1?":              "Mend the gate (G-1): the log has no change of priority since it came here on " + today + ".",
		"who last changed G-2":                          "Paint the fence (G-2): 2 changes, the newest first: priority from Medium to High by Bea Mill on " + today + ", status from Done to To do by",
		"what did Bea Mill change today?":               " records from " + today,
		"wann wurde die Fälligkeit von G-1 geändert?":   "due from 2030-03-01 to 2030-04-01 by Bea Mill on " + today,
		"who commented on G-1 last?":                    `Ann Low on ` + today + `: "A new one is ordered."`,
		"how many comments does G-1 have?":              "2 comments on Mend the gate (G-1), the newest of them: Ann Low on",
		"what did Bea say on G-1?":                      `Bea Mill on ` + today + `: "The hinge is gone."`,
		"which tickets have no comments?":               "5 tickets: open, without a comment",
		"Which ticket has the most comments?":           "Most: Mend the gate (G-1) (2).",
		"who wrote the most comments":                   "Most, 1 each, have ",
		"wer hat zuletzt G-1 kommentiert?":              "Ann Low on " + today,
		"what was added to Sprint 9 after it started?":  "1 of 2 tickets came to Sprint 9 after its first day, " + yesterday + ", with 3 story points: Mend the gate (G-1) on " + today,
		"what was taken out of Sprint 9?":               "1 ticket was taken out of Sprint 9 since its first day, " + yesterday + ", with 0 story points: Wash the steps (G-4) on " + today,
		"who was the last to comment on Retry payments": "Of 2 comments in the project, none is on Retry payments.",
	} {
		a, err := asker.Ask(t.Context(), ask.Question{Project: w.project, Text: question, Computed: true, By: org.Person{ID: "per_1"}.Party()})
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Plan.Check(time.Now()); err != nil {
			t.Errorf("%s: its plan cannot be asked again: %v", question, err)
		}
		if !strings.Contains(a.Answer, want) {
			t.Errorf("%s: read as %q, got %q (%v), want it to say %q", question, a.ReadAs, a.Answer, a.Notes, want)
		}
	}
}
