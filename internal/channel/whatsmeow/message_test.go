//go:build whatsmeow

package whatsmeow

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.mau.fi/whatsmeow/proto/waCommon"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
	"google.golang.org/protobuf/proto"

	"chela/internal/channel"
)

var (
	anna  = types.NewJID("4915550000002", types.DefaultUserServer)
	ann   = types.NewJID("100000000000002", types.HiddenUserServer)
	us    = types.NewADJID("4915550000001", 0, 7)
	usLID = types.NewJID("100000000000001", types.HiddenUserServer)
	crew  = types.NewJID("120363000000000001", types.GroupServer)
)

func reading() reader {
	return reader{me: us, lid: usLID, open: func(f attachment) channel.Media {
		return channel.Media{Name: f.name, Type: f.kind, Size: int64(f.size)}
	}}
}

// from is a message of Anna's to us alone.
func from(m *waE2E.Message) *events.Message {
	e := &events.Message{RawMessage: m, Info: types.MessageInfo{
		MessageSource: types.MessageSource{Chat: anna, Sender: types.NewADJID(anna.User, 0, 3), SenderAlt: ann}, ID: "M1", PushName: "Anna", Timestamp: time.Unix(1_700_000_000, 0),
	}}
	return e.UnwrapRaw()
}

// inGroup is a message of Anna's to a group.
func inGroup(m *waE2E.Message) *events.Message {
	e := from(m)
	e.Info.MessageSource = types.MessageSource{Chat: crew, Sender: ann, SenderAlt: anna, IsGroup: true}
	return e
}

func extended(s string, c *waE2E.ContextInfo) *waE2E.Message {
	return &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: &s, ContextInfo: c}}
}

func protocol(kind waE2E.ProtocolMessage_Type, id string, m *waE2E.Message) *waE2E.Message {
	return &waE2E.Message{ProtocolMessage: &waE2E.ProtocolMessage{Type: kind.Enum(), Key: &waCommon.MessageKey{ID: &id}, EditedMessage: m}}
}

