package api

import (
	"context"
	"encoding/json"
	"net/http"

	"chela/internal/hook"
	"chela/internal/org"
)

// Hooks are the organization's own programs that take part in what happens.
type Hooks interface {
	State(ctx context.Context) HooksState
	Test(ctx context.Context, name string, at hook.Point, data json.RawMessage) (hook.Answer, error)
}

func hookRoutes(a *api) {
	route(a, http.MethodGet, "/api/hooks", "hooks", "Hooks, and the points at which they can be called", org.Viewer, func(ctx context.Context, _ *struct{}) (*Body[HooksState], error) {
		return body(a.Hooks.State(ctx), nil)
	})
	route(a, http.MethodPost, "/api/hooks/test", "test-hook", "Call a hook, and show what it answers", org.Admin, func(ctx context.Context, in *struct{ Body HookTest }) (*Body[hook.Answer], error) {
		return body(a.Hooks.Test(ctx, in.Body.Hook, in.Body.Point, in.Body.Data))
	})
}

// HooksState is what there is of hooks.
type HooksState struct {
	File   string             `json:"file"`
	Error  string             `json:"error,omitempty" doc:"why the file cannot be read; while it cannot, whatever hooks could deny is denied"`
	Hooks  []hook.Entry       `json:"hooks" doc:"in the order in which they are called"`
	Points []hook.Description `json:"points"`
}

// HookTest is a call of a hook by hand.
type HookTest struct {
	Hook  string          `json:"hook"`
	Point hook.Point      `json:"point,omitempty" doc:"the hook's first when empty"`
	Data  json.RawMessage `json:"data,omitempty"`
}
