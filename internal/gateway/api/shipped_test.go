package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"chela/internal/gateway/client"
	"chela/internal/library"
	"chela/internal/testkit/daemontest"
)

// answers are what the scripted model says in the shipped workflows, by what it is asked.
const answers = `{"steps":[
	{"contains":"Write the status of the week","agentResponses":[{"agentName":"workflow","responseFallback":"{\"headline\":\"On track\",\"report\":\"Everything that was planned for the week was done.\",\"risks\":[]}"}]},
	{"contains":"be released? Say go or hold","agentResponses":[{"agentName":"workflow","responseFallback":"{\"verdict\":\"hold\",\"reasons\":\"Tests are red.\"}"}]},
	{"contains":"Judge this bug","agentResponses":[{"agentName":"workflow","responseFallback":"{\"severity\":\"critical\",\"duplicate\":\"\",\"summary\":\"Nobody can pay.\"}"}]},
	{"contains":"Write the review of the incident","agentResponses":[{"agentName":"workflow","responseFallback":"{\"timeline\":[\"10:00 down\"],\"impact\":\"No payments.\",\"causes\":[\"A full disk\"],\"followups\":[{\"title\":\"Alert on disks\",\"why\":\"Nobody saw it.\"}]}"}]}
	],
	"otherwise":[{"agentName":"reviewer","responseFallback":"{\"pass\":true,\"summary\":\"Good.\",\"feedback\":\"It blames nobody.\"}"},{"agentName":"generalist","responseFallback":"I wrote one thread."},{"agentName":"","responseFallback":"Done."}]}`

// TestInstances_ShippedOnesRunWhole runs shipped workflows in a daemon to their end, as people answer them, and looks at what came of them.
func TestInstances_ShippedOnesRunWhole(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{Script: answers})
	c := client.New(d.URL, d.Token)
	call := func(method, path string, in, out any) {
		t.Helper()
		if err := c.Call(t.Context(), method, path, in, out); err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
	}
	var project struct{ ID string }
	call(http.MethodPost, "/api/projects", map[string]string{"name": "Shop"}, &project)
	for _, slug := range library.Shipped() {
		source, err := library.ShippedSource(slug)
		if err != nil {
			t.Fatal(err)
		}
		call(http.MethodPost, "/api/workflows", map[string]string{"source": string(source)}, nil)
		call(http.MethodPost, "/api/workflows/"+slug+"/deploy", map[string]int{"version": 1}, nil)
	}
	for _, w := range []struct {
		slug, choice string
		inputs       map[string]any
		steps        []string // that have to be done
	}{
		{"weekly-report", "approve", nil, []string{"write", "approve", "keep"}},
		{"weekly-report", "deny", nil, []string{"write", "approve"}},
		{"release-readiness", "approve", map[string]any{"version": "2.4"}, []string{"checklist", "judge", "sign", "noted"}},
		{"bug-triage", "yes", map[string]any{"title": "Nobody can pay"}, []string{"classify", "open", "who"}},
		{"incident-review", "approve", map[string]any{"title": "Outage", "notes": "The disk was full at 10:00."}, []string{"draft", "thread", "followups"}},
		{"onboarding", "begins", map[string]any{"name": "Mia", "role": "ENGINEER", "ask_again": false}, []string{"member", "checklist", "begin"}},
		{"onboarding", "waits", map[string]any{"name": "Tom", "role": "QA"}, []string{"member", "checklist", "begin", "later"}},
		{"intake-notes", "", map[string]any{"notes": "We decided to use one queue. Ann writes the alert."}, []string{"classify", "extract"}},
	} {
		inputs := map[string]any{"project": project.ID}
		for k, v := range w.inputs {
			inputs[k] = v
		}
		var begun struct {
			Run string `json:"runId"`
		}
		call(http.MethodPost, "/api/workflows/"+w.slug+"/run", map[string]any{"inputs": inputs}, &begun)
		in := played(t, call, begun.Run, w.choice)
		done := make(map[string]bool)
		for _, s := range in.Steps {
			done[s.Path] = s.State == "done"
		}
		for _, step := range w.steps {
			if !done[step] {
				t.Errorf("%s, %q: the step %s is not done: %+v", w.slug, w.choice, step, in)
			}
		}
		if in.Run.State != "done" {
			t.Errorf("%s, %q: %+v", w.slug, w.choice, in)
		}
	}
}

type playedInstance struct {
	Run struct {
		State    string `json:"state"`
		WaitsFor string `json:"waits_for"`
		Reason   string `json:"reason"`
	} `json:"run"`
	Steps []struct {
		Path   string          `json:"path"`
		State  string          `json:"state"`
		Error  string          `json:"error"`
		Output json.RawMessage `json:"output"`
	} `json:"steps"`
}

// played answers what an instance asks until it has ended.
func played(t *testing.T, call func(method, path string, in, out any), id, choice string) (in playedInstance) {
	t.Helper()
	answered := ""
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		in = playedInstance{}
		call(http.MethodGet, "/api/instances/"+id, nil, &in)
		switch asked, isAsked := strings.CutPrefix(in.Run.WaitsFor, "approval:"); {
		case in.Run.State == "done" || in.Run.State == "failed":
			return in
		case in.Run.State == "waiting" && isAsked && asked != answered:
			call(http.MethodPost, "/api/approvals/"+asked, map[string]string{"choice": choice, "note": "I read it."}, nil)
			answered = asked
		}
	}
	return in
}
