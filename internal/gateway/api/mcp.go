package api

import (
	"cmp"
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/mcp"
	"chela/internal/org"
)

// MCP are the servers of others whose tools agents use.
type MCP interface {
	Servers(ctx context.Context) ([]mcp.State, error)
	Set(ctx context.Context, at event.Place, s mcp.Server) (mcp.State, error)
	Remove(ctx context.Context, at event.Place, name string) error
	Inspect(ctx context.Context, name string) (mcp.State, error)
	Share(ctx context.Context, at event.Place, name string, share *mcp.Share) (mcp.State, error)
	Accept(ctx context.Context, at event.Place, name, digest string) (mcp.State, error)
	Agent(ctx context.Context, name string, id org.AgentID) (org.Agent, error)
	Login(ctx context.Context, by event.Party, name, redirect, back string) (string, error)
	LoggedIn(ctx context.Context, state, code, issuer string) (back string, err error)
}

// MCPPath names a server.
type MCPPath struct {
	Name string `path:"name" maxLength:"16"`
}

// MCPDigest says what was looked at.
type MCPDigest struct {
	Digest string `json:"digest" doc:"of the tools that were seen"`
}

// MCPRegister says as whom an agent of others is registered.
type MCPRegister struct {
	As string `json:"as,omitempty" maxLength:"64" doc:"its name among our agents; that of the server when left out"`
}

// register makes an agent of others a member that is given work, or one that registered itself reachable.
func (a *api) register(ctx context.Context, in *struct {
	MCPPath
	Body MCPRegister
},
) (*Body[agent.Member], error) {
	id := agentID(cmp.Or(in.Body.As, in.Name))
	if err := id.Check(); err != nil {
		return nil, err
	}
	next, err := a.MCP.Agent(ctx, in.Name, id)
	if err != nil {
		return nil, err
	}
	if err := next.Check(); err != nil {
		return nil, err
	}
	old, err := a.Store.Roster.Member(ctx, id)
	switch {
	case fault.KindOf(err) == fault.NotFound && err != nil:
		_, err = a.Store.Log.Append(ctx, org.RegisterKind.Draft(a.orgPlace(ctx), org.Registration{Card: next.Card, Status: org.Online, Profile: &next.Profile}))
	case err == nil && !old.Outside():
		err = fault.New(fault.Conflict, "The agent %s works here; register the other one under another name.", id.Name())
	case err == nil:
		err = a.Store.Roster.ChangeAgent(ctx, id, func(m agent.Member) (event.Draft, error) {
			if next.Enabled, next.Budget = m.Enabled, m.Budget; m.Server != "" { // what an admin made of it since
				next.Permissions, next.Card.Limits = m.Permissions, m.Card.Limits
			}
			return org.UpdateKind.Draft(a.orgPlace(ctx), org.Update{AgentID: id, Card: &next.Card, Profile: &next.Profile, Reason: "registered with the server " + in.Name}), nil
		})
	}
	if err != nil {
		return nil, err
	}
	return body(a.Store.Roster.Member(ctx, id))
}

// MCPLogin asks for a login.
type MCPLogin struct {
	MCPPath
	asked gateway.Asked
}

// Resolve implements [huma.Resolver]: the browser of who logs in is sent back to where they are.
func (in *MCPLogin) Resolve(c huma.Context) []error {
	in.asked = gateway.Asked{Host: c.Host(), TLS: gateway.SecureContext(c.Context()), Origin: c.Header("Origin")}
	return nil
}

// MCPLoginOut is where a person logs in.
type MCPLoginOut struct {
	URL string `json:"url" doc:"open it in a browser within 10 minutes"`
}

// MCPReturn is what a browser brings back from a login.
type MCPReturn struct {
	State  string `query:"state" maxLength:"500"`
	Code   string `query:"code" maxLength:"4000"`
	Issuer string `query:"iss" maxLength:"2000"`
}

// MCPReturned is what the person sees, or where they go on.
type MCPReturned struct {
	Status   int
	Location string `header:"Location"`
	Type     string `header:"Content-Type"`
	Body     []byte
}

// mcpCallback is where browsers come back to. Who knows the state of a login is the one who began it.
const mcpCallback = "/api/mcp/callback"

// mcpBack is the place of the page that has the servers.
const mcpBack = "/doors"

