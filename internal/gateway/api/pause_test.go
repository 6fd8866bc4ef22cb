package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestPause_InstancesThatWait: an instance that waits for a time, a person or an event is paused; what comes meanwhile begins nothing and is
// taken when it is resumed.
func TestPause_InstancesThatWait(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	var project struct {
		ID string `json:"id"`
	}
	e.call(e.owner, http.MethodPost, "/api/projects", map[string]string{"name": "Payments"}, &project)
	type standing struct {
		Run struct {
			State    string `json:"state"`
			WaitsFor string `json:"waits_for"`
			Reason   string `json:"reason"`
			Segment  int    `json:"segment"`
		} `json:"run"`
		Output struct{ Output struct{ Is string } } `json:"output"`
	}
	stands := func(id string) (out standing) {
		t.Helper()
		e.call(e.owner, http.MethodGet, "/api/instances/"+id, nil, &out)
		return out
	}
	until := func(id, state, waits string) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			is := stands(id)
			if is.Run.State == state && (waits == "" || strings.HasPrefix(is.Run.WaitsFor, waits)) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("the instance is %s for %q: %s; want %s for %q", is.Run.State, is.Run.WaitsFor, is.Run.Reason, state, waits)
			}
		}
	}
	for name, c := range map[string]struct {
		wait, waits, after string
		comes              func(id string)
	}{
		"time": {"for: 400ms", "time", "", func(string) { time.Sleep(600 * time.Millisecond) }},
		"person": {`person: {ask: "Go on?"}`, "approval:", "approve", func(id string) {
			var asked []struct{ ID, Run string }
			e.call(e.owner, http.MethodGet, "/api/approvals?status=pending", nil, &asked)
			for _, q := range asked {
				if q.Run == id {
					e.call(e.owner, http.MethodPost, "/api/approvals/"+q.ID, map[string]string{"choice": "approve"}, nil)
				}
			}
		}},
		"event": {`event: {type: desk.ticket.created, when: event.payload.set.title == "Ship"}`, "event:", "Ship", func(string) {
			e.call(e.owner, http.MethodPost, "/api/projects/"+project.ID+"/tickets", map[string]string{"title": "Ship"}, nil)
			time.Sleep(400 * time.Millisecond) // it is heard
		}},
	} {
		t.Run(name, func(t *testing.T) {
			gives := map[string]string{"time": `""`, "person": `"${rest.choice}"`, "event": `"${rest.event.payload.set.title}"`}[name]
			e.call(e.owner, http.MethodPost, "/api/workflows", map[string]string{"source": "slug: p-" + name + "\nname: Rest\nsteps: [{id: rest, wait: {" + c.wait + "}}]\noutput: {is: " + gives + "}\n"}, nil)
			e.call(e.owner, http.MethodPost, "/api/workflows/p-"+name+"/deploy", map[string]int{"version": 1}, nil)
			var begun struct {
				Run string `json:"runId"`
			}
			e.call(e.owner, http.MethodPost, "/api/workflows/p-"+name+"/run", map[string]any{}, &begun)
			until(begun.Run, "waiting", c.waits)
			e.call(e.owner, http.MethodPost, "/api/runs/"+begun.Run+"/pause", nil, nil)
			until(begun.Run, "waiting", "resume")
			c.comes(begun.Run)
			is := stands(begun.Run)
			if is.Run.State != "waiting" || is.Run.WaitsFor != "resume" || is.Run.Segment != 1 || !strings.HasPrefix(is.Run.Reason, "Somebody paused it. Until then: ") {
				t.Errorf("while it is paused it is %+v", is.Run)
			}
			var why struct{ Why string }
			if e.call(e.owner, http.MethodGet, "/api/runs/"+begun.Run+"/trace", nil, &why); !strings.Contains(why.Why, "chela run resume "+begun.Run) {
				t.Errorf("it says %q", why.Why)
			}
			if code, said, _ := e.send(e.owner, http.MethodPost, "/api/runs/"+begun.Run+"/pause", ""); code != http.StatusConflict || !strings.Contains(said, "is paused already") {
				t.Errorf("paused again: %d %s", code, said)
			}
			e.call(e.owner, http.MethodPost, "/api/runs/"+begun.Run+"/resume", nil, nil)
			until(begun.Run, "done", "")
			if is := stands(begun.Run); is.Output.Output.Is != c.after {
				t.Errorf("it gives %+v, want %q", is.Output, c.after)
			}
		})
	}
}
