// Package test drives the real binary from outside: over its API, with a fake model
// that speaks a provider's wire, killed at every point, on both databases.
package test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"chela/internal/config"
	chela "chela/internal/daemon"
	"chela/internal/gateway/client"
	"chela/internal/testkit/pgtest"
	"chela/internal/testkit/sqlitetest"
)

var binary string //nolint:gochecknoglobals // built once for all tests

// named is a variable that names a binary with the tag chela_fault; without it the tests build one.
// summed holds its checksum: a cached result of these tests is of the same variables, so of the same binary.
const named, summed = "CHELA_TEST_BINARY", "CHELA_TEST_BINARY_SUM"

func TestMain(m *testing.M) {
	flag.Parse()
	wide()
	dir := ""
	_ = os.Getenv(summed) // see there
	if binary = os.Getenv(named); binary == "" {
		var err error
		if dir, err = build(); err != nil {
			panic(err)
		}
	}
	judge()
	pgtest.Prepare(func(url string) error { return chela.Migrate(context.Background(), url) })
	pgtest.Main(m, func() { _ = os.RemoveAll(dir) })
}

// build builds the binary in a folder that is the caller's to remove.
func build() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "chela-test-"); err != nil {
		return "", err
	}
	binary = filepath.Join(dir, "chela")
	build := exec.Command("go", "build", "-tags", "chela_fault", "-ldflags", "-X chela/internal/fault.dies=yes", "-o", binary, "../cmd/chela") //nolint:gosec // ours
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return dir, fmt.Errorf("build: %w\n%s", err, out)
	}
	return dir, nil
}

// wide has more tests run beside each other than there are processors, unless the command says
// how many: they mostly wait for a daemon.
func wide() {
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == "test.parallel" })
	if !said {
		_ = flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0))) // a number is one
	}
}

// A daemon is one running process.
type daemon struct {
	t       *testing.T
	cmd     *exec.Cmd
	cl      *client.Client
	address string
	done    chan struct{} // closed when the process has ended
}

// A setup is what stays the same over restarts.
type setup struct {
	data     string
	postgres string
	env      []string
	args     []string
	clock    bool // begins by the clock; else the time of day at which a test runs would matter
	bare     bool // its first daemon makes the database; else it is there with its schema, which costs less
}

// running runs the daemon and waits until it listens.
func (s setup) running(t *testing.T, env ...string) *daemon {
	t.Helper()
	d, ok := s.start(t, env...)
	if !ok {
		t.Fatal("it did not start")
	}
	return d
}

// start runs the daemon and waits until it listens; ok is false when it died before.
func (s setup) start(t *testing.T, env ...string) (*daemon, bool) {
	t.Helper()
	if db := filepath.Join(s.data, "chela.db"); s.postgres == "" && !s.bare {
		if _, err := os.Stat(db); errors.Is(err, os.ErrNotExist) {
			sqlitetest.Write(t, db)
		}
	}
	args := []string{"serve", "--data", s.data, "--listen", "127.0.0.1:0"}
	if s.postgres != "" {
		args = append(args, "--postgres", s.postgres)
	}
	if !s.clock {
		args = append(args, "--no-schedules")
	}
	cmd := exec.Command(binary, append(args, s.args...)...) //nolint:gosec // ours
	cmd.Env = append(append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.data}, s.env...), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := os.OpenFile(filepath.Join(s.data, "stderr.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	d := &daemon{t: t, cmd: cmd, done: make(chan struct{})}
	address := make(chan string, 1)
	go func() {
		defer close(d.done)
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if a, ok := strings.CutPrefix(lines.Text(), "Chela listens on "); ok {
				address <- a
			}
		}
		_ = cmd.Wait() // killed, mostly
		_ = stderr.Close()
	}()
	t.Cleanup(func() {
		d.kill()
		asked.of(t, d.address)
		s.raced(t)
	})
	select {
	case a := <-address:
		token, err := os.ReadFile(filepath.Join(s.data, "token"))
		if err != nil {
			t.Fatal(err)
		}
		d.cl, d.address = client.New(a, strings.TrimSpace(string(token))), a
		return d, true
	case <-d.done:
		return d, false
	}
}

// raced fails the test when a daemon that was built with the race detector found a race.
func (s setup) raced(t *testing.T) {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(s.data, "stderr.log"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, race, found := strings.Cut(string(log), "WARNING: DATA RACE"); found {
		t.Errorf("a daemon has a data race: %.4000s", race)
	}
}

func (d *daemon) kill() {
	_ = d.cmd.Process.Kill() // it may be dead
	<-d.done
}

// stop ends the daemon as an operator does.
func (d *daemon) stop() {
	d.t.Helper()
	if err := d.interrupt(); err != nil {
		d.t.Fatal(err)
	}
}

// interrupt is stop for a daemon that may have died already: that is [os.ErrProcessDone].
func (d *daemon) interrupt() error {
	if err := d.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	select {
	case <-d.done:
		return nil
	case <-time.After(time.Minute):
		return errors.New("the daemon did not stop")
	}
}

func (d *daemon) try(method, path string, in, out any) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return d.cl.Call(ctx, method, path, in, out)
}

