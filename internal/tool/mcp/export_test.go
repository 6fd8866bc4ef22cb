package mcp

import (
	"github.com/a2aproject/a2a-go/v2/a2a"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Told is what a tool of an agent of others gives of a task.
func Told(t *a2a.Task) *sdk.CallToolResult { return told(t) }
