package test

import (
	"net/http"
	"strings"
	"testing"

	"chela/internal/fault"
)

type draftAnswer struct {
	Revision int    `json:"revision"`
	Version  int    `json:"version"`
	Saved    bool   `json:"saved"`
	Source   string `json:"source"`
	Undo     int    `json:"undo"`
	Redo     int    `json:"redo"`
	Graph    struct {
		Nodes []struct {
			Path     string                  `json:"path"`
			Findings []struct{ Text string } `json:"findings"`
			Position *struct{ X, Y float64 } `json:"position"`
		} `json:"nodes"`
	} `json:"graph"`
}

// TestDraft_TwoPeopleEditOne begins a draft, has two people edit it at once, undoes, redoes, saves and deploys it.
func TestDraft_TwoPeopleEditOne(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		d := s.running(t)
		ben, _ := d.member(t, "Ben", "editor")
		viewer, _ := d.member(t, "Vic", "viewer")
		var got draftAnswer
		d.must(t, http.MethodPut, "/api/workflows/triage/draft", map[string]any{"base": 0, "source": "# Ours.\n" + strings.TrimLeft(triage, "\n")}, &got)
		if got.Revision != 1 || got.Version != 0 || got.Saved {
			t.Fatalf("begun: %+v", got)
		}
		edit := func(who *daemon, base int, ops ...map[string]any) (out draftAnswer, err error) {
			err = who.try(http.MethodPost, "/api/workflows/triage/edits", map[string]any{"base": base, "operations": ops}, &out)
			return out, err
		}
		title := func(node, text string) map[string]any {
			return map[string]any{"op": "update_property", "node": node, "path": "title", "value": text}
		}
		if _, err := edit(viewer, 1, title("gate", "x")); fault.KindOf(err) != fault.Denied {
			t.Errorf("a viewer edits: %v", err)
		}
		if _, err := edit(d, 1, title("gate", "Decide"), map[string]any{"op": "move_node", "node": "gate", "position": map[string]any{"x": 5, "y": 6}}); err != nil {
			t.Fatal(err)
		}
		got, err := edit(ben, 1, title("ask", "Ask"), map[string]any{"op": "rename_node", "node": "classify", "id": "judge"})
		if err != nil || got.Revision != 3 || !strings.Contains(got.Source, "title: Decide") || !strings.Contains(got.Source, "title: Ask") || !strings.Contains(got.Source, "${judge.severity}") || !strings.HasPrefix(got.Source, "# Ours.\n") {
			t.Fatalf("%v: %+v", err, got)
		}
		if got, err = edit(d, 2, title("classify", "Judge"), title("gate", "Decided")); err != nil || !strings.Contains(got.Source, "id: judge\n    title: Judge") {
			t.Errorf("an edit does not follow a rename: %v\n%s", err, got.Source)
		}
		if _, err = edit(ben, 4, map[string]any{"op": "delete_node", "node": "note"}); err != nil {
			t.Fatal(err)
		}
		if _, err = edit(d, 4, title("note", "x")); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "Ben deleted the step note") {
			t.Errorf("an edit of a deleted step: %v", err)
		}
		d.must(t, http.MethodPost, "/api/workflows/triage/draft/undo", map[string]any{}, &got)
		if strings.Contains(got.Source, "Decided") || !strings.Contains(got.Source, "title: Decide\n") || strings.Contains(got.Source, "id: note") || got.Redo == 0 {
			t.Errorf("undone: %+v", got)
		}
		got = draftAnswer{}
		d.must(t, http.MethodPost, "/api/workflows/triage/draft/redo", nil, &got)
		if !strings.Contains(got.Source, "title: Decided") || got.Redo != 0 {
			t.Errorf("redone: %+v", got)
		}
		if err := d.try(http.MethodPost, "/api/workflows/triage/draft/undo", map[string]any{"revision": 3}, nil); err != nil {
			t.Errorf("Ben's edit cannot be undone by name: %v", err)
		}
		ben.must(t, http.MethodGet, "/api/workflows/triage/draft", nil, &got)
		if !strings.Contains(got.Source, "id: classify") {
			t.Errorf("got\n%s", got.Source)
		}
		saves(t, d, got)
	})
}

// saves writes a text with findings, which is no version, then saves the draft, deploys it and discards another.
func saves(t *testing.T, d *daemon, got draftAnswer) {
	t.Helper()
	bad := strings.Replace(got.Source, "${inputs.report}", "${inputs.nothing}", 1)
	d.must(t, http.MethodPut, "/api/workflows/triage/draft", map[string]any{"base": got.Revision, "source": bad}, &got)
	if len(got.Graph.Nodes[0].Findings) != 1 {
		t.Errorf("the findings are %+v", got.Graph.Nodes)
	}
	if err := d.try(http.MethodPost, "/api/workflows/triage/draft/save", map[string]any{}, nil); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a draft with findings is saved: %v", err)
	}
	if err := d.try(http.MethodPut, "/api/workflows/triage/draft", map[string]any{"base": got.Revision, "source": "slug: triage\nsteps: [\n"}, nil); fault.KindOf(err) != fault.Invalid {
		t.Errorf("what is no YAML is taken: %v", err)
	}
	if err := d.try(http.MethodPut, "/api/workflows/triage/draft", map[string]any{"base": got.Revision - 1, "source": strings.Replace(bad, "${inputs.nothing}", "${inputs.other}", 1)}, nil); fault.KindOf(err) != fault.Conflict {
		t.Errorf("the same line is written over: %v", err)
	}
	d.must(t, http.MethodPost, "/api/workflows/triage/draft/undo", map[string]any{}, &got)
	var v struct{ Version int }
	d.must(t, http.MethodPost, "/api/workflows/triage/draft/save", map[string]any{"note": "By two."}, &v)
	d.must(t, http.MethodPost, "/api/workflows/triage/deploy", map[string]any{"version": v.Version}, nil)
	d.must(t, http.MethodGet, "/api/workflows/triage/draft", nil, &got)
	if !got.Saved || got.Version != 1 || got.Graph.Nodes[1].Position == nil || got.Graph.Nodes[1].Position.Y != 6 {
		t.Errorf("saved: %+v", got)
	}
	d.must(t, http.MethodPost, "/api/workflows/triage/edits", map[string]any{"base": got.Revision, "operations": []any{map[string]any{"op": "delete_node", "node": "end"}}}, &got)
	d.must(t, http.MethodDelete, "/api/workflows/triage/draft", nil, nil)
	before := got.Revision
	d.must(t, http.MethodGet, "/api/workflows/triage/draft", nil, &got)
	if !got.Saved || got.Revision != before+1 || !strings.Contains(got.Source, "id: end") {
		t.Errorf("discarded: %+v", got)
	}
	if err := d.try(http.MethodPost, "/api/workflows/triage/edits", map[string]any{"base": before, "operations": []any{map[string]any{"op": "delete_node", "node": "end"}}}, nil); fault.KindOf(err) != fault.Conflict {
		t.Errorf("an edit of a discarded draft: %v", err)
	}
}
