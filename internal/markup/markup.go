// Package markup turns Markdown into what chat platforms show.
package markup

// A Form is how a platform writes.
type Form string

const Markdown Form = "markdown"

type Unit int

const Bytes Unit = 1

// Limits bound one part.
type Limits struct {
	Max  int
	Unit Unit
}

// Parts cuts a text.
func Parts(text string, _ Form, _ Limits) []string { return []string{text} }
