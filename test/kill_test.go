package test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"chela/internal/store/pgtest"
)

type chatAnswer struct {
	Thread string `json:"threadId"`
	Run    string `json:"runId"`
	State  string `json:"state"`
	Reply  string `json:"reply"`
	Again  bool   `json:"again"`
}

type runAnswer struct {
	Run struct {
		State    string `json:"state"`
		WaitsFor string `json:"waits_for"`
	} `json:"run"`
	Approvals []struct {
		ID     string `json:"id"`
		Status string `json:"status"`
	} `json:"approvals"`
}

// worker is an agent that uses the fake tools.
const worker = `{"card":{"v":"clutch/0.1","agent_id":"agent:worker","display":{"name":"Worker"},"capabilities":[{"id":"skill:work"}],` +
	`"limits":{"max_concurrency":10,"max_runtime_sec":60},"security":{"sandbox":false,"network":"egress-allowed"}},` +
	`"kind":"specialist","prompt":"You work.","tools":["fake_write","fake_read"],"enabled":true,"budget":{}}`

// workOnce is the fake model's script: one write, then an answer.
func workOnce(r request) any {
	if n, _ := r.since(); n == 0 && len(r.Tools) > 0 {
		return toolCall("fake_write", `{"text":"it"}`)
	}
	return text("It is done.")
}

// job sends one message under a key, again after every death, until its run is over.
// What the world saw of it judges.
func job(t *testing.T, s setup, w *world, env func(life int) []string) (deaths int) {
	t.Helper()
	said := chatAnswer{}
	for life := 0; ; life++ {
		if life > 40 {
			t.Fatal("the job does not come to an end")
		}
		d, ok := s.start(t, env(life)...)
		if !ok {
			continue
		}
		ended := drive(d, &said)
		if ended {
			d.stop()
			break
		}
		d.kill()
	}
	log, err := os.ReadFile(filepath.Join(s.data, "stderr.log"))
	if err != nil {
		t.Fatal(err)
	}
	deaths = strings.Count(string(log), "dying at point")
	w.mu.Lock()
	defer w.mu.Unlock()
	for key, n := range w.writes {
		if n > 1 {
			t.Errorf("the tool was called %d times under %s", n, key)
		}
	}
	if n := total(w.asked); n > 2+deaths {
		t.Errorf("the model was asked %d times for two answers, with %d deaths: %v", n, deaths, w.asked)
	}
	if len(w.writes) > 1 {
		t.Errorf("%d calls changed the world, want one: %v", len(w.writes), w.writes)
	}
	s.verified(t)
	return deaths
}

// drive does what is left of the job; false when the daemon died under it.
func drive(d *daemon, said *chatAnswer) bool {
	var agents []any
	if d.try("GET", "/api/agents", nil, &agents) != nil {
		return false
	}
	if d.try("GET", "/api/agents/worker", nil, nil) != nil {
		if err := d.try("POST", "/api/agents", rawJSON(worker), nil); err != nil && !strings.Contains(err.Error(), "already") {
			return false
		}
	}
	if err := d.try("POST", "/api/chat", map[string]any{"text": "Do it", "agent": "worker", "idempotencyKey": "the-job"}, said); err != nil {
		return false
	}
	for {
		var r runAnswer
		if d.try("GET", "/api/runs/"+said.Run, nil, &r) != nil {
			return false
		}
		switch r.Run.State {
		case "done", "failed", "cancelled":
			if r.Run.State != "done" {
				d.t.Errorf("the run ended as %s", r.Run.State)
			}
			return true
		case "waiting":
			for _, a := range r.Approvals {
				if a.Status == "pending" && d.try("POST", "/api/approvals/"+a.ID, map[string]string{"choice": "happened"}, nil) != nil {
					return false
				}
			}
		}
		select {
		case <-d.done:
			return false
		case <-time.After(2 * time.Millisecond):
		}
	}
}

type rawJSON string

func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// TestKillAtEveryPoint kills the daemon at every commit and every outside call of a
// turn with a tool that changes the world, and lets it go on.
func TestKillAtEveryPoint(t *testing.T) {
	const last, sure = 34, 28 // a whole job passes about 31 points, the start included
	step := 1
	if testing.Short() {
		step = 7
	}
	for _, db := range []string{"sqlite", "postgres"} {
		for at := 1; at <= last; at += step {
			t.Run(fmt.Sprintf("%s/%d", db, at), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, workOnce)
				s := setup{data: t.TempDir(), env: w.env()}
				if db == "postgres" {
					s.postgres = pgtest.URL(t)
				}
				deaths := job(t, s, w, func(life int) []string {
					if life > 0 {
						return nil
					}
					return []string{"CHELA_DIE_AT=" + strconv.Itoa(at)}
				})
				if at <= sure && deaths != 1 {
					t.Errorf("the daemon died %d times, want once", deaths)
				}
			})
		}
	}
}

// TestKillAtRandomInstants kills at random instants, a few times here and
// CHELA_SOAK times in `make soak`.
func TestKillAtRandomInstants(t *testing.T) {
	times := 4
	if n, err := strconv.Atoi(os.Getenv("CHELA_SOAK")); err == nil {
		times = n
	}
	databases(t, func(t *testing.T, base setup) {
		for i := range times {
			w := newWorld(t, workOnce)
			s := base
			s.data, s.env = t.TempDir(), w.env()
			if s.postgres != "" {
				s.postgres = pgtest.URL(t)
			}
			r := rand.New(rand.NewPCG(uint64(i), 7)) //nolint:gosec // repeatable
			job(t, s, w, func(life int) []string {
				if life > 3 {
					return nil
				}
				return []string{"CHELA_DIE_AT=" + strconv.Itoa(1+r.IntN(60))}
			})
		}
	})
}
