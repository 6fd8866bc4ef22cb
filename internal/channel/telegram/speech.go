package telegram

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/go-telegram/bot/models"
)

// maxQuote is how much of an answered message is repeated before the answer.
const maxQuote = 1000

// A speech is what a message says, in words.
type speech struct {
	text   string
	called bool // by name
}

// speech puts into words all that a message has. What the sender did not write themself is
// marked from the first character on, so that it is never taken for a command of theirs. It
// returns false when the message is a command for another bot.
func (r reader) speech(m *message) (speech, bool) {
	text, entities := m.Text, m.Entities
	if text == "" {
		text, entities = m.Caption, m.CaptionMarks
	}
	lines := m.lines()
	switch {
	case m.Forwarded != nil:
		return speech{text: join("\n", "Forwarded from "+m.Forwarded.name()+":", text, lines)}, true
	case m.ViaBot != nil:
		return speech{text: join("\n", "Sent with @"+oneLine(m.ViaBot.Username)+":", text, lines)}, true
	}
	own, called, ok := r.heard(text, entities)
	if !ok {
		return speech{}, false
	}
	said := speech{text: join("\n", own, lines), called: called}
	if said.text != "" && !strings.HasPrefix(own, "/") {
		said.text = join("\n\n", r.quote(m), said.text)
	}
	return said, true
}

// join puts a separator between what is not empty.
func join(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), separator)
}

// quote returns what a message refers to: the part that its sender chose, or else the answered
// message if it is not ours, which the conversation has.
func (r reader) quote(m *message) string {
	var text string
	answered := m.answered()
	switch {
	case m.Quote != nil:
		text = m.Quote.Text
	case answered != nil && !r.mine(answered):
		text = cmp.Or(answered.Text, answered.Caption)
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	if runes := []rune(text); len(runes) > maxQuote {
		text = string(runes[:maxQuote]) + "…"
	}
	return "> " + strings.ReplaceAll(text, "\n", "\n> ")
}

// heard returns a text without our name, and whether that was in it. It returns false for a
// command of another bot. Offsets of entities count UTF-16 units.
func (r reader) heard(text string, entities []models.MessageEntity) (own string, called, ok bool) {
	units := utf16.Encode([]rune(text))
	sorted := slices.SortedStableFunc(slices.Values(entities), func(a, b models.MessageEntity) int { return cmp.Compare(a.Offset, b.Offset) })
	out := make([]uint16, 0, len(units))
	at := 0
	for _, e := range sorted {
		if e.Offset < at || e.Length <= 0 || e.Length > len(units) || e.Offset > len(units)-e.Length {
			continue
		}
		end := e.Offset + e.Length
		word := string(utf16.Decode(units[e.Offset:end]))
		switch e.Type {
		case models.MessageEntityTypeBotCommand:
			command, bot, addressed := strings.Cut(word, "@")
			if !addressed {
				continue
			}
			if !r.named(bot) {
				if e.Offset == 0 {
					return "", false, false
				}
				continue
			}
			out = append(append(out, units[at:e.Offset]...), utf16.Encode([]rune(command))...)
			at = end
		case models.MessageEntityTypeMention, models.MessageEntityTypeTextMention:
			if !r.named(strings.TrimPrefix(word, "@")) && (e.User == nil || e.User.ID != r.me.ID) {
				continue
			}
			out = append(out, units[at:e.Offset]...)
			at = afterName(units, end, len(out) == 0)
		default:
			continue
		}
		called = true
	}
	out = append(out, units[at:]...)
	return strings.TrimSpace(string(utf16.Decode(out))), called, true
}

func (r reader) named(name string) bool {
	return r.me.Username != "" && strings.EqualFold(name, r.me.Username)
}

// afterName returns where a text goes on when our name is taken out of it: after the space,
// and at the beginning also after the comma or colon of an address.
func afterName(units []uint16, at int, beginning bool) int {
	for beginning && at < len(units) && (units[at] == ',' || units[at] == ':') {
		at++
	}
	if at < len(units) && units[at] == ' ' {
		at++
	}
	return at
}
