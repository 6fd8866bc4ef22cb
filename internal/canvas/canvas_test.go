package canvas_test

import (
	"encoding/json"
	"strings"
	"testing"

	"chela/internal/canvas"
	"chela/internal/definition"
	"chela/internal/fault"
)

const commented = `# A workflow.
slug: triage # its name
name: Triage
inputs:
- {name: report, type: text, required: true} # what came
steps:
  # First it is looked at.
  - id: classify # by a model
    model: # no tools
      prompt: |
        How severe?
        # not a comment
        ${inputs.report}
      # the form
      schema: {type: object, properties: {severity: {type: string}}, required: [severity]}
    retry: {times: 2} # it may fail

  # Then it is decided.
  - id: gate
    branch:
      - {case: urgent, when: classify.severity == "critical"}
      # the rest
      - {case: later}

  - id: open
    needs: [gate.urgent]
    tool: {name: create_ticket, args: {title: "Critical: ${inputs.report} ${classify.severity}"}}
  # Each part.
  - id: each
    needs: [open, gate.later]
    map:
      over: "[1, 2]"
      do:
        - id: say # it
          transform: "${item} of ${classify.severity}"
        - id: again
          transform: ${say}
output: {severity: "${classify.severity}"}
tests:
  - name: urgent
    inputs: {report: It burns}
    given: {classify: {severity: critical}, open: {id: tic_1}}
    expect: {steps: {each.say: done}}
# The end.
`

func ops(t *testing.T, raw string) []canvas.Operation {
	t.Helper()
	var out []canvas.Operation
	if err := json.Unmarshal([]byte(raw), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func apply(t *testing.T, src, raw string) canvas.Outcome {
	t.Helper()
	out, err := canvas.Apply(canvas.Draft{Source: src}, ops(t, raw))
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return out
}

// TestApply_KeepsTheRestOfTheText holds that an operation changes the lines that it is about and no other.
func TestApply_KeepsTheRestOfTheText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, ops, was, now string }{
		{"a scalar keeps the comment behind it", `[{"op":"update_property","node":"classify","path":"retry.times","value":3}]`, "retry: {times: 2} # it", "retry: {times: 3} # it"},
		{"a new key", `[{"op":"update_property","node":"classify","path":"timeout","value":"2d"}]`, "    retry: {times: 2} # it may fail\n", "    retry: {times: 2} # it may fail\n    timeout: 2d\n"},
		{"a nested new key", `[{"op":"update_property","node":"open","path":"review.by[0].role","value":"editor"}]`, "${classify.severity}\"}}\n", "${classify.severity}\"}}\n    review:\n      by:\n        - {role: editor}\n"},
		{
			"a text of several lines", `[{"op":"update_property","node":"classify","path":"model.prompt","value":"One.\nTwo: # ${inputs.report}\n"}]`,
			"      prompt: |\n        How severe?\n        # not a comment\n        ${inputs.report}\n", "      prompt: |\n        One.\n        Two: # ${inputs.report}\n",
		},
		{"of a case by its name", `[{"op":"update_property","node":"gate","path":"branch[urgent].when","value":"false"}]`, `when: classify.severity == "critical"}`, `when: "false"}`},
		{"taken away", `[{"op":"update_property","node":"classify","path":"retry","value":null}]`, "    retry: {times: 2} # it may fail\n", ""},
		{"of the workflow", `[{"op":"update_property","path":"inputs[1]","value":{"name":"day","type":"date"}}]`, "# what came\n", "# what came\n- {name: day, type: date}\n"},
		{"of an input", `[{"op":"update_property","path":"inputs[report].required","value":false}]`, "required: true}", "required: false}"},
		{"connected", `[{"op":"connect_nodes","from":"classify","to":"open"}]`, "needs: [gate.urgent]", "needs: [gate.urgent, classify]"},
		{"by an error", `[{"op":"connect_nodes","from":"open","to":"each","outcome":"error"}]`, "needs: [open, gate.later]", "needs: [open, gate.later, open.error]"},
		{"disconnected", `[{"op":"disconnect_nodes","from":"gate","to":"each","outcome":"later"}]`, "needs: [open, gate.later]", "needs: [open]"},
		{"made explicit", `[{"op":"disconnect_nodes","from":"classify","to":"gate"}]`, "  - id: gate\n", "  - id: gate\n    needs: []\n"},
		{"inside a map", `[{"op":"update_property","node":"each.say","path":"transform","value":"x"}]`, `transform: "${item} of ${classify.severity}"`, "transform: x"},
	} {
		want := strings.Replace(commented, c.was, c.now, 1)
		if got := apply(t, commented, c.ops).Source; got != want || want == commented {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, want)
		}
	}
}

