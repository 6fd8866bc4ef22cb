package notify_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/approval"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/notify"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/store"
	"chela/internal/store/past"
	"chela/internal/store/sqlite"
	"chela/internal/testkit/sqlitetest"
)

// A world is a project, three people and a keeper over a real store.
type world struct {
	t       *testing.T
	db      *store.DB
	clerk   *clerk.Clerk
	keeper  *notify.Keeper
	project string
	asked   []string // what agents were asked
	refusal error    // what asking them gives
	acts    int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlitetest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, db: db, clerk: clerk.New(db.Desk)}
	t.Cleanup(func() {
		rebuilt, err := db.Rebuild(context.Background()) //nolint:forbidigo // the test's context has ended
		if err != nil || len(rebuilt.Different()) > 0 {
			t.Errorf("the log does not give the tables again: %v %v", rebuilt.Different(), err)
		}
		_ = db.Close() // its file goes with the test
	})
	for id, name := range map[string]string{"per_ann": "Ann Owner", "per_dana": "Dana Reyes", "per_joe": "Joe Martinez"} {
		role := org.Editor
		if id == "per_ann" {
			role = org.Owner
		}
		w.append(org.PersonAddedKind.Draft(w.place("org", "agent:chela"), org.PersonAdded{ID: id, Name: name, Role: role}))
	}
	w.project = w.make("per_ann", desk.Project, `{"name":"Payments"}`)
	w.restart()
	w.pass() // the first sets the cursor
	return w
}

func (w *world) restart() { w.begin(w.db.Runs) }

// begin makes a keeper that reads runs from a store.
func (w *world) begin(runs notify.Runs) {
	w.keeper = notify.NewKeeper(notify.Parts{
		Log: w.db.Log, Inbox: w.db.Notifications, Runs: runs, Asked: w.db.Questions, Desk: w.db.Desk, People: w.db.People.Persons, Projects: w.db.Directory.Projects,
		Agents: func(context.Context) ([]org.AgentID, error) { return []org.AgentID{"agent:pm"}, nil },
		Ask: func(_ context.Context, a notify.Asked) error {
			w.asked = append(w.asked, a.By.AgentID+" "+string(a.Agent)+" "+a.Text)
			return w.refusal
		},
		Said: w.db.Conversations,
	})
}

func (w *world) place(stream, from string) event.Place {
	w.acts++
	id := fmt.Sprintf("run_%d", w.acts)
	return event.Place{Stream: stream, Thread: "thr_1", Run: id, Task: "task_" + id, From: event.Party{AgentID: from, Role: "person"}}
}

func (w *world) append(d ...event.Draft) {
	w.t.Helper()
	if _, err := w.db.Log.Append(w.t.Context(), d...); err != nil {
		w.t.Fatal(err)
	}
}

// do plans as a person and records, all as one act.
func (w *world) do(person string, plan func(*clerk.Work) error) {
	w.t.Helper()
	err := w.clerk.Do(w.t.Context(), w.place("", org.Person{ID: person}.Party().AgentID), w.project, func(d []event.Draft) error {
		_, err := w.db.Log.Append(w.t.Context(), d...)
		return err
	}, plan)
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) make(person string, k desk.Kind, body string) (id string) {
	w.t.Helper()
	w.do(person, func(c *clerk.Work) error {
		r, err := c.Create(k, json.RawMessage(body))
		id = r.ID
		return err
	})
	return id
}

