package anthropic_test

import (
	"fmt"
	"io"
	"net/http"
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
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.URL+"/v1/messages", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("X-Api-Key", d.Token)
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Anthropic-Version", "2023-06-01")
			a, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := io.ReadAll(a.Body)
			_ = a.Body.Close() // read to its end
			if err != nil || !strings.Contains(string(raw), want) || strings.Contains(string(raw), "two") != strings.Contains(want, "end_turn") {
				t.Errorf("stream %v before %s: %s (%v), want %s", stream, stops, raw, err, want)
			}
		}
	}
}