func mcpRoutes(a *api) {
	route(a, http.MethodPost, "/api/mcp/servers/{name}/login", "login-mcp-server", "Begin a login with an MCP server that asks for one; the answer is where a person gives it", org.Owner, func(ctx context.Context, in *MCPLogin) (*Body[MCPLoginOut], error) {
		origin, page := a.hall.Origin(in.asked)
		back := ""
		if page {
			back = mcpBack
		}
		at, err := a.MCP.Login(ctx, party(ctx), in.Name, origin+mcpCallback, back)
		return body(MCPLoginOut{at}, err)
	})
	route(a, http.MethodGet, mcpCallback, "mcp-logged-in", "Come back from a login with an MCP server", "", func(ctx context.Context, in *MCPReturn) (*MCPReturned, error) {
		back, err := a.MCP.LoggedIn(ctx, in.State, in.Code, in.Issuer)
		switch {
		case err != nil:
			return nil, err
		case back != "":
			return &MCPReturned{Status: http.StatusSeeOther, Location: back}, nil
		}
		return &MCPReturned{http.StatusOK, "", "text/plain; charset=utf-8", []byte("You are logged in. Close this page.\n")}, nil
	}, func(op *huma.Operation) {
		op.Responses = map[string]*huma.Response{
			"200": {Description: "They began elsewhere", Content: map[string]*huma.MediaType{"text/plain": {Schema: &huma.Schema{Type: huma.TypeString}}}},
			"303": {Description: "They began on the page, where they go on"},
		}
	})
	route(a, http.MethodGet, "/api/mcp/servers", "list-mcp-servers", "List the MCP servers, their tools, and what of them is not accepted", org.Admin, func(ctx context.Context, _ *struct{}) (*Body[[]mcp.State], error) {
		return body(a.MCP.Servers(ctx))
	})
	route(a, http.MethodPost, "/api/mcp/servers", "set-mcp-server", "Add an MCP server, or edit the one of that name; its tools are offered once they are accepted", org.Owner, func(ctx context.Context, in *struct{ Body mcp.Server }) (*Body[mcp.State], error) {
		return body(a.MCP.Set(ctx, a.orgPlace(ctx), in.Body))
	})
	route(a, http.MethodPost, "/api/mcp/servers/{name}/register", "register-mcp-agent", "Register the agent of others behind a server (a2a), so that it is given work as our agents are", org.Owner, a.register)
	route(a, http.MethodDelete, "/api/mcp/servers/{name}", "remove-mcp-server", "Delete an MCP server", org.Owner, func(ctx context.Context, in *MCPPath) (*struct{}, error) {
		return nil, a.MCP.Remove(ctx, a.orgPlace(ctx), in.Name)
	})
	route(a, http.MethodPut, "/api/mcp/servers/{name}/share", "share-mcp-server", "Share an MCP server with callers of Chela, at /mcp/servers/NAME, or edit what of it is shared", org.Owner, func(ctx context.Context, in *struct {
		MCPPath
		Body mcp.Share
	},
	) (*Body[mcp.State], error) {
		return body(a.MCP.Share(ctx, a.orgPlace(ctx), in.Name, &in.Body))
	})
	route(a, http.MethodDelete, "/api/mcp/servers/{name}/share", "unshare-mcp-server", "End the sharing of an MCP server", org.Owner, func(ctx context.Context, in *MCPPath) (*Body[mcp.State], error) {
		return body(a.MCP.Share(ctx, a.orgPlace(ctx), in.Name, nil))
	})
	route(a, http.MethodPost, "/api/mcp/servers/{name}/inspect", "inspect-mcp-server", "Connect to an MCP server now and look at its tools", org.Admin, func(ctx context.Context, in *MCPPath) (*Body[mcp.State], error) {
		return body(a.MCP.Inspect(ctx, in.Name))
	})
	route(a, http.MethodPost, "/api/mcp/servers/{name}/accept", "accept-mcp-tools", "Accept the tools of an MCP server as they were seen; agents that list them may use them", org.Owner, func(ctx context.Context, in *struct {
		MCPPath
		Body MCPDigest
	},
	) (*Body[mcp.State], error) {
		return body(a.MCP.Accept(ctx, a.orgPlace(ctx), in.Name, in.Body.Digest))
	})
}
