package api

import (
	"context"
	"net/http"

	"chela/internal/event"
	"chela/internal/mcp"
	"chela/internal/org"
)

// MCP are the servers of others whose tools agents use.
type MCP interface {
	Servers(ctx context.Context) ([]mcp.State, error)
	Set(ctx context.Context, at event.Place, s mcp.Server) (mcp.State, error)
	Remove(ctx context.Context, at event.Place, name string) error
	Inspect(ctx context.Context, name string) (mcp.State, error)
	Accept(ctx context.Context, at event.Place, name, digest string) (mcp.State, error)
}

// MCPPath names a server.
type MCPPath struct {
	Name string `path:"name" maxLength:"16"`
}

// MCPDigest says what was looked at.
type MCPDigest struct {
	Digest string `json:"digest" doc:"of the tools that were seen"`
}

func mcpRoutes(a *api) {
	route(a, http.MethodGet, "/api/mcp/servers", "list-mcp-servers", "List the MCP servers, their tools, and what of them is not accepted", org.Admin, func(ctx context.Context, _ *struct{}) (*Body[[]mcp.State], error) {
		return body(a.MCP.Servers(ctx))
	})
	route(a, http.MethodPost, "/api/mcp/servers", "set-mcp-server", "Add an MCP server, or edit the one of that name; its tools are offered once they are accepted", org.Owner, func(ctx context.Context, in *struct{ Body mcp.Server }) (*Body[mcp.State], error) {
		return body(a.MCP.Set(ctx, a.orgPlace(ctx), in.Body))
	})
	route(a, http.MethodDelete, "/api/mcp/servers/{name}", "remove-mcp-server", "Delete an MCP server", org.Owner, func(ctx context.Context, in *MCPPath) (*struct{}, error) {
		return nil, a.MCP.Remove(ctx, a.orgPlace(ctx), in.Name)
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
