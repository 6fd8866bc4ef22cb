package discord

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"chela/internal/channel"
	"chela/internal/fault"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/discordtest"
)

func TestGateway_MessagesComeInOrder(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	in := new(channeltest.Inbox)
	r := connected(t, s, with(t, s), in)
	var want []string
	for i := range 600 { // more than wait at once
		text := fmt.Sprintf("message %d", i)
		s.Say(alone, anna, text)
		want = append(want, text)
	}
	s.Wait("all to be taken", func() bool { return s.Pending() == 0 })
	if got := in.Texts(); !slices.Equal(got, want) {
		t.Errorf("took %d messages: %q", len(got), got)
	}
	r.Stopped(t)
}

// TestGateway_OnlyWhatWasTakenIsReceived: what the log refused comes again, and in its order.
func TestGateway_OnlyWhatWasTakenIsReceived(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	var full atomic.Bool
	in := &channeltest.Inbox{Refuse: func(m channel.Message) error {
		if full.Load() && m.Text == "two" {
			return errors.New("the log is full")
		}
		return nil
	}}
	p := Platform()
	a, err := p.Open(config(s))
	if err != nil {
		t.Fatal(err)
	}
	r := connected(t, s, a, in)
	full.Store(true)
	for _, text := range []string{"one", "two", "three"} {
		s.Say(alone, anna, text)
	}
	if err := <-r.End; err == nil || !strings.Contains(err.Error(), "the log is full") {
		t.Errorf("Run: %v", err)
	}
	if got := in.Texts(); !slices.Equal(got, []string{"one"}) {
		t.Errorf("took %q", got)
	}
	full.Store(false)
	if a, err = p.Open(config(s)); err != nil { // as the caller does after an error
		t.Fatal(err)
	}
	r = connected(t, s, a, in)
	s.Wait("the rest", func() bool { return s.Pending() == 0 })
	r.Stopped(t)
	if got := in.Texts(); !slices.Equal(got, []string{"one", "two", "three"}) || in.Again() != 0 {
		t.Errorf("took %q, %d again", got, in.Again())
	}
	if began, wentOn := s.Sessions(); began != 1 || wentOn != 1 {
		t.Errorf("%d sessions began, %d were gone on with", began, wentOn)
	}
}

func TestGateway_Redelivery(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	in := new(channeltest.Inbox)
	r := connected(t, s, with(t, s), in)
	s.Say(alone, anna, "once")
	s.Redeliver()
	s.Say(alone, anna, "twice")
	s.Wait("both", func() bool { return in.Count() == 2 && s.Pending() == 0 })
	r.Stopped(t)
	if in.Again() != 1 {
		t.Errorf("%d came again", in.Again())
	}
}

// TestGateway_ConnectionGoesOn: however it ends, nothing is lost, nothing comes twice, and no session
// begins that need not.
func TestGateway_ConnectionGoesOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end   func(*discordtest.Server)
		began int
	}{
		"cut":                  {(*discordtest.Server).Cut, 1},
		"asked to":             {(*discordtest.Server).Reconnect, 1},
		"closed":               {func(s *discordtest.Server) { s.Close(1001) }, 1},
		"closed for no reason": {func(s *discordtest.Server) { s.Close(4000) }, 1},
		"too fast":             {func(s *discordtest.Server) { s.Close(4008) }, 1},
		"session timed out":    {func(s *discordtest.Server) { s.Close(4009) }, 2},
		"wrong number":         {func(s *discordtest.Server) { s.Close(4007) }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := discordtest.New(t)
			in := new(channeltest.Inbox)
			r := connected(t, s, with(t, s), in)
			s.Say(alone, anna, "before")
			s.Wait("the message", func() bool { return s.Pending() == 0 })
			c.end(s)
			s.Say(alone, anna, "meanwhile")
			s.Wait("the next connection", func() bool { return in.Ups() == 2 })
			s.Say(alone, anna, "after")
			s.Wait("all", func() bool { return in.Count() == 3 })
			r.Stopped(t)
			if got := in.Texts(); !slices.Equal(got, []string{"before", "meanwhile", "after"}) {
				t.Errorf("took %q", got)
			}
			if began, _ := s.Sessions(); began != c.began {
				t.Errorf("%d sessions began", began)
			}
		})
	}
}

func TestGateway_ConnectionThatDoesNotStandIsGivenUp(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	in := new(channeltest.Inbox)
	r := connected(t, s, with(t, s), in)
	s.Cut()
	s.Wait("the next connection", func() bool { return in.Ups() == 2 })
	s.Cut()
	channeltest.WantFault(t, <-r.End, fault.Unavailable, "lost its connection with Discord")
}

