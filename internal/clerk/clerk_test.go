package clerk_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/store"
	"chela/internal/store/sqlite"
	"chela/internal/testkit/sqlitetest"
)

// A world is a clerk over a real store with one project.
type world struct {
	t       *testing.T
	db      *store.DB
	clerk   *clerk.Clerk
	project string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlitetest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, db: db, clerk: clerk.New(db.Desk)}
	t.Cleanup(func() {
		if r, err := db.Rebuild(t.Context()); err == nil && len(r.Different()) > 0 {
			t.Errorf("the log does not give the tables again: %v", r.Different())
		}
		_ = db.Close() // its file goes with the test
	})
	w.project = w.make(desk.Project, `{"name":"Payments"}`)
	return w
}

func place() event.Place {
	return event.Place{Thread: "thr_1", Run: "run_1", Task: "task_1", From: event.Party{AgentID: "agent:test"}}
}

// do plans in the project and records.
func (w *world) do(plan func(*clerk.Work) error) error {
	return w.clerk.Do(w.t.Context(), place(), w.project, func(d []event.Draft) error {
		_, err := w.db.Log.Append(w.t.Context(), d...)
		return err
	}, plan)
}

func (w *world) must(plan func(*clerk.Work) error) {
	w.t.Helper()
	if err := w.do(plan); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) make(k desk.Kind, body string) (id string) {
	w.t.Helper()
	w.must(func(c *clerk.Work) error {
		r, err := c.Create(k, json.RawMessage(body))
		id = r.ID
		return err
	})
	return id
}

func (w *world) patch(k desk.Kind, id, body string) {
	w.t.Helper()
	w.must(func(c *clerk.Work) error {
		_, err := c.Patch(k, id, json.RawMessage(body))
		return err
	})
}

func open[T any](w *world, id string) T {
	w.t.Helper()
	r, err := w.db.Desk.Record(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	b, err := desk.Open[T](r)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

func (w *world) owner(ticket string) string {
	w.t.Helper()
	r, err := w.db.Desk.Record(w.t.Context(), ticket)
	if err != nil {
		w.t.Fatal(err)
	}
	owners, err := clerk.Owners(w.t.Context(), w.db.Desk, w.project, []desk.Record{r})
	if err != nil {
		w.t.Fatal(err)
	}
	return owners[ticket].Line()
}

func TestClerk_OneTruthOfAssignment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticket := w.make(desk.Ticket, `{"title":"Retry","owner":"Ann Lee"}`)
	if got := w.owner(ticket); got != "Ann Lee" {
		t.Errorf("the owner is %s", got)
	}
	people, err := clerk.Every(t.Context(), w.db.Desk, clerk.Query{Project: w.project, Kind: desk.Resource})
	if err != nil || len(people) != 1 {
		t.Fatalf("%d people, %v", len(people), err)
	}
	bob := w.make(desk.Resource, `{"name":"Bob","aliases":["robert@example.com"]}`)
	w.patch(desk.Ticket, ticket, `{"assignedResourceId":"`+bob+`"}`)
	if got := w.owner(ticket); got != "Bob" {
		t.Errorf("after the change the owner is %s", got)
	}
	other := w.make(desk.Ticket, `{"title":"Log","owner":"robert@example.com"}`)
	if got := w.owner(other); got != "Bob" {
		t.Errorf("by an alias the owner is %s", got)
	}
	third := w.make(desk.Ticket, `{"title":"Read","owner":"ann"}`)
	if got := w.owner(third); got != "Ann Lee" {
		t.Errorf("by the first name the owner is %s", got)
	}
	w.must(func(c *clerk.Work) error { _, err := c.Remove(desk.Ticket, third); return err })
	w.make(desk.Resource, `{"name":"Ann Other"}`)
	if got := w.owner(w.make(desk.Ticket, `{"title":"Which Ann","owner":"Ann"}`)); got != "Ann" {
		t.Errorf("by a first name of two the owner is %s", got)
	}
	err = w.do(func(c *clerk.Work) error { _, err := c.Assign(ticket, bob, 50, nil); return err })
	if fault.KindOf(err) != fault.Conflict {
		t.Errorf("assigned twice: %v", err)
	}
	w.must(func(c *clerk.Work) error { _, err := c.Assign(ticket, people[0].ID, 50, nil); return err })
	if got := w.owner(ticket); got != "Bob, Ann Lee" && got != "Ann Lee, Bob" {
		t.Errorf("with two the owner is %s", got)
	}
	w.patch(desk.Ticket, ticket, `{"owner":null}`)
	if got := w.owner(ticket); got != "UNASSIGNED" {
		t.Errorf("cleared, the owner is %s", got)
	}
	s, err := clerk.LoadStaffing(t.Context(), w.db.Desk, w.project)
	if err != nil || len(s.Shares) != 2 || s.Shares[0].TicketID != other {
		t.Errorf("%+v %v", s.Shares, err)
	}
}

func TestClerk_CoverageIsStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.make(desk.Ticket, `{"title":"A","status":"DONE"}`)
	b := w.make(desk.Ticket, `{"title":"B"}`)
	goal := w.make(desk.Objective, `{"outcome":"It retries","ticketIds":["`+a+`","`+b+`"]}`)
	covered := func() float64 { return open[desk.ObjectiveBody](w, goal).Coverage }
	half := covered()
	if half <= 0 || half >= 100 {
		t.Fatalf("one of two is done: %g", half)
	}
	w.patch(desk.Ticket, b, `{"status":"DONE"}`)
	if got := covered(); got != 100 {
		t.Errorf("both are done: %g", got)
	}
	c := w.make(desk.Ticket, `{"title":"C","objectiveIds":["`+goal+`"]}`)
	if got := covered(); got >= 100 {
		t.Errorf("one was added: %g", got)
	}
	w.must(func(k *clerk.Work) error { _, err := k.Remove(desk.Ticket, c); return err })
	if got := covered(); got != 100 {
		t.Errorf("it was removed: %g", got)
	}
	w.patch(desk.Ticket, a, `{"status":"TODO"}`)
	if got := covered(); got != half {
		t.Errorf("one was opened again: %g, want %g", got, half)
	}
}

