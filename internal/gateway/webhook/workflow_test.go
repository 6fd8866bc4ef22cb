package webhook_test

import (
	"net/http"
	"strings"
	"testing"

	"chela/internal/config"
	"chela/internal/library"
	"chela/internal/testkit/daemontest"
)

// TestDoor_AnIssueOutsideBeginsAWorkflow has a tracker's issue begin the shipped bug triage, once, with what it says as data from outside.
func TestDoor_AnIssueOutsideBeginsAWorkflow(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{
		Script: `{"otherwise":[{"agentName":"","responseFallback":"{\"severity\":\"major\",\"duplicate\":\"\",\"summary\":\"Login fails for all.\"}"}]}`,
		Change: func(c *config.Config) { c.Vault.Key, c.NoSchedules = "file", false },
	})
	h := &house{t, d.URL, d.Token}
	var project struct{ ID string }
	h.call(http.MethodPost, "/api/projects", map[string]string{"name": "Shop"}, &project)
	source, err := library.ShippedSource("bug-triage")
	if err != nil {
		t.Fatal(err)
	}
	trigger := "triggers:\n  - {webhook: tracker, inputs: {project: " + project.ID + ", title: \"${event.payload.title}\", report: \"${event.payload.text}\"}}\nsteps:\n"
	h.call(http.MethodPost, "/api/workflows", map[string]string{"source": strings.Replace(string(source), "steps:\n", trigger, 1)}, nil)
	h.call(http.MethodPost, "/api/workflows/bug-triage/deploy", map[string]int{"version": 1}, nil)
	var made struct {
		Path   string `json:"path"`
		Secret string `json:"secret"`
	}
	h.call(http.MethodPut, "/api/webhooks/incoming/tracker", map[string]any{"kind": "github"}, &made)
	for range 2 { // it is sent again
		if code, said := h.post(made.Path, issue, "X-Hub-Signature-256", signed(made.Secret, issue), "X-GitHub-Event", "issues", "X-GitHub-Delivery", "d1"); code != http.StatusOK {
			t.Fatalf("%d %s", code, said)
		}
	}
	var open []struct {
		Run struct {
			ID     string `json:"id"`
			State  string `json:"state"`
			Reason string `json:"reason"`
		} `json:"run"`
	}
	h.eventually("the instance is done", func() bool {
		h.call(http.MethodGet, "/api/instances?workflow=bug-triage", nil, &open)
		return len(open) == 1 && open[0].Run.State == "done"
	})
	var tickets struct {
		Items []struct {
			Outside bool `json:"outside"`
			Body    struct{ Title, Description, Priority string }
		} `json:"items"`
	}
	h.call(http.MethodGet, "/api/projects/"+project.ID+"/tickets", nil, &tickets)
	if len(open) != 1 || len(tickets.Items) != 1 || tickets.Items[0].Body.Title != "Login fails" || tickets.Items[0].Body.Priority != "HIGH" || !tickets.Items[0].Outside {
		t.Errorf("instances %+v, tickets %+v", open, tickets.Items)
	}
}

// TestDoor_WhatATriggerCannotReadIsShown: what comes without the field that a trigger reads is a failure of the workflow, with the event.
func TestDoor_WhatATriggerCannotReadIsShown(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{Change: func(c *config.Config) { c.Vault.Key, c.NoSchedules = "file", false }})
	h := &house{t, d.URL, d.Token}
	const source = "slug: note\nname: Note\ninputs: [{name: title, type: string, required: true}]\ntriggers: [{webhook: tracker, inputs: {title: \"${event.payload.heading}\"}}]\nsteps: [{id: a, transform: x}]\n"
	h.call(http.MethodPost, "/api/workflows", map[string]string{"source": source}, nil)
	h.call(http.MethodPost, "/api/workflows/note/deploy", map[string]int{"version": 1}, nil)
	var made struct {
		Path   string `json:"path"`
		Secret string `json:"secret"`
	}
	h.call(http.MethodPut, "/api/webhooks/incoming/tracker", map[string]any{"kind": "github"}, &made)
	if code, said := h.post(made.Path, issue, "X-Hub-Signature-256", signed(made.Secret, issue), "X-GitHub-Event", "issues", "X-GitHub-Delivery", "d1"); code != http.StatusOK {
		t.Fatalf("%d %s", code, said)
	}
	type failing struct {
		Failures []library.TriggerFailure `json:"failures"`
	}
	var got failing
	h.eventually("the failure is shown", func() bool {
		h.call(http.MethodGet, "/api/workflows/note", nil, &got)
		return len(got.Failures) == 1
	})
	f := got.Failures[0]
	if f.On != "webhook tracker" || f.Type != library.WebhookType || f.Event == "" || f.Count != 1 || f.Problem != "The expression event.payload.heading cannot be computed: no such key: heading." {
		t.Errorf("shown is %+v", f)
	}
	var list []failing
	if h.call(http.MethodGet, "/api/workflows", nil, &list); len(list) != 1 || len(list[0].Failures) != 1 {
		t.Errorf("the list has %+v", list)
	}
	h.call(http.MethodPost, "/api/workflows", map[string]string{"source": strings.Replace(source, "title: \"${event.payload.heading}\"", "title: \"${event.payload.title}\"", 1)}, nil)
	h.call(http.MethodPost, "/api/workflows/note/deploy", map[string]int{"version": 2}, nil)
	if h.call(http.MethodGet, "/api/workflows/note", nil, &got); len(got.Failures) > 0 {
		t.Errorf("another version has %+v", got.Failures)
	}
}
