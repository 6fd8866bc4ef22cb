package test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/library"
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

// dying is a workflow that asks a model, has an agent work and another review it, changes the world, checks a
// contract, and asks a person.
const dying = `
slug: dying
name: Dying
steps:
  - id: classify
    model: {prompt: "Classify it.", schema: {type: object, properties: {severity: {type: string}}, required: [severity]}}
  - id: write
    agent: {name: pm, task: "Write about ${classify.severity}."}
    review: {by: [{agent: reviewer}]}
    contract: [{holds: size(result.text) > 2}, {verdict: true}]
  - id: act
    tool: {name: fake_write, agent: worker, args: {text: "${write.text}"}}
  - id: each
    map: {over: "[1, 2]", do: [{id: twice, transform: {n: "${int(item) * 2}"}}]}
  - id: ask
    wait: {person: {ask: "Did it happen?", choices: [happened, later]}}
  - id: end
    transform: {text: "${act.text}", choice: "${ask.choice}", n: "${each.count}"}
`

// answerWorkflow is the fake model's script for it.
func answerWorkflow(r request) any {
	said := r.saidLast()
	switch {
	case strings.Contains(said, "Review this result"):
		return text(`{"pass":true,"summary":"It is good.","feedback":""}`)
	case strings.Contains(said, "Classify it"):
		return text(`{"severity":"low"}`)
	}
	return text("It is written.")
}

// workflowJob is an instance of a workflow that is begun under a key.
func workflowJob() job {
	return job{
		begin: func(d *daemon) (string, error) {
			if err := hireWorker(d); err != nil {
				return "", err
			}
			var w struct {
				Version int    `json:"version"`
				State   string `json:"state"`
			}
			if err := d.try(http.MethodPost, "/api/workflows", map[string]string{"source": dying}, &w); err != nil {
				return "", err
			}
			if w.State != "deployed" {
				if err := d.try(http.MethodPost, "/api/workflows/dying/deploy", map[string]int{"version": w.Version}, nil); err != nil {
					return "", err
				}
			}
			var begun struct {
				Run string `json:"runId"`
			}
			err := d.try(http.MethodPost, "/api/workflows/dying/run", map[string]string{"idempotencyKey": "the-job"}, &begun)
			return begun.Run, err
		},
		asks: 3, again: 3, from: serving, points: passed(9, 3, 1), judge: onceAtMost,
	}
}

// TestWorkflow_ReviewsAndContracts has work refused, reworked, escalated and accepted; another is never proven.
func TestWorkflow_ReviewsAndContracts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(r request) any {
		if strings.Contains(r.saidLast(), "not accepted") {
			return text("A better text.")
		}
		return text("A text.")
	})
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	slug, _ := d.deploys(t, `
slug: written
name: Written
inputs: [{name: least, type: integer, default: 3}]
steps:
  - id: write
    agent: {name: pm, task: Write.}
    review: {by: [{role: editor}], rework: 2, escalate: {role: owner}, after: 1, criteria: It is long enough.}
    contract:
      - {name: long enough, holds: size(result.text) >= inputs.least}
      - {verdict: true}
`)
	run := d.begins(t, slug, nil)
	for i, answer := range []map[string]string{{"choice": "deny", "note": "Too short."}, {"choice": "approve", "note": "Good."}} {
		in := d.settles(t, run)
		if in.Run.State != "waiting" {
			t.Fatalf("before answer %d: %+v", i, in)
		}
		d.must(t, http.MethodPost, "/api/approvals/"+strings.TrimPrefix(in.Run.WaitsFor, "approval:"), answer, nil)
	}
	in := d.settles(t, run)
	var whole struct {
		Reviews []struct {
			To        string `json:"to"`
			Reworks   int    `json:"reworks"`
			Escalated bool   `json:"escalated"`
		} `json:"reviews"`
		Evidence []struct {
			Met   bool   `json:"met"`
			Agent string `json:"agent"`
		} `json:"evidence"`
		Unproven bool `json:"unproven"`
	}
	d.must(t, http.MethodGet, "/api/instances/"+run, nil, &whole)
	if in.Run.State != "done" || !strings.Contains(string(in.Output), "A better text.") || len(whole.Reviews) != 1 || whole.Reviews[0].To != "done" || whole.Reviews[0].Reworks != 1 ||
		len(whole.Evidence) != 1 || !whole.Evidence[0].Met || whole.Evidence[0].Agent != "agent:pm" {
		t.Errorf("%+v %+v", in, whole)
	}
	changesFold(t, d, run)
	run = d.begins(t, slug, map[string]any{"least": 1000})
	for range 3 {
		in = d.settles(t, run)
		d.must(t, http.MethodPost, "/api/approvals/"+strings.TrimPrefix(in.Run.WaitsFor, "approval:"), map[string]string{"choice": "approve", "note": "Good."}, nil)
	}
	in = d.settles(t, run)
	d.must(t, http.MethodGet, "/api/instances/"+run, nil, &whole)
	if in.Run.State != "failed" || !whole.Unproven || !strings.Contains(in.Run.Reason, "unproven") {
		t.Errorf("%+v %+v", in, whole)
	}
	var counted []struct {
		Agent string  `json:"agent"`
		Said  int     `json:"said"`
		Unmet int     `json:"unmet"`
		Rate  float64 `json:"rate"`
	}
	d.must(t, http.MethodGet, "/api/contracts", nil, &counted)
	if len(counted) != 1 || counted[0].Said != 4 || counted[0].Unmet != 3 || counted[0].Rate != 0.75 {
		t.Errorf("%+v", counted)
	}
	d.stop()
	s.verified(t)
}

