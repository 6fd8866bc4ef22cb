package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestRunStream_EndsWithItsReply hears a run that fails, as no model is configured.
func TestRunStream_EndsWithItsReply(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	var accepted struct {
		Run string `json:"runId"`
	}
	e.call(e.owner, http.MethodPost, "/api/chat", map[string]string{"text": "Hello"}, &accepted)
	code, said, h := e.send(e.owner, http.MethodGet, "/api/runs/"+accepted.Run+"/stream", "")
	if code != http.StatusOK || h.Get("Content-Type") != "text/event-stream" || !strings.Contains(said, "event: reply\ndata: {") || !strings.Contains(said, `"state":"failed"`) {
		t.Errorf("got %d %v %s, want the reply of a run that failed", code, h, said)
	}
	if code, said, _ := e.send(e.owner, http.MethodGet, "/api/runs/run_none/stream", ""); code != http.StatusNotFound {
		t.Errorf("got %d %s for a run that is not there, want 404", code, said)
	}
	if code, said, _ := e.send("", http.MethodGet, "/api/runs/"+accepted.Run+"/stream", ""); code != http.StatusUnauthorized {
		t.Errorf("got %d %s for nobody, want 401", code, said)
	}
}
