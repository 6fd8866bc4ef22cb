package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"testing"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/store"
)

// own is where a person records what they have for themself.
func own(id string) event.Place {
	at := place(event.PersonStream(id))
	at.From = org.Person{ID: id}.Party()
	return at
}

// reads counts what others said since a person last read, for each person by itself.
func reads(t *testing.T, open Opener) {
	db, _ := open(t)
	ann, bob := own("per_1"), own("per_2")
	talk := place(event.ThreadStream("thr_1"))
	said := func(from event.Party, text string) event.Seq {
		t.Helper()
		at := talk
		at.From = from
		out, err := db.Log.Append(t.Context(), session.SaidKind.Draft(at, session.Said{Message: text}))
		check(t, err)
		return out[0].Seq
	}
	unread := func(who event.Place, want int) {
		t.Helper()
		list, err := db.Conversations.Sessions(t.Context(), "", who.From.AgentID, 10, 0)
		check(t, err)
		one, err := db.Conversations.View(t.Context(), "thr_1", who.From.AgentID)
		check(t, err)
		if len(list) != 1 || list[0].Unread != want || one != list[0] {
			t.Errorf("%s has %+v and %+v, want %d unread", who.From.AgentID, list, one, want)
		}
	}
	read := func(who event.Place, seq event.Seq) {
		t.Helper()
		_, err := db.Log.Append(t.Context(), session.ReadKind.Draft(who, session.Read{Thread: "thr_1", Seq: seq}))
		check(t, err)
	}
	_, err := db.Log.Append(t.Context(), session.OpenedKind.Draft(talk, session.Opened{Channel: "page", Title: "T", Person: ann.From.AgentID}))
	check(t, err)
	said(ann.From, "hello")
	first := said(event.Party{AgentID: "agent:pm"}, "one")
	second := said(event.Party{AgentID: "agent:pm"}, "two")
	unread(ann, 2)
	unread(bob, 0) // it is not his, and he has not looked
	read(ann, first)
	unread(ann, 1)
	read(bob, second)
	unread(bob, 0)
	read(ann, second)
	read(ann, first) // another tab was late
	unread(ann, 0)
	said(ann.From, "and?")
	said(event.Party{AgentID: "agent:pm"}, "three")
	unread(ann, 1)
	unread(bob, 2)
	if messages, err := db.Conversations.Messages(t.Context(), "thr_1", 0, 10); err != nil || len(messages) != 5 {
		t.Errorf("a mark is no message: %+v, %v", messages, err)
	}
	same(t, db)
	unread(ann, 1)
}

// identities are each one person's, as they are now.
func identities(t *testing.T, open Opener) {
	db, _ := open(t)
	at := place(event.OrgStream)
	for _, id := range []string{"per_1", "per_2"} {
		_, err := db.Log.Append(t.Context(), org.PersonAddedKind.Draft(at, org.PersonAdded{ID: id, Name: id, Role: org.Viewer}))
		check(t, err)
	}
	has := func(identity, want string, all ...string) {
		t.Helper()
		p, err := db.People.PersonOf(t.Context(), identity)
		if want == "" && fault.KindOf(err) == fault.NotFound && err != nil {
			return
		}
		if err != nil || p.ID != want || !slices.Equal(p.Identities, all) {
			t.Errorf("%s is of %+v, %v", identity, p, err)
		}
	}
	link := func(k event.Kind[org.Identity], person, identity string) {
		t.Helper()
		_, err := db.Log.Append(t.Context(), k.Draft(at, org.Identity{Person: person, Identity: identity}))
		check(t, err)
	}
	link(org.LinkedKind, "per_1", "team:1")
	link(org.LinkedKind, "per_1", "portal:ann")
	link(org.LinkedKind, "per_2", "team:2")
	has("team:1", "per_1", "portal:ann", "team:1")
	has("team:2", "per_2", "team:2")
	has("team:3", "")
	has("", "")
	link(org.UnlinkedKind, "per_1", "team:1")
	has("team:1", "")
	link(org.LinkedKind, "per_2", "team:1")
	has("team:1", "per_2", "team:1", "team:2")
	same(t, db)
}

