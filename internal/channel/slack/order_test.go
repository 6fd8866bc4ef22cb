package slack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chela/internal/channel"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/slacktest"
)

// TestOrder_NothingOvertakesWhatWaits: while nobody knows whether a reply is for us, nothing that was
// said after it in its channel is taken, and what was said elsewhere is.
func TestOrder_NothingOvertakesWhatWaits(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	in := new(channeltest.Inbox)
	root := s.Say(team, anna, "<@U0BOT0001> look")
	r := channeltest.Run(t, with(t, s), in)
	s.Wait("the mention", func() bool { return in.Count() == 1 && s.Pending() == 0 })
	other := s.Say(team, bela, "lunch?")
	s.Wait("the other", func() bool { return in.Count() == 2 && s.Pending() == 0 })
	s.Fault(slacktest.Fault{Method: "conversations.history", What: slacktest.Fail})
	s.Reply(team, anna, other, "yes")
	s.Reply(team, anna, root, "and this")
	s.Say(alone, anna, "elsewhere")
	last := s.Say(team, bela, "<@U0BOT0001> and that")
	s.React(team, bela, last, "eyes", true)
	s.Wait("what was said elsewhere", func() bool { return in.Count() == 3 })
	s.Wait("that all come again", func() bool { return s.Pending() == 5 }) // a mention comes twice
	s.Heal()
	s.Wait("all", func() bool { return in.Count() == 7 && s.Pending() == 0 })
	if got := in.Texts(); !slices.Equal(got, []string{"look", "lunch?", "elsewhere", "yes", "and this", "and that", ":eyes:"}) {
		t.Errorf("they came as %q", got)
	}
	r.Stopped(t)
}

// TestOrder_RetryAfter: Slack says when it may be asked again.
func TestOrder_RetryAfter(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	in := new(channeltest.Inbox)
	channeltest.Run(t, with(t, s), in)
	other := s.Say(team, bela, "lunch?")
	s.Wait("the other", func() bool { return in.Count() == 1 && s.Pending() == 0 })
	s.Fault(slacktest.Fault{Method: "conversations.history", What: slacktest.TooMany, Times: 1, For: time.Second})
	began := time.Now()
	s.Reply(team, anna, other, "one")
	s.Reply(team, anna, other, "two")
	s.Wait("both", func() bool { return in.Count() == 3 && s.Pending() == 0 })
	if got := in.Texts(); !slices.Equal(got, []string{"lunch?", "one", "two"}) || time.Since(began) < time.Second {
		t.Errorf("they came as %q after %s", got, time.Since(began))
	}
}

// TestOrder_LinkEndsWhenSomethingWaitsTooLong, so that people see that the channel is broken.
func TestOrder_LinkEndsWhenSomethingWaitsTooLong(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	a, in := with(t, s), &channeltest.Inbox{Refuse: func(channel.Message) error { return errLater }}
	a.me.Store(&identity{User: s.Bot.ID, Bot: s.Bot.Bot})
	l := a.letter(t.Context(), "events_api", []byte(eventOf(messageIn(alone, "hi"))))
	l.done = func() error { return errors.New("it is acknowledged") }
	if err := a.inTurn(t.Context(), in, l); !errors.Is(err, errLater) {
		t.Fatal(err)
	}
	if next, err := a.retry(t.Context(), in); err != nil || next <= 0 || next > firstAgain {
		t.Errorf("it is tried after %s: %v", next, err)
	}
	a.turns.chats[alone.ID].wait[0].came = time.Now().Add(-linkPatience - time.Second)
	if _, err := a.retry(t.Context(), in); err == nil || !strings.Contains(err.Error(), "For a minute the channel work could not see") {
		t.Errorf("the connection stands: %v", err)
	}
}

