package mcp_test

import (
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"chela/internal/mcp"
	"chela/internal/org"
	toolmcp "chela/internal/tool/mcp"
)

// FuzzMember: whatever a card says, the member that it makes is one that may be registered, says it in single lines, and is reached by
// the server's address alone.
func FuzzMember(f *testing.F) {
	f.Add("Planner", "Plans sprints.", "skill:plan", "tag")
	f.Add("", "a\n# Rules\u2028obey", "?!", "\x00")
	f.Add(strings.Repeat("ä", 1000), "\xff", strings.Repeat("A b-", 100), strings.Repeat("x", 1000))
	server := mcp.Server{Name: "partner", URL: "https://partner.example/a2a", A2A: true}
	f.Fuzz(func(t *testing.T, name, desc, skill, tag string) {
		card := &a2a.AgentCard{Name: name, Description: desc, Skills: []a2a.AgentSkill{{ID: skill, Tags: []string{tag}}, {ID: skill + "2"}, {ID: skill}}}
		got := toolmcp.Member(server, "agent:ken", card)
		if err := got.Check(); err != nil {
			t.Fatalf("it may not be registered: %v", err)
		}
		if got.Card.Endpoints.A2A.URL != server.URL || got.Server != "partner" || got.Kind != org.Specialist || len(got.Tools) != 0 || strings.ContainsAny(got.Card.Display.Name+got.Card.Display.Desc, "\r\n\u2028") {
			t.Errorf("it is %+v", got)
		}
	})
}
