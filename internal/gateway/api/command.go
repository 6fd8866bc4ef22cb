package api

import (
	"context"
	"net/http"

	"chela/internal/inbox"
	"chela/internal/org"
)

// commandRoutes tell what can be said to a conversation without a model: what a page and a
// terminal complete.
func commandRoutes(a *api) {
	route(a, http.MethodGet, "/api/commands", "list-commands", "List the commands that you may use in a conversation", org.Viewer, func(ctx context.Context, _ *struct{}) (*Body[[]inbox.Command], error) {
		return body(inbox.Commands(person(ctx).Role), nil)
	})
}