// TestGateway_ForgottenSession: what was said while there was no session is read back.
func TestGateway_ForgottenSession(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	s.Enter(team)
	in := new(channeltest.Inbox)
	a := with(t, s)
	r := connected(t, s, a, in)
	s.Say(alone, anna, "before")
	s.Say(team, anna, "<@"+s.Bot.ID+"> before")
	s.Wait("the messages", func() bool { return in.Count() == 2 && s.Pending() == 0 })
	s.Forget()
	channeltest.WantFault(t, <-r.End, fault.Unavailable, "ended the session of the channel dc")
	s.Say(alone, anna, "meanwhile")
	s.Say(team, anna, "<@"+s.Bot.ID+"> meanwhile")
	s.Say(thread, anna, "in a thread")
	r = connected(t, s, a, in)
	s.Say(alone, anna, "after")
	s.Wait("all", func() bool { return in.Count() == 6 })
	r.Stopped(t)
	var private, public []string
	for _, m := range in.All() {
		if m.Chat == alone.ID {
			private = append(private, m.Text)
		} else {
			public = append(public, fmt.Sprint(m.Text, " ", m.Group, " ", m.Called, " ", m.Chat, "/", m.Branch))
		}
	}
	if !slices.Equal(private, []string{"before", "meanwhile", "after"}) {
		t.Errorf("in private: %q", private)
	}
	if !slices.Equal(public, []string{"before true true 300/", "meanwhile true true 300/", "in a thread true false 300/301"}) {
		t.Errorf("in public: %q", public)
	}
}

// TestGateway_Restart is a daemon that knows nothing: channels of a server say what is new, chats with
// a person must be named; what is older than an hour is not answered any more.
func TestGateway_Restart(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	now := time.Now()
	for i := range 120 { // more than one page
		s.Post(team, discordtest.Message{Author: &anna, Content: fmt.Sprintf("number %d", i)}, now.Add(time.Duration(i-600)*time.Second))
	}
	s.Post(team, discordtest.Message{Author: &anna, Content: "of yesterday"}, now.Add(-24*time.Hour))
	s.Post(alone, discordtest.Message{Author: &anna, Content: "in private"}, now.Add(-time.Minute))
	quiet := discordtest.Group("310", "quiet")
	s.Post(quiet, discordtest.Message{Author: &anna, Content: "long ago"}, now.Add(-2*time.Hour))
	hidden := discordtest.Group("311", "hidden")
	s.Say(hidden, anna, "not for bots")
	c := config(s)
	c.Chats = []string{team.ID, quiet.ID, hidden.ID, alone.ID, "999"}
	a, err := open(c, newMemory())
	if err != nil {
		t.Fatal(err)
	}
	s.Hide(hidden)
	in := new(channeltest.Inbox)
	s.Fault(discordtest.Fault{Method: discordtest.Look, What: discordtest.Fail, Times: 1})
	channeltest.WantFault(t, a.Run(t.Context(), in), fault.Unavailable, "status 502") // and not: then there is nothing
	r := connected(t, s, a, in)
	s.Say(team, anna, "after")
	s.Wait("all", func() bool { return s.Pending() == 0 })
	r.Stopped(t)
	got := in.Texts()
	if len(got) != 122 || got[0] != "in private" || got[1] != "number 0" || got[120] != "number 119" || got[121] != "after" {
		t.Errorf("took %d: %q", len(got), got)
	}
	if n := s.Calls(discordtest.History); n != 3 { // two pages, and one of the private chat
		t.Errorf("%d pages were asked for", n)
	}
}

// TestGateway_RestartInPrivate is a daemon that knows from the log in which chats somebody spoke, and up to
// where it heard them.
func TestGateway_RestartInPrivate(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	last := s.Say(alone, anna, "taken before")
	s.Say(alone, anna, "missed")
	in := &channeltest.Inbox{Before: []channel.Newest{
		{Address: channel.Address{Chat: alone.ID}, ID: last},
		{Address: channel.Address{Chat: team.ID}, ID: last, Group: true},
		{Address: channel.Address{Chat: "not of Discord"}, ID: "1"},
	}}
	r := connected(t, s, with(t, s), in)
	s.Say(alone, anna, "after")
	s.Wait("all", func() bool { return s.Pending() == 0 })
	r.Stopped(t)
	if got := in.Texts(); !slices.Equal(got, []string{"missed", "after"}) {
		t.Errorf("took %q", got)
	}
	if n := s.Calls(discordtest.History); n != 1 {
		t.Errorf("%d pages were asked for", n)
	}
}

