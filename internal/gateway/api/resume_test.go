package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestResume_OnlyWhatIsPaused: a run that waits for a time goes on by itself, and says so when it is resumed.
func TestResume_OnlyWhatIsPaused(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	e.call(e.owner, http.MethodPost, "/api/workflows", map[string]string{"source": "slug: rest\nname: Rest\nsteps: [{id: rest, wait: {for: 1h}}]\n"}, nil)
	e.call(e.owner, http.MethodPost, "/api/workflows/rest/deploy", map[string]int{"version": 1}, nil)
	var begun struct {
		Run string `json:"runId"`
	}
	e.call(e.owner, http.MethodPost, "/api/workflows/rest/run", map[string]any{}, &begun)
	var at playedInstance
	for end := time.Now().Add(20 * time.Second); at.Run.State != "waiting" && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		e.call(e.owner, http.MethodGet, "/api/runs/"+begun.Run, nil, &at)
	}
	code, said, _ := e.send(e.owner, http.MethodPost, "/api/runs/"+begun.Run+"/resume", "")
	if code != http.StatusConflict || !strings.Contains(said, "is not paused, and goes on by itself. The step rest waits") {
		t.Errorf("got %d %s, want 409 that says for what it waits", code, said)
	}
}