func TestMessage_WhatMessagesSay(t *testing.T) { //nolint:paralleltest // the server's key is a variable of the library
	p := proto.String
	mp3 := channel.Media{Name: "audio.mp3", Type: "audio/mpeg"}
	for name, c := range map[string]struct {
		message *waE2E.Message
		want    channel.Message // with what every message has left out
	}{
		"text":          {wrote(" hi "), channel.Message{Text: "hi"}},
		"answer":        {extended("yes", &waE2E.ContextInfo{StanzaID: p("M0"), Participant: p(us.String())}), channel.Message{Text: "yes", ReplyTo: "M0"}},
		"named":         {extended("hey @4915550000001 you, @49155500000019 and @100000000000001", &waE2E.ContextInfo{MentionedJID: []string{us.ToNonAD().String(), usLID.String(), "?"}}), channel.Message{Text: "hey you, @49155500000019 and"}},
		"forwarded":     {extended("/new", &waE2E.ContextInfo{IsForwarded: proto.Bool(true)}), channel.Message{Text: "Forwarded:\n/new"}},
		"chain letter":  {extended("luck", &waE2E.ContextInfo{IsForwarded: proto.Bool(true), ForwardingScore: proto.Uint32(9)}), channel.Message{Text: "Forwarded many times:\nluck"}},
		"edit":          {protocol(waE2E.ProtocolMessage_MESSAGE_EDIT, "M0", wrote("better")), channel.Message{What: channel.Edited, ID: "M0", Text: "better"}},
		"wrapped edit":  {&waE2E.Message{EditedMessage: &waE2E.FutureProofMessage{Message: protocol(waE2E.ProtocolMessage_MESSAGE_EDIT, "M0", wrote("better"))}}, channel.Message{What: channel.Edited, ID: "M0", Text: "better"}},
		"deleted":       {protocol(waE2E.ProtocolMessage_REVOKE, "M0", nil), channel.Message{What: channel.Deleted, ID: "M0"}},
		"reaction":      {&waE2E.Message{ReactionMessage: &waE2E.ReactionMessage{Key: &waCommon.MessageKey{ID: p("M0")}, Text: p("👍")}}, channel.Message{What: channel.Reacted, ReplyTo: "M0", Text: "👍"}},
		"none any more": {&waE2E.Message{ReactionMessage: &waE2E.ReactionMessage{Key: &waCommon.MessageKey{ID: p("M0")}, Text: p("")}}, channel.Message{What: channel.Reacted, ReplyTo: "M0"}},
		"photo":         {&waE2E.Message{ImageMessage: &waE2E.ImageMessage{Caption: p("look"), Mimetype: p("image/jpeg"), FileLength: proto.Uint64(9)}}, channel.Message{Text: "look\n[Photo]", Media: []channel.Media{{Name: "photo.jpeg", Type: "image/jpeg", Size: 9}}}},
		"once":          {&waE2E.Message{ViewOnceMessageV2: &waE2E.FutureProofMessage{Message: &waE2E.Message{ImageMessage: &waE2E.ImageMessage{}}}}, channel.Message{Text: "[Photo]", Media: []channel.Media{{Name: "photo"}}}},
		"voice":         {&waE2E.Message{AudioMessage: &waE2E.AudioMessage{PTT: proto.Bool(true), Mimetype: p("audio/ogg; codecs=opus")}}, channel.Message{Text: "[Voice message]", Media: []channel.Media{{Name: "voice.ogg", Type: "audio/ogg"}}}},
		"audio":         {&waE2E.Message{AudioMessage: &waE2E.AudioMessage{Mimetype: p("audio/mpeg")}}, channel.Message{Text: "[Audio]", Media: []channel.Media{mp3}}},
		"film":          {&waE2E.Message{VideoMessage: &waE2E.VideoMessage{Mimetype: p("video/mp4")}}, channel.Message{Text: "[Video]", Media: []channel.Media{{Name: "video.mp4", Type: "video/mp4"}}}},
		"round film":    {&waE2E.Message{PtvMessage: &waE2E.VideoMessage{}}, channel.Message{Text: "[Video]", Media: []channel.Media{{Name: "video"}}}},
		"document":      {&waE2E.Message{DocumentWithCaptionMessage: &waE2E.FutureProofMessage{Message: &waE2E.Message{DocumentMessage: &waE2E.DocumentMessage{FileName: p("../a [1].pdf"), Caption: p("read"), Mimetype: p("application/pdf")}}}}, channel.Message{Text: "read\n[Document: ../a (1).pdf]", Media: []channel.Media{{Name: "a (1).pdf", Type: "application/pdf"}}}},
		"sticker":       {&waE2E.Message{StickerMessage: &waE2E.StickerMessage{Mimetype: p("image/webp")}}, channel.Message{Text: "[Sticker]", Media: []channel.Media{{Name: "sticker.webp", Type: "image/webp"}}}},
		"location":      {&waE2E.Message{LocationMessage: &waE2E.LocationMessage{DegreesLatitude: proto.Float64(52.5), DegreesLongitude: proto.Float64(13.4)}}, channel.Message{Text: "[Location: 52.500000, 13.400000]"}},
		"place":         {&waE2E.Message{LocationMessage: &waE2E.LocationMessage{Name: p("Office"), Address: p("Street 1")}}, channel.Message{Text: "[Place: Office, Street 1, 0.000000, 0.000000]"}},
		"on the move":   {&waE2E.Message{LiveLocationMessage: &waE2E.LiveLocationMessage{Caption: p("here")}}, channel.Message{Text: "here\n[Location that moves: 0.000000, 0.000000]"}},
		"contact":       {&waE2E.Message{ContactMessage: &waE2E.ContactMessage{DisplayName: p("Ben"), Vcard: p("BEGIN:VCARD\nitem1.TEL;waid=4915:+49 15\nEMAIL:b@example.com\nEND:VCARD")}}, channel.Message{Text: "[Contact: Ben, +49 15, b@example.com]"}},
		"contacts":      {&waE2E.Message{ContactsArrayMessage: &waE2E.ContactsArrayMessage{Contacts: slices.Repeat([]*waE2E.ContactMessage{{}}, 22)}}, channel.Message{Text: strings.Repeat("[Contact: without a name]\n", 20) + "[2 more contacts were left out]"}},
		"poll":          {&waE2E.Message{PollCreationMessageV3: &waE2E.PollCreationMessage{Name: p("When?"), Options: []*waE2E.PollCreationMessage_Option{{OptionName: p("Now")}}}}, channel.Message{Text: "[Poll: When?]\n[Choice: Now]"}},
		"event":         {&waE2E.Message{EventMessage: &waE2E.EventMessage{Name: p("Party")}}, channel.Message{Text: "[Event: Party]"}},
		"invitation":    {&waE2E.Message{GroupInviteMessage: &waE2E.GroupInviteMessage{GroupName: p("Crew"), Caption: p("come")}}, channel.Message{Text: "come\n[Invitation to the group Crew]"}},
		"chosen":        {&waE2E.Message{ListResponseMessage: &waE2E.ListResponseMessage{Title: p("Tea")}}, channel.Message{Text: "[Chose: Tea]"}},
		"unknown":       {&waE2E.Message{OrderMessage: &waE2E.OrderMessage{}}, channel.Message{Text: "[A message of the kind orderMessage, which cannot be shown here]"}},
	} {
		t.Run(name, func(t *testing.T) {
			want := c.want
			want.Chat, want.Sender, want.Called, want.At = "100000000000002@lid", channel.Sender{ID: "100000000000002@lid", Name: "Anna"}, true, time.Unix(1_700_000_000, 0).UTC()
			if want.What == "" {
				want.What = channel.Said
			}
			if want.ID == "" {
				want.ID = "M1"
			}
			got, ok := reading().message(from(c.message))
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(channel.Media{}, "Open")); !ok || diff != "" {
				t.Errorf("ok is %v, and (-want +got)\n%s", ok, diff)
			}
		})
	}
}

