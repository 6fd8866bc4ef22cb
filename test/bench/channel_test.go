package bench

import (
	"bufio"
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// replies measures the way from a message that is handed over to the first byte of its reply,
// without the time of the model: over a channel, where a message waits 200 ms for more
// (session.Debounce), beside the same over the API, where nothing waits.
func (r report) replies(b *testing.B, db string) {
	b.Helper()
	for _, c := range []int{1, 200} {
		d := r.world(b, db).wide(200).start(b)
		own := r.modelAlone(b)
		name := fmt.Sprintf("%s %d conversations, first byte", db, c)
		calls := map[int]int{1: 100, 200: 1000}[c]
		api := replied(b, c, calls, own, d.byAPI(b, c))
		line(name+": by the API, p50", ms(api.p50), "ms", 0)
		line(name+": by the API, p99", ms(api.p99), "ms", 0)
		hook := replied(b, c, calls, own, d.byChannel(b))
		line(name+": by a channel that waits 200 ms, p50", ms(hook.p50), "ms", ms(api.p50))
		line(name+": by a channel that waits 200 ms, p99", ms(hook.p99), "ms", ms(api.p99))
		d.stop()
	}
	line("the model's own time, taken off", ms(r.modelAlone(b)), "ms", 0)
}

// modelAlone is how long the model takes when nothing else happens.
func (r report) modelAlone(b *testing.B) time.Duration {
	b.Helper()
	body := `{"model":"fake","stream":true,"messages":[{"role":"user","content":"Say hello"}]}`
	return drive(b, 1, 200, func(int, int) error {
		res, err := http.Post(r.model+"/v1/chat/completions", "application/json", strings.NewReader(body)) //nolint:noctx // a report
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close() // it is read
		return err
	}).p50
}

// replied makes calls in c loops at once, each of which says how long the first byte took.
func replied(b *testing.B, c, calls int, own time.Duration, call func(loop, n int) (time.Duration, error)) load {
	b.Helper()
	var mu sync.Mutex
	var took []time.Duration
	l := drive(b, c, calls, func(loop, n int) error {
		first, err := call(loop, n)
		if err != nil || n == 0 { // the warm-up
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		took = append(took, max(first-own, 0))
		return nil
	})
	if len(took) == 0 {
		b.Fatal("nothing was replied")
	}
	slices.Sort(took)
	l.p50, l.p99 = took[len(took)/2], took[len(took)*99/100]
	return l
}

// patience is how long a reply may take.
const patience = time.Minute

// An arrival is a part of a reply on a stream of events.
type arrival struct {
	at    time.Time
	whole bool // it is the recorded reply; else the first of it that the model said
}

// byAPI says things in c conversations, each with a stream on which the reply comes.
func (d *daemon) byAPI(b *testing.B, c int) func(loop, n int) (time.Duration, error) {
	b.Helper()
	project := d.project(b)
	threads, heard := make([]string, c), make([]chan arrival, c)
	ctx, end := context.WithCancel(b.Context())
	b.Cleanup(end)
	for i := range c {
		thread, err := d.say("Say hello", project, "")
		if err != nil {
			b.Fatal(err)
		}
		stream, err := d.cl.Open(ctx, "/api/events?type=chat.message&thread="+thread)
		if err != nil {
			b.Fatal(err)
		}
		threads[i], heard[i] = thread, make(chan arrival, 16)
		open := make(chan struct{})
		go hear(stream, heard[i], open)
		<-open
	}
	return func(loop, n int) (first time.Duration, err error) {
		at := time.Now()
		if err := d.cl.Call(b.Context(), http.MethodPost, "/api/chat", map[string]any{"threadId": threads[loop], "agent": "pm", "text": fmt.Sprint("Say hello ", n)}, nil); err != nil {
			return 0, err
		}
		for late := time.After(patience); ; {
			select {
			case a := <-heard[loop]:
				if first == 0 {
					first = a.at.Sub(at)
				}
				if a.whole {
					return first, nil
				}
			case <-late:
				return 0, fmt.Errorf("no reply in %s", threads[loop])
			}
		}
	}
}

// hear tells what comes of replies on a stream, until it ends.
func hear(stream io.ReadCloser, heard chan<- arrival, open chan<- struct{}) {
	defer func() { _ = stream.Close() }() // it ended
	tick := false
	for lines := bufio.NewScanner(stream); lines.Scan(); {
		text := lines.Text()
		switch {
		case strings.HasPrefix(text, ": the log from"):
			close(open)
		case strings.HasPrefix(text, "event: "):
			tick = text == "event: tick"
		case strings.HasPrefix(text, "data: "):
			if strings.Contains(text, "Done as you said") {
				heard <- arrival{time.Now(), !tick}
			}
			tick = false
		}
	}
}

// byChannel says things in as many chats of a webhook channel as there are loops.
func (d *daemon) byChannel(b *testing.B) func(loop, n int) (time.Duration, error) {
	b.Helper()
	key := bytes.Repeat([]byte("k"), 32)
	var mu sync.Mutex
	chats := make(map[string]chan time.Time)
	chat := func(name string) chan time.Time {
		mu.Lock()
		defer mu.Unlock()
		if chats[name] == nil {
			chats[name] = make(chan time.Time, 16)
		}
		return chats[name]
	}
	people := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		at := time.Now()
		var m struct{ Chat string }
		if json.NewDecoder(r.Body).Decode(&m) == nil {
			chat(m.Chat) <- at
		}
	}))
	b.Cleanup(people.Close)
	for _, c := range []struct {
		method, path string
		in           any
	}{
		{http.MethodPut, "/api/channels/portal", map[string]any{
			"kind": "webhook", "agent": "agent:pm", "secrets": map[string]string{"secret": "whsec_" + base64.StdEncoding.EncodeToString(key)}, "settings": map[string]string{"url": people.URL},
		}},
		{http.MethodPost, "/api/persons/" + d.owner(b) + "/identities", map[string]string{"identity": "portal:ann"}},
	} {
		if err := d.cl.Call(b.Context(), c.method, c.path, c.in, nil); err != nil {
			b.Fatal(err)
		}
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}
	post := func(loop, n int) (int, error) {
		id := fmt.Sprintf("m%d-%d", loop, n)
		body := fmt.Appendf(nil, `{"id":%q,"chat":"c%d","sender":{"id":"ann","name":"Ann"},"text":"Say hello %d"}`, id, loop, n)
		stamp := strconv.FormatInt(time.Now().Unix(), 10)
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + stamp + "." + string(body)))
		req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, d.address+"/channels/portal", bytes.NewReader(body))
		if err != nil {
			return 0, err
		}
		for name, value := range map[string]string{"webhook-id": id, "webhook-timestamp": stamp, "webhook-signature": "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))} {
			req.Header.Set(name, value)
		}
		res, err := client.Do(req)
		if err != nil {
			return 0, err
		}
		return res.StatusCode, res.Body.Close()
	}
	if !within(patience, func() bool { code, err := post(0, -1); return err == nil && code == http.StatusNoContent }) {
		b.Fatal("the channel does not stand")
	}
	<-chat("c0")
	return func(loop, n int) (time.Duration, error) {
		at := time.Now()
		if code, err := post(loop, n); err != nil || code != http.StatusNoContent {
			return 0, fmt.Errorf("a message is answered %d: %w", code, err)
		}
		select {
		case came := <-chat(fmt.Sprint("c", loop)):
			return came.Sub(at), nil
		case <-time.After(patience):
			return 0, fmt.Errorf("no reply in chat %d", loop)
		}
	}
}

// owner is the first person of the daemon.
func (d *daemon) owner(b *testing.B) string {
	b.Helper()
	var all []struct{ ID string }
	if err := d.cl.Call(b.Context(), http.MethodGet, "/api/persons", nil, &all); err != nil || len(all) == 0 {
		b.Fatal(all, err)
	}
	return all[0].ID
}
