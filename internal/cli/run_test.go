package cli

import (
	"slices"
	"testing"
	"time"

	"chela/internal/agent"
	"chela/internal/gateway/client"
)

func TestRunTable(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 27, 11, 18, 0, 0, time.Local)
	tab := runTable([]client.RunRow{
		{ID: "run_1", State: "failed", Title: "Compare", Kind: "chat", Agent: "agent:pm", CreatedAt: began, Ms: 7_631, Spend: agent.Spend{Calls: 2, CostUSD: 0.0053}},
		{ID: "run_2", State: "waiting", Title: "Sign-off", Kind: "workflow", CreatedAt: began, Ms: 12},
	})
	want := [][]string{
		{"run_1", "failed", "Compare", "chat", "pm", moment(began), "7.6s", "0.0053"},
		{"run_2", "waiting", "Sign-off", "workflow", "", moment(began), "12ms", ""},
	}
	for i, row := range tab.rows {
		if !slices.Equal(row, want[i]) {
			t.Errorf("got %q, want %q", row, want[i])
		}
	}
	if stateShade("failed") != red || stateShade("done") != green || stateShade("running") != 0 {
		t.Error("a failed run is red, one that is done green, one under way as it is")
	}
}
