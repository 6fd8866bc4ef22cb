package telegram

import (
	"context"
	"html"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"chela/internal/channel"
	"chela/internal/pattern"
)

// perRow is how many buttons are beside each other.
const perRow = 3

// Send sends a part.
func (a *Adapter) Send(ctx context.Context, o channel.Out) (string, error) {
	chat, topic, err := place(o.Address)
	if err != nil {
		return "", err
	}
	if wait := a.groups.wait(chat); wait > 0 {
		return "", &channel.Refusal{Text: "Telegram takes 20 messages a minute in a group", After: wait}
	}
	var reply *models.ReplyParameters
	if o.ReplyTo != "" {
		to, err := number(o.ReplyTo, "message")
		if err != nil {
			return "", err
		}
		reply = &models.ReplyParameters{MessageID: to, AllowSendingWithoutReply: true}
	}
	if o.File != nil {
		return idOf(a.sendFile(ctx, chat, topic, reply, o))
	}
	p := &bot.SendMessageParams{
		ChatID: chat, MessageThreadID: topic, ReplyParameters: reply,
		Text: o.Text, ParseMode: models.ParseModeHTML, LinkPreviewOptions: unseen(),
	}
	if k := keys(o.Buttons); k != nil {
		p.ReplyMarkup = k
	}
	var sent made
	err = a.api.call(ctx, "sendMessage", p, &sent)
	if unparsed(err) {
		p.ParseMode, p.Text = "", plain(o.Text)
		err = a.api.call(ctx, "sendMessage", p, &sent)
	}
	return idOf(sent.ID, err)
}

// Typing shows for five seconds that we write.
func (a *Adapter) Typing(ctx context.Context, to channel.Address) error {
	chat, topic, err := place(to)
	if err != nil {
		return err
	}
	p := &bot.SendChatActionParams{ChatID: chat, MessageThreadID: topic, Action: models.ChatActionTyping}
	if err := a.api.call(ctx, "sendChatAction", p, nil); err != nil {
		return failureOf(err).verdict()
	}
	return nil
}

func place(at channel.Address) (chat int64, topic int, err error) {
	chat, err = strconv.ParseInt(at.Chat, 10, 64)
	if err != nil || chat == 0 {
		return 0, 0, &channel.Refusal{Text: strconv.Quote(at.Chat) + " is no id of a chat on Telegram, which is a number", Final: true}
	}
	if at.Branch != "" {
		topic, err = number(at.Branch, "topic")
	}
	return chat, topic, err
}

func number(id, of string) (int, error) {
	n, err := strconv.Atoi(id)
	if err != nil || n <= 0 {
		return 0, &channel.Refusal{Text: strconv.Quote(id) + " is no id of a " + of + " on Telegram, which is a number", Final: true}
	}
	return n, nil
}

// unseen keeps Telegram from showing the pages of links.
func unseen() *models.LinkPreviewOptions { return &models.LinkPreviewOptions{IsDisabled: bot.True()} }

// keyboard is the buttons under a message. The library's type sends an empty copy_text with each.
type keyboard struct {
	Rows [][]key `json:"inline_keyboard"`
}

type key struct {
	Text  string `json:"text"`
	Press string `json:"callback_data"`
}

func keys(buttons []channel.Button) *keyboard {
	if len(buttons) == 0 {
		return nil
	}
	k := new(keyboard)
	for row := range slices.Chunk(buttons, perRow) {
		var line []key
		for _, b := range row {
			line = append(line, key(b))
		}
		k.Rows = append(k.Rows, line)
	}
	return k
}

// refused reports whether Telegram said no with these words.
func refused(err error, words string) bool {
	if err == nil {
		return false
	}
	f := failureOf(err)
	return f.Spoken && f.Status == http.StatusBadRequest && strings.Contains(f.Text, words)
}

// unparsed reports whether Telegram could not read the marks in a text.
func unparsed(err error) bool { return refused(err, "can't parse entities") }

var tag = pattern.New(`</?[A-Za-z][^<>]*>`)

// plain takes the marks out of a text.
func plain(text string) string { return html.UnescapeString(tag.ReplaceAllString(text, "")) }
