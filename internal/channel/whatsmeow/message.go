//go:build whatsmeow

package whatsmeow

import (
	"strings"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"

	"chela/internal/channel"
)

// idOf is what somebody or a chat is known by: the digits of a number, or an address such as 123@lid or 123@g.us.
func idOf(j types.JID) string {
	if j.Server == types.DefaultUserServer {
		return j.User
	}
	return j.ToNonAD().String()
}

// jidOf is the address of an id, if it is one.
func jidOf(id string) (types.JID, bool) {
	if id != "" && strings.Trim(id, "0123456789") == "" {
		return types.NewJID(id, types.DefaultUserServer), true
	}
	j, err := types.ParseJID(id)
	if err != nil || j.User == "" || j.ToNonAD().String() != id {
		return types.JID{}, false
	}
	switch j.Server {
	case types.DefaultUserServer, types.HiddenUserServer, types.GroupServer:
		return j, true
	}
	return types.JID{}, false
}

// A reader makes messages of what came.
type reader struct {
	me, lid types.JID                      // ours, by number and hidden
	open    func(attachment) channel.Media // of a file
}

// person is the address that somebody keeps: the hidden one, which stays when they change their number and which
// nobody gets after them. Where WhatsApp has not said it yet it is the number.
func person(j, other types.JID) types.JID {
	j, other = plain(j), plain(other)
	switch {
	case j.Server == types.HiddenUserServer:
		return j
	case other.Server == types.HiddenUserServer:
		return other
	}
	return j
}

// plain is an address without the device.
func plain(j types.JID) types.JID {
	j = j.ToNonAD()
	if j.User == "" {
		return types.JID{}
	}
	switch j.Server {
	case types.LegacyUserServer, types.HostedServer:
		j.Server = types.DefaultUserServer
	case types.HostedLIDServer:
		j.Server = types.HiddenUserServer
	}
	return j
}

func (r reader) mine(j types.JID) bool {
	j = plain(j)
	return j.User != "" && (j == plain(r.me) || j == plain(r.lid))
}

// chat is where something is: the group, or the person. ok is false for what is no conversation.
func chatOf(s types.MessageSource) (chat types.JID, ok bool) {
	if s.Chat.IsBot() {
		return chat, false
	}
	switch s.Chat.Server {
	case types.GroupServer:
		return s.Chat, s.Chat.User != ""
	case types.BroadcastServer:
		chat, ok = person(s.Sender, s.SenderAlt), s.IsIncomingBroadcast()
	case types.NewsletterServer, types.MessengerServer:
		return chat, false
	default:
		other := s.SenderAlt
		if s.IsFromMe {
			other = s.RecipientAlt
		}
		chat = person(s.Chat, other)
		ok = true
	}
	return chat, ok && (chat.Server == types.DefaultUserServer || chat.Server == types.HiddenUserServer)
}

// message returns what a message says. It returns false for what is nothing that a person tells us.
func (r reader) message(e *events.Message) (channel.Message, bool) {
	chat, ok := chatOf(e.Info.MessageSource)
	m := within(e.Message)
	sender := person(e.Info.Sender, e.Info.SenderAlt)
	if !ok || m == nil || e.Info.IsFromMe || r.mine(sender) || sender.User == "" || sender.IsBot() || e.Info.ID == "" {
		return channel.Message{}, false
	}
	out := channel.Message{
		Address: channel.Address{Chat: idOf(chat)}, ID: e.Info.ID, What: channel.Said, At: e.Info.Timestamp.UTC(),
		Sender: channel.Sender{ID: idOf(sender), Name: e.Info.PushName}, Group: chat.Server == types.GroupServer,
	}
	if out.Sender.Name == "" {
		out.Sender.Name = out.Sender.ID
	}
	out.Called = !out.Group
	if p := m.GetProtocolMessage(); p != nil {
		out.ID = p.GetKey().GetID()
		switch p.GetType() {
		case waE2E.ProtocolMessage_REVOKE:
			out.What = channel.Deleted
			return out, out.ID != ""
		case waE2E.ProtocolMessage_MESSAGE_EDIT:
			out.What = channel.Edited
			m = within(p.GetEditedMessage())
		default:
			return out, false
		}
		if m == nil || out.ID == "" {
			return out, false
		}
	}
	if x := m.GetReactionMessage(); x != nil {
		out.What, out.ReplyTo, out.Text = channel.Reacted, x.GetKey().GetID(), valid(x.GetText())
		return out, out.ReplyTo != ""
	}
	r.say(&out, m)
	return out, out.Text != "" || len(out.Media) > 0
}