func (w *world) pass() {
	w.t.Helper()
	if err := w.keeper.Pass(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// told are the open notifications of a person as lines, oldest first.
func (w *world) told(person string) []string {
	w.t.Helper()
	list, err := w.db.Notifications.List(w.t.Context(), person, false, 100)
	if err != nil {
		w.t.Fatal(err)
	}
	out := []string{}
	for _, v := range slices.Backward(list) {
		out = append(out, v.Line())
	}
	return out
}

func (w *world) expect(person string, want ...string) {
	w.t.Helper()
	if got := w.told(person); strings.Join(got, "\n") != strings.Join(want, "\n") {
		w.t.Errorf("%s is told %q, want %q", person, got, want)
	}
}

func TestKeeper_TellsOfCommentsAndAssignments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticket := w.make("per_ann", desk.Ticket, `{"title":"Card handler","owner":"Dana Reyes","externalRef":"PAY-7"}`)
	w.make("per_ann", desk.Comment, fmt.Sprintf(`{"recordId":%q,"text":"@Joe Martinez can you look? cc @pm"}`, ticket))
	w.pass()
	w.expect("per_dana", "Assigned to you: Card handler", "A comment on Card handler: @Joe Martinez can you look? cc @pm")
	w.expect("per_joe", "You are mentioned on Card handler: @Joe Martinez can you look? cc @pm")
	w.expect("per_ann") // who says it is not told of it
	if len(w.asked) != 1 || !strings.HasPrefix(w.asked[0], "agent:person/per_ann agent:pm PAY-7: @Joe Martinez can you look? cc @pm\n") || !strings.Contains(w.asked[0], ticket) || !strings.Contains(w.asked[0], "read_tickets") {
		t.Errorf("agents were asked %q, want the pm about the ticket, as Ann, in her words, with what reads it", w.asked)
	}
	w.make("per_joe", desk.Comment, fmt.Sprintf(`{"recordId":%q,"text":"Done"}`, ticket))
	w.pass()
	w.expect("per_ann", "A comment on Card handler: Done")
	w.restart() // another keeper tells nobody again
	w.pass()
	w.expect("per_joe", "You are mentioned on Card handler: @Joe Martinez can you look? cc @pm")
}

func TestKeeper_TellsOnceOfManyAlike(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.do("per_ann", func(c *clerk.Work) error {
		for i := range 40 {
			if _, err := c.Create(desk.Ticket, json.RawMessage(fmt.Sprintf(`{"title":"T%d","owner":"Dana Reyes"}`, i))); err != nil {
				return err
			}
		}
		return nil
	})
	w.pass()
	w.expect("per_dana", "Assigned to you: 40 tickets are assigned to you")
}

func TestKeeper_TellsWhatIsDueOnceADay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	day := w.db.Mint().Now().UTC().Format(time.DateOnly)
	w.make("per_dana", desk.Resource, `{"name":"Dana Reyes"}`)
	w.make("per_dana", desk.Ticket, `{"title":"Pay the rent","owner":"Dana Reyes","dueDate":"`+day+`"}`)
	w.make("per_dana", desk.Ticket, `{"title":"Paid","owner":"Dana Reyes","status":"DONE","dueDate":"`+day+`"}`)
	w.restart()
	w.pass()
	w.restart()
	w.pass()
	w.expect("per_dana", "Due today: Pay the rent")
}

// TestKeeper_TellsWhatComesDueDuringTheDay: a ticket that is moved to today, opened again, restored or assigned is told of then, once.
func TestKeeper_TellsWhatComesDueDuringTheDay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	day := w.db.Mint().Now().UTC().Format(time.DateOnly)
	w.make("per_ann", desk.Resource, `{"name":"Dana Reyes"}`)
	moved := w.make("per_dana", desk.Ticket, `{"title":"Moved","owner":"Dana Reyes","dueDate":"2031-01-01"}`)
	opened := w.make("per_dana", desk.Ticket, `{"title":"Opened","owner":"Dana Reyes","status":"DONE","dueDate":"`+day+`"}`)
	free := w.make("per_dana", desk.Ticket, `{"title":"Assigned","dueDate":"`+day+`"}`)
	later := w.make("per_dana", desk.Ticket, `{"title":"Later","owner":"Dana Reyes","dueDate":"2031-01-01"}`)
	w.pass()
	w.expect("per_dana")
	concerned, stop := w.db.Log.Subscribe(event.PeopleConcerned)
	defer stop()
	set := func(id, body string) {
		w.do("per_dana", func(c *clerk.Work) error {
			_, err := c.Patch(desk.Ticket, id, json.RawMessage(body))
			return err
		})
	}
	set(moved, `{"dueDate":"`+day+`"}`)
	select {
	case <-concerned:
	default:
		t.Error("a ticket that is moved to today wakes no keeper")
	}
	w.pass()
	w.expect("per_dana", "Due today: Moved")
	set(moved, `{"dueDate":"2031-01-02"}`)
	set(moved, `{"dueDate":"`+day+`T15:00:00Z"}`)
	set(opened, `{"status":"TODO"}`)
	set(later, `{"dueDate":"2031-01-03","status":"IN_PROGRESS"}`)
	set(free, `{"owner":"Dana Reyes"}`)
	w.pass()
	w.restart()
	w.pass()
	got := w.told("per_dana")
	slices.Sort(got)
	if want := []string{"Due today: Assigned", "Due today: Moved", "Due today: Opened"}; !slices.Equal(got, want) {
		t.Errorf("Dana is told %q, want %q", got, want)
	}
	w.expect("per_ann")
	w.expect("per_joe")
}

