package test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A portal is a chat service at the other end of a webhook channel. It signs, and checks
// signatures, as the Standard Webhooks specification says.
type portal struct {
	*httptest.Server
	key []byte

	mu     sync.Mutex               // guards the rest
	answer func(try, posts int) int // what it answers to an attempt at a message
	posts  int
	tries  map[string]int    // by webhook-id
	kept   map[string]posted // by webhook-id: what comes twice is taken once
	order  map[string][]string
	bad    []string
}

// posted is a message that came from the daemon.
type posted struct {
	Chat    string `json:"chat"`
	Text    string `json:"text"`
	ReplyTo string `json:"reply_to"`
	Buttons []struct {
		Text  string `json:"text"`
		Press string `json:"press"`
	} `json:"buttons"`
	File struct {
		Name string `json:"name"`
		Type string `json:"type"`
		Data []byte `json:"data"`
	} `json:"file"`
}

// What a portal answers besides a status.
const (
	cut    = -1 // it takes the message and hangs up
	silent = -2 // the connection stands, nothing is taken and no answer comes
)

func newPortal(t *testing.T) *portal {
	t.Helper()
	p := &portal{key: bytes.Repeat([]byte("k"), 32), kept: make(map[string]posted), tries: make(map[string]int), order: make(map[string][]string)}
	p.begin(t, ownPort(t))
	t.Cleanup(func() { p.Close() })
	return p
}

// begin has the service listen.
func (p *portal) begin(t *testing.T, at net.Listener) {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(p.take))
	_ = s.Listener.Close() // ours is another
	s.Listener = at
	s.Start()
	p.Server = s
}

// restart ends the service, with whatever comes just now, and begins it again on its address.
func (p *portal) restart(t *testing.T) {
	t.Helper()
	p.CloseClientConnections()
	p.Close()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", p.Listener.Addr().String())
	for end := time.Now().Add(time.Minute); err != nil && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		// A test beside this one drew the same port meanwhile.
		l, err = new(net.ListenConfig).Listen(t.Context(), "tcp", p.Listener.Addr().String())
	}
	if err != nil {
		t.Fatal(err)
	}
	p.begin(t, l)
}

// ownPort listens on a port that systems give to nobody who asks for any, so that it is still free when a service comes back.
func ownPort(t *testing.T) net.Listener {
	t.Helper()
	for range 100 {
		if l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", fmt.Sprintf("127.0.0.1:%d", 20000+rand.IntN(10000))); err == nil {
			return l
		}
	}
	t.Fatal("a hundred ports are all taken")
	return nil
}

func (p *portal) secret() string { return "whsec_" + base64.StdEncoding.EncodeToString(p.key) }

func (p *portal) sign(id, stamp string, body []byte) string {
	m := hmac.New(sha256.New, p.key)
	m.Write([]byte(id + "." + stamp + "." + string(body)))
	return "v1," + base64.StdEncoding.EncodeToString(m.Sum(nil))
}

func (p *portal) take(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	id := r.Header.Get("webhook-id")
	var m posted
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := json.Unmarshal(body, &m); err != nil || r.Header.Get("webhook-signature") != p.sign(id, r.Header.Get("webhook-timestamp"), body) {
		p.bad = append(p.bad, string(body))
	}
	p.posts++
	p.tries[id]++
	code := http.StatusOK
	if p.answer != nil {
		code = p.answer(p.tries[id], p.posts)
	}
	if code == silent {
		p.mu.Unlock()
		defer p.mu.Lock() // for who unlocks it
		<-r.Context().Done()
		return
	}
	if code != http.StatusOK && code != cut {
		if code == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "1")
		}
		http.Error(w, "no", code)
		return
	}
	if _, twice := p.kept[id]; !twice {
		p.kept[id] = m
		p.order[m.Chat] = append(p.order[m.Chat], cmp.Or(m.Text, m.File.Name+" "+m.File.Type+" "+string(m.File.Data)))
	}
	if code == cut {
		panic(http.ErrAbortHandler)
	}
	_, _ = fmt.Fprintf(w, `{"id":"p%d"}`, p.posts)
}

func (p *portal) got(chat string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.order[chat])
}

// say posts a message to the daemon and returns the status.
func (p *portal) say(t *testing.T, d *daemon, m map[string]any) int {
	t.Helper()
	body, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	return p.post(t, d, fmt.Sprint(m["id"]), stamp, p.sign(fmt.Sprint(m["id"]), stamp, body), body)
}

func (p *portal) post(t *testing.T, d *daemon, id, stamp, signature string, body []byte) int {
	t.Helper()
	status, err := p.try(t.Context(), d, id, stamp, signature, body)
	if err != nil {
		t.Fatal(err)
	}
	return status
}

// try posts to a daemon that may be dead.
func (p *portal) try(ctx context.Context, d *daemon, id, stamp, signature string, body []byte) (int, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.address+"/channels/portal", bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("webhook-id", id)
	r.Header.Set("webhook-timestamp", stamp)
	r.Header.Set("webhook-signature", signature)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	return res.StatusCode, nil
}

