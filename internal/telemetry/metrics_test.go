package telemetry_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/resource"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/model"
	"chela/internal/run"
	"chela/internal/telemetry"
	"chela/internal/tool"
)

func scrape(t *testing.T, h http.Handler) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody))
	if w.Code != http.StatusOK {
		t.Fatalf("scraping answers %d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func recorded(t *testing.T, drafts ...event.Draft) []event.Event {
	t.Helper()
	mint := event.RealMint(nil)
	var out []event.Event
	for i, d := range drafts {
		sealed, err := d.Seal(mint, time.Unix(int64(1000+i), 0))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, event.Event{Stream: sealed.Stream, At: time.Unix(int64(1000+i), 0), Message: sealed.Message})
	}
	return out
}

// TestMetrics_CountWhatIsRecorded holds that each thing a manager of machines watches can be read from one scrape.
func TestMetrics_CountWhatIsRecorded(t *testing.T) {
	t.Parallel()
	m, err := telemetry.NewMetrics(resource.Empty(), func(context.Context) (telemetry.Backlog, error) {
		return telemetry.Backlog{Runs: map[[2]string]int{{"user", "running"}: 3}, Approvals: 2, Messages: 1}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	at := event.Place{Stream: "thread/thr_1", Thread: "thr_1", Run: "run_1", Task: "task_1", From: run.Chela()}
	m.Recorded(recorded(
		t,
		run.QueuedKind.Draft(at, run.Spec{ID: "run_1", Thread: "thr_1", Kind: "chat", Lane: run.UserLane, By: at.From}),
		run.StartedKind.Draft(at, run.Started{Segment: 1, Attempt: 1}),
		agent.AnsweredKind.Draft(at, agent.Answered{Agent: "agent:pm", Answer: model.Answer{
			Provider: "vendor", Model: "gpt", Usage: model.Usage{InputTokens: 70, OutputTokens: 20}, CostUSD: 0.25, CostKnown: true, Duration: time.Second,
		}}),
		tool.ResultKind.Draft(at, tool.ResultPayload{Tool: "read_tickets", Success: true, MS: 30}),
		tool.ErrorKind.Draft(at, tool.ErrorPayload{Tool: "read_tickets", MS: 30}),
		run.FinishedKind.Draft(at, run.Finished{State: run.Done}),
	), 2*time.Millisecond)
	m.Answered("/v1/", "POST", 200, time.Millisecond)
	m.Answered("/v1/", "GARBAGE", 405, time.Millisecond)
	got := scrape(t, m)
	for _, want := range []string{
		`chela_runs_ended_total{kind="chat",state="done"} 1`,
		`chela_run_duration_seconds_sum{kind="chat",state="done"} 5`,
		`chela_run_wait_seconds_sum{kind="chat"} 1`,
		`gen_ai_token_type="input"`, `chela_model_cost_USD_total{`, `} 0.25`,
		`chela_tool_duration_seconds_count{outcome="done",tool="read_tickets"} 1`,
		`chela_tool_duration_seconds_count{outcome="failed",tool="read_tickets"} 1`,
		`chela_log_events_total{domain="run"} 3`,
		`chela_store_commit_duration_seconds_count 1`,
		`chela_runs_open{lane="user",state="running"} 3`,
		`chela_approvals_pending 2`, `chela_messages_waiting 1`, `chela_deliveries_waiting 0`,
		`http_server_request_duration_seconds_count{door="/v1/",http_request_method="POST",http_response_status_code="200"} 1`,
		`http_request_method="_OTHER"`, `go_goroutines`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("a scrape does not show %s", want)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

// TestMetrics_AFailedLookIsNoScrapeLost holds that counters can be read while the database cannot.
func TestMetrics_AFailedLookIsNoScrapeLost(t *testing.T) {
	t.Parallel()
	m, err := telemetry.NewMetrics(resource.Empty(), func(context.Context) (telemetry.Backlog, error) {
		return telemetry.Backlog{}, context.DeadlineExceeded
	})
	if err != nil {
		t.Fatal(err)
	}
	m.Answered("/api/", "GET", 200, time.Millisecond)
	if got := scrape(t, m); !strings.Contains(got, "http_server_request_duration_seconds_count") {
		t.Errorf("a scrape without the database shows no requests:\n%s", got)
	}
}
