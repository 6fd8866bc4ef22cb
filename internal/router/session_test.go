package router

import (
	"math/rand/v2"
	"testing"

	"chela/internal/run"
)

// TestSession_EveryWayIsLegal walks at random, as messages and instances move a session, and demands that each state has a way
// back to where a message is looked at.
func TestSession_EveryWayIsLegal(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test
	for range 2000 {
		s := Session{Thread: "thr_1", Person: "per_1"}
		for range 30 {
			from := s.State
			switch {
			case s.State == Planning:
				next := []State{Executing, Failed}[r.IntN(2)]
				s.Plan.State = next
				s, _ = s.move(next)
			case s.Plan != nil && !s.Plan.State.Over() && r.IntN(2) == 0:
				next := stateOf(run.Run{State: []run.State{run.Done, run.Failed, run.Cancelled, run.Waiting, run.Running}[r.IntN(5)], Spec: run.Spec{}, WaitsFor: []string{run.ForResume, run.ForTime}[r.IntN(2)]})
				if next == s.State {
					continue
				}
				s.Plan.State = next
				s, _ = s.move(next)
			default:
				var c Changed
				s, c = s.move(Routing)
				if c.From == "" || c.Session.State != Routing {
					t.Fatalf("%+v", c)
				}
				next := s.after()
				if r.IntN(3) == 0 {
					next, s.Plan = Planning, &Plan{State: Planning}
				}
				s, _ = s.move(next)
			}
			if s.Plan == nil && s.State != Idle || s.Plan != nil && s.State != s.Plan.State {
				t.Fatalf("from %s: the session is %s, its plan is %+v", from, s.State, s.Plan)
			}
		}
	}
}

func TestState_CanBecome(t *testing.T) {
	t.Parallel()
	for _, from := range States() {
		for _, to := range States() {
			want := to == Routing && from != Routing && from != Planning || from == Routing && to != Routing ||
				from == Planning && (to == Executing || to == Failed) || from == Executing && (to == Paused || to.Over()) || from == Paused && (to == Executing || to.Over())
			if got := from.CanBecome(to); got != want {
				t.Errorf("%s to %s: %v, want %v", from, to, got, want)
			}
		}
	}
}
