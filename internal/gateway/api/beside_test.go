package api_test

import (
	"net/http"
	"testing"
	"time"

	"chela/internal/testkit/daemontest"
)

// TestDecide_BesideWork: the question of a step is answered while another step of the instance is at work, once.
func TestDecide_BesideWork(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{Script: `{"otherwise":[{"agentName":"","responseFallback":"Written.","waitsSeconds":4}]}`})
	e := &edge{t: t, url: d.URL, owner: d.Token}
	const source = "slug: beside\nname: Beside\nsteps:\n  - {id: ask, needs: [], wait: {person: {ask: \"Go on?\"}}}\n" +
		"  - {id: write, needs: [], agent: {name: generalist, task: Write it.}}\noutput: \"${ask.choice}\"\n"
	e.call(e.owner, http.MethodPost, "/api/workflows", map[string]string{"source": source}, nil)
	e.call(e.owner, http.MethodPost, "/api/workflows/beside/deploy", map[string]int{"version": 1}, nil)
	var begun struct {
		Run string `json:"runId"`
	}
	e.call(e.owner, http.MethodPost, "/api/workflows/beside/run", map[string]any{}, &begun)
	var asked []struct{ ID string }
	for end := time.Now().Add(20 * time.Second); len(asked) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nobody is asked")
		}
		e.call(e.owner, http.MethodGet, "/api/approvals?status=pending", nil, &asked)
	}
	path := "/api/approvals/" + asked[0].ID
	e.call(e.owner, http.MethodPost, path, map[string]string{"choice": "deny"}, nil)
	second, _ := e.member("Ann", "editor")
	if code, said, _ := e.send(second, http.MethodPost, path, `{"choice":"approve"}`); code != http.StatusConflict {
		t.Errorf("a second answer: got %d %s, want 409", code, said)
	}
	var at struct {
		Run    struct{ State string }
		Output struct{ Output string }
	}
	for end := time.Now().Add(20 * time.Second); at.Run.State != "done"; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it did not end: %+v", at)
		}
		e.call(e.owner, http.MethodGet, "/api/instances/"+begun.Run, nil, &at)
	}
	if at.Output.Output != "deny" {
		t.Errorf("got %q, want the first answer", at.Output.Output)
	}
}