func TestClerk_AMergeKeepsEveryReference(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := w.make(desk.Thread, `{"title":"One","decisions":[{"text":"We retry"}],"attendees":["Ann"]}`)
	two := w.make(desk.Thread, `{"title":"Two","decisions":[{"text":"We log"},{"text":"We retry"}],"actions":[{"text":"Write it","status":"OPEN"}],"attendees":["Ann","Bob"]}`)
	three := w.make(desk.Thread, `{"title":"Three","evidence":[{"snippet":"it failed"}]}`)
	ticket := w.make(desk.Ticket, `{"title":"T","linkedThreadIds":["`+one+`","`+two+`"]}`)
	goal := w.make(desk.Objective, `{"outcome":"O","threadIds":["`+three+`"]}`)
	w.must(func(c *clerk.Work) error {
		_, err := c.MergeThreads(one, []string{two, three, one}, "All")
		return err
	})
	into := open[desk.ThreadBody](w, one)
	if into.Title != "All" || len(into.Decisions) != 2 || len(into.Actions) != 1 || len(into.Evidence) != 1 || !slices.Equal(into.Attendees, []string{"Ann", "Bob"}) ||
		!slices.Equal(into.MergedFromIDs, []string{two, three}) {
		t.Errorf("%+v", into)
	}
	if got := open[desk.TicketBody](w, ticket).LinkedThreads; !slices.Equal(got, []string{one}) {
		t.Errorf("the ticket refers to %v", got)
	}
	if got := open[desk.ObjectiveBody](w, goal).ThreadIDs; !slices.Equal(got, []string{one}) {
		t.Errorf("the objective refers to %v", got)
	}
	r, err := w.db.Desk.Record(t.Context(), two)
	if err != nil || r.MergedInto != one {
		t.Errorf("the source: %+v %v", r, err)
	}
	err = w.do(func(c *clerk.Work) error { _, err := c.MergeThreads(one, []string{two}, ""); return err })
	if fault.KindOf(err) != fault.Conflict {
		t.Errorf("merged twice: %v", err)
	}
}

