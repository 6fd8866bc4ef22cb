package definition_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"chela/internal/definition"
)

const good = `
slug: triage
name: Triage
inputs:
  - {name: report, type: text, required: true, description: What was reported.}
  - {name: count, type: integer, default: 3}
steps:
  - id: classify
    model:
      prompt: "Classify: ${inputs.report}"
      schema: {type: object, properties: {severity: {type: string}, score: {type: integer}}, required: [severity]}
  - id: gate
    branch:
      - {case: urgent, when: classify.severity == "critical" && classify.score > 3}
      - {case: later}
  - id: page
    needs: [gate.urgent]
    tool: {name: message, args: {text: "Critical: ${inputs.report}", tags: ["${classify.severity}"]}}
  - id: recover
    needs: [page.error]
    transform: {why: "${errors.page}"}
  - id: each
    needs: [page, gate.later, recover]
    map:
      over: "[1, 2, 3].map(x, x * inputs.count)"
      do:
        - id: twice
          transform: {n: "${int(item) * 2}", i: "${index}"}
  - id: again
    loop:
      most: 3
      until: round >= 2 || half.n < 1
      do:
        - id: half
          transform: {n: "${round}"}
  - id: ask
    wait: {person: {ask: "Ship ${inputs.report}?", except: ["${run.by}"]}}
    timeout: 2d
  - id: end
    transform: {severity: "${classify.severity}", sum: "${each.count}", by: "${ask.by}"}
output: {severity: "${end.severity}"}
triggers:
  - message: true
  - cron: "0 9 * * MON"
  - event: {type: desk.ticket.created, when: "event.payload.status == 'OPEN'"}
    inputs: {report: "${event.payload.title}"}
`

func TestReadFile_AGoodOne(t *testing.T) {
	t.Parallel()
	c, problems := definition.ReadFile([]byte(good))
	if problems != nil {
		t.Fatal(problems.In("triage.yaml"))
	}
	if len(c.Graph.Nodes) != 8 || !c.Graph.Nodes[2].Handled || c.Graph.Nodes[4].Body.Nodes[0].Path != "each.twice" {
		t.Errorf("%+v", c.Graph)
	}
	vars := definition.Vars{"inputs": map[string]any{"report": "It burns", "count": int64(3)}, "classify": map[string]any{"severity": "critical", "score": int64(4)}}
	for i, want := range []any{true} {
		got, err := c.Graph.Nodes[1].Rules[i].When.Eval(t.Context(), vars)
		if err != nil || got != want {
			t.Errorf("case %d gives %v, %v; want %v", i, got, err, want)
		}
	}
	got, err := c.Graph.Nodes[2].Args.Eval(t.Context(), vars)
	if m, ok := got.(map[string]any); err != nil || !ok || m["text"] != "Critical: It burns" {
		t.Errorf("the arguments are %v, %v", got, err)
	}
}

// TestReadFile_AVariableIsNoStep: the variable of a macro may have the name of a step, which is not read by that; in the range of the macro it is.
func TestReadFile_AVariableIsNoStep(t *testing.T) {
	t.Parallel()
	const head = "slug: a\nname: A\ninputs: [{name: l, type: list}]\nsteps:\n"
	if _, problems := definition.ReadFile([]byte(head + "  - {id: a, transform: \"${inputs.l.all(a, inputs.l.exists(b, a == b))}\"}\n")); problems != nil {
		t.Error(problems.In("f.yaml"))
	}
	_, problems := definition.ReadFile([]byte(head + "  - {id: a, transform: [1]}\n  - {id: b, needs: [], transform: \"${a.all(a, a > 0)}\"}\n"))
	if got := problems.In("f.yaml"); !strings.Contains(got, "The step b reads a, which need not have ended before it") {
		t.Errorf("%q", got)
	}
}

