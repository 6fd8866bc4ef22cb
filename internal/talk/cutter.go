package talk

import "strings"

// A Cutter ends a text before the first of the stops in it, however the text comes.
type Cutter struct {
	Stops []string
	At    string // the stop before which the text ended; "" when it ended by itself
	held  string // the end of what came, which may begin a stop
	over  bool
}

// Take adds a piece and returns what can be shown now.
func (c *Cutter) Take(more string) string {
	if c.over {
		return ""
	}
	text := c.held + more
	end := -1
	for _, s := range c.Stops {
		if i := strings.Index(text, s); i >= 0 && (end < 0 || i < end) {
			end, c.At = i, s
		}
	}
	if end >= 0 {
		c.held, c.over = "", true
		return text[:end]
	}
	keep := 0
	for _, s := range c.Stops {
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

// Rest is what was held back when the text has ended.
func (c *Cutter) Rest() string {
	held := c.held
	c.held = ""
	return held
}
