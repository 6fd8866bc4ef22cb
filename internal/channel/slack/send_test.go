package slack

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/channel"
	"chela/internal/markup"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/slacktest"
)

var silent = slog.New(slog.DiscardHandler)

func out(c slacktest.Chat, text string) channel.Out {
	return channel.Out{Address: channel.Address{Chat: c.ID}, Text: text}
}

func TestSend(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	a := with(t, s)
	root := s.Say(team, anna, "which?")
	o := out(team, "*This* one &amp; no other &lt;!here&gt;")
	o.Branch, o.ReplyTo, o.Key = root, root, "e1/0"
	o.Buttons = []channel.Button{{Text: "Approve", Press: "approve:1"}, {Text: strings.Repeat("x", 80), Press: "deny:1"}}
	id, err := a.Send(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	sent := s.Sent(team)
	if len(sent) != 1 {
		t.Fatalf("%d messages", len(sent))
	}
	m := sent[0]
	if m.TS != id || m.Text != o.Text || m.Thread != root || m.Previews || m.Parsed || len(m.Rings) != 0 {
		t.Errorf("sent %+v", m)
	}
	if want := []slacktest.Button{{Text: "Approve", Value: "approve:1"}, {Text: strings.Repeat("x", 74) + "…", Value: "deny:1"}}; !slices.Equal(m.Buttons, want) {
		t.Errorf("buttons: %+v", m.Buttons)
	}
	if strings.Contains(string(m.Metadata), "e1/0") || !strings.Contains(string(m.Metadata), markOf("e1/0")) {
		t.Errorf("metadata: %s", m.Metadata)
	}
}

// TestSend_WhatAgentsWriteRingsNobody has texts as they come from the spine.
func TestSend_WhatAgentsWriteRingsNobody(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	s.Enter(team)
	a := with(t, s)
	shape := a.Shape()
	text := "<!here> <@U0ANNA001> @channel [x](https://a.example) <!subteam^S1|devs> `<!everyone>`\n\n```\n<@U0ANNA001>\n```\n" + strings.Repeat("Many *words* <are> here & there. ", 300)
	parts := markup.Parts(text, shape.Form, shape.Limits)
	if len(parts) < 3 {
		t.Fatalf("%d parts", len(parts))
	}
	for i, p := range parts {
		o := out(team, p)
		o.Buttons = []channel.Button{{Text: "Approve", Press: "approve:1"}}
		if _, err := a.Send(t.Context(), o); err != nil {
			t.Errorf("part %d: %v", i, err)
		}
	}
	for _, m := range s.Sent(team) {
		if len(m.Rings) != 0 || m.Parsed {
			t.Errorf("%q rings %q", m.Text, m.Rings)
		}
	}
}

func TestSend_Typing(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	root := s.Say(team, anna, "which?")
	a := with(t, s)
	if err := a.Typing(t.Context(), channel.Address{Chat: team.ID, Branch: root}); err != nil || s.Typing(team) != 1 {
		t.Errorf("Typing: %v, %d times", err, s.Typing(team))
	}
	if err := a.Typing(t.Context(), channel.Address{Chat: alone.ID}); err == nil {
		t.Error("outside a thread there is nothing of the kind")
	}
}

func TestSend_Edit(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	s.Enter(team)
	a := with(t, s)
	o := out(team, "one")
	o.Growing = true
	o.Buttons = []channel.Button{{Text: "Stop", Press: "stop:1"}}
	id, err := a.Send(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	o.Text, o.Buttons, o.Growing = "one two", nil, false
	if err := a.Edit(t.Context(), id, o); err != nil {
		t.Fatal(err)
	}
	m := s.Sent(team)[0]
	if len(s.Sent(team)) != 1 || m.Text != "one two" || len(m.Buttons) != 0 || m.Edits != 1 || m.Parsed {
		t.Errorf("it is %+v", m)
	}
	theirs := s.Say(team, anna, "mine")
	for _, id := range []string{theirs, "1355517523.000005", "F0FILE1"} {
		if r := channeltest.RefusalOf(t, a.Edit(t.Context(), id, o)); !r.Final || !strings.Contains(r.Text, "cannot be changed") && !strings.Contains(r.Text, "can be changed") {
			t.Errorf("edit of %s: %+v", id, r)
		}
	}
}

// TestSend_Refusals has everything of which it is known that nothing was sent.
func TestSend_Refusals(t *testing.T) {
	t.Parallel()
	say := func(code string) func(*slacktest.Server) {
		return func(s *slacktest.Server) {
			s.Fault(slacktest.Fault{Method: "chat.postMessage", What: slacktest.Say, Code: code})
		}
	}
	for name, c := range map[string]struct {
		before func(*slacktest.Server)
		out    channel.Out
		text   string
		after  time.Duration
		final  bool
	}{
		"slow down": {before: func(s *slacktest.Server) {
			s.Fault(slacktest.Fault{What: slacktest.TooMany, For: 3 * time.Second})
		}, text: "ratelimited", after: 3 * time.Second},
		"limited by name":  {before: say("rate_limited"), text: "Too many", after: time.Second},
		"a proxy's login":  {before: func(s *slacktest.Server) { s.Fault(slacktest.Fault{What: slacktest.Fail, Status: 407}) }, text: "status 407"},
		"elsewhere":        {before: func(s *slacktest.Server) { s.Fault(slacktest.Fault{What: slacktest.Fail, Status: 302}) }, text: "status 302"},
		"down":             {before: (*slacktest.Server).Stop, text: "refused"},
		"unknown channel":  {out: channel.Out{Address: channel.Address{Chat: "C9"}, Text: "x"}, text: "channel_not_found: There is no such conversation, or the bot is not in it. Invite the bot", final: true},
		"no channel":       {out: channel.Out{Address: channel.Address{Chat: "#general"}, Text: "x"}, text: `"#general" is no id of a conversation`, final: true},
		"no thread":        {out: channel.Out{Address: channel.Address{Chat: "C9", Branch: "x"}, Text: "x"}, text: `"x" is no thread`, final: true},
		"thread gone":      {out: channel.Out{Address: channel.Address{Chat: team.ID, Branch: "1355517523.000005"}, Text: "x"}, text: "The thread is gone", final: true},
		"thrown out":       {before: func(s *slacktest.Server) { s.Kick(team) }, text: "not_in_channel: The bot is not in the channel. Invite it", final: true},
		"archived":         {before: func(s *slacktest.Server) { s.Archive(team) }, text: "is_archived", final: true},
		"empty":            {out: out(team, ""), text: "no_text", final: true},
		"too long":         {out: out(team, strings.Repeat("🦀", 20001)), text: "msg_too_long", final: true},
		"too long a value": {out: channel.Out{Address: out(team, "").Address, Text: "x", Buttons: []channel.Button{{Text: "x", Press: strings.Repeat("x", 2001)}}}, text: "invalid_blocks", final: true},
		"revoked":          {before: say("token_revoked"), text: "The token does not hold", after: 5 * time.Minute},
		"removed":          {before: say("account_inactive"), text: "Install the app again", after: 5 * time.Minute},
		"scope":            {before: func(s *slacktest.Server) { s.Lack("chat.postMessage", "chat:write") }, text: "It lacks chat:write", after: 5 * time.Minute},
		"not served":       {before: say("service_unavailable"), text: "does not serve us now"},
		"a new no":         {before: say("brand_new_error"), text: "brand_new_error", final: true},
		"read only":        {before: say("restricted_action_read_only_channel"), text: "does not let the bot write", final: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := slacktest.New(t)
			s.Enter(team)
			a := with(t, s)
			if c.before != nil {
				c.before(s)
			}
			o := c.out
			if o.Chat == "" {
				o = out(team, "x")
			}
			_, err := a.Send(t.Context(), o)
			r := channeltest.RefusalOf(t, err)
			if !strings.Contains(r.Text, c.text) || r.After != c.after || r.Final != c.final {
				t.Errorf("got %+v", r)
			}
			if n := len(s.Sent(team)); n != 0 {
				t.Errorf("%d messages were sent", n)
			}
		})
	}
}

// TestSend_OpenQuestions has what leaves open whether a part arrived: sent again, it is there once.
func TestSend_OpenQuestions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault slacktest.Fault
		there bool // after the first attempt
	}{
		"cut after":     {slacktest.Fault{What: slacktest.CutAfter}, true},
		"cut before":    {slacktest.Fault{What: slacktest.CutBefore}, false},
		"proxy after":   {slacktest.Fault{What: slacktest.FailAfter}, true},
		"proxy before":  {slacktest.Fault{What: slacktest.Fail, Status: 503}, false},
		"silence":       {slacktest.Fault{What: slacktest.Silent}, false},
		"broken inside": {slacktest.Fault{What: slacktest.Say, Code: "internal_error"}, false},
		"fatal":         {slacktest.Fault{What: slacktest.Say, Code: "fatal_error"}, false},
	} {
		for _, branch := range []string{"", "a thread"} {
			t.Run(name+" "+branch, func(t *testing.T) {
				s := slacktest.New(t)
				o := out(team, "once")
				o.Key = "e1/0"
				root := s.Say(team, anna, "hi")
				if branch != "" {
					o.Branch = root
				}
				timeout := "20s"
				if c.fault.What == slacktest.Silent {
					timeout = "1s" // it passes once
				}
				a := with(t, s, "timeout", timeout)
				if _, err := a.Check(t.Context()); err != nil {
					t.Fatal(err)
				}
				c.fault.Method, c.fault.Times = "chat.postMessage", 1
				s.Fault(c.fault)
				_, err := a.Send(t.Context(), o)
				if _, no := errors.AsType[*channel.Refusal](err); no || err == nil {
					t.Errorf("it is said to be known: %v", err)
				}
				if got := len(s.Sent(team)) == 1; got != c.there {
					t.Errorf("%d are there", len(s.Sent(team)))
				}
				s.Say(team, anna, "between")
				o.Doubt = true
				id, err := a.Send(t.Context(), o)
				if sent := s.Sent(team); err != nil || len(sent) != 1 || sent[0].TS != id {
					t.Errorf("sent again as %q, %v: %d are there", id, err, len(sent))
				}
				o.Key, o.Text, o.Doubt = "e1/1", "twice", false
				if _, err := a.Send(t.Context(), o); err != nil || len(s.Sent(team)) != 2 {
					t.Errorf("the next part: %v", err)
				}
			})
		}
	}
}

