package report_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"chela/internal/capacity"
	"chela/internal/chart"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/flow"
	"chela/internal/report"
)

// now is a Wednesday.
var now = time.Date(2026, 3, 11, 15, 0, 0, 0, time.UTC)

func ticket(id string, status desk.TicketStatus, due desk.Date, sprint string, blockedBy ...string) flow.Ticket {
	return flow.Ticket{ID: id, TicketBody: &desk.TicketBody{Title: "Title of " + id, ExternalRef: strings.ToUpper(id), Status: status, DueDate: due, Sprint: sprint, BlockedBy: blockedBy}}
}

// closed is a ticket that was done on 9 March.
func closed(t flow.Ticket) flow.Ticket {
	t.ClosedOn = "2026-03-09"
	return t
}

// history has each ticket made on 2 March and, when it is done, done on 9 March.
func history(t *testing.T, all []flow.Ticket) chart.History { return imported(t, all, nil) }

// imported is history with tickets that came today as they are.
func imported(t *testing.T, all, came []flow.Ticket) chart.History {
	t.Helper()
	j := chart.NewJournal()
	n := int64(0)
	add := func(at time.Time, c desk.Change) {
		raw, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		n++
		e := event.Event{Seq: event.Seq(n), StreamSeq: n, At: at}
		e.Message.Type, e.Message.Payload = desk.EventType(c.Kind, c.Op), raw
		if err := j.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	made := func(at time.Time, id string, body desk.TicketBody) {
		raw, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		add(at, desk.Change{ID: id, Kind: desk.Ticket, Op: desk.Created, Set: raw})
	}
	for _, k := range all {
		body := *k.TicketBody
		body.Status = desk.Todo
		made(now.AddDate(0, 0, -9), k.ID, body)
	}
	for _, k := range all {
		if k.Status != desk.Todo {
			add(now.AddDate(0, 0, -2), desk.Change{ID: k.ID, Kind: desk.Ticket, Op: desk.Updated, Set: json.RawMessage(`{"status":"` + string(k.Status) + `"}`)})
		}
	}
	for _, k := range came {
		made(now.Add(-time.Hour), k.ID, *k.TicketBody)
	}
	return j.History(nil)
}

func source(t *testing.T) report.Source {
	t.Helper()
	all := []flow.Ticket{
		closed(ticket("p-1", desk.Done, "", "S1")), ticket("p-2", desk.InProgress, "2026-03-09", "S1"), ticket("p-3", desk.Blocked, "2026-03-13", "S2"),
		ticket("p-4", desk.Todo, "", "S2", "p-2"), ticket("p-5", desk.Todo, "2026-04-30", "S2"),
	}
	s := report.Source{
		Project: "prj_1", Name: "Shop *1*", Now: now, History: history(t, all),
		Spent: []chart.Spent{{Day: now.AddDate(0, 0, -1).Truncate(24 * time.Hour), Agent: "pm", Run: "run_1", USD: 1.5}, {Day: now.AddDate(0, 0, -30), Run: "run_0", USD: 9}},
	}
	s.State = report.State{
		Tickets: all, Owners: map[string][]string{"p-2": {"Ann"}, "p-3": {"Bob"}},
		Objectives: []flow.Objective{{ID: "obj_1", ObjectiveBody: desk.ObjectiveBody{Outcome: "It sells", Status: "COMMITTED", SprintName: "S1", TicketIDs: []string{"p-1", "p-2", "p-5"}}}},
		Milestones: []flow.Milestone{{ID: "mls_1", MilestoneBody: desk.MilestoneBody{Name: "Open", Status: "AT_RISK", TargetDate: "2026-03-01"}}},
		Capacity:   capacity.Report{Lines: []capacity.Line{{ID: "res_1", Name: "Ann", EffectiveHours: 40, Load: capacity.Overloaded, AllocatedPct: 130, Tickets: 1}, {ID: "res_2", Name: "Bob", Load: capacity.Balanced}}},
	}
	s.Fill(nil)
	return s
}

func computed(t *testing.T, s report.Source) report.Report {
	t.Helper()
	r, err := report.Compute(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReport_TextHasNoLinks(t *testing.T) {
	t.Parallel()
	text := computed(t, source(t)).Text()
	if strings.Contains(text, "](") || !strings.Contains(text, "| Late | 1 |") || !strings.Contains(text, "Title of p-2 (in progress, Ann, due 2026-03-09)") {
		t.Errorf("the text is %s", text)
	}
}

func TestCompute_NumbersNameTheirRecords(t *testing.T) {
	t.Parallel()
	r := computed(t, source(t))
	type figure struct {
		value   float64
		records string
	}
	got := make(map[string]figure)
	for _, n := range r.Numbers {
		got[n.Name] = figure{n.Value, strings.TrimSpace(strings.Join(n.Records, " ") + " " + n.Query)}
		if n.Unit == "tickets" && n.Value != float64(len(n.Records)+n.More) {
			t.Errorf("%s: got %v with %d records", n.Name, n.Value, len(n.Records))
		}
	}
	want := map[string]figure{
		"Finished": {1, "p-1 status:DONE closedOn:>=2026-03-05 closedOn:<=2026-03-11"}, "Created": {0, ""}, "In all": {5, "p-1 p-2 p-3 p-4 p-5 has:title"}, "Done": {1, "p-1 status:DONE"},
		"Late": {1, "p-2 open:true due:<2026-03-11"}, "Blocked": {1, "p-3 status:BLOCKED"}, "Unassigned": {2, "p-4 p-5 open:true owner:none"}, "Cost of models": {1.5, "run_1"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if len(r.Next) != 1 || r.Next[0].ID != "p-3" || len(r.Overloaded) != 1 || r.Milestones[0].Late != 10 || r.Objectives[0].Percent != 66.7 {
		t.Errorf("got %+v", r)
	}
}

// TestCompute_SaysOfWhatThePriceIsNotKnown: a sum that leaves calls out is a lower bound, in the Markdown and in the notes.
func TestCompute_SaysOfWhatThePriceIsNotKnown(t *testing.T) {
	t.Parallel()
	for unpriced, want := range map[int]string{0: "", 1: "at least 1.50 USD; the price of 1 call is not known", 119: "at least 1.50 USD; the price of 119 calls is not known"} {
		s := source(t)
		s.Spent[0].Unpriced = unpriced
		r := computed(t, s)
		n, text := r.Numbers[len(r.Numbers)-1], r.Markdown("")
		if n.Name != "Cost of models" || n.AtLeast != (unpriced > 0) || strings.Contains(text, "[at least 1.50 USD]") != n.AtLeast {
			t.Errorf("%d calls without a price: got %+v in\n%s", unpriced, n, text)
		}
		if !strings.Contains(strings.Join(r.Notes, " "), want) || !strings.Contains(text, want) || want == "" && len(r.Notes) > 0 {
			t.Errorf("%d calls without a price: got the notes %q, want %q", unpriced, r.Notes, want)
		}
	}
}

func TestCompute_OfASprint(t *testing.T) {
	t.Parallel()
	s := source(t)
	s.Sprint = "s2"
	r := computed(t, s)
	if r.Numbers[0].Value != 0 || len(r.Late) != 0 || len(r.Blocked) != 2 || len(r.Objectives) != 0 {
		t.Errorf("got %+v, want what is in S2 alone", r)
	}
}

func TestSource_FillTakesTheSprintsDays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sprint     *flow.Sprint
		begin, end string
	}{
		"none":          {nil, "2026-03-05", "2026-03-11"},
		"one that runs": {&flow.Sprint{Begin: "2026-03-02", End: "2026-03-15"}, "2026-03-02", "2026-03-11"},
		"one over":      {&flow.Sprint{Begin: "2026-02-02", End: "2026-02-15"}, "2026-02-02", "2026-02-15"},
		"one to come":   {&flow.Sprint{Begin: "2026-04-02"}, "2026-03-05", "2026-03-11"},
	} {
		s := report.Source{Now: now}
		s.Fill(c.sprint)
		if got, want := [2]string{s.From.Format(time.DateOnly), s.To.Format(time.DateOnly)}, [2]string{c.begin, c.end}; got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

func TestReport_MarkdownSaysWhoHasNoHours(t *testing.T) {
	t.Parallel()
	s := source(t)
	s.Capacity.Lines = []capacity.Line{{ID: "res_1", Name: "Ann", Load: capacity.Overloaded, Tickets: 1}, {ID: "res_2", Name: "Bob", Load: capacity.Away}}
	if text, want := computed(t, s).Markdown(""), "- [Ann](/records/res_1): no hours, 1 open ticket\n"; !strings.Contains(text, want) || strings.Contains(text, "Bob](") {
		t.Errorf("the Markdown lacks %q, or names Bob:\n%s", want, text)
	}
}

func TestReport_MarkdownLinksToTheRecords(t *testing.T) {
	t.Parallel()
	text := computed(t, source(t)).Markdown("http://chela/")
	for _, says := range []string{
		"# Shop \\*1\\*\n", "\n2026-03-05 to 2026-03-11\n", "| Finished | [1](http://chela/tickets?filter=status%3ADONE+closedOn%3A%3E%3D2026-03-05+closedOn%3A%3C%3D2026-03-11&project=prj_1) |",
		"| Done | [1](http://chela/tickets?filter=status%3ADONE&project=prj_1) | 0 |", "[1.50 USD](http://chela/runs?project=prj_1)",
		"- [P-2 Title of p-2](http://chela/records/p-2) (in progress, Ann, due 2026-03-09)", "(to do, unassigned, waits for P-2)",
		"- 2026-03-01 [Open](http://chela/records/mls_1): at risk, 10 days late", "- [Ann](http://chela/records/res_1): 130 %, 1 open ticket",
	} {
		if !strings.Contains(text, says) {
			t.Errorf("the Markdown lacks %q:\n%s", says, text)
		}
	}
}
