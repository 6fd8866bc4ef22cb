package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/go-telegram/bot/models"

	"chela/internal/channel"
)

// errNoUpdate says that something is no update at all.
var errNoUpdate = errors.New("no update of Telegram: it has no number")

// An update is what we read of one.
type update struct {
	ID       int64     `json:"update_id"`
	Message  *message  `json:"message"`
	Edited   *message  `json:"edited_message"`
	Press    *press    `json:"callback_query"`
	Reaction *reaction `json:"message_reaction"`
}

// A message is what we read of one. Its fields are those that the documentation of Message names.
type message struct {
	ID           int64                  `json:"message_id"`
	Topic        int64                  `json:"message_thread_id"`
	InTopic      bool                   `json:"is_topic_message"`
	From         *models.User           `json:"from"`
	SenderChat   *models.Chat           `json:"sender_chat"` // a channel or group in whose name somebody writes
	Chat         models.Chat            `json:"chat"`
	Date         int64                  `json:"date"`
	EditDate     int64                  `json:"edit_date"`
	Forwarded    *origin                `json:"forward_origin"`
	Automatic    bool                   `json:"is_automatic_forward"`
	ReplyTo      *message               `json:"reply_to_message"`
	Quote        *models.TextQuote      `json:"quote"`
	ViaBot       *models.User           `json:"via_bot"`
	Text         string                 `json:"text"`
	Entities     []models.MessageEntity `json:"entities"`
	Caption      string                 `json:"caption"`
	CaptionMarks []models.MessageEntity `json:"caption_entities"`
	Photo        []models.PhotoSize     `json:"photo"`
	Voice        *models.Voice          `json:"voice"`
	Audio        *models.Audio          `json:"audio"`
	Video        *models.Video          `json:"video"`
	VideoNote    *models.VideoNote      `json:"video_note"`
	Animation    *models.Animation      `json:"animation"`
	Document     *models.Document       `json:"document"`
	Sticker      *models.Sticker        `json:"sticker"`
	Location     *models.Location       `json:"location"`
	Venue        *models.Venue          `json:"venue"`
	Contact      *models.Contact        `json:"contact"`
	Dice         *models.Dice           `json:"dice"`
	Poll         *poll                  `json:"poll"`
}

// A press is a button of ours being pressed.
type press struct {
	ID      string      `json:"id"`
	From    models.User `json:"from"`
	Message *message    `json:"message"` // with the button; only chat and id when it is old
	Data    string      `json:"data"`
}

// An origin is who wrote a forwarded message. Which fields there are depends on who it was;
// new kinds have others.
type origin struct {
	User       *models.User `json:"sender_user"`
	HiddenUser string       `json:"sender_user_name"`
	SenderChat *models.Chat `json:"sender_chat"`
	Channel    *models.Chat `json:"chat"`
}

type poll struct {
	Question string `json:"question"`
	Options  []struct {
		Text string `json:"text"`
	} `json:"options"`
}

// decode reads an update. With an error other than [errNoUpdate] its number is still right.
func decode(raw []byte) (update, error) {
	var number struct {
		ID int64 `json:"update_id"`
	}
	if err := json.Unmarshal(raw, &number); err != nil || number.ID <= 0 {
		return update{}, errNoUpdate
	}
	var u update
	if err := json.Unmarshal(raw, &u); err != nil {
		return update{ID: number.ID}, err
	}
	return u, nil
}

// A reader makes of updates what a channel takes.
type reader struct {
	me   models.User
	open func(file) func(context.Context) (io.ReadCloser, error)
}

func (a *Adapter) reader() reader { return reader{me: *a.me.Load(), open: a.opener} }

// message returns what an update says, and false when it is nothing for us: not a person's, or
// about the chat and not in it.
func (r reader) message(u update) (channel.Message, bool) {
	switch {
	case u.Message != nil:
		return r.said(u.Message, channel.Said)
	case u.Edited != nil:
		return r.said(u.Edited, channel.Edited)
	case u.Press != nil && u.Press.Message != nil:
		return r.pressed(u.Press)
	case u.Reaction != nil:
		return u.Reaction.read(u.ID)
	}
	return channel.Message{}, false
}

