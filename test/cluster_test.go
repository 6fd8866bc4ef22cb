package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"chela/internal/testkit/pgtest"
)

// takenOver is how soon another node works what a dead one had in hand.
const takenOver = 15 * time.Second

// pair starts two daemons on one database.
func pair(t *testing.T, env []string) (sa, sb setup, a, b *daemon) {
	t.Helper()
	pg, arts := pgtest.URL(t), t.TempDir()
	sa = setup{data: t.TempDir(), postgres: pg, env: env, args: []string{"--artifacts", arts}}
	sb = setup{data: t.TempDir(), postgres: pg, env: env, args: []string{"--artifacts", arts}}
	a, ok := sa.start(t)
	if !ok {
		t.Fatal("the first daemon did not start")
	}
	token, err := os.ReadFile(filepath.Join(sa.data, "token"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(sb.data, "token"), token, 0o600); err != nil {
		t.Fatal(err)
	}
	if b, ok = sb.start(t); !ok {
		t.Fatal("the second daemon did not start")
	}
	return sa, sb, a, b
}

// TestCluster_ADeadNodeIsTakenOver kills the node that works a run, or lets it sleep, while
// the model is thinking about the second step; the other node ends the run.
func TestCluster_ADeadNodeIsTakenOver(t *testing.T) {
	t.Parallel()
	for name, sig := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "asleep": syscall.SIGSTOP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var held atomic.Bool
			thinking, release := make(chan struct{}, 1), make(chan struct{})
			w := newWorld(t, func(r request) any {
				n, _ := r.since()
				if n == 1 && held.CompareAndSwap(false, true) {
					thinking <- struct{}{}
					<-release
				}
				return workOnce(r)
			})
			sa, sb, a, b := pair(t, w.env())
			a.must(t, "POST", "/api/agents", rawJSON(worker), nil)
			var said chatAnswer
			b.must(t, "POST", "/api/chat", map[string]any{"text": "Do it", "agent": "worker"}, &said)
			select {
			case <-thinking:
			case <-time.After(time.Minute):
				t.Fatal("the run did not come to its second step")
			}
			var r struct {
				Run struct {
					Node string `json:"node"`
				} `json:"run"`
			}
			a.must(t, "GET", "/api/runs/"+said.Run, nil, &r)
			dead, alive, left := a, b, sb
			if nodeOf(t, sb) == r.Run.Node {
				dead, alive, left = b, a, sa
			}
			if err := dead.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			since := time.Now()
			until(t, "the end of the run on the other node", func() bool {
				var now runAnswer
				alive.must(t, "GET", "/api/runs/"+said.Run, nil, &now)
				return now.Run.State == "done"
			})
			if took := time.Since(since); took > takenOver {
				t.Errorf("the run was taken over and ended after %s", took)
			}
			close(release)
			if sig == syscall.SIGSTOP {
				wakeUp(t, dead, alive)
			}
			w.mu.Lock()
			if len(w.writes) != 1 || total(w.writes) != 1 {
				t.Errorf("the calls that changed the world: %v", w.writes)
			}
			if n := total(w.asked); n != 3 {
				t.Errorf("the model was asked %d times, want the first step once and the second twice: %v", n, w.asked)
			}
			w.mu.Unlock()
			dead.kill()
			alive.stop()
			left.verified(t)
		})
	}
}

// wakeUp lets a node that slept go on, and sees that both work.
func wakeUp(t *testing.T, dead, alive *daemon) {
	t.Helper()
	if err := dead.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for _, d := range []*daemon{dead, alive} {
		var out chatAnswer
		d.must(t, "POST", "/api/chat", map[string]any{"text": "whereami", "wait": true}, &out)
		if !strings.Contains(out.Reply, "new conversation") {
			t.Errorf("%+v", out)
		}
	}
}

func nodeOf(t *testing.T, s setup) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(s.data, "stderr.log"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(raw), "node=")
	if !ok {
		t.Fatalf("the daemon does not say which node it is:\n%s", raw)
	}
	return strings.Fields(rest)[0]
}

func total(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// TestCluster_TwoNodesShareTheWork gives two daemons many messages at once, half to each.
func TestCluster_TwoNodesShareTheWork(t *testing.T) {
	t.Parallel()
	const turns = 40
	w := newWorld(t, workOnce)
	_, sb, a, b := pair(t, w.env())
	a.must(t, "POST", "/api/agents", rawJSON(worker), nil)
	nodes := make(chan string, turns)
	for i := range turns {
		d := []*daemon{a, b}[i%2]
		go func() {
			defer func() { nodes <- "" }()
			var out chatAnswer
			if err := d.try("POST", "/api/chat", map[string]any{"text": fmt.Sprintf("Do it %d", i), "agent": "worker", "wait": true}, &out); err != nil || out.State != "done" {
				t.Errorf("%+v %v", out, err)
			}
		}()
	}
	for range turns {
		<-nodes
	}
	w.mu.Lock()
	if len(w.writes) != turns || total(w.writes) != turns || total(w.asked) != 2*turns {
		t.Errorf("%d writes, %d of them apart, %d questions for %d turns", total(w.writes), len(w.writes), total(w.asked), turns)
	}
	w.mu.Unlock()
	a.stop()
	b.stop()
	sb.verified(t)
}
