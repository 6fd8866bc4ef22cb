package intake

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/document"
	"chela/internal/drift"
	"chela/internal/event"
	"chela/internal/findings"
	"chela/internal/store"
	"chela/internal/store/sqlite"
	"chela/internal/testkit/sqlitetest"
)

// A notebook takes minutes in, without the run around it.
type notebook struct {
	t       *testing.T
	db      *store.DB
	clerk   *clerk.Clerk
	project string
	n       int
	name    string // of the minutes that are taken in next; m.md when empty
}

func newNotebook(t *testing.T) *notebook {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlitetest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // its file goes with the test
	b := &notebook{t: t, db: db, clerk: clerk.New(db.Desk)}
	b.plan(func(w *clerk.Work) error {
		r, err := clerk.Add(w, desk.Project, &desk.ProjectBody{Name: "Payments"})
		b.project = r.ID
		return err
	})
	return b
}

func (b *notebook) plan(plan func(*clerk.Work) error) {
	b.t.Helper()
	place := event.Place{Thread: "thr_1", Run: "run_1", Task: "task_1", From: event.Party{AgentID: "agent:test"}}
	err := b.clerk.Do(b.t.Context(), place, b.project, func(d []event.Draft) error {
		_, err := b.db.Log.Append(b.t.Context(), d...)
		return err
	}, plan)
	if err != nil {
		b.t.Fatal(err)
	}
}

// take takes minutes in, and returns what the intake says it made; again is a second attempt of the intake before.
func (b *notebook) take(text string, again bool) (made map[string]int) {
	b.t.Helper()
	if !again {
		b.n++
	}
	b.plan(func(w *clerk.Work) error {
		p := &player{id: fmt.Sprintf("int_%d", b.n), again: again, seen: make(map[string]bool), begun: time.Time{}}
		r := &recorder{p: p, w: w, src: source{doc: doc{Name: cmp.Or(b.name, "m.md")}, Doc: document.Doc{Text: text}}, made: make(map[string]int), people: make(map[string]string), seen: make(map[string]bool)}
		made = r.made
		return r.minutes()
	})
	return made
}

// tickets are "title of Ann, Joe: TODO", in the order of their making.
func (b *notebook) tickets() (out []string) {
	b.t.Helper()
	b.plan(func(w *clerk.Work) error {
		all, err := w.List(clerk.Query{Kind: desk.Ticket})
		for _, r := range all {
			t, err := desk.Open[desk.TicketBody](r)
			if err != nil {
				return err
			}
			who, err := w.Doers(r.ID)
			if err != nil {
				return err
			}
			out = append(out, fmt.Sprintf("%s of %s: %s", t.Title, who, t.Status))
		}
		return err
	})
	slices.Sort(out)
	return out
}

// actions are "Ann: text", of all threads.
func (b *notebook) actions() (out []string) {
	b.t.Helper()
	b.plan(func(w *clerk.Work) error {
		all, err := w.List(clerk.Query{Kind: desk.Thread})
		for _, r := range all {
			t, err := desk.Open[desk.ThreadBody](r)
			if err != nil {
				return err
			}
			for _, a := range t.Actions {
				out = append(out, a.Assignee+": "+a.Text)
			}
		}
		return err
	})
	slices.Sort(out)
	return out
}

func (b *notebook) set(title, owner string, change func(*desk.TicketBody)) {
	b.t.Helper()
	b.plan(func(w *clerk.Work) error {
		all, err := w.List(clerk.Query{Kind: desk.Ticket, Text: title})
		for _, r := range all {
			if who, err := w.Doers(r.ID); err != nil || who != owner {
				continue
			}
			_, err = clerk.Edit(w, desk.Ticket, r.ID, change)
			return err
		}
		return err
	})
}

func (b *notebook) wants(what string, tickets, actions []string) {
	b.t.Helper()
	if got := b.tickets(); !slices.Equal(got, tickets) {
		b.t.Errorf("%s: the tickets are %q, want %q", what, got, tickets)
	}
	if got := b.actions(); !slices.Equal(got, actions) {
		b.t.Errorf("%s: the actions are %q, want %q", what, got, actions)
	}
}

const sameForTwo = "# Sync 2026-11-20\n\nAttendees: Joe, Ann\n\n## Action items\n- Joe: update the docs\n- Ann: update the docs\n"

