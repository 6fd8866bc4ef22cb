package slack

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chela/internal/channel"
	"chela/internal/fault"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/slacktest"
)

func TestReceive_MessagesComeInOrder(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	in := new(channeltest.Inbox)
	r := channeltest.Run(t, with(t, s), in)
	var want []string
	for i := range 50 {
		want = append(want, fmt.Sprint("message ", i))
		s.Say(alone, anna, want[i])
	}
	s.Wait("all", func() bool { return in.Count() == 50 && s.Pending() == 0 })
	if got := in.Texts(); !slices.Equal(got, want) {
		t.Errorf("they came as %q", got)
	}
	r.Stopped(t)
}

func TestReceive_MessageIsConfirmedOnlyWhenTaken(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	in := &channeltest.Inbox{Refuse: func(m channel.Message) error { return errors.New("the disk is full") }}
	r := channeltest.Run(t, with(t, s), in)
	s.Say(alone, anna, "one")
	s.Say(alone, anna, "two")
	if err := <-r.End; err == nil || !strings.Contains(err.Error(), "disk is full") {
		t.Errorf("Run ended with %v", err)
	}
	if s.Pending() != 2 {
		t.Errorf("%d of 2 wait", s.Pending())
	}
	in.Refuse = nil
	channeltest.Run(t, with(t, s), in)
	s.Wait("both", func() bool { return s.Pending() == 0 })
	if got := in.Texts(); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("they came as %q", got)
	}
}

func TestReceive_Redelivery(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	in := new(channeltest.Inbox)
	channeltest.Run(t, with(t, s), in)
	s.Say(alone, anna, "one")
	s.Say(alone, anna, "two")
	s.Wait("both", func() bool { return in.Count() == 2 && s.Pending() == 0 })
	s.Redeliver()
	s.Wait("both again", func() bool { return in.Again() == 2 })
	if in.Count() != 2 {
		t.Errorf("they came as %q", in.Texts())
	}
}

// TestReceive_MentionComesOnce: what mentions us comes as a message and as a mention.
func TestReceive_MentionComesOnce(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	in := new(channeltest.Inbox)
	channeltest.Run(t, with(t, s), in)
	s.Say(team, anna, "<@U0BOT0001> look")
	s.Wait("both events", func() bool { return in.Again() == 1 && in.Count() == 1 })
	if m := in.All()[0]; !m.Called || m.Text != "look" || m.Branch != m.ID || !m.Group {
		t.Errorf("it came as %+v", m)
	}
}

func TestReceive_HalfOpen(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	in := new(channeltest.Inbox)
	r := channeltest.Run(t, with(t, s, "ping", "50ms"), in)
	s.Wait("the connection", func() bool { return s.Links() == 1 })
	s.Deafen()
	channeltest.WantFault(t, <-r.End, fault.Unavailable, "no sign of life")
}

// TestReceive_QuietConnectionStands: pings are signs of life.
func TestReceive_QuietConnectionStands(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	in := new(channeltest.Inbox)
	channeltest.Run(t, with(t, s, "ping", "250ms"), in)
	s.Wait("the connection", func() bool { return s.Links() == 1 })
	quiet := time.NewTimer(1500 * time.Millisecond)
	<-quiet.C
	s.Say(alone, anna, "still there?")
	s.Wait("the message", func() bool { return in.Count() == 1 })
	if s.Calls(slacktest.Socket) != 1 {
		t.Error("it was opened again")
	}
}

// TestReceive_NextConnectionStandsBeforeTheOldEnds when Slack announces that.
func TestReceive_NextConnectionStandsBeforeTheOldEnds(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	in := new(channeltest.Inbox)
	r := channeltest.Run(t, with(t, s), in)
	s.Wait("the connection", func() bool { return s.Links() == 1 })
	for i, reason := range []string{"warning", "refresh_requested"} {
		s.Announce(reason)
		s.Announce(reason) // it may be said twice
		s.Wait("both", func() bool { return s.Links() == 2 })
		for j := range 6 { // over the old and the new
			s.Say(alone, anna, fmt.Sprint(reason, " ", j))
		}
		s.Wait("what came over both", func() bool { return in.Count() == 6*(i+1) && s.Pending() == 0 })
		s.Cut(1)
		s.Wait("the end of the old", func() bool { return s.Links() == 1 })
	}
	s.Say(alone, anna, "last")
	s.Wait("what comes over the new", func() bool { return in.Count() == 13 })
	if n := s.Calls(slacktest.Socket); n != 3 {
		t.Errorf("%d connections", n)
	}
	r.Stopped(t)
}