func TestMessage_WhatIsNoMessage(t *testing.T) { //nolint:paralleltest // the server's key is a variable of the library
	own := from(wrote("x"))
	own.Info.IsFromMe = true
	elsewhere := func(chat types.JID) *events.Message {
		e := from(wrote("x"))
		e.Info.Chat = chat
		return e
	}
	ours := inGroup(wrote("x"))
	ours.Info.Sender, ours.Info.SenderAlt = usLID, types.EmptyJID
	for name, e := range map[string]*events.Message{
		"our own": own, "ours in a group": ours, "status": elsewhere(types.StatusBroadcastJID), "newsletter": elsewhere(types.NewJID("1", types.NewsletterServer)), "bot": elsewhere(types.MetaAIJID),
		"nothing": from(&waE2E.Message{}), "no message": from(nil), "keys": from(&waE2E.Message{SenderKeyDistributionMessage: &waE2E.SenderKeyDistributionMessage{}}), "empty": from(wrote("  ")),
		"settings": from(protocol(waE2E.ProtocolMessage_EPHEMERAL_SETTING, "M0", nil)), "an edit of nothing": from(protocol(waE2E.ProtocolMessage_MESSAGE_EDIT, "", wrote("x"))), "a vote": from(&waE2E.Message{PollUpdateMessage: &waE2E.PollUpdateMessage{}}),
	} {
		if m, ok := reading().message(e); ok {
			t.Errorf("%s is taken as %+v", name, m)
		}
	}
}

