package whatsapp

import (
	"fmt"
	"slices"
	"strings"

	"chela/internal/channel"
)

// Bounds of what is put into words.
const (
	maxLine = 300 // characters of what others chose
	maxList = 20  // cards or items
)

// words is what the sender wrote.
func (m *message) words() string {
	switch {
	case m.Text.Has:
		return m.Text.V.Body
	case m.Order.Has:
		return m.Order.V.Text
	}
	for _, f := range m.files() {
		if f.Caption != "" {
			return f.Caption
		}
	}
	return ""
}

// text is all that a message says. What the sender did not write themself is marked from the
// first character on, so that it is never taken for a command of theirs.
func (m *message) text(words string) string {
	said := join("\n", strings.TrimSpace(words), m.lines())
	switch c := m.Context.V; {
	case c.Often:
		return join("\n", "Forwarded many times:", said)
	case c.Forwarded:
		return join("\n", "Forwarded:", said)
	}
	return said
}

// join puts a separator between what is not empty.
func join(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), separator)
}

// lines says in words what is in a message besides its text. Each is in brackets, so that a
// name somebody chose is never the beginning of a text.
func (m *message) lines() string {
	var out []string
	add := func(format string, args ...any) { out = append(out, "["+fmt.Sprintf(format, args...)+"]") }
	if m.Image.Has {
		add("Photo")
	}
	if a := m.Audio; a.Has && a.V.Voice {
		add("Voice message")
	} else if a.Has {
		add("Audio")
	}
	if m.Video.Has {
		add("Video")
	}
	if m.Document.Has {
		add("Document: %s", titled(m.Document.V.Name))
	}
	if m.Sticker.Has {
		add("Sticker")
	}
	if l := m.Location; l.Has && l.V.Name+l.V.Address != "" {
		add("Place: %s, %.6f, %.6f", titled(l.V.Name, l.V.Address), l.V.Latitude, l.V.Longitude)
	} else if l.Has {
		add("Location: %.6f, %.6f", l.V.Latitude, l.V.Longitude)
	}
	for _, c := range m.Contacts.V[:min(len(m.Contacts.V), maxList)] {
		if c.Has {
			add("Contact: %s", titled(c.V.facts()...))
		}
	}
	if n := len(m.Contacts.V) - maxList; n > 0 {
		add("%d more contacts were left out", n)
	}
	out = append(out, m.chosen()...)
	out = append(out, m.ordered()...)
	if m.System.Has {
		add("WhatsApp says: %s", titled(m.System.V.Body))
	}
	if r := m.Referral; r.Has {
		add("Written from: %s", titled(r.V.Headline, r.V.Source))
	}
	if len(out) == 0 && !m.Text.Has {
		add("%s", m.unknown())
	}
	return strings.Join(out, "\n")
}

// unknown says that there was something which we cannot show.
func (m *message) unknown() string {
	why := ""
	for _, e := range m.Errors.V {
		if e.Has {
			why = ": " + titled(e.V.Title, e.V.Data.V.Details)
			break
		}
	}
	kind := oneLine(m.Type)
	if kind == "" || kind == "unsupported" || kind == "unknown" {
		return "A message of a kind that WhatsApp does not hand on" + why
	}
	return "A message of the kind " + kind + ", which cannot be shown here" + why
}

// facts is what a card says of a person.
func (p person) facts() []string {
	out := []string{p.Name.V.Formatted}
	for _, n := range p.Phones.V[:min(len(p.Phones.V), maxList)] {
		out = append(out, n.V.Phone)
	}
	for _, e := range p.Emails.V[:min(len(p.Emails.V), maxList)] {
		out = append(out, e.V.Email)
	}
	return out
}

// chosen says what was chosen under a message that was not ours.
func (m *message) chosen() []string {
	c := m.Interactive.V
	switch {
	case c.Button.Has:
		return []string{"[Chose: " + titled(c.Button.V.Title) + "]"}
	case c.List.Has:
		return []string{"[Chose: " + titled(c.List.V.Title, c.List.V.Description) + "]"}
	case c.Form.Has:
		return []string{"[Filled in a form: " + titled(c.Form.V.Name, c.Form.V.Body) + "]"}
	case m.Button.Has:
		return []string{"[Chose: " + titled(m.Button.V.Text) + "]"}
	}
	return nil
}

func (m *message) ordered() []string {
	if !m.Order.Has {
		return nil
	}
	items := m.Order.V.Items.V
	out := []string{fmt.Sprintf("[Order of %d items]", len(items))}
	for _, i := range items[:min(len(items), maxList)] {
		if i.Has {
			out = append(out, fmt.Sprintf("[%d of %s]", i.V.Quantity, titled(i.V.ID, strings.TrimSpace(string(i.V.Price)+" "+i.V.Currency))))
		}
	}
	if n := len(items) - maxList; n > 0 {
		out = append(out, fmt.Sprintf("[%d more items were left out]", n))
	}
	return out
}

func titled(names ...string) string {
	out := make([]string, 0, len(names))
	for _, n := range names {
		out = append(out, oneLine(n))
	}
	if t := join(", ", out...); t != "" {
		return t
	}
	return "without a name"
}

// oneLine makes a text of others short and harmless enough to stand in a line of ours.
func oneLine(s string) string {
	return strings.NewReplacer("[", "(", "]", ")").Replace(channel.OneLine(s, maxLine))
}
