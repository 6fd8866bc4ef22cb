package test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"chela/internal/fault"
)

// triage is a workflow with a question to a model, a branch, a call of a tool, a person, and a value.
const triage = `
slug: triage
name: Triage
inputs:
  - {name: report, type: text, required: true, description: What was reported.}
  - {name: project, type: project, required: true}
steps:
  - id: classify
    model:
      prompt: "Classify: ${inputs.report}"
      schema: {type: object, properties: {severity: {type: string}}, required: [severity]}
  - id: gate
    branch:
      - {case: urgent, when: classify.severity == "critical"}
      - {case: later}
  - id: open
    needs: [gate.urgent]
    tool: {name: create_ticket, agent: pm, args: {title: "Critical: ${inputs.report}"}}
  - id: note
    needs: [gate.later]
    transform: {kept: "${inputs.report}"}
  - id: ask
    needs: [open, note]
    wait: {person: {ask: "Is ${inputs.report} in hand?", detail: "${open.text}"}}
  - id: end
    transform: {severity: "${classify.severity}", choice: "${ask.choice}", by: "${ask.by}"}
`

type instanceAnswer struct {
	Run struct {
		ID       string `json:"id"`
		State    string `json:"state"`
		WaitsFor string `json:"waits_for"`
		Reason   string `json:"reason"`
	} `json:"run"`
	Version int `json:"version"`
	Steps   []struct {
		Path    string          `json:"path"`
		State   string          `json:"state"`
		Error   string          `json:"error"`
		Attempt int             `json:"attempt"`
		Output  json.RawMessage `json:"output"`
	} `json:"steps"`
	Output json.RawMessage `json:"output"`
}

// states are the steps of an instance and where they stand, as "path state" each.
func (in instanceAnswer) states() string {
	var out []string
	for _, s := range in.Steps {
		out = append(out, s.Path+" "+s.State)
	}
	return strings.Join(out, ", ")
}

// deploys saves a file as a version of its workflow and deploys it.
func (d *daemon) deploys(t *testing.T, source string) (slug string, version int) {
	t.Helper()
	var w struct {
		Slug    string `json:"slug"`
		Version int    `json:"version"`
	}
	d.must(t, http.MethodPost, "/api/workflows", map[string]string{"source": source}, &w)
	d.must(t, http.MethodPost, "/api/workflows/"+w.Slug+"/deploy", map[string]int{"version": w.Version}, nil)
	return w.Slug, w.Version
}

// begins begins an instance.
func (d *daemon) begins(t *testing.T, slug string, inputs map[string]any) string {
	t.Helper()
	var begun struct {
		Run string `json:"runId"`
	}
	d.must(t, http.MethodPost, "/api/workflows/"+slug+"/run", map[string]any{"inputs": inputs}, &begun)
	return begun.Run
}

// settles waits until an instance has ended or waits.
func (d *daemon) settles(t *testing.T, run string) (in instanceAnswer) {
	t.Helper()
	until(t, "the end of the instance "+run, func() bool {
		in = instanceAnswer{}
		d.must(t, http.MethodGet, "/api/instances/"+run, nil, &in)
		return in.Run.State != "queued" && in.Run.State != "running"
	})
	return in
}

// TestWorkflow_APersonDeploysAndRunsOne deploys a workflow, runs it to a person's choice, and to its end.
func TestWorkflow_APersonDeploysAndRunsOne(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		w := newWorld(t, func(r request) any {
			if strings.Contains(r.saidLast(), "slow") {
				return text(`{"severity":"low"}`)
			}
			return text(`{"severity":"critical"}`)
		})
		s.env = w.env()
		d := s.running(t)
		project := newProject(t, d)
		slug, _ := d.deploys(t, triage)
		run := d.begins(t, slug, map[string]any{"report": "It burns", "project": project})
		in := d.settles(t, run)
		if in.Run.State != "waiting" || !strings.HasPrefix(in.Run.WaitsFor, "approval:") || in.states() != "classify done, gate done, note skipped, open done, ask waiting" {
			t.Fatalf("%+v", in)
		}
		var tickets list
		d.must(t, http.MethodGet, "/api/projects/"+project+"/tickets", nil, &tickets)
		if tickets.Total != 1 || tickets.Items[0].Body.Title != "Critical: It burns" {
			t.Errorf("the tickets are %+v", tickets)
		}
		d.stop()
		d = s.running(t)
		d.must(t, http.MethodPost, "/api/approvals/"+strings.TrimPrefix(in.Run.WaitsFor, "approval:"), map[string]string{"choice": "approve"}, nil)
		if in = d.settles(t, run); in.Run.State != "done" || !strings.Contains(string(in.Output), `"choice":"approve"`) || !strings.Contains(string(in.Output), `"severity":"critical"`) {
			t.Errorf("%+v: %s", in, in.Output)
		}
		later := d.settles(t, d.begins(t, slug, map[string]any{"report": "It is slow", "project": project}))
		if later.states() != "classify done, gate done, open skipped, note done, ask waiting" {
			t.Errorf("%+v", later)
		}
		for what, inputs := range map[string]map[string]any{"missing": {"project": project}, "unknown": {"report": "x", "project": project, "colour": "red"}, "a wrong type": {"report": 3, "project": project}} {
			if err := d.try(http.MethodPost, "/api/workflows/triage/run", map[string]any{"inputs": inputs}, nil); fault.KindOf(err) != fault.Invalid {
				t.Errorf("inputs that are %s: %v", what, err)
			}
		}
		d.stop()
		s.verified(t)
		if n := total(w.asked); n != 2 {
			t.Errorf("the model was asked %d times, want 2", n)
		}
	})
}

// saidLast is what the model was told last.
func (r request) saidLast() string {
	if len(r.Messages) == 0 {
		return ""
	}
	raw, err := json.Marshal(r.Messages[len(r.Messages)-1])
	if err != nil {
		return err.Error()
	}
	return string(raw)
}
