package discord

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chela/internal/channel"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/discordtest"
)

// after returns what comes of what people do while the bot is there.
func after(t *testing.T, s *discordtest.Server, do func()) []channel.Message {
	t.Helper()
	in := new(channeltest.Inbox)
	r := connected(t, s, with(t, s), in)
	s.Wait("the server to be looked at", func() bool { return s.Pending() == 0 })
	do()
	s.Wait("all to be taken", func() bool { return s.Pending() == 0 })
	r.Stopped(t)
	return in.All()
}

// one returns what comes of a message that is posted.
func one(t *testing.T, at discordtest.Channel, m discordtest.Message) channel.Message {
	t.Helper()
	s := discordtest.New(t)
	s.Enter(team)
	if m.Author == nil {
		m.Author = &anna
	}
	got := after(t, s, func() { s.Post(at, m, time.Now()) })
	if len(got) != 1 {
		t.Fatalf("got %+v", got)
	}
	return got[0]
}

func TestTake_WhoSaysItWhere(t *testing.T) {
	t.Parallel()
	m := one(t, alone, discordtest.Message{Content: "hello"})
	if m.Chat != alone.ID || m.Branch != "" || m.ID == "" || m.What != channel.Said || m.Group || !m.Called || m.ReplyTo != "" ||
		m.Sender != (channel.Sender{ID: "501", Name: "Anna Berg"}) || m.Text != "hello" || time.Since(m.At) > time.Minute {
		t.Errorf("in private: %+v", m)
	}
	m = one(t, thread, discordtest.Message{Content: "hello", Author: &bela})
	if m.Chat != "300" || m.Branch != "301" || !m.Group || m.Called || m.Sender != (channel.Sender{ID: "502", Name: "bela"}) {
		t.Errorf("in a thread: %+v", m)
	}
}

func TestTake_Nickname(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	s.Nick(team, anna, "Boss")
	got := after(t, s, func() { s.Say(team, anna, "hello") })
	if len(got) != 1 || got[0].Sender != (channel.Sender{ID: "501", Name: "Boss"}) {
		t.Errorf("got %+v", got)
	}
}

func TestTake_OurName(t *testing.T) {
	t.Parallel()
	const us = "<@100000000000000001>"
	for text, want := range map[string]struct {
		text   string
		called bool
	}{
		us + ", what is it?":                         {"what is it?", true},
		us + ":  what is it?":                        {"what is it?", true},
		"What, <@!100000000000000001> , is it?":      {"What, , is it?", true},
		"<@&" + discordtest.OurRole + "> /status":    {"/status", true},
		"<@&555> and <@502>: hi":                     {"@role-555 and @user502: hi", false},
		"chela @everyone <#300> <t:1:R>":             {"chela @everyone <#300> <t:1:R>", false},
		"<:smile:123> <a:wave:124>":                  {":smile: :wave:", false},
		"<@999999999999999999999999> <@> <@a> <@1":   {"<@999999999999999999999999> <@> <@a> <@1", false},
		strings.Repeat("é", 3) + us + us + " and on": {"éééand on", true},
	} {
		if m := one(t, team, discordtest.Message{Content: text}); m.Text != want.text || m.Called != want.called {
			t.Errorf("%q: %q, %v", text, m.Text, m.Called)
		}
	}
}

func TestTake_Replies(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	theirs := s.Say(team, bela, "It is\n<@502>'s")
	ours, err := with(t, s).Send(t.Context(), out(team, "Shall I?"))
	if err != nil {
		t.Fatal(err)
	}
	reply := func(to, text string) discordtest.Message {
		return discordtest.Message{Author: &anna, Content: text, Reference: &discordtest.Reference{MessageID: to}}
	}
	got := after(t, s, func() {
		s.Post(team, reply(ours, "Yes"), time.Now())
		s.Post(team, reply(theirs, "<@"+s.Bot.ID+"> true?"), time.Now())
		s.Post(team, reply(theirs, "<@"+s.Bot.ID+">"), time.Now())
		s.Post(team, reply(theirs, "<@"+s.Bot.ID+"> /new"), time.Now())
	})
	if len(got) != 5 { // the first was read back
		t.Fatalf("got %+v", got)
	}
	got = got[1:]
	if m := got[0]; m.Text != "Yes" || !m.Called || m.ReplyTo != ours {
		t.Errorf("to us: %+v", m)
	}
	if m := got[1]; m.Text != "> It is\n> @user502's\n\ntrue?" || !m.Called || m.ReplyTo != theirs {
		t.Errorf("to another: %+v", m)
	}
	if m := got[2]; m.Text != "> It is\n> @user502's" {
		t.Errorf("only our name: %+v", m)
	}
	if m := got[3]; m.Text != "/new" {
		t.Errorf("a command: %+v", m)
	}
}

