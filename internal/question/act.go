package question

import (
	"slices"
	"strings"
)

// The words that ask for a change, and the questions after what can be asked.
var (
	acts  = []string{"delete", "remove", "close", "reopen", "assign", "reassign", "create", "add", "set", "move", "rename", "mark", "change", "remind", "lösche", "schließe", "erstelle", "setze", "verschiebe", "weise", "erinnere"}
	helps = []string{"help", "hilfe", "what can i ask", "what can you do", "what can you tell me", "how does this work", "who are you", "was kann ich fragen", "was kannst du"}
)

// act returns the word by which a question asks that a record be changed, which no answer does: "close PAY-1", "create a ticket for the outage".
func (r *reader) act() string {
	first := r.tokens[0]
	if len(r.tokens) < 2 || !slices.Contains(acts, first.text) || first.quoted {
		return ""
	}
	switch next := r.tokens[1].text; {
	case slices.Contains([]string{"a", "an", "the", "this", "all", "me", "ein", "eine", "einen", "das", "den", "die", "mich"}, next), len(r.v.Key(next)) > 0:
		return first.raw
	}
	return ""
}

// help reports whether it is asked what can be asked.
func (r *reader) help() bool {
	words := make([]string, len(r.tokens))
	for i, t := range r.tokens {
		words[i] = t.text
	}
	return slices.Contains(helps, strings.Join(words, " "))
}