// again is an adapter of the next daemon, which asks who it is before it receives.
func again(t *testing.T, s *discordtest.Server) *Adapter {
	t.Helper()
	a := with(t, s)
	if _, err := a.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestGateway_RestartGoesOn is a daemon that goes on with the session of the one before: what somebody wrote
// in private for the first time, and what was done to a message, is nowhere else to be read.
func TestGateway_RestartGoesOn(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	in := new(channeltest.Inbox)
	r := connected(t, s, with(t, s), in)
	old := s.Say(team, anna, "<@"+s.Bot.ID+"> one")
	s.Wait("the first", func() bool { return s.Pending() == 0 })
	r.Stopped(t)
	s.Say(alone, anna, "in private")
	s.Say(team, anna, "<@&"+discordtest.OurRole+"> two")
	s.Say(thread, anna, "in a thread")
	s.Delete(team, old)
	r = connected(t, s, again(t, s), in)
	s.Say(alone, anna, "after")
	s.Wait("all", func() bool { return s.Pending() == 0 })
	r.Stopped(t)
	third := again(t, s)
	connected(t, s, third, in).Stopped(t)
	var got []string
	for _, m := range in.All() {
		got = append(got, fmt.Sprint(m.Text, " ", m.Called, " ", m.Chat, "/", m.Branch))
	}
	want := []string{"one true 300/", "in private true " + alone.ID + "/", "two true 300/", "in a thread false 300/301", " false 300/", "after true " + alone.ID + "/"}
	if !slices.Equal(got, want) {
		t.Errorf("took %q, not %q", got, want)
	}
	if begun, wentOn := s.Sessions(); begun != 1 || wentOn != 2 {
		t.Errorf("%d sessions were begun, and %d times one went on", begun, wentOn)
	}
	if got := third.kept.ourRoles(); !slices.Equal(got, []string{discordtest.OurRole}) {
		t.Errorf("the third life knows the roles %q", got)
	}
}

// TestGateway_RestartAnew is a daemon that was away for longer than Discord keeps a session.
func TestGateway_RestartAnew(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	in := new(channeltest.Inbox)
	connected(t, s, with(t, s), in).Stopped(t)
	s.Forget()
	s.Say(team, anna, "<@"+s.Bot.ID+"> missed")
	a := again(t, s)
	channeltest.WantFault(t, a.Run(t.Context(), in), fault.Unavailable, "the next begins in a moment")
	r := connected(t, s, a, in)
	s.Wait("all", func() bool { return s.Pending() == 0 })
	r.Stopped(t)
	if got := in.Texts(); !slices.Equal(got, []string{"missed"}) {
		t.Errorf("took %q", got)
	}
}

// TestGateway_RestartAsAnother is a channel that has the token of another bot now: the session is not its own.
func TestGateway_RestartAsAnother(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	in := new(channeltest.Inbox)
	connected(t, s, with(t, s), in).Stopped(t)
	s.Become("200000000000000002")
	connected(t, s, again(t, s), in).Stopped(t)
	if begun, wentOn := s.Sessions(); begun != 2 || wentOn != 0 {
		t.Errorf("%d sessions were begun, and %d times one went on", begun, wentOn)
	}
}

func TestGateway_ReadBackIsRepeatedUntilItIsTaken(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	s.Say(team, anna, "one")
	s.Say(team, anna, "two")
	var full atomic.Bool
	full.Store(true)
	in := &channeltest.Inbox{Refuse: func(m channel.Message) error {
		if full.Load() && m.Text == "two" {
			return errors.New("the log is full")
		}
		return nil
	}}
	a := with(t, s)
	s.Fault(discordtest.Fault{Method: discordtest.History, What: discordtest.TooMany, For: time.Millisecond, Times: 1})
	if err := a.Run(t.Context(), in); err == nil || !strings.Contains(err.Error(), "the log is full") {
		t.Errorf("Run: %v", err)
	}
	full.Store(false)
	s.Fault(discordtest.Fault{Method: discordtest.History, What: discordtest.Fail, Times: 1})
	channeltest.WantFault(t, a.Run(t.Context(), in), fault.Unavailable, "status 502")
	r := channeltest.Run(t, a, in)
	s.Wait("both", func() bool { return in.Count() == 2 })
	r.Stopped(t)
	if got := in.Texts(); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("took %q", got)
	}
}