func TestClerk_RemovingTakesItOutOfWhatRefersToIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.make(desk.Ticket, `{"title":"A","owner":"Ann"}`)
	b := w.make(desk.Ticket, `{"title":"B","blockedBy":["`+a+`"],"parentTicketId":"`+a+`"}`)
	var touched []string
	w.must(func(c *clerk.Work) (err error) {
		touched, err = c.Remove(desk.Ticket, a)
		return err
	})
	if len(touched) != 2 || !slices.Contains(touched, b) {
		t.Errorf("touched %v", touched)
	}
	if got := open[desk.TicketBody](w, b); len(got.BlockedBy) != 0 || got.ParentID != "" {
		t.Errorf("%+v", got)
	}
	if s, err := clerk.LoadStaffing(t.Context(), w.db.Desk, w.project); err != nil || len(s.Shares) != 0 {
		t.Errorf("its assignment is there: %+v %v", s.Shares, err)
	}
	err := w.do(func(c *clerk.Work) error { _, err := c.Get(desk.Ticket, a); return err })
	if fault.KindOf(err) != fault.NotFound {
		t.Errorf("it is there: %v", err)
	}
}

func TestClerk_WhatDoesNotFitChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticket := w.make(desk.Ticket, `{"title":"A"}`)
	elsewhere := newProject(w, "Other")
	foreign := ""
	w.in(elsewhere, func() { foreign = w.make(desk.Ticket, `{"title":"Foreign"}`) })
	end, err := w.db.Log.End(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		plan func(*clerk.Work) error
		kind fault.Kind
		says string
	}{
		"a record of another project": {func(c *clerk.Work) error {
			_, err := c.Patch(desk.Ticket, foreign, []byte(`{"title":"x"}`))
			return err
		}, fault.NotFound, foreign},
		"a reference into another project": {func(c *clerk.Work) error {
			_, err := c.Patch(desk.Ticket, ticket, []byte(`{"blockedBy":["`+foreign+`"]}`))
			return err
		}, fault.Invalid, "blockedBy"},
		"a record of another kind":  {func(c *clerk.Work) error { _, err := c.Get(desk.Thread, ticket); return err }, fault.NotFound, "thread"},
		"an owner that is a number": {func(c *clerk.Work) error { _, err := c.Patch(desk.Ticket, ticket, []byte(`{"owner":5}`)); return err }, fault.Invalid, "owner"},
		"a thread merged into nothing": {func(c *clerk.Work) error {
			_, err := c.Create(desk.Thread, []byte(`{"title":"T","lifecycle":"MERGED"}`))
			return err
		}, fault.Invalid, "merged into another"},
		"half of it": {func(c *clerk.Work) error {
			if _, err := c.Create(desk.Ticket, []byte(`{"title":"B"}`)); err != nil {
				return err
			}
			_, err := c.Create(desk.Ticket, []byte(`{"title":""}`))
			return err
		}, fault.Invalid, "title"},
	} {
		t.Run(name, func(t *testing.T) {
			err := w.do(c.plan)
			if fault.KindOf(err) != c.kind || err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v", err)
			}
		})
	}
	if now, err := w.db.Log.End(t.Context()); err != nil || now != end {
		t.Errorf("the log grew from %d to %d", end, now)
	}
}

func newProject(w *world, name string) (id string) {
	w.in("", func() { id = w.make(desk.Project, `{"name":"`+name+`"}`) })
	return id
}

// in does something in another project.
func (w *world) in(project string, do func()) {
	was := w.project
	w.project = project
	do()
	w.project = was
}

func TestClerk_SomebodyElsesChangeIsPlannedAround(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticket := w.make(desk.Ticket, `{"title":"A"}`)
	tries := 0
	w.must(func(c *clerk.Work) error {
		if tries++; tries == 1 {
			other := *w
			if err := other.do(func(c *clerk.Work) error {
				_, err := c.Patch(desk.Ticket, ticket, []byte(`{"labels":["x"]}`))
				return err
			}); err != nil {
				return err
			}
		}
		_, err := c.Patch(desk.Ticket, ticket, []byte(`{"storyPoints":3}`))
		return err
	})
	if got := open[desk.TicketBody](w, ticket); tries < 1 || got.Points() != 3 || !slices.Equal(got.Labels, []string{"x"}) {
		t.Errorf("after %d tries: %+v", tries, got)
	}
}

