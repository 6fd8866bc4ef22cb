package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/gateway/client"
)

// A world is what stays the same over restarts of the daemon.
type world struct {
	bin, model, data, postgres, artifacts string
	profiles                              string // a folder for what the processor did; empty measures nothing
	lane                                  int    // how many runs of people go at once; 0 is the default
}

// wide makes the lane of people's runs n wide.
func (w world) wide(n int) world {
	w.lane = n
	return w
}

// A daemon is a running process.
type daemon struct {
	world
	cmd     *exec.Cmd
	cl      *client.Client
	address string
	done    chan struct{}
}

func (w world) env() []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.data}
	if w.model != "" {
		env = append(env, "OPENAI_BASE_URL="+w.model+"/v1", "OPENAI_MODEL=fake")
	}
	return env
}

// start returns when the daemon has answered.
func (w world) start(b *testing.B) *daemon {
	b.Helper()
	if w.lane > 0 {
		if err := os.WriteFile(filepath.Join(w.data, "chela.yaml"), fmt.Appendf(nil, "lanes: {user: %d}\n", w.lane), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	args := []string{"serve", "--data", w.data, "--listen", "127.0.0.1:0"}
	if w.postgres != "" {
		args = append(args, "--postgres", w.postgres)
	}
	if w.artifacts != "" {
		args = append(args, "--artifacts", w.artifacts)
	}
	if w.profiles != "" {
		args = append(args, "--profile", filepath.Join(w.profiles, event.NewID("bench")))
	}
	d := &daemon{world: w, cmd: exec.Command(w.bin, args...), done: make(chan struct{})} //nolint:gosec // ours
	d.cmd.Env = w.env()
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := d.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	address := make(chan string, 1)
	go func() {
		defer close(d.done)
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if a, ok := strings.CutPrefix(lines.Text(), "Chela listens on "); ok {
				address <- a
			}
		}
		_ = d.cmd.Wait() // stopped below
	}()
	select {
	case a := <-address:
		res, err := http.Get(a + "/health") //nolint:noctx,gosec // a report
		if err != nil {
			b.Fatal(err)
		}
		_ = res.Body.Close() // the status is all
		token, err := os.ReadFile(filepath.Join(w.data, "token"))
		if err != nil {
			b.Fatal(err)
		}
		d.address = a
		d.cl = client.New(a, strings.TrimSpace(string(token)))
		if w.lane > 0 { // the agent takes as much as the lane does
			room := json.RawMessage(fmt.Sprintf(`{"card":{"limits":{"max_concurrency":%d}}}`, w.lane))
			if err := d.cl.Call(b.Context(), "PATCH", "/api/agents/pm", room, nil); err != nil {
				b.Fatal(err)
			}
		}
	case <-d.done:
		b.Fatal("the daemon did not start")
	}
	return d
}

func (d *daemon) stop() {
	_ = d.cmd.Process.Signal(os.Interrupt) // it may have ended
	<-d.done
}

func (d *daemon) project(b *testing.B) string {
	b.Helper()
	var p struct {
		ID string `json:"id"`
	}
	if err := d.cl.Call(b.Context(), "POST", "/api/projects", map[string]string{"name": event.NewID("bench")}, &p); err != nil {
		b.Fatal(err)
	}
	return p.ID
}

// turnsPerThread is how many turns a conversation has before the next begins.
const turnsPerThread = 10

// turn returns a caller that says something in its loop's conversation and waits for
// the answer.
func (d *daemon) turn(project string, tools int) func(loop, n int) error {
	var mu sync.Mutex
	threads := make(map[int]string)
	return func(loop, n int) error {
		mu.Lock()
		thread := threads[loop]
		mu.Unlock()
		if n%turnsPerThread == 0 {
			thread = ""
		}
		thread, err := d.say(fmt.Sprintf("Say hello %d calls=%d", n, tools), project, thread)
		mu.Lock()
		threads[loop] = thread
		mu.Unlock()
		return err
	}
}

// say says something in a conversation, or in a new one of the project, and waits for
// the answer; it returns the conversation.
func (d *daemon) say(text, project, thread string) (string, error) {
	in := map[string]any{"text": text, "agent": "pm", "wait": true}
	if thread != "" {
		in["threadId"] = thread
	} else {
		in["projectId"] = project
	}
	var out struct {
		Thread string `json:"threadId"`
		State  string `json:"state"`
		Reply  string `json:"reply"`
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := d.cl.Call(ctx, "POST", "/api/chat", in, &out); err != nil {
		return "", err
	}
	if out.State != "done" || !strings.HasPrefix(out.Reply, "Done as you said") {
		return "", fmt.Errorf("the turn ended as %s: %s", out.State, out.Reply)
	}
	return out.Thread, nil
}

// oneShot is a turn by the command line, from the start of the process to its end.
func (d *daemon) oneShot(b *testing.B) time.Duration {
	b.Helper()
	var took []time.Duration
	for range 7 {
		begin := time.Now()
		cmd := exec.Command(d.bin, "chat", "--data", d.data, "-a", "pm", "-m", "Say hello") //nolint:gosec // ours
		cmd.Env = d.env()
		if out, err := cmd.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "Done as you said") {
			b.Fatalf("%v %s", err, out)
		}
		took = append(took, time.Since(begin))
	}
	return median(took)
}

// processor is the processor time that the daemon has used.
func (d *daemon) processor(b *testing.B) time.Duration {
	b.Helper()
	return processorOf(b, d.cmd.Process.Pid)
}

// memory is one of the kernel's figures of the daemon's memory, in MiB.
func (d *daemon) memory(b *testing.B, field string) float64 {
	b.Helper()
	return d.proc(b, "status", field) / 1024
}

// proc reads a number from a file of the kernel's about the daemon; 0 where there is none.
func (d *daemon) proc(b *testing.B, file, field string) (n float64) {
	b.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", d.cmd.Process.Pid, file))
	if err != nil {
		return 0 // not Linux
	}
	_, rest, _ := strings.Cut(string(raw), field+":")
	if _, err := fmt.Sscanf(rest, "%f", &n); err != nil {
		b.Fatal(err)
	}
	return n
}