// TestKeeper_TellsOfATicketThatComesBack tells who has a ticket again because a change of its owner was taken back: what restores an assignment has no
// body, and the pass goes on.
func TestKeeper_TellsOfATicketThatComesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	day := w.db.Mint().Now().UTC().Format(time.DateOnly)
	ticket := w.make("per_ann", desk.Ticket, `{"title":"Card handler","owner":"Dana Reyes","dueDate":"`+day+`"}`)
	w.do("per_ann", func(c *clerk.Work) error {
		_, err := c.Patch(desk.Ticket, ticket, json.RawMessage(`{"owner":"Joe Martinez"}`))
		return err
	})
	changed := fmt.Sprintf("run_%d", w.acts)
	w.pass()
	w.expect("per_joe", "Assigned to you: Card handler", "Due today: Card handler")
	act, err := past.New(w.db).Act(t.Context(), changed, "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.clerk.Undo(t.Context(), w.place("", org.Person{ID: "per_ann"}.Party().AgentID), act, func(d []event.Draft) error {
		_, err := w.db.Log.Append(t.Context(), d...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	w.pass()
	if got := w.told("per_dana"); !slices.Contains(got, "Due today: Card handler") {
		t.Errorf("Dana is told %q, want that the ticket is due, which she has again", got)
	}
	w.pass()
}

func TestKeeper_TellsWhoMayAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := org.Person{ID: "per_joe"}.Party()
	at := w.place(event.ThreadStream("thr_1"), by.AgentID)
	w.append(run.QueuedKind.Draft(at, run.Spec{Thread: "thr_1", Project: w.project, Kind: "workflow", Lane: "user", Title: "Deploy", By: by}),
		approval.RequestedKind.Draft(at, approval.Request{ID: "apr_1", Run: run.ID(at.Run), Kind: approval.ToolCalls, Question: "May pm run make deploy?", Choices: []string{"approve", "deny"}, Project: w.project}))
	w.pass()
	w.expect("per_joe", "Waits for your answer: May pm run make deploy?")
	w.expect("per_ann", "Waits for your answer: May pm run make deploy?")
	w.expect("per_dana")
	at.Key = ""
	w.append(approval.AnsweredKind.Draft(at, approval.Answer{ID: "apr_1", Choice: "approve"}), run.FinishedKind.Draft(at, run.Finished{State: run.Failed, Reason: "make: no rule"}))
	w.pass()
	w.expect("per_ann")
	w.expect("per_joe", "Failed: Deploy. make: no rule")
}

