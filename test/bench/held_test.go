package bench

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"
)

// held measures what a daemon holds for conversations in which nothing happens, and for
// runs whose model is still answering.
func (r report) held(b *testing.B, db string) {
	b.Helper()
	d := r.world(b, db).wide(thousand).start(b)
	defer d.stop()
	project := d.project(b)
	sizes := make([]float64, 0, 12)
	for range cap(sizes) {
		drive(b, 64, thousand, func(int, int) error {
			_, err := d.say("Say hello", project, "")
			return err
		})
		sizes = append(sizes, d.settled(b))
	}
	// What the heap holds for nobody comes and goes: the least of some readings counts.
	first, last := sizes[:4], sizes[len(sizes)-4:]
	line(db+" memory per 1,000 idle conversations", (slices.Min(last)-slices.Min(first))/float64(len(sizes)-4), "MiB", 0)
	r.streaming(b, d, project, sizes[len(sizes)-1])
}

const thousand = 1000

// settled is the daemon's own memory once it no longer changes.
func (d *daemon) settled(b *testing.B) float64 {
	b.Helper()
	last := -1.0
	for {
		now := d.memory(b, "RssAnon")
		if now == last {
			return now
		}
		last = now
		<-time.After(time.Second)
	}
}

// streaming has a thousand runs wait for the rest of an answer.
func (r report) streaming(b *testing.B, d *daemon, project string, idle float64) {
	b.Helper()
	runs := make([]string, thousand)
	for i := range runs {
		var out struct {
			Run string `json:"runId"`
		}
		if err := d.cl.Call(b.Context(), "POST", "/api/chat", map[string]any{"text": "hold-here", "agent": "pm", "projectId": project}, &out); err != nil {
			b.Fatal(err)
		}
		runs[i] = out.Run
	}
	if !within(time.Minute, func() bool { return get(b, r.model+"/held") == thousand }) {
		b.Fatalf("only %d runs are streaming", get(b, r.model+"/held"))
	}
	line(db(d)+" memory per 1,000 streaming runs", d.memory(b, "RssAnon")-idle, "MiB", 0)
	begin := time.Now()
	_ = get(b, r.model+"/release")
	for _, run := range runs {
		if !within(time.Minute, func() bool { return d.state(b, run) == "done" }) {
			b.Fatalf("%s is %s", run, d.state(b, run))
		}
	}
	line(db(d)+" until 1,000 streaming runs are done", ms(time.Since(begin)), "ms", 0)
}

func db(d *daemon) string {
	if d.postgres != "" {
		return "postgres"
	}
	return "sqlite"
}

// state is how far a run is.
func (d *daemon) state(b *testing.B, run string) string {
	b.Helper()
	var out struct {
		Run struct {
			State string `json:"state"`
		} `json:"run"`
	}
	if err := d.cl.Call(b.Context(), "GET", "/api/runs/"+run, nil, &out); err != nil {
		b.Fatal(err)
	}
	return out.Run.State
}

// within asks until it is so, at most for a time.
func within(limit time.Duration, so func() bool) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); <-time.After(5 * time.Millisecond) {
		if so() {
			return true
		}
	}
	return false
}

// get reads a number.
func get(b *testing.B, url string) int {
	b.Helper()
	res, err := http.Get(url) //nolint:noctx,gosec // a report
	if err != nil {
		b.Fatal(err)
	}
	raw, err := io.ReadAll(res.Body)
	_ = res.Body.Close() // it is read
	if err != nil {
		b.Fatal(err)
	}
	if len(raw) == 0 {
		return 0
	}
	n, err := strconv.Atoi(string(raw))
	if err != nil {
		b.Fatal(fmt.Errorf("%s: %w", url, err))
	}
	return n
}
