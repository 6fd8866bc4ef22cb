package chart_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/chart"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/flow"
	"chela/internal/query"
)

// start is the first day of the histories: a Monday.
var start = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

// A did is one line of a history: on a day, from 1, a record becomes what the body says;
// "deleted" ends it. The id says the kind.
type did struct {
	day      int
	id, body string
}

// events makes the events of a history, as the log would hold them.
func events(t interface{ Fatal(...any) }, history []did) (out []event.Event) {
	now := make(map[string]int64)
	for i, h := range history {
		prefix, _, _ := strings.Cut(h.id, "_")
		kind := map[string]desk.Kind{"tkt": desk.Ticket, "obj": desk.Objective, "asg": desk.Assignment, "res": desk.Resource, "spr": desk.SprintPlan, "mst": desk.Milestone, "int": desk.Intake}[prefix]
		now[h.id]++
		c := desk.Change{ID: h.id, Kind: kind, Project: "prj_1", Op: desk.Updated, Version: now[h.id], Set: json.RawMessage(h.body)}
		switch {
		case h.body == "deleted":
			c.Op, c.Set = desk.Deleted, nil
		case c.Version == 1:
			c.Op = desk.Created
		}
		raw, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		e := event.Event{Seq: event.Seq(i + 1), StreamSeq: int64(i + 1), At: start.AddDate(0, 0, h.day-1).Add(9*time.Hour + time.Duration(i)*time.Second)}
		e.Message.Type, e.Message.Payload = desk.EventType(kind, c.Op), raw
		out = append(out, e)
	}
	return out
}