func TestKeeper_WhatIsOverNeedsNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	patch := func(k desk.Kind, id, to string) {
		t.Helper()
		w.do("per_ann", func(c *clerk.Work) error {
			_, err := c.Patch(k, id, json.RawMessage(to))
			return err
		})
	}
	card := w.make("per_ann", desk.Ticket, `{"title":"Card handler","owner":"Dana Reyes"}`)
	logs := w.make("per_ann", desk.Ticket, fmt.Sprintf(`{"title":"Gateway logs","owner":"Joe Martinez","dueDate":%q}`, desk.DateOf(w.db.Mint().Now().UTC())))
	keys := w.make("per_dana", desk.Blindspot, `{"title":"Keys are never rotated","severity":"HIGH","category":"MISSING_OWNER","status":"OPEN"}`)
	alone := w.make("per_dana", desk.Blindspot, `{"title":"One person knows it","severity":"CRITICAL","category":"MISSING_OWNER","status":"OPEN"}`)
	w.make("per_ann", desk.Comment, fmt.Sprintf(`{"recordId":%q,"text":"@Joe Martinez fine now?"}`, card))
	w.pass()
	w.expect("per_ann", "Found: Keys are never rotated", "Found: One person knows it")
	w.expect("per_dana", "Assigned to you: Card handler", "A comment on Card handler: @Joe Martinez fine now?")
	w.expect("per_joe", "Assigned to you: Gateway logs", "You are mentioned on Card handler: @Joe Martinez fine now?", "Due today: Gateway logs")

	patch(desk.Blindspot, keys, `{"status":"RESOLVED"}`)
	patch(desk.Blindspot, alone, `{"status":"ACKNOWLEDGED"}`)
	patch(desk.Ticket, card, `{"status":"DONE"}`)
	w.do("per_ann", func(c *clerk.Work) error { _, err := c.Remove(desk.Ticket, logs); return err })
	w.pass()
	w.expect("per_ann", "Found: One person knows it")
	w.expect("per_dana", "A comment on Card handler: @Joe Martinez fine now?") // words need an answer whatever becomes of the ticket
	w.expect("per_joe", "You are mentioned on Card handler: @Joe Martinez fine now?")

	all, err := w.db.Notifications.List(t.Context(), "per_ann", true, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range all {
		if n.Record == keys { // what she takes up again is hers
			w.append(notify.SettledKind.Draft(w.place(event.PersonStream("per_ann"), "agent:person/per_ann"), notify.Settled{IDs: []string{n.ID}, State: notify.New}))
		}
	}
	patch(desk.Blindspot, alone, `{"status":"DISMISSED"}`)
	w.pass()
	w.expect("per_ann", "Found: Keys are never rotated")
}

func TestKeeper_TellsTheOwnerOfAFinding(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, body := range []string{
		`{"title":"Go-live is late","severity":"HIGH","category":"MILESTONE_RISK","owner":"Dana Reyes"}`, `{"title":"Beta is at risk","severity":"HIGH","category":"MILESTONE_RISK","owner":"joe"}`,
		`{"title":"Small","severity":"MEDIUM","category":"MILESTONE_RISK","owner":"Dana Reyes"}`, `{"title":"Of somebody else","severity":"HIGH","category":"MILESTONE_RISK","owner":"Ida"}`,
	} {
		w.make("per_joe", desk.Blindspot, body)
	}
	w.pass()
	w.expect("per_ann", "Found: Go-live is late", "Found: Beta is at risk", "Found: Of somebody else")
	w.expect("per_dana", "Found: Go-live is late")
	w.expect("per_joe", "Found: Beta is at risk")
}

func TestKeeper_KeepsToWhatPeopleWant(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := w.place(event.PersonStream("per_dana"), org.Person{ID: "per_dana"}.Party().AgentID)
	w.append(notify.PreferencesKind.Draft(at, notify.Preferences{Off: []notify.Reason{notify.Assigned}}))
	w.make("per_ann", desk.Ticket, `{"title":"Card handler","owner":"Dana Reyes"}`)
	w.pass()
	w.expect("per_dana")
}

// A chatless inbox has something for the chats of many, of whom one alone has a chat that can be found.
type chatless struct {
	notify.Inbox
	told string
}

