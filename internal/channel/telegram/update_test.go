package telegram

import (
	"context"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/go-telegram/bot/models"

	"chela/internal/channel"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/telegramtest"
)

// received returns what comes of messages that are posted one after the other. An
// additional one at the end shows that all before it were looked at.
func received(t *testing.T, s *telegramtest.Server, posts ...telegramtest.Message) []channel.Message {
	t.Helper()
	in := new(channeltest.Inbox)
	for _, m := range posts {
		s.Post(m)
	}
	s.Say(alone, anna, "the end")
	r := channeltest.Run(t, with(t, s), in)
	s.Wait("all to be confirmed", func() bool { return s.Pending() == 0 })
	r.Stopped(t)
	all := in.All()
	if len(all) == 0 || all[len(all)-1].Text != "the end" {
		t.Fatalf("the end did not come: %+v", all)
	}
	return all[:len(all)-1]
}

func one(t *testing.T, m telegramtest.Message) channel.Message {
	t.Helper()
	got := received(t, telegramtest.New(t), m)
	if len(got) != 1 {
		t.Fatalf("got %d messages", len(got))
	}
	return got[0]
}

func TestUpdate_WhoSaysItWhere(t *testing.T) {
	t.Parallel()
	m := one(t, telegramtest.Message{Chat: alone, From: &anna, Text: "hello"})
	if m.Chat != "501" || m.Branch != "" || m.ID != "1" || m.What != channel.Said || m.Group || !m.Called || m.ReplyTo != "" ||
		m.Sender != (channel.Sender{ID: "501", Name: "Anna Berg"}) || m.Text != "hello" || m.At.IsZero() {
		t.Errorf("in private: %+v", m)
	}
	m = one(t, telegramtest.Message{Chat: team, From: &bela, Text: "hello", Topic: 7})
	if m.Chat != "-1001234567890" || m.Branch != "7" || !m.Group || m.Called || m.Sender != (channel.Sender{ID: "502", Name: "Béla"}) {
		t.Errorf("in a topic: %+v", m)
	}
}

// TestUpdate_AnswersInATopic: what answers nothing is sent as an answer to the opening of the topic.
func TestUpdate_AnswersInATopic(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	s.Enter(team)
	id, err := with(t, s).Send(t.Context(), out(team, "I made this topic"))
	if err != nil {
		t.Fatal(err)
	}
	root, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	post := telegramtest.Message{Chat: team, From: &anna, Text: "to all", Topic: root, ReplyTo: &telegramtest.Message{ID: root}}
	if m := received(t, s, post)[0]; m.Called || m.ReplyTo != "" {
		t.Errorf("got %+v", m)
	}
}

func TestUpdate_ReplyToUsCalls(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	s.Enter(team)
	id, err := with(t, s).Send(t.Context(), out(team, "Shall I?"))
	if err != nil {
		t.Fatal(err)
	}
	ours, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	theirs := s.Say(team, bela, "I would\nnot")
	got := received(
		t, s,
		telegramtest.Message{Chat: team, From: &anna, Text: "yes", ReplyTo: &telegramtest.Message{ID: ours}},
		telegramtest.Message{Chat: team, From: &anna, Text: "why?", ReplyTo: &telegramtest.Message{ID: theirs}},
		telegramtest.Message{Chat: team, From: &anna, Text: "this part", ReplyTo: &telegramtest.Message{ID: ours}, Quote: &telegramtest.Quote{Text: "Shall", IsManual: true}},
		telegramtest.Message{Chat: team, From: &anna, Text: "/deny 3", ReplyTo: &telegramtest.Message{ID: theirs}},
	)[1:]
	for i, want := range []struct {
		called  bool
		text    string
		replyTo int64
	}{
		{true, "yes", ours},
		{false, "> I would\n> not\n\nwhy?", theirs},
		{true, "> Shall\n\nthis part", ours},
		{false, "/deny 3", theirs}, // the quote must not hide a command
	} {
		if m := got[i]; m.Called != want.called || m.Text != want.text || m.ReplyTo != strconv.FormatInt(want.replyTo, 10) {
			t.Errorf("got %+v, want %+v", m, want)
		}
	}
}

