package mcp

import (
	"github.com/a2aproject/a2a-go/v2/a2a"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/mcp"
	"chela/internal/org"
)

// Member is an agent of others as a member of ours.
func Member(s mcp.Server, id org.AgentID, card *a2a.AgentCard) org.Agent { return member(s, id, card) }

// Told is what a tool of an agent of others gives of a task.
func Told(t *a2a.Task) *sdk.CallToolResult { return told(t) }
