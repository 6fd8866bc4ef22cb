package canvas_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chela/internal/canvas"
	"chela/internal/definition"
	"chela/internal/fault"
)

// sources are the shipped workflows with a comment of its own above and behind each step's id.
func sources(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../library/shipped/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	out := []string{commented}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(raw))
	}
	for i, src := range out {
		var lines []string
		for n, l := range strings.Split(src, "\n") {
			trimmed := strings.TrimLeft(l, " ")
			if strings.HasPrefix(trimmed, "- id: ") && !strings.Contains(l, "#") {
				pad := strings.Repeat(" ", len(l)-len(trimmed))
				lines = append(lines, fmt.Sprintf("%s# above %d", pad, n), fmt.Sprintf("%s # behind %d", l, n))
				continue
			}
			lines = append(lines, l)
		}
		out[i] = strings.Join(lines, "\n")
	}
	return out
}

// marks are the comments of each step, by its path.
func marks(g canvas.Graph, src string) map[string][]string {
	out := make(map[string][]string)
	lines := strings.Split(src, "\n")
	for _, n := range g.Nodes {
		at := lines[n.Line-1]
		if i := strings.Index(at, "# behind"); i >= 0 {
			out[n.Path] = []string{at[i:], strings.Replace(at[i:], "behind", "above", 1)}
		}
	}
	return out
}

func drawOperation(rt *rapid.T, g canvas.Graph) canvas.Operation {
	node := func(label string) string {
		return rapid.SampledFrom(g.Nodes).Draw(rt, label).Path
	}
	value := func() json.RawMessage {
		raw, _ := json.Marshal(rapid.OneOf(
			rapid.Map(rapid.SampledFrom([]string{"", "x", "a: b # c", "true", "- 1", "one\ntwo\n", " lead", "tail ", "one\n\n\ntwo", "ü ${inputs.x}", "'", "\"", "2d", "#", "a\tb", "\u0085", "{", "1e3"}), func(s string) any { return s }),
			rapid.Map(rapid.String(), func(s string) any { return s }),
		).Draw(rt, "value"))
		return raw
	}
	switch rapid.IntRange(0, 8).Draw(rt, "op") {
	case 0:
		op := canvas.Operation{Op: canvas.CreateNode, Kind: rapid.SampledFrom([]definition.Kind{"agent", "tool", "model", "rule", "branch", "loop", "map", "wait", "workflow", "transform"}).Draw(rt, "kind")}
		n := rapid.SampledFrom(g.Nodes).Draw(rt, "near")
		if op.In = n.In; rapid.Bool().Draw(rt, "after") {
			op.After = n.ID
		}
		if n.Kind == "map" || n.Kind == "loop" {
			op.In, op.After = n.Path, ""
		}
		return op
	case 1:
		return canvas.Operation{Op: canvas.ConnectNodes, From: node("from"), To: node("to")}
	case 2:
		if len(g.Edges) > 0 {
			e := rapid.SampledFrom(g.Edges).Draw(rt, "edge")
			return canvas.Operation{Op: canvas.DisconnectNodes, From: e.From, To: e.To, Outcome: e.Outcome}
		}
	case 3:
		return canvas.Operation{Op: canvas.DeleteNode, Node: node("node")}
	case 4:
		return canvas.Operation{Op: canvas.RenameNode, Node: node("node"), ID: fmt.Sprintf("n%d", rapid.IntRange(0, 5).Draw(rt, "id"))}
	case 5:
		return canvas.Operation{Op: canvas.UpdateProperty, Node: node("node"), Path: "retry", Value: json.RawMessage(`{"times":2,"wait":"1s"}`)}
	case 6:
		path := rapid.SampledFrom([]string{"description", "name", `tests[0].given["some.path"]`, "output.x"}).Draw(rt, "path")
		return canvas.Operation{Op: canvas.UpdateProperty, Path: path, Value: value()}
	}
	path := rapid.SampledFrom([]string{"title", "when", "compensate.args.text", "contract[0].holds", "transform"}).Draw(rt, "path")
	return canvas.Operation{Op: canvas.UpdateProperty, Node: node("node"), Path: path, Value: value()}
}

