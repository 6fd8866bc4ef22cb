package slack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"chela/internal/channel"
	"chela/internal/channel/httpcall"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/slacktest"
)

// received has people do something and returns what came of it, so many messages.
func received(t *testing.T, n int, do func(s *slacktest.Server, a *Adapter)) []channel.Message {
	t.Helper()
	s := slacktest.New(t)
	in := new(channeltest.Inbox)
	a := with(t, s)
	channeltest.Run(t, a, in)
	s.Enter(alone)
	do(s, a)
	s.Say(slacktest.Private(bela), bela, "that was all")
	s.Wait("what was done", func() bool { return s.Pending() == 0 })
	all := in.All()
	if len(all) != n+1 {
		t.Fatalf("%d messages came, not %d: %+v", len(all)-1, n, all)
	}
	return all[:n]
}

func TestEvent_WhoSaysItWhere(t *testing.T) {
	t.Parallel()
	var one, two, three, four string
	group := slacktest.Chat{ID: "G0GROUP01", Kind: "mpim"}
	all := received(t, 5, func(s *slacktest.Server, _ *Adapter) {
		one = s.Say(alone, anna, "hello")
		two = s.Reply(alone, anna, one, "in a thread")
		three = s.Say(team, bela, "to all")
		four = s.Reply(team, anna, three, "to Béla")
		s.Say(group, anna, "to some")
	})
	for i, want := range []channel.Message{
		{Address: channel.Address{Chat: alone.ID}, ID: one, Sender: channel.Sender{ID: anna.ID, Name: "anna"}, Called: true, Text: "hello"},
		{Address: channel.Address{Chat: alone.ID, Branch: one}, ID: two, Sender: channel.Sender{ID: anna.ID, Name: "anna"}, Called: true, Text: "in a thread"},
		{Address: channel.Address{Chat: team.ID, Branch: three}, ID: three, Sender: channel.Sender{ID: bela.ID, Name: "Béla"}, Group: true, Text: "to all"},
		{Address: channel.Address{Chat: team.ID, Branch: three}, ID: four, Sender: channel.Sender{ID: anna.ID, Name: "anna"}, Group: true, Text: "to Béla"},
	} {
		got := all[i]
		if age := time.Since(got.At); age < -2*time.Second || age > time.Minute {
			t.Errorf("message %d is of %s", i, got.At)
		}
		got.At = time.Time{}
		want.What = channel.Said
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			t.Errorf("message %d is\n%+v, not\n%+v", i, got, want)
		}
	}
	if m := all[4]; !m.Group || m.Branch != m.ID || m.Called {
		t.Errorf("among some it is %+v", m)
	}
}

func TestEvent_ThreadUnderOurs(t *testing.T) {
	t.Parallel()
	all := received(t, 1, func(s *slacktest.Server, a *Adapter) {
		s.Enter(team)
		id, err := a.Send(t.Context(), channel.Out{Address: channel.Address{Chat: team.ID}, Text: "Done."})
		if err != nil {
			t.Fatal(err)
		}
		s.Reply(team, anna, id, "Thanks")
	})
	if m := all[0]; !m.Called || m.Branch == m.ID {
		t.Errorf("it came as %+v", m)
	}
}

// TestEvent_OurName has how a text reads without it.
func TestEvent_OurName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"<@U0BOT0001> /status":               "/status",
		"<@U0BOT0001>: do it":                "do it",
		"<@U0BOT0001|chela>, do it":          "do it",
		"please <@U0BOT0001> do it":          "please do it",
		"do it <@U0BOT0001>":                 "do it",
		"<@U0BOT0001> <@U0BOT0001> go":       "go",
		"&lt;@U0BOT0001&gt; is not our name": "<@U0BOT0001> is not our name",
		"`<@U0BOT0001>` of <@U0NOBODY1>":     "`` of @U0NOBODY1",
	} {
		all := received(t, 1, func(s *slacktest.Server, _ *Adapter) { s.Tell(messageIn(team, text)) })
		if m := all[0]; m.Text != want || m.Called == strings.HasPrefix(text, "&") {
			t.Errorf("%q reads %q, for us: %v", text, m.Text, m.Called)
		}
	}
}