// fontSizes keeps the size that each person said last.
func fontSizes(t *testing.T, open Opener) {
	db, _ := open(t)
	for _, said := range []struct {
		person string
		size   int
	}{{"per_1", 15}, {"per_2", 11}, {"per_1", 18}} {
		_, err := db.Log.Append(t.Context(), org.FontSizedKind.Draft(own(said.person), org.FontSized{Size: said.size}))
		check(t, err)
	}
	for person, want := range map[string]int{"per_1": 18, "per_2": 11, "per_3": 0} {
		got, err := db.People.FontSize(t.Context(), person)
		check(t, err)
		if got != want {
			t.Errorf("the font of %s has %d pixels, want %d", person, got, want)
		}
	}
	same(t, db)
}

// tours keeps where each person stood last in the page's tour, and nothing of who never began it.
func tours(t *testing.T, open Opener) {
	db, _ := open(t)
	for _, said := range []struct {
		person string
		tour   org.Tour
	}{{"per_1", org.Tour{Step: 1}}, {"per_2", org.Tour{Step: 3, Over: true}}, {"per_1", org.Tour{Step: 2}}} {
		_, err := db.Log.Append(t.Context(), org.TourKind.Draft(own(said.person), said.tour))
		check(t, err)
	}
	for person, want := range map[string]*org.Tour{"per_1": {Step: 2}, "per_2": {Step: 3, Over: true}, "per_3": nil} {
		got, err := db.People.Tour(t.Context(), person)
		check(t, err)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("the tour of %s is at %+v, want %+v", person, got, want)
		}
	}
	same(t, db)
}

// layouts keeps each person's layouts apart, and counts them however many are saved at once.
func layouts(t *testing.T, open Opener) {
	db, again := open(t)
	other, err := again()
	check(t, err)
	save := func(db *store.DB, person, name, address string) error {
		l := org.LayoutSaved{Name: name, Address: address}
		return db.People.ChangeLayouts(t.Context(), person, func(have []org.Layout) (event.Draft, error) {
			return org.LayoutSavedKind.Draft(own(person), l), org.CheckLayout(have, l)
		})
	}
	names := func(person string) (out []string) {
		t.Helper()
		list, err := db.People.Layouts(t.Context(), person)
		check(t, err)
		for _, l := range list {
			if l.SavedAt.IsZero() {
				t.Errorf("%s has no time", l.Name)
			}
			out = append(out, l.Name+" "+l.Address)
		}
		return out
	}
	check(t, save(db, "per_1", "b", "/tickets"))
	check(t, save(other, "per_1", "a", "/runs"))
	check(t, save(db, "per_1", "b", "/people"))
	check(t, save(db, "per_2", "b", "/log"))
	if got := fmt.Sprint(names("per_1"), names("per_2")); got != "[a /runs b /people] [b /log]" {
		t.Errorf("they have %s", got)
	}
	check(t, db.People.ChangeLayouts(t.Context(), "per_1", func([]org.Layout) (event.Draft, error) {
		return org.LayoutRemovedKind.Draft(own("per_1"), org.LayoutRemoved{Name: "b"}), nil
	}))
	if got := fmt.Sprint(names("per_1"), names("per_2")); got != "[a /runs] [b /log]" {
		t.Errorf("one removed, they have %s", got)
	}
	refused := errors.New("no")
	if err := db.People.ChangeLayouts(t.Context(), "per_1", func([]org.Layout) (event.Draft, error) { return event.Draft{}, refused }); !errors.Is(err, refused) {
		t.Errorf("refused: %v", err)
	}
	for i := range 45 {
		check(t, save(db, "per_1", fmt.Sprintf("n%02d", i), "/"))
	}
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() { _ = save([]*store.DB{db, other}[i%2], "per_1", fmt.Sprintf("m%d", i), "/") }) // some are one too many
	}
	wait.Wait()
	if n := len(names("per_1")); n != 50 {
		t.Errorf("%d layouts are kept, want 50", n)
	}
	check(t, save(db, "per_1", "a", "/again"))
	same(t, db)
}

