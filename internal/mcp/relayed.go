package mcp

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Relayed asks a server for what a run was permitted, with its arguments, as a caller of the server does.
type Relayed func(ctx context.Context, args json.RawMessage) (*sdk.CallToolResult, error)

// Contents are those of a resource as the result of a call.
func Contents(got *sdk.ReadResourceResult) *sdk.CallToolResult {
	out := &sdk.CallToolResult{InputRequests: got.InputRequests}
	for _, c := range got.Contents {
		out.Content = append(out.Content, &sdk.EmbeddedResource{Resource: c})
	}
	return out
}

// Messages are those of a prompt as the result of a call.
func Messages(got *sdk.GetPromptResult) *sdk.CallToolResult {
	out := &sdk.CallToolResult{InputRequests: got.InputRequests}
	for _, m := range got.Messages {
		out.Content = append(out.Content, &sdk.TextContent{Text: string(m.Role) + ":"}, m.Content)
	}
	return out
}
