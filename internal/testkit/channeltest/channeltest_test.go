package channeltest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"chela/internal/channel"
)

// TestChanneltest_Faults: of several that fit the first given counts, as often as it is to.
func TestChanneltest_Faults(t *testing.T) {
	t.Parallel()
	var q Faults[int]
	for i, f := range []Fault[int]{{Method: "a", Times: 2}, {Method: "b"}, {Times: 1}} {
		f.Code = i + 1
		q.Fault(f)
	}
	for i, c := range []struct {
		method string
		code   int // 0 is nothing
	}{{"a", 1}, {"b", 2}, {"a", 1}, {"a", 3}, {"a", 0}, {"c", 0}, {"b", 2}} {
		if f := q.Due(c.method); (f == nil) != (c.code == 0) || f != nil && f.Code != c.code {
			t.Errorf("call %d of %s: %+v", i, c.method, f)
		}
	}
	q.Heal()
	if f := q.Due("b"); f != nil {
		t.Errorf("healed: %+v", f)
	}
}

// TestChanneltest_Mishaps: what is done of a call, and what is answered, with each mishap.
func TestChanneltest_Mishaps(t *testing.T) {
	t.Parallel()
	var q Faults[string]
	var s *Server
	say := func(w http.ResponseWriter, f *Fault[string]) { _, _ = io.WriteString(w, f.Code) }
	s = New(t, "nobody", func(w http.ResponseWriter, r *http.Request) {
		f := q.Due("x")
		if f.Before(w, r, say) {
			return
		}
		s.Called("x")
		if !f.After(w, r, say) {
			_, _ = io.WriteString(w, "done")
		}
	}, Hooks{})
	s.Start()
	client := &http.Client{Timeout: 200 * time.Millisecond, Transport: &http.Transport{DisableKeepAlives: true}}
	for _, c := range []struct {
		fault  Fault[string]
		done   int
		answer string // none: it breaks, or is waited for in vain
	}{
		{Fault[string]{What: Fail}, 0, "502 <html><h1>Bad Gateway</h1></html>\n"},
		{Fault[string]{What: Fail, Status: 404}, 0, "404 <html><h1>Not Found</h1></html>\n"},
		{Fault[string]{What: FailAfter}, 1, "502 <html><h1>Bad Gateway</h1></html>\n"},
		{Fault[string]{What: CutBefore}, 0, ""},
		{Fault[string]{What: CutAfter}, 1, ""},
		{Fault[string]{What: Silent}, 0, ""},
		{Fault[string]{What: TakeSilently}, 1, ""},
		{Fault[string]{What: Slow}, 1, "200 done"},
		{Fault[string]{What: Slow, For: time.Hour}, 1, ""},
		{Fault[string]{What: Say, Code: "no"}, 0, "200 no"},
		{Fault[string]{What: SayAfter, Code: "no"}, 1, "200 no"},
		{Fault[string]{What: TooMany, Code: "many"}, 0, "200 many"},
		{Fault[string]{What: Own, Code: "ours"}, 0, "200 ours"},
	} {
		c.fault.Times = 1
		before := s.Calls("x")
		q.Fault(c.fault)
		got := ""
		if resp, err := client.Post(s.URL(), "text/plain", nil); err == nil { //nolint:noctx // it has a timeout
			raw, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Error(err)
			}
			_ = resp.Body.Close()
			got = fmt.Sprintf("%d %s", resp.StatusCode, raw)
		}
		if done := s.Calls("x") - before; done != c.done || got != c.answer {
			t.Errorf("%+v: done %d times, answered %q", c.fault, done, got)
		}
	}
}

func TestChanneltest_Limit(t *testing.T) {
	t.Parallel()
	l, at, recent := Limit{Most: 2, In: time.Minute}, time.Now(), []time.Time(nil)
	for i, c := range []struct{ after, over time.Duration }{{0, 0}, {20 * time.Second, 0}, {30 * time.Second, 30 * time.Second}, {time.Minute, 0}, {time.Minute, 20 * time.Second}} {
		if over := l.Over(&recent, at.Add(c.after)); over != c.over {
			t.Errorf("message %d: %s", i, over)
		}
	}
	if over := (Limit{}).Over(&recent, at); over != 0 || len(recent) != 2 {
		t.Errorf("without a limit: %s", over)
	}
}

func TestChanneltest_ServerStaysWhereItIs(t *testing.T) {
	t.Parallel()
	var hooked []string
	s := New(t, "nobody", http.NotFound, Hooks{
		Up:   func() { hooked = append(hooked, "up") },
		Down: func() { hooked = append(hooked, "down") },
	})
	s.Start()
	url := s.URL()
	s.Restart()
	s.Stop()
	if s.Stop(); s.URL() != url || !s.Down() || !slices.Equal(hooked, []string{"up", "down", "up", "down"}) {
		t.Errorf("from %s to %s with %q", url, s.URL(), hooked)
	}
}

func TestChanneltest_InboxHasEachMessageOnce(t *testing.T) {
	t.Parallel()
	full := errors.New("full")
	in := &Inbox{Refuse: func(m channel.Message) error {
		if m.Text == "no" {
			return full
		}
		return nil
	}}
	for _, m := range []channel.Message{{ID: "1", Text: "a"}, {ID: "1", Text: "no"}, {ID: "1", Text: "a"}, {ID: "1", Text: "b"}} {
		if err := in.Take(t.Context(), m); (err != nil) != (m.Text == "no") {
			t.Errorf("%+v: %v", m, err)
		}
	}
	if !slices.Equal(in.Texts(), []string{"a", "b"}) || in.Count() != 2 || in.Again() != 1 || len(in.Came()) != 3 {
		t.Errorf("it has %q, %d again of %d", in.Texts(), in.Again(), len(in.Came()))
	}
}