// TestOrder_BoundsOfWhatWaits: there is room for so much, and it is given back.
func TestOrder_BoundsOfWhatWaits(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	var busy atomic.Bool
	busy.Store(true)
	a, in := with(t, s, "receive", "http"), &channeltest.Inbox{Refuse: func(channel.Message) error {
		if busy.Load() {
			return errors.New("busy")
		}
		return nil
	}}
	a.me.Store(&identity{User: s.Bot.ID})
	const large = mostBytes/2 + 1
	for range 3 {
		l := a.letter(t.Context(), "events_api", []byte(eventOf(messageIn(alone, "hi"))))
		l.size, l.id = large, ""
		if err := a.inTurn(t.Context(), in, l); err == nil {
			t.Error("it is taken")
		}
	}
	if a.turns.count != 1 || a.turns.size != large {
		t.Errorf("%d with %d bytes wait", a.turns.count, a.turns.size)
	}
	a.turns.chats[alone.ID].wait[0].came = time.Now().Add(-waitsAtMost - time.Second)
	busy.Store(false)
	if next, err := a.retry(t.Context(), in); err != nil || next != 0 {
		t.Errorf("something waits for %s: %v", next, err)
	}
	if a.turns.count != 0 || a.turns.size != 0 || len(a.turns.chats) != 0 || in.Count() != 0 {
		t.Errorf("%d with %d bytes wait in %d chats; %d were taken", a.turns.count, a.turns.size, len(a.turns.chats), in.Count())
	}
}

func eventOf(event string) string { return `{"type":"event_callback","event":` + event + `}` }

// said is a message in a direct chat as Slack tells of it, and what it is told by.
func said(ts, text string) string {
	return fmt.Sprintf(`{"type":"event_callback","event_id":"Ev%s","event":{"type":"message","channel":%q,"channel_type":"im","user":%q,"text":%q,"ts":%q}}`, ts, alone.ID, anna.ID, text, ts)
}

// TestOrder_ByHTTPNothingOvertakesWhatFailed: what came is kept, and taken before what comes next.
func TestOrder_ByHTTPNothingOvertakesWhatFailed(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	var fails atomic.Int32
	fails.Store(3)
	in := &channeltest.Inbox{Refuse: func(channel.Message) error {
		if fails.Add(-1) >= 0 {
			return errors.New("busy")
		}
		return nil
	}}
	a := with(t, s, "receive", "http")
	post := func(body string) int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/channels/work", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		sign(s, r, []byte(body), time.Now())
		w := httptest.NewRecorder()
		a.Listen(w, r, in)
		return w.Code
	}
	one, two, three := said("1355517523.000001", "one"), said("1355517523.000002", "two"), said("1355517523.000003", "three")
	for i, step := range []struct {
		body string
		code int
		took int
	}{
		{one, 503, 0}, {two, 503, 0}, {one, 503, 0}, // Slack comes back for the first
		{three, 200, 3}, {two, 200, 3}, {one, 200, 3},
	} {
		if code := post(step.body); code != step.code || in.Count() != step.took {
			t.Errorf("step %d is answered with %d when %d are taken", i, code, in.Count())
		}
	}
	if got := in.Texts(); !slices.Equal(got, []string{"one", "two", "three"}) {
		t.Errorf("they came as %q", got)
	}
}

// connected opens a channel as the daemon does when it was broken.
func connected(t *testing.T, p channel.Platform, s *slacktest.Server) *Adapter {
	t.Helper()
	c, err := p.Open(config(s))
	if err != nil {
		t.Fatal(err)
	}
	a, ok := c.(*Adapter)
	if !ok {
		t.Fatalf("%T", c)
	}
	if _, err := a.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := a.past.opened(t.Context(), a.me.Load(), new(channeltest.Inbox)); err != nil {
		t.Fatal(err)
	}
	return a
}

// newest is a message that is said so many seconds from now, after all others.
func newest(c slacktest.Chat, branch string, seconds int64) channel.Message {
	ts := fmt.Sprintf("%d.000001", time.Now().Unix()+seconds)
	return channel.Message{Address: channel.Address{Chat: c.ID, Branch: branch}, ID: ts, What: channel.Said, Text: "newest", Called: true, Group: branch != ""}
}

