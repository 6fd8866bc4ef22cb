package test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// A watcher reads the daemon's server-sent events.
type watcher struct {
	t     *testing.T
	lines *bufio.Scanner
	stop  func()
}

// watch opens the stream of tickets' events, from the event after last when that is not
// empty. Without it the stream begins where no transaction is open, which on PostgreSQL
// can lie a little before what was just recorded.
func (s setup) watch(t *testing.T, last string) *watcher {
	t.Helper()
	token, err := os.ReadFile(s.data + "/token")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, addressOf(t, s)+"/api/events?type=desk.ticket.*", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	res, err := http.DefaultClient.Do(req) //nolint:bodyclose // stop closes it
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%s %v", res.Status, res.Header)
	}
	w := &watcher{t: t, lines: bufio.NewScanner(res.Body), stop: func() { cancel(); _ = res.Body.Close() }}
	t.Cleanup(w.stop)
	w.lines.Buffer(nil, 1<<20)
	for w.lines.Scan() && !strings.HasPrefix(w.lines.Text(), ": the log from") { // from here on nothing is missed
		continue
	}
	return w
}

// next returns the next event's id and the title that it sets.
func (w *watcher) next() (id, title string) {
	w.t.Helper()
	for w.lines.Scan() {
		line := w.lines.Text()
		if v, ok := strings.CutPrefix(line, "id: "); ok {
			id = v
		}
		if v, ok := strings.CutPrefix(line, "data: "); ok && id != "" {
			var e struct {
				Payload struct {
					Set struct {
						Title string `json:"title"`
					} `json:"set"`
				} `json:"payload"`
			}
			if err := json.Unmarshal([]byte(v), &e); err != nil {
				w.t.Fatal(err)
			}
			return id, e.Payload.Set.Title
		}
	}
	w.t.Fatalf("the stream ended: %v", w.lines.Err())
	return "", ""
}

// TestLive_EventsResume reads live events, loses the connection and the daemon, and goes on
// with what came meanwhile.
func TestLive_EventsResume(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		d := s.running(t)
		base := "/api/projects/" + newProject(t, d) + "/tickets"
		make1 := func(title string) { d.must(t, "POST", base, map[string]string{"title": title}, nil) }
		w := s.watch(t, "")
		make1("one")
		last, title := w.next()
		if title != "one" {
			t.Fatalf("the first event is %q", title)
		}
		w.stop()
		make1("two")
		d.kill()
		d = s.running(t)
		make1("three")
		w = s.watch(t, last)
		for _, want := range []string{"two", "three"} {
			if _, title := w.next(); title != want {
				t.Errorf("it goes on with %q, not %q", title, want)
			}
		}
		make1("four")
		if _, title := w.next(); title != "four" {
			t.Errorf("live again it says %q", title)
		}
		w.stop()
		d.stop()
		s.verified(t)
	})
}
