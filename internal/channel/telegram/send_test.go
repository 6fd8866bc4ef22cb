package telegram

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chela/internal/channel"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/telegramtest"
)

func out(c telegramtest.Chat, text string) channel.Out {
	return channel.Out{Address: channel.Address{Chat: strconv.FormatInt(c.ID, 10)}, Text: text}
}

func TestSend(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	a := with(t, s)
	asked := s.Post(telegramtest.Message{Chat: team, From: &anna, Text: "which?", Topic: 12})
	o := out(team, "<b>This</b> one &amp; no other")
	o.Branch, o.ReplyTo = "12", strconv.FormatInt(asked, 10)
	o.Buttons = channeltest.Buttons("Approve", "a", "Deny", "d", "Always", "w", "Show", "s")
	id, err := a.Send(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	sent := s.Sent(team)
	if len(sent) != 1 {
		t.Fatalf("%d messages", len(sent))
	}
	m := sent[0]
	if strconv.FormatInt(m.ID, 10) != id || m.Text != "This one & no other" || m.Previews || m.Topic != 12 || m.Answers != asked {
		t.Errorf("sent %+v", m)
	}
	if rows := m.ReplyMarkup.Rows; len(rows) != 2 || len(rows[0]) != 3 || rows[1][0] != (telegramtest.Button{Text: "Show", Data: "s"}) {
		t.Errorf("buttons: %+v", rows)
	}
	gone := out(team, "the message that this answers is deleted")
	gone.ReplyTo = "99999"
	if _, err := a.Send(t.Context(), gone); err != nil {
		t.Error(err)
	}
}

func TestSend_Typing(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	s.Enter(alone)
	if err := with(t, s).Typing(t.Context(), out(alone, "").Address); err != nil || s.Typing(alone) != 1 {
		t.Errorf("Typing: %v, %d times", err, s.Typing(alone))
	}
}

func TestSend_TextThatTelegramCannotReadIsSentPlain(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	s.Enter(alone)
	_, err := with(t, s).Send(t.Context(), out(alone, "<h1>Report</h1>\n<b>2 &lt; 3"))
	if got := s.Texts(alone); err != nil || len(got) != 1 || got[0] != "Report\n2 < 3" {
		t.Errorf("sent %q, %v", got, err)
	}
}

// TestSend_Refusals has everything of which it is known that nothing was sent.
func TestSend_Refusals(t *testing.T) {
	t.Parallel()
	fail := func(status int) func(*telegramtest.Server) {
		return func(s *telegramtest.Server) { s.Fault(telegramtest.Fault{What: telegramtest.Fail, Status: status}) }
	}
	for name, c := range map[string]struct {
		before func(*telegramtest.Server)
		out    channel.Out
		text   string
		after  time.Duration
		final  bool
	}{
		"slow down": {before: func(s *telegramtest.Server) {
			s.Fault(telegramtest.Fault{What: telegramtest.TooMany, For: 3 * time.Second})
		}, text: "Too Many Requests", after: 3 * time.Second},
		"internal":          {before: fail(500), text: "status 500"},
		"bad gateway":       {before: fail(502), text: "status 502"},
		"unavailable":       {before: fail(503), text: "status 503"},
		"a proxy's login":   {before: fail(407), text: "status 407"},
		"elsewhere":         {before: fail(302), text: "status 302"},
		"down":              {before: (*telegramtest.Server).Stop, text: "refused"},
		"unknown chat":      {out: out(telegramtest.Chat{ID: 9}, "x"), text: "chat not found", final: true},
		"no chat":           {out: channel.Out{Address: channel.Address{Chat: "@anna"}, Text: "x"}, text: `"@anna" is no id of a chat`, final: true},
		"no message":        {out: channel.Out{Address: channel.Address{Chat: "501"}, ReplyTo: "x", Text: "x"}, text: `"x" is no id of a message`, final: true},
		"no topic":          {out: channel.Out{Address: channel.Address{Chat: "501", Branch: "x"}, Text: "x"}, text: `"x" is no id of a topic`, final: true},
		"blocked":           {before: func(s *telegramtest.Server) { s.Block(alone) }, text: "bot was blocked by the user", final: true},
		"moved":             {before: func(s *telegramtest.Server) { s.Migrate(alone, -100777) }, text: "its id is -100777 now", final: true},
		"empty":             {out: out(alone, ""), text: "message text is empty", final: true},
		"too long":          {out: out(alone, strings.Repeat("🦀", 2049)), text: "message is too long", final: true},
		"too large buttons": {out: channel.Out{Address: out(alone, "").Address, Text: "x", Buttons: channeltest.Buttons("x", strings.Repeat("x", 65))}, text: "BUTTON_DATA_INVALID", final: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := telegramtest.New(t)
			s.Enter(alone)
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
			if n := s.Count(alone); n != 0 {
				t.Errorf("%d messages are there", n)
			}
		})
	}
}