// TestGateway_HalfOpen: a connection on which nothing is said any more is left, and gone on with.
func TestGateway_HalfOpen(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	s.Beat(200 * time.Millisecond)
	in := new(channeltest.Inbox)
	r := connected(t, s, with(t, s), in)
	s.Deaf(true)
	s.Say(alone, anna, "to the deaf")
	s.Deaf(false)
	s.Beat(20 * time.Second)
	s.Wait("the message", func() bool { return in.Count() == 1 })
	r.Stopped(t)
	if began, wentOn := s.Sessions(); began != 1 || wentOn != 1 {
		t.Errorf("%d sessions began, %d were gone on with", began, wentOn)
	}
}

func TestGateway_NoHello(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	s.Deaf(true)
	a := with(t, s, "timeout", "100ms")
	channeltest.WantFault(t, a.Run(t.Context(), new(channeltest.Inbox)), fault.Unavailable, "lost its connection with Discord")
}

// TestGateway_BeatsWhileTheLogIsSlow: whoever waits for the log is not taken for dead.
func TestGateway_BeatsWhileTheLogIsSlow(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	s.Beat(250 * time.Millisecond)
	release := make(chan struct{})
	in := &channeltest.Inbox{Refuse: func(m channel.Message) error {
		if m.Text == "0" {
			<-release
		}
		return nil
	}}
	r := connected(t, s, with(t, s), in)
	for i := range 2 * maxWaiting {
		s.Say(alone, anna, fmt.Sprint(i))
	}
	timer := time.NewTimer(800 * time.Millisecond) // some beats
	defer timer.Stop()
	<-timer.C
	close(release)
	s.Wait("all", func() bool { return in.Count() == 2*maxWaiting })
	r.Stopped(t)
	if began, wentOn := s.Sessions(); began != 1 || wentOn != 0 {
		t.Errorf("%d sessions began, %d were gone on with", began, wentOn)
	}
}

func TestGateway_WhatEndsForGood(t *testing.T) {
	t.Parallel()
	for code, c := range map[int]struct {
		kind  fault.Kind
		words string
	}{
		4004: {fault.Denied, "does not know the token"},
		4010: {fault.Invalid, "2500"},
		4011: {fault.Invalid, "2500"},
		4012: {fault.Invalid, "newer version"},
		4013: {fault.Invalid, "newer version"},
		4014: {fault.Denied, "Message Content Intent"},
	} {
		s := discordtest.New(t)
		r := connected(t, s, with(t, s), new(channeltest.Inbox))
		s.Close(code)
		channeltest.WantFault(t, <-r.End, c.kind, c.words)
	}
}

func TestGateway_ContentIsSwitchedOff(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	s.DenyContent(true)
	channeltest.WantFault(t, with(t, s).Run(t.Context(), new(channeltest.Inbox)), fault.Denied, "Switch on Message Content Intent")
}

func TestGateway_NoMoreSessions(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	s.Starts(0)
	channeltest.WantFault(t, with(t, s).Run(t.Context(), new(channeltest.Inbox)), fault.Unavailable, "It may again in 4h0m0s")
	if began, _ := s.Sessions(); began != 0 {
		t.Errorf("%d sessions began", began)
	}
}

func TestGateway_ServerRestart(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	in := new(channeltest.Inbox)
	a := with(t, s)
	r := connected(t, s, a, in)
	s.Stop()
	channeltest.WantFault(t, <-r.End, fault.Unavailable, "no connection with the gateway")
	s.Say(alone, anna, "while nobody listened")
	s.Start()
	r = channeltest.Run(t, a, in)
	s.Wait("the message", func() bool { return in.Count() == 1 })
	r.Stopped(t)
	if began, wentOn := s.Sessions(); began != 1 || wentOn != 1 {
		t.Errorf("%d sessions began, %d were gone on with", began, wentOn)
	}
}

// TestGateway_StrangeEvents: what nobody knows holds nothing up.
func TestGateway_StrangeEvents(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	in := new(channeltest.Inbox)
	r := connected(t, s, with(t, s), in)
	type strange map[string]any
	for name, data := range map[string]any{
		"SOMETHING_NEW":        strange{"a": 1},
		"MESSAGE_CREATE":       strange{"id": 5, "author": "nobody"},
		"MESSAGE_UPDATE":       []int{1},
		"MESSAGE_DELETE":       nil,
		"MESSAGE_REACTION_ADD": strange{"emoji": 1},
		"INTERACTION_CREATE":   strange{"type": 2, "data": []int{}},
		"GUILD_CREATE":         strange{"channels": "none", "roles": 5, "threads": []int{1}},
		"CHANNEL_CREATE":       5,
		"GUILD_ROLE_CREATE":    strange{"role": 1},
	} {
		s.Emit(name, data)
	}
	s.Emit("MESSAGE_CREATE", strange{"id": "77", "channel_id": "78", "type": 0, "content": strings.Repeat("x", 2<<20), "author": anna})
	s.Emit("MESSAGE_CREATE", strange{
		"id": "175928847299117063", "channel_id": alone.ID, "type": 0, "content": "with a new kind of poll", "author": anna,
		"poll": []int{1}, "embeds": strange{}, "timestamp": 7, "mentions": "all", "attachments": 1, "sticker_items": true, "flags": "x",
	})
	s.Wait("all", func() bool { return s.Pending() == 0 })
	r.Stopped(t)
	got := in.All()
	if len(got) != 1 || got[0].Text != "with a new kind of poll" || got[0].At.Year() != 2016 {
		t.Errorf("took %+v", got)
	}
}

