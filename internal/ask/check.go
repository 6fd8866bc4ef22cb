package ask

import (
	"slices"
	"strings"

	"chela/internal/desk"
	"chela/internal/pattern"
)

var (
	idPattern     = pattern.New(`\b(?:` + strings.Join(desk.Prefixes(), "|") + `)_[0-9a-z]{20,32}\b`)
	numberPattern = pattern.New(`\d+(?:[.,]\d+)*`)
	listNumber    = pattern.New(`(?m)^\s*\d{1,2}[.)]\s`)
)

// cited returns the records that the answer names by id, each once.
func (k *known) cited(answer string) []Citation {
	out := []Citation{}
	for _, id := range idPattern.FindAllString(answer, -1) {
		p, ok := k.has(id)
		if ok && !slices.ContainsFunc(out, func(c Citation) bool { return c.ID == id }) {
			out = append(out, Citation{ID: id, Kind: p.Kind, Title: p.title})
		}
	}
	return out
}

// check finds what the answer says without support: ids of no record, and numbers
// that occur neither in the context, as the model was shown it, nor in the question. Digits of ids are no
// numbers, and list numbers at a line's beginning count nothing.
func (k *known) check(context, question, answer string) []Unsupported {
	out := []Unsupported{}
	for _, id := range idPattern.FindAllString(answer, -1) {
		if _, ok := k.has(id); !ok && !slices.ContainsFunc(out, func(u Unsupported) bool { return u.Text == id }) {
			out = append(out, Unsupported{id, "There is no such record in this project."})
		}
	}
	text := listNumber.ReplaceAllString(idPattern.ReplaceAllString(answer, ""), "")
	if said := numberPattern.FindAllString(text, -1); len(said) > 0 { // most answers say none, and contexts are long
		have := numbers(context + " " + question)
		for _, n := range said {
			if !have[plainNumber(n)] && !slices.ContainsFunc(out, func(u Unsupported) bool { return u.Text == n }) {
				out = append(out, Unsupported{n, "The number is in none of the records."})
			}
		}
	}
	return out
}

// numbers returns the numbers of a text that are no part of an id.
func numbers(text string) map[string]bool {
	out := make(map[string]bool)
	for _, at := range numberPattern.FindAllStringIndex(text, -1) {
		if from := at[0]; from > 0 && ofID(text[from-1]) {
			to := at[1]
			for from > 0 && ofID(text[from-1]) {
				from--
			}
			for to < len(text) && ofID(text[to]) {
				to++
			}
			if idPattern.MatchString(text[from:to]) {
				continue
			}
		}
		out[plainNumber(text[at[0]:at[1]])] = true
	}
	return out
}

// ofID reports whether ids have such a letter.
func ofID(c byte) bool { return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' }

// plainNumber makes 1,024 and 1024 equal, and 32.0 and 32.
func plainNumber(n string) string {
	n = strings.ReplaceAll(n, ",", "")
	if strings.Contains(n, ".") {
		n = strings.TrimRight(strings.TrimRight(n, "0"), ".")
	}
	return n
}
