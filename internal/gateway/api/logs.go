package api

import (
	"context"
	"net/http"
	"time"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/gateway"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/tool"
)

// logsRoutes add the log as lines with a level, and the calls of models.
func logsRoutes(a *api) {
	route(a, http.MethodGet, "/api/logs", "list-logs", "List log lines of runs, newest first", org.Viewer, a.logs)
	route(a, http.MethodGet, "/api/logs/errors", "list-errors", "List failures, newest first", org.Viewer, func(ctx context.Context, in *LogsQuery) (*Body[[]LogLine], error) {
		in.Level = levelError
		return a.logs(ctx, in)
	})
	route(a, http.MethodGet, "/api/logs/llm-interactions", "list-model-calls", "List model calls, newest first", org.Viewer, a.modelCalls)
	route(a, http.MethodGet, "/api/logs/llm-interactions/metrics", "model-metrics", "Summarize the last 100 model calls", org.Viewer, a.modelMetrics)
}

// LogsQuery narrows lines.
type LogsQuery struct {
	Level  string `query:"level" enum:"INFO,WARN,ERROR"`
	Thread string `query:"sessionId"`
	Agent  string `query:"agentId" doc:"of calls of models: only this agent's"`
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"100"`
}

// A LogLine is an event as a line.
type LogLine struct {
	Seq    event.Seq `json:"seq"`
	At     time.Time `json:"timestamp"`
	Level  string    `json:"level"`
	Type   string    `json:"type"`
	Thread string    `json:"sessionId"`
	Run    string    `json:"runId"`
	From   string    `json:"source"`
	Text   string    `json:"message"`
}

const (
	levelInfo  = "INFO"
	levelWarn  = "WARN"
	levelError = "ERROR"
)

// line is an event as a line, with its level.
func line(e event.Exported) LogLine {
	m := e.Message
	l := LogLine{Seq: e.Seq, At: e.At, Level: levelInfo, Type: m.Type, Thread: m.ThreadID, Run: m.RunID, From: m.From.AgentID, Text: clip(string(m.Payload), 2000)}
	switch m.Type {
	case event.TaskError, event.TaskTimeout, event.ToolError, event.RoutingFailure:
		l.Level = levelError
	case model.RotatedKind.Name, run.WaitingKind.Name:
		l.Level = levelWarn
	case run.FinishedKind.Name:
		if f, ok, err := run.FinishedKind.Open(e.Event); err == nil && ok && f.State == run.Failed {
			l.Level, l.Text = levelError, f.Reason
		}
	}
	if t, ok, err := tool.ErrorKind.Open(e.Event); err == nil && ok {
		l.Text = t.Tool + ": " + t.Error
	}
	return l
}

// maxLooked bounds how many events are looked through for lines of a level.
const maxLooked = 20_000

func (a *api) logs(ctx context.Context, in *LogsQuery) (*Body[[]LogLine], error) {
	out := []LogLine{}
	err := a.back(ctx, event.Filter{Thread: in.Thread}, func(e event.Exported) bool {
		e.Event = gateway.Shown(person(ctx), e.Event)
		if l := line(e); in.Level == "" || l.Level == in.Level {
			out = append(out, l)
		}
		return len(out) < in.Limit
	})
	return body(out, err)
}

// back walks the log from its end until more says no, or enough was looked at.
func (a *api) back(ctx context.Context, f event.Filter, more func(event.Exported) bool) error {
	f.Newest, f.Limit = true, 500
	for before, looked := event.Seq(0), 0; looked < maxLooked; {
		events, _, err := a.Store.Log.Events(ctx, before, f)
		if err != nil || len(events) == 0 {
			return err
		}
		for _, e := range events {
			if !more(e) {
				return nil
			}
			before = e.Seq
		}
		looked += len(events)
	}
	return nil
}

// A ModelCall is one call of a model.
type ModelCall struct {
	At       time.Time `json:"timestamp"`
	Thread   string    `json:"sessionId"`
	Run      string    `json:"runId"`
	Agent    string    `json:"agentId"`
	Provider string    `json:"provider"`
	Model    string    `json:"model"`
	Input    int       `json:"promptTokens"`
	Output   int       `json:"completionTokens"`
	CostUSD  float64   `json:"costUsd"`
	MS       int64     `json:"durationMs"`
	Stop     string    `json:"stopReason"`
	Text     string    `json:"response" doc:"at most 2,000 bytes of it"`
}

func (a *api) calls(ctx context.Context, in *LogsQuery) ([]ModelCall, error) {
	out := []ModelCall{}
	err := a.back(ctx, event.Filter{Thread: in.Thread, Type: agent.AnsweredKind.Name}, func(e event.Exported) bool {
		got, ok, err := agent.AnsweredKind.Open(e.Event)
		if err != nil || !ok || in.Agent != "" && got.Agent != string(agentID(in.Agent)) {
			return true
		}
		an := got.Answer
		out = append(out, ModelCall{
			At: e.At, Thread: e.Message.ThreadID, Run: e.Message.RunID, Agent: got.Agent, Provider: an.Provider, Model: an.Model,
			Input: an.Usage.InputTokens, Output: an.Usage.OutputTokens, CostUSD: an.CostUSD, MS: an.Duration.Milliseconds(), Stop: string(an.Stop), Text: clip(an.Text, 2000),
		})
		return len(out) < in.Limit
	})
	return out, err
}

func (a *api) modelCalls(ctx context.Context, in *LogsQuery) (*Body[[]ModelCall], error) {
	return body(a.calls(ctx, in))
}

// ModelMetrics sum the last calls.
type ModelMetrics struct {
	Total    int     `json:"totalInteractions" doc:"calls that were looked at, at most 100"`
	Tokens   int     `json:"recentTokens"`
	MS       int64   `json:"recentDurationMs"`
	Average  float64 `json:"avgDurationMs"`
	CostUSD  float64 `json:"recentCostUsd"`
	Errors   int     `json:"recentErrors" doc:"tasks and tools that failed among the last 500 events"`
	Messages int     `json:"totalMessages" doc:"messages among the last 500 events"`
}

func (a *api) modelMetrics(ctx context.Context, _ *struct{}) (*Body[ModelMetrics], error) {
	calls, err := a.calls(ctx, &LogsQuery{Limit: 100})
	if err != nil {
		return nil, err
	}
	out := ModelMetrics{Total: len(calls)}
	for _, c := range calls {
		out.Tokens += c.Input + c.Output
		out.MS += c.MS
		out.CostUSD += c.CostUSD
	}
	if len(calls) > 0 {
		out.Average = float64(out.MS) / float64(len(calls))
	}
	events, _, err := a.Store.Log.Events(ctx, 0, event.Filter{Newest: true, Limit: 500})
	for _, e := range events {
		if line(e).Level == levelError {
			out.Errors++
		}
		if e.Message.Type == event.ChatMessage {
			out.Messages++
		}
	}
	return body(out, err)
}
