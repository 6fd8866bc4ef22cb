package discord

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"chela/internal/channel"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/discordtest"
)

func out(c discordtest.Channel, text string) channel.Out {
	at := channel.Address{Chat: c.ID}
	if c.Parent != "" {
		at = channel.Address{Chat: c.Parent, Branch: c.ID}
	}
	return channel.Out{Address: at, Text: text}
}

func TestSend(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	a := with(t, s)
	asked := s.Say(thread, anna, "which?")
	o := out(thread, "**This** one, <@501> and @everyone: https://example.com")
	o.ReplyTo = asked
	o.Buttons = channeltest.Buttons("Approve", "a", "Deny", "d", "Always", "w", "Show", "s", strings.Repeat("x", 100), "x", "More", "m")
	id, err := a.Send(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	sent := s.Sent(thread)
	if len(sent) != 1 {
		t.Fatalf("%d messages", len(sent))
	}
	m := sent[0]
	if m.ID != id || m.Content != o.Text || m.Links || m.Answers != asked || len(m.Rings) != 0 || m.Nonce != "" {
		t.Errorf("sent %+v", m)
	}
	if rows := m.Components; len(rows) != 2 || len(rows[0].Inside) != 5 || rows[1].Inside[0].Label != "More" || rows[1].Inside[0].Custom != "m" {
		t.Errorf("buttons: %+v", rows)
	}
	gone := out(thread, "the message that this answers is deleted")
	gone.ReplyTo = "99999"
	if _, err := a.Send(t.Context(), gone); err != nil {
		t.Error(err)
	}
}

// TestSend_SendingAgain: whatever became of the first attempt, the second makes nothing twice.
func TestSend_SendingAgain(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]discordtest.Fault{
		"cut before the answer": {What: discordtest.CutAfter},
		"answered too late":     {What: discordtest.Slow, For: time.Hour},
		"a gateway's error":     {What: discordtest.Fail},
		"a gateway's timeout":   {What: discordtest.Fail, Status: 504},
		"cut before it is read": {What: discordtest.CutBefore},
		"half-open":             {What: discordtest.Silent},
	} {
		t.Run(name, func(t *testing.T) {
			s := discordtest.New(t)
			s.Enter(alone)
			a := with(t, s, "timeout", "500ms")
			f.Method, f.Times = discordtest.Make, 1
			s.Fault(f)
			o := out(alone, "hello")
			o.Key = "evt_0123456789abcdef0123456789/0"
			id, err := a.Send(t.Context(), o)
			if r, refused := errors.AsType[*channel.Refusal](err); err == nil || refused {
				t.Errorf("Send: %q, %v, %+v", id, err, r)
			} else if strings.Contains(err.Error(), s.Token) {
				t.Errorf("the error has the token in it: %v", err)
			}
			first, err := a.Send(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := a.Send(t.Context(), o); err != nil || again != first {
				t.Errorf("%q, then %q, %v", first, again, err)
			}
			o.Key = "evt_0123456789abcdef0123456789/1"
			if next, err := a.Send(t.Context(), o); err != nil || next == first {
				t.Errorf("the next part is %q, %v", next, err)
			}
			if n := s.Count(alone); n != 2 {
				t.Errorf("%d messages are there", n)
			}
		})
	}
}

func TestSend_Refusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before func(*discordtest.Server)
		out    channel.Out
		text   string
		after  time.Duration
		final  bool
	}{
		"no connection":     {before: (*discordtest.Server).Stop, text: "connection refused"},
		"blocked by person": {before: func(s *discordtest.Server) { s.Block(alone) }, text: "they take no direct messages", final: true},
		"no permission":     {before: func(s *discordtest.Server) { s.Block(team) }, out: out(team, "x"), text: "Send Messages", final: true},
		"not seen":          {before: func(s *discordtest.Server) { s.Hide(team) }, out: out(team, "x"), text: "View Channels", final: true},
		"no such chat":      {out: channel.Out{Address: channel.Address{Chat: "404"}, Text: "x"}, text: "Unknown Channel", final: true},
		"no id":             {out: channel.Out{Address: channel.Address{Chat: "../users"}, Text: "x"}, text: "no id of a channel", final: true},
		"no thread":         {out: channel.Out{Address: channel.Address{Chat: alone.ID, Branch: "x"}, Text: "x"}, text: "no id of a thread", final: true},
		"no message":        {out: channel.Out{Address: channel.Address{Chat: alone.ID}, Text: "x", ReplyTo: "x"}, text: "no id of a message", final: true},
		"empty":             {out: out(alone, " "), text: "Cannot send an empty message", final: true},
		"too long":          {out: out(alone, strings.Repeat("x", 2001)), text: "content: Must be 2000", final: true},
		"too many buttons":  {out: channel.Out{Address: channel.Address{Chat: alone.ID}, Text: "x", Buttons: make([]channel.Button, 26)}, text: "25 buttons", final: true},
		"a button too much": {out: channel.Out{Address: channel.Address{Chat: alone.ID}, Text: "x", Buttons: channeltest.Buttons("x", strings.Repeat("x", 101))}, text: "100 bytes", final: true},
		"wrong token":       {before: func(s *discordtest.Server) { s.Token = "an.other.token" }, text: "does not hold any more", final: true},
		"a proxy's no":      {before: func(s *discordtest.Server) { s.Fault(discordtest.Fault{What: discordtest.Fail, Status: 403}) }, text: "status 403"},
		"too many": {before: func(s *discordtest.Server) {
			s.Fault(discordtest.Fault{What: discordtest.TooMany, For: 7 * time.Second})
		}, text: "rate limited", after: 7 * time.Second},
		"too many of all": {before: func(s *discordtest.Server) {
			s.Fault(discordtest.Fault{What: discordtest.Everybody, For: 90 * time.Second})
		}, text: "rate limited", after: 90 * time.Second},
		"a file too large": {out: channel.Out{Address: channel.Address{Chat: alone.ID}, File: &channel.File{Name: "x", Raw: make([]byte, 11<<20)}}, text: "larger than Discord takes", final: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := discordtest.New(t)
			s.Enter(alone)
			s.Enter(team)
			a := with(t, s)
			if c.before != nil {
				c.before(s)
			}
			if c.out.Chat == "" {
				c.out = out(alone, "x")
			}
			_, err := a.Send(t.Context(), c.out)
			r := channeltest.RefusalOf(t, err)
			if r.After != c.after || r.Final != c.final || !strings.Contains(r.Text, c.text) || strings.Contains(r.Text, s.Token) {
				t.Errorf("refused with %+v", r)
			}
			if n := s.Count(alone) + s.Count(team); n != 0 {
				t.Errorf("%d messages are there", n)
			}
		})
	}
}

