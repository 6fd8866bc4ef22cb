package test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"chela/internal/fault"
)

type buildAnswer struct {
	Intent string     `json:"intent"`
	Text   string     `json:"text"`
	Plan   planAnswer `json:"plan"`
}

type planAnswer struct {
	ID       string            `json:"id"`
	Workflow string            `json:"workflow"`
	State    string            `json:"state"`
	MadeBy   string            `json:"madeBy"`
	Steps    []json.RawMessage `json:"steps"`
	Unread   []string          `json:"unread"`
	Findings []string          `json:"findings"`
	Results  []struct {
		Step    string `json:"stepId"`
		Success bool   `json:"success"`
		Skipped bool   `json:"skipped"`
		Tries   int    `json:"tries"`
	} `json:"stepResults"`
}

// TestBuild_FromASentenceToAMessage builds a workflow in a conversation, without a model's help: a sentence becomes a plan,
// the plan a draft, the draft is deployed, and then a message begins it.
func TestBuild_FromASentenceToAMessage(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		d := s.running(t)
		project := newProject(t, d)
		thread := ""
		says := func(text string) string {
			t.Helper()
			var out chatAnswer
			in := map[string]any{"projectId": project, "text": text, "wait": true}
			if thread != "" {
				in["threadId"] = thread
			}
			d.must(t, http.MethodPost, "/api/chat", in, &out)
			thread = out.Thread
			return out.Reply
		}
		if got := says("Build a workflow called Paper trail that creates a ticket titled Collect the papers, then asks for approval, then juggles oranges."); !strings.Contains(got, "paper-trail") || !strings.Contains(got, "could not read: “juggles oranges”") || !strings.Contains(got, "build it") {
			t.Fatalf("planned: %q", got)
		}
		if err := d.try(http.MethodGet, "/api/workflows/paper-trail/draft", nil, nil); fault.KindOf(err) != fault.NotFound {
			t.Errorf("something was changed before it was approved: %v", err)
		}
		if got := says("build it"); !strings.Contains(got, "is built, as a draft") {
			t.Fatalf("built: %q", got)
		}
		if got := says("undo it"); !strings.Contains(got, "is undone") {
			t.Fatalf("undone: %q", got)
		}
		if err := d.try(http.MethodGet, "/api/workflows/paper-trail/draft", nil, nil); fault.KindOf(err) != fault.NotFound {
			t.Errorf("the draft is still there: %v", err)
		}
		says("Build a workflow called Paper trail that creates a ticket titled Collect the papers, then asks for approval.")
		if got := says("yes, build it"); !strings.Contains(got, "is built, as a draft") {
			t.Fatalf("built again: %q", got)
		}
		if got := says("deploy it"); !strings.Contains(got, "deployed as version 1") {
			t.Fatalf("deployed: %q", got)
		}
		if got := says("Please do the Paper trail"); !strings.Contains(got, "Paper trail") {
			t.Fatalf("asked for: %q", got)
		}
		says("yes")
		var all []struct{ Run struct{ ID, State string } }
		until(t, "the instance waits for a person", func() bool {
			d.must(t, http.MethodGet, "/api/instances?workflow=paper-trail", nil, &all)
			return len(all) == 1 && all[0].Run.State == "waiting"
		})
		var tickets list
		d.must(t, http.MethodGet, "/api/projects/"+project+"/tickets", nil, &tickets)
		if tickets.Total != 1 || tickets.Items[0].Body.Title != "Collect the papers" {
			t.Errorf("the tickets are %+v", tickets)
		}
		d.stop()
		s.verified(t)
	})
}