// TestWorkflow_BeginsByItself has instances begin by an event and by the clock, and one wait for an event.
func TestWorkflow_BeginsByItself(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		w := newWorld(t, func(request) any { return text("I was asked.") })
		s.env, s.clock = w.env(), true
		d := s.running(t)
		project := newProject(t, d)
		d.deploys(t, `
slug: on-ticket
name: On a ticket
inputs: [{name: title, type: text, required: true}]
triggers:
  - event: {type: desk.ticket.created, when: event.payload.set.title != "quiet"}
    inputs: {title: "${event.payload.set.title}"}
steps:
  - id: seen
    wait: {event: {type: desk.ticket.updated, when: event.payload.set.title == "closed " + inputs.title}}
  - id: end
    transform: {title: "${inputs.title}", now: "${seen.event.payload.set.title}"}
`)
		d.deploys(t, "slug: ticks\nname: Ticks\ntriggers: [{cron: \"* * * * * *\"}]\nsteps: [{id: a, transform: 1}]\n")
		var made struct {
			ID string `json:"id"`
		}
		d.must(t, http.MethodPost, "/api/projects/"+project+"/tickets", map[string]string{"title": "quiet"}, nil)
		d.must(t, http.MethodPost, "/api/projects/"+project+"/tickets", map[string]string{"title": "loud"}, &made)
		begun := func(slug string) (all []instanceAnswer) {
			d.must(t, http.MethodGet, "/api/instances?workflow="+slug, nil, &all)
			return all
		}
		until(t, "an instance for the ticket", func() bool { return len(begun("on-ticket")) > 0 })
		run := begun("on-ticket")[0].Run.ID
		if in := d.settles(t, run); in.Run.WaitsFor != "event:desk.ticket.updated" {
			t.Fatalf("%+v", in)
		}
		for _, title := range []string{"other", "closed loud"} {
			d.must(t, http.MethodPatch, "/api/projects/"+project+"/tickets/"+made.ID, map[string]string{"title": title}, nil)
		}
		until(t, "the end of the instance", func() bool { return d.settles(t, run).Run.State == "done" })
		if in := d.settles(t, run); !strings.Contains(string(in.Output), `"now":"closed loud"`) || len(begun("on-ticket")) != 1 {
			t.Errorf("%+v: %s", in, in.Output)
		}
		until(t, "two ticks", func() bool { return len(begun("ticks")) > 1 })
		d.must(t, http.MethodPost, "/api/workflows/ticks/retire", nil, nil)
		d.stop()
		s.verified(t)
	})
}

// TestWorkflow_GainsNoRights deploys those that come with Chela, and has the owner run the workflow of somebody who
// may less now than when they deployed it. Its bundle goes out and comes in.
func TestWorkflow_GainsNoRights(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(request) any { return text("I was asked.") })
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	project := newProject(t, d)
	for _, slug := range library.Shipped() {
		raw, err := library.ShippedSource(slug)
		if err != nil {
			t.Fatal(err)
		}
		d.deploys(t, string(raw))
	}
	ed, id := d.member(t, "Ed", "editor")
	slug, _ := ed.deploys(t, "slug: open\nname: Open\ninputs: [{name: project, type: project, required: true}]\nsteps: [{id: open, tool: {name: create_ticket, agent: pm, args: {title: It}}}]\n")
	if in := d.settles(t, d.begins(t, slug, map[string]any{"project": project})); in.Run.State != "done" {
		t.Fatalf("%+v", in)
	}
	d.must(t, http.MethodPatch, "/api/persons/"+id, map[string]string{"role": "viewer"}, nil)
	in := d.settles(t, d.begins(t, slug, map[string]any{"project": project}))
	if in.Run.State != "failed" || !strings.Contains(in.Run.Reason, "viewer") {
		t.Errorf("the owner runs what a viewer answers for: %+v", in)
	}
	if err := ed.try(http.MethodPost, "/api/workflows/open/run", map[string]any{"inputs": map[string]any{"project": project}}, nil); fault.KindOf(err) != fault.Denied {
		t.Errorf("a viewer runs it: %v", err)
	}
	var out struct {
		Bundle []byte `json:"bundle"`
	}
	d.must(t, http.MethodGet, "/api/workflows/code-change/export", nil, &out)
	var read struct {
		Manifest struct {
			Tools    []string `json:"tools"`
			Commands []string `json:"commands"`
		} `json:"manifest"`
		Problems []any `json:"problems"`
	}
	d.must(t, http.MethodPost, "/api/workflows/bundle", out, &read)
	if len(read.Manifest.Tools) != 3 || len(read.Manifest.Commands) != 1 || len(read.Problems) != 0 {
		t.Errorf("%+v", read)
	}
	d.must(t, http.MethodPost, "/api/workflows/import", out, nil)
	d.stop()
	s.verified(t)
}

