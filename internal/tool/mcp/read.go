package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/disk"
	"chela/internal/event"
	"chela/internal/mcp"
	"chela/internal/tool"
)

// What the tools that read take.
var (
	readSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["uri"],"properties":{"uri":{"type":"string","description":"address of the resource"}}}`)                                                                                                   //nolint:gochecknoglobals // a constant
	getSchema  = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["name"],"properties":{"name":{"type":"string","description":"name of the prompt"},"arguments":{"type":"object","additionalProperties":{"type":"string"},"description":"its arguments"}}}`) //nolint:gochecknoglobals // a constant
)

// reader makes the tool that reads a resource, or gets a prompt, of a server that shares them.
func (s *Servers) reader(server mcp.Server, name string) *tool.Tool {
	if name == mcp.ReadResource {
		return reading(s, server, name, "Reads one of its resources by its address.", readSchema, func(ctx context.Context, c *sdk.ClientSession, in readIn) (*sdk.CallToolResult, error) {
			got, err := c.ReadResource(ctx, &sdk.ReadResourceParams{URI: in.URI})
			if err != nil {
				return nil, err
			}
			return mcp.Contents(got), nil
		})
	}
	return reading(s, server, name, "Gets one of its prompts by its name: text for a model, as data.", getSchema, func(ctx context.Context, c *sdk.ClientSession, in getIn) (*sdk.CallToolResult, error) {
		got, err := c.GetPrompt(ctx, &sdk.GetPromptParams{Name: in.Name, Arguments: in.Arguments})
		if err != nil {
			return nil, err
		}
		return mcp.Messages(got), nil
	})
}

type readIn struct {
	URI string `json:"uri"`
}

type getIn struct {
	Name      string            `json:"name"`
	Arguments map[string]string `json:"arguments,omitempty"`
}

func reading[In any](s *Servers, server mcp.Server, name, help string, schema json.RawMessage, read func(context.Context, *sdk.ClientSession, In) (*sdk.CallToolResult, error)) *tool.Tool {
	spec := s.spec(server, name)
	spec.Help = "Of the MCP server " + server.Name + ": " + help
	act := func(args json.RawMessage, _ disk.Folders) (tool.Act, error) {
		var in In
		if err := event.DecodeStrict(args, &in); err != nil {
			return tool.Act{}, err
		}
		return tool.Act{URL: server.URL, Network: server.Network, Shown: fmt.Sprintf("Ask the MCP server %s for %s with %s", server.Name, name, args)}, nil
	}
	return tool.StandIn(spec, schema, act, func(ctx context.Context, c tool.Call) (tool.Result, error) {
		var in In
		if err := event.DecodeStrict(c.Args, &in); err != nil {
			return tool.Result{}, err
		}
		return s.ask(ctx, server.Name, c, nil, func(ctx context.Context, session *sdk.ClientSession) (*sdk.CallToolResult, error) {
			return read(ctx, session, in)
		})
	})
}