// TestBuild_APlanIsChangedExecutedAndUndone plans by the API: a plan can be changed before it is done, one that does not
// fit changes nothing, a change of a workflow is undone and others' edits stay.
func TestBuild_APlanIsChangedExecutedAndUndone(t *testing.T) {
	t.Parallel()
	s := setup{data: t.TempDir()}
	d := s.running(t)
	viewer, _ := d.member(t, "Vic", "viewer")
	var b buildAnswer
	d.must(t, http.MethodPost, "/api/workflows/build", map[string]any{"text": "Create a workflow named Notes that asks generalist to list what is new, then waits 2 days"}, &b)
	if b.Intent != "BUILD" || b.Plan.State != "pending" || b.Plan.MadeBy != "rules" || len(b.Plan.Steps) != 3 || len(b.Plan.Findings) != 0 {
		t.Fatalf("planned: %+v", b)
	}
	at := "/api/workflows/plans/" + b.Plan.ID
	if err := viewer.try(http.MethodPost, at+"/execute", nil, nil); fault.KindOf(err) != fault.Denied {
		t.Errorf("a viewer executes a plan: %v", err)
	}
	if err := d.try(http.MethodPut, at, map[string]any{"steps": []any{map[string]any{"id": "x", "order": 1, "action": "DELETE_NODE", "nodeId": "nobody"}}}, nil); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a plan that does not fit is taken: %v", err)
	}
	more := append(b.Plan.Steps, json.RawMessage(`{"id":"file","order":4,"action":"CREATE_FILE","path":"templates/notes.md","content":"# Notes"}`),
		json.RawMessage(`{"id":"skill","order":5,"action":"REGISTER_CAPABILITY","capabilityName":"Note taking","capabilityType":"skill","content":"Take notes."}`))
	var p planAnswer
	d.must(t, http.MethodPut, at, map[string]any{"steps": more}, &p)
	d.must(t, http.MethodPost, at+"/execute", nil, &p)
	if p.State != "completed" || len(p.Results) != 5 || !p.Results[0].Success || p.Results[0].Tries != 1 {
		t.Fatalf("executed: %+v", p)
	}
	var draft struct {
		Source string
		Files  []struct{ Path string }
	}
	d.must(t, http.MethodGet, "/api/workflows/notes/draft", nil, &draft)
	if !strings.Contains(draft.Source, "for: 2d") || len(draft.Files) != 2 || draft.Files[0].Path != "skills/note_taking.md" {
		t.Errorf("built: %+v", draft)
	}
	d.must(t, http.MethodPost, at+"/deploy", nil, nil)
	d.must(t, http.MethodPost, "/api/workflows/build", map[string]any{"text": "Add a step that waits 5 days, then delete the step waits 2 days", "workflow": "notes"}, &b)
	if len(b.Plan.Steps) != 3 || len(b.Plan.Unread) != 0 {
		t.Fatalf("a change: %+v", b)
	}
	at = "/api/workflows/plans/" + b.Plan.ID
	d.must(t, http.MethodPost, at+"/execute", nil, &p)
	d.must(t, http.MethodGet, "/api/workflows/notes/draft", nil, &draft)
	if p.State != "completed" || !strings.Contains(draft.Source, "for: 5d") || strings.Contains(draft.Source, "for: 2d") {
		t.Fatalf("changed: %+v\n%s", p, draft.Source)
	}
	var now draftAnswer
	d.must(t, http.MethodGet, "/api/workflows/notes/draft", nil, &now)
	d.must(t, http.MethodPost, "/api/workflows/notes/edits", map[string]any{"base": now.Revision, "operations": []any{map[string]any{"op": "update_property", "path": "description", "value": "Mine."}}}, nil)
	d.must(t, http.MethodPost, at+"/undo", nil, &p)
	d.must(t, http.MethodGet, "/api/workflows/notes/draft", nil, &draft)
	if p.State != "undone" || strings.Contains(draft.Source, "for: 5d") || !strings.Contains(draft.Source, "for: 2d") || !strings.Contains(draft.Source, "description: Mine.") {
		t.Errorf("undone: %+v\n%s", p, draft.Source)
	}
	if err := d.try(http.MethodPost, at+"/execute", nil, nil); fault.KindOf(err) != fault.Conflict {
		t.Errorf("what was undone is executed: %v", err)
	}
	b = buildAnswer{}
	d.must(t, http.MethodPost, "/api/workflows/build", map[string]any{"text": "What does it do?", "workflow": "notes"}, &b)
	if b.Intent != "QUERY" || !strings.Contains(b.Text, "has 2 steps") {
		t.Errorf("asked: %+v", b)
	}
	if err := d.try(http.MethodPost, "/api/workflows/build", map[string]any{"text": "Build a workflow that sings"}, nil); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "No step of that was understood") {
		t.Errorf("what is not understood: %v", err)
	}
}

// TestBuild_AModelPlans has a model plan, whose first plan does not fit and is repaired.
func TestBuild_AModelPlans(t *testing.T) {
	t.Parallel()
	good := `{"intent":"BUILD","answer":"","name":"Late tickets","description":"Lists what is late.","examples":["What is late?"],"steps":[
		{"id":"a","name":"List late tickets","action":"CREATE_NODE","nodeType":"agent","label":"List late","config":{"name":"pm","task":"List late tickets."},"output":{"nodeIdVariable":"list"}},
		{"id":"b","name":"Ask","action":"CREATE_NODE","nodeType":"wait","label":"Ask","config":{"person":{"ask":"Fine?","detail":"${list_late.text}"}},"dependsOn":["a"],"output":{"nodeIdVariable":"ask"}},
		{"id":"c","action":"CONNECT_NODES","sourceId":"${list}","targetId":"${ask}","dependsOn":["a","b"]}]}`
	asked := 0
	w := newWorld(t, func(request) any {
		if asked++; asked == 1 {
			return text(strings.Replace(good, `"dependsOn":["a","b"]`, `"dependsOn":["b","x"]`, 1))
		}
		return text(good)
	})
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	var b buildAnswer
	d.must(t, http.MethodPost, "/api/workflows/build", map[string]any{"text": "I need something that watches late tickets"}, &b)
	if asked != 2 || b.Plan.MadeBy != "model" || b.Plan.Workflow != "late-tickets" || len(b.Plan.Findings) != 0 {
		t.Fatalf("asked %d times: %+v", asked, b)
	}
	var p planAnswer
	d.must(t, http.MethodPost, "/api/workflows/plans/"+b.Plan.ID+"/execute", nil, &p)
	if p.State != "completed" {
		t.Errorf("%+v", p)
	}
	d.must(t, http.MethodPost, "/api/workflows/plans/"+b.Plan.ID+"/deploy", nil, nil)
}