// TestOrder_OlderMessageComesLater: over a new connection Slack sends what is new before what the old
// one took along, so the older is asked for.
func TestOrder_OlderMessageComesLater(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	in := new(channeltest.Inbox)
	p := Platform()
	early := s.Say(alone, anna, "before we were there")
	first := connected(t, p, s)
	for _, ts := range []string{early, s.Say(alone, anna, "before it broke")} {
		if err := first.take(t.Context(), in, "events_api", []byte(said(ts, "before"))); err != nil {
			t.Fatal(err)
		}
	}
	root := s.Say(team, anna, "<@U0BOT0001> look")
	for _, text := range []string{"one", "two"} { // nobody is connected
		s.Say(alone, anna, text)
		s.Reply(team, anna, root, text)
	}
	s.Say(alone, robot, "beep")
	s.Reply(alone, anna, early, "in a thread")
	a := connected(t, p, s)
	for _, m := range []channel.Message{newest(alone, "", 1), newest(team, root, 1)} {
		if err := a.hand(t.Context(), in, m); err != nil {
			t.Fatal(err)
		}
	}
	if got := in.Texts(); !slices.Equal(got, []string{"before", "before", "one", "two", "newest", "look", "one", "two", "newest"}) {
		t.Errorf("they came as %q", got)
	}
	calls := func() int { return s.Calls("conversations.history") + s.Calls("conversations.replies") }
	if n := calls(); n != 2 {
		t.Errorf("Slack was asked %d times", n)
	}
	if err := a.hand(t.Context(), in, newest(alone, "", 2)); err != nil || calls() != 2 {
		t.Errorf("Slack is asked about each: %v", err)
	}
	if err := a.hand(t.Context(), in, newest(team, "1355517523.000001", 2)); err != nil || calls() != 3 { // the thread is gone
		t.Errorf("in another conversation: %d calls, %v", calls(), err)
	}
}

// TestOrder_OverALife: what was said while no daemon was there comes before what is said now, though
// Slack sends it later or no more.
func TestOrder_OverALife(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	a := with(t, s)
	if _, err := a.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	root := s.Say(team, anna, "<@U0BOT0001> look")
	last := s.Say(alone, anna, "taken before")
	s.Say(alone, anna, "missed")
	s.Reply(team, anna, root, "missed there")
	in := &channeltest.Inbox{Before: []channel.Newest{
		{Address: channel.Address{Chat: alone.ID}, ID: last},
		{Address: channel.Address{Chat: team.ID, Branch: root}, ID: root, Group: true},
		{Address: channel.Address{Chat: "C0OTHER"}, ID: "not of Slack"},
	}}
	if err := a.past.opened(t.Context(), a.me.Load(), in); err != nil {
		t.Fatal(err)
	}
	for _, m := range []channel.Message{newest(alone, "", 1), newest(team, root, 1), newest(alone, "", 2), newest(slacktest.Chat{ID: "D0BELA001"}, "", 3)} {
		if err := a.hand(t.Context(), in, m); err != nil {
			t.Fatal(err)
		}
	}
	if got := in.Texts(); !slices.Equal(got, []string{"missed", "newest", "missed there", "newest", "newest", "newest"}) {
		t.Errorf("they came as %q", got)
	}
	if n := s.Calls("conversations.history") + s.Calls("conversations.replies"); n != 3 { // once more for what the thread began with
		t.Errorf("Slack was asked %d times", n)
	}
}

// TestOrder_WhatIsMissingIsNotKnown: nothing is taken before it is.
func TestOrder_WhatIsMissingIsNotKnown(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	in := new(channeltest.Inbox)
	p := Platform()
	connected(t, p, s)
	a := connected(t, p, s)
	s.Say(alone, anna, "one")
	m := newest(alone, "", 1)
	for name, f := range map[string]slacktest.Fault{
		"a proxy":  {Method: "conversations.history", What: slacktest.Fail, Times: 1},
		"too many": {Method: "conversations.history", What: slacktest.TooMany, Times: 1, For: time.Second},
	} {
		s.Fault(f)
		if err := a.hand(t.Context(), in, m); !errors.Is(err, errLater) || in.Count() != 0 {
			t.Errorf("%s: %d are taken, %v", name, in.Count(), err)
		}
	}
	s.Fault(slacktest.Fault{Method: "conversations.history", What: slacktest.Say, Code: "missing_scope", Times: 1})
	if err := a.hand(t.Context(), in, m); err != nil || in.Count() != 1 {
		t.Errorf("without the scope %d are taken, %v", in.Count(), err)
	}
}

