package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestInstance_WaitsBeforeItTriesAgain: a step that failed is tried again after its time, and not at once.
func TestInstance_WaitsBeforeItTriesAgain(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	const source = "slug: again\nname: Again\ninputs: [{name: n, type: integer, default: 0}]\nsteps:\n" +
		"  - {id: divide, transform: \"${1 / inputs.n}\", retry: {times: 2, wait: 1h}}\n"
	e.call(e.owner, http.MethodPost, "/api/workflows", map[string]string{"source": source}, nil)
	e.call(e.owner, http.MethodPost, "/api/workflows/again/deploy", map[string]int{"version": 1}, nil)
	var begun struct {
		Run string `json:"runId"`
	}
	e.call(e.owner, http.MethodPost, "/api/workflows/again/run", map[string]any{}, &begun)
	var at struct {
		Run   struct{ State, Reason string }
		Steps []struct {
			State   string
			Attempt int
		}
	}
	for end := time.Now().Add(20 * time.Second); !strings.Contains("waiting failed", at.Run.State) || at.Run.State == ""; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it neither waits nor ended: %+v", at)
		}
		e.call(e.owner, http.MethodGet, "/api/instances/"+begun.Run, nil, &at)
	}
	if at.Run.State != "waiting" || !strings.Contains(at.Run.Reason, "The step divide is tried again.") || len(at.Steps) != 1 || at.Steps[0].State != "retrying" || at.Steps[0].Attempt != 1 {
		t.Errorf("got %+v, want an instance that waits before the second try", at)
	}
	e.call(e.owner, http.MethodPost, "/api/runs/"+begun.Run+"/cancel", nil, nil)
	var told struct{ Why string }
	if e.call(e.owner, http.MethodGet, "/api/runs/"+begun.Run, nil, &told); !strings.HasPrefix(told.Why, "It was cancelled: ") {
		t.Errorf("got %q, want that it was cancelled", told.Why)
	}
}