// TestWorkflow_RetriesAndVersions begins a failed instance anew from a step with another input, and goes back a version.
func TestWorkflow_RetriesAndVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(request) any { return text(`{"n":1}`) })
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	source := "slug: again\nname: Again\ninputs: [{name: by, type: integer, default: 0}]\nsteps:\n  - {id: asked, model: {prompt: Give n., schema: {type: object, properties: {n: {type: integer}}, required: [n]}}}\n" +
		"  - {id: divide, transform: {q: \"${10 / inputs.by}\", n: \"${asked.n}\"}}\n"
	slug, first := d.deploys(t, source)
	failed := d.settles(t, d.begins(t, slug, nil))
	if failed.Run.State != "failed" || !strings.Contains(failed.Run.Reason, "division") && !strings.Contains(failed.Run.Reason, "divide") {
		t.Fatalf("%+v", failed)
	}
	if _, second := d.deploys(t, source+"output: {whole: \"${divide.q}\"}\n"); second != first+1 {
		t.Errorf("version %d after %d", second, first)
	}
	var begun struct {
		Run string `json:"runId"`
	}
	d.must(t, http.MethodPost, "/api/instances/"+failed.Run.ID+"/retry", map[string]any{"from": "divide", "inputs": map[string]any{"by": 5}}, &begun)
	if in := d.settles(t, begun.Run); in.Run.State != "done" || in.Version != first || !strings.Contains(string(in.Output), `"q":2`) {
		t.Errorf("%+v: %s", in, in.Output)
	}
	if n := total(w.asked); n != 1 {
		t.Errorf("the model was asked %d times, want once", n)
	}
	if err := d.try(http.MethodPost, "/api/instances/"+begun.Run+"/retry", map[string]any{"from": "nothing"}, nil); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a step that is not there: %v", err)
	}
	var back struct {
		Version int `json:"version"`
	}
	d.must(t, http.MethodPost, "/api/workflows/again/rollback", nil, &back)
	var diff struct {
		Diff string `json:"diff"`
	}
	d.must(t, http.MethodGet, "/api/workflows/again/diff?from=1&to=2", nil, &diff)
	if back.Version != first || !strings.Contains(diff.Diff, "+output:") {
		t.Errorf("%+v %+v", back, diff)
	}
	d.stop()
	s.verified(t)
}

// TestWorkflow_ACancelledOneIsUndone cancels an instance that waits, and undoes it: what had ended is compensated, once, and
// nothing else is done.
func TestWorkflow_ACancelledOneIsUndone(t *testing.T) {
	t.Parallel()
	s := setup{data: t.TempDir()}
	d := s.running(t)
	project := newProject(t, d)
	slug, _ := d.deploys(t, `
slug: hold
name: Hold
inputs: [{name: project, type: project, required: true}]
steps:
  - id: open
    tool: {name: create_ticket, agent: pm, args: {title: Held}}
    compensate: {name: create_ticket, agent: pm, args: {title: Released}}
  - id: ask
    wait: {person: {ask: Go on?}}
  - id: after
    tool: {name: create_ticket, agent: pm, args: {title: Never}}
    compensate: {name: create_ticket, agent: pm, args: {title: Never undone}}
`)
	id := d.begins(t, slug, map[string]any{"project": project})
	if in := d.settles(t, id); in.states() != "open done, ask waiting" {
		t.Fatalf("%+v", in)
	}
	if err := d.try(http.MethodPost, "/api/instances/"+id+"/undo", nil, nil); fault.KindOf(err) != fault.Conflict {
		t.Errorf("one that waits is undone: %v", err)
	}
	d.must(t, http.MethodPost, "/api/runs/"+id+"/cancel", nil, nil)
	var undo struct {
		Run string `json:"runId"`
	}
	d.must(t, http.MethodPost, "/api/instances/"+id+"/undo", nil, &undo)
	if in := d.settles(t, undo.Run); in.Run.State != "done" || !strings.Contains(in.states(), "open undone") {
		t.Errorf("%+v", in)
	}
	if err := d.try(http.MethodPost, "/api/instances/"+id+"/undo", nil, nil); fault.KindOf(err) != fault.Conflict {
		t.Errorf("it is undone twice: %v", err)
	}
	var tickets list
	d.must(t, http.MethodGet, "/api/projects/"+project+"/tickets", nil, &tickets)
	var titles []string
	for _, i := range tickets.Items {
		titles = append(titles, i.Body.Title)
	}
	if len(titles) != 2 || !slices.Contains(titles, "Held") || !slices.Contains(titles, "Released") {
		t.Errorf("the tickets are %q", titles)
	}
	d.stop()
	s.verified(t)
}
