package api

import (
	"context"
	"net/http"

	"chela/internal/event"
	"chela/internal/org"
	"chela/internal/router"
)

// Routing says what becomes of messages.
type Routing interface {
	Look(ctx context.Context, by event.Party, project, thread, text string) (router.Decision, error)
}

func routerRoutes(a *api) {
	route(a, http.MethodPost, "/api/route", "route-message", "Say what would become of a message of yours that names no agent, and why; nothing is recorded, and no model is asked", org.Viewer, a.routeMessage)
	route(a, http.MethodGet, "/api/conversations/{id}/router", "list-router-sessions", "List where the people of a conversation stand with the router: what is gathered, and what it began", org.Viewer, func(ctx context.Context, in *IDPath) (*Body[[]router.Session], error) {
		out, err := a.Store.Workflows.RouterSessions(ctx, in.ID, 100)
		return body(append([]router.Session{}, out...), err)
	})
}

// RouteBody is a message as it would be said.
type RouteBody struct {
	Text    string `json:"text" minLength:"1" maxLength:"20000"`
	Project string `json:"projectId,omitempty" doc:"of the conversation"`
	Thread  string `json:"threadId,omitempty" doc:"the conversation in which it would be said; what is gathered in it counts"`
}

func (a *api) routeMessage(ctx context.Context, in *struct{ Body RouteBody }) (*Body[router.Decision], error) {
	project := in.Body.Project
	if in.Body.Thread != "" {
		s, err := a.Store.Conversations.Session(ctx, in.Body.Thread)
		if err != nil {
			return nil, err
		}
		project = s.Project
	}
	if project != "" {
		if err := a.Clerk.Exists(ctx, project); err != nil {
			return nil, err
		}
	}
	return body(a.Router.Look(ctx, party(ctx), project, in.Body.Thread, in.Body.Text))
}