func TestMinutes_TheSameForTwoPeople(t *testing.T) {
	t.Parallel()
	b := newNotebook(t)
	tickets := []string{"update the docs of Ann: TODO", "update the docs of Joe: TODO"}
	actions := []string{"Ann: update the docs", "Joe: update the docs"}
	b.take(sameForTwo, false)
	b.wants("taken in", tickets, actions)
	b.take(sameForTwo, true)
	b.wants("tried again", tickets, actions)
	b.take(sameForTwo, false)
	b.wants("taken in as another file", tickets, actions)
	b.set("update the docs", "Joe", func(t *desk.TicketBody) { t.Status = desk.Done })
	b.take(sameForTwo+"- Ann: write the test plan\n", false)
	b.wants("taken in with a line more, when Joe was done", []string{"update the docs of Ann: TODO", "update the docs of Joe: DONE", "write the test plan of Ann: TODO"}, []string{"Ann: update the docs", "Ann: write the test plan", "Joe: update the docs"})
}

// TestMinutes_ASecondAttemptCountsTheSame holds that an attempt which goes on where another died says of all that both made that
// the intake made it: tickets, and the people who are to do them.
func TestMinutes_ASecondAttemptCountsTheSame(t *testing.T) {
	t.Parallel()
	b := newNotebook(t)
	const text = "# Sync 2026-11-20\n\nAttendees: Joe\n\n## Action items\n- Ann: update the docs\n- Cy and Dee: write the test plan\n"
	first, again := b.take(text, false), b.take(text, true)
	if first["resource"] != 4 || first["ticket"] != 2 || !maps.Equal(first, again) {
		t.Errorf("made %v, and when it was tried again %v", first, again)
	}
	if other := b.take(text, false); other["resource"] != 0 || other["ticket"] != 0 {
		t.Errorf("another intake of the same made %v", other)
	}
}

func TestMinutes_TheSameInALaterWeek(t *testing.T) {
	t.Parallel()
	week := func(date, line string) string {
		return "# Weekly " + date + "\n\nAttendees: Joe, Ann, Tom\n\n## Action items\n- " + line + "\n"
	}
	for name, c := range map[string]struct {
		first, second string
		tickets       []string
	}{
		"somebody else, after it was done": {"[x] Ann: prepare the demo", "[ ] Joe: prepare the demo", []string{"prepare the demo of Ann: DONE", "prepare the demo of Joe: TODO"}},
		"somebody else":                    {"[ ] Ann: prepare the demo", "[ ] Joe: prepare the demo", []string{"prepare the demo of Ann: TODO", "prepare the demo of Joe: TODO"}},
		"the same, still open":             {"[ ] Ann: prepare the demo", "[ ] Ann: prepare the demo", []string{"prepare the demo of Ann: TODO"}},
		"the same, after it was done":      {"[x] Ann: prepare the demo", "[ ] Ann: prepare the demo", []string{"prepare the demo of Ann: DONE", "prepare the demo of Ann: TODO"}},
		"the same, done and told again":    {"[x] Ann: prepare the demo", "[x] Ann: prepare the demo", []string{"prepare the demo of Ann: DONE"}},
		"nobody at first":                  {"[ ] Prepare the demo", "[ ] Joe: prepare the demo", []string{"Prepare the demo of Joe: TODO"}},
		"nobody later":                     {"[ ] Ann: prepare the demo", "[ ] Prepare the demo", []string{"prepare the demo of Ann: TODO"}},
		"one of two":                       {"[ ] Ann/Tom: prepare the demo", "[ ] Tom: prepare the demo", []string{"prepare the demo of Ann, Tom: TODO"}},
		"one more":                         {"[ ] Ann: prepare the demo", "[ ] Ann + Tom: prepare the demo", []string{"prepare the demo of Ann, Tom: TODO"}},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			b := newNotebook(t)
			b.take(week("2026-11-20", c.first), false)
			b.take(week("2026-11-27", c.second), false)
			if got := b.tickets(); !slices.Equal(got, c.tickets) {
				t.Errorf("the tickets are %q, want %q", got, c.tickets)
			}
			if got := b.actions(); len(got) < 2 {
				t.Errorf("the actions are %q, want those of each week", got)
			}
		})
	}
}

