package api

import (
	"context"
	"net/http"

	"chela/internal/agent"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/talk"
	"chela/internal/tool"
)

// A ToolOut describes a tool that agents may call.
type ToolOut struct {
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Risk        tool.Risk   `json:"risk"`
	Role        org.Role    `json:"role" doc:"the least role of the person it acts for"`
	Parts       []tool.Part `json:"parts,omitempty" doc:"operations that lists may name one by one"`
	Schema      any         `json:"inputSchema" doc:"JSON Schema of the arguments"`
	Agents      []string    `json:"agents" doc:"who may call it"`
}

func toolRoutes(a *api) {
	route(a, http.MethodGet, "/api/tools", "list-tools", "List tools and the agents that may call them", org.Viewer, func(ctx context.Context, _ *struct{}) (*Body[[]ToolOut], error) {
		members, err := a.Store.Roster.Members(ctx)
		out := []ToolOut{}
		for _, t := range a.Tools.Now().All() {
			out = append(out, toolOut(t, members))
		}
		return body(out, err)
	})
	route(a, http.MethodGet, "/api/tools/{name}", "get-tool", "Get a tool", org.Viewer, func(ctx context.Context, in *struct {
		Name string `path:"name"`
	},
	) (*Body[ToolOut], error) {
		t, ok := a.Tools.Now().Find(in.Name)
		if !ok {
			return nil, fault.New(fault.NotFound, "%s", a.Tools.Now().Missing(in.Name))
		}
		members, err := a.Store.Roster.Members(ctx)
		return body(toolOut(t, members), err)
	})
	invokeRoute(a)
}

func toolOut(t *tool.Tool, members []agent.Member) ToolOut {
	return ToolOut{Name: t.Name, Description: t.Help, Risk: t.Risk, Role: t.Role, Parts: t.Parts, Schema: t.Schema, Agents: talk.MayCall(t, members)}
}
