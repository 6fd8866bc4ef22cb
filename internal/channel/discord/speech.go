package discord

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/channel"
	"chela/internal/pattern"
)

// maxQuote is how much of an answered message is repeated before the answer.
const maxQuote = 1000

// personal reports whether a person wrote it, and to the chat.
func (m *message) personal() bool {
	return snowflake(m.ID) && snowflake(m.Channel) && (m.Type == typeDefault || m.Type == typeReply) &&
		m.Author != nil && snowflake(m.Author.ID) && !m.Author.Bot.V && !m.Author.System.V && m.Webhook.V == ""
}

// message makes of one what a channel takes. It returns false when it says nothing, as it does
// where the bot may not read it.
func (a *Adapter) message(m *message, at channel.Address, what channel.What) (channel.Message, bool) {
	me := a.kept.self()
	out := channel.Message{
		Address: at, ID: m.ID, What: what, Group: m.Guild != "",
		Sender: channel.Sender{ID: m.Author.ID, Name: nameOf(m.Author, m.Member.V)},
		At:     when(m.Time.V, m.ID),
	}
	if what == channel.Edited {
		out.At = when(m.EditedAt.V, m.ID)
	}
	if forwarded, ok := m.forwarded(); ok {
		out.Text, out.Media = a.forwards(forwarded), a.media(forwarded.Files.V)
		out.Called = !out.Group
		return out, true
	}
	own, called := a.heard(m)
	answered := m.answered()
	mine := answered != nil && answered.Author != nil && answered.Author.ID == me.ID
	out.Text, out.Media = join("\n", own, m.lines()), a.media(m.Files.V)
	if r := m.Refers.V; r != nil && snowflake(r.Message.V) {
		out.ReplyTo = r.Message.V
	}
	if answered != nil && !mine && !strings.HasPrefix(own, "/") && (out.Text != "" || called) {
		out.Text = join("\n\n", a.quote(answered), out.Text)
	}
	if out.Text == "" && len(out.Media) == 0 && what == channel.Said {
		return channel.Message{}, false
	}
	out.Called = !out.Group || called || mine
	return out, true
}

// forwarded returns what a message forwards.
func (m *message) forwarded() (*message, bool) {
	if r := m.Refers.V; r == nil || r.Type.V != referForward {
		return nil, false
	}
	if len(m.Snapshots.V) == 0 {
		return &message{}, true
	}
	return &m.Snapshots.V[0].Message.V, true
}

// forwards says what was forwarded. It is marked from the first character on, so that it is
// never taken for a command of who forwarded it.
func (a *Adapter) forwards(m *message) string {
	return join("\n", "Forwarded:", a.readable(m), m.lines())
}

// answered returns the message that m answers, if Discord gives it.
func (m *message) answered() *message {
	if m.Type != typeReply {
		return nil
	}
	return m.Referenced.V
}

// quote returns an answered message that is not ours, as the conversation does not have it.
func (a *Adapter) quote(m *message) string {
	text := strings.TrimSpace(a.readable(m))
	if text == "" {
		return ""
	}
	if runes := []rune(text); len(runes) > maxQuote {
		text = string(runes[:maxQuote]) + "…"
	}
	return "> " + strings.ReplaceAll(text, "\n", "\n> ")
}

// join puts a separator between what is not empty.
func join(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), separator)
}

// marks are those that Discord makes of names, and of its own signs
// (discord.com/developers/docs/reference#message-formatting).
var marks = pattern.New(`<(@[!&]?|a?:[A-Za-z0-9_~]{1,40}:)([0-9]{1,20})>`)

