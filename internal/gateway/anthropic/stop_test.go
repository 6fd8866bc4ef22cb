package anthropic_test

import (
	"fmt"
	"strings"
	"testing"

	"chela/internal/testkit/daemontest"
)

// TestStop_AnAnswerSaysBeforeWhatItEnded, whole and streamed; one that ends by itself says so.
func TestStop_AnAnswerSaysBeforeWhatItEnded(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{Script: `{"otherwise":[{"agentName":"pm","responseFallback":"One HALT two."}]}`})
	for _, stream := range []bool{false, true} {
		for stops, want := range map[string]string{`["HALT","never"]`: `"stop_reason":"stop_sequence","stop_sequence":"HALT"`, `["never"]`: `"stop_reason":"end_turn","stop_sequence":null`} {
			body := fmt.Sprintf(`{"model":"chela/pm","max_tokens":99,"stream":%t,"stop_sequences":%s,"messages":[{"role":"user","content":"Count."}]}`, stream, stops)
			raw := said(t, d, "2023-06-01", body)
			if !strings.Contains(raw, want) || strings.Contains(raw, "two") != strings.Contains(want, "end_turn") {
				t.Errorf("stream %v before %s: %s, want %s", stream, stops, raw, want)
			}
		}
	}
}
