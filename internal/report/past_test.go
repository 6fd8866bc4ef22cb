package report_test

import (
	"strings"
	"testing"
	"time"

	"chela/internal/chart"
	"chela/internal/desk"
	"chela/internal/flow"
	"chela/internal/report"
)

// past is a report of 1 to 6 March, over by now: p-1 is done since, p-2 was recorded then as Bob's, q-1 and q-2 came by an
// import today, which says that q-2 was done on 4 March and that Ann has q-1.
func past(t *testing.T) report.Source {
	t.Helper()
	s := source(t)
	old := []flow.Ticket{s.Tickets[0], s.Tickets[1]}
	came := []flow.Ticket{ticket("q-1", desk.Blocked, "2026-03-02", "S1"), ticket("q-2", desk.Done, "", "S1"), ticket("q-3", desk.Done, "", "S1")}
	came[0].CreatedOn, came[1].CreatedOn, came[1].ClosedOn = "2026-02-20", "2026-03-03", "2026-03-04"
	came[1].ResolvedOn = "2026-03-04"
	s.History = imported(t, old, came)
	s.From, s.To = now.AddDate(0, 0, -10).Truncate(24*time.Hour), now.AddDate(0, 0, -5).Truncate(24*time.Hour)
	s.Tickets = append(old, came...)
	s.Owners = map[string][]string{"p-2": {"Ann"}, "q-1": {"Ann"}}
	then := []flow.Ticket{ticket("p-1", desk.Todo, "", "S1"), ticket("p-2", desk.Todo, "2026-03-05", "S1")}
	s.Then = &report.State{Tickets: then, Owners: map[string][]string{"p-2": {"Bob"}}}
	return s
}

func TestCompute_OfThePastIsAsOfThen(t *testing.T) {
	t.Parallel()
	r := computed(t, past(t))
	got := make(map[string]string)
	for _, n := range r.Numbers {
		got[n.Name] = strings.TrimSpace(strings.Join(n.Records, " ") + " | " + n.Query + " " + string(n.AsOf))
	}
	for name, want := range map[string]string{
		"Finished":   "q-2 | status:DONE closedOn:>=2026-03-01 closedOn:<=2026-03-06",
		"Created":    "p-1 p-2 q-2 | (externalCreated:>=2026-03-01 externalCreated:<=2026-03-06) OR (externalCreated:none created:>=2026-03-01 created:<=2026-03-06)",
		"In all":     "p-1 p-2 q-1 q-2 | (externalCreated:<=2026-03-06) OR (externalCreated:none created:<=2026-03-06)",
		"Done":       "q-2 | status:DONE closedOn:<=2026-03-06",
		"Late":       "p-2 | open:true due:<2026-03-06 2026-03-06",
		"Blocked":    "|",
		"Unassigned": "p-1 | open:true owner:none 2026-03-06",
	} {
		if got[name] != want {
			t.Errorf("%s: got %q, want %q", name, got[name], want)
		}
	}
	if len(r.Notes) != 1 || r.Notes[0] != report.Untold(1, "2026-03-06") {
		t.Errorf("got the notes %q, want that nothing is known of q-1", r.Notes)
	}
	text := r.Markdown("http://chela")
	for _, says := range []string{"| | 2026-03-06 | before |", "Title of p-2](http://chela/records/p-2) (to do, Bob, due 2026-03-05)", "Title of q-2](http://chela/records/q-2) (done)\n"} {
		if !strings.Contains(text, says) {
			t.Errorf("the Markdown lacks %q:\n%s", says, text)
		}
	}
}

// TestCompute_OfBeforeAnImport: where no open ticket had been recorded there is no number of them.
func TestCompute_OfBeforeAnImport(t *testing.T) {
	t.Parallel()
	s := past(t)
	s.From, s.To = s.From.AddDate(0, 0, -7), s.From.AddDate(0, 0, -2)
	s.Then = &report.State{}
	r := computed(t, s)
	for _, n := range r.Numbers {
		if n.Name == "Late" || n.Name == "Blocked" || n.Name == "Unassigned" {
			t.Errorf("got %s %v, want none: nothing is known of that", n.Name, n.Value)
		}
	}
	if len(r.Late)+len(r.Blocked) > 0 || len(r.Notes) != 1 {
		t.Errorf("got late %v, blocked %v and the notes %q, want a note alone", r.Late, r.Blocked, r.Notes)
	}
}

// TestCompute_LeavesOutWhatCameClosedWithoutADay: q-3 came done today, and nothing says when it was.
func TestCompute_LeavesOutWhatCameClosedWithoutADay(t *testing.T) {
	t.Parallel()
	s := past(t)
	s.To = now.Truncate(24 * time.Hour)
	r := computed(t, s)
	if n := r.Numbers[0]; n.Value != 2 || len(r.Finished) != 2 || len(r.Notes) != 1 || r.Notes[0] != chart.Undated(1) {
		t.Errorf("got %v finished and the notes %q, want 2 and that a ticket is counted by no day", n.Value, r.Notes)
	}
}

func TestCompute_LinksNothingThatNoFilterFinds(t *testing.T) {
	t.Parallel()
	s := source(t)
	var many []flow.Ticket
	for i := range 91 {
		many = append(many, closed(ticket("t-"+string(rune('A'+i/26))+string(rune('a'+i%26)), desk.Done, "", "S2")))
	}
	s.Tickets = append(s.Tickets, many...)
	s.History = history(t, s.Tickets)
	s.Tickets[len(s.Tickets)-1].Status = desk.Todo // reopened since what the history tells
	for _, n := range computed(t, s).Numbers {
		if n.Name == "Finished" && (n.Value != 92 || n.Query != "") {
			t.Errorf("%v are finished, found by %q, want 92 and no filter: one of them is open again", n.Value, n.Query)
		}
	}
}

func TestCompute_RefusesDaysThatEndBeforeTheyBegin(t *testing.T) {
	t.Parallel()
	s := source(t)
	s.To = s.From.AddDate(0, 0, -1)
	if _, err := report.Compute(s); err == nil || !strings.Contains(err.Error(), "after its end") {
		t.Errorf("got %v, want a refusal", err)
	}
}
