package api

import (
	"context"
	"slices"
	"strings"

	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/run"
)

// everywhere are the routes that tell nothing of a project, or that keep a key to its project themselves.
var everywhere = []string{ //nolint:gochecknoglobals // a table
	"/api/chat", "/api/me", "/api/tools", "/api/tools/{name}", "/api/tools/{name}/invoke", "/api/agents", "/api/agents/{id}", "/api/models/choices", "/api/projects",
	"/api/ask", "/api/intake", "/api/intake/pipeline", "/api/intake/preview",
}

// readable are those of them that a key for one project may read alone.
var readable = []string{"/api/agents", "/api/agents/{id}", "/api/models/choices", "/api/projects"} //nolint:gochecknoglobals // a table

// beyond are routes below a project that reach another.
var beyond = []string{"/api/projects/{project}/copy"} //nolint:gochecknoglobals // a table

// opening are routes that give somebody a way in. A key would get out of its bounds by them.
var opening = []string{"/api/login-link", "/api/keys", "/api/persons/invite", "/api/persons/{id}", "/api/persons/{id}/identities", "/api/pairings/{code}", "/api/mcp/servers/{name}/share"} //nolint:gochecknoglobals // a table

// within refuses a caller with a key what gives a way in, and one whose key is for one project what is
// not of it. A route that is not known here is refused.
func (a *api) within(ctx context.Context, c gateway.Caller, method, route string, param func(string) string) error {
	if c.Key != nil && method != "GET" && slices.Contains(opening, route) {
		return fault.New(fault.Denied, "A key opens nothing for others; somebody does this who is logged in.")
	}
	if c.Key == nil || c.Key.Project == "" {
		return nil
	}
	of, err := a.projectAt(ctx, route, param)
	reads := method == "GET" || !slices.Contains(readable, route)
	switch {
	case slices.Contains(everywhere, route) && reads:
		return nil
	case err != nil && fault.KindOf(err) != fault.NotFound:
		return err
	case err == nil && of == c.Key.Project && !slices.Contains(beyond, route):
		return nil
	}
	return fault.New(fault.Denied, "The key %q is for one project, and this is not of it.", c.Key.Name)
}

// ofKey refuses a caller whose key is for one project what a body says is of another.
func ofKey(ctx context.Context, project string) error {
	if k := gateway.CallerOf(ctx).Key; k != nil && k.Project != "" && k.Project != project {
		return fault.New(fault.Denied, "The key %q is for one project, and this is not of it.", k.Name)
	}
	return nil
}

// projectAt is the project of what a route names; empty when it names nothing of one.
func (a *api) projectAt(ctx context.Context, route string, param func(string) string) (string, error) {
	id := param("id")
	switch {
	case strings.HasPrefix(route, "/api/projects/{project}"):
		return param("project"), nil
	case strings.HasPrefix(route, "/api/runs/{id}"):
		r, err := a.Store.Runs.Run(ctx, run.ID(id))
		return r.Project, err
	case strings.HasPrefix(route, "/api/conversations/{id}"), strings.HasPrefix(route, "/api/sessions/{id}"):
		s, err := a.Store.Conversations.Session(ctx, id)
		return s.Project, err
	case strings.HasPrefix(route, "/api/records/{id}"):
		r, err := a.Store.Desk.Record(ctx, id)
		return r.Project, err
	case strings.HasPrefix(route, "/api/trackers/{name}"):
		t, err := a.Trackers.Records.Tracker(ctx, param("name"))
		return t.Project, err
	}
	return "", nil
}
