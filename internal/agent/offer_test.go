package agent

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/tool"
)

// TestToolset_IsKeptForEachRight holds that what an agent is shown follows each of its rights at once, and is kept for each: a child of
// an agent may do less than the agent itself.
func TestToolset_IsKeptForEachRight(t *testing.T) {
	t.Parallel()
	does := func(name string) *tool.Tool {
		s := tool.Spec{Name: name, Help: "Look.", Risk: tool.ReadOnly, Role: org.Viewer}
		return tool.Func(s, func(context.Context, tool.Call, struct{}) (struct{}, error) { return struct{}{}, nil })
	}
	g := &Runner{catalog: tool.NewCatalog(slog.New(slog.DiscardHandler), tool.NewSet(does("look"), does("see")), nil)}
	whole := org.Agent{Card: org.Card{AgentID: "agent:a"}}
	whole.Tools, whole.Permissions = []string{"look", "see"}, org.Permissions{}
	less, denied, without, other := whole, whole, whole, whole
	less.Permissions = org.Permissions{org.AllPermissions()[0]: true}
	denied.Card.Security.ToolDenylist = []string{"look"}
	without.Tools = []string{"see"}
	other.Card.AgentID = "agent:b"
	shown := make(map[*model.Toolset]string)
	rights := map[string]org.Agent{"whole": whole, "less": less, "denied": denied, "without": without, "other": other}
	for name, a := range rights {
		got := g.toolset(a, nil)
		if before, ok := shown[got]; ok {
			t.Errorf("%s is shown what %s is", name, before)
		}
		shown[got] = name
	}
	for name, a := range rights {
		if got := g.toolset(a, nil); shown[got] != name {
			t.Errorf("%s is shown again what %q was, want what it was itself", name, shown[got])
		}
	}
	if got, found := g.toolset(whole, nil), g.toolset(whole, []string{"look"}); got == found {
		t.Error("what was found is not counted")
	}
	if got := g.toolset(denied, nil).Specs; len(got) != 1 || got[0].Name != "see" {
		t.Errorf("whom looking is denied is shown %v, want see alone", got)
	}
}

// TestNamed_IsShown: a tool that a request names is shown to an agent with more tools than fit, when the agent may use it.
func TestNamed_IsShown(t *testing.T) {
	t.Parallel()
	var all []*tool.Tool
	for i := range 40 {
		s := tool.Spec{Name: fmt.Sprintf("look_%d", i), Help: strings.Repeat("Look at it. ", 40), Risk: tool.ReadOnly, Role: org.Viewer}
		all = append(all, tool.Func(s, func(context.Context, tool.Call, struct{}) (struct{}, error) { return struct{}{}, nil }))
	}
	g := &Runner{catalog: tool.NewCatalog(slog.New(slog.DiscardHandler), tool.NewSet(all...), nil)}
	a := org.Agent{Card: org.Card{AgentID: "agent:a", Security: org.Security{ToolDenylist: []string{"look_38"}}}}
	a.Tools = []string{"*"}
	named := g.named(a, "Read it with look_37 (or look_38, look_99), then say so: look.")
	if !slices.Equal(named, []string{"look_37"}) {
		t.Fatalf("named are %q", named)
	}
	shown := func(found []string) bool {
		return slices.ContainsFunc(g.toolset(a, found).Specs, func(s model.ToolSpec) bool { return s.Name == "look_37" })
	}
	if shown(nil) || !shown(named) {
		t.Error("what is named is not shown, or all is")
	}
}
