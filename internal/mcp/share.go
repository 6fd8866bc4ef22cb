package mcp

import (
	"cmp"
	"fmt"
	"slices"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
)

// A Share is what of a server is offered to callers of ours, at /mcp/servers/NAME. A server without one is for agents alone.
type Share struct {
	Role  org.Role `json:"role,omitempty" enum:"viewer,editor,admin,owner" doc:"the least role of who uses it there; editor when left out"`
	Tools []string `json:"tools,omitempty" doc:"those of its tools that are offered, by its own names; all that are accepted when left out"`

	Resources bool `json:"resources,omitempty" doc:"its resources are offered, of which nobody accepts each"`
	Prompts   bool `json:"prompts,omitempty" doc:"its prompts are offered, of which nobody accepts each"`

	Questions bool `json:"questions,omitempty" doc:"it may put questions to the user of the caller's client, where that client can; never to people of the organization"`
	Models    bool `json:"models,omitempty" doc:"it may ask the model of the caller's client, where that client can; never one of ours"`
	Roots     bool `json:"roots,omitempty" doc:"it may ask the caller's client for its folders, where that client can"`
}

// Least is the least role of who uses the server.
func (s Share) Least() org.Role { return cmp.Or(s.Role, org.Editor) }

// check reports the first thing wrong with what is shared.
func (s *Share) check() error {
	switch {
	case s == nil:
		return nil
	case s.Least().Check() != nil:
		return fault.BadField("share.role", "The role is not known.", org.Roles()...)
	case len(s.Tools) > MaxTools:
		return fault.BadField("share.tools", fmt.Sprintf("A server has at most %d tools.", MaxTools))
	}
	return nil
}

// The operations beside calls of tools that callers of a shared server make, as tools of ours.
const (
	ReadResource = "resources/read"
	GetPrompt    = "prompts/get"
)

// A Sharing is what of a server is shared now.
type Sharing struct {
	Share
	Server string
	Tools  []SharedTool
	// Reads and Prompts name our tools that read a resource and get a prompt of the server; "" is not shared.
	Reads, Prompts string
}

// A SharedTool is an accepted tool of a server, and how we call it.
type SharedTool struct {
	Definition
	Ours string
}

// Offers are the names of what becomes tools of ours, in one order: what is shared beside its tools, and its tools.
func (k Known) Offers() []string {
	var out []string
	if k.Disabled {
		return nil
	}
	if k.Share != nil && k.Share.Resources {
		out = append(out, ReadResource)
	}
	if k.Share != nil && k.Share.Prompts {
		out = append(out, GetPrompt)
	}
	for _, d := range k.Offered() {
		out = append(out, d.Name)
	}
	return out
}

// Shared is what of a server is shared, with the names of [Known.Offers] as they are among ours. ok is false when nothing is.
func (k Known) Shared(ours []string) (out Sharing, ok bool) {
	if k.Share == nil || k.Disabled {
		return out, false
	}
	out = Sharing{Share: *k.Share, Server: k.Name}
	offered := k.Offered()
	own := len(ours) - len(offered)
	for i, name := range k.Offers()[:own] {
		if name == ReadResource {
			out.Reads = ours[i]
		} else {
			out.Prompts = ours[i]
		}
	}
	for i, d := range offered {
		if len(k.Share.Tools) == 0 || slices.Contains(k.Share.Tools, d.Name) {
			out.Tools = append(out.Tools, SharedTool{d, ours[own+i]})
		}
	}
	return out, true
}

// AskedKind records that a caller of a shared server asked it for something that is no call of a tool.
var AskedKind = event.Kind[Asked]{Name: "mcp.server.asked", PayloadType: "mcp.asked.v1"}

// Asked is what a caller asked a shared server for.
type Asked struct {
	Name   string `json:"name"`
	Method string `json:"method"`
	About  string `json:"about,omitempty"` // a resource, or the argument that is completed
}
