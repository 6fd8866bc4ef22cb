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

func TestUndo_BringsADeletedProjectBack(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	project, tickets := e.newProject("Gone")
	at := "/api/projects/" + project
	e.call(e.owner, http.MethodDelete, at+"/tickets/"+tickets[1], nil, nil)
	var took api.Took
	e.call(e.owner, http.MethodDelete, at, nil, &took)
	undo := `{"run":"` + took.Run + `"}`
	editor, _ := e.member("Eda", "editor")
	if code, said, _ := e.send(editor, http.MethodPost, "/api/undo", undo); code != http.StatusForbidden {
		t.Errorf("an editor's undo answers %d %s, want 403", code, said)
	}
	var again struct {
		ID string `json:"id"`
	}
	e.call(e.owner, http.MethodPost, "/api/projects", map[string]string{"name": "gone"}, &again)
	if code, said, _ := e.send(e.owner, http.MethodPost, "/api/undo", undo); code != http.StatusConflict || !strings.Contains(said, again.ID) {
		t.Errorf("while another has the name the undo answers %d %s, want 409 and %s", code, said, again.ID)
	}
	e.call(e.owner, http.MethodPatch, "/api/projects/"+again.ID, map[string]string{"name": "Other"}, nil)
	var out api.UndoOut
	e.call(e.owner, http.MethodPost, "/api/undo", map[string]any{"run": took.Run, "preview": true}, &out)
	if code, _, _ := e.send(e.owner, http.MethodGet, at, ""); code != http.StatusNotFound || len(out.Changed) != 2 {
		t.Errorf("after the preview the project answers %d and %d records would come back, want 404 and 2", code, len(out.Changed))
	}
	e.call(e.owner, http.MethodPost, "/api/undo", map[string]string{"run": took.Run}, &out)
	var list struct {
		Items []struct {
			ID string `json:"id"`
		} `json:"items"`
	}
	e.call(e.owner, http.MethodGet, at+"/tickets", nil, &list)
	if len(list.Items) != 1 || list.Items[0].ID != tickets[0] || len(out.Kept) > 0 {
		t.Errorf("there are the tickets %v and kept is %v, want %s alone: the other was deleted before", list.Items, out.Kept, tickets[0])
	}
}
