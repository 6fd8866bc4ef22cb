//go:build whatsmeow

package whatsmeow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	lib "go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"google.golang.org/protobuf/proto"

	"chela/internal/channel"
)

// Send sends a part. An attempt has the id of the one before it, by which WhatsApp and the apps know that it is the
// same message. Nothing can be pressed; the text says itself what to write.
func (a *Adapter) Send(ctx context.Context, o channel.Out) (string, error) {
	if o.Text == "" && o.File == nil {
		return "", &channel.Refusal{Text: "There is nothing to send", Final: true}
	}
	to, ok := jidOf(o.Chat)
	if !ok {
		return "", &channel.Refusal{Text: oneLine(o.Chat) + " is no number, person or group on WhatsApp", Final: true}
	}
	c := a.live.Load()
	if c == nil {
		return "", &channel.Refusal{Text: "the channel is not connected"}
	}
	answers := a.answers(to, o.ReplyTo)
	if o.File == nil {
		return a.step(ctx, c, to, o, "", text(o.Text, answers))
	}
	what, _ := form(o.File)
	under := o.Text
	apart := o.Text != "" && (what == lib.MediaAudio || utf8.RuneCountInString(o.Text) > maxCaption)
	if apart {
		under = ""
	}
	m, err := a.put(ctx, c, o.File, under, answers)
	if err != nil {
		return "", err
	}
	id, err := a.step(ctx, c, to, o, "/file", m)
	if err != nil || !apart {
		return id, err
	}
	return a.step(ctx, c, to, o, "", text(o.Text, nil)) // the file answered
}

func text(s string, answers *waE2E.ContextInfo) *waE2E.Message {
	if answers == nil {
		return &waE2E.Message{Conversation: proto.String(s)}
	}
	return &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: proto.String(s), ContextInfo: answers}}
}

// answers says what a message answers. In a group that must be known with its sender.
func (a *Adapter) answers(to types.JID, id string) *waE2E.ContextInfo {
	if id == "" {
		return nil
	}
	of, known := a.memory.heard.Get(id)
	if !known && to.Server == types.GroupServer {
		return nil
	}
	if !known {
		of.sender = to
	}
	return &waE2E.ContextInfo{StanzaID: proto.String(id), Participant: proto.String(of.sender.ToNonAD().String()), QuotedMessage: &waE2E.Message{Conversation: proto.String(of.words)}}
}

// step sends a message.
func (a *Adapter) step(ctx context.Context, c *lib.Client, to types.JID, o channel.Out, part string, m *waE2E.Message) (string, error) {
	id := messageID(o.Chat, o.Key, part)
	if id == "" {
		id = c.GenerateMessageID()
	}
	a.memory.chats.Put(id, o.Chat) // a receipt may come before the answer
	a.memory.sent.Put(id, m)
	if _, err := c.SendMessage(ctx, to, m, lib.SendRequestExtra{ID: id}); err != nil {
		return "", verdict(err)
	}
	return id, nil
}

// Edit has a text say something else.
func (a *Adapter) Edit(ctx context.Context, id string, o channel.Out) error {
	c, to, err := a.at(o.Chat)
	if err != nil {
		return err
	}
	m, own := c.BuildEdit(to, id, text(o.Text, nil)), c.GenerateMessageID()
	a.memory.sent.Put(own, m)
	if _, err := c.SendMessage(ctx, to, m, lib.SendRequestExtra{ID: own}); err != nil {
		return verdict(err)
	}
	return nil
}

// messageID is the id of a message, which is the same for each attempt, in the form that the web app gives its own.
func messageID(chat, key, part string) string {
	if key == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(chat + "\x00" + key + "\x00" + part))
	return lib.WebMessageIDPrefix + strings.ToUpper(hex.EncodeToString(sum[:9]))
}

// Codes of WhatsApp's that are no no for good; there is no list of them.
const (
	codeStale = 421 // our view of the group is old; the library asks again
	codeMany  = 429
)

// verdict says what an error of the library's means for a message.
func verdict(err error) error {
	if iq, ok := errors.AsType[*lib.IQError](err); ok { // before anything was sent
		final := iq.Code == 403 || iq.Code == 404
		return &channel.Refusal{Text: "WhatsApp does not say who is to get it: " + oneLine(err.Error()), Final: final}
	}
	switch {
	case errors.Is(err, lib.ErrNotConnected), errors.Is(err, lib.ErrNotLoggedIn):
		return &channel.Refusal{Text: "the channel is not connected"}
	case errors.Is(err, lib.ErrUnknownServer), errors.Is(err, lib.ErrRecipientADJID), errors.Is(err, lib.ErrBroadcastListUnsupported):
		return &channel.Refusal{Text: "WhatsApp has no such chat: " + oneLine(err.Error()), Final: true}
	case errors.Is(err, lib.ErrServerReturnedError):
		return refused(strings.TrimSpace(strings.TrimPrefix(err.Error(), lib.ErrServerReturnedError.Error())))
	}
	return fmt.Errorf("send: %w", err)
}

func refused(code string) error {
	n, err := strconv.Atoi(code)
	no := &channel.Refusal{Text: "WhatsApp does not take it and says only: error " + oneLine(code)}
	switch {
	case err == nil && n == codeMany:
		no.After = time.Minute
	case err == nil && n == 463:
		no.Text, no.Final = "WhatsApp does not let this number write to somebody who has not written to it first (error 463)", true
	case err == nil && n >= 400 && n < 500 && n != codeStale:
		no.Final = true
	}
	return no
}

// Typing shows that we write.
func (a *Adapter) Typing(ctx context.Context, to channel.Address) error {
	c, at, err := a.at(to.Chat)
	if err != nil {
		return err
	}
	return c.SendChatPresence(ctx, at, types.ChatPresenceComposing, types.ChatPresenceMediaText)
}

// Read shows that a message was read, unless the number's settings keep that back.
func (a *Adapter) Read(ctx context.Context, at channel.Address, id string) error {
	c, chat, err := a.at(at.Chat)
	if err != nil {
		return err
	}
	m, known := a.memory.heard.Get(id)
	if known {
		chat = m.chat
	} else if chat.Server == types.GroupServer {
		return nil // it is not known any more whose it is
	}
	return c.MarkRead(ctx, []types.MessageID{id}, time.Now(), chat, m.sender)
}

func (a *Adapter) at(chat string) (*lib.Client, types.JID, error) {
	to, ok := jidOf(chat)
	if !ok {
		return nil, to, &channel.Refusal{Text: oneLine(chat) + " is no chat on WhatsApp", Final: true}
	}
	c := a.live.Load()
	if c == nil {
		return nil, to, &channel.Refusal{Text: "the channel is not connected"}
	}
	return c, to, nil
}
