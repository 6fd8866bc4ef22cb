package test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/library"
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

// TestDraft_ToolsEditIt has programs edit a draft by tools, keeps files beside it, and has an instance's agent read those of
// its own version.
func TestDraft_ToolsEditIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(r request) any {
		if n, _ := r.since(); n > 0 {
			return text("As the template says: " + lastResult(r))
		}
		return toolCall("sandbox_read_file", `{"workflow":"letter","path":"templates/a.md"}`)
	})
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	viewer, _ := d.member(t, "Vic", "viewer")
	d.must(t, http.MethodPut, "/api/workflows/letter/draft", map[string]any{"base": 0, "source": "slug: letter\nname: Letter\nsteps:\n  # First.\n  - id: begin\n    transform: {a: 1}\n"}, nil)
	does := func(tool, args string) string {
		t.Helper()
		got := d.invoke(t, tool, "", args)
		if !got.Success {
			t.Fatalf("%s %s: %+v", tool, args, got)
		}
		return string(got.Output)
	}
	if out := does("canvas_create_node", `{"workflow":"letter","id":"write","needs":["begin"],"yaml":"agent: {name: plan-agent, task: ''} # who plans"}`); !strings.Contains(out, `"node":"write"`) || !strings.Contains(out, "findings") {
		t.Errorf("created: %s", out)
	}
	does("canvas_update_property", `{"workflow":"letter","node":"write","path":"agent.task","value":"Write a letter."}`)
	does("canvas_create_node", `{"workflow":"letter","id":"spare","kind":"wait"}`)
	does("canvas_connect_nodes", `{"workflow":"letter","from":"write","to":"spare"}`)
	does("canvas_update_property", `{"workflow":"letter","node":"spare","path":"id","value":"other"}`)
	if out := does("canvas_delete_node", `{"workflow":"letter","node":"other"}`); strings.Contains(out, "findings") {
		t.Errorf("deleted: %s", out)
	}
	does("sandbox_create_file", `{"workflow":"letter","path":"templates/a.md","content":"Dear team"}`)
	if out := does("sandbox_list_directory", `{"workflow":"letter"}`); !strings.Contains(out, `"templates/"`) {
		t.Errorf("listed: %s", out)
	}
	if out := does("canvas_get_state", `{"workflow":"letter"}`); !strings.Contains(out, "# First.") {
		t.Errorf("the state: %s", out)
	}
	for _, path := range []string{"../a", "/etc/passwd", "a/../../b", `a\b`} {
		raw, _ := json.Marshal(map[string]string{"workflow": "letter", "path": path, "content": "x"})
		if got := d.invoke(t, "sandbox_create_file", "", string(raw)); got.Success || !strings.Contains(got.Error, "names no file") {
			t.Errorf("%q: %+v", path, got)
		}
	}
	if err := d.try("POST", "/api/tools/sandbox_create_file/invoke", rawJSON(`{"workflow":"letter","path":"a\u0000b","content":"x"}`), nil); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a path with a NUL character: %v", err)
	}
	if got := viewer.invoke(t, "canvas_delete_node", "", `{"workflow":"letter","node":"write"}`); got.Success {
		t.Errorf("a viewer deletes a node: %+v", got)
	}
	var v struct{ Version int }
	d.must(t, http.MethodPost, "/api/workflows/letter/draft/save", map[string]any{}, &v)
	d.must(t, http.MethodPost, "/api/workflows/letter/deploy", map[string]any{"version": v.Version}, nil)
	does("sandbox_create_file", `{"workflow":"letter","path":"templates/a.md","content":"Dear nobody"}`)
	if in := d.settles(t, d.begins(t, "letter", nil)); in.Run.State != "done" || !strings.Contains(string(in.Output), "Dear team") {
		t.Errorf("%+v %s", in, in.Output)
	}
	var exported struct {
		Bundle []byte `json:"bundle"`
	}
	d.must(t, http.MethodGet, "/api/workflows/letter/export", nil, &exported)
	b, problems, err := library.ReadBundle(exported.Bundle)
	if err != nil || problems != nil || b.Files["templates/a.md"] != "Dear team" {
		t.Errorf("%+v %v %v", b.Files, problems, err)
	}
}
