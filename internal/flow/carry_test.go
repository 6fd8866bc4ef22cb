package flow_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"chela/internal/flow"
)

func TestSprint_PlansSayWhenAndWhatFor(t *testing.T) {
	t.Parallel()
	l := ledger(t, []did{
		{1, "o1", `{"outcome":"Ship","sprintName":"S1","startDate":"2026-03-02","endDate":"2026-03-06"}`},
		{1, "p1", `{"name":"s1","goal":"No payment is lost","startDate":"2026-03-03","endDate":"2026-03-13","status":"ACTIVE"}`},
		{1, "p2", `{"name":"S2","status":"CLOSED"}`},
		{1, "p3", `{"name":"S3","status":"PLANNED"}`},
		{2, "p3", "deleted"},
		{1, "a", tkt("S1", "TODO", 3)},
	})
	got, _ := l.Health("S1", at(4))
	if got.Goal != "No payment is lost" || got.Begin != "2026-03-03" || got.End != "2026-03-13" || got.State != flow.SprintRunning || !got.Dated {
		t.Errorf("got %+v, want what its plan says", got.Sprint)
	}
	if over, ok := l.Health("s2", at(4)); !ok || over.State != flow.SprintOver {
		t.Errorf("got %v %s, want a closed one over", ok, over.State)
	}
	if _, ok := l.Health("s3", at(4)); ok {
		t.Error("got the sprint of a deleted plan, want none")
	}
}

func TestSprint_CarryOver(t *testing.T) {
	t.Parallel()
	plans := []did{
		{1, "p1", `{"name":"S1","startDate":"2026-03-02","endDate":"2026-03-04"}`},
		{1, "p2", `{"name":"S2","startDate":"2026-03-05","endDate":"2026-03-10"}`},
		{1, "p3", `{"name":"S3","startDate":"2026-03-11"}`},
	}
	for name, c := range map[string]struct {
		history []did
		in, out map[string]string // by sprint: ticket and sprints
	}{
		"as an export says": {
			[]did{{3, "a", `{"title":"T","sprint":"S2","earlierSprints":["S0","S1"],"storyPoints":3}`}},
			map[string]string{"S2": "a S0+S1"},
			map[string]string{"S1": "a S2", "S0": "a S2"},
		},
		"moved after it began":  {[]did{{1, "a", tkt("S1", "TODO", 3)}, {3, "a", `{"sprint":"S2"}`}}, map[string]string{"S2": "a S1"}, map[string]string{"S1": "a S2"}},
		"moved before it began": {[]did{{1, "a", tkt("S3", "TODO", 3)}, {3, "a", `{"sprint":"S2"}`}}, nil, nil},
		"moved, and back":       {[]did{{1, "a", tkt("S1", "TODO", 3)}, {3, "a", `{"sprint":"S2"}`}, {3, "a", `{"sprint":"S1"}`}}, nil, nil},
		"moved to none":         {[]did{{1, "a", tkt("S1", "TODO", 3)}, {3, "a", `{"sprint":null}`}}, nil, nil},
		"deleted":               {[]did{{1, "a", tkt("S1", "TODO", 3)}, {3, "a", `{"sprint":"S2"}`}, {4, "a", "deleted"}}, nil, nil},
		"of unknown days":       {[]did{{1, "a", tkt("X", "TODO", 3)}, {3, "a", `{"sprint":"S2"}`}}, nil, nil},
	} {
		l := ledger(t, append(slices.Clone(plans), c.history...))
		for _, sprint := range []string{"S0", "S1", "S2", "S3"} {
			h, _ := l.Health(sprint, at(8))
			if got := carries(h.InTickets); got != c.in[sprint] {
				t.Errorf("%s, into %s: got %q, want %q", name, sprint, got, c.in[sprint])
			}
			if got := carries(h.OutTickets); got != c.out[sprint] {
				t.Errorf("%s, out of %s: got %q, want %q", name, sprint, got, c.out[sprint])
			}
			if h.CarriedIn.Tickets != len(h.InTickets) || h.CarriedIn.Points != 3*float64(len(h.InTickets)) {
				t.Errorf("%s, into %s: got %+v, want the sum of %d", name, sprint, h.CarriedIn, len(h.InTickets))
			}
		}
	}
}

func carries(all []flow.Carry) string {
	var out []string
	for _, c := range all {
		out = append(out, fmt.Sprintf("%s %s", c.TicketID, strings.Join(c.Sprints, "+")))
	}
	return strings.Join(out, ", ")
}