func (c chatless) ForChats(context.Context, time.Time, []string) (map[string][]notify.View, error) {
	out := make(map[string][]notify.View)
	for i := range 50 {
		out[fmt.Sprintf("per_%d", i)] = []notify.View{{Notification: notify.Notification{ID: fmt.Sprintf("ntf_%d", i)}}}
	}
	out[c.told] = []notify.View{{Notification: notify.Notification{ID: "ntf_told"}}}
	return out, nil
}

func (c chatless) ChatOf(_ context.Context, person string) (string, error) {
	if person != c.told {
		return "", errors.New("no chat can be found")
	}
	return "", nil
}

// TestKeeper_WhoCannotBeToldKeepsNobodyElseFromIt holds that one chat that fails leaves the others to be told.
func TestKeeper_WhoCannotBeToldKeepsNobodyElseFromIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.keeper.Inbox = chatless{w.db.Notifications, "per_joe"}
	if err := w.keeper.Pass(t.Context()); err == nil || !strings.Contains(err.Error(), "no chat can be found") {
		t.Errorf("a pass says %v", err)
	}
	told, _, err := w.db.Log.Events(t.Context(), 0, event.Filter{Type: notify.ToldKind.Name})
	if err != nil || len(told) != 1 || !strings.Contains(string(told[0].Message.Payload), "ntf_told") {
		t.Errorf("told are %v (%v), want the one who has a chat", told, err)
	}
}

// TestKeeper_TellsNobodyInQuietHours: what was to go before they began waits for their end, and keeps nobody else's from going. When
// they are changed, what waits follows.
func TestKeeper_TellsNobodyInQuietHours(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := w.db.Mint().Now().UTC()
	hour := func(in time.Duration) string { return now.Add(in).Format("15:04") }
	dana := w.place(event.PersonStream("per_dana"), org.Person{ID: "per_dana"}.Party().AgentID)
	joe := w.place(event.PersonStream("per_joe"), org.Person{ID: "per_joe"}.Party().AgentID)
	w.append(notify.PreferencesKind.Draft(dana, notify.Preferences{Chat: notify.Reasons(), Quiet: hour(-time.Hour) + "-" + hour(time.Hour)}))
	for i := range 250 {
		w.append(notify.RaisedKind.Draft(dana, notify.Notification{ID: fmt.Sprintf("ntf_%d", i), Reason: notify.Comment, Title: "T", ChatAt: now.Add(-2 * time.Hour)}))
	}
	w.append(notify.RaisedKind.Draft(joe, notify.Notification{ID: "ntf_joe", Reason: notify.Comment, Title: "T", ChatAt: now.Add(-2 * time.Hour)}))
	went := func() (n int) {
		told, _, err := w.db.Log.Events(t.Context(), 0, event.Filter{Type: notify.ToldKind.Name})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range told {
			p, _, err := notify.ToldKind.Open(e.Event)
			if err != nil {
				t.Fatal(err)
			}
			n += len(p.IDs)
		}
		return n
	}
	if w.pass(); went() != 1 {
		t.Errorf("%d went in her quiet hours, want Joe's one", went())
	}
	concerned, stop := w.db.Log.Subscribe(event.PeopleConcerned)
	defer stop()
	w.append(notify.PreferencesKind.Draft(dana, notify.Preferences{Chat: notify.Reasons()}))
	select {
	case <-concerned:
	default:
		t.Error("other preferences wake no keeper")
	}
	w.pass()
	if w.pass(); went() != 251 {
		t.Errorf("%d went when she had no quiet hours any more, want all", went())
	}
}