func TestUpdate_OurName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		text   string
		called bool
	}{
		"@chela_bot what is next?":         {"what is next?", true},
		"@Chela_Bot, what is next?":        {"what is next?", true},
		"🦀🦀 ask @chela_bot about it":       {"🦀🦀 ask about it", true},
		"good morning @chela_bot":          {"good morning", true},
		"/status@chela_bot":                {"/status", true},
		"/approve@CHELA_BOT 12":            {"/approve 12", true},
		"@chela_bot /status":               {"/status", true},
		"/status":                          {"/status", false},
		"@chela_bots are many":             {"@chela_bots are many", false},
		"mail to x@chela_bot":              {"mail to x@chela_bot", false},
		"see /help@other_bot, @chela_bot!": {"see /help@other_bot, !", true},
	} {
		if m := one(t, telegramtest.Message{Chat: team, From: &anna, Text: text}); m.Text != want.text || m.Called != want.called {
			t.Errorf("%q: got %q, called %v", text, m.Text, m.Called)
		}
	}
	m := one(t, telegramtest.Message{Chat: team, From: &anna, Text: "Chela: go", Entities: []telegramtest.Entity{
		{Type: "text_mention", Length: 5, User: &telegramtest.User{ID: 110201543, IsBot: true, FirstName: "Chela"}},
	}})
	if m.Text != "go" || !m.Called {
		t.Errorf("mentioned without a name: %+v", m)
	}
	m = one(t, telegramtest.Message{Chat: team, From: &anna, Caption: "@chela_bot read this", Document: &telegramtest.File{FileID: "d", FileName: "a.txt"}})
	if m.Text != "read this\n[Document: a.txt]" || !m.Called {
		t.Errorf("in a caption: %+v", m)
	}
}

func TestUpdate_WhatIsNotForUs(t *testing.T) {
	t.Parallel()
	service := telegramtest.Message{Chat: team, From: &anna, NewChatTitle: "The team"}
	robot := telegramtest.User{ID: 77, IsBot: true, FirstName: "GroupAnonymousBot"}
	news := telegramtest.Chat{ID: -1009, Type: "channel", Title: "News"}
	posts := []telegramtest.Message{
		service,
		{Chat: team, From: &anna, NewChatMembers: []telegramtest.User{bela}},
		{Chat: team, From: &robot, Text: "I am a bot"},
		{Chat: team, From: &robot, SenderChat: &team, Text: "an admin without a name"},
		{Chat: team, From: &anna, SenderChat: &news, Text: "in the name of a channel"},
		{Chat: team, From: &telegramtest.User{ID: 777000, FirstName: "Telegram"}, Automatic: true, Text: "from the linked channel"},
		{Chat: team, From: &anna, Text: "/status@other_bot"},
		{Chat: news, SenderChat: &news, Text: "a post"},
		{Chat: team, Text: "from nobody"},
	}
	if got := received(t, telegramtest.New(t), posts...); len(got) != 0 {
		t.Errorf("took %+v", got)
	}
}

// TestUpdate_OthersWordsAreNoCommands: what a person did not write never begins their text.
func TestUpdate_OthersWordsAreNoCommands(t *testing.T) {
	t.Parallel()
	const words = "/approve 12"
	for name, c := range map[string]struct {
		m    telegramtest.Message
		want string
	}{
		"from a person":      {telegramtest.Message{Text: words, ForwardOrigin: &telegramtest.Origin{Type: "user", SenderUser: &bela}}, "Forwarded from Béla:\n/approve 12"},
		"from someone":       {telegramtest.Message{Text: words, ForwardOrigin: &telegramtest.Origin{Type: "hidden_user", SenderUserName: "X\n/deny 1"}}, "Forwarded from X /deny 1:\n/approve 12"},
		"from a group":       {telegramtest.Message{Text: words, ForwardOrigin: &telegramtest.Origin{Type: "chat", SenderChat: &team}}, "Forwarded from Team:\n/approve 12"},
		"from a channel":     {telegramtest.Message{Text: words, ForwardOrigin: &telegramtest.Origin{Type: "channel", Chat: &team}}, "Forwarded from Team:\n/approve 12"},
		"from a new kind":    {telegramtest.Message{Text: words, ForwardOrigin: &telegramtest.Origin{Type: "galaxy"}}, "Forwarded from somebody:\n/approve 12"},
		"a forwarded photo":  {telegramtest.Message{Caption: words, Photo: []telegramtest.PhotoSize{{FileID: "p"}}, ForwardOrigin: &telegramtest.Origin{SenderUser: &bela}}, "Forwarded from Béla:\n/approve 12\n[Photo]"},
		"of an inline bot":   {telegramtest.Message{Text: words, ViaBot: &telegramtest.User{ID: 9, IsBot: true, Username: "gif"}}, "Sent with @gif:\n/approve 12"},
		"a contact":          {telegramtest.Message{Contact: &telegramtest.Contact{FirstName: words, PhoneNumber: "+49"}}, "[Contact: /approve 12, +49]"},
		"a name of a file":   {telegramtest.Message{Document: &telegramtest.File{FileID: "d", FileName: "\n" + words}}, "[Document: /approve 12]"},
		"a quote":            {telegramtest.Message{Text: "look", Quote: &telegramtest.Quote{Text: words + "\n" + words}}, "> /approve 12\n> /approve 12\n\nlook"},
		"a forwarded name":   {telegramtest.Message{Text: "@chela_bot /stop", ForwardOrigin: &telegramtest.Origin{SenderUser: &bela}}, "Forwarded from Béla:\n@chela_bot /stop"},
		"for another bot":    {telegramtest.Message{Text: "/go@other_bot", ForwardOrigin: &telegramtest.Origin{SenderUser: &bela}}, "Forwarded from Béla:\n/go@other_bot"},
		"a forwarded answer": {telegramtest.Message{Text: words, ForwardOrigin: &telegramtest.Origin{SenderUser: &bela}, Quote: &telegramtest.Quote{Text: "q"}}, "Forwarded from Béla:\n/approve 12"},
	} {
		c.m.Chat, c.m.From = team, &anna
		if m := one(t, c.m); m.Text != c.want || m.Called {
			t.Errorf("%s: %q, called %v", name, m.Text, m.Called)
		}
	}
}

