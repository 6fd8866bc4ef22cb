package session

import (
	"fmt"
	"strings"
	"time"
)

// An Exported is a conversation with what was said in it.
type Exported struct {
	Thread   Thread    `json:"thread"`
	Messages []Message `json:"messages" nullable:"false" doc:"oldest first; what a chat deleted has no text"`
	// Names are those of the persons who spoke.
	Names map[string]string `json:"names,omitempty" doc:"what the persons who spoke are called, by actor"`
}

// Markdown is the conversation as a text for people. What was said stands as quoted lines, so that none of it passes for a
// heading of ours.
func (e Exported) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nConversation %s, begun %s.\n", line(e.Thread.Title, "Conversation"), e.Thread.ID, stamp(e.Thread.CreatedAt))
	for _, m := range e.Messages {
		fmt.Fprintf(&b, "\n**%s**, %s\n\n", e.who(m), stamp(m.At))
		text := m.Words()
		if m.Deleted {
			text = "(deleted)"
		}
		for l := range strings.Lines(text + "\n") {
			b.WriteString("> " + strings.TrimRight(l, "\r\n") + "\n")
		}
		for _, ref := range m.Images {
			b.WriteString(">\n> A picture: " + ref + "\n")
		}
		for _, f := range m.Files {
			b.WriteString(">\n> A file: " + line(f.Name, f.Ref) + ", " + f.Ref + "\n")
		}
	}
	return b.String()
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// line is a text on one line, or another when it is empty.
func line(text, other string) string {
	if text = strings.Join(strings.Fields(text), " "); text == "" {
		return other
	}
	return text
}

// who is the name of who said something, or the id where nobody is known by it.
func (e Exported) who(m Message) string {
	switch m.Role {
	case FromSystem:
		return "Chela"
	case FromPerson, FromAgent, Commanded:
	}
	return line(e.Names[m.Actor], strings.TrimPrefix(m.Actor, "agent:"))
}