func TestClerk_WhatBelongsToAllProjectsIsSeenByEach(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fact := w.make(desk.Memory, `{"key":"k","content":"of all","scope":"GLOBAL"}`)
	own := w.make(desk.Memory, `{"key":"k","content":"of one"}`)
	template := w.make(desk.ChecklistTemplate, `{"name":"Release","items":[{"text":"a"}],"global":true}`)
	first := w.project
	w.project = ""
	w.project = w.make(desk.Project, `{"name":"Second"}`)
	list := w.make(desk.Checklist, `{"name":"C","templateId":"`+template+`","items":[{"text":"a"}]}`)
	for project, want := range map[string]int{first: 2, w.project: 1} {
		p, err := w.db.Desk.Records(t.Context(), clerk.Query{Project: project, Shared: true, Kind: desk.Memory})
		if err != nil || p.Total != want || p.Records[0].ID != fact || p.Records[0].Project != "" {
			t.Errorf("%s: %+v %v", project, p, err)
		}
	}
	w.must(func(c *clerk.Work) error {
		items, err := c.FromTemplate(template)
		if len(items) != 1 {
			t.Errorf("%+v", items)
		}
		r, isNew, again := clerk.Ensure(c, desk.Memory, &desk.MemoryBody{Key: "k", Content: "x", Scope: "GLOBAL"})
		if again != nil || isNew || r.ID != fact {
			t.Errorf("a second one of all: %+v %v", r, again)
		}
		return err
	})
	w.patch(desk.Memory, fact, `{"content":"newer"}`)
	for name, change := range map[string]func(*clerk.Work) error{
		"another project's": func(c *clerk.Work) error { _, err := c.Get(desk.Memory, own); return err },
		"one that becomes a project's": func(c *clerk.Work) error {
			_, err := c.Patch(desk.Memory, fact, []byte(`{"scope":"PROJECT"}`))
			return err
		},
		"one that becomes everybody's": func(c *clerk.Work) error {
			_, err := c.Patch(desk.ChecklistTemplate, template, []byte(`{"global":null}`))
			return err
		},
	} {
		if err := w.do(change); err == nil {
			t.Errorf("%s: it went", name)
		}
	}
	w.must(func(c *clerk.Work) error {
		touched, err := c.Remove(desk.ChecklistTemplate, template)
		if len(touched) != 1 || touched[0] != list {
			t.Errorf("%v", touched)
		}
		return err
	})
	if b := open[desk.ChecklistBody](w, list); b.TemplateID != "" {
		t.Errorf("%+v", b)
	}
}

func TestClerk_APersonPlannedJustNowAnswersToTheFirstName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(func(c *clerk.Work) error {
		lee, made, err := c.Person("Ann Lee", nil)
		if err != nil || !made {
			t.Errorf("%v %v", made, err)
		}
		if ann, made, err := c.Person("Ann", nil); err != nil || made || ann.ID != lee.ID {
			t.Errorf("%+v %v %v", ann, made, err)
		}
		if _, _, err = c.Person("Ann Chen", nil); err != nil {
			return err
		}
		_, made, err = c.Person("Ann", nil) // now nobody knows which
		if !made {
			t.Error("one of two is taken for the one")
		}
		return err
	})
}

