package answer_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

// TestCompute_AgesAndLastOnes asks how old open tickets are, and for the last ones of which something was done; the days are counted in
// the records themselves.
func TestCompute_AgesAndLastOnes(t *testing.T) {
	t.Parallel()
	s, err := asktest.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	days, open := 0, 0
	took := make(map[desk.Level][]float64)
	for _, ticket := range ticketsOf(t) {
		if ticket.ClosedOn != "" {
			took[ticket.Priority] = append(took[ticket.Priority], ticket.ClosedOn.Time().Truncate(24*time.Hour).Sub(ticket.CreatedOn.Time()).Hours()/24)
		}
		if ticket.Status.Open() {
			open++
			days += int(asktest.Now().Sub(ticket.CreatedOn.Time()).Hours() / 24)
		}
	}
	low := 0.0
	for _, n := range took[desk.Low] {
		low += n / float64(len(took[desk.Low]))
	}
	mean := figureOf(float64(days) / float64(open))
	for text, want := range map[string]string{
		"average age of open tickets":                mean + " days open on average, over",
		"How old are open tickets on average?":       mean + " days open on average, over",
		"How long have open tickets been open?":      mean + " days open on average, over",
		"Das durchschnittliche Alter der Tickets":    mean + " days open on average, over",
		"How long do tickets stay open on median?":   " days to resolve in the median, over",
		"resolution time by priority":                "Low " + figureOf(low),
		"tickets created per week on average":        perWeek(ticketsOf(t)) + " tickets per week on average, over ",
		"How long has PAY-101 been open?":            "days open",
		"top 2 labels":                               " has the most: ",
		"the last resolved ticket":                   "It is the first of",
		"the last 3 created tickets":                 "The first 3 of",
		"most common priority":                       " has the most: ",
		"Which tickets were never assigned?":         "unassigned",
		"What was the average age of closed tickets": "None of ",
	} {
		plan := question.Read(text, s, asktest.Now()).Plans
		if len(plan) == 0 {
			t.Errorf("%s: it is not read", text)
			continue
		}
		a, err := s.Compute(plan[0], asktest.Now())
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(a.Sentence, want) {
			t.Errorf("%s: got %q by %+v, want %q", text, a.Sentence, plan[0], want)
		}
	}
}

// ticketsOf are the tickets of the fixture desk.
func ticketsOf(t *testing.T) (out []*desk.TicketBody) {
	t.Helper()
	records, err := asktest.Records("desk.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if r.Kind != desk.Ticket {
			continue
		}
		thing, err := desk.Parse(r.Kind, r.Body)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, thing.(*desk.TicketBody))
	}
	return out
}

// figureOf is a number with one digit behind the point, if that is no 0.
func figureOf(n float64) string { return strings.TrimSuffix(strconv.FormatFloat(n, 'f', 1, 64), ".0") }

// perWeek is how many tickets were created in a week on average, from the first to the last one that has some.
func perWeek(tickets []*desk.TicketBody) string {
	var first, last time.Time
	n := 0
	for _, ticket := range tickets {
		if ticket.CreatedOn == "" {
			continue
		}
		n++
		monday := ticket.CreatedOn.Time().AddDate(0, 0, -(int(ticket.CreatedOn.Time().Weekday())+6)%7)
		if first.IsZero() || monday.Before(first) {
			first = monday
		}
		if monday.After(last) {
			last = monday
		}
	}
	return figureOf(float64(n) / (last.Sub(first).Hours()/24/7 + 1))
}

// TestCompute_AgesOfTicketsMadeHere holds that nothing is said to be missing where no tracker told when tickets were created.
func TestCompute_AgesOfTicketsMadeHere(t *testing.T) {
	t.Parallel()
	records, err := asktest.Records("desk.json")
	if err != nil {
		t.Fatal(err)
	}
	for i := range records {
		if records[i].Kind == desk.Ticket {
			records[i].Body = regexp.MustCompile(`"externalCreated": *"[^"]*"`).ReplaceAll(records[i].Body, []byte(`"externalCreated":""`))
		}
	}
	s := of(t, records)
	a, err := s.Compute(question.Read("average age of open tickets by priority", s, asktest.Now()).Plans[0], asktest.Now())
	if err != nil || !strings.Contains(a.Sentence, "days open on average") || strings.Contains(strings.Join(a.Notes, " "), "has the field created") {
		t.Errorf("got %q with %q (%v)", a.Sentence, a.Notes, err)
	}
}

// TestCompute_SortsByAge holds that the oldest open ticket is the one with the most days, and that nothing is grouped by what is reckoned.
func TestCompute_SortsByAge(t *testing.T) {
	t.Parallel()
	s, err := asktest.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	p := question.Plan{Kind: desk.Ticket, Filter: desk.Ticket.Asked().Open, Measure: question.List, Sort: "-age", Limit: 1}
	if err := p.Check(asktest.Now()); err != nil {
		t.Fatal(err)
	}
	got, err := s.Compute(p, asktest.Now())
	if err != nil {
		t.Fatal(err)
	}
	p.Sort = "externalCreated"
	want, err := s.Compute(p, asktest.Now())
	if err != nil || len(got.Table.Rows) != 1 || got.Table.Rows[0].ID != want.Table.Rows[0].ID || !strings.Contains(got.Sentence, " days open") {
		t.Errorf("got %q, want the ticket of %q with its days (%v)", got.Sentence, want.Sentence, err)
	}
	for _, by := range []string{question.Age, question.Duration} {
		if err := (question.Plan{Kind: desk.Ticket, Measure: question.Group, By: by}).Check(asktest.Now()); fault.KindOf(err) != fault.Invalid {
			t.Errorf("a group by %s: %v, want it refused", by, err)
		}
	}
}