func journal(t interface{ Fatal(...any) }, all []event.Event) *chart.Journal {
	j := chart.NewJournal()
	for _, e := range all {
		if err := j.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	return j
}

// day is the evening of a day, from 1.
func day(n int) time.Time { return start.AddDate(0, 0, n-1).Add(20 * time.Hour) }

func draw(t *testing.T, n chart.Name, history []did, q chart.Query) chart.Chart {
	t.Helper()
	c, err := chart.Draw(n, journal(t, events(t, history)).History(nil), q)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// values are those of the series of a name.
func values(c chart.Chart, name string) []float64 {
	for _, s := range c.Series {
		if s.Name == name {
			return s.Values()
		}
	}
	return nil
}

func wants(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

var sprint = []did{
	{1, "res_a", `{"name":"Ann"}`},
	{1, "tkt_a", `{"title":"A","status":"TODO","storyPoints":3,"sprint":"S1"}`},
	{1, "tkt_b", `{"title":"B","status":"TODO","storyPoints":2,"sprint":"S1"}`},
	{1, "tkt_c", `{"title":"C","status":"TODO"}`},
	{1, "asg_1", `{"resourceId":"res_a","ticketId":"tkt_a"}`},
	{1, "asg_2", `{"resourceId":"res_a","ticketId":"tkt_c"}`},
	{2, "tkt_a", `{"status":"IN_PROGRESS"}`},
	{3, "tkt_b", `{"status":"IN_PROGRESS"}`},
	{5, "tkt_a", `{"status":"REVIEW"}`},
	{6, "tkt_a", `{"status":"DONE"}`},
	{8, "tkt_c", `{"status":"DONE","dueDate":"2026-03-20"}`},
	{9, "tkt_c", `{"status":"TODO"}`},
	{9, "asg_1", "deleted"},
}

func TestDraw_Throughput(t *testing.T) {
	t.Parallel()
	c := draw(t, chart.Throughput, sprint, chart.Query{From: start, Now: day(10)})
	wants(t, "done", values(c, "Done"), []float64{1, 0}) // C was opened again
	wants(t, "created", values(c, "Created"), []float64{3, 0})
	wants(t, "records", c.Series[0].Points[0].Records, []string{"tkt_a"})
	wants(t, "points", c.Series[0].Points[0].StoryPoints, 3.0)
}

func TestDraw_CycleTimeCountsFromTheFirstWork(t *testing.T) {
	t.Parallel()
	c := draw(t, chart.CycleTime, sprint, chart.Query{From: start, Now: day(8)})
	wants(t, "days", values(c, "Done"), []float64{4})
	wants(t, "percentiles", c.Lines, []chart.Line{{Name: "p50", Value: 4}, {Name: "p85", Value: 4}, {Name: "p95", Value: 4}})
	wants(t, "notes", c.Notes, []string{"1 finished tickets are left out: nothing says when the work on them began."})
}

func TestDraw_AgeingCountsWhatWasBegun(t *testing.T) {
	t.Parallel()
	c := draw(t, chart.Ageing, sprint, chart.Query{Now: day(10)})
	wants(t, "in progress", values(c, "In progress"), []float64{7.5})
	wants(t, "in review", values(c, "In review"), []float64{})
	before := draw(t, chart.Ageing, sprint, chart.Query{From: start, To: start.AddDate(0, 0, 4), Now: day(10)})
	wants(t, "in review on day 5", values(before, "In review"), []float64{3.6})
}

func TestDraw_FlowNamesTheFilter(t *testing.T) {
	t.Parallel()
	c := draw(t, chart.Flow, sprint, chart.Query{From: start, Now: day(3)})
	wants(t, "to do", values(c, "To do"), []float64{3, 2, 1})
	wants(t, "in progress", values(c, "In progress"), []float64{0, 1, 2})
	p := c.Series[3].Points[1]
	wants(t, "filter", []string{p.Query, string(p.AsOf)}, []string{"status:IN_PROGRESS", "2026-03-03"})
	wants(t, "today's day", c.Series[3].Points[2].AsOf, desk.Date(""))
}

func TestDraw_LoadHasThePeopleAndWhatIsDue(t *testing.T) {
	t.Parallel()
	c := draw(t, chart.Load, sprint, chart.Query{From: start, To: start.AddDate(0, 0, 20), Now: day(10)})
	wants(t, "Ann", values(c, "Ann"), []float64{1, 1, 1}) // A is done on day 6; C is open at both ends, and due in week 3
	wants(t, "nobody", values(c, chart.Unassigned), []float64{1, 1, 0})
	wants(t, "ahead", []bool{c.Series[0].Points[1].Planned, c.Series[0].Points[2].Planned}, []bool{false, true})
}

// TestDraw_LoadSaysWhoIsAway: each week of a person says on how many of its working days they are away; the values stay what they are.
func TestDraw_LoadSaysWhoIsAway(t *testing.T) {
	t.Parallel()
	q := chart.Query{From: start, To: start.AddDate(0, 0, 20), Now: day(10)}
	ann := draw(t, chart.Load, sprint, q).Series[0].Of
	q.People = map[string]*desk.ResourceBody{ann: {Name: "Ann", Away: []string{"2026-03-06 to 2026-03-09", "2026-03-21 to 2026-03-22"}}, "res_other": {Name: "Eva", Away: []string{"2026-03-03"}}}
	c := draw(t, chart.Load, sprint, q)
	away := make(map[string][]int)
	for _, s := range c.Series {
		for _, p := range s.Points {
			away[s.Name] = append(away[s.Name], p.AwayDays)
		}
	}
	wants(t, "Ann is away", away["Ann"], []int{1, 1, 0})
	wants(t, "nobody is", away[chart.Unassigned], []int{0, 0, 0})
	wants(t, "Ann", values(c, "Ann"), []float64{1, 1, 1})
}

func TestDraw_TakesATrackersDates(t *testing.T) {
	t.Parallel()
	history := []did{
		{10, "tkt_a", `{"title":"A","status":"DONE","externalCreated":"2026-03-02","externalResolved":"2026-03-05"}`},
		{10, "tkt_b", `{"title":"B","status":"IN_PROGRESS","externalCreated":"2026-03-04"}`},
	}
	c := draw(t, chart.Flow, history, chart.Query{From: start, To: start.AddDate(0, 0, 9), Now: day(10)})
	wants(t, "to do", values(c, "To do"), []float64{1, 1, 2, 1, 1, 1, 1, 1, 1, 0})
	wants(t, "done", values(c, "Done"), []float64{0, 0, 0, 1, 1, 1, 1, 1, 1, 1})
	wants(t, "the records of a day before", c.Series[0].Points[4].Records, []string{"tkt_a"})
	wants(t, "the filter of today", c.Series[0].Points[9].Query, "status:DONE")
	if len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "2026-03-11") {
		t.Errorf("notes: got %v, want one that names the day of the import", c.Notes)
	}
}

func TestDraw_Cost(t *testing.T) {
	t.Parallel()
	c := draw(t, chart.Cost, nil, chart.Query{From: start, Now: day(2), Spent: []chart.Spent{
		{start, "pm", "run_1", 0.1, 2, 0},
		{start, "pm", "run_2", 0.2, 1, 0},
		{start.AddDate(0, 0, 1), "qa", "run_3", 5, 1, 1},
		{start.AddDate(0, 0, 9), "qa", "run_4", 5, 1, 0},
	}})
	wants(t, "the dearest first", []string{c.Series[0].Name, c.Series[1].Name}, []string{"qa", "pm"})
	wants(t, "pm", values(c, "pm"), []float64{0.3, 0})
	wants(t, "runs", c.Series[1].Points[0].Records, []string{"run_1", "run_2"})
	wants(t, "notes", c.Notes, []string{"1 calls are left out of the sums: the price of their model is not known."})
}

func TestDraw_Refuses(t *testing.T) {
	t.Parallel()
	h := journal(t, events(t, sprint)).History(nil)
	for name, c := range map[string]struct {
		chart chart.Name
		q     chart.Query
		says  string
	}{
		"an unknown chart":  {"pie", chart.Query{}, "There is no chart named \"pie\". There are: throughput,"},
		"a range backwards": {chart.Flow, chart.Query{From: day(5), To: day(2)}, "The range begins on 2026-03-06, after its end on 2026-03-03."},
		"too many points":   {chart.Flow, chart.Query{From: day(1), To: day(600)}, "more than 400 points"},
		"an unknown sprint": {chart.BurnUp, chart.Query{Sprint: "S9"}, "No ticket names the sprint \"S9\"."},
	} {
		c.q.Now = day(700)
		if _, err := chart.Draw(c.chart, h, c.q); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %q", name, err, c.says)
		}
	}
}

func TestChart_CSV(t *testing.T) {
	t.Parallel()
	c := chart.Chart{About: chart.About{Unit: "tickets"}, Series: []chart.Series{{Name: "=Ann", Points: []chart.Point{{At: "2026-03-02", Value: 2, StoryPoints: 1.5, Records: []string{"tkt_a", "tkt_b"}, More: 3}}}}}
	var b strings.Builder
	if err := c.CSV(&b); err != nil {
		t.Fatal(err)
	}
	wants(t, "CSV", b.String(), "series,at,tickets,story points,records,more records,filter,as of\n'=Ann,2026-03-02,2,1.5,tkt_a tkt_b,3,,\n")
}

func TestSparkline(t *testing.T) {
	t.Parallel()
	wants(t, "line", chart.Sparkline([]float64{0, 1, 2, 4, -1}), "▁▃▅█▁")
	wants(t, "zeros", chart.Sparkline([]float64{0, 0}), "▁▁")
}

// histories draws a history of tickets, assignments and objectives over some weeks.
func histories() *rapid.Generator[[]did] {
	return rapid.Custom(func(t *rapid.T) []did {
		var out []did
		made, gone := make(map[string]bool), make(map[string]bool)
		on := 1
		for range rapid.IntRange(1, 60).Draw(t, "events") {
			on += rapid.IntRange(0, 2).Draw(t, "days")
			n := rapid.IntRange(0, 5).Draw(t, "ticket")
			ticket := fmt.Sprintf("tkt_%d", n)
			id := rapid.SampledFrom([]string{ticket, ticket, ticket, fmt.Sprintf("asg_%d", n), fmt.Sprintf("obj_%d", n%2)}).Draw(t, "id")
			if gone[id] {
				continue
			}
			body := map[string]any{}
			switch id[:3] {
			case "tkt":
				body["status"] = rapid.SampledFrom(desk.TicketStatuses()).Draw(t, "status")
				body["sprint"] = rapid.SampledFrom([]any{"S1", "s1", "S2", nil}).Draw(t, "sprint")
				body["storyPoints"] = rapid.SampledFrom([]any{0.5, 1, 3, nil}).Draw(t, "points")
				body["objectiveIds"] = rapid.SampledFrom([]any{[]string{"obj_0"}, []string{"obj_0", "obj_1"}, nil}).Draw(t, "objectives")
			case "asg":
				body["ticketId"], body["resourceId"] = ticket, rapid.SampledFrom([]string{"res_a", "res_b"}).Draw(t, "person")
			case "obj":
				body["outcome"], body["ticketIds"] = id, rapid.SampledFrom([]any{[]string{"tkt_0", "tkt_9"}, []string{"tkt_1"}, nil}).Draw(t, "tickets")
			}
			if !made[id] {
				body["title"] = id
				for k, v := range body {
					if v == nil {
						delete(body, k) // a new record has no nulls
					}
				}
			}
			raw, err := json.Marshal(body)
			if err != nil {
				t.Fatal(err)
			}
			if text := string(raw); made[id] && rapid.IntRange(0, 9).Draw(t, "delete") == 0 {
				out, gone[id] = append(out, did{on, id, "deleted"}), true
			} else {
				out = append(out, did{on, id, text})
			}
			made[id] = true
		}
		return out
	})
}

// replayed returns the records at a time, by the function that makes records of events.
func replayed(t *rapid.T, all []event.Event, until time.Time) map[string]desk.Record {
	out := make(map[string]desk.Record)
	for r, err := range desk.Replay(func(yield func(event.Event, error) bool) {
		for _, e := range all {
			if e.At.Before(until) && !yield(e, nil) {
				return
			}
		}
	}) {
		if err != nil {
			t.Fatal(err)
		}
		out[r.After.ID] = r.After
	}
	for id, r := range out {
		if r.Deleted {
			delete(out, id)
		}
	}
	return out
}

func property(t *testing.T, holds func(t *rapid.T, all []event.Event, h chart.History)) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		all := events(t, histories().Draw(t, "history"))
		if len(all) > 0 {
			holds(t, all, journal(t, all).History(nil))
		}
	})
}

