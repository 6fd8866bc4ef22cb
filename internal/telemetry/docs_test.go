package telemetry_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/resource"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/model"
	"chela/internal/run"
	"chela/internal/telemetry"
	"chela/internal/tool"
)

// TestDocs_TheMetricsExist holds that what the page, the dashboard and the alert rules name is in a scrape.
func TestDocs_TheMetricsExist(t *testing.T) {
	t.Parallel()
	m, err := telemetry.NewMetrics(resource.Empty(), func(context.Context) (telemetry.Backlog, error) {
		return telemetry.Backlog{Runs: map[[2]string]int{{"user", "running"}: 1}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	at := event.Place{Stream: "thread/thr_1", Thread: "thr_1", Run: "run_1", Task: "task_1", From: run.Chela()}
	m.Recorded(recorded(
		t,
		run.QueuedKind.Draft(at, run.Spec{ID: "run_1", Kind: "chat", By: at.From}), run.StartedKind.Draft(at, run.Started{}),
		agent.AnsweredKind.Draft(at, agent.Answered{Agent: "agent:pm", Answer: model.Answer{Usage: model.Usage{InputTokens: 1}, CostUSD: 1, CostKnown: true}}),
		tool.ResultKind.Draft(at, tool.ResultPayload{Tool: "x"}), run.FinishedKind.Draft(at, run.Finished{State: run.Done}),
		approval.RequestedKind.Draft(at, approval.Request{}), approval.AnsweredKind.Draft(at, approval.Answer{}), model.RotatedKind.Draft(at, model.Rotated{From: "a", To: "b"}),
	), time.Millisecond)
	m.Answered("/api/", "GET", 200, time.Millisecond)
	shown := scrape(t, m)
	named := regexp.MustCompile(`\b(?:chela|gen_ai|http_server)_\w+`)
	for _, name := range []string{"README.md", "grafana.json", "alerts.yaml"} {
		raw, err := os.ReadFile(filepath.Join("..", "..", "docs", "monitoring", name))
		if err != nil {
			t.Fatal(err)
		}
		found := named.FindAllString(string(raw), -1)
		if len(found) < 5 {
			t.Errorf("%s names %d metrics", name, len(found))
		}
		for _, metric := range found {
			if !strings.Contains(shown, metric) {
				t.Errorf("%s names %s, which no scrape shows", name, metric)
			}
		}
	}
}