// The weeks of a meeting without a day in its title are one thread, which keeps the actions of each.
func TestMinutes_AThreadOfSeveralWeeks(t *testing.T) {
	t.Parallel()
	b := newNotebook(t)
	week := func(date, box string) string {
		return "# Weekly\n\nDate: " + date + "\nAttendees: Joe, Ann\n\n## Action items\n- " + box + " Joe: update the docs\n"
	}
	b.take(week("2026-11-20", "[x]"), false)
	b.take(week("2026-11-27", "[ ]"), false)
	b.take(week("2026-11-27", "[ ]"), true)
	b.wants("two weeks", []string{"update the docs of Joe: DONE", "update the docs of Joe: TODO"}, []string{"Joe: update the docs", "Joe: update the docs"})
}

func TestMinutes_WhatTwoDoTogether(t *testing.T) {
	t.Parallel()
	b := newNotebook(t)
	text := "# Sync 2026-11-27\n\nAttendees: Joe, Ann, Tom\n\n## Action items\n- Ann/Tom: prepare the demo\n- Tom + Joe: write the postmortem\n"
	for _, what := range []string{"taken in", "taken in as another file"} {
		b.take(text, false)
		b.wants(what, []string{"prepare the demo of Ann, Tom: TODO", "write the postmortem of Joe, Tom: TODO"}, []string{"Ann: prepare the demo", "Joe: write the postmortem", "Tom: prepare the demo", "Tom: write the postmortem"})
	}
}

// overInMinutes are what is found of statuses and dates on 30 November.
func (b *notebook) overInMinutes() (out []string) {
	b.t.Helper()
	survey, err := findings.Read(b.t.Context(), b.db.Desk, b.project)
	if err != nil {
		b.t.Fatal(err)
	}
	d := survey.Desk()
	d.Now = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	for _, x := range drift.Find(d).Deltas {
		if x.Type == "STATUS_MISMATCH" || x.Type == "DATE_DRIFT" {
			out = append(out, x.Title)
		}
	}
	return out
}

// A later meeting that ticks an action off, or cancels it, leaves the ticket to people, and its thread says so; so do the same minutes, taken in again.
func TestMinutes_OverLater(t *testing.T) {
	t.Parallel()
	const first, later = "# Weekly 2026-11-20", "# Weekly 2026-11-27"
	const late = "Overdue: write the release notes by Friday"
	for name, c := range map[string]struct {
		title, line string
		found       []string
	}{
		"done":                   {later, "- [x] Ann: write the release notes by Friday", []string{late, "Done in the minutes: write the release notes by Friday"}},
		"done in the same":       {first, "- [x] Ann: write the release notes by Friday", []string{late, "Done in the minutes: write the release notes by Friday"}},
		"cancelled":              {later, "- Cancelled: write the release notes by Friday", []string{late, "Cancelled in the minutes: write the release notes by Friday"}},
		"cancelled of Ann":       {later, "- Ann: write the release notes by Friday (cancelled)", []string{late, "Cancelled in the minutes: write the release notes by Friday"}},
		"cancelled in the same":  {first, "- Write the release notes by Friday is cancelled.", []string{late, "Cancelled in the minutes: write the release notes by Friday"}},
		"cancelled, in prose":    {later, "\nWrite the release notes by Friday has been cancelled.", []string{late, "Cancelled in the minutes: write the release notes by Friday"}},
		"something else is over": {later, "- Cancelled: the offsite", []string{late}},
		"said again":             {later, "- [ ] Ann: write the release notes by Friday", []string{late}},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			b := newNotebook(t)
			b.take(first+"\n\nAttendees: Joe, Ann\n\n## Action items\n- [ ] Ann: write the release notes by Friday\n", false)
			b.take(c.title+"\n\nAttendees: Joe, Ann\n\n## Action items\n"+c.line+"\n", false)
			if got := b.tickets(); !slices.Equal(got, []string{"write the release notes by Friday of Ann: TODO"}) {
				t.Errorf("the tickets are %q", got)
			}
			if got := b.overInMinutes(); !slices.Equal(got, c.found) {
				t.Errorf("found %q, want %q", got, c.found)
			}
		})
	}
}
