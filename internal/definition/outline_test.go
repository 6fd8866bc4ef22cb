package definition_test

import (
	"slices"
	"testing"

	"chela/internal/definition"
)

func TestStep_Does(t *testing.T) {
	t.Parallel()
	c, problems := definition.ReadFile([]byte(good))
	if problems != nil {
		t.Fatal(problems.In("triage.yaml"))
	}
	var got []string
	c.Graph.Walk(func(n *definition.Node) { got = append(got, n.Does()) })
	want := []string{
		"Classify: ${inputs.report}", "2 cases", "message", "a value", "each of [1, 2, 3].map(x, x * inputs.count)", "a value", "until round >= 2 || half.n < 1, 3 times at most", "a value",
		"Ship ${inputs.report}?", "a value",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := (definition.Step{ID: "nothing"}).Does(); got != "" {
		t.Errorf("a step that does nothing says %q", got)
	}
}
