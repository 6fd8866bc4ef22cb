package api

import (
	"context"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/run"
	"chela/internal/schedule"
	"chela/internal/tool"
)

func (a *api) attempt(ctx context.Context, in *IDPath) (*Body[PastOut], error) {
	id, number, err := schedule.ParseAttemptID(in.ID)
	if err != nil {
		return nil, err
	}
	t, err := a.Store.Executions.Attempt(ctx, id, number)
	if err != nil {
		return nil, err
	}
	out := pastOut(t)
	if t.Run == "" {
		return body(out, nil)
	}
	spend, err := a.Store.Spending.Spend(ctx, t.Run)
	if err != nil {
		return nil, err
	}
	out.Spend = &spend
	out.Calls, out.Refs, err = a.came(ctx, t.Run)
	return body(out, err)
}

// CallSummary counts the tool calls of a run.
type CallSummary struct {
	Total    int `json:"totalCalls"`
	ReadOnly int `json:"readOnlyCalls"`
	Write    int `json:"writeCalls" doc:"that may change records, files or the world"`
	Exec     int `json:"execCalls" doc:"that run programs"`
	Failed   int `json:"failedCalls" doc:"of any kind, with those that were refused"`
}

// came reads off the log what a run called and made.
func (a *api) came(ctx context.Context, id run.ID) (*CallSummary, map[string][]string, error) {
	var calls CallSummary
	refs := make(map[string][]string)
	for after := event.Seq(0); ; {
		events, end, err := a.Store.Log.Events(ctx, after, event.Filter{Run: string(id), Limit: maxCame})
		if err != nil {
			return nil, nil, err
		}
		for _, e := range events {
			after = e.Seq
			if err := calls.add(e.Event); err != nil {
				return nil, nil, err
			}
			if c, ok, err := desk.ChangeOf(e.Event); err != nil {
				return nil, nil, err
			} else if ok && c.Op == desk.Created {
				refs[string(c.Kind)] = append(refs[string(c.Kind)], c.ID)
			}
		}
		if len(events) < maxCame || after >= end {
			return &calls, refs, nil
		}
	}
}

// maxCame is how many events are read at once.
const maxCame = 1000

func (s *CallSummary) add(e event.Event) error {
	if e.Message.Type == event.ToolError {
		s.Failed++
	}
	p, is, err := tool.CallKind.Open(e)
	if err != nil || !is {
		return err
	}
	s.Total++
	switch p.Risk {
	case tool.ReadOnly:
		s.ReadOnly++
	case tool.ExecShell:
		s.Exec++
	case tool.WriteRecords, tool.WriteFiles, tool.NetworkCalls, tool.Send:
		s.Write++
	}
	return nil
}