// same has the log give the same tables again.
func same(t *testing.T, db *store.DB) {
	t.Helper()
	r, err := db.Rebuild(t.Context())
	check(t, err)
	if d := r.Different(); len(d) > 0 {
		t.Errorf("rebuilt, these differ: %v", d)
	}
}

// agentsInHand tells what agents have in hand, and has two edits of one agent take turns.
func agentsInHand(t *testing.T, open Opener) {
	db, again := open(t)
	other, err := again()
	check(t, err)
	at := place(event.ThreadStream("thr_1"))
	part := at
	part.Task, part.ParentTask, part.From = "task_2", "task_1", org.AgentID("agent:worker").Party()
	asked := func(at event.Place, agent string) event.Draft {
		at.To = []event.Party{org.AgentID(agent).Party()}
		return run.RequestKind.Draft(at, run.TaskRequest{Title: "of " + agent})
	}
	add := func(drafts ...event.Draft) {
		t.Helper()
		_, err := db.Log.Append(t.Context(), drafts...)
		check(t, err)
	}
	has := func(agent, want string) {
		t.Helper()
		doing, err := db.Roster.Doing(t.Context())
		check(t, err)
		if got := fmt.Sprint(doing[org.AgentID(agent)]); got != want {
			t.Errorf("%s has in hand %s, want %s", agent, got, want)
		}
	}
	add(run.QueuedKind.Draft(at, run.Spec{ID: "run_1", Thread: "thr_1", Project: "prj_1", Kind: "chat", By: at.From}), asked(at, "agent:pm"))
	has("agent:pm", "[{run_1 thr_1 prj_1 of agent:pm queued}]")
	add(run.StartedKind.Draft(at, run.Started{Segment: 1, Attempt: 1}), asked(part, "agent:worker"))
	has("agent:pm", "[]")
	has("agent:worker", "[{run_1 thr_1 prj_1 of agent:worker running}]")
	takes := func(agent string, want int) {
		t.Helper()
		all, err := db.Roster.Busy(t.Context())
		check(t, err)
		if got := all[org.AgentID(agent)].Tasks; got != want {
			t.Errorf("%s has %d tasks, want %d", agent, got, want)
		}
	}
	takes("agent:worker", 1)
	add(run.WaitingKind.Draft(at, run.Waits{For: run.ForPerson + "apr_1"}))
	takes("agent:worker", 0) // what waits takes no room
	add(run.ResumedKind.Draft(at, run.Resumed{Segment: 2}), run.StartedKind.Draft(at, run.Started{Segment: 2, Attempt: 1}))
	takes("agent:worker", 1)
	add(run.ResultKind.Draft(part, run.TaskResult{Success: true}))
	takes("agent:worker", 0)
	has("agent:pm", "[{run_1 thr_1 prj_1 of agent:pm running}]")
	add(run.FinishedKind.Draft(at, run.Finished{State: run.Done}))
	has("agent:pm", "[]")

	card := org.Card{V: event.Version, AgentID: "agent:worker", Display: org.Display{Name: "Worker"}}
	add(org.RegisterKind.Draft(place(event.OrgStream), org.Registration{Card: card, Profile: &org.Profile{Kind: org.Specialist, Prompt: "0", Tools: []string{}, Enabled: true}}))
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			if err := []*store.DB{db, other}[i%2].Roster.ChangeAgent(t.Context(), "agent:worker", func(m agent.Member) (event.Draft, error) {
				n, err := strconv.Atoi(m.Prompt)
				m.Prompt = strconv.Itoa(n + 1)
				return org.UpdateKind.Draft(place(event.OrgStream), org.Update{AgentID: "agent:worker", Profile: &m.Profile}), err
			}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	m, err := db.Roster.Member(t.Context(), "agent:worker")
	check(t, err)
	if m.Prompt != "8" || m.Version == 0 {
		t.Errorf("after eight edits it is %+v", m)
	}
	none := func(agent.Member) (event.Draft, error) { return event.Draft{}, nil }
	if err := db.Roster.ChangeAgent(t.Context(), "agent:nobody", none); fault.KindOf(err) != fault.NotFound {
		t.Errorf("no agent: %v", err)
	}
	same(t, db)
}
