package api_test

import (
	"net/http"
	"testing"
	"time"

	"chela/internal/testkit/daemontest"
)

// TestInstance_HearsBesideWork: an event that comes while another step of the instance is at work is heard when that has ended.
func TestInstance_HearsBesideWork(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{Script: `{"otherwise":[{"agentName":"","responseFallback":"Written.","waitsSeconds":4}]}`})
	e := &edge{t: t, url: d.URL, owner: d.Token}
	const source = "slug: hears\nname: Hears\nsteps:\n  - {id: heard, needs: [], wait: {event: {type: desk.ticket.created}}}\n" +
		"  - {id: write, needs: [], agent: {name: generalist, task: Write it.}}\n"
	e.call(e.owner, http.MethodPost, "/api/workflows", map[string]string{"source": source}, nil)
	e.call(e.owner, http.MethodPost, "/api/workflows/hears/deploy", map[string]int{"version": 1}, nil)
	var project struct{ ID string }
	e.call(e.owner, http.MethodPost, "/api/projects", map[string]string{"name": "Payments"}, &project)
	var begun struct {
		Run string `json:"runId"`
	}
	e.call(e.owner, http.MethodPost, "/api/workflows/hears/run", map[string]any{}, &begun)
	var at struct {
		Run   struct{ State string }
		Steps []struct{ Path, State string }
	}
	reads := func(done func() bool, what string) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); !done(); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: %+v", what, at)
			}
			e.call(e.owner, http.MethodGet, "/api/instances/"+begun.Run, nil, &at)
		}
	}
	reads(func() bool { return len(at.Steps) == 2 }, "its steps do not begin")
	e.call(e.owner, http.MethodPost, "/api/projects/"+project.ID+"/tickets", map[string]string{"title": "Renew it"}, nil)
	reads(func() bool { return at.Run.State == "done" }, "it hears nothing")
}