// TestEnsureNamed_FindsByKeyOrTitle: what is there by its key is found by its title, and the other way
// round; two keys are two things.
func TestEnsureNamed_FindsByKeyOrTitle(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	keyed := w.make(desk.Ticket, `{"title":"Retry the refund","externalRef":"PAY-1"}`)
	plain := w.make(desk.Ticket, `{"title":"Sign the contract"}`)
	for name, c := range map[string]struct {
		body desk.TicketBody
		want string // "" is a new one
	}{
		"by its title alone":       {desk.TicketBody{Title: "retry  the Refund"}, keyed},
		"by its key":               {desk.TicketBody{Title: "Another title", ExternalRef: "pay-1"}, keyed},
		"with a key it has not":    {desk.TicketBody{Title: "Sign the contract", ExternalRef: "PAY-2"}, plain},
		"the same title, two keys": {desk.TicketBody{Title: "Retry the refund", ExternalRef: "PAY-9"}, ""},
		"a part of the title":      {desk.TicketBody{Title: "Retry"}, ""},
	} {
		work, err := w.clerk.Begin(t.Context(), event.Place{}, w.project) // what is planned is not recorded
		if err != nil {
			t.Fatal(err)
		}
		if r, isNew, err := clerk.EnsureNamed(work, desk.Ticket, &c.body); err != nil || isNew != (c.want == "") || !isNew && r.ID != c.want {
			t.Errorf("%s: EnsureNamed() = %s, %t, %v; want %q", name, r.ID, isNew, err, c.want)
		}
	}
}

func TestComment_IsItsAuthorsAndGoesWithItsRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticket := w.make(desk.Ticket, `{"title":"Login"}`)
	said := w.make(desk.Comment, fmt.Sprintf(`{"recordId":%q,"text":"Is this still blocked?"}`, ticket))
	w.patch(desk.Comment, said, `{"text":"Is it still blocked?"}`)
	other := place()
	other.From.AgentID = "agent:other"
	err := w.clerk.Do(t.Context(), other, w.project, func([]event.Draft) error { return nil }, func(c *clerk.Work) error {
		_, err := c.Patch(desk.Comment, said, json.RawMessage(`{"text":"No."}`))
		return err
	})
	if fault.KindOf(err) != fault.Denied {
		t.Errorf("another's edit of a comment gives %v, want that it is denied", err)
	}
	w.must(func(c *clerk.Work) error {
		_, err := c.Remove(desk.Ticket, ticket)
		return err
	})
	if r, err := w.db.Desk.Record(t.Context(), said); err != nil || !r.Deleted {
		t.Errorf("the comment is %+v (%v) after its ticket was deleted, want deleted", r, err)
	}
}

// TestMemory_TimesAreHeldAtTheDoor: what an older log has stays, and is changed otherwise; a new memory's times have to fit.
func TestMemory_TimesAreHeldAtTheDoor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	turned := &desk.MemoryBody{Content: "It was so.", ValidFrom: "2026-03-01", ValidTo: "2026-01-01", ExpiresAt: "2026-02-01"}
	c, old, err := desk.New(w.db.Mint(), desk.Memory, w.project, turned)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.db.Log.Append(t.Context(), c.Draft(place())); err != nil { // as an older daemon did
		t.Fatal(err)
	}
	patch := func(p string) func(*clerk.Work) error {
		return func(cw *clerk.Work) error { _, err := cw.Patch(desk.Memory, old.ID, json.RawMessage(p)); return err }
	}
	create := func(body string) func(*clerk.Work) error {
		return func(cw *clerk.Work) error { _, err := cw.Create(desk.Memory, json.RawMessage(body)); return err }
	}
	for _, x := range []struct {
		name string
		plan func(*clerk.Work) error
		want string // "" when it is planned
	}{
		{"another field of an older one", patch(`{"content":"It was so once."}`), ""},
		{"its times, which fit no better", patch(`{"validTo":"2026-02-01"}`), "lies before 2026-03-01"},
		{"its times, which fit", patch(`{"validTo":"2026-04-01"}`), ""},
		{"one that ends before it begins", create(`{"content":"x","validFrom":"2026-03-01","validTo":"2026-01-01"}`), "lies before 2026-03-01"},
		{"one that has expired", create(`{"content":"x","expiresAt":"2026-01-01"}`), "It would have expired already: 2026-01-01 is over"},
		{"one of the daemon's that has", func(cw *clerk.Work) error {
			_, err := clerk.Add(cw, desk.Memory, &desk.MemoryBody{Content: "y", ExpiresAt: "2026-01-01"})
			return err
		}, ""},
	} {
		if err := w.do(x.plan); x.want == "" && err != nil || x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want)) {
			t.Errorf("%s: %v, want %q", x.name, err, x.want)
		}
	}
}