func TestTake_NotPeople(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	s.Enter(team)
	robot := discordtest.User{ID: "600", Username: "robot", Bot: true}
	got := after(t, s, func() {
		for _, m := range []discordtest.Message{
			{Author: &robot, Content: "from a bot"},
			{Author: &anna, WebhookID: "9", Content: "from a webhook"},
			{Author: &anna, Type: 7, Content: "has joined"},
			{Author: &anna, Type: 21},
			{Author: &anna}, // nothing at all
			{Content: "from nobody"},
		} {
			s.Post(team, m, time.Now())
		}
		if _, err := with(t, s).Send(t.Context(), out(team, "our own")); err != nil {
			t.Error(err)
		}
	})
	if len(got) != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestTake_WhatThereIsBesideText(t *testing.T) {
	t.Parallel()
	type any1 = map[string]any
	voice := discordtest.Attachment{ID: "1", Filename: "voice-message.ogg", ContentType: "audio/ogg", Size: 5, URL: "https://cdn.discordapp.com/x", Duration: 2.6}
	poll := any1{"question": any1{"text": "Lunch?"}, "answers": []any1{{"answer_id": 1, "poll_media": any1{"text": "Soup"}}, {"poll_media": any1{"text": "Rice"}}}}
	for want, m := range map[string]discordtest.Message{
		"[Voice message, 3s]":            {Flags: 1 << 13, Attachments: []discordtest.Attachment{voice}},
		"[Audio: voice-message.ogg, 3s]": {Attachments: []discordtest.Attachment{voice}},
		"Look\n[Picture: a.png, a cat]\n[Video: b.mp4]\n[File: without a name]": {Content: "Look", Attachments: []discordtest.Attachment{
			{ID: "1", Filename: "a.png", Description: "a\ncat", ContentType: "image/png"}, {ID: "2", Filename: "b.mp4", ContentType: "video/mp4"}, {ID: "3"},
		}},
		"[Sticker: Wave]":               {Stickers: []discordtest.Sticker{{ID: "1", Name: "Wave"}}},
		"[Poll: Lunch?: Soup / Rice]":   {Poll: poll},
		"x\n[Embed: A, b, https://c.d]": {Content: "x", Embeds: []discordtest.Embed{{Title: "A", Description: "b", URL: "https://c.d"}, {}}},
		"Forwarded:\n/approve 1\n[Sticker: Wave]": {
			Reference: &discordtest.Reference{Type: 1, MessageID: "5"},
			Snapshots: []discordtest.Snapshot{{Message: discordtest.Message{Content: "/approve 1", Stickers: []discordtest.Sticker{{Name: "Wave"}}}}},
		},
		"Forwarded:": {Reference: &discordtest.Reference{Type: 1, MessageID: "5"}},
	} {
		if got := one(t, alone, m); got.Text != want || got.Media == nil && len(m.Attachments) > 0 {
			t.Errorf("got %q, want %q", got.Text, want)
		}
	}
	m := one(t, team, discordtest.Message{
		Reference: &discordtest.Reference{Type: 1, MessageID: "5"},
		Snapshots: []discordtest.Snapshot{{Message: discordtest.Message{Content: "<@100000000000000001> do it"}}},
	})
	if m.Called {
		t.Errorf("what is forwarded calls us: %+v", m)
	}
}

func TestTake_EditsAndDeletions(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	s.Enter(team)
	var id, other string
	got := after(t, s, func() {
		id, other = s.Say(team, anna, "a https://x.y"), s.Say(alone, anna, "x")
		s.Unfold(team, id, discordtest.Embed{Title: "X"})
		s.Edit(team, id, "<@"+s.Bot.ID+"> the https://x.y")
		s.Unfold(team, id, discordtest.Embed{Title: "Y"})
		s.Delete(alone, other)
		s.Delete(team, id, "77")
	})
	if len(got) != 6 {
		t.Fatalf("got %+v", got)
	}
	if m := got[2]; m.What != channel.Edited || m.ID != id || !strings.HasPrefix(m.Text, "the https://x.y") || !m.Called || m.Sender.ID != "501" {
		t.Errorf("edited: %+v", m)
	}
	for i, want := range []channel.Message{
		{What: channel.Deleted, ID: other, Address: channel.Address{Chat: alone.ID}, Called: true},
		{What: channel.Deleted, ID: id, Address: channel.Address{Chat: "300"}, Group: true},
		{What: channel.Deleted, ID: "77", Address: channel.Address{Chat: "300"}, Group: true},
	} {
		if m := got[3+i]; m.What != want.What || m.ID != want.ID || m.Address != want.Address || m.Group != want.Group || m.Called != want.Called {
			t.Errorf("deleted: %+v, want %+v", m, want)
		}
	}
}

func TestTake_Reactions(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	s.Enter(team)
	ours, err := with(t, s).Send(t.Context(), out(team, "Done"))
	if err != nil {
		t.Fatal(err)
	}
	robot := discordtest.User{ID: "600", Username: "robot", Bot: true}
	got := after(t, s, func() {
		s.React(team, anna, ours, "", "👍", false)
		s.React(team, anna, ours, "", "👍", true)
		s.React(team, anna, ours, "88", "party", false)
		s.React(team, robot, ours, "", "👍", false)
		s.React(alone, s.Bot, "5", "", "👍", false)
		s.React(alone, bela, "5", "", "👎", false)
	})
	if len(got) != 4 {
		t.Fatalf("got %+v", got)
	}
	seen := make(map[string]bool)
	for i, text := range []string{"👍", "", ":party:", "👎"} {
		m := got[i]
		if m.What != channel.Reacted || m.Text != text || m.ID == "" || seen[m.ID] || m.ReplyTo == "" || m.Sender.ID == "" {
			t.Errorf("reaction %d: %+v", i, m)
		}
		seen[m.ID] = true
	}
	if m := got[0]; m.ReplyTo != ours || !m.Called || !m.Group || m.Sender.Name != "Anna Berg" {
		t.Errorf("in the group: %+v", m)
	}
	if m := got[3]; !m.Called || m.Group {
		t.Errorf("in private: %+v", m)
	}
}

func TestTake_Press(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]discordtest.Channel{"private": alone, "thread": thread} {
		s := discordtest.New(t)
		s.Enter(team)
		s.Enter(at)
		a := with(t, s)
		o := out(at, "Shall I?")
		o.Buttons = channeltest.Buttons("Approve", "approve:1", "Deny", "deny:1")
		asked, err := a.Send(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		var full atomic.Bool
		full.Store(true)
		in := &channeltest.Inbox{Refuse: func(channel.Message) error {
			if full.Load() {
				return errors.New("the log is full")
			}
			return nil
		}}
		r := connected(t, s, a, in)
		press := s.Press(at, anna, asked, "approve:1")
		if err := <-r.End; err == nil || !strings.Contains(err.Error(), "the log is full") {
			t.Errorf("%s: Run: %v", name, err)
		}
		if kind, says, only := s.Answered(press); kind != 4 || !strings.Contains(says, "press again") || !only {
			t.Errorf("%s: it was answered %d, %q", name, kind, says)
		}
		full.Store(false)
		r = connected(t, s, a, in)
		second := s.Press(at, anna, asked, "approve:1")
		s.Wait("an answer", func() bool { kind, _, _ := s.Answered(second); return kind != 0 })
		r.Stopped(t)
		if kind, _, _ := s.Answered(second); kind != 6 {
			t.Errorf("%s: it was answered %d", name, kind)
		}
		got := in.All()
		if len(got) != 2 { // what the log refused came again
			t.Fatalf("%s: got %+v", name, got)
		}
		m := got[1]
		if m.What != channel.Pressed || m.ID != second || m.Press != "approve:1" || m.ReplyTo != asked || m.Sender.ID != "501" || !m.Called ||
			m.Address != o.Address || m.Group != (at.GuildID != "") || m.At.IsZero() {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

// TestTake_WhatChangesOnTheServer: threads and roles that come later are known, and a thread of which
// nothing was said is asked for.
func TestTake_WhatChangesOnTheServer(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	s.Enter(team)
	type object map[string]any
	told := discordtest.Thread("302", team)
	listed := discordtest.Thread("303", team)
	got := after(t, s, func() {
		s.Emit("GUILD_ROLE_CREATE", object{"guild_id": discordtest.Guild, "role": object{"id": "950", "tags": object{"bot_id": s.Bot.ID}}})
		s.Emit("GUILD_ROLE_CREATE", object{"guild_id": discordtest.Guild, "role": object{"id": "951", "tags": object{"bot_id": "6"}}})
		s.Emit("THREAD_CREATE", told)
		s.Emit("THREAD_LIST_SYNC", object{"guild_id": discordtest.Guild, "threads": []discordtest.Channel{listed}})
		s.Say(told, anna, "<@&950> <@&951> one")
		s.Say(listed, anna, "two")
		s.Say(thread, anna, "three")
	})
	if len(got) != 3 || !got[0].Called || got[0].Text != "@role-951 one" {
		t.Fatalf("got %+v", got)
	}
	for i, branch := range []string{"302", "303", "301"} {
		if at := got[i].Address; at != (channel.Address{Chat: "300", Branch: branch}) {
			t.Errorf("%d is at %+v", i, at)
		}
	}
	if n := s.Calls(discordtest.Look); n != 1 {
		t.Errorf("%d channels were asked for", n)
	}
}

func TestTake_MuchOfEverything(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	s.Enter(team)
	var files []discordtest.Attachment
	for range mostFiles + 2 {
		files = append(files, discordtest.Attachment{ID: "1", Filename: strings.Repeat("n", 400), ContentType: "audio/mpeg"})
	}
	first := s.Say(team, bela, strings.Repeat("long ", 400))
	got := after(t, s, func() {
		s.Post(team, discordtest.Message{Author: &anna, Content: "x", Attachments: files, Reference: &discordtest.Reference{MessageID: first}}, time.Now())
	})
	m := got[len(got)-1]
	if len(m.Media) != mostFiles || !strings.HasSuffix(m.Text, "\n[2 more files]") || len(m.Text) > maxQuote+mostFiles*330 || !strings.Contains(m.Text, "…\n\nx\n[Audio: nnn") {
		t.Errorf("%d files, %d bytes: %q", len(m.Media), len(m.Text), m.Text)
	}
}

func TestTake_FilesAreFetched(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	content := bytes.Repeat([]byte{0, 1, 255}, 1000)
	f := s.Keep("../../notes.txt", "text/plain; charset=utf-8", content)
	got := after(t, s, func() {
		s.Post(alone, discordtest.Message{Author: &anna, Attachments: []discordtest.Attachment{f}}, time.Now())
	})
	if len(got) != 1 || len(got[0].Media) != 1 {
		t.Fatalf("got %+v", got)
	}
	m := got[0].Media[0]
	if m.Name != "notes.txt" || m.Type != "text/plain" || m.Size != int64(len(content)) {
		t.Errorf("got %+v", m)
	}
	r, err := m.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(raw, content) || r.Close() != nil {
		t.Errorf("read %d bytes, %v", len(raw), err)
	}
	s.Fault(discordtest.Fault{Method: discordtest.Download, What: discordtest.Fail, Status: 404, Times: 1})
	if _, err := m.Open(t.Context()); err == nil || !strings.Contains(err.Error(), "status 404") {
		t.Errorf("a file that is gone: %v", err)
	}
	s.Fault(discordtest.Fault{Method: discordtest.Download, What: discordtest.CutBefore, Times: 1})
	if _, err := m.Open(t.Context()); err == nil {
		t.Error("a file that is cut came")
	}
}

// TestTake_FilesOfOthersAreNotFetched: who can write a message cannot have us ask any address.
func TestTake_FilesOfOthersAreNotFetched(t *testing.T) {
	t.Parallel()
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	s := discordtest.New(t)
	a := with(t, s)
	for _, at := range []string{
		other.URL + "/x", "https://cdn.discordapp.com.example.com/x", "https://cdn.discordapp.com@" + strings.TrimPrefix(other.URL, "http://") + "/x",
		"http://cdn.discordapp.com/x", "file:///etc/passwd", "", "%",
	} {
		if _, err := a.fetch(t.Context(), "x", at); err == nil || !strings.Contains(err.Error(), "does not lie with Discord") {
			t.Errorf("%q: %v", at, err)
		}
	}
	for _, at := range []string{"https://cdn.discordapp.com/attachments/1/2/x?ex=1", "https://media.discordapp.net/x", s.URL() + "/x"} {
		if !a.ourSource(at) {
			t.Errorf("%q is not fetched", at)
		}
	}
	if asked {
		t.Error("another host was asked")
	}
}
