package flow_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/flow"
)

// start is the first day of the histories: a Monday.
var start = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

// A did is one line of a history: on a day, from 1, a record becomes what the body says;
// "deleted" and "merged" end it.
type did struct {
	day  int
	id   string
	body string
}

// events makes a history of the lines, as a log has it.
func events(t interface{ Fatal(...any) }, history []did) (out []event.Event) {
	versions := make(map[string]int64)
	for i, h := range history {
		kind := desk.Ticket
		if strings.HasPrefix(h.id, "o") {
			kind = desk.Objective
		}
		if strings.HasPrefix(h.id, "p") {
			kind = desk.SprintPlan
		}
		versions[h.id]++
		c := desk.Change{ID: h.id, Kind: kind, Project: "prj_1", Op: desk.Updated, Version: versions[h.id], Set: json.RawMessage(h.body)}
		switch {
		case h.body == "deleted":
			c.Op, c.Set = desk.Deleted, nil
		case h.body == "restored":
			c.Op, c.Set = desk.Restored, nil
		case h.body == "merged":
			c.Op, c.Set, c.MergedInto = desk.Merged, nil, "tkt_other"
		case c.Version == 1:
			c.Op = desk.Created
		}
		payload, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		e := event.Event{Seq: event.Seq(100 + i), StreamSeq: int64(i + 1), At: start.AddDate(0, 0, h.day-1).Add(time.Duration(9*60+i) * time.Minute)}
		e.Message.From.AgentID, e.Message.Type, e.Message.Payload = "person/ann", desk.EventType(kind, c.Op), payload
		out = append(out, e)
	}
	return out
}

