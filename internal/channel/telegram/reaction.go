package telegram

import (
	"strconv"
	"strings"
	"time"

	"github.com/go-telegram/bot/models"

	"chela/internal/channel"
)

// A reaction is what a person thinks of a message from now on, as MessageReactionUpdated. Who
// reacts in the name of a chat is not told.
type reaction struct {
	Chat    models.Chat  `json:"chat"`
	Message int64        `json:"message_id"`
	User    *models.User `json:"user"`
	Date    int64        `json:"date"`
	Now     []sign       `json:"new_reaction"`
}

// A sign is one of the signs of a reaction: an emoji, one that somebody drew, or a paid star.
type sign struct {
	Type  string `json:"type"`
	Emoji string `json:"emoji"`
}

// read returns a reaction as a message. Telegram gives it no id; the number of its update is one.
// It does not say either in which topic it is.
func (r *reaction) read(update int64) (channel.Message, bool) {
	in := message{ID: r.Message, From: r.User, Chat: r.Chat}
	if !in.personal() || in.ID <= 0 {
		return channel.Message{}, false
	}
	m := in.frame(in.From)
	m.ReplyTo = strconv.FormatInt(in.ID, 10)
	m.ID, m.What, m.Called = "reaction-"+m.ReplyTo+"-"+strconv.FormatInt(update, 10), channel.Reacted, !m.Group
	m.At = time.Unix(r.Date, 0).UTC()
	var signs []string
	for _, s := range r.Now {
		signs = append(signs, s.text())
	}
	m.Text = strings.Join(signs, " ")
	return m, true
}

// text is a sign as it can be shown: of one that is a picture, or of a new kind, only that it is there.
func (s sign) text() string {
	switch {
	case s.Type == "paid":
		return "⭐"
	case s.Emoji != "":
		return oneLine(s.Emoji)
	}
	return "(a custom emoji)"
}
