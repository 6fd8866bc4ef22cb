package canvas_test

import (
	"fmt"
	"strings"
	"testing"

	"chela/internal/canvas"
)

// BenchmarkApply_300Nodes renames, connects and updates in the largest workflow.
func BenchmarkApply_300Nodes(b *testing.B) {
	var src strings.Builder
	src.WriteString("slug: large\nname: Large\nsteps:\n  - id: s0\n    transform: {n: 0}\n")
	for i := 1; i < 300; i++ {
		fmt.Fprintf(&src, "  # step %d\n  - id: s%d\n    needs: [s%d]\n    transform: {n: \"${s%d.n + 1}\", first: \"${s0.n}\"}\n", i, i, i-1, i-1)
	}
	for name, op := range map[string]canvas.Operation{
		"rename": {Op: canvas.RenameNode, Node: "s0", ID: "first"},
		"update": {Op: canvas.UpdateProperty, Node: "s150", Path: "title", Value: []byte(`"x"`)},
		"delete": {Op: canvas.DeleteNode, Node: "s150"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := canvas.Apply(canvas.Draft{Source: src.String()}, []canvas.Operation{op}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
