package api

import (
	"context"
	"net/http"

	"chela/internal/dispatch"
	"chela/internal/org"
)

// commandRoutes tell what can be said to a conversation without a model: what a page and a
// terminal complete.
func commandRoutes(a *api) {
	route(a, http.MethodGet, "/api/commands", "list-commands", "Commands that you may give in a conversation, answered without a model", org.Viewer, func(ctx context.Context, _ *struct{}) (*Body[[]dispatch.Command], error) {
		return body(dispatch.Commands(person(ctx).Role), nil)
	})
}