// heard returns what was written without our name, and whether that was in it.
func (a *Adapter) heard(m *message) (own string, called bool) {
	text := m.text()
	var out strings.Builder
	at := 0
	for _, found := range marks.FindAllStringSubmatchIndex(text, -1) {
		out.WriteString(text[at:found[0]])
		at = found[1]
		if sign, id := text[found[2]:found[3]], text[found[4]:found[5]]; a.ours(sign, id) {
			called = true
			at = afterName(text, at, strings.TrimSpace(out.String()) == "")
			continue
		}
		out.WriteString(m.readable(text[found[2]:found[3]], text[found[4]:found[5]]))
	}
	out.WriteString(text[at:])
	return strings.TrimSpace(out.String()), called
}

// readable is the text of a message with names instead of ids.
func (a *Adapter) readable(m *message) string {
	text := m.text()
	var out strings.Builder
	at := 0
	for _, found := range marks.FindAllStringSubmatchIndex(text, -1) {
		out.WriteString(text[at:found[0]])
		out.WriteString(m.readable(text[found[2]:found[3]], text[found[4]:found[5]]))
		at = found[1]
	}
	return out.String() + text[at:]
}

func (m *message) text() string {
	if m.Content == nil {
		return ""
	}
	return *m.Content
}

func (a *Adapter) ours(sign, id string) bool {
	if sign == "@&" {
		return a.kept.ourRole(id)
	}
	return strings.HasPrefix(sign, "@") && id == a.kept.self().ID
}

// readable is a mark as it is seen.
func (m *message) readable(sign, id string) string {
	switch {
	case sign == "@&":
		return "@role-" + id
	case strings.HasPrefix(sign, "@"):
		for _, u := range m.Mentions.V {
			if u.ID == id {
				return "@" + oneLine(u.Username)
			}
		}
		return "@" + id
	}
	return strings.TrimPrefix(sign, "a")
}

// afterName returns where a text goes on when our name is taken out of it: after the space,
// and at the beginning also after the comma or colon of an address.
func afterName(text string, at int, beginning bool) int {
	for beginning && at < len(text) && (text[at] == ',' || text[at] == ':') {
		at++
	}
	if at < len(text) && text[at] == ' ' {
		at++
	}
	return at
}

// nameOf is how a person is shown where they speak.
func nameOf(u *user, m member) string {
	if u == nil {
		return oneLine(m.Nick.V)
	}
	return oneLine(cmp.Or(m.Nick.V, u.Global.V, u.Username))
}

// lines says in words what is in a message besides its text. Each is in brackets, so that a
// name somebody chose is never the beginning of a text.
func (m *message) lines() string {
	var out []string
	add := func(format string, args ...any) { out = append(out, "["+fmt.Sprintf(format, args...)+"]") }
	for i, f := range m.Files.V {
		if i == mostFiles {
			add("%d more files", len(m.Files.V)-i)
			break
		}
		name := titled(f.Name.V, f.About.V)
		length := seconds(f.Duration.V).Round(time.Second)
		switch kind, _, _ := strings.Cut(f.Type.V, "/"); {
		case m.Flags.V&flagVoice != 0:
			add("Voice message, %s", length)
		case kind == "image":
			add("Picture: %s", name)
		case kind == "audio" && length > 0:
			add("Audio: %s, %s", name, length)
		case kind == "audio":
			add("Audio: %s", name)
		case kind == "video":
			add("Video: %s", name)
		default:
			add("File: %s", name)
		}
	}
	for _, s := range m.Stickers.V {
		add("Sticker: %s", titled(s.Name))
	}
	if p := m.Poll.V; p != nil {
		var choices []string
		for _, c := range p.Answers {
			choices = append(choices, oneLine(c.Media.Text))
		}
		add("Poll: %s: %s", oneLine(p.Question.Text), strings.Join(choices, " / "))
	}
	for _, e := range m.Embeds.V {
		if e.Title.V != "" || e.Description.V != "" {
			add("Embed: %s", titled(e.Title.V, e.Description.V, e.URL.V))
		}
	}
	return strings.Join(out, "\n")
}

func titled(names ...string) string {
	for i := range names {
		names[i] = oneLine(names[i])
	}
	if t := join(", ", names...); t != "" {
		return t
	}
	return "without a name"
}
