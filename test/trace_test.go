package test

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

// TestTrace_ATurnIsTraced has the daemon send its spans to a fake collector: the request, the
// run and the calls of one turn are one trace, and the messages in the log carry it.
func TestTrace_ATurnIsTraced(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	names := make(map[string][]string) // of spans, by trace
	also := make(map[string]string)    // what else came, by path
	c := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if r.URL.Path == "/v1/metrics" || r.URL.Path == "/v1/logs" {
			mu.Lock()
			defer mu.Unlock()
			also[r.URL.Path] += string(raw)
			return
		}
		var sent collector.ExportTraceServiceRequest
		if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(raw, &sent) != nil {
			t.Errorf("%s %v", r.URL.Path, err)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		for _, rs := range sent.ResourceSpans {
			for _, ss := range rs.ScopeSpans {
				for _, s := range ss.Spans {
					id := hex.EncodeToString(s.TraceId)
					names[id] = append(names[id], s.Name)
				}
			}
		}
	}))
	t.Cleanup(c.Close)
	w := newWorld(t, workOnce)
	s := setup{data: t.TempDir(), env: w.env()}
	if err := os.WriteFile(filepath.Join(s.data, "chela.yaml"), []byte("trace: "+c.URL+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := s.running(t)
	d.must(t, "POST", "/api/agents", rawJSON(worker), nil)
	var out chatAnswer
	d.must(t, "POST", "/api/chat", map[string]any{"text": "Do it", "agent": "worker", "wait": true}, &out)
	var run struct {
		Run struct {
			Trace struct {
				ID string `json:"trace_id"`
			} `json:"trace"`
		} `json:"run"`
	}
	d.must(t, "GET", "/api/runs/"+out.Run, nil, &run)
	d.stop() // what is left is sent
	mu.Lock()
	defer mu.Unlock()
	for _, want := range []string{"POST /api/chat", "run chat", "chat worker", "execute_tool fake_write"} {
		if !slices.Contains(names[run.Run.Trace.ID], want) {
			t.Errorf("the trace %q lacks %q: %v", run.Run.Trace.ID, want, names[run.Run.Trace.ID])
		}
	}
	for path, want := range map[string]string{"/v1/metrics": "chela.runs.ended", "/v1/logs": "serving"} {
		if !strings.Contains(also[path], want) {
			t.Errorf("the collector got %d bytes at %s without %q", len(also[path]), path, want)
		}
	}
	s.verified(t)
}
