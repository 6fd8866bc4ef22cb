package storetest

import (
	"slices"
	"testing"
	"time"

	"chela/internal/agent"
	"chela/internal/chart"
	"chela/internal/event"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/run"
)

// spent sums what models cost, by run, by agent, since an instant and altogether.
func spent(t *testing.T, open Opener) {
	db, _ := open(t)
	call := func(id, by string, usd float64, known bool) {
		t.Helper()
		at := place(event.ThreadStream("thr_1"))
		at.Run = id
		_, err := db.Log.Append(t.Context(), agent.AnsweredKind.Draft(at, agent.Answered{Agent: by, Answer: model.Answer{
			Usage: model.Usage{InputTokens: 100, OutputTokens: 10, CacheReadTokens: 5}, CostUSD: usd, CostKnown: known, Duration: 20 * time.Millisecond,
		}}))
		check(t, err)
	}
	same := func(what string, got agent.Spend, err error, want agent.Spend) {
		t.Helper()
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", what, got, err, want)
		}
	}
	none, err := db.Spending.Spend(t.Context(), "")
	same("before any call", none, err, agent.Spend{})
	call("run_1", "agent:pm", 0.25, true)
	call("run_1", "agent:coder", 0, false)
	call("run_2", "agent:pm", 0.5, true)
	one := agent.Spend{Calls: 2, InputTokens: 210, OutputTokens: 20, CostUSD: 0.25, Unpriced: 1, DurationMS: 40}
	all := agent.Spend{Calls: 3, InputTokens: 315, OutputTokens: 30, CostUSD: 0.75, Unpriced: 1, DurationMS: 60}
	got, err := db.Spending.Spend(t.Context(), "run_1")
	same("a run", got, err, one)
	got, err = db.Spending.Spend(t.Context(), "")
	same("all", got, err, all)
	got, err = db.Spending.SpendSince(t.Context(), db.Mint().Now().Add(-time.Hour))
	same("the last hour", got, err, all)
	got, err = db.Spending.SpendSince(t.Context(), db.Mint().Now().Add(time.Hour))
	same("the next hour", got, err, agent.Spend{})
	runs, err := db.Spending.Spends(t.Context(), []run.ID{"run_1", "run_3"})
	same("each run", runs["run_1"], err, one)
	agents, err := db.Spending.SpendBy(t.Context(), time.Time{})
	same("each agent", agents[org.AgentID("agent:coder")], err, agent.Spend{Calls: 1, InputTokens: 105, OutputTokens: 10, Unpriced: 1, DurationMS: 20})
	at := event.Place{Stream: event.ProjectStream("prj_1"), Thread: "thr_1", Run: "run_9", Task: "task_9", From: run.Chela()}
	_, err = db.Log.Append(t.Context(), agent.AnsweredKind.Draft(at, agent.Answered{Agent: "ask", Answer: model.Answer{CostUSD: 0.125, CostKnown: true}}), agent.AnsweredKind.Draft(at, agent.Answered{Agent: "ask"}))
	check(t, err)
	now := db.Mint().Now()
	days, err := db.Spending.SpentByDay(t.Context(), "prj_1", now.Add(-time.Hour), now.Add(time.Hour))
	want := []chart.Spent{{Day: now.UTC().Truncate(24 * time.Hour), Agent: "ask", Run: "run_9", USD: 0.125, Calls: 2, Unpriced: 1}}
	if err != nil || !slices.Equal(days, want) {
		t.Errorf("by day: got %+v, %v, want %+v", days, err, want)
	}
	if days, err := db.Spending.SpentByDay(t.Context(), "prj_1", time.Time{}, now.Add(-time.Hour)); err != nil || len(days) > 0 {
		t.Errorf("before: got %+v, %v, want nothing", days, err)
	}
	if len(runs) != 1 || len(agents) != 2 {
		t.Errorf("%d runs and %d agents", len(runs), len(agents))
	}
}