// TestGateway_NotDiscord is a server that answers, and is another.
func TestGateway_NotDiscord(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ answer, words string }{
		"nothing":     {`{}`, "the address of its gateway is no safe WebSocket's"},
		"a page":      {`{"url":"https://example.com"}`, "no safe WebSocket's"},
		"no socket":   {`{"url":"ws://HOST/socket"}`, "no connection with the gateway"},
		"not JSON":    {`<html>`, "cannot be read"},
		"wrong shape": {`{"url":5}`, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.WriteString(w, strings.ReplaceAll(c.answer, "HOST", r.Host))
			}))
			defer other.Close()
			a, err := open(channel.Config{Options: channel.Options{Name: "dc", BaseURL: other.URL}, Secrets: map[string]string{"token": "a.b.c"}}, newMemory())
			if err != nil {
				t.Fatal(err)
			}
			channeltest.WantFault(t, a.Run(t.Context(), new(channeltest.Inbox)), fault.Unavailable, c.words)
			if _, err := a.Check(t.Context()); err == nil {
				t.Error("Check says nothing")
			}
			_, err = a.Send(t.Context(), channel.Out{Address: channel.Address{Chat: "1"}, Text: "x"})
			if _, refused := errors.AsType[*channel.Refusal](err); err == nil || refused {
				t.Errorf("Send: %v", err)
			}
		})
	}
}

// TestGateway_TheTokenGoesSafely: who speaks https is not asked to go on without.
func TestGateway_TheTokenGoesSafely(t *testing.T) {
	t.Parallel()
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	a, err := open(channel.Config{Options: channel.Options{Name: "dc"}, Secrets: map[string]string{"token": "a.b.c"}}, newMemory())
	if err != nil {
		t.Fatal(err)
	}
	a.kept.begin(session{id: "x", url: strings.Replace(other.URL, "http", "ws", 1), seq: 1})
	channeltest.WantFault(t, a.Run(t.Context(), new(channeltest.Inbox)), fault.Unavailable, "no safe WebSocket's")
	if reached || a.kept.open().url != "" {
		t.Errorf("reached: %v; the session is %+v", reached, a.kept.open())
	}
}

// TestGateway_StrangeGateway is a socket that says what no gateway does.
func TestGateway_StrangeGateway(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		frames []string
		words  string
	}{
		"no Hello":      {[]string{`{"op":0,"t":"READY","s":1,"d":{}}`}, "does not begin with Hello"},
		"no interval":   {[]string{`{"op":10,"d":{"heartbeat_interval":-5}}`}, "does not begin with Hello"},
		"nobody":        {[]string{`nonsense`, `{"op":10,"d":{"heartbeat_interval":45000}}`, `[]`, `{"op":77}`, `{"op":0,"t":"READY","s":1,"d":{"user":{"id":"x"}}}`}, "does not say who the bot is"},
		"a great frame": {[]string{`{"op":10,"d":"` + strings.Repeat("x", maxFrame) + `"}`}, "lost its connection"},
	} {
		t.Run(name, func(t *testing.T) {
			other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !websocket.IsWebSocketUpgrade(r) {
					_, _ = io.WriteString(w, `{"url":"ws://`+r.Host+`/"}`)
					return
				}
				conn, err := new(websocket.Upgrader).Upgrade(w, r, nil)
				if err != nil {
					return
				}
				defer conn.Close()
				for _, f := range c.frames {
					_ = conn.WriteMessage(websocket.TextMessage, []byte(f))
				}
				_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
				for err == nil {
					_, _, err = conn.ReadMessage()
				}
			}))
			defer other.Close()
			a, err := open(channel.Config{Options: channel.Options{Name: "dc", BaseURL: other.URL}, Secrets: map[string]string{"token": "a.b.c"}}, newMemory())
			if err != nil {
				t.Fatal(err)
			}
			channeltest.WantFault(t, a.Run(t.Context(), new(channeltest.Inbox)), fault.Unavailable, c.words)
		})
	}
}