// TestApply_AnySequence holds of any operations that the text stays a workflow, that comments of steps that are not
// deleted stay, that what an edit did can be taken back and played again, and that a value is read back as written.
func TestApply_AnySequence(t *testing.T) {
	t.Parallel()
	all := sources(t)
	applied := 0
	rapid.Check(t, func(rt *rapid.T) {
		d := canvas.Draft{Source: rapid.SampledFrom(all).Draw(rt, "source")}
		for range 4 {
			g, err := canvas.Draw(d, nil)
			if err != nil {
				rt.Fatalf("the draft cannot be drawn: %v\n%s", err, d.Source)
			}
			if len(g.Nodes) == 0 {
				return
			}
			op := drawOperation(rt, g)
			out, err := canvas.Apply(d, []canvas.Operation{op})
			if err != nil {
				if fault.KindOf(err) != fault.Invalid {
					rt.Fatalf("%+v: %v", op, err)
				}
				if strings.Contains(err.Error(), "written in a way") {
					rt.Fatalf("%+v cannot be written in\n%s", op, d.Source)
				}
				continue
			}
			applied++
			holds(rt, d, out, op)
			d = out.Draft
		}
	})
	if applied < 50 {
		t.Errorf("only %d operations were applied", applied)
	}
}

func holds(rt *rapid.T, d canvas.Draft, out canvas.Outcome, op canvas.Operation) {
	before, _ := canvas.Draw(d, nil)
	after, err := canvas.Draw(out.Draft, nil)
	if err != nil {
		rt.Fatalf("after %+v the draft cannot be drawn: %v\n%s", op, err, out.Source)
	}
	for path, own := range marks(before, d.Source) {
		if op.Op == canvas.DeleteNode && (path == op.Node || strings.HasPrefix(path, op.Node+".")) {
			continue
		}
		for _, m := range own {
			if !strings.Contains(out.Source, m+"\n") {
				rt.Fatalf("%+v lost the comment %q of %s:\n%s\nwas\n%s", op, m, path, out.Source, d.Source)
			}
		}
	}
	if op.Op == canvas.DeleteNode && len(after.Nodes) >= len(before.Nodes) || op.Op == canvas.CreateNode && len(after.Nodes) != len(before.Nodes)+1 {
		rt.Fatalf("%+v: %d nodes became %d", op, len(before.Nodes), len(after.Nodes))
	}
	splices := canvas.Splices(canvas.Clean(d.Source), out.Source)
	if back, err := canvas.Back(out.Source, splices); err != nil || back != canvas.Clean(d.Source) {
		rt.Fatalf("%+v cannot be taken back: %v", op, err)
	}
	if again, err := canvas.Play(canvas.Clean(d.Source), splices); err != nil || again != out.Source {
		rt.Fatalf("%+v cannot be played again: %v", op, err)
	}
}

// FuzzApply holds that no text and no operations break anything: they are applied, or refused with a sentence.
func FuzzApply(f *testing.F) {
	f.Add(commented, `[{"op":"delete_node","node":"gate"}]`)
	f.Add("slug: a\nname: b\nsteps: [{id: a, wait: {for: 1h}}]", `[{"op":"create_node","kind":"map"},{"op":"update_property","node":"a","path":"wait.for","value":"2h"}]`)
	f.Add("steps:\n- - x\n", `[{"op":"update_property","path":"a[0][0]","value":{"b":[1,null]}}]`)
	f.Add("steps:\n- id: a\n  transform: \"x\n    # y\"\n", `[{"op":"rename_node","node":"a","id":"b"},{"op":"create_node","yaml":"{id: x, wait: {for: 1s}}"}]`)
	f.Fuzz(func(t *testing.T, src, raw string) {
		var list []canvas.Operation
		if json.Unmarshal([]byte(raw), &list) != nil {
			return
		}
		out, err := canvas.Apply(canvas.Draft{Source: src}, list)
		if err != nil {
			if k := fault.KindOf(err); k != fault.Invalid && k != fault.TooLarge {
				t.Errorf("%q, %s: %v", src, raw, err)
			}
			return
		}
		if _, problems := definition.Parse([]byte(out.Source)); problems != nil {
			t.Errorf("%q, %s: became\n%s\n%s", src, raw, out.Source, problems.In("it"))
		}
	})
}
