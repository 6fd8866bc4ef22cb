package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chela/internal/disk"
	"chela/internal/guard"
	"chela/internal/guard/sandbox"
	"chela/internal/org"
	"chela/internal/tool"
)

// hands measures what stands before and around the calls of agents: the decision, the
// sandbox, and reads beside each other. The database is beside the point.
func (r report) hands(b *testing.B, db string) {
	b.Helper()
	if db != "sqlite" {
		return
	}
	decisions()
	sandboxed(b)
	r.reads(b)
}

// decisions takes the median command of those that people approve.
func decisions() {
	q := guard.Request{Tool: tool.Spec{Name: "shell_exec", Help: "Runs.", Risk: tool.ExecShell, Role: org.Editor}, Who: guard.Caller{Role: org.Editor, Via: guard.ByPerson}}
	q.Agent.Card.AgentID, q.Agent.Enabled, q.Agent.Tools = "agent:coder", true, []string{"*"}
	q.Agent.Permissions = org.PermissionsOf(org.Shell)
	q.Folders = disk.Folders{Work: "/srv", Grants: []disk.Grant{{Path: "/src", Write: true}}}
	var took []time.Duration
	for range 200 {
		for _, line := range []string{"go test ./...", "grep -rn TODO . | head -20", "cd sub && make lint", "find . -name '*.go' -exec wc -l {} +", "git log --oneline -5"} {
			q.Act = tool.Act{Command: line, Dir: "/src"}
			begin := time.Now()
			guard.Decide(q)
			took = append(took, time.Since(begin))
		}
	}
	line("a command decided", float64(median(took).Nanoseconds())/1000, "us", 0)
}

// sandboxed takes turns with a program in the sandbox and without.
func sandboxed(b *testing.B) {
	b.Helper()
	s := sandbox.New(b.Context(), sandbox.Options{Hide: disk.Secret})
	if why := s.Report().Refusal; why != "" {
		fmt.Println("a program in the sandbox:", why)
		return
	}
	folder := b.TempDir()
	j := tool.Job{Argv: []string{"/bin/true"}, Dir: folder, Folders: []disk.Grant{{Path: folder, Write: true}}}
	var plain, inside []time.Duration
	for range 60 {
		begin := time.Now()
		if err := exec.CommandContext(b.Context(), "/bin/true").Run(); err != nil {
			b.Fatal(err)
		}
		plain = append(plain, time.Since(begin))
		begin = time.Now()
		if e, err := s.Run(context.WithoutCancel(b.Context()), j); err != nil || e.Code != 0 {
			b.Fatal(e, err)
		}
		inside = append(inside, time.Since(begin))
	}
	line("a program in the sandbox", ms(median(inside)), "ms", ms(median(plain)))
	line("a program in the sandbox: overhead", ms(median(inside)-median(plain)), "ms", 0)
}

// slow is how long one read takes.
const slow = 200 * time.Millisecond

// reads has an agent make 1, 5 and 10 reads in one answer.
func (r report) reads(b *testing.B) {
	b.Helper()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-time.After(slow)
		_, _ = fmt.Fprint(w, "here")
	}))
	defer page.Close()
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { wanted(w, req, page.URL) }))
	defer model.Close()
	w := r.world(b, "sqlite")
	w.model = model.URL
	if err := os.WriteFile(filepath.Join(w.data, "policy.yaml"), []byte("version: 1\nnetwork: [127.0.0.1]\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	d := w.start(b)
	defer d.stop()
	one := 0.0
	for _, n := range []int{1, 5, 10} {
		var took []time.Duration
		for range 5 {
			begin := time.Now()
			var out struct {
				State string `json:"state"`
			}
			if err := d.cl.Call(b.Context(), "POST", "/api/chat", map[string]any{"agent": "coder", "text": fmt.Sprintf("reads: %d", n), "wait": true}, &out); err != nil || out.State != "done" {
				b.Fatal(out.State, err)
			}
			took = append(took, time.Since(begin))
		}
		if n == 1 {
			one = ms(median(took))
		}
		line(fmt.Sprintf("%d reads of %s in one answer", n, slow), ms(median(took)), "ms", one)
	}
}

// wanted is a model that asks for as many reads as it was told to, and then is done.
func wanted(w http.ResponseWriter, req *http.Request, url string) {
	var in struct {
		Messages []struct {
			Role    string `json:"role"`
			Content any    `json:"content"`
		} `json:"messages"`
	}
	if err := json.NewDecoder(req.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	last := in.Messages[len(in.Messages)-1]
	message, finish := map[string]any{"role": "assistant", "content": "Done."}, "stop"
	if last.Role != "tool" {
		var n int
		_, rest, _ := strings.Cut(fmt.Sprint(last.Content), "reads: ")
		_, _ = fmt.Sscan(strings.Trim(rest, "]} "), &n) // no number asks for nothing
		var calls []any
		for i := range n {
			calls = append(calls, map[string]any{"index": i, "id": fmt.Sprintf("c%d", i), "type": "function", "function": map[string]any{"name": "http_get", "arguments": fmt.Sprintf(`{"url":%q}`, url)}})
		}
		message, finish = map[string]any{"role": "assistant", "content": nil, "tool_calls": calls}, "tool_calls"
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, choice := range []any{map[string]any{"delta": message}, map[string]any{"delta": map[string]any{}, "finish_reason": finish}} {
		raw, err := json.Marshal(map[string]any{"choices": []any{choice}})
		if err != nil {
			return
		}
		_, _ = fmt.Fprintf(w, "data: %s\n\n", raw)
	}
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
}