// messageIn is the event of a text of Anna's.
func messageIn(c slacktest.Chat, text string) string {
	raw, _ := json.Marshal(text) // a text can be written
	return fmt.Sprintf(`{"type":"message","channel":%q,"channel_type":%q,"user":%q,"ts":"1355517523.000005","text":%s}`, c.ID, c.Kind, anna.ID, raw)
}

func TestEvent_Marks(t *testing.T) {
	t.Parallel()
	r := reader{me: identity{User: "U0BOT0001", Name: "chela"}, name: func(_ context.Context, id string) string { return "name of " + id }}
	for text, want := range map[string]string{
		"":                                     "",
		"a &lt; b &amp;&amp; c &gt; d":         "a < b && c > d",
		"&amp;lt;":                             "&lt;",
		"<@U123> and <@W456|Wendy>":            "@name of U123 and @Wendy",
		"<@nobody>":                            "@nobody",
		"in <#C1|general> or <#C2> or <#C3|>":  "in #general or #C2 or #C3",
		"<!here> <!channel|channel>":           "@here channel",
		"<!subteam^S1|@devs> <!subteam^S2>":    "@devs @subteam",
		"<!date^1392734382^{date}|Feb 18>":     "Feb 18",
		"<https://a.example/x?a=1&amp;b=2>":    "https://a.example/x?a=1&b=2",
		"<https://a.example|the page>":         "the page (https://a.example)",
		"<http://a.example|a.example>":         "a.example",
		"<http://a.example/|http://a.example>": "http://a.example/",
		"<mailto:a@b.example|a@b.example>":     "a@b.example",
		"<tel:+123|+123>":                      "+123",
		"1 < 2":                                "1 < 2",
		"<>":                                   "",
		"*bold* _it_ ~no~ `x`":                 "*bold* _it_ ~no~ `x`",
	} {
		if got := r.heard(t.Context(), text); got.text != want || got.called {
			t.Errorf("%q reads %q, not %q", text, got.text, want)
		}
	}
}

func TestEvent_WhatIsNotForUs(t *testing.T) {
	t.Parallel()
	received(t, 0, func(s *slacktest.Server, a *Adapter) {
		s.Say(team, robot, "<@U0BOT0001> beep")
		if _, err := a.Send(t.Context(), channel.Out{Address: channel.Address{Chat: alone.ID}, Text: "ours"}); err != nil {
			t.Fatal(err)
		}
		for _, event := range []string{
			`{"type":"message","subtype":"channel_join","channel":"C0TEAM001","user":"U0ANNA001","text":"<@U0ANNA001> has joined","ts":"1355517523.000005"}`,
			`{"type":"message","subtype":"bot_message","channel":"C0TEAM001","bot_id":"B1","text":"hi","ts":"1355517523.000006"}`,
			`{"type":"message","channel":"C0TEAM001","user":"USLACKBOT","text":"hi","ts":"1355517523.000007"}`,
			`{"type":"message","channel":"C0TEAM001","user":"U0ANNA001","text":"","ts":"1355517523.000008"}`,
			`{"type":"message","subtype":"message_replied","channel":"C0TEAM001","message":{"user":"U0ANNA001","text":"x","ts":"1355517523.000008"},"ts":"1355517523.000009"}`,
			`{"type":"reaction_added","user":"U0ANNA001","reaction":"eyes","item":{"type":"file","file":"F1"},"event_ts":"1355517523.000010"}`,
			`{"type":"reaction_added","user":"U0BOT0001","reaction":"eyes","item":{"type":"message","channel":"C0TEAM001","ts":"1355517523.000005"},"event_ts":"1355517523.000010"}`,
			`{"type":"member_joined_channel","user":"U0BOT0001","channel":"C0TEAM001"}`,
		} {
			s.Tell(event)
		}
	})
}