func journal(t interface{ Fatal(...any) }, history []did) *flow.SprintJournal {
	j := flow.NewSprintJournal()
	for _, e := range events(t, history) {
		for range 2 { // the second time it is left out
			if err := j.Add(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	return j
}

func ledger(t interface{ Fatal(...any) }, history []did) *flow.Ledger {
	l, err := journal(t, history).Ledger(nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// at is noon of a day of the histories.
func at(day int) time.Time {
	return start.AddDate(0, 0, day-1).Add(12*time.Hour + 23*time.Minute + 59*time.Second)
}

func tkt(sprint, status string, points float64) string {
	return fmt.Sprintf(`{"title":"T","sprint":%q,"status":%q,"storyPoints":%g}`, sprint, status, points)
}

func TestSprint_Health(t *testing.T) {
	t.Parallel()
	dates := did{1, "o1", `{"outcome":"Ship","sprintName":"S1","startDate":"2026-03-02","endDate":"2026-03-06"}`}
	three := []did{dates, {1, "a", tkt("S1", "TODO", 3)}, {1, "b", tkt("S1", "TODO", 5)}, {1, "c", tkt("s1 ", "DONE", 1)}}
	for name, c := range map[string]struct {
		history []did
		day     int
		days    string // scope/done in points, then in tickets, of each day
		sums    string // base, in, out, estimates, left
		shifts  string
		state   flow.SprintState
		daysTo  int
	}{
		"nothing changes": {
			history: three, day: 3, state: flow.SprintRunning, daysTo: 2,
			days: "9/1 3/1, 9/1 3/1, 9/1 3/1", sums: "3:9 in 0:0 out 0:0 est 0 left 2:8",
		},
		"done day by day": {
			history: append(slices.Clone(three), did{2, "a", `{"status":"DONE"}`}, did{4, "b", `{"status":"DONE"}`}), day: 5, state: flow.SprintRunning,
			days: "9/1 3/1, 9/4 3/2, 9/4 3/2, 9/9 3/3, 9/9 3/3", sums: "3:9 in 0:0 out 0:0 est 0 left 0:0",
		},
		"reopened": {
			history: append(slices.Clone(three), did{2, "a", `{"status":"DONE"}`}, did{3, "a", `{"status":"IN_PROGRESS"}`}), day: 3, state: flow.SprintRunning, daysTo: 2,
			days: "9/1 3/1, 9/4 3/2, 9/1 3/1", sums: "3:9 in 0:0 out 0:0 est 0 left 2:8",
		},
		"comes in and goes out": {
			history: append(slices.Clone(three), did{2, "d", tkt("S1", "TODO", 2)}, did{2, "e", tkt("S2", "TODO", 8)}, did{3, "e", `{"sprint":"S1"}`}, did{3, "a", `{"sprint":"S2"}`}, did{3, "b", `{"sprint":null}`}), day: 3, state: flow.SprintRunning, daysTo: 2,
			days: "9/1 3/1, 11/1 4/1, 11/1 3/1", sums: "3:9 in 2:10 out 2:8 est 0 left 2:10",
			shifts: "d CREATED +2, e MOVED_IN from S2 +8, a MOVED_OUT to S2 -3, b MOVED_OUT -5",
		},
		"estimated anew, also what is done": {
			history: append(slices.Clone(three), did{2, "a", `{"storyPoints":8}`}, did{2, "c", `{"storyPoints":2}`}, did{3, "b", `{"storyPoints":null}`}), day: 3, state: flow.SprintRunning, daysTo: 2,
			days: "9/1 3/1, 15/2 3/1, 10/2 3/1", sums: "3:9 in 0:0 out 0:0 est 1 left 2:8",
			shifts: "a ESTIMATED +5, c ESTIMATED +1, b ESTIMATED -5",
		},
		"deleted and merged, done or not": {
			history: append(slices.Clone(three), did{2, "a", "deleted"}, did{3, "c", "deleted"}, did{3, "b", "merged"}), day: 3, state: flow.SprintRunning, daysTo: 2,
			days: "9/1 3/1, 6/1 2/1, 0/0 0/0", sums: "3:9 in 0:0 out 3:9 est 0 left 0:0",
			shifts: "a DELETED -3, c DELETED -1, b MERGED -5",
		},
		"deleted after it went out does nothing more": {
			history: append(slices.Clone(three), did{2, "a", `{"sprint":""}`}, did{3, "a", "deleted"}), day: 3, state: flow.SprintRunning, daysTo: 2,
			days: "9/1 3/1, 6/1 2/1, 6/1 2/1", sums: "3:9 in 0:0 out 1:3 est 0 left 1:5", shifts: "a MOVED_OUT -3",
		},
		"the first day is the base, whatever happens on it": {
			history: append(slices.Clone(three), did{1, "a", `{"sprint":""}`}, did{1, "b", `{"storyPoints":1}`}), day: 1, state: flow.SprintRunning, daysTo: 4,
			days: "2/1 2/1", sums: "2:2 in 0:0 out 0:0 est 0 left 1:1",
		},
		"what is done after the end does not count": {
			history: append(slices.Clone(three), did{5, "a", `{"status":"DONE"}`}, did{8, "b", `{"status":"DONE"}`}), day: 9, state: flow.SprintOver,
			days: "9/1 3/1, 9/1 3/1, 9/1 3/1, 9/1 3/1, 9/4 3/2", sums: "3:9 in 0:0 out 0:0 est 0 left 1:5",
		},
		"before it begins": {
			history: []did{{1, "o1", `{"outcome":"Ship","sprintName":"S1","startDate":"2026-03-09","endDate":"2026-03-13"}`}, {1, "a", tkt("S1", "TODO", 3)}, {2, "b", tkt("S1", "TODO", 3)}}, day: 3, state: flow.SprintPlanned, daysTo: 9,
			sums: "2:6 in 0:0 out 0:0 est 0 left 2:6",
		},
		"without dates it begins with its first ticket": {
			history: []did{{2, "a", tkt("S1", "TODO", 3)}, {3, "b", tkt("S1", "DONE", 2)}}, day: 3, state: flow.SprintRunning,
			days: "3/0 1/0, 5/2 2/1", sums: "1:3 in 1:2 out 0:0 est 0 left 1:3", shifts: "b CREATED +2",
		},
		"only an objective names it": {
			history: []did{{1, "o1", `{"outcome":"Ship","sprintName":"S1"}`}}, day: 2, state: flow.SprintPlanned, sums: "0:0 in 0:0 out 0:0 est 0 left 0:0",
		},
		"imported after it ended": {
			history: []did{dates, {9, "a", tkt("S1", "DONE", 3)}, {9, "b", tkt("S1", "TODO", 2)}}, day: 10, state: flow.SprintOver,
			days: "0/0 0/0, 0/0 0/0, 0/0 0/0, 0/0 0/0, 0/0 0/0, 0/0 0/0, 0/0 0/0, 0/0 0/0, 5/3 2/1", sums: "0:0 in 2:5 out 0:0 est 0 left 1:2",
			shifts: "a CREATED +3, b CREATED +2",
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, ok := ledger(t, c.history).Health("s1", at(c.day))
			if !ok || h.State != c.state || h.DaysLeft != c.daysTo {
				t.Errorf("found %v, %s with %d days, want %s with %d", ok, h.State, h.DaysLeft, c.state, c.daysTo)
			}
			var days, shifts []string
			for _, d := range h.Days {
				days = append(days, fmt.Sprintf("%g/%g %d/%d", d.Scope.Points, d.Done.Points, d.Scope.Tickets, d.Done.Tickets))
			}
			for _, s := range h.Shifts {
				line := fmt.Sprintf("%s %s %+g", s.TicketID, s.Kind, s.Change.Points)
				if s.Other != "" {
					line = fmt.Sprintf("%s %s %s %s %+g", s.TicketID, s.Kind, map[bool]string{true: "from", false: "to"}[s.Kind == flow.ShiftMovedIn], s.Other, s.Change.Points)
				}
				shifts = append(shifts, line)
			}
			if got := strings.Join(days, ", "); got != c.days {
				t.Errorf("days %s\nwant %s", got, c.days)
			}
			if got := strings.Join(shifts, ", "); got != c.shifts {
				t.Errorf("shifts %s\nwant   %s", got, c.shifts)
			}
			if got := fmt.Sprintf("%s in %s out %s est %g left %s", said(h.Base), said(h.In), said(h.Out), h.Estimates, said(h.Left)); got != c.sums {
				t.Errorf("sums %s\nwant %s", got, c.sums)
			}
		})
	}
}

func said(a flow.Amount) string { return fmt.Sprintf("%d:%g", a.Tickets, a.Points) }

func TestSprint_SprintsAreListedTheLatestFirst(t *testing.T) {
	t.Parallel()
	l := ledger(t, []did{
		{1, "o1", `{"outcome":"A","sprintName":"Sprint 8","startDate":"2026-03-16"}`},
		{1, "a", tkt("Sprint 9", "TODO", 1)},
		{1, "b", tkt("Sprint 10", "TODO", 1)},
		{1, "c", tkt("SPRINT 8", "DONE", 2)},
		{2, "o2", `{"outcome":"B","sprintName":"Sprint 7","startDate":"2026-02-16","endDate":"2026-02-27"}`},
		{2, "d", tkt("", "TODO", 1)},
		{2, "o3", `{"outcome":"C","sprintName":"Sprint 1","startDate":"2026-01-01"}`},
		{3, "o3", "deleted"},
	})
	var got []string
	for _, s := range l.Sprints(at(3)) {
		got = append(got, fmt.Sprintf("%s %s", s.Name, s.State))
	}
	if want := []string{"Sprint 8 PLANNED", "Sprint 10 RUNNING", "Sprint 9 RUNNING", "Sprint 7 OVER"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if _, ok := l.Health("Sprint 99", at(3)); ok {
		t.Error("a sprint that nothing names was found")
	}
}

func TestSprint_ASprintOfAThousandYearsShowsOne(t *testing.T) {
	t.Parallel()
	l := ledger(t, []did{{1, "o1", `{"outcome":"A","sprintName":"S","startDate":"0026-03-02"}`}, {1, "a", tkt("S", "TODO", 1)}})
	h, _ := l.Health("S", at(2))
	if len(h.Days) != 366 || h.Days[365].Day != "2026-03-03" || h.Days[365].Scope.Tickets != 1 {
		t.Errorf("%d days until %+v", len(h.Days), h.Days[len(h.Days)-1])
	}
}

// TestSprint_Sums holds for every history: what came in and went out explains the scope, and
// the last day says what a count of the tickets says.
func TestSprint_Sums(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		history := []did{{1, "o1", `{"outcome":"A","sprintName":"S1","startDate":"2026-03-03"}`}}
		gone := make(map[string]bool)
		day := 1
		type want struct {
			sprint string
			points float64
			done   bool
		}
		now := make(map[string]want)
		for range rapid.IntRange(1, 40).Draw(t, "changes") {
			day += rapid.IntRange(0, 1).Draw(t, "later")
			id := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, "ticket")
			if gone[id] {
				continue
			}
			if _, there := now[id]; there && rapid.IntRange(0, 9).Draw(t, "end") == 0 {
				history = append(history, did{day, id, rapid.SampledFrom([]string{"deleted", "merged"}).Draw(t, "how")})
				gone[id] = true
				delete(now, id)
				continue
			}
			w := want{rapid.SampledFrom([]string{"S1", "s1", "S2", ""}).Draw(t, "sprint"), float64(rapid.IntRange(0, 8).Draw(t, "points")) / 2, rapid.Bool().Draw(t, "done")}
			status := "TODO"
			if w.done {
				status = "DONE"
			}
			history = append(history, did{day, id, tkt(w.sprint, status, w.points)})
			now[id] = w
		}
		h, ok := ledger(t, history).Health("S1", at(day))
		if !ok {
			t.Fatal("S1 was not found")
		}
		var scope, done flow.Amount
		for _, w := range now {
			if !strings.EqualFold(w.sprint, "S1") {
				continue
			}
			scope = flow.Amount{Tickets: scope.Tickets + 1, Points: scope.Points + w.points}
			if w.done {
				done = flow.Amount{Tickets: done.Tickets + 1, Points: done.Points + w.points}
			}
		}
		if h.Scope != scope || h.Done != done {
			t.Fatalf("%+v of %+v, want %+v of %+v", h.Done, h.Scope, done, scope)
		}
		if h.Base.Tickets+h.In.Tickets-h.Out.Tickets != h.Scope.Tickets || h.Base.Points+h.In.Points-h.Out.Points+h.Estimates != h.Scope.Points {
			t.Fatalf("the sums do not explain the scope: %+v", h)
		}
		if n := len(h.Days); n > 0 && (h.Days[n-1].Scope != scope || n != day-1) {
			t.Fatalf("%d days, the last %+v", n, h.Days[n-1])
		}
		again, _ := ledger(t, history).Health("s1", at(day))
		if !reflect.DeepEqual(h, again) {
			t.Fatal("another reading says something else")
		}
		j, until := journal(t, history), rapid.IntRange(0, len(history)).Draw(t, "until")
		then, err := j.Ledger(func(_ time.Time, seq event.Seq) bool { return int(seq) < 100+until })
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []int{1, day} {
			if got, want := then.Sprints(at(d)), ledger(t, history[:until]).Sprints(at(d)); !reflect.DeepEqual(got, want) {
				t.Fatalf("after %d of %d changes the sprints are\n%+v, want\n%+v", until, len(history), got, want)
			}
		}
		if now, err := j.Ledger(nil); err != nil || !reflect.DeepEqual(now.Sprints(at(day)), ledger(t, history).Sprints(at(day))) {
			t.Fatalf("a look back changed what is now: %v", err)
		}
	})
}

// TestSprintJournal_Restored holds that a ticket that comes back counts again.
func TestSprintJournal_Restored(t *testing.T) {
	t.Parallel()
	for _, gone := range []string{"deleted", "merged"} {
		h, _ := ledger(t, []did{{1, "a", tkt("S1", "TODO", 3)}, {2, "a", gone}, {3, "a", "restored"}}).Health("S1", at(3))
		if want := (flow.Amount{Tickets: 1, Points: 3}); h.Scope != want {
			t.Errorf("%s and restored: %+v, want %+v", gone, h.Scope, want)
		}
	}
}

func FuzzSprintJournal(f *testing.F) {
	for _, set := range []string{`{"title":"T","sprint":"S1","storyPoints":2,"status":"DONE","earlierSprints":["S0"]}`, `{"sprint":null,"earlierSprints":null}`, `{"sprint":7}`, `[]`, `{`} {
		f.Add([]byte(set), "updated")
	}
	f.Fuzz(func(t *testing.T, set []byte, op string) {
		j := flow.NewSprintJournal()
		e := event.Event{Seq: 1, StreamSeq: 1, At: start}
		e.Message.Type = "desk.ticket." + op
		e.Message.Payload = fmt.Appendf(nil, `{"id":"tkt_1","kind":"ticket","projectId":"prj_1","op":%q,"version":1,"set":%s}`, op, set)
		if err := j.Add(e); err != nil {
			return
		}
		l, err := j.Ledger(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range l.Sprints(start) {
			if h, ok := l.Health(s.Name, start); !ok || h.Scope != s.Scope {
				t.Fatalf("%q is %+v in the list and %+v, %v alone", s.Name, s.Scope, h.Scope, ok)
			}
		}
	})
}

// TestHealth_Absences counts the working days that are left of a sprint on which people are away: today counts, weekends and what is over do
// not, nor does a sprint without an end or one that is over.
func TestHealth_Absences(t *testing.T) {
	t.Parallel()
	people := func(yield func(string, *desk.ResourceBody) bool) {
		for id, away := range map[string][]string{"res_tom": {"2026-03-04", "2026-03-06 to 2026-03-09", "2026-03-20"}, "res_ann": {"2026-03-02"}, "res_eva": {"2026-03-07 to 2026-03-08"}, "res_joe": {"2026-03-01 to 2026-04-30"}} {
			if !yield(id, &desk.ResourceBody{Name: strings.TrimPrefix(id, "res_"), Away: away}) {
				return
			}
		}
	}
	for name, c := range map[string]struct {
		plan string
		want string
	}{
		"it runs":          {`{"name":"S","startDate":"2026-02-23","endDate":"2026-03-13"}`, "joe 9, tom 3 = 12"},
		"it has not begun": {`{"name":"S","startDate":"2026-03-09","endDate":"2026-03-13"}`, "joe 5, tom 1 = 6"},
		"its last day":     {`{"name":"S","startDate":"2026-02-23","endDate":"2026-03-03"}`, "joe 1 = 1"},
		"it is over":       {`{"name":"S","startDate":"2026-02-23","endDate":"2026-03-02"}`, " = 0"},
		"it has no end":    {`{"name":"S","startDate":"2026-02-23"}`, " = 0"},
	} {
		l, err := journal(t, []did{{1, "p1", c.plan}}).Ledger(func(time.Time, event.Seq) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		h, ok := l.Health("S", start.AddDate(0, 0, 1).Add(9*time.Hour)) // Tuesday, 3 March
		if !ok {
			t.Fatalf("%s: it is not there", name)
		}
		h.Absences(people)
		var said []string
		for _, p := range h.Away {
			said = append(said, fmt.Sprintf("%s %d", p.Name, p.Days))
		}
		if got := fmt.Sprintf("%s = %d", strings.Join(said, ", "), h.AwayDays); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