// TestReceive_ChangeDuringAChange: a third connection is opened while the first is still read.
func TestReceive_ChangeDuringAChange(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	in := new(channeltest.Inbox)
	r := channeltest.Run(t, with(t, s), in)
	for i := 1; i <= 4; i++ {
		in.Wait(t, "the connection", func() bool { return in.Ups() == i })
		s.Wait("the end of the oldest", func() bool { return s.Links() == min(i, 2) })
		s.Say(alone, anna, fmt.Sprint("message ", i))
		s.Wait("the message", func() bool { return in.Count() == i && s.Pending() == 0 })
		if i < 4 {
			s.Announce("refresh_requested")
		}
	}
	r.Stopped(t)
	s.Wait("the end of all", func() bool { return s.Links() == 0 })
}

// TestReceive_NextConnectionComesTooLate: it is closed when Run has ended.
func TestReceive_NextConnectionComesTooLate(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	in := &channeltest.Inbox{Refuse: func(channel.Message) error {
		s.Wait("the next", func() bool { return s.Links() == 2 })
		return errors.New("busy")
	}}
	r := channeltest.Run(t, with(t, s), in)
	s.Wait("the connection", func() bool { return s.Links() == 1 })
	s.Announce("warning")
	s.Say(alone, anna, "hello")
	if err := <-r.End; err == nil {
		t.Error("it went on")
	}
	s.Wait("the end of all", func() bool { return s.Links() == 0 })
}

// TestReceive_OldEndsBeforeTheNextStands has Slack close sooner than it said.
func TestReceive_OldEndsBeforeTheNextStands(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	in := new(channeltest.Inbox)
	channeltest.Run(t, with(t, s), in)
	s.Wait("the connection", func() bool { return s.Links() == 1 })
	s.Announce("warning")
	s.Cut(1)
	s.Wait("the next", func() bool { return s.Calls(slacktest.Socket) == 2 && s.Links() == 1 })
	s.Say(alone, anna, "hello")
	s.Wait("the message", func() bool { return in.Count() == 1 && s.Pending() == 0 })
}

func TestReceive_EndsOfAConnection(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end   func(*slacktest.Server)
		kind  fault.Kind
		words string
	}{
		"cut":      {func(s *slacktest.Server) { s.Cut(1) }, fault.Unavailable, "broke"},
		"stopped":  {(*slacktest.Server).Stop, fault.Unavailable, "broke"},
		"turned":   {func(s *slacktest.Server) { s.Turn(false) }, fault.Conflict, "Socket Mode of the app of the channel work is turned off"},
		"too many": {func(s *slacktest.Server) { s.Announce("too_many_websockets") }, fault.Conflict, "which is 10"},
		"no next": {func(s *slacktest.Server) {
			s.Fault(slacktest.Fault{Method: "apps.connections.open", What: slacktest.Fail})
			s.Announce("warning")
		}, fault.Unavailable, "status 502"},
		"no opened": {func(s *slacktest.Server) {
			s.Fault(slacktest.Fault{Method: slacktest.Socket, What: slacktest.CutBefore})
			s.Announce("warning")
		}, fault.Unavailable, "no connection"},
	} {
		t.Run(name, func(t *testing.T) {
			s := slacktest.New(t)
			r := channeltest.Run(t, with(t, s), new(channeltest.Inbox))
			s.Wait("the connection", func() bool { return s.Links() == 1 })
			c.end(s)
			channeltest.WantFault(t, <-r.End, c.kind, c.words)
		})
	}
}

// TestReceive_NothingIsLostOrDoubledWhileThingsBreak has people write while the connection breaks in
// every way.
func TestReceive_NothingIsLostOrDoubledWhileThingsBreak(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	var n atomic.Int32
	in := &channeltest.Inbox{Refuse: func(channel.Message) error {
		if n.Add(1)%17 == 0 {
			return errors.New("busy")
		}
		return nil
	}}
	keepRunning(t, s, in, "ping", "50ms")
	var want []string
	for i := range 60 {
		switch i {
		case 10:
			s.Cut(1)
		case 20:
			s.Announce("refresh_requested")
		case 30:
			s.Restart()
		case 35:
			s.Deafen()
		case 40:
			s.Redeliver()
		case 50:
			s.Fault(slacktest.Fault{Method: "apps.connections.open", What: slacktest.Fail, Times: 1})
			s.Cut(1)
		}
		want = append(want, fmt.Sprint("message ", i))
		s.Say(alone, anna, want[i])
	}
	s.Wait("all", func() bool { return in.Count() == 60 && s.Pending() == 0 })
	got := in.Texts()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("they came as %q", got)
	}
}

