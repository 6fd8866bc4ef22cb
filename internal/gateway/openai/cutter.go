package openai

import "strings"

// A cutter ends a text before the first of the stops in it, however the text comes.
type cutter struct {
	stops []string
	held  string // the end of what came, which may begin a stop
	over  bool
}

// take adds a piece and returns what can be shown now.
func (c *cutter) take(more string) string {
	if c.over {
		return ""
	}
	text := c.held + more
	end := -1
	for _, s := range c.stops {
		if i := strings.Index(text, s); i >= 0 && (end < 0 || i < end) {
			end = i
		}
	}
	if end >= 0 {
		c.held, c.over = "", true
		return text[:end]
	}
	keep := 0
	for _, s := range c.stops {
		for n := min(len(s)-1, len(text)); n > keep; n-- {
			if strings.HasSuffix(text, s[:n]) {
				keep = n
				break
			}
		}
	}
	c.held = text[len(text)-keep:]
	return text[:len(text)-keep]
}

// rest is what was held back when the text has ended.
func (c *cutter) rest() string {
	held := c.held
	c.held = ""
	return held
}
