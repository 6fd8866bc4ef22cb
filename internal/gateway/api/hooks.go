package api

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"chela/internal/event"
	"chela/internal/hook"
	"chela/internal/org"
)

// Hooks are the organization's own programs that take part in what happens.
type Hooks interface {
	State(ctx context.Context) HooksState
	Test(ctx context.Context, name string, at hook.Point, data json.RawMessage) (hook.Answer, error)
}

func hookRoutes(a *api) {
	route(a, http.MethodGet, "/api/hooks", "hooks", "List hooks, their last calls, and the points at which hooks can be called", org.Viewer, a.hooks)
	route(a, http.MethodPost, "/api/hooks/test", "test-hook", "Call a hook and show its answer", org.Admin, func(ctx context.Context, in *struct{ Body HookTest }) (*Body[hook.Answer], error) {
		return body(a.Hooks.Test(ctx, in.Body.Hook, in.Body.Point, in.Body.Data))
	})
}

// HooksState is what there is of hooks.
type HooksState struct {
	File   string             `json:"file"`
	Error  string             `json:"error,omitempty" doc:"why the file cannot be read; while it cannot, whatever hooks could deny is denied"`
	Hooks  []HookState        `json:"hooks" doc:"in the order in which they are called"`
	Points []hook.Description `json:"points"`
}

// HookState is one hook of the file.
type HookState struct {
	hook.Entry
	Problem string    `json:"problem,omitempty" doc:"why it cannot work, and the way out"`
	Last    *HookLast `json:"last,omitempty" doc:"what it denied, altered or failed at last; that it let things be is not recorded"`
}

// HookLast is something that a hook did.
type HookLast struct {
	Seq event.Seq `json:"seq"`
	At  time.Time `json:"at"`
	hook.Answered
}

// maxLast is how many of the last answers of hooks are looked at.
const maxLast = 500

func (a *api) hooks(ctx context.Context, _ *struct{}) (*Body[HooksState], error) {
	out := a.Hooks.State(ctx)
	events, _, err := a.Store.Log.Events(ctx, 0, event.Filter{Type: hook.AnsweredKind.Name, Newest: true, Limit: maxLast})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(events, func(x, y event.Exported) int { return cmp.Compare(x.Seq, y.Seq) })
	last := make(map[string]*HookLast)
	for _, e := range events {
		if p, ok, err := hook.AnsweredKind.Open(e.Event); ok && err == nil {
			last[p.Hook] = &HookLast{e.Seq, e.At, p}
		}
	}
	for i := range out.Hooks {
		out.Hooks[i].Last = last[out.Hooks[i].Name]
	}
	return body(out, nil)
}

// HookTest is a call of a hook by hand.
type HookTest struct {
	Hook  string          `json:"hook"`
	Point hook.Point      `json:"point,omitempty" doc:"the hook's first when empty"`
	Data  json.RawMessage `json:"data,omitempty"`
}
