package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/gateway/client"
)

// TestSchedules_AValueThatIsGivenIsNoDefault: only what is left out has its default, a 0 is refused.
func TestSchedules_AValueThatIsGivenIsNoDefault(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	var made struct {
		ID string `json:"scheduleId"`
	}
	e.call(e.owner, http.MethodPost, "/api/schedules", json.RawMessage(`{"agentId":"pm","cronExpr":"0 9 * * *"}`), &made)
	for _, field := range []string{"maxConcurrent", "priority", "maxAttempts", "retryBackoffMs"} {
		policy := `"executorPolicy":{"` + field + `":0}`
		for what, c := range map[string]struct{ method, path, body string }{
			"create": {http.MethodPost, "/api/schedules", `{"agentId":"pm","cronExpr":"0 9 * * *",` + policy + `}`},
			"edit":   {http.MethodPut, "/api/schedules/" + made.ID, `{` + policy + `}`},
		} {
			err := client.New(e.url, e.owner).Call(t.Context(), c.method, c.path, json.RawMessage(c.body), nil)
			if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "executorPolicy."+field) {
				t.Errorf("%s with %s 0: got %v, want that it is refused", what, field, err)
			}
		}
		var seen struct{ Problem string }
		e.call(e.owner, http.MethodPost, "/api/schedules/preview", json.RawMessage(`{"agentId":"pm","cronExpr":"0 9 * * *",`+policy+`}`), &seen)
		if !strings.Contains(seen.Problem, field) {
			t.Errorf("a preview with %s 0 says %q", field, seen.Problem)
		}
	}
}
