package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"chela/internal/gateway/client"
)

// TestFollowInstance_OneThatFailedIsNoSuccess: a script that waits for an instance learns by the exit code how it ended.
func TestFollowInstance_OneThatFailedIsNoSuccess(t *testing.T) {
	t.Parallel()
	for state, says := range map[string]string{"done": "", "waiting": "", "failed": "the instance run_1 is failed: It broke.", "cancelled": "is cancelled"} {
		daemon := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"run": {"id": "run_1", "state": "`+state+`", "reason": "It broke."}}`)
		}))
		var out strings.Builder
		err := (&app{out: &out}).followInstance(t.Context(), client.New(daemon.URL, ""), "run_1")
		daemon.Close()
		if (err != nil) != (says != "") || err != nil && !strings.Contains(err.Error(), says) || !strings.Contains(out.String(), state) {
			t.Errorf("%s: %v after %q", state, err, out.String())
		}
	}
}

// TestInstance_SaysWhatAStepWaitsFor holds that a step that waits for an event names it, not the key of its wait.
func TestInstance_SaysWhatAStepWaitsFor(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	var in client.InstanceOut
	if err := json.Unmarshal([]byte(`{"run": {"state": "waiting"}, "steps": [{"path": "ev", "kind": "wait", "state": "waiting", "event": "desk.ticket.updated", "reason": "wait/ev#1"}], "output": {}}`), &in); err != nil {
		t.Fatal(err)
	}
	(&app{out: &out}).instance(in)
	if got := out.String(); !strings.Contains(got, "It waits for an event of the type desk.ticket.updated.") || strings.Contains(got, "wait/ev") || strings.Contains(got, "{}") {
		t.Errorf("got %q", got)
	}
}
