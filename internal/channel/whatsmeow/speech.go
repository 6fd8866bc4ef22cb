//go:build whatsmeow

package whatsmeow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"google.golang.org/protobuf/reflect/protoreflect"

	"chela/internal/channel"
)

// Bounds of what is put into words.
const (
	maxLine = 300 // characters of what others chose
	maxList = 20  // cards or choices
	often   = 5   // as often must something be forwarded that the app says so
)

// spoken is what the sender wrote.
func spoken(m *waE2E.Message) string {
	return cmp.Or(
		m.GetConversation(), m.GetExtendedTextMessage().GetText(), m.GetImageMessage().GetCaption(), m.GetVideoMessage().GetCaption(), m.GetDocumentMessage().GetCaption(),
		m.GetLiveLocationMessage().GetCaption(), m.GetGroupInviteMessage().GetCaption(), m.GetButtonsMessage().GetContentText(), m.GetListMessage().GetDescription(),
		m.GetInteractiveMessage().GetBody().GetText(), m.GetTemplateMessage().GetHydratedTemplate().GetHydratedContentText(),
	)
}

// said is all that a message says. What the sender did not write themself is marked from the first character on, so
// that it is never taken for a command of theirs.
func said(m *waE2E.Message, c *waE2E.ContextInfo, words string) string {
	words = strings.TrimSpace(words)
	all := join("\n", words, lines(m, words != ""))
	switch {
	case all == "":
		return ""
	case c.GetForwardingScore() >= often:
		return "Forwarded many times:\n" + all
	case c.GetIsForwarded():
		return "Forwarded:\n" + all
	}
	return all
}

// join puts a separator between what is not empty.
func join(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), separator)
}

// lines says in words what is in a message besides its text. Each is in brackets, so that a name somebody chose is
// never the beginning of a text.
func lines(m *waE2E.Message, worded bool) string {
	var out []string
	add := func(format string, args ...any) { out = append(out, "["+fmt.Sprintf(format, args...)+"]") }
	if m.GetImageMessage() != nil {
		add("Photo")
	}
	if a := m.GetAudioMessage(); a.GetPTT() {
		add("Voice message")
	} else if a != nil {
		add("Audio")
	}
	if m.GetVideoMessage() != nil || m.GetPtvMessage() != nil {
		add("Video")
	}
	if d := m.GetDocumentMessage(); d != nil {
		add("Document: %s", titled(cmp.Or(d.GetFileName(), d.GetTitle())))
	}
	if m.GetStickerMessage() != nil {
		add("Sticker")
	}
	if l := m.GetLocationMessage(); l.GetName()+l.GetAddress() != "" {
		add("Place: %s, %.6f, %.6f", titled(l.GetName(), l.GetAddress()), l.GetDegreesLatitude(), l.GetDegreesLongitude())
	} else if l != nil {
		add("Location: %.6f, %.6f", l.GetDegreesLatitude(), l.GetDegreesLongitude())
	}
	if l := m.GetLiveLocationMessage(); l != nil {
		add("Location that moves: %.6f, %.6f", l.GetDegreesLatitude(), l.GetDegreesLongitude())
	}
	cards := m.GetContactsArrayMessage().GetContacts()
	if c := m.GetContactMessage(); c != nil {
		cards = append([]*waE2E.ContactMessage{c}, cards...)
	}
	for _, c := range cards[:min(len(cards), maxList)] {
		add("Contact: %s", titled(append([]string{c.GetDisplayName()}, numbers(c.GetVcard())...)...))
	}
	if n := len(cards) - maxList; n > 0 {
		add("%d more contacts were left out", n)
	}
	out = append(out, asked(m)...)
	if len(out) == 0 && !worded {
		return unknown(m)
	}
	return strings.Join(out, "\n")
}

// numbers are the telephone numbers and addresses of mail on a card.
func numbers(card string) []string {
	var out []string
	for line := range strings.Lines(card) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		name, _, _ = strings.Cut(strings.ToUpper(name), ";")
		if _, of, grouped := strings.Cut(name, "."); grouped {
			name = of // item1.TEL
		}
		if ok && (name == "TEL" || name == "EMAIL") && len(out) < maxList {
			out = append(out, value)
		}
	}
	return out
}

// asked says what a message asks to choose, or what was chosen.
func asked(m *waE2E.Message) []string {
	var out []string
	for _, p := range []*waE2E.PollCreationMessage{m.GetPollCreationMessage(), m.GetPollCreationMessageV2(), m.GetPollCreationMessageV3(), m.GetPollCreationMessageV5()} {
		if p == nil {
			continue
		}
		out = append(out, "[Poll: "+titled(p.GetName())+"]")
		options := p.GetOptions()
		for _, o := range options[:min(len(options), maxList)] {
			out = append(out, "[Choice: "+titled(o.GetOptionName())+"]")
		}
	}
	if e := m.GetEventMessage(); e != nil {
		out = append(out, "[Event: "+titled(e.GetName(), e.GetDescription(), e.GetLocation().GetName())+"]")
	}
	if g := m.GetGroupInviteMessage(); g != nil {
		out = append(out, "[Invitation to the group "+titled(g.GetGroupName())+"]")
	}
	switch {
	case m.GetButtonsResponseMessage() != nil:
		out = append(out, "[Chose: "+titled(m.GetButtonsResponseMessage().GetSelectedDisplayText())+"]")
	case m.GetListResponseMessage() != nil:
		out = append(out, "[Chose: "+titled(m.GetListResponseMessage().GetTitle(), m.GetListResponseMessage().GetDescription())+"]")
	case m.GetTemplateButtonReplyMessage() != nil:
		out = append(out, "[Chose: "+titled(m.GetTemplateButtonReplyMessage().GetSelectedDisplayText())+"]")
	}
	return out
}

// silent reports whether a part of a message says nothing to people, or only something about another.
func silent(part protoreflect.Name) bool {
	switch part {
	case "conversation", "extendedTextMessage", // with nothing in it
		"senderKeyDistributionMessage", "fastRatchetKeySenderKeyDistributionMessage", "messageContextInfo", "protocolMessage", "deviceSentMessage", "chat",
		"call", "callLogMesssage", "bcallMessage", "stickerSyncRmrMessage", "pollUpdateMessage", "keepInChatMessage", "pinInChatMessage", "encReactionMessage",
		"encEventResponseMessage", "encCommentMessage", "secretEncryptedMessage", "albumMessage", "placeholderMessage", "messageHistoryBundle", "messageHistoryNotice",
		"statusMentionMessage", "groupStatusMentionMessage", "statusNotificationMessage", "groupStatusMessage", "groupStatusMessageV2", "limitSharingMessage":
		return true
	}
	return false
}

// unknown says that there was something which we cannot show; it is empty where nothing was.
func unknown(m *waE2E.Message) string {
	var kinds []string
	m.ProtoReflect().Range(func(f protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		if !silent(f.Name()) {
			kinds = append(kinds, string(f.Name()))
		}
		return true
	})
	if len(kinds) == 0 {
		return ""
	}
	return "[A message of the kind " + slices.Min(kinds) + ", which cannot be shown here]"
}

func titled(names ...string) string {
	out := make([]string, 0, len(names))
	for _, n := range names {
		out = append(out, oneLine(n))
	}
	if t := oneLine(join(", ", out...)); t != "" {
		return t
	}
	return "without a name"
}

// oneLine makes a text of others short and harmless enough to stand in a line of ours.
func oneLine(s string) string {
	return strings.NewReplacer("[", "(", "]", ")").Replace(channel.OneLine(s, maxLine))
}