// TestSend_WhoDiedInTheMiddle: another life of ours sent it, and did not hear that.
func TestSend_WhoDiedInTheMiddle(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	s.Enter(alone)
	o := out(alone, "once")
	o.Key = "e1/0"
	first, err := with(t, s).Send(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 450 { // others write, more than a page
		s.Say(alone, anna, fmt.Sprint("message ", i))
	}
	a := with(t, s)
	o.Doubt = true
	id, err := a.Send(t.Context(), o)
	if err != nil || id != first || len(s.Sent(alone)) != 1 {
		t.Errorf("sent again as %q, %v; %d are there", id, err, len(s.Sent(alone)))
	}
	looked := s.Calls("conversations.history")
	o.Key, o.Doubt = "e2/0", false
	if _, err := a.Send(t.Context(), o); err != nil || s.Calls("conversations.history") != looked {
		t.Errorf("it is looked where there is no doubt: %v", err)
	}
}

// TestSend_LookingFails: while Slack does not say whether a part is there, it is not sent; where it
// never says, it is.
func TestSend_LookingFails(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	s.Enter(alone)
	a := with(t, s)
	o := out(alone, "x")
	o.Key, o.Doubt = "e1/0", true
	s.Fault(slacktest.Fault{Method: "conversations.history", What: slacktest.TooMany, For: 2 * time.Second, Times: 1})
	_, err := a.Send(t.Context(), o)
	if r := channeltest.RefusalOf(t, err); r.Final || r.After != 2*time.Second || len(s.Sent(alone)) != 0 {
		t.Errorf("got %+v", r)
	}
	s.Lack("conversations.history", "im:history")
	if _, err := a.Send(t.Context(), o); err != nil || len(s.Sent(alone)) != 1 {
		t.Errorf("without the scope: %v", err)
	}
}

func TestSend_File(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	root := s.Say(team, anna, "the report, please")
	a := with(t, s)
	o := out(team, "Here it *is*")
	o.Branch, o.Key = root, "e1/0"
	o.File = &channel.File{Name: "../report.md", Type: "text/markdown", Raw: []byte("# Report")}
	id, err := a.Send(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	sent := s.Sent(team)
	if len(sent) != 1 || sent[0].Text != "Here it *is*" || sent[0].Thread != root || len(sent[0].Files) != 1 || sent[0].Files[0].Name != "report.md" || sent[0].Files[0].ID != id {
		t.Errorf("sent %+v", sent)
	}
	if got := string(s.Content(id)); got != "# Report" {
		t.Errorf("the file is %q", got)
	}
	o.Buttons = []channel.Button{{Text: "Approve", Press: "approve:1"}}
	file := *o.File
	if _, err := a.Send(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	sent = s.Sent(team)
	if len(sent) != 3 || sent[1].Text != "" || len(sent[1].Files) != 1 || sent[2].Text != "Here it *is*" || len(sent[2].Buttons) != 1 {
		t.Errorf("with buttons: %+v", sent)
	}
	o.Buttons = nil
	for name, c := range map[string]struct {
		fault slacktest.Fault
		known bool
	}{
		"no place":    {slacktest.Fault{Method: "files.getUploadURLExternal", What: slacktest.CutAfter}, true},
		"not put":     {slacktest.Fault{Method: slacktest.Upload, What: slacktest.Fail}, true},
		"half put":    {slacktest.Fault{Method: slacktest.Upload, What: slacktest.CutBefore}, true},
		"not shown":   {slacktest.Fault{Method: "files.completeUploadExternal", What: slacktest.Say, Code: "channel_not_found"}, true},
		"who knows":   {slacktest.Fault{Method: "files.completeUploadExternal", What: slacktest.CutBefore}, false},
		"not allowed": {slacktest.Fault{Method: "files.getUploadURLExternal", What: slacktest.Say, Code: "file_uploads_disabled"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			c.fault.Times = 1
			s.Fault(c.fault)
			o.File = &file
			_, err := a.Send(t.Context(), o)
			if _, no := errors.AsType[*channel.Refusal](err); err == nil || no != c.known {
				t.Errorf("got %v", err)
			}
			if n := len(s.Sent(team)); n != 3 {
				t.Errorf("%d messages", n)
			}
		})
	}
	for name, what := range map[string]slacktest.Mishap{"answer lost": slacktest.CutAfter, "not done": slacktest.CutBefore} {
		t.Run(name, func(t *testing.T) {
			before := len(s.Sent(team))
			o.File, o.Key = &file, name
			s.Fault(slacktest.Fault{Method: "files.completeUploadExternal", What: what, Times: 1})
			if _, err := a.Send(t.Context(), o); err == nil {
				t.Error("it is said to be there")
			}
			s.Say(team, anna, "between")
			if _, err := a.Send(t.Context(), o); err != nil || len(s.Sent(team)) != before+1 {
				t.Errorf("sent again: %v, %d are there", err, len(s.Sent(team))-before)
			}
		})
	}
	t.Run("buttons lost", func(t *testing.T) {
		before := len(s.Sent(team))
		o.Key, o.Buttons = "buttons", []channel.Button{{Text: "Approve", Press: "approve:1"}}
		s.Fault(slacktest.Fault{Method: "chat.postMessage", What: slacktest.CutAfter, Times: 1})
		if _, err := a.Send(t.Context(), o); err == nil {
			t.Error("it is said to be there")
		}
		o.Doubt = true
		if _, err := a.Send(t.Context(), o); err != nil || len(s.Sent(team)) != before+2 {
			t.Errorf("sent again: %v, %d are there", err, len(s.Sent(team))-before)
		}
	})
	o.File = &channel.File{Name: "empty"}
	_, err = a.Send(t.Context(), o)
	if r := channeltest.RefusalOf(t, err); !r.Final && r.Text == "" {
		t.Errorf("an empty file: %+v", r)
	}
}
