package definition_test

import (
	"reflect"
	"strings"
	"testing"

	"chela/internal/definition"
)

// TestEval_NumbersReadBack: a number that was recorded as 4 is one that is not whole where its type says so, also within lists
// and objects.
func TestEval_NumbersReadBack(t *testing.T) {
	t.Parallel()
	const file = `
slug: a
name: A
inputs: [{name: n, type: number}, {name: i, type: integer}]
steps:
  - {id: first, transform: {whole: "${4.0}", many: ["${1.0}", "${2.5}"], i: "${inputs.i}"}}
  - {id: score, model: {prompt: x, schema: {type: object, properties: {score: {type: number}, of: {type: array, items: {type: number}}, n: {type: integer}}}}}
  - id: sums
    transform: {a: "${inputs.n / 8.0}", b: "${first.whole * 0.5}", c: "${first.many[0] + 0.5}", d: "${score.score - 0.5}", e: "${score.of.map(x, x / 2.0)}", i: "${score.n / 2 + first.i}"}
`
	c, problems := definition.ReadFile([]byte(file))
	if problems != nil {
		t.Fatal(problems)
	}
	vars := definition.Vars{
		"inputs": map[string]any{"n": int64(4), "i": int64(7)},
		"first":  map[string]any{"whole": int64(4), "many": []any{int64(1), 2.5}, "i": int64(7)},
		"score":  map[string]any{"score": int64(3), "of": []any{int64(1), int64(2)}, "n": int64(5)},
	}
	want := map[string]any{"a": 0.5, "b": 2.0, "c": 1.5, "d": 2.5, "e": []any{0.5, 1.0}, "i": int64(9)}
	if got, err := c.Graph.Nodes[2].Args.Eval(t.Context(), vars); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v (%v), want %#v", got, err, want)
	}
	vars["first"], vars["score"] = nil, nil // they were skipped
	if _, err := c.Graph.Nodes[2].Args.Eval(t.Context(), vars); err == nil {
		t.Error("null is a number")
	}
	if vars["inputs"].(map[string]any)["n"] != int64(4) { //nolint:forcetypeassert // as above
		t.Error("the variables of others were changed")
	}
}

// TestEval_TypesThatDoNotGoTogether: what no type tells before is told with the way out.
func TestEval_TypesThatDoNotGoTogether(t *testing.T) {
	t.Parallel()
	const file = `
slug: a
name: A
inputs: [{name: o, type: object}]
steps: [{id: sums, transform: {a: "${inputs.o.n * inputs.o.x}"}}]
`
	c, problems := definition.ReadFile([]byte(file))
	if problems != nil {
		t.Fatal(problems)
	}
	vars := definition.Vars{"inputs": map[string]any{"o": map[string]any{"n": int64(4), "x": "two"}}}
	if _, err := c.Graph.Nodes[0].Args.Eval(t.Context(), vars); err == nil || !strings.Contains(err.Error(), "make them alike with double(…), int(…) or string(…)") {
		t.Errorf("got %v, want how to make them alike", err)
	}
}
