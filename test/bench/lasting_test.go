package bench

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"chela/internal/event"
)

// takeover measures how long a run whose node is killed in mid-answer takes to be done:
// on PostgreSQL by the other node, on SQLite by the same one, started again at once.
func (r report) takeover(b *testing.B, db string) {
	b.Helper()
	w := r.world(b, db)
	w.artifacts = b.TempDir()
	a := w.start(b)
	next := w
	if db == "postgres" {
		next.data = b.TempDir()
		token, err := os.ReadFile(filepath.Join(w.data, "token"))
		if err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(next.data, "token"), token, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	var out struct {
		Run string `json:"runId"`
	}
	if err := a.cl.Call(b.Context(), "POST", "/api/chat", map[string]any{"text": "hold-here", "agent": "pm", "projectId": a.project(b)}, &out); err != nil {
		b.Fatal(err)
	}
	if !within(time.Minute, func() bool { return get(b, r.model+"/held") == 1 }) {
		b.Fatal("the run did not come to its model call")
	}
	var other *daemon
	if db == "postgres" {
		other = next.start(b)
	}
	begin := time.Now()
	_ = a.cmd.Process.Kill() // it ends below
	<-a.done
	if other == nil {
		other = next.start(b)
	}
	defer other.stop()
	// The new call is held too, unless the gate opens after it has begun.
	done := within(time.Minute, func() bool {
		if get(b, r.model+"/held") > 0 {
			_ = get(b, r.model+"/release")
		}
		return other.state(b, out.Run) == "done"
	})
	if !done {
		b.Fatalf("the run is %s", other.state(b, out.Run))
	}
	line(db+" a killed node's run is done after", ms(time.Since(begin)), "ms", 0)
}

// million measures the start with a log of a million events.
func (r report) million(b *testing.B, db string) {
	b.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv("CHELA_BENCH_EVENTS"), "1000000"))
	if err != nil {
		b.Fatal(err)
	}
	w := r.world(b, db)
	w.start(b).stop()
	log := openLog(b, db, w)
	const together = 2000
	text := "A note of the length that a fact in the log has, more or less, when nobody writes a novel into it."
	begin := time.Now()
	for i := 0; i < n; i += together {
		drafts := make([]event.Draft, 0, together)
		for j := range together {
			at := event.Place{Stream: fmt.Sprintf("s%d", (i+j)/100), Thread: "thr_1", Run: event.NewID("run"), Task: "task_1", From: event.Party{AgentID: "agent:bench"}}
			drafts = append(drafts, noteKind.Draft(at, note{text}))
		}
		if _, err := log.Log.Append(b.Context(), drafts...); err != nil {
			b.Fatal(err)
		}
	}
	line(fmt.Sprintf("%s appends, 1 writer, %d at a time", db, together), float64(n)/time.Since(begin).Seconds(), "1/s", 0)
	if err := log.Close(); err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	for range 7 {
		begin := time.Now()
		d := w.start(b)
		took = append(took, time.Since(begin))
		d.stop()
	}
	line(fmt.Sprintf("%s start to ready, %d events", db, n), ms(median(took)), "ms", 0)
}
