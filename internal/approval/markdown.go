package approval

import (
	"fmt"
	"strings"
)

// Markdown is a question as it is put to people in a conversation: exactly what would be
// done, and how to answer.
func (r Request) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**: %s\n", r.ID, r.Question)
	for _, c := range r.Calls {
		fmt.Fprintf(&b, "- %s (%s) in %s: %s\n", c.Tool, c.Risk, c.Folder, c.Why)
		b.WriteString(fenced(c.Shown))
		for _, n := range c.Notes {
			fmt.Fprintf(&b, "  Note: %s\n", n)
		}
		b.WriteString(fenced(c.Diff))
	}
	b.WriteString(fenced(r.Detail))
	b.WriteString("\n" + r.Way())
	return b.String()
}

// fenced shows a text as it is: its fence is longer than any in it.
func fenced(text string) string {
	if text == "" {
		return ""
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + text + "\n" + fence + "\n"
}