func TestMessage_WhoSaysItAndWhere(t *testing.T) { //nolint:paralleltest // the server's key is a variable of the library
	list := from(wrote("x"))
	list.Info.Chat = types.NewJID("5", types.BroadcastServer)
	list.Info.IsGroup = true
	unknown := from(wrote("x"))
	unknown.Info.SenderAlt = types.EmptyJID
	toUs := inGroup(extended("x", &waE2E.ContextInfo{StanzaID: proto.String("M0"), Participant: proto.String(usLID.String())}))
	other := inGroup(extended("x", &waE2E.ContextInfo{StanzaID: proto.String("M0"), Participant: proto.String(ann.String())}))
	for name, c := range map[string]struct {
		e             *events.Message
		chat, sender  string
		group, called bool
	}{
		"alone":           {from(wrote("x")), "100000000000002@lid", "100000000000002@lid", false, true},
		"a list":          {list, "100000000000002@lid", "100000000000002@lid", false, true},
		"only by number":  {unknown, anna.User, anna.User, false, true},
		"a group":         {inGroup(wrote("x")), crew.String(), "100000000000002@lid", true, false},
		"answers us":      {toUs, crew.String(), "100000000000002@lid", true, true},
		"answers another": {other, crew.String(), "100000000000002@lid", true, false},
		"a group by number": {func() *events.Message {
			e := inGroup(wrote("x"))
			e.Info.Sender, e.Info.SenderAlt = anna, ann
			return e
		}(), crew.String(), "100000000000002@lid", true, false},
	} {
		m, ok := reading().message(c.e)
		if !ok || m.Chat != c.chat || m.Sender.ID != c.sender || m.Group != c.group || m.Called != c.called {
			t.Errorf("%s: %+v", name, m)
		}
		if j, ok := jidOf(m.Chat); !ok || idOf(j) != m.Chat {
			t.Errorf("%s: nothing can be sent to %s", name, m.Chat)
		}
	}
	for _, id := range []string{"", "x", "1@broadcast", "1:2@s.whatsapp.net", "@g.us", "a b@lid", "1@x"} {
		if j, ok := jidOf(id); ok && id != "a b@lid" {
			t.Errorf("%q is %+v", id, j)
		}
	}
}

// FuzzMessage: whatever a sender encrypts for us, it is taken as text that can be kept, or not at all.
func FuzzMessage(f *testing.F) {
	for _, m := range []*waE2E.Message{
		wrote("hi"), extended("@4915550000001 x", &waE2E.ContextInfo{MentionedJID: []string{us.String()}, StanzaID: proto.String("M0"), Participant: proto.String("1@g.us")}),
		protocol(waE2E.ProtocolMessage_MESSAGE_EDIT, "M0", extended("x", nil)),
		{DocumentMessage: &waE2E.DocumentMessage{FileName: proto.String("a/b"), Mimetype: proto.String("a/b/c")}},
		{ContactMessage: &waE2E.ContactMessage{Vcard: proto.String("TEL:1")}},
		{EphemeralMessage: &waE2E.FutureProofMessage{Message: wrote("x")}},
	} {
		raw, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw, false)
		f.Add(raw, true)
	}
	f.Fuzz(func(t *testing.T, raw []byte, group bool) {
		m := new(waE2E.Message)
		if proto.Unmarshal(raw, m) != nil {
			return
		}
		e := from(m)
		if group {
			e = inGroup(m)
		}
		out, ok := reading().message(e)
		if !ok {
			return
		}
		if out.ID == "" || out.Chat == "" || out.Sender.ID == "" || out.Press != "" {
			t.Errorf("it is taken as %+v", out)
		}
		if out.What == channel.Said && out.Text == "" && len(out.Media) == 0 || out.What == channel.Reacted && out.ReplyTo == "" {
			t.Errorf("nothing is said by %+v", out)
		}
		if !utf8.ValidString(out.Text) {
			t.Errorf("%q is no text", out.Text)
		}
		for _, f := range out.Media {
			if f.Name == "" || f.Size < 0 || strings.ContainsAny(f.Name, "/\\\n") || utf8.RuneCountInString(f.Name) > maxLine {
				t.Errorf("a file is called %q, of %d bytes", f.Name, f.Size)
			}
		}
	})
}