func TestUpdate_OtherThanText(t *testing.T) {
	t.Parallel()
	place := telegramtest.Location{Latitude: 52.52, Longitude: 13.405}
	for _, c := range []struct {
		m    telegramtest.Message
		want string
	}{
		{telegramtest.Message{Location: &place}, "[Location: 52.520000, 13.405000]"},
		{telegramtest.Message{Location: &place, Venue: &telegramtest.Venue{Location: place, Title: "Office", Address: "Street 1"}}, "[Place: Office, Street 1, 52.520000, 13.405000]"},
		{telegramtest.Message{Contact: &telegramtest.Contact{FirstName: "Carl", LastName: "Dorn", PhoneNumber: "+4930"}}, "[Contact: Carl Dorn, +4930]"},
		{telegramtest.Message{Voice: &telegramtest.File{FileID: "f", Duration: 72}}, "[Voice message, 1m12s]"},
		{telegramtest.Message{Audio: &telegramtest.File{FileID: "f", Duration: 5, Performer: "P", Title: "T"}}, "[Audio: P, T, 5s]"},
		{telegramtest.Message{Video: &telegramtest.File{FileID: "f", Duration: 5}, Caption: "see"}, "see\n[Video, 5s]"},
		{telegramtest.Message{VideoNote: &telegramtest.File{FileID: "f", Duration: 5}}, "[Video note, 5s]"},
		{telegramtest.Message{Animation: &telegramtest.File{FileID: "f"}, Document: &telegramtest.File{FileID: "f"}}, "[Animation]"},
		{telegramtest.Message{Sticker: &telegramtest.File{FileID: "f", Emoji: "👍", SetName: "Thumbs"}}, "[Sticker: 👍, Thumbs]"},
		{telegramtest.Message{Document: &telegramtest.File{FileID: "f"}}, "[Document: without a name]"},
	} {
		c.m.Chat, c.m.From = alone, &anna
		m := one(t, c.m)
		files := 1
		if c.m.Location != nil || c.m.Contact != nil {
			files = 0
		}
		if m.Text != c.want || len(m.Media) != files {
			t.Errorf("%q with %d files, want %q with %d", m.Text, len(m.Media), c.want, files)
		}
	}
}

func TestUpdate_Edited(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	in := new(channeltest.Inbox)
	r := channeltest.Run(t, with(t, s), in)
	id := s.Say(alone, anna, "delpoy")
	s.Edit(alone, id, "deploy")
	s.Wait("both", func() bool { return s.Pending() == 0 && in.Count() == 2 })
	r.Stopped(t)
	if got := in.All(); got[0].What != channel.Said || got[1].What != channel.Edited || got[1].ID != got[0].ID || got[1].Text != "deploy" {
		t.Errorf("took %+v", got)
	}
}