// TestSend_Limits: what Discord says in its answers is kept to, without asking.
func TestSend_Limits(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	s.Enter(alone)
	s.Enter(team)
	s.Limit(2, time.Hour)
	a := with(t, s)
	for range 2 {
		if _, err := a.Send(t.Context(), out(alone, "x")); err != nil {
			t.Fatal(err)
		}
	}
	_, err := a.Send(t.Context(), out(alone, "three"))
	if r := channeltest.RefusalOf(t, err); r.Final || r.After < 59*time.Minute || r.After > time.Hour {
		t.Errorf("refused with %+v", r)
	}
	if n := s.Calls(discordtest.Make); n != 2 {
		t.Errorf("%d times it was asked", n)
	}
	if _, err := a.Send(t.Context(), out(team, "x")); err != nil {
		t.Errorf("another chat: %v", err)
	}
	s.Fault(discordtest.Fault{What: discordtest.Everybody, For: time.Hour, Times: 1})
	if _, err := a.Send(t.Context(), out(team, "x")); err == nil {
		t.Error("nothing was refused")
	}
	err = a.Typing(t.Context(), channel.Address{Chat: team.ID})
	if r := channeltest.RefusalOf(t, err); r.After < 59*time.Minute {
		t.Errorf("of all: refused with %+v", r)
	}
	if n := s.Calls(discordtest.Typing); n != 0 {
		t.Errorf("%d times it was asked", n)
	}
}

func TestSend_Typing(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	s.Enter(thread)
	if err := with(t, s).Typing(t.Context(), out(thread, "").Address); err != nil || s.Typed(thread) != 1 {
		t.Errorf("%d times, %v", s.Typed(thread), err)
	}
}

func TestSend_Edit(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	s.Enter(alone)
	a := with(t, s)
	o := out(alone, "It grows")
	o.Growing = true
	id, err := a.Send(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	o = out(alone, "It has grown, @everyone")
	o.Buttons = channeltest.Buttons("Good", "g")
	if err := a.Edit(t.Context(), id, o); err != nil {
		t.Fatal(err)
	}
	m := s.Sent(alone)[0]
	if m.Content != o.Text || m.Edits != 1 || len(m.Rings) != 0 || len(m.Components) != 1 {
		t.Errorf("edited: %+v", m)
	}
	if err := a.Edit(t.Context(), id, out(alone, "no buttons")); err != nil || len(s.Sent(alone)[0].Components) != 0 {
		t.Errorf("the buttons stay: %v", err)
	}
	theirs := s.Say(alone, anna, "mine")
	for id, words := range map[string]string{"x": "no id", "99999": "does not exist any more", theirs: "authored by another user"} {
		if r := channeltest.RefusalOf(t, a.Edit(t.Context(), id, o)); !r.Final || !strings.Contains(r.Text, words) {
			t.Errorf("%s: refused with %+v", id, r)
		}
	}
	s.Fault(discordtest.Fault{Method: discordtest.Change, What: discordtest.CutAfter, Times: 1})
	err = a.Edit(t.Context(), id, o)
	if _, refused := errors.AsType[*channel.Refusal](err); err == nil || refused {
		t.Errorf("cut: %v", err)
	}
}

func TestSend_File(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	s.Enter(alone)
	a := with(t, s)
	for name, kept := range map[string]string{"plän \"a\".png": "plän \"a\".png", `C:\secret\x.txt`: "x.txt", "": "file"} {
		o := out(alone, "")
		o.File = &channel.File{Name: name, Type: "image/png", Raw: []byte{1, 2, 3, 0, 255}}
		if name != "" {
			o.Text = "what it shows"
		}
		if _, err := a.Send(t.Context(), o); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		sent := s.Sent(alone)
		m := sent[len(sent)-1]
		if !bytes.Equal(m.Files[kept], o.File.Raw) || m.Content != o.Text || m.Attachments[0].ContentType != "image/png" {
			t.Errorf("%q: %+v", name, m)
		}
	}
}