// TestEvent_OtherThanText has messages that are more than a text. None of it reads like a command.
func TestEvent_OtherThanText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ rest, want string }{
		"picture":        {`"text":"look","subtype":"file_share","files":[{"id":"F1","name":"a.png","mimetype":"image/png","url_private":"https://files.slack.com/a"}]`, "look\n[Picture: a.png]"},
		"voice":          {`"files":[{"id":"F1","name":"audio_message.m4a","mimetype":"audio/mp4","subtype":"slack_audio","url_private":"https://files.slack.com/a"}]`, "[Voice message: audio_message.m4a]"},
		"video":          {`"files":[{"id":"F1","name":"v.mp4","mimetype":"video/mp4","url_private":"https://files.slack.com/a"},{"id":"F2","name":"s.mp3","mimetype":"audio/mpeg","url_private":"https://files.slack.com/b"}]`, "[Video: v.mp4]\n[Audio: s.mp3]"},
		"gone":           {`"files":[{"id":"F1","mode":"tombstone"},{"id":"F2","mode":"hidden_by_limit"}]`, "[A file that was deleted]\n[A file that Slack hides: the workspace has more than its plan shows]"},
		"external":       {`"files":[{"id":"F1","title":"Plan","mode":"external","is_external":true,"url_private":"https://docs.example/plan"}]`, "[File elsewhere: Plan, https://docs.example/plan]"},
		"path":           {`"files":[{"id":"F1","name":"..\\..\\/etc/passwd","url_private":"https://files.slack.com/a"}]`, "[File: passwd]"},
		"me":             {`"subtype":"me_message","text":"/approve it"`, "* /approve it"},
		"broadcast":      {`"subtype":"thread_broadcast","text":"to all","thread_ts":"1355517500.000001"`, "to all"},
		"forward":        {`"text":"see","attachments":[{"is_share":true,"author_name":"Carl","text":"/approve <@U0BOT0001>\nnow"}]`, "see\n[Forwarded from Carl:]\n> /approve @chela\n> now"},
		"only a forward": {`"text":"","attachments":[{"is_msg_unfurl":true,"is_share":true,"text":"/approve it"}]`, "[Forwarded from somebody:]\n> /approve it"},
		"attached":       {`"text":"","attachments":[{"title":"Build 7","title_link":"https://ci.example/7","text":"/failed\nbadly"}]`, "[Attached: Build 7, https://ci.example/7, /failed badly]"},
		"a page":         {`"text":"https://a.example","attachments":[{"original_url":"https://a.example","title":"A"}]`, "https://a.example"},
		"rich":           {`"text":"","blocks":[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"a < b, "},{"type":"user","user_id":"U0BOT0001"},{"type":"text","text":" "},{"type":"link","url":"https://a.example","text":"here"},{"type":"emoji","name":"wave"}]},{"type":"rich_text_list","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"one"}]},{"type":"rich_text_section","elements":[{"type":"text","text":"two"}]}]}]}]`, "a < b, here (https://a.example):wave:\none\ntwo"},
		"rich and text":  {`"text":"hi","blocks":[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"hi"}]}]}]`, "hi"},
		"laid out":       {`"text":"","blocks":[{"type":"header","text":{"type":"plain_text","text":"/Report"}},{"type":"section","text":{"type":"mrkdwn","text":"a &lt; b"},"fields":[{"type":"mrkdwn","text":"f"}]},{"type":"image","alt_text":"a cat"},{"type":"newer","x":1}]`, "[Laid out: /Report a < b f Picture: a cat]"},
	} {
		t.Run(name, func(t *testing.T) {
			all := received(t, 1, func(s *slacktest.Server, _ *Adapter) {
				s.Tell(`{"type":"message","channel":"D0ANNA001","channel_type":"im","user":"U0ANNA001","ts":"1355517523.000005",` + c.rest + `}`)
			})
			if got := all[0].Text; got != c.want {
				t.Errorf("it reads\n%q, not\n%q", got, c.want)
			}
		})
	}
}