func TestReceive_UnreadableEventHoldsUpNothing(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	in := new(channeltest.Inbox)
	channeltest.Run(t, with(t, s), in)
	for _, odd := range []string{
		`17`, `"x"`, `{"type":7}`, `{"type":"message","ts":[1]}`, `{"type":"message"}`, `{"type":"team_join","user":{"id":"U1"}}`,
		`{"type":"message","subtype":"message_changed"}`, `{"type":"message","channel":"C1","user":"U1","text":"x","ts":"yesterday"}`,
	} {
		s.Tell(odd)
	}
	s.Tell(`{"type":"message","channel":"D0ANNA001","channel_type":"im","user":"U0ANNA001","text":"hi","ts":"1355517523.000005","files":[7,{"id":"F1","name":"a.txt","url_private":"x"}],"blocks":"odd","attachments":{"a":1}}`)
	s.Wait("the one that can be read", func() bool { return in.Count() == 1 && s.Pending() == 0 })
	if m := in.All()[0]; m.Text != "hi\n[File: a.txt]" || len(m.Media) != 1 {
		t.Errorf("it came as %+v", m)
	}
}

func TestReceive_EventsByHTTP(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	var failed atomic.Bool
	in := &channeltest.Inbox{Refuse: func(m channel.Message) error {
		if m.Text == "two" && !failed.Swap(true) {
			return errors.New("busy")
		}
		return nil
	}}
	a := with(t, s, "receive", "http")
	r := channeltest.Run(t, a, in)
	hook := channeltest.Listen(t, a, in)
	if code, answer, err := s.Verify(hook, "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P"); err != nil || code != 200 || answer != "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P" {
		t.Errorf("the challenge: %d, %q, %v", code, answer, err)
	}
	s.Hook(hook)
	for _, text := range []string{"one", "two", "three"} {
		s.Say(alone, anna, text)
	}
	s.Wait("all", func() bool { return s.Pending() == 0 })
	if got := in.Texts(); !slices.Equal(got, []string{"one", "two", "three"}) {
		t.Errorf("they came as %q", got)
	}
	s.Redeliver()
	s.Wait("all again", func() bool { return s.Pending() == 0 })
	id, err := a.Send(t.Context(), channel.Out{Address: channel.Address{Chat: alone.ID}, Text: "May I?", Buttons: []channel.Button{{Text: "Approve", Press: "approve:1"}}})
	if err != nil {
		t.Fatal(err)
	}
	s.Press(alone, anna, id, "approve:1")
	s.Wait("the press", func() bool { return s.Pending() == 0 })
	if all := in.All(); len(all) != 4 || all[3].Press != "approve:1" || all[3].What != channel.Pressed {
		t.Errorf("they came as %+v", all)
	}
	in.Wait(t, "it to be up", func() bool { return in.Ups() == 1 })
	if s.Links() != 0 {
		t.Error("a connection of Socket Mode was opened")
	}
	r.Stopped(t)
}

