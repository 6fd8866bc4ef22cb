package terminal

import (
	"strings"
	"testing"

	"chela/internal/run"
	"chela/internal/session"
)

func TestModel_BeginsWithWhereOneIs(t *testing.T) {
	t.Parallel()
	s := newScreen(t, "")
	s.m.opening = []string{"Project Payments · agent pm · model lab/large", "/ lists commands."}
	s.begin()
	for _, says := range s.m.opening {
		if strings.Count(s.above, says) != 1 {
			t.Errorf("got %q, want %q in it once", s.above, says)
		}
	}
}

func TestModel_AnErrorIsSaidOnce(t *testing.T) {
	t.Parallel()
	s := newScreen(t, "thr_1")
	s.begin()
	const why = "No model is configured."
	s.hear("thr_1", "agent:chela", session.NoticeKind.Name, session.Said{Message: "That failed. " + why})
	s.hear("thr_1", "agent:chela", run.FinishedKind.Name, run.Finished{State: run.Failed, Reason: why})
	if n := strings.Count(s.above, why); n != 1 {
		t.Errorf("the reason is said %d times, want once:\n%s", n, s.above)
	}
	s.hear("thr_1", "agent:chela", run.FinishedKind.Name, run.Finished{State: run.Failed, Reason: "Another one."})
	if !strings.Contains(s.above, "Another one.") {
		t.Errorf("got %q, want a reason that nobody has said", s.above)
	}
}