func (r reader) said(in *message, what channel.What) (channel.Message, bool) {
	if !in.personal() || in.ID == 0 {
		return channel.Message{}, false
	}
	m := in.frame(in.From)
	m.ID, m.What = strconv.FormatInt(in.ID, 10), what
	m.At = time.Unix(max(in.Date, in.EditDate), 0).UTC()
	spoken, ok := r.speech(in)
	if !ok {
		return channel.Message{}, false
	}
	m.Text = spoken.text
	for _, f := range in.files() {
		m.Media = append(m.Media, channel.Media{Name: f.name, Type: f.kind, Size: f.size, Open: r.open(f)})
	}
	if m.Text == "" && len(m.Media) == 0 {
		return channel.Message{}, false // about the chat, or of a kind that we do not know
	}
	answered := in.answered()
	if answered != nil {
		m.ReplyTo = strconv.FormatInt(answered.ID, 10)
	}
	m.Called = !m.Group || spoken.called || in.Forwarded == nil && r.mine(answered)
	return m, true
}

func (r reader) pressed(p *press) (channel.Message, bool) {
	if p.ID == "" || p.From.ID == 0 || p.From.IsBot || !p.Message.listened() {
		return channel.Message{}, false
	}
	m := p.Message.frame(&p.From)
	m.ID, m.What, m.Press, m.Called = p.ID, channel.Pressed, p.Data, true
	m.ReplyTo = strconv.FormatInt(p.Message.ID, 10)
	return m, true
}

// listened reports whether the chat is one in which people talk; a channel is not.
func (m *message) listened() bool {
	switch m.Chat.Type {
	case models.ChatTypePrivate, models.ChatTypeGroup, models.ChatTypeSupergroup:
		return m.Chat.ID != 0
	case models.ChatTypeChannel:
	}
	return false
}

// personal reports whether a person wrote it in their own name. Who writes in the name of a
// group or channel is not known, and bots are not people.
func (m *message) personal() bool {
	return m.listened() && m.From != nil && m.From.ID != 0 && !m.From.IsBot && m.SenderChat == nil && !m.Automatic
}

// frame is a message with what all kinds have.
func (m *message) frame(from *models.User) channel.Message {
	out := channel.Message{
		Address: channel.Address{Chat: strconv.FormatInt(m.Chat.ID, 10)},
		Sender:  channel.Sender{ID: strconv.FormatInt(from.ID, 10), Name: nameOf(from)},
		Group:   m.Chat.Type != models.ChatTypePrivate,
	}
	if m.InTopic && m.Topic != 0 {
		out.Branch = strconv.FormatInt(m.Topic, 10)
	}
	return out
}

// answered returns the message that m answers. In a topic every message that answers nothing
// is sent as an answer to the message that opened the topic.
func (m *message) answered() *message {
	if m.ReplyTo == nil || m.ReplyTo.ID == 0 || m.InTopic && m.ReplyTo.ID == m.Topic {
		return nil
	}
	return m.ReplyTo
}

func (r reader) mine(m *message) bool {
	return m != nil && m.From != nil && m.From.ID == r.me.ID
}

func nameOf(u *models.User) string {
	if name := oneLine(u.FirstName + " " + u.LastName); name != "" {
		return name
	}
	return u.Username
}

func (o *origin) name() string {
	var name string
	switch {
	case o.User != nil:
		name = nameOf(o.User)
	case o.HiddenUser != "":
		name = oneLine(o.HiddenUser)
	case o.SenderChat != nil:
		name = oneLine(o.SenderChat.Title)
	case o.Channel != nil:
		name = oneLine(o.Channel.Title)
	}
	if name == "" {
		return "somebody"
	}
	return name
}

// oneLine is another's name as part of a line of ours.
func oneLine(s string) string { return channel.OneLine(s, 200) }
