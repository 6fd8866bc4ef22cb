package api_test

import (
	"net/http"
	"slices"
	"testing"
	"time"
)

// TestRetry_DoesAnewWhatWasUndone: a retry takes over no step that was undone when the instance failed, none that holds
// such a step, and none that needs one.
func TestRetry_DoesAnewWhatWasUndone(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	var project struct {
		ID string `json:"id"`
	}
	e.call(e.owner, http.MethodPost, "/api/projects", map[string]string{"name": "Payments"}, &project)
	const source = `
slug: again
name: Again
inputs: [{name: project, type: project, required: true}, {name: n, type: integer, default: 0}]
steps:
  - id: day
    transform: "${run.date}"
  - id: each
    map:
      over: "${[1, 2]}"
      do:
        - id: open
          tool: {name: create_ticket, args: {title: "Ticket ${item}, ${inputs.n}"}}
          compensate: {name: update_ticket, args: {ticketId: "${open.data.id}", status: CLOSED}}
  - id: say
    transform: "${each.results[0].data.id}"
  - id: divide
    transform: "${1 / inputs.n}"
output: {first: "${say}"}
`
	e.call(e.owner, http.MethodPost, "/api/workflows", map[string]string{"source": source}, nil)
	e.call(e.owner, http.MethodPost, "/api/workflows/again/deploy", map[string]int{"version": 1}, nil)
	begun := struct {
		Run string `json:"runId"`
	}{}
	e.call(e.owner, http.MethodPost, "/api/workflows/again/run", map[string]any{"inputs": map[string]any{"project": project.ID}}, &begun)
	type stands struct {
		Run   struct{ State, Reason string }
		Steps []struct{ Path, State string }
	}
	ended := func() stands {
		t.Helper()
		var at stands
		for end := time.Now().Add(20 * time.Second); !slices.Contains([]string{"done", "failed"}, at.Run.State); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("it did not end: %+v", at)
			}
			at = stands{}
			e.call(e.owner, http.MethodGet, "/api/instances/"+begun.Run, nil, &at)
		}
		return at
	}
	if at := ended(); at.Run.State != "failed" {
		t.Fatalf("got %+v, want a failed instance", at)
	}
	e.call(e.owner, http.MethodPost, "/api/instances/"+begun.Run+"/retry", map[string]any{"from": "divide", "inputs": map[string]any{"n": 1}}, &begun)
	if at := ended(); at.Run.State != "done" {
		t.Fatalf("got %+v, want a done instance", at)
	}
	var tickets struct {
		Items []struct {
			ID   string
			Body struct{ Title, Status string }
		}
	}
	e.call(e.owner, http.MethodGet, "/api/projects/"+project.ID+"/tickets", nil, &tickets)
	open := 0
	for _, r := range tickets.Items {
		if r.Body.Status != "CLOSED" {
			open++
		}
	}
	if len(tickets.Items) != 4 || open != 2 {
		t.Errorf("got %+v, want two tickets that are closed and two that are open", tickets.Items)
	}
}