func from(chat, sender, id, text string) map[string]any {
	return map[string]any{"id": id, "chat": chat, "sender": map[string]any{"id": sender, "name": "Ann"}, "text": text}
}

// open adds the channel and waits until it stands.
func (p *portal) open(t *testing.T, d *daemon) {
	t.Helper()
	d.must(t, http.MethodPut, "/api/channels/portal", map[string]any{"kind": "webhook", "agent": "agent:pm", "secrets": map[string]string{"secret": p.secret()}, "settings": map[string]string{"url": p.URL}}, nil)
	p.up(t, d)
}

func (p *portal) up(t *testing.T, d *daemon) {
	t.Helper()
	until(t, "the channel", func() bool {
		var list []struct{ State string }
		d.must(t, http.MethodGet, "/api/channels", nil, &list)
		return len(list) == 1 && list[0].State == "up"
	})
}

// link lets a sender in as a member.
func (p *portal) link(t *testing.T, d *daemon, sender, role string) {
	t.Helper()
	_, id := d.member(t, "Ann "+sender, role)
	d.must(t, http.MethodPost, "/api/persons/"+id+"/identities", map[string]string{"identity": "portal:" + sender}, nil)
}

var code = regexp.MustCompile(`\*\*([A-Z2-9]{8})\*\*`)

// TestChannel_AChannelLetsMembersIn: a stranger gets a code and nothing else; who is let in talks to
// the agents; what comes twice, late or with another's signature is not taken.
func TestChannel_AChannelLetsMembersIn(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		w := newWorld(t, func(r request) any {
			_, said := r.since()
			return text("You said: " + said)
		})
		s.env = w.env()
		d, p := s.running(t), newPortal(t)
		p.open(t, d)
		for i := range 3 {
			if got := p.say(t, d, from("c1", "u1", fmt.Sprint("m", i), "Hello")); got != http.StatusNoContent {
				t.Fatalf("a message is answered %d", got)
			}
		}
		until(t, "the code", func() bool { return len(p.got("c1")) > 0 })
		m := code.FindStringSubmatch(p.got("c1")[0])
		if m == nil {
			t.Fatalf("the stranger got %q", p.got("c1"))
		}
		_, ann := d.member(t, "Ann", "viewer")
		d.must(t, http.MethodPost, "/api/pairings/"+strings.ToLower(m[1]), map[string]string{"person": ann}, nil)
		if err := d.try(http.MethodPost, "/api/pairings/"+m[1], map[string]string{"person": ann}, nil); err == nil {
			t.Error("a code counts twice")
		}
		for range 2 {
			p.say(t, d, from("c1", "u1", "m9", "What is open?"))
		}
		until(t, "the answer", func() bool { return len(p.got("c1")) > 1 })
		p.say(t, d, from("c2", "u1", "m9", "And\x00 here?")) // the same id, in another chat
		until(t, "the other answer", func() bool { return len(p.got("c2")) > 0 })

		p.say(t, d, from("c3", "u1", "m11", strings.Repeat("x", 200_001))) // refused for good, before there is a conversation
		p.say(t, d, from("c3", "u1", "m11", strings.Repeat("x", 200_001)))
		until(t, "the reason", func() bool { return len(p.got("c3")) > 0 })
		if got := p.got("c3"); len(got) != 1 || !strings.Contains(got[0], "200000") {
			t.Errorf("a text that is too long is answered %q", got)
		}

		body, _ := json.Marshal(from("c1", "u1", "m10", "Forged"))
		now, old := strconv.FormatInt(time.Now().Unix(), 10), strconv.FormatInt(time.Now().Add(-time.Hour).Unix(), 10)
		for name, got := range map[string]int{
			"forged":   p.post(t, d, "m10", now, "v1,AAAA", body),
			"old":      p.post(t, d, "m10", old, p.sign("m10", old, body), body),
			"tampered": p.post(t, d, "m10", now, p.sign("m10", now, body), bytes.Replace(body, []byte("Forged"), []byte("forged"), 1)),
			"unsigned": p.post(t, d, "", "", "", body),
		} {
			if got != http.StatusUnauthorized {
				t.Errorf("%s: %d", name, got)
			}
		}
		var deliveries []struct{ State, Thread string }
		until(t, "the deliveries", func() bool {
			d.must(t, http.MethodGet, "/api/deliveries", nil, &deliveries)
			return !slices.ContainsFunc(deliveries, func(d struct{ State, Thread string }) bool { return d.State != "sent" })
		})
		if len(deliveries) != 4 || !slices.Equal(p.got("c1")[1:], []string{`You said: "What is open?"`}) || !slices.Equal(p.got("c2"), []string{`You said: "And here?"`}) || len(p.bad) > 0 {
			t.Errorf("%+v\n%q %q %q", deliveries, p.got("c1"), p.got("c2"), p.bad)
		}
		d.stop()
		s.verified(t)
	})
}