// say puts into a message what was said, to whom.
func (r reader) say(out *channel.Message, m *waE2E.Message) {
	c := contextOf(m)
	out.ReplyTo = c.GetStanzaID()
	text, named := r.called(spoken(m), c.GetMentionedJID())
	if answered, err := types.ParseJID(c.GetParticipant()); err == nil && out.ReplyTo != "" && r.mine(answered) {
		named = true
	}
	out.Called = !out.Group || named
	out.Text = valid(said(m, c, text))
	for _, f := range attachments(m) {
		out.Media = append(out.Media, r.open(f))
	}
}

// valid is a text without bytes that are none, which the protocol lets through.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// wraps is how many wrappers around a message are taken off.
const wraps = 4

// within is a message without what is around it and says nothing.
func within(m *waE2E.Message) *waE2E.Message {
	for range wraps {
		var inner *waE2E.Message
		for _, w := range []*waE2E.FutureProofMessage{
			m.GetEphemeralMessage(), m.GetViewOnceMessage(), m.GetViewOnceMessageV2(), m.GetViewOnceMessageV2Extension(), m.GetDocumentWithCaptionMessage(),
			m.GetEditedMessage(), m.GetGroupMentionedMessage(), m.GetAssociatedChildMessage(), m.GetLottieStickerMessage(), m.GetBotForwardedMessage(), m.GetQuestionMessage(),
		} {
			if inner = w.GetMessage(); inner != nil {
				break
			}
		}
		if inner == nil {
			break
		}
		m = inner
	}
	return m
}

// contextOf is what a message says about others: what it answers and whom it names.
func contextOf(m *waE2E.Message) *waE2E.ContextInfo {
	for _, part := range []interface{ GetContextInfo() *waE2E.ContextInfo }{
		m.GetExtendedTextMessage(), m.GetImageMessage(), m.GetVideoMessage(), m.GetPtvMessage(), m.GetAudioMessage(), m.GetDocumentMessage(), m.GetStickerMessage(),
		m.GetLocationMessage(), m.GetLiveLocationMessage(), m.GetContactMessage(), m.GetContactsArrayMessage(), m.GetPollCreationMessage(), m.GetPollCreationMessageV2(),
		m.GetPollCreationMessageV3(), m.GetPollCreationMessageV5(), m.GetEventMessage(), m.GetGroupInviteMessage(), m.GetButtonsResponseMessage(), m.GetListResponseMessage(), m.GetTemplateButtonReplyMessage(),
	} {
		if c := part.GetContextInfo(); c != nil {
			return c
		}
	}
	return nil
}

// called returns a text without our names after an @, and whether we are among those whom the message names.
func (r reader) called(text string, names []string) (string, bool) {
	named := false
	for _, n := range names {
		j, err := types.ParseJID(n)
		if err != nil || !r.mine(j) {
			continue
		}
		named = true
		text = without(text, "@"+plain(j).User)
	}
	return text, named
}

// without is a text without a name and the space after it; a longer number that begins so stays.
func without(text, name string) string {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return text
		}
		i += from
		end := i + len(name)
		if end < len(text) && text[end] >= '0' && text[end] <= '9' {
			from = end
			continue
		}
		if end < len(text) && text[end] == ' ' {
			end++
		}
		text, from = text[:i]+text[end:], i
	}
}