// TestReadFile_SaysWhatIsWrong has one file for each mistake, and the sentence with its line.
func TestReadFile_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	const head = "slug: a\nname: A\nsteps:\n"
	for name, c := range map[string]struct{ in, want string }{
		"no YAML":            {"a: [", "f.yaml:1: "},
		"an unknown key":     {"slug: a\nname: A\ncolour: red\nsteps: []\n", `f.yaml:3: The key "colour" is not known here.`},
		"an anchor":          {"slug: &a a\nname: *a\n", "f.yaml:1: Anchors, aliases"},
		"nested":             {"slug: " + strings.Repeat("[", 100000), "f.yaml:1: The file is nested too deeply."},
		"nested in rows":     {"a:\n" + strings.Repeat("- ", 100000), "nested too deeply"},
		"large":              {strings.Repeat("# a line\n", 10<<20/9), "a workflow has at most"},
		"a wrong type":       {head + "  - id: a\n    loop: {most: many}\n", "f.yaml:5: "},
		"no steps":           {head, "There are no steps."},
		"twice":              {head + "  - {id: a, transform: 1}\n  - {id: a, transform: 2}\n", "f.yaml:5: The id a is there twice, first in line 4."},
		"a circle":           {head + "  - {id: a, needs: [b], transform: 1}\n  - {id: b, needs: [a], transform: 2}\n", "f.yaml:4: The steps a, b need each other in a circle."},
		"an unknown step":    {head + "  - {id: a, needs: [z], transform: 1}\n", "f.yaml:4: The step a needs z, which is no step beside it."},
		"an unknown field":   {head + "  - {id: a, transform: {x: 1}}\n  - {id: b, transform: \"${a.y}\"}\n", "f.yaml:5: The expression a.y does not fit: undefined field 'y'"},
		"an unknown name":    {head + "  - {id: a, transform: \"${inputs.who}\"}\n", "undefined field 'who'"},
		"types":              {head + "  - {id: a, transform: {x: 1}}\n  - {id: b, when: a.x == \"one\", transform: 1}\n", "f.yaml:5: The expression a.x == \"one\" does not fit: found no matching overload"},
		"no condition":       {head + "  - {id: a, when: \"1 + 1\", transform: 1}\n", "f.yaml:4: The condition 1 + 1 gives a whole number and not true or false."},
		"no list":            {head + "  - {id: a, map: {over: \"'text'\", do: [{id: b, transform: 1}]}}\n", "goes over 'text', which is no list"},
		"not before":         {head + "  - {id: a, transform: 1}\n  - {id: b, needs: [], transform: \"${a}\"}\n", "f.yaml:5: The step b reads a, which need not have ended before it"},
		"an open expression": {head + "  - {id: a, transform: \"${1\"}\n", "has no end"},
		"two things to do":   {head + "  - {id: a, transform: 1, tool: {name: x}}\n", "f.yaml:4: The step a says 2 things to do"},
		"nothing to do":      {head + "  - {id: a}\n", "The step a says 0 things to do"},
		"no such case":       {head + "  - {id: a, branch: [{case: yes_, when: \"true\"}]}\n  - {id: b, needs: [a.no_], transform: 1}\n", "f.yaml:5: The step b needs a.no_, but a has no outcome no_."},
		"after a branch":     {head + "  - {id: a, branch: [{case: x}]}\n  - {id: b, transform: 1}\n", "f.yaml:5: The step b follows the branch a; say after which case, as needs: [a.x]."},
		"a reserved id":      {head + "  - {id: inputs, transform: 1}\n", "f.yaml:4: The id inputs means something"},
		"a schema from away": {head + "  - {id: a, model: {prompt: x, schema: {$ref: \"file:///etc/passwd\"}}}\n", "a schema refers only to itself"},
		"a bad input":        {"slug: a\nname: A\ninputs: [{name: x, type: colour}]\nsteps: [{id: a, transform: 1}]\n", `f.yaml:3: The input x has the type "colour"`},
		"a bad default":      {"slug: a\nname: A\ninputs: [{name: x, type: date, default: soon}]\nsteps: [{id: a, transform: 1}]\n", `"soon" is no date`},
		"a bad time span":    {head + "  - {id: a, timeout: soon, transform: 1}\n", `f.yaml:4: "soon" is no time span`},
		"an unknown payload": {head + "  - {id: a, agent: {task: x}, expects: {payload_type: a.b.v1}}\n", "f.yaml:4: The payload type a.b.v1 is not known. Register its schema with `chela schema set a.b.v1 FILE`"},
		"a payload's field":  {head + "  - {id: a, agent: {task: x}, expects: {schema_ref: \"schema://clutch/research/summary@1\"}}\n  - {id: b, transform: \"${a.colour}\"}\n", "f.yaml:5: The expression a.colour does not fit: undefined field 'colour'"},
		"a reviewer":         {head + "  - {id: a, agent: {name: pm, task: x}, review: {by: [{agent: pm}]}}\n", "f.yaml:4: The agent pm does the step a; somebody else reviews it."},
		"a verdict of none":  {head + "  - {id: a, agent: {name: pm, task: x}, contract: [{verdict: true}]}\n", "asks for a verdict, but the step has no review"},
		"two documents":      {"slug: a\n---\nslug: b\n", "more than one document"},
		"nothing":            {"", "holds no workflow"},
		"a bad slug":         {"slug: ../a\nname: A\nsteps: [{id: a, transform: 1}]\n", "f.yaml:1: The slug"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems := definition.ReadFile([]byte(c.in))
			if got := problems.In("f.yaml"); !strings.Contains(got, c.want) {
				t.Errorf("got %.300q, want %q in it", got, c.want)
			}
		})
	}
}