func TestReceive_WhoMaySendToTheAddress(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	event := []byte(`{"type":"event_callback","event":{"type":"message","channel":"D0ANNA001","channel_type":"im","user":"U0ANNA001","text":"hi","ts":"1355517523.000005"}}`)
	for name, c := range map[string]struct {
		change func(*http.Request)
		body   []byte
		code   int
	}{
		"Slack":            {code: 200},
		"nobody":           {change: func(r *http.Request) { r.Header = http.Header{} }, code: 401},
		"another secret":   {change: func(r *http.Request) { r.Header.Set("X-Slack-Signature", "v0="+strings.Repeat("ab", 32)) }, code: 401},
		"half a signature": {change: func(r *http.Request) { r.Header.Set("X-Slack-Signature", "v0=ab") }, code: 401},
		"no signature":     {change: func(r *http.Request) { r.Header.Del("X-Slack-Signature") }, code: 401},
		"another body":     {change: func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader(string(event) + " ")) }, code: 401},
		"another time": {change: func(r *http.Request) {
			r.Header.Set("X-Slack-Request-Timestamp", strconv.FormatInt(time.Now().Unix()-1, 10))
		}, code: 401},
		"a recording":    {change: func(r *http.Request) { sign(s, r, event, time.Now().Add(-6*time.Minute)) }, code: 401},
		"the future":     {change: func(r *http.Request) { sign(s, r, event, time.Now().Add(6*time.Minute)) }, code: 401},
		"a little late":  {change: func(r *http.Request) { sign(s, r, event, time.Now().Add(-4*time.Minute)) }, code: 200},
		"a look":         {change: func(r *http.Request) { r.Method = http.MethodGet }, code: 405},
		"no JSON":        {body: []byte(`{`), code: 400},
		"nothing":        {body: []byte(`{}`), code: 400},
		"too much":       {body: []byte(`{"type":"` + strings.Repeat("x", maxBody) + `"}`), code: 413},
		"a form":         {body: []byte(`a=b`), change: asForm, code: 400},
		"an interaction": {body: []byte(url.Values{"payload": {`{"type":"view_closed"}`}}.Encode()), change: asForm, code: 200},
		"a limit":        {body: []byte(`{"type":"app_rate_limited","minute_rate_limited":1}`), code: 200},
		"an odd event":   {body: []byte(`{"type":"event_callback","event":[]}`), code: 200},
	} {
		t.Run(name, func(t *testing.T) {
			in := new(channeltest.Inbox)
			a := with(t, s, "receive", "http")
			body := c.body
			if body == nil {
				body = event
			}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/channels/work", strings.NewReader(string(body)))
			r.Header.Set("Content-Type", "application/json")
			sign(s, r, body, time.Now())
			if c.change != nil {
				c.change(r)
			}
			w := httptest.NewRecorder()
			a.Listen(w, r, in)
			if w.Code != c.code {
				t.Errorf("it is answered with %d, not %d", w.Code, c.code)
			}
			if taken := in.Count() == 1; taken != (c.code == 200 && c.body == nil) {
				t.Errorf("%d taken", in.Count())
			}
		})
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/channels/work", strings.NewReader(string(event)))
	sign(s, r, event, time.Now())
	with(t, s).Listen(w, r, new(channeltest.Inbox))
	if w.Code != http.StatusNotFound {
		t.Errorf("with Socket Mode the address answers %d", w.Code)
	}
}

func asForm(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }

func sign(s *slacktest.Server, r *http.Request, body []byte, at time.Time) {
	stamp := strconv.FormatInt(at.Unix(), 10)
	r.Header.Set("X-Slack-Request-Timestamp", stamp)
	r.Header.Set("X-Slack-Signature", s.Sign(stamp, body))
}

// TestReceive_ThreadOfWhichNobodyKnowsComesAgain: whether it is for us is asked again later.
func TestReceive_ThreadOfWhichNobodyKnowsComesAgain(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	in := new(channeltest.Inbox)
	root := s.Say(team, anna, "<@U0BOT0001> look") // before we were there
	channeltest.Run(t, with(t, s), in)
	s.Wait("the mention", func() bool { return in.Count() == 1 && s.Pending() == 0 })
	other := s.Say(team, bela, "lunch?")
	s.Wait("the other", func() bool { return in.Count() == 2 && s.Pending() == 0 })
	s.Fault(slacktest.Fault{Method: "conversations.history", What: slacktest.Fail, Times: 2})
	s.Reply(team, anna, other, "yes")
	s.Reply(team, anna, root, "and this")
	s.Wait("all", func() bool { return in.Count() == 4 && s.Pending() == 0 })
	for _, m := range in.All() {
		if want := m.Text != "lunch?" && m.Text != "yes"; m.Called != want {
			t.Errorf("%q is for us: %v", m.Text, m.Called)
		}
	}
	if n := s.Calls("conversations.history"); n != 1 {
		t.Errorf("Slack was asked %d times; one thread was known", n)
	}
}

// TestReceive_RunEndsWhileSlackIsSilent: no goroutine waits for it.
func TestReceive_RunEndsWhileSlackIsSilent(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	s.Fault(slacktest.Fault{Method: slacktest.Socket, What: slacktest.Silent})
	a := with(t, s)
	r := channeltest.Run(t, a, new(channeltest.Inbox))
	s.Wait("that it connects", func() bool { return s.Calls("apps.connections.open") == 1 })
	r.Stopped(t)
}
