package org

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"chela/internal/event"
	"chela/internal/fault"
)

// A Key lets a program act for the person who made it, within bounds. Its token is shown once, when it
// is made. What is done by it says so: [event.Party.Key].
type Key struct {
	ID        string     `json:"id" doc:"names the key; it opens nothing"`
	Name      string     `json:"name" doc:"what the program is for"`
	Person    string     `json:"person" doc:"for whom it acts"`
	Role      Role       `json:"role" enum:"owner,admin,editor,viewer" doc:"what it may do at most; never more than its person"`
	Project   string     `json:"project,omitempty" doc:"the only project that it reaches; empty is all"`
	Tools     []string   `json:"tools,omitempty" doc:"the only tools that are called for it, by itself and by agents; empty is all"`
	Agent     AgentID    `json:"agent,omitempty" doc:"the only thing that it does is to fetch the tasks of this agent, which works elsewhere, and to bring what came of them"`
	PerMinute int        `json:"perMinute,omitempty" doc:"requests that it may make in a minute on one node; 0 is no bound"`
	Expires   *time.Time `json:"expiresAt,omitempty"`
	Used      *time.Time `json:"usedAt,omitempty" readOnly:"true" doc:"when it last opened something, to the hour; lists say it"`
}

// The facts about keys. That one is revoked is a [TokenRevokedKind].
var KeyMadeKind = event.Kind[Key]{Name: "org.key.made", PayloadType: "org.key.v1"}

// What a key may hold.
const (
	maxKeyName   = 100
	maxKeyTools  = 200
	maxPerMinute = 1_000_000
)

// Check reports the first thing wrong with a key that by makes at an instant.
func (k Key) Check(by Person, now time.Time) error {
	switch n := utf8.RuneCountInString(k.Name); {
	case n == 0 || n > maxKeyName || strings.TrimSpace(k.Name) != k.Name || strings.ContainsFunc(k.Name, unicode.IsControl):
		return fault.BadField("name", "Say what the key is for, in one line of at most 100 characters.")
	case k.PerMinute < 0 || k.PerMinute > maxPerMinute:
		return fault.BadField("perMinute", "The requests in a minute are a number from 1 to 1,000,000; 0 is no bound.")
	case k.Expires != nil && !k.Expires.After(now):
		return fault.BadField("expiresAt", "The key would end before it begins; give a time to come.")
	case k.Agent != "" && (k.Project != "" || k.Tools != nil):
		return fault.BadField("agent", "A key that fetches the tasks of an agent reaches nothing else: it has no project and no tools.")
	case k.Agent != "" && !by.Role.AtLeast(Admin):
		return fault.New(fault.Denied, "A key that speaks for an agent needs the role admin; you have the role %s.", by.Role)
	case k.Tools != nil && len(k.Tools) == 0:
		return fault.BadField("tools", "The list is empty, and a key without a list may call all tools. Name the tools that it may call, or leave the list out.")
	case len(k.Tools) > maxKeyTools:
		return fault.BadField("tools", "A key names at most 200 tools; leave them out for all.")
	}
	if err := k.Role.Check(); err != nil {
		return err
	}
	if !by.Role.AtLeast(k.Role) {
		return fault.New(fault.Denied, "You have the role %s, so a key of yours has at most that.", by.Role)
	}
	return nil
}

// Least is the role of those who act by the key, when its person has the role whose.
func (k Key) Least(whose Role) Role {
	if whose.AtLeast(k.Role) {
		return k.Role
	}
	return whose
}

// Calls reports whether a tool may be called for the key.
func (k Key) Calls(tool string) bool { return len(k.Tools) == 0 || Lists(k.Tools, tool) }

// Narrow is what a message by the key allows: what the message says, and no more than the key.
func (k Key) Narrow(p *event.Policy) *event.Policy {
	if len(k.Tools) == 0 {
		return p
	}
	var out event.Policy
	if p != nil {
		out = *p
	}
	if len(out.ToolAllowlist) == 0 {
		out.ToolAllowlist = slices.Clone(k.Tools)
		return &out
	}
	out.ToolAllowlist = slices.DeleteFunc(slices.Clone(out.ToolAllowlist), func(t string) bool { return !k.Calls(t) })
	if len(out.ToolAllowlist) == 0 {
		out.ToolAllowlist = []string{"none"} // an empty list would allow all
	}
	return &out
}