// TestChannel_NothingIsLostOnAChannel: the platform refuses, limits, fails and hangs up, and the daemon
// is killed; every answer arrives once and in order.
func TestChannel_NothingIsLostOnAChannel(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		w := newWorld(t, func(r request) any {
			_, said := r.since()
			return text("You said: " + said)
		})
		s.env = w.env()
		d, p := s.running(t), newPortal(t)
		p.answer = func(try, posts int) int {
			if try > 2 {
				return http.StatusOK
			}
			return []int{http.StatusOK, http.StatusInternalServerError, cut, http.StatusServiceUnavailable, http.StatusTooManyRequests}[posts%5]
		}
		p.open(t, d)
		p.link(t, d, "u1", "viewer")
		const chats, each = 3, 4
		for i := range each {
			for c := range chats {
				chat := fmt.Sprint("c", c)
				if got := p.say(t, d, from(chat, "u1", fmt.Sprint("m", i), fmt.Sprint(i))); got != http.StatusNoContent {
					t.Fatalf("a message is answered %d", got)
				}
				until(t, "the answer", func() bool { // one after the other, so that each is answered by itself
					var all []struct{ State string }
					d.must(t, http.MethodGet, "/api/deliveries", nil, &all)
					return len(all) == i*chats+c+1
				})
			}
			if i == 1 {
				d.kill()
				d = s.running(t)
				p.up(t, d)
			}
		}
		var want []string
		for i := range each {
			want = append(want, fmt.Sprintf("You said: %q", fmt.Sprint(i)))
		}
		for c := range chats {
			until(t, "the answers", func() bool { return len(p.got(fmt.Sprint("c", c))) >= each })
			if got := p.got(fmt.Sprint("c", c)); !slices.Equal(got, want) {
				t.Errorf("chat %d: %q", c, got)
			}
		}
		until(t, "the last delivery", func() bool {
			var open []struct{ State string }
			d.must(t, http.MethodGet, "/api/deliveries?state=queued", nil, &open)
			return len(open) == 0
		})
		d.stop()
		s.verified(t)
	})
}

// TestChannel_AQuestionIsAnsweredOnAChannel: only a member whose role allows it decides, by the button
// or by the id; and the conversation is begun anew by a command.
func TestChannel_AQuestionIsAnsweredOnAChannel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(r request) any {
		n, said := r.since()
		if n == 0 && strings.Contains(said, "write") {
			return toolCall("write_file", `{"path":"a.txt","content":"A"}`)
		}
		return text(fmt.Sprintf("Done after %d.", n))
	})
	s := setup{data: t.TempDir(), env: w.env()}
	d, p := s.running(t), newPortal(t)
	p.open(t, d)
	d.must(t, http.MethodPut, "/api/channels/portal", map[string]any{"kind": "webhook", "agent": "agent:coder", "settings": map[string]string{"url": p.URL}}, nil)
	p.up(t, d)
	p.link(t, d, "viewer", "viewer")
	p.link(t, d, "editor", "editor")
	question := func(n int) (id string) {
		t.Helper()
		until(t, "the question", func() bool {
			p.mu.Lock()
			defer p.mu.Unlock()
			found := 0
			for _, m := range p.kept {
				if len(m.Buttons) > 0 {
					found++
					if i := slices.IndexFunc(m.Buttons, func(b struct {
						Text  string `json:"text"`
						Press string `json:"press"`
					},
					) bool {
						return b.Text == "Approve"
					}); i < 0 || !strings.Contains(m.Text, "a.txt") {
						t.Errorf("the question is %+v", m)
					} else if _, id, _ = strings.Cut(m.Buttons[i].Press, ":"); !strings.Contains(m.Text, id) {
						t.Errorf("the question does not name %s: %s", id, m.Text)
					}
				}
			}
			return found == n
		})
		return id
	}
	p.say(t, d, from("c1", "editor", "m1", "Please write the file"))
	id := question(1)
	press := from("c1", "viewer", "x1", "")
	press["press"] = "approve:" + id
	p.say(t, d, press)
	until(t, "the refusal", func() bool { return len(p.got("c1")) == 2 })
	if got := p.got("c1")[1]; !strings.Contains(got, "role") {
		t.Errorf("a viewer's press is answered %q", got)
	}
	press = from("c1", "editor", "x2", "")
	press["press"] = "approve:" + id
	p.say(t, d, press)
	p.say(t, d, press)
	until(t, "the answer", func() bool { return slices.Contains(p.got("c1"), "Done after 1.") })
	press = from("c1", "editor", "x3", "")
	press["press"] = "deny:" + id
	p.say(t, d, press)
	until(t, "the other refusal", func() bool { return len(p.got("c1")) > 3 })
	if got := p.got("c1"); len(got) != 4 || !strings.Contains(got[3], "answered this already") {
		t.Errorf("two presses and another choice later it says %q", got)
	}
	p.say(t, d, from("c1", "editor", "m3", "/new"))
	until(t, "the new conversation", func() bool { return len(p.got("c1")) == 5 })
	p.say(t, d, from("c1", "editor", "m4", "Hello"))
	until(t, "the other answer", func() bool { return slices.Contains(p.got("c1"), "Done after 0.") })
	var threads []struct{ ID string }
	if d.must(t, http.MethodGet, "/api/conversations", nil, &threads); len(threads) != 2 {
		t.Errorf("%d conversations, want 2", len(threads))
	}
	d.stop()
	s.verified(t)
}
