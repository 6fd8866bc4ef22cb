package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestMetrics_AreShownToWhoHasAToken holds that what happened at a door is in the next scrape.
func TestMetrics_AreShownToWhoHasAToken(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	if code, said, _ := e.send("", http.MethodGet, "/metrics", ""); code != http.StatusUnauthorized {
		t.Errorf("without a token: %d %s", code, said)
	}
	e.send(e.owner, http.MethodPost, "/v1/chat/completions", `{"model":"nobody","messages":[{"role":"user","content":"x"}]}`)
	code, said, _ := e.send(e.owner, http.MethodGet, "/metrics", "")
	if code != http.StatusOK {
		t.Fatalf("%d %s", code, said)
	}
	for _, want := range []string{
		`http_server_request_duration_seconds_count{door="/v1/chat/completions",http_request_method="POST",http_response_status_code="404"} 1`,
		`door="/metrics",http_request_method="GET",http_response_status_code="401"`,
		`chela_log_events_total{domain="org"}`, `chela_store_commit_duration_seconds_count`,
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the scrape does not show %s", want)
		}
	}
	if t.Failed() {
		t.Log(said)
	}
}
