package flow_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chela/internal/desk"
	"chela/internal/flow"
)

// waiting makes tickets of lines such as "b waits a c"; those after "done" are done.
func waiting(lines string) []flow.Ticket {
	var out []flow.Ticket
	for line := range strings.SplitSeq(lines, ";") {
		words := strings.Fields(line)
		t := ticket(words[0], desk.Todo)
		for _, w := range words[1:] {
			if w == "done" {
				t.Status = desk.Done
			} else {
				t.BlockedBy = append(t.BlockedBy, w)
			}
		}
		out = append(out, t)
	}
	return out
}

func TestDependencies_Depend(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, steps, circles, longest string }{
		"nothing waits":                  {"a; b", "", "[]", ""},
		"one after the other":            {"c b; b a; a; d", "a0 b1 c2", "[]", "a b c"},
		"the latest counts":              {"d a c; c b; b; a", "b0 a0 c1 d2", "[]", "b c d"},
		"what is done blocks nothing":    {"b a; a done", "", "[]", ""},
		"what is gone blocks nothing":    {"b a", "", "[]", ""},
		"named twice is once":            {"b a a; a", "a0 b1", "[]", "a b"},
		"itself":                         {"a a", "a1!", "[[a]]", ""},
		"each other":                     {"a b; b a; c b", "a1! b1! c2", "[[a b]]", "a b c"},
		"each other, after another":      {"x; a b x; b a", "x0 a1! b1!", "[[a b]]", "x a b"},
		"two circles, one after another": {"a b; b a; c d a; d c", "a1! b1! c2! d2!", "[[a b] [c d]]", "a c d"},
	} {
		t.Run(name, func(t *testing.T) {
			got := flow.Depend(waiting(c.in))
			var steps []string
			for _, d := range got.Tickets {
				mark := ""
				if d.Circle {
					mark = "!"
				}
				steps = append(steps, fmt.Sprintf("%s%d%s", d.TicketID, d.Step, mark))
			}
			if s := strings.Join(steps, " "); s != c.steps {
				t.Errorf("steps %q, not %q", s, c.steps)
			}
			if s := fmt.Sprint(got.Circles); s != c.circles {
				t.Errorf("circles %s, not %s", s, c.circles)
			}
			if s := strings.Join(got.Longest, " "); s != c.longest {
				t.Errorf("longest %q, not %q", s, c.longest)
			}
		})
	}
}

// TestDependencies_DependIsConsistent holds for any graph: both directions name each other, a step is one
// more than the latest before it outside the circle and 0 for what can begin, a circle leads
// back to itself, and in the longest chain each waits for the one before it; without circles it
// is as long as the greatest step.
func TestDependencies_DependIsConsistent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "tickets")
		all := make([]flow.Ticket, n)
		for i := range all {
			all[i] = ticket(fmt.Sprint(i), rapid.SampledFrom([]desk.TicketStatus{desk.Todo, desk.Todo, desk.Done}).Draw(t, "status"))
			for _, b := range rapid.SliceOfN(rapid.IntRange(0, 13), 0, 3).Draw(t, "blockers") {
				all[i].BlockedBy = append(all[i].BlockedBy, fmt.Sprint(b))
			}
		}
		got := flow.Depend(all)
		of := make(map[string]flow.Dependent)
		for _, d := range got.Tickets {
			of[d.TicketID] = d
		}
		greatest := 0
		for i, id := range got.Longest[min(1, len(got.Longest)):] {
			if !slices.Contains(of[id].WaitsFor, got.Longest[i]) {
				t.Fatalf("in the longest chain %v, %s does not wait for %s", got.Longest, id, got.Longest[i])
			}
		}
		if all := slices.Sorted(slices.Values(got.Longest)); len(slices.Compact(all)) != len(got.Longest) {
			t.Fatalf("the longest chain %v goes in a circle", got.Longest)
		}
		for id, d := range of {
			reach := reached(of, d.WaitsFor)
			if d.Circle != reach[id] {
				t.Fatalf("%s: circle %v, reaches itself %v", id, d.Circle, reach[id])
			}
			for _, w := range d.WaitsFor {
				if !slices.Contains(of[w].HoldsUp, id) {
					t.Fatalf("%s waits for %s, which does not hold it up", id, w)
				}
			}
			if len(d.WaitsFor) > 0 == (d.Step == 0) {
				t.Fatalf("%s is in step %d and waits for %v", id, d.Step, d.WaitsFor)
			}
			if !d.Circle {
				step := 0
				for _, w := range d.WaitsFor {
					step = max(step, of[w].Step+1)
				}
				if d.Step != step {
					t.Fatalf("%s: step %d, not %d", id, d.Step, step)
				}
			}
			greatest = max(greatest, d.Step)
		}
		if greatest > 0 && len(got.Circles) == 0 && len(got.Longest) != greatest+1 {
			t.Fatalf("the longest chain is %v, the greatest step %d", got.Longest, greatest)
		}
	})
}

// reached are the tickets that one comes to from some.
func reached(of map[string]flow.Dependent, from []string) map[string]bool {
	out := make(map[string]bool)
	for len(from) > 0 {
		id := from[0]
		from = from[1:]
		if !out[id] {
			out[id] = true
			from = append(from, of[id].WaitsFor...)
		}
	}
	return out
}

func BenchmarkDepend(b *testing.B) {
	all := make([]flow.Ticket, 10_000)
	for i := range all {
		all[i] = ticket(fmt.Sprint(i), desk.Todo)
		if i > 0 {
			all[i].BlockedBy = []string{fmt.Sprint(i - 1)}
		}
	}
	for b.Loop() {
		flow.Depend(all)
	}
}