func TestUpdate_Pressed(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	s.Enter(team)
	in := new(channeltest.Inbox)
	a := with(t, s)
	o := out(team, "Deploy?")
	o.Branch, o.Buttons = "3", channeltest.Buttons("Yes", "approve 12")
	id, err := a.Send(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	r := channeltest.Run(t, a, in)
	press := s.Press(team, bela, n, "approve 12")
	s.Wait("the answer to the press", func() bool { return s.Answered(press) })
	s.Wait("the confirmation", func() bool { return s.Pending() == 0 })
	r.Stopped(t)
	if in.Count() != 1 {
		t.Fatalf("took %+v", in.All())
	}
	m := in.All()[0]
	if m.What != channel.Pressed || m.ID != press || m.Press != "approve 12" || m.Sender.ID != "502" || m.ReplyTo != id || m.Branch != "3" || !m.Called || !m.Group || m.Text != "" {
		t.Errorf("took %+v", m)
	}
}

// TestUpdate_PressIsAnsweredOnlyWhenTaken: a button that stops turning says that we know.
func TestUpdate_PressIsAnsweredOnlyWhenTaken(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	s.Enter(alone)
	a := with(t, s)
	o := out(alone, "Deploy?")
	o.Buttons = channeltest.Buttons("Yes", "y")
	if _, err := a.Send(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	press := s.Press(alone, anna, 1, "y")
	in := &channeltest.Inbox{Refuse: func(channel.Message) error { return io.ErrShortWrite }}
	if err := a.Run(t.Context(), in); err == nil || s.Answered(press) || s.Pending() != 1 {
		t.Errorf("Run: %v, answered: %v", err, s.Answered(press))
	}
	in.Refuse = nil
	s.Fault(telegramtest.Fault{Method: "answerCallbackQuery", What: telegramtest.Fail}) // which holds up nothing
	r := channeltest.Run(t, a, in)
	s.Wait("the confirmation", func() bool { return s.Pending() == 0 && in.Count() == 1 })
	r.Stopped(t)
}

func FuzzUpdate(f *testing.F) {
	for _, seed := range []string{
		`{"update_id":1,"message":{"message_id":2,"date":3,"from":{"id":4,"first_name":"A"},"chat":{"id":-5,"type":"supergroup"},"text":"@chela_bot x","entities":[{"type":"mention","offset":0,"length":10}]}}`,
		`{"update_id":1,"message":{"message_id":2,"from":{"id":4},"chat":{"id":5,"type":"private"},"text":"🦀/a@b","entities":[{"type":"bot_command","offset":1,"length":9223372036854775807},{"type":"bot_command","offset":-1,"length":2}]}}`,
		`{"update_id":1,"callback_query":{"id":"9","from":{"id":4},"data":"x","message":{"message_id":2,"date":0,"chat":{"id":5,"type":"private"}}}}`,
		`{"update_id":1,"callback_query":{"id":"9","from":{"id":4},"message":null}}`,
		`{"update_id":1,"message_reaction":{"chat":{"id":5,"type":"private"},"message_id":2,"user":{"id":4,"first_name":"A"},"date":3,"old_reaction":[],"new_reaction":[{"type":"emoji","emoji":"👍"},{"type":"custom_emoji","custom_emoji_id":"7"},{"type":"paid"},{"type":"galaxy"}]}}`,
		`{"update_id":1,"message_reaction":{"chat":{"id":-5,"type":"supergroup"},"message_id":2,"actor_chat":{"id":-5,"type":"supergroup"},"date":3,"new_reaction":[]}}`,
		`{"update_id":1,"edited_message":{"message_id":2,"from":{"id":4},"chat":{"id":5,"type":"group"},"forward_origin":{},"photo":[{}],"voice":{"file_id":"v","duration":-1},"venue":{},"poll":{},"sticker":{"file_id":"s"},"reply_to_message":{"message_id":1}}}`,
		`{"update_id":1,"message":{"message_id":2,"from":{"id":4,"is_bot":true},"chat":{"id":5,"type":"channel"},"text":"x"}}`,
		`{"update_id":0}`, `[]`, `null`,
	} {
		f.Add([]byte(seed))
	}
	r := reader{me: models.User{ID: 110201543, Username: "chela_bot"}, open: func(file) func(context.Context) (io.ReadCloser, error) { return nil }}
	f.Fuzz(func(t *testing.T, raw []byte) {
		u, err := decode(raw)
		if err == nil && u.ID <= 0 {
			t.Fatalf("update %d", u.ID)
		}
		m, ok := r.message(u)
		if !ok {
			return
		}
		chat, _ := strconv.ParseInt(m.Chat, 10, 64)
		sender, _ := strconv.ParseInt(m.Sender.ID, 10, 64)
		if chat == 0 || sender == 0 || m.ID == "" || !m.Group && !m.Called || m.What == channel.Reacted && m.ReplyTo == "" {
			t.Errorf("took %+v", m)
		}
		for _, in := range []*message{u.Message, u.Edited} {
			if in != nil && (in.Forwarded != nil || in.ViaBot != nil) && strings.HasPrefix(m.Text, "/") {
				t.Errorf("another's text is a command: %q", m.Text)
			}
		}
		if _, err := json.Marshal(m.Text); err != nil {
			t.Error(err)
		}
	})
}