func drawn(t *rapid.T, n chart.Name, h chart.History, q chart.Query) chart.Chart {
	c, err := chart.Draw(n, h, q)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestDraw_FlowIsTheTicketsOfTheDay compares every day with the records replayed to its end.
func TestDraw_FlowIsTheTicketsOfTheDay(t *testing.T) {
	t.Parallel()
	property(t, func(t *rapid.T, all []event.Event, h chart.History) {
		end := all[len(all)-1].At
		c := drawn(t, chart.Flow, h, chart.Query{From: start, Now: end})
		for i := range c.Series[0].Points {
			want := make(map[string]float64)
			for _, r := range replayed(t, all, start.AddDate(0, 0, i+1)) {
				if b, err := desk.Open[desk.TicketBody](r); err == nil && r.Kind == desk.Ticket {
					want["status:"+string(b.Status)]++
				}
			}
			for _, s := range c.Series {
				p := s.Points[i]
				if p.Value != want[p.Query] && p.Value > 0 {
					t.Fatalf("day %s, %s: got %v, want %v", p.At, s.Name, p.Value, want[p.Query])
				}
				delete(want, p.Query)
			}
			if len(want) > 0 {
				t.Fatalf("day %d lacks %v", i+1, want)
			}
		}
	})
}

// TestDraw_BurnUpIsTheSprints compares it with what is computed for the view of a sprint.
func TestDraw_BurnUpIsTheSprints(t *testing.T) {
	t.Parallel()
	property(t, func(t *rapid.T, all []event.Event, h chart.History) {
		end := all[len(all)-1].At
		sprints := flow.NewSprintJournal()
		for i, e := range all {
			e.StreamSeq = int64(i + 1)
			if err := sprints.Add(e); err != nil {
				t.Fatal(err)
			}
		}
		l, err := sprints.Ledger(nil)
		if err != nil {
			t.Fatal(err)
		}
		health, ok := l.Health("S1", end)
		if !ok {
			return
		}
		c := drawn(t, chart.BurnUp, h, chart.Query{Sprint: "S1", From: start, Now: end})
		for _, d := range health.Days {
			i := int(d.Day.Time().Sub(start) / (24 * time.Hour))
			got := [2]float64{c.Series[0].Points[i].Value, c.Series[1].Points[i].StoryPoints}
			if want := [2]float64{float64(d.Scope.Tickets), d.Done.Points}; got != want {
				t.Fatalf("%s: got %v, want %v", d.Day, got, want)
			}
		}
	})
}

// TestDraw_ThroughputIsWhatIsDone sums all weeks: what is done is counted on the day on which it was closed, as Ask counts it.
func TestDraw_ThroughputIsWhatIsDone(t *testing.T) {
	t.Parallel()
	property(t, func(t *rapid.T, all []event.Event, h chart.History) {
		end := all[len(all)-1].At
		want, closed := 0.0, make(map[string]desk.Date)
		for id, r := range replayed(t, all, end.Add(1)) {
			b, err := desk.Open[desk.TicketBody](r)
			if err != nil || r.Kind != desk.Ticket {
				continue
			}
			if closed[id] = b.ClosedOn; b.Status == desk.Done && b.ClosedOn != "" {
				want++
			}
		}
		stood := h.Stood(end)
		for _, s := range stood {
			if day, there := closed[s.ID]; !there || s.Closed != day {
				t.Fatalf("%s was closed on %q, want %q", s.ID, s.Closed, day)
			}
		}
		if len(stood) != len(closed) {
			t.Fatalf("%d tickets stood somewhere, want %d", len(stood), len(closed))
		}
		got := 0.0
		for _, v := range drawn(t, chart.Throughput, h, chart.Query{From: start, Now: end}).Series[0].Values() {
			got += v
		}
		if got != want {
			t.Fatalf("done: got %v, want %v", got, want)
		}
	})
}

// TestDraw_CoverageIsTheObjectives compares the last point with what is computed for objectives.
func TestDraw_CoverageIsTheObjectives(t *testing.T) {
	t.Parallel()
	property(t, func(t *rapid.T, all []event.Event, h chart.History) {
		end := all[len(all)-1].At
		records := replayed(t, all, end.Add(1))
		var tickets []flow.Ticket
		var objectives []flow.Objective
		for id, r := range records {
			if b, err := desk.Open[desk.TicketBody](r); err == nil && r.Kind == desk.Ticket {
				tickets = append(tickets, flow.Ticket{ID: id, TicketBody: &b})
			}
			if b, err := desk.Open[desk.ObjectiveBody](r); err == nil && r.Kind == desk.Objective {
				objectives = append(objectives, flow.Objective{ID: id, ObjectiveBody: b})
			}
		}
		c := drawn(t, chart.Coverage, h, chart.Query{From: start, Now: end})
		for _, o := range objectives {
			i := slices.IndexFunc(c.Series, func(s chart.Series) bool { return s.Of == o.ID })
			if i < 0 {
				t.Fatalf("the objective %s has no series", o.ID)
			}
			got, want := c.Series[i].Values(), flow.Cover(o, tickets).Percent
			if got[len(got)-1] != want {
				t.Fatalf("%s: got %v, want %v", o.ID, got, want)
			}
		}
	})
}

// TestJournal_AMomentIsTheLogUpToIt compares a cut with a journal of the events before it.
func TestJournal_AMomentIsTheLogUpToIt(t *testing.T) {
	t.Parallel()
	property(t, func(t *rapid.T, all []event.Event, _ chart.History) {
		n := rapid.IntRange(1, len(all)).Draw(t, "events")
		end := all[n-1].At
		cut := journal(t, all).History(func(_ time.Time, seq event.Seq) bool { return seq <= all[n-1].Seq })
		for _, about := range chart.All() {
			q := chart.Query{From: start, Now: end}
			got, want := drawn(t, about.Name, cut, q), drawn(t, about.Name, journal(t, all[:n]).History(nil), q)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: got %+v, want %+v", about.Name, got, want)
			}
		}
	})
}