// TestApply_CreatesNodes holds that new steps are written with what they need, at the end, behind a step and inside.
func TestApply_CreatesNodes(t *testing.T) {
	t.Parallel()
	out := apply(t, commented, `[
		{"op":"create_node","id":"tell","kind":"agent","needs":["each"],"properties":{"title":"Tell","agent":{"name":"generalist","task":"Say it."}},"position":{"x":10,"y":20}},
		{"op":"create_node","kind":"wait","after":"classify"},
		{"op":"create_node","in":"each","id":"ending","needs":["again"],"yaml":"# why\nid: x\ntransform: 1 # one"}]`)
	for _, want := range []string{
		"  - id: tell\n    title: Tell\n    needs: [each]\n    agent:\n      name: generalist\n      task: Say it.\n",
		"  - id: wait_step\n    needs: []\n    wait:\n      for: 1h\n",
		"  # Then it is decided.\n  - id: gate\n    needs: [classify]\n    branch:\n",
		"        # why\n        - id: ending\n          needs: [again]\n          transform: 1 # one\n",
	} {
		if !strings.Contains(out.Source, want) {
			t.Errorf("got\n%s\nwant in it\n%s", out.Source, want)
		}
	}
	if want := "tell wait_step each.ending"; strings.Join(out.Created, " ") != want {
		t.Errorf("created %v, want %s", out.Created, want)
	}
	if out.Layout["tell"] != (canvas.Position{X: 10, Y: 20}) || out.Operations[1].ID != "wait_step" {
		t.Errorf("got the layout %v and %+v", out.Layout, out.Operations[1])
	}
	if _, problems := definition.ReadFile([]byte(out.Source)); problems != nil {
		t.Errorf("the linter finds %s", problems.In("it"))
	}
}

// TestApply_RenamesEverywhere holds that what reads a step or needs it follows its new id, and that nothing else does.
func TestApply_RenamesEverywhere(t *testing.T) {
	t.Parallel()
	src := strings.Replace(commented, "prompt: |\n", "prompt: |\n        say say.say ${inputs.report}\n", 1)
	out := apply(t, src, `[{"op":"move_node","node":"each.say","position":{"x":1,"y":2}},{"op":"rename_node","node":"classify","id":"judge"},{"op":"rename_node","node":"each.say","id":"tell"}]`)
	if strings.Contains(out.Source, "classify") || strings.Count(out.Source, "judge") != strings.Count(src, "classify") {
		t.Errorf("got\n%s", out.Source)
	}
	for _, want := range []string{"say say.say", "id: tell # it", "transform: ${tell}", "each.tell: done", "id: judge # by a model"} {
		if !strings.Contains(out.Source, want) {
			t.Errorf("want %q in\n%s", want, out.Source)
		}
	}
	if _, problems := definition.ReadFile([]byte(out.Source)); problems != nil {
		t.Errorf("the linter finds %s", problems.In("it"))
	}
	if _, ok := out.Layout["each.tell"]; !ok {
		t.Errorf("got the layout %v", out.Layout)
	}
}

// TestApply_DeletesWithItsTies holds that what needed a deleted step needs what it needed, and that tests forget it.
func TestApply_DeletesWithItsTies(t *testing.T) {
	t.Parallel()
	out := apply(t, commented, `[{"op":"delete_node","node":"open"}]`)
	for _, want := range []string{"needs: [gate.urgent, gate.later]", "given: {classify: {severity: critical}}", "  # Each part.\n  - id: each\n"} {
		if !strings.Contains(out.Source, want) {
			t.Errorf("want %q in\n%s", want, out.Source)
		}
	}
	out = apply(t, commented, `[{"op":"delete_node","node":"each"}]`)
	if strings.Contains(out.Source, "Each part") || strings.Contains(out.Source, "each.say") || !strings.Contains(out.Source, "# The end.") {
		t.Errorf("got\n%s", out.Source)
	}
}

