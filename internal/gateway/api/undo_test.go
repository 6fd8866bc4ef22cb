package api_test

import (
	"net/http"
	"strings"
	"testing"

	"chela/internal/gateway/api"
)

func TestUndo_TakesBackABulkEditByItsRun(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	var p, one struct {
		ID string `json:"id"`
	}
	e.call(e.owner, http.MethodPost, "/api/projects", map[string]string{"name": "Payments"}, &p)
	tickets := "/api/projects/" + p.ID + "/tickets"
	e.call(e.owner, http.MethodPost, tickets, map[string]string{"title": "Login"}, &one)
	code, said, h := e.send(e.owner, http.MethodPost, tickets+"/bulk", `{"ids":["`+one.ID+`"],"set":{"priority":"CRITICAL"}}`, "Content-Type", "application/json")
	run := h.Get(api.RunHeader)
	if code != http.StatusOK || !strings.HasPrefix(run, "run_") {
		t.Fatalf("the bulk edit answers %d %s with the run %q, want 200 and a run", code, said, run)
	}
	priority := func() string {
		var r struct {
			Body struct {
				Priority string `json:"priority"`
			} `json:"body"`
		}
		e.call(e.owner, http.MethodGet, tickets+"/"+one.ID, nil, &r)
		return r.Body.Priority
	}
	viewer, _ := e.member("Vera", "viewer")
	if code, _, _ := e.send(viewer, http.MethodPost, "/api/undo", `{"run":"`+run+`"}`, "Content-Type", "application/json"); code != http.StatusForbidden {
		t.Errorf("a viewer's undo answers %d, want 403", code)
	}
	var out api.UndoOut
	e.call(e.owner, http.MethodPost, "/api/undo", map[string]any{"run": run, "preview": true}, &out)
	if got := priority(); len(out.Changed) != 1 || got != "CRITICAL" {
		t.Errorf("the preview names %d changes and the priority is %s, want 1 and CRITICAL still", len(out.Changed), got)
	}
	e.call(e.owner, http.MethodPost, "/api/undo", map[string]any{"run": run}, &out)
	if got := priority(); got != "MEDIUM" {
		t.Errorf("after the undo the priority is %s, want MEDIUM", got)
	}
	e.call(e.owner, http.MethodPost, "/api/undo", map[string]any{"projectId": p.ID}, &out) // the last change: the undo
	if got := priority(); got != "CRITICAL" {
		t.Errorf("after the undo of the undo the priority is %s, want CRITICAL", got)
	}
}

func TestUndo_SaysWhatCannotBeTakenBack(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	for body, want := range map[string]string{
		`{}`:                     "Say what is taken back",
		`{"run":"run_nobody"}`:   "changed no record",
		`{"event":"msg_nobody"}`: "not in the log",
	} {
		if code, said, _ := e.send(e.owner, http.MethodPost, "/api/undo", body, "Content-Type", "application/json"); code < 400 || !strings.Contains(said, want) {
			t.Errorf("%s answers %d %s, want a refusal that says %q", body, code, said, want)
		}
	}
}