// TestDraw_FiltersAreOnesOfTheDesk reads every filter that a point may name.
func TestDraw_FiltersAreOnesOfTheDesk(t *testing.T) {
	t.Parallel()
	fields, err := desk.Fields(desk.Ticket)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []chart.Query{{From: start, Now: day(8)}, {From: start, Now: day(8), Sprint: "S1"}} {
		for _, n := range []chart.Name{chart.Flow, chart.BurnUp} {
			for _, s := range draw(t, n, sprint, q).Series {
				for _, p := range s.Points {
					if _, err := query.Parse(p.Query, fields, day(8)); err != nil {
						t.Errorf("%s: %q: %v", n, p.Query, err)
					}
				}
			}
		}
	}
}

// BenchmarkDraw computes every chart of 50,000 tickets with three changes each.
func BenchmarkDraw(b *testing.B) {
	const tickets = 50_000
	var history []did
	for i := range 3 * tickets {
		body := []string{`{"title":"A ticket with a title","status":"TODO","storyPoints":3,"sprint":"S1","objectiveIds":["obj_1"]}`, `{"status":"IN_PROGRESS"}`, `{"status":"DONE"}`}[i/tickets]
		history = append(history, did{1 + i/2000, fmt.Sprintf("tkt_%d", i%tickets), body})
	}
	all := events(b, history)
	b.Run("journal", func(b *testing.B) {
		for b.Loop() {
			journal(b, all)
		}
	})
	h := journal(b, all).History(nil)
	for _, about := range chart.All() {
		b.Run(string(about.Name), func(b *testing.B) {
			for b.Loop() {
				if _, err := chart.Draw(about.Name, h, chart.Query{Now: day(76)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