// TestSend_OpenQuestions has everything after which nobody knows whether the message is there.
func TestSend_OpenQuestions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault telegramtest.Fault
		there int
	}{
		"cut before it was read":  {telegramtest.Fault{What: telegramtest.CutBefore}, 0},
		"cut before the answer":   {telegramtest.Fault{What: telegramtest.CutAfter}, 1},
		"half-open":               {telegramtest.Fault{What: telegramtest.Silent}, 0},
		"an answer after we left": {telegramtest.Fault{What: telegramtest.Slow, For: time.Hour}, 1},
		"a gateway's timeout":     {telegramtest.Fault{What: telegramtest.Fail, Status: 504}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := telegramtest.New(t)
			s.Enter(alone)
			a := with(t, s, "timeout", "500ms")
			c.fault.Times = 1
			s.Fault(c.fault)
			id, err := a.Send(t.Context(), out(alone, "hello"))
			if r, refused := errors.AsType[*channel.Refusal](err); err == nil || refused {
				t.Errorf("Send: %q, %v, %+v", id, err, r)
			} else if strings.Contains(err.Error(), s.Token) {
				t.Errorf("the error has the token in it: %v", err)
			}
			if n := s.Count(alone); n != c.there {
				t.Errorf("%d messages are there", n)
			}
			if _, err := a.Send(t.Context(), out(alone, "the next")); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSend_ServerLimits(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	s.Enter(alone)
	s.Limit(1, time.Hour)
	a := with(t, s)
	if _, err := a.Send(t.Context(), out(alone, "one")); err != nil {
		t.Fatal(err)
	}
	_, err := a.Send(t.Context(), out(alone, "two"))
	if r := channeltest.RefusalOf(t, err); r.Final || r.After < 59*time.Minute || r.After > time.Hour {
		t.Errorf("refused with %+v", r)
	}
}

func TestSend_PaceInGroups(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newGroupPace()
		for i := range groupMost {
			if w := p.wait(-5); w != 0 {
				t.Fatalf("message %d waits %s", i, w)
			}
			time.Sleep(time.Second)
		}
		if w := p.wait(-5); w != 40*time.Second {
			t.Errorf("the next waits %s", w)
		}
		if w := p.wait(-6); w != 0 {
			t.Errorf("another group waits %s", w)
		}
		for range 2 * groupMost {
			if w := p.wait(5); w != 0 {
				t.Errorf("a person waits %s", w)
			}
		}
		time.Sleep(40 * time.Second)
		if w := p.wait(-5); w != 0 {
			t.Errorf("after the minute it waits %s", w)
		}
		if w := p.wait(-5); w != time.Second {
			t.Errorf("the one after waits %s", w)
		}
		time.Sleep(2 * groupSpan)
		if p.wait(-7); len(p.sent) != 1 {
			t.Errorf("%d groups are remembered", len(p.sent))
		}
	})
}

func TestSend_RefusesWhatAGroupDoesNotTake(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	s.Enter(team)
	a := with(t, s)
	for range groupMost {
		if _, err := a.Send(t.Context(), out(team, "x")); err != nil {
			t.Fatal(err)
		}
	}
	_, err := a.Send(t.Context(), out(team, "x"))
	if r := channeltest.RefusalOf(t, err); r.Final || r.After <= 0 || r.After > groupSpan {
		t.Errorf("refused with %+v", r)
	}
	if n := s.Count(team); n != groupMost {
		t.Errorf("%d messages are there", n)
	}
}
