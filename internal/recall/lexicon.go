package recall

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed lexicon.txt
var lexiconText string

// A lexicon is general knowledge of English words; lexicon.txt says how it is written.
type lexicon struct {
	irregular map[string]string   // went: go
	same      map[string][]string // by term: terms of about the same meaning
	class     map[string][]string // by term: terms of the things of a class
}

var words, related = readIrregular(), sync.OnceValue(readRelated)

func readIrregular() lexicon {
	out := lexicon{irregular: make(map[string]string)}
	for section, line := range lexiconLines() {
		if section == "irregular" {
			base, forms, _ := strings.Cut(line, ":")
			for f := range strings.FieldsSeq(forms) {
				out.irregular[f] = strings.TrimSpace(base)
			}
		}
	}
	return out
}

// readRelated reads the words of one meaning and the classes, by terms.
func readRelated() lexicon {
	out := lexicon{same: make(map[string][]string), class: make(map[string][]string)}
	a := Options{}.analyzer(English)
	for section, line := range lexiconLines() {
		switch section {
		case "same":
			var terms []string
			for w := range strings.FieldsSeq(line) {
				terms = append(terms, a.term(w))
			}
			for _, t := range terms {
				for _, u := range terms {
					if u != t {
						out.same[t] = append(out.same[t], u)
					}
				}
			}
		case "class":
			names, things, _ := strings.Cut(line, ":")
			var terms []string
			for w := range strings.FieldsSeq(things) {
				terms = append(terms, a.term(w))
			}
			for n := range strings.FieldsSeq(names) {
				out.class[a.term(n)] = append(out.class[a.term(n)], terms...)
			}
		}
	}
	return out
}

// lexiconLines gives each line with the section that it is in.
func lexiconLines() func(yield func(section, line string) bool) {
	return func(yield func(string, string) bool) {
		section := ""
		for line := range strings.Lines(lexiconText) {
			line = strings.TrimSpace(line)
			if name, ok := strings.CutPrefix(line, "["); ok {
				section = strings.TrimSuffix(name, "]")
				continue
			}
			if line != "" && !strings.HasPrefix(line, "#") && !yield(section, line) {
				return
			}
		}
	}
}