// TestExpr_Ends has an expression that would compute for long.
func TestExpr_Ends(t *testing.T) {
	t.Parallel()
	long := "[" + strings.Repeat("1,", 99) + "1]"
	src := "slug: a\nname: A\nsteps:\n  - id: a\n    transform: \"${" + long + ".map(a, " + long + ".map(b, " + long + ".map(c, " + long + ".map(d, d)))).size()}\"\n"
	c, problems := definition.ReadFile([]byte(src))
	if problems != nil {
		t.Fatal(problems.In("f"))
	}
	if _, err := c.Graph.Nodes[0].Args.Eval(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "it takes too long") {
		t.Errorf("got %v, want that it takes too long", err)
	}
}

func FuzzReadFile(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte("slug: a\nname: A\nsteps: [{id: a, transform: \"${1}\"}]"))
	files, _ := os.ReadDir("testdata")
	for _, e := range files {
		if raw, err := os.ReadFile("testdata/" + e.Name()); err == nil {
			f.Add(raw)
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		slow := time.AfterFunc(5*time.Second, func() { panic(fmt.Sprintf("reading takes too long: %q", raw)) })
		defer slow.Stop()
		c, problems := definition.ReadFile(raw)
		if (c == nil) == (problems == nil) {
			t.Fatalf("%v and %v", c, problems)
		}
		for _, p := range problems {
			if p.Text == "" {
				t.Error("a problem says nothing")
			}
		}
		if c != nil {
			_, _ = c.Graph.Nodes[0].Args.Eval(t.Context(), nil)
		}
	})
}

// TestFileSchema_SaysWhatIsRead compares the schema for editors with what is decoded.
func TestFileSchema_SaysWhatIsRead(t *testing.T) {
	t.Parallel()
	var schema map[string]any
	if err := json.Unmarshal(definition.FileSchema(), &schema); err != nil {
		t.Fatal(err)
	}
	step, _ := schema["$defs"].(map[string]any)["step"].(map[string]any)
	for _, c := range []struct {
		typ    reflect.Type
		schema map[string]any
	}{{reflect.TypeFor[definition.Definition](), schema}, {reflect.TypeFor[definition.Step](), step}} {
		props, _ := c.schema["properties"].(map[string]any)
		var want []string
		for i := range c.typ.NumField() {
			want = append(want, c.typ.Field(i).Tag.Get("yaml"))
		}
		slices.Sort(want)
		if got := slices.Sorted(maps.Keys(props)); !slices.Equal(got, want) {
			t.Errorf("the schema of %s has %v, the decoder reads %v", c.typ, got, want)
		}
	}
	compiled, err := definition.CompileSchema(schema)
	if err != nil {
		t.Fatal(err)
	}
	var file any
	if err := yaml.Unmarshal([]byte(good), &file); err != nil {
		t.Fatal(err)
	}
	if err := compiled.Check(file); err != nil {
		t.Errorf("the schema refuses a good file: %v", err)
	}
}