// verified checks, the daemon being stopped, that the log verifies and rebuilds to
// identical tables.
func (s setup) verified(t *testing.T) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	db, err := chela.OpenStore(ctx, config.Config{Data: s.data, Postgres: s.postgres})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { must(t, db.Close()) }()
	r, err := db.Audit.Verify(ctx)
	if err != nil || !r.OK() {
		t.Fatalf("the log does not verify: %v %+v", err, r.Findings)
	}
	rebuilt, err := db.Rebuild(ctx)
	if different := rebuilt.Different(); err != nil || len(different) > 0 {
		t.Fatalf("the log does not give the tables again: %v %v", err, different)
	}
}

// A world is the fake model and the fake tools, with their own record of calls.
type world struct {
	*httptest.Server
	mu     sync.Mutex     // guards the rest
	asked  map[string]int // model calls by what they were asked
	writes map[string]int // tool calls that change the world, by key
	reply  func(request) any
}

// A request is a chat completion as the fake model reads it.
type request struct {
	Stream   bool `json:"stream"`
	Messages []struct {
		Role      string          `json:"role"`
		Content   json.RawMessage `json:"content"`
		ToolCalls []any           `json:"tool_calls"`
	} `json:"messages"`
	Tools []any `json:"tools"`

	gone <-chan struct{} // closed when the daemon has hung up
	size int             // of the whole request, in bytes
}

// since returns how many tool results came since the last thing the user said, and
// what that was.
func (r request) since() (results int, said string) {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		switch r.Messages[i].Role {
		case "tool":
			results++
		case "user":
			return results, string(r.Messages[i].Content)
		}
	}
	return results, said
}

func text(s string) any { return map[string]any{"role": "assistant", "content": s} }

func toolCall(name, args string) any {
	return map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{
		"index": 0, "id": "call_1", "type": "function", "function": map[string]any{"name": name, "arguments": args},
	}}}
}

// slowly is an answer whose first words come at once, and the rest when goOn is closed.
type slowly struct {
	first, rest string
	goOn        <-chan struct{}
}

// send sends the first words, and returns the rest.
func (s slowly) send(rw http.ResponseWriter, ctx context.Context) any {
	raw, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"delta": text(s.first)}}})
	_, _ = fmt.Fprintf(rw, "data: %s\n\n", raw)
	_ = http.NewResponseController(rw).Flush()
	select {
	case <-s.goOn:
	case <-ctx.Done():
	}
	return text(s.rest)
}

// tooLong is the reply of a model whose context does not hold what it is asked.
const tooLong = "too long"

func newWorld(t *testing.T, reply func(request) any) *world {
	w := &world{asked: make(map[string]int), writes: make(map[string]int), reply: reply}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", func(rw http.ResponseWriter, r *http.Request) {
		req := request{gone: r.Context().Done()}
		raw, err := io.ReadAll(r.Body) // to its end: only then is a hang-up noticed
		if err == nil {
			err = json.Unmarshal(raw, &req)
			req.size = len(raw)
		}
		if err != nil {
			http.Error(rw, err.Error(), http.StatusBadRequest)
			return
		}
		results, said := req.since()
		w.mu.Lock()
		w.asked[fmt.Sprintf("%d after %s", results, said)]++
		w.mu.Unlock()
		answer := w.reply(req)
		if status, ok := answer.(int); ok { // the provider refuses
			http.Error(rw, `{"error":{"message":"no"}}`, status)
			return
		}
		if answer == tooLong {
			http.Error(rw, `{"error":{"message":"too long","code":"context_length_exceeded"}}`, http.StatusBadRequest)
			return
		}
		finish := "stop"
		if m, ok := answer.(map[string]any); ok && m["tool_calls"] != nil {
			finish = "tool_calls"
		}
		usage := map[string]int{"prompt_tokens": 10, "completion_tokens": 5}
		if !req.Stream {
			rw.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(rw).Encode(map[string]any{"model": "fake", "choices": []any{map[string]any{"message": answer, "finish_reason": finish}}, "usage": usage})
			return
		}
		rw.Header().Set("Content-Type", "text/event-stream")
		if s, ok := answer.(slowly); ok {
			answer = s.send(rw, r.Context())
		}
		if s, ok := answer.(inSteps); ok {
			answer = s.send(rw, r.Context().Done())
		}
		for _, chunk := range []any{
			map[string]any{"choices": []any{map[string]any{"delta": answer}}},
			map[string]any{"choices": []any{map[string]any{"delta": map[string]any{}, "finish_reason": finish}}, "usage": usage},
		} {
			raw, _ := json.Marshal(chunk)
			_, _ = fmt.Fprintf(rw, "data: %s\n\n", raw)
		}
		_, _ = fmt.Fprint(rw, "data: [DONE]\n\n")
	})
	mux.HandleFunc("POST /tools/{kind}", func(_ http.ResponseWriter, r *http.Request) {
		if r.PathValue("kind") != "write" {
			return
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.writes[r.URL.Query().Get("key")]++
	})
	w.Server = httptest.NewServer(mux)
	t.Cleanup(w.Close)
	return w
}

func (w *world) env() []string {
	return []string{"OPENAI_BASE_URL=" + w.URL + "/v1", "OPENAI_MODEL=fake", "CHELA_FAKE_TOOLS=" + w.URL + "/tools"}
}

// databases runs a test on SQLite and on PostgreSQL, beside each other.
func databases(t *testing.T, test func(*testing.T, setup)) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, setup{data: t.TempDir()})
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, setup{data: t.TempDir(), postgres: pgtest.URL(t)})
	})
}
