package daemon_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"chela/internal/daemon"
	"chela/internal/model"
	"chela/internal/testkit/daemontest"
)

// TestOffered_AgentsAreShownWhatTheyActWith holds that the tools by which an agent does its own work stand in its prompt, and are not
// among those that it has to look for.
func TestOffered_AgentsAreShownWhatTheyActWith(t *testing.T) {
	t.Parallel()
	w := &watching{shown: make(map[string][]string)}
	d := daemontest.Run(t, daemontest.Setup{
		Script:  `{"otherwise":[{"agentName":"","responseFallback":"Noted."}]}`,
		Options: daemon.Options{Play: func(m model.Model) model.Model { w.Model = m; return w }},
	})
	c := speaker{t, d.URL, d.Token}
	var p struct{ ID string }
	c.post("/api/projects", map[string]any{"name": "Payments"}, &p)
	for agent, acts := range map[string][]string{
		"pm":               {"create_ticket", "update_ticket", "assign_resource", "unassign_resource", "create_idea", "promote_idea"},
		"generalist":       {"create_thread", "create_ticket", "update_ticket", "create_objective", "create_resource", "create_phase", "create_milestone"},
		"thread-extractor": {"create_ticket", "create_idea", "create_reminder", "create_checklist"},
		"objective-agent":  {"create_objective", "update_objective", "create_ticket"},
		"checklist-agent":  {"create_checklist", "update_checklist"},
		"plan-agent":       {"create_phase", "update_phase", "create_milestone", "update_milestone"},
		"reconcile-agent":  {"create_delta_pack", "create_blindspot"},
		"resource-agent":   {"assign_resource", "unassign_resource", "create_resource"},
		"coder":            {"read_file", "write_file", "edit_file", "shell_exec", "search_files"},
	} {
		c.post("/api/chat", map[string]any{"projectId": p.ID, "agent": agent, "text": "Work", "wait": true}, &struct{}{})
		shown := w.of(agent)
		for _, name := range acts {
			if !slices.Contains(shown, name) {
				t.Errorf("%s has to look for %s; it is shown %s", agent, name, strings.Join(shown, " "))
			}
		}
	}
}

// watching is a model that notes which tools each agent is shown.
type watching struct {
	model.Model
	mu    sync.Mutex // guards shown
	shown map[string][]string
}

func (w *watching) Generate(ctx context.Context, r model.Request, got func(model.Delta)) (model.Answer, error) {
	var names []string
	if r.Tools != nil {
		for _, s := range r.Tools.Specs {
			names = append(names, s.Name)
		}
	}
	w.mu.Lock()
	w.shown[strings.TrimPrefix(r.Agent, "agent:")] = names
	w.mu.Unlock()
	return w.Model.Generate(ctx, r, got)
}

func (w *watching) of(agent string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.shown[agent]
}
