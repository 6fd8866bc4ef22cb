package question

import (
	"slices"

	"chela/internal/desk"
)

// subjects reads "tickets about labels" and "bugs about due dates" as those with the words, which mean something else where no ticket is about them.
func (r *reader) subjects() {
	about := r.has("topic", "about")
	if about == nil || !slices.ContainsFunc(r.items, func(x item) bool { return x.at < about.at && isTickets(x) }) {
		return
	}
	first := true
	for i := 0; i < len(r.items); i++ {
		switch it := &r.items[i]; {
		case it.at <= about.at || it.sort == "stop" || it.sort == "or" || it.sort == "not":
			continue
		case it.sort == "title" || first && slices.Contains([]string{"field", "kind", "measure", "concept"}, it.sort):
			i += r.inWords(i) - 1
		case it.sort != "word" && it.sort != "named":
			return
		}
		first = false
	}
}

// foreign takes what only records of other kinds have, as a skill has the name of what tickets are about, for words.
func (r *reader) foreign(kind desk.Kind) {
	for i := 0; i < len(r.items); i++ {
		if it := &r.items[i]; it.sort == "named" && !it.used && r.valued(kind, it.values) == "" && !slices.ContainsFunc(it.values, inSprint) {
			i += r.inWords(i) - 1
		}
	}
}

// inWords reads an item as the words that it has, and returns how many these are.
func (r *reader) inWords(i int) int {
	var words []item
	for at := r.items[i].at; at < r.items[i].at+r.items[i].n; at++ {
		words = append(words, item{sense: sense{"word", r.tokens[at].text}, at: at, n: 1, not: r.items[i].not, group: r.items[i].group})
	}
	r.items = slices.Replace(r.items, i, i+1, words...)
	return len(words)
}
