package question

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"chela/internal/desk"
	"chela/internal/query"
)

// The tables of synonyms, one for each language. A line is a meaning, "sort:value", and its phrases; or a
// mark, "mark:name", and words for which the grammar looks whatever they mean; or "known:words", and everyday
// words that mean nothing to a plan and are no typos of others; or "whole:meaning", and patterns of whole questions (see [spellings]).
var (
	//go:embed words/en.txt
	english string
	//go:embed words/de.txt
	german string
	//go:embed words/common.txt
	common string // everyday words of both, without a meaning
)

// A sense is what a phrase means.
type sense struct{ sort, value string }

// maxPhrase is how many words a phrase has at most.
const maxPhrase = 5

// A lexicon is the phrases of one language.
type lexicon struct {
	name    string
	phrases map[string]sense
	words   map[string]bool            // that some phrase has
	known   map[string]bool            // everyday words that mean nothing to a plan, and are no typos of others
	marks   map[string]map[string]bool // the words that the grammar looks for, by what they mark; they may mean something beside
	wholes  map[string]string          // questions that are read as they are, by what they ask
}

// lexicons are all tables, the first one for questions that could be in any.
var lexicons = sync.OnceValue(func() []*lexicon { //nolint:gochecknoglobals // a table that is read once
	en, de := newLexicon("en", english), newLexicon("de", german)
	for _, k := range desk.Kinds() { // English calls closed sets by their values
		fields, err := desk.Fields(k)
		if err != nil {
			continue
		}
		for _, f := range fields.List {
			if f.Type == query.Set && !slices.Contains([]string{"type", "role", "scope", "sourceType"}, f.Name) {
				for _, v := range f.Allowed {
					en.add(strings.ToLower(strings.ReplaceAll(v, "_", " ")), sense{"value", v})
				}
			}
		}
	}
	for line := range strings.Lines(common) {
		if !strings.HasPrefix(line, "#") {
			for word := range strings.FieldsSeq(line) {
				en.known[word] = true
			}
		}
	}
	return []*lexicon{en, de}
})

func newLexicon(name, table string) *lexicon {
	l := &lexicon{name: name, phrases: make(map[string]sense), words: make(map[string]bool), known: make(map[string]bool), marks: make(map[string]map[string]bool), wholes: make(map[string]string)}
	for line := range strings.Lines(table) {
		head, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		sort, value, ok := strings.Cut(head, ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		for phrase := range strings.SplitSeq(rest, ",") {
			switch sort {
			case "mark":
				l.mark(value, phrase)
			case "whole":
				l.whole(value, phrase)
			case "known":
				l.known[strings.TrimSpace(phrase)] = true
			default:
				l.add(phrase, sense{sort, value})
			}
		}
	}
	return l
}

// mark keeps a word that the grammar looks for.
func (l *lexicon) mark(mark, phrase string) {
	if l.marks[mark] == nil {
		l.marks[mark] = make(map[string]bool)
	}
	l.marks[mark][strings.TrimSpace(phrase)] = true
	l.known[strings.TrimSpace(phrase)] = true
}

// marked reports whether some words are a mark in one of the languages.
func marked(in []*lexicon, mark, words string) bool {
	return slices.ContainsFunc(in, func(l *lexicon) bool { return l.marks[mark][words] })
}

// add gives a phrase a meaning, when it has none.
func (l *lexicon) add(phrase string, s sense) {
	tokens, _ := tokenize(phrase)
	words := make([]string, len(tokens))
	for i, t := range tokens {
		words[i] = t.text
		l.words[t.text] = true
	}
	key := strings.Join(words, " ")
	if _, taken := l.phrases[key]; key != "" && !taken {
		l.phrases[key] = s
	}
}

// find returns what the longest phrase at the beginning of tokens means.
func (l *lexicon) find(tokens []token) (s sense, n int) {
	for n = min(maxPhrase, len(tokens)); n > 0; n-- {
		if s, ok := l.phrases[phrase(tokens[:n])]; ok {
			return s, n
		}
	}
	return sense{}, 0
}

// languageOf returns the tables in the order in which a question is looked up: first the language that
// has most of its words.
func languageOf(tokens []token) []*lexicon {
	all := slices.Clone(lexicons())
	score := make(map[*lexicon]int)
	for _, l := range all {
		for _, t := range tokens {
			if l.words[t.text] {
				score[l] += 2
			}
			if s, ok := l.phrases[t.text]; ok && s.sort == "stop" {
				score[l]++ // articles and auxiliaries tell languages apart
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *lexicon) int { return score[b] - score[a] })
	return all
}

// denies reports whether a word is another one with a prefix that makes its opposite: no typo.
func denies(word, of string) bool {
	return slices.ContainsFunc([]string{"un", "in", "im", "non", "dis", "re"}, func(prefix string) bool { return word == prefix+of })
}

// ends reports whether two words end in the same letter.
func ends(a, b string) bool { return a[len(a)-1] == b[len(b)-1] }

// spelled returns the word of the tables that a word with a typo is meant to be.
func spelled(word string, in []*lexicon) (string, bool) {
	best, least, of := "", Typos(word)+1, 0
	for i, l := range in {
		for _, w := range slices.Sorted(maps.Keys(l.words)) {
			most := min(Typos(word), Typos(w), least)
			if i > 0 {
				most = min(most, 1) // a word of another language is like many
			}
			if len(w) < 4 || i > 0 && len(w) < 6 || l.phrases[w].sort == "stop" && !misplaced(word, w) {
				continue
			}
			if d, ok := Mistyped(word, w, most); ok && (d < least || best != "" && of == i && ends(word, w) && !ends(word, best)) && !denies(word, w) {
				best, least, of = w, d, i
			}
		}
	}
	if best == "" && len(word) == 3 { // two letters that changed places
		for _, l := range in {
			for _, w := range []string{word[1:2] + word[:1] + word[2:], word[:1] + word[2:] + word[1:2]} {
				if l.words[w] {
					return w, true
				}
			}
		}
	}
	return best, best != ""
}