// TestKeeper_WhatIsNotDueAnyMoreNeedsNobody: who was told that a ticket is due is told so no more when its day is moved or taken away, or it
// is somebody else's or nobody's; when that is taken back the same day, they are told again.
func TestKeeper_WhatIsNotDueAnyMoreNeedsNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	day := string(desk.DateOf(w.db.Mint().Now().UTC()))
	w.make("per_ann", desk.Resource, `{"name":"Dana Reyes"}`)
	w.make("per_ann", desk.Resource, `{"name":"Joe Martinez"}`)
	w.make("per_ann", desk.Resource, `{"name":"Not Here"}`)
	made := make(map[string]string)
	for _, name := range []string{"moved", "dayless", "given", "outside", "nobodys", "kept", "hour"} {
		made[name] = w.make("per_dana", desk.Ticket, `{"title":"`+name+`","owner":"Dana Reyes","dueDate":"`+day+`"}`)
	}
	set := func(name, body string) {
		t.Helper()
		w.do("per_dana", func(c *clerk.Work) error {
			_, err := c.Patch(desk.Ticket, made[name], json.RawMessage(body))
			return err
		})
	}
	due := func(person string, want ...string) {
		t.Helper()
		var got []string
		for _, line := range w.told(person) {
			if title, ok := strings.CutPrefix(line, "Due today: "); ok {
				got = append(got, title)
			}
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s is told that %q are due, want %q", person, got, want)
		}
	}
	w.restart()
	w.pass()
	due("per_dana", "dayless", "given", "hour", "kept", "moved", "nobodys", "outside")
	concerned, stop := w.db.Log.Subscribe(event.PeopleConcerned)
	defer stop()
	for name, body := range map[string]string{
		"moved": `{"dueDate":"2031-01-01"}`, "dayless": `{"dueDate":null}`, "given": `{"owner":"Joe Martinez"}`,
		"outside": `{"owner":"Not Here"}`, "nobodys": `{"owner":null}`, "kept": `{"title":"kept"}`, "hour": `{"dueDate":"` + day + `T09:00:00Z"}`,
	} {
		set(name, body)
		select {
		case <-concerned:
		default:
			if name != "kept" {
				t.Errorf("no keeper is woken by %s", body)
			}
		}
	}
	w.pass()
	due("per_dana", "hour", "kept")
	due("per_joe", "given")
	set("moved", `{"dueDate":"`+day+`"}`)
	set("given", `{"owner":"Dana Reyes"}`)
	w.pass()
	w.restart()
	w.pass()
	due("per_dana", "given", "hour", "kept", "moved")
	due("per_joe")
	set("moved", `{"dueDate":"2031-01-01"}`)
	w.pass()
	due("per_dana", "given", "hour", "kept")
	set("moved", `{"dueDate":"`+day+`"}`)
	w.pass()
	due("per_dana", "given", "hour", "kept", "moved")
}

// TestKeeper_SettlesWhatWasToldBeforeItLooked: what an older release left open is settled at the start, and when somebody's name changes.
func TestKeeper_SettlesWhatWasToldBeforeItLooked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	day := string(desk.DateOf(w.db.Mint().Now().UTC()))
	who := w.make("per_ann", desk.Resource, `{"name":"Dana Reyes"}`)
	later := w.make("per_dana", desk.Ticket, `{"title":"Later","owner":"Dana Reyes","dueDate":"2031-01-01"}`)
	w.make("per_dana", desk.Ticket, `{"title":"Now","owner":"Dana Reyes","dueDate":"`+day+`"}`)
	told := w.place(event.PersonStream("per_dana"), run.Chela().AgentID)
	w.append(notify.RaisedKind.Draft(told, notify.Notification{ID: "ntf_old", Reason: notify.Due, Title: "Later", Project: w.project, Record: later}))
	w.expect("per_dana", "Due today: Later")
	w.restart()
	w.pass()
	w.expect("per_dana", "Due today: Now")
	w.append(notify.SettledKind.Draft(told, notify.Settled{IDs: []string{"ntf_old"}, State: notify.New}))
	w.restart()
	w.pass()
	w.expect("per_dana", "Due today: Later", "Due today: Now") // what she makes new again is hers
	w.do("per_ann", func(c *clerk.Work) error {
		_, err := c.Patch(desk.Resource, who, json.RawMessage(`{"name":"Dana Miller"}`))
		return err
	})
	w.pass()
	w.expect("per_dana", "Due today: Later")
}