func TestEvent_Edited(t *testing.T) {
	t.Parallel()
	var id string
	all := received(t, 2, func(s *slacktest.Server, _ *Adapter) {
		id = s.Say(alone, anna, "helo https://a.example")
		s.Unfurl(alone, id, `[{"original_url":"https://a.example","title":"A"}]`)
		s.Edit(alone, id, "hello")
		s.Unfurl(alone, id, `[]`)
	})
	if m := all[1]; m.What != channel.Edited || m.ID != id || m.Text != "hello" || m.Sender.ID != anna.ID || m.Chat != alone.ID || m.Branch != "" {
		t.Errorf("it came as %+v", m)
	}
}

func TestEvent_OurEditIsNotHeard(t *testing.T) {
	t.Parallel()
	received(t, 0, func(s *slacktest.Server, a *Adapter) {
		o := channel.Out{Address: channel.Address{Chat: alone.ID}, Text: "a"}
		id, err := a.Send(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		o.Text = "ab"
		if err := a.Edit(t.Context(), id, o); err != nil {
			t.Fatal(err)
		}
		s.Delete(alone, id)
	})
}

// TestEvent_MentionThatWasEditedIn decides nothing, as no edit does.
func TestEvent_MentionThatWasEditedIn(t *testing.T) {
	t.Parallel()
	all := received(t, 1, func(s *slacktest.Server, _ *Adapter) {
		s.Tell(`{"type":"app_mention","channel":"C0TEAM001","user":"U0ANNA001","text":"<@U0BOT0001> /approve it","ts":"1355517523.000005","edited":{"user":"U0ANNA001","ts":"1355517600.000000"}}`)
	})
	if m := all[0]; m.What != channel.Edited || m.ID != "1355517523.000005" {
		t.Errorf("it came as %+v", m)
	}
}

func TestEvent_ManyNames(t *testing.T) {
	t.Parallel()
	var asked int
	all := received(t, 1, func(s *slacktest.Server, _ *Adapter) {
		text := ""
		for i := range 30 {
			text += fmt.Sprintf("<@U0MANY%03d> ", i)
		}
		s.Tell(messageIn(alone, text))
		s.Wait("it", func() bool { return s.Pending() == 0 })
		asked = s.Calls("users.info")
	})
	if n := strings.Count(all[0].Text, "@U0MANY"); n != 30 || asked > mostNames+1 {
		t.Errorf("%d names, asked %d times", n, asked)
	}
}

func TestEvent_Deleted(t *testing.T) {
	t.Parallel()
	var root, reply string
	all := received(t, 4, func(s *slacktest.Server, _ *Adapter) {
		root = s.Say(team, anna, "wrong")
		reply = s.Reply(team, anna, root, "wrong, too")
		s.Delete(team, reply)
		s.Tell(fmt.Sprintf(`{"type":"message","subtype":"message_changed","channel":"C0TEAM001","channel_type":"channel","message":{"subtype":"tombstone","user":"USLACKBOT","ts":%q,"text":"This message was deleted."},"previous_message":{"user":"U0ANNA001","ts":%q,"text":"wrong"},"event_ts":"1355517523.000005"}`, root, root))
	})
	if m := all[2]; m.What != channel.Deleted || m.ID != reply || m.Branch != root || m.Sender.ID != anna.ID || m.Text != "" {
		t.Errorf("a reply was deleted as %+v", m)
	}
	if m := all[3]; m.What != channel.Deleted || m.ID != root || m.Branch != root || m.Sender.ID != anna.ID {
		t.Errorf("the root was deleted as %+v", m)
	}
}

func TestEvent_Reacted(t *testing.T) {
	t.Parallel()
	var id string
	all := received(t, 3, func(s *slacktest.Server, a *Adapter) {
		s.Enter(team)
		var err error
		if id, err = a.Send(t.Context(), channel.Out{Address: channel.Address{Chat: team.ID}, Text: "Done."}); err != nil {
			t.Fatal(err)
		}
		s.React(team, anna, id, "thumbsup", true)
		s.React(team, anna, id, "thumbsup", false)
		other := s.Post(team, robot, slacktest.Message{Text: "beep"})
		s.React(team, anna, other, "eyes", true)
	})
	on, off, other := all[0], all[1], all[2]
	if on.What != channel.Reacted || on.Text != ":thumbsup:" || on.ReplyTo != id || on.Sender.ID != anna.ID || !on.Called || on.ID == "" {
		t.Errorf("put on: %+v", on)
	}
	if off.What != channel.Reacted || off.Text != "" || off.ReplyTo != id || off.ID == on.ID {
		t.Errorf("taken off: %+v", off)
	}
	if other.Called {
		t.Errorf("to another's: %+v", other)
	}
}

func TestEvent_Pressed(t *testing.T) {
	t.Parallel()
	var root, id, press string
	all := received(t, 2, func(s *slacktest.Server, a *Adapter) {
		root = s.Say(team, anna, "may you?")
		o := channel.Out{Address: channel.Address{Chat: team.ID, Branch: root}, Text: "May I?", Buttons: []channel.Button{{Text: "Approve", Press: "approve:7"}, {Text: "Deny", Press: "deny:7"}}}
		var err error
		if id, err = a.Send(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		press = s.Press(team, bela, id, "deny:7")
	})
	m := all[1]
	if m.What != channel.Pressed || m.Press != "deny:7" || m.ID != press+":"+bela.ID || m.Sender != (channel.Sender{ID: bela.ID, Name: "Béla"}) || m.Chat != team.ID || m.Branch != root || m.ReplyTo != id || !m.Called || m.Text != "" {
		t.Errorf("it came as %+v", m)
	}
}

func TestEvent_Names(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	s.Lack("users.info", "users:read")
	in := new(channeltest.Inbox)
	channeltest.Run(t, with(t, s), in)
	s.Say(alone, anna, "hi <@U0BELA001>")
	s.Say(alone, anna, "hi again")
	s.Wait("both", func() bool { return in.Count() == 2 && s.Pending() == 0 })
	if m := in.All()[0]; m.Sender.Name != anna.ID || m.Text != "hi @U0BELA001" {
		t.Errorf("it came as %+v", m)
	}
	if n := s.Calls("users.info"); n != 2 {
		t.Errorf("names were asked for %d times", n)
	}
}

func opened(t *testing.T, m channel.Media) (string, error) {
	t.Helper()
	r, err := m.Open(t.Context())
	if err != nil {
		return "", err
	}
	raw, err := io.ReadAll(r)
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	return string(raw), err
}

func TestEvent_Media(t *testing.T) {
	t.Parallel()
	var s *slacktest.Server
	all := received(t, 3, func(fake *slacktest.Server, _ *Adapter) {
		s = fake
		f := s.Keep(slacktest.File{Name: "a.png", Mime: "image/png"}, []byte("picture"))
		s.Post(alone, anna, slacktest.Message{Subtype: "file_share", Files: []slacktest.File{f}})
		shared := s.Keep(slacktest.File{Name: "b.txt", Mime: "text/plain"}, []byte("words"))
		s.Post(alone, anna, slacktest.Message{Subtype: "file_share", Files: []slacktest.File{{ID: shared.ID, Access: "check_file_info"}, {ID: "F9", Mode: "tombstone"}}})
		s.Post(alone, anna, slacktest.Message{Text: "gone", Files: []slacktest.File{{ID: "F0GONE"}}})
	})
	m := all[0].Media
	if len(m) != 1 || m[0].Name != "a.png" || m[0].Type != "image/png" || m[0].Size != 7 {
		t.Fatalf("it came with %+v", m)
	}
	if got, err := opened(t, m[0]); err != nil || got != "picture" {
		t.Errorf("fetched %q, %v", got, err)
	}
	if len(all[1].Media) != 1 || all[1].Media[0].Name != "b.txt" || all[1].Text != "[File: b.txt]\n[A file that was deleted]" {
		t.Fatalf("it came with %+v", all[1].Media)
	}
	if got, err := opened(t, all[1].Media[0]); err != nil || got != "words" {
		t.Errorf("fetched %q, %v", got, err)
	}
	if m := all[2]; m.Text != "gone\n[File: F0GONE]" || len(m.Media) != 0 {
		t.Errorf("a file of which nothing is known: %+v", m)
	}
	s.Fault(slacktest.Fault{Method: slacktest.Download, What: slacktest.Fail, Status: 503, Times: 1})
	if _, err := opened(t, m[0]); err == nil || !strings.Contains(err.Error(), "status 503") {
		t.Errorf("a broken Slack: %v", err)
	}
	s.Lack(slacktest.Download, "files:read")
	if _, err := opened(t, m[0]); err == nil || !strings.Contains(err.Error(), "files:read") {
		t.Errorf("without the scope: %v", err)
	}
}

// TestEvent_OthersFilesAreNotFetched: the token is shown to nobody else.
func TestEvent_OthersFilesAreNotFetched(t *testing.T) {
	t.Parallel()
	asked := false
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer thief.Close()
	all := received(t, 1, func(s *slacktest.Server, _ *Adapter) {
		s.Post(alone, anna, slacktest.Message{Subtype: "file_share", Files: []slacktest.File{{ID: "F1", Name: "a", Download: thief.URL + "/a"}}})
	})
	if _, err := opened(t, all[0].Media[0]); err == nil || asked {
		t.Errorf("fetched from elsewhere: %v", err)
	}
}

// FuzzEvent: whatever Slack sends, what is taken can be kept, and nothing breaks.
func FuzzEvent(f *testing.F) {
	for _, seed := range []string{
		messageIn(slacktest.Private(anna), "hi <@U0BOT0001> <https://a|b> &lt;"), `{"type":"app_mention"}`, `{"type":"message","subtype":"message_changed","message":{"ts":"1.2","edited":{"ts":"1.3"}}}`,
		`{"type":"message","subtype":"message_deleted","deleted_ts":"1.2","channel":"C1"}`, `{"type":"reaction_added","item":{}}`, `{"type":"block_actions","actions":[{"value":"x"}]}`,
		`{"type":"message","channel":"C1","user":"U1","ts":"1.1","blocks":[{"type":"rich_text","elements":[{"elements":[{"text":1}]}]}],"files":[{}],"attachments":[{"is_share":true}]}`,
	} {
		f.Add([]byte(seed))
	}
	a := &Adapter{name: "work", people: channel.NewKept[person](1), begun: channel.NewKept[bool](1), log: silent}
	a.me.Store(&identity{User: "U0BOT0001", Bot: "B0BOT0001", Name: "chela"})
	base, err := url.Parse("http://127.0.0.1:1")
	if err != nil {
		f.Fatal(err)
	}
	a.api = caller{base: base, http: httpcall.Client{HTTP: &http.Client{Transport: nowhere{}}, Within: time.Second, Most: maxReply}}
	f.Fuzz(func(t *testing.T, raw []byte) {
		in := new(channeltest.Inbox)
		event := append(append([]byte(`{"type":"event_callback","event":`), raw...), '}')
		for kind, payload := range map[string][]byte{"events_api": event, "interactive": raw, "other": raw} {
			if err := a.take(t.Context(), in, kind, payload); err != nil && !errors.Is(err, errLater) {
				t.Errorf("%q is refused: %v", raw, err)
			}
		}
		for _, m := range in.All() {
			if m.ID == "" || m.Chat == "" || m.Sender.ID == a.me.Load().User || m.Branch != "" && !tsForm.MatchString(m.Branch) {
				t.Errorf("%q came as %+v", raw, m)
			}
		}
	})
}

// FuzzListen: whatever is sent to our address with Slack's signature is answered.
func FuzzListen(f *testing.F) {
	for _, seed := range []string{`{"type":"url_verification","challenge":"x"}`, "payload=%7B%7D", "payload=%7B%22type%22%3A%22block_actions%22%7D", `{"type":"event_callback"}`, "%zz"} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	s := &slacktest.Server{Signing: "8f742231b10e8888abcd99yyyzzz85a5"}
	f.Fuzz(func(t *testing.T, raw []byte, form bool) {
		a := &Adapter{name: "work", signing: s.Signing, people: channel.NewKept[person](1), begun: channel.NewKept[bool](1), log: silent}
		a.api = caller{base: &url.URL{Scheme: "http", Host: "127.0.0.1:1"}, http: httpcall.Client{HTTP: &http.Client{Transport: nowhere{}}, Within: time.Second, Most: maxReply}}
		a.me.Store(&identity{User: "U0BOT0001", Name: "chela"})
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/channels/work", bytes.NewReader(raw))
		r.Header.Set("Content-Type", "application/json")
		if form {
			asForm(r)
		}
		sign(s, r, raw, time.Now())
		w := httptest.NewRecorder()
		a.Listen(w, r, new(channeltest.Inbox))
		if w.Code != http.StatusOK && w.Code != http.StatusBadRequest {
			t.Errorf("%q is answered with %d", raw, w.Code)
		}
	})
}

// FuzzReply: every answer of the Web API is a result or a failure with words.
func FuzzReply(f *testing.F) {
	for _, seed := range []string{`{"ok":true}`, `{"ok":false,"error":"missing_scope","needed":"a"}`, `{"ok":true,"messages":[{"ts":1},{"ts":"1.1"}]}`, `{"ok":false,"error":"x","response_metadata":{"messages":["y"]}}`, `[]`} {
		f.Add([]byte(seed), 200)
	}
	f.Fuzz(func(t *testing.T, raw []byte, status int) {
		var out history
		err := read(httpcall.Answer{Status: status, Header: http.Header{}, Body: raw}, &out)
		if err == nil {
			return
		}
		if got := failureOf(err); got.Text == "" || got.verdict() == nil {
			t.Errorf("%q with %d: %#v", raw, status, got)
		}
	})
}

// FuzzFrame: no frame of Socket Mode breaks anything but its connection.
func FuzzFrame(f *testing.F) {
	for _, seed := range []string{`{"type":"hello"}`, `{"type":"disconnect","reason":"link_disabled"}`, `{"envelope_id":"e","type":"events_api","payload":{"type":"event_callback","event":{"type":"message"}}}`, `{`, `[]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if bytes.Contains(raw, []byte("message")) || bytes.Contains(raw, []byte("reaction")) || bytes.Contains(raw, []byte("block_actions")) {
			return // FuzzEvent has these
		}
		a := &Adapter{name: "work", log: silent, app: "x"}
		a.me.Store(&identity{User: "U0BOT0001"})
		s := &socket{a: a, in: new(channeltest.Inbox), opening: true}
		if err := s.frame(t.Context(), frame{from: new(link), raw: raw}); err != nil && !bytes.Contains(raw, []byte("disconnect")) && !bytes.Contains(raw, []byte(`\u`)) {
			t.Errorf("%q: %v", raw, err)
		}
	})
}

// FuzzMarks: every text can be read, and none becomes longer than names make it.
func FuzzMarks(f *testing.F) {
	for _, seed := range []string{"<@U0BOT0001>: x", "<", "<<>>", "<!date^1^x|y>", "<mailto:|>", "&lt;&amp;"} {
		f.Add(seed)
	}
	r := reader{me: identity{User: "U0BOT0001", Name: "c"}, name: func(_ context.Context, id string) string { return id }}
	f.Fuzz(func(t *testing.T, text string) {
		h := r.heard(t.Context(), text)
		if strings.Contains(text, "<@U0BOT0001>") != h.called && !strings.Contains(text, "|") && !strings.Contains(text, "<<") && strings.Count(text, "<") == strings.Count(text, ">") && strings.Count(text, "<") == 1 {
			t.Errorf("%q is for us: %v", text, h.called)
		}
		if len(h.text) > len(h.whole)+len(text) || len(h.whole) > 2*len(text)+16 {
			t.Errorf("%q grew to %q", text, h.whole)
		}
	})
}

// nowhere is a network without anybody.
type nowhere struct{}

func (nowhere) RoundTrip(*http.Request) (*http.Response, error) { return nil, io.EOF }