// TestOrder_TwoConnectionsOneOrder: while two stand each message may overtake one on the other, and once
// one has ended those that came over the other may still have some before them on it.
func TestOrder_TwoConnectionsOneOrder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ended bool // before anything comes
		order []int
	}{
		"both stand":    {false, []int{1, 0, 2, 5, 3, 4}},
		"one has ended": {true, []int{1, 3, 5, 0, 2, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			s := slacktest.New(t)
			in := new(channeltest.Inbox)
			a := connected(t, Platform(), s)
			a.past.doubled(true)
			var all, want []string
			for i := range c.order {
				want = append(want, fmt.Sprint("message ", i))
				all = append(all, s.Say(alone, anna, want[i]))
			}
			if c.ended {
				a.past.doubled(false)
			}
			for _, i := range c.order {
				if err := a.take(t.Context(), in, "events_api", []byte(said(all[i], want[i]))); err != nil {
					t.Fatal(err)
				}
			}
			if got := in.Texts(); !slices.Equal(got, want) {
				t.Errorf("they came as %q", got)
			}
		})
	}
}

// TestOrder_TheNextConnectionIsUsedAtOnce: Slack sends over it before we know that it stands.
func TestOrder_TheNextConnectionIsUsedAtOnce(t *testing.T) {
	t.Parallel()
	for range 4 { // which of two signals is seen first is chance
		s := slacktest.New(t)
		held, release := make(chan struct{}), make(chan struct{})
		hold := sync.OnceFunc(func() { close(held) }) // a connection that ends meanwhile has it come again
		in := &channeltest.Inbox{Refuse: func(m channel.Message) error {
			if m.Text == "0" {
				hold()
				<-release
			}
			return nil
		}}
		r := channeltest.Run(t, with(t, s), in)
		in.Wait(t, "the connection", func() bool { return in.Ups() == 1 })
		s.Announce("refresh_requested")
		s.Say(alone, anna, "0")
		<-held
		s.Wait("the next connection", func() bool { return s.Links() == 2 })
		want := []string{"0"}
		for i := range 6 {
			want = append(want, fmt.Sprint(i+1))
			s.Say(alone, anna, fmt.Sprint(i+1))
		}
		close(release)
		s.Wait("all", func() bool { return s.Pending() == 0 })
		if got := in.Texts(); !slices.Equal(got, want) {
			t.Errorf("they came as %q", got)
		}
		r.Stopped(t)
	}
}

// TestOrder_HoldsWhileThingsBreak has people write, in a direct chat and in a thread, while the
// connection breaks in every way and is renewed.
func TestOrder_HoldsWhileThingsBreak(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	var n atomic.Int32
	in := &channeltest.Inbox{Refuse: func(channel.Message) error {
		if n.Add(1)%17 == 0 {
			return errors.New("busy")
		}
		return nil
	}}
	p := Platform()
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() {
		for ctx.Err() == nil {
			a, err := p.Open(config(s, "ping", "50ms"))
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := a.Check(ctx); err == nil {
				_ = a.Run(ctx, in) // it is opened anew, whatever it was
			}
		}
	})
	t.Cleanup(func() {
		cancel()
		work.Wait()
	})
	root := s.Say(team, anna, "<@U0BOT0001> message 0")
	s.Say(alone, anna, "message 0")
	want := []string{"message 0"}
	mishaps := map[int]func(){
		10: func() { s.Cut(1) },
		20: func() { s.Announce("refresh_requested") },
		25: func() {
			s.Fault(slacktest.Fault{Method: "conversations.history", What: slacktest.Fail, Times: 2})
			s.Fault(slacktest.Fault{Method: "conversations.replies", What: slacktest.Fail, Times: 2})
		},
		30: s.Restart,
		35: s.Deafen,
		40: s.Redeliver,
		50: func() {
			s.Fault(slacktest.Fault{Method: "apps.connections.open", What: slacktest.Fail, Times: 1})
			s.Cut(1)
		},
	}
	for i := 1; i < 60; i++ {
		if do := mishaps[i]; do != nil {
			s.Wait("the connection", func() bool { return s.Links() > 0 })
			do()
		}
		want = append(want, fmt.Sprint("message ", i))
		s.Say(alone, anna, want[i])
		s.Reply(team, anna, root, want[i])
	}
	s.Wait("all", func() bool { return in.Count() == 120 && s.Pending() == 0 })
	came := make(map[string][]string)
	for _, m := range in.All() {
		came[m.Chat] = append(came[m.Chat], m.Text)
	}
	for _, c := range []slacktest.Chat{alone, team} {
		if !slices.Equal(came[c.ID], want) {
			t.Errorf("in %s they came as %q", c.ID, came[c.ID])
		}
	}
}
