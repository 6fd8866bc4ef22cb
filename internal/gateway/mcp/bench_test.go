package mcp_test

import (
	"slices"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// BenchmarkServer_Call calls a tool that reads records, by each specification, and reports the median.
func BenchmarkServer_Call(b *testing.B) {
	r := newRoom(b)
	project := r.project()
	for _, way := range ways {
		b.Run(way, func(b *testing.B) {
			c := r.connect(b, way, r.token, "", nil)
			var took []time.Duration
			for b.Loop() {
				began := time.Now()
				res, err := c.CallTool(b.Context(), &sdk.CallToolParams{Name: "read_tickets", Arguments: map[string]any{"projectId": project}})
				if err != nil || res.IsError {
					b.Fatal(err, textOf(res))
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs/p50")
		})
	}
}
