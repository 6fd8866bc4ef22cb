package question

import (
	"slices"
	"strings"
)

// search is the plan that looks for the question's words in all texts.
func (r *reader) search() Plan {
	words := r.words(r.tokens)
	if len(words) == 0 {
		for _, t := range r.tokens[:min(len(r.tokens), 8)] {
			words = append(words, t.text)
		}
	}
	return Plan{Measure: Search, Words: strings.Join(words, " ")}
}

// words are those of tokens that say something.
func (r *reader) words(tokens []token) (words []string) {
	for i, t := range tokens {
		if i == 0 && marked(r.in, "foresees", t.text) {
			continue
		}
		if s := r.in[0].phrases[t.text]; slices.Contains([]string{"stop", "prep", "or", "measure"}, s.sort) || len(t.text) < 2 && t.text[0] < 0x80 {
			continue
		}
		if !slices.Contains(words, t.text) && len(strings.Join(words, " "))+len(t.text) < maxText {
			words = append(words, t.text)
		}
	}
	return words
}