// TestApply_RefusesWithAPlace holds that an operation that does not fit changes nothing and says where and why.
func TestApply_RefusesWithAPlace(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`[{"op":"update_property","node":"nobody","path":"when","value":"true"}]`:                "there is no step nobody",
		`[{"op":"update_property","node":"classify","path":"retry.times","value":"often"}]`:      "at line 8: line 16",
		`[{"op":"update_property","node":"classify","path":"colour","value":1}]`:                 `the key "colour" is not known`,
		`[{"op":"update_property","node":"each","path":"map.do","value":[]}]`:                    "operations of nodes",
		`[{"op":"update_property","path":"slug","value":"x"}]`:                                   "The slug names the workflow",
		`[{"op":"connect_nodes","from":"each","to":"classify"}]`:                                 "would follow itself",
		`[{"op":"connect_nodes","from":"gate","to":"open","outcome":"urgent"}]`:                  "already",
		`[{"op":"connect_nodes","from":"gate","to":"open","outcome":"never"}]`:                   "no outcome never",
		`[{"op":"connect_nodes","from":"each.say","to":"open"}]`:                                 "not beside each other",
		`[{"op":"create_node","id":"open","kind":"wait"}]`:                                       "there is a step open already",
		`[{"op":"create_node","id":"inputs","kind":"wait"}]`:                                     "cannot be an id",
		`[{"op":"create_node","kind":"wait","in":"open"}]`:                                       "neither a loop nor a map",
		`[{"op":"create_node","yaml":"- id: a\n  wait: {for: 1h}\n- id: b"}]`:                    "one step",
		`[{"op":"create_node","yaml":"a: &x 1"}]`:                                                "cannot be read",
		`[{"op":"move_node","node":"open","position":{"x":1e300,"y":0}}]`:                        "too far away",
		`[{"op":"delete_node","node":"open"},{"op":"update_property","node":"open","path":"x"}]`: "Operation 2",
	} {
		_, err := canvas.Apply(canvas.Draft{Source: commented}, ops(t, raw))
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(strings.ToLower(fault.TextOf(err)), strings.ToLower(want)) {
			t.Errorf("%s: got %v, want %q", raw, err, want)
		}
	}
}

// TestDraw_TiesFindingsToNodes holds that the graph has nodes with their properties and findings, and edges.
func TestDraw_TiesFindingsToNodes(t *testing.T) {
	t.Parallel()
	src := strings.Replace(commented, "transform: ${say}", "transform: ${nothing}", 1)
	_, problems := definition.ReadFile([]byte(src))
	g, err := canvas.Draw(canvas.Draft{Source: src, Layout: canvas.Layout{"gate": {X: 3}}}, problems)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Nodes) != 6 || len(g.Edges) != 5 || g.Nodes[1].Position == nil || strings.Join(g.Nodes[1].Outcomes, " ") != "urgent later" {
		t.Errorf("got %+v", g)
	}
	if n := g.Nodes[5]; n.Path != "each.again" || len(n.Findings) != 1 || n.Findings[0].Path != "transform" || n.In != "each" {
		t.Errorf("got %+v", n)
	}
	if strings.Contains(string(g.Nodes[3].Step), "do") {
		t.Errorf("the map has %s", g.Nodes[3].Step)
	}
}

// TestRebase_FollowsAndRefuses holds that operations follow a rename and that one on a deleted step says who deleted it.
func TestRebase_FollowsAndRefuses(t *testing.T) {
	t.Parallel()
	since := []canvas.Edit{
		{Revision: 4, By: "Ann", Operations: ops(t, `[{"op":"rename_node","node":"each","id":"all"},{"op":"rename_node","node":"all.say","id":"tell"}]`)},
		{Revision: 5, By: "Ben", Operations: ops(t, `[{"op":"delete_node","node":"open"}]`)},
	}
	got, err := canvas.Rebase(ops(t, `[{"op":"update_property","node":"each.say","path":"title","value":"x"},{"op":"create_node","id":"open","kind":"wait","needs":["each"]},{"op":"move_node","node":"open"}]`), since)
	if err != nil || got[0].Node != "all.tell" || got[1].Needs[0] != "all" || got[2].Node != "open" {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err = canvas.Rebase(ops(t, `[{"op":"update_property","node":"open","path":"title","value":"x"}]`), since)
	if fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "Ben deleted the step open in revision 5") {
		t.Errorf("got %v", err)
	}
}
