package question

import "slices"

// whether returns where that stands of which a question asks whether it holds for all: "do all open tickets have an owner". It is 0 when it does
// not.
func (r *reader) whether() int {
	if !r.universal() || r.has("measure") != nil || r.has("kind") == nil && r.has("type") == nil {
		return 0
	}
	for i := len(r.items) - 1; i > 1; i-- {
		if it := &r.items[i]; slices.Contains([]string{"state", "value", "concept", "field", "none", "type", "named", "person"}, it.sort) {
			return it.at
		}
	}
	return 0
}

// universal reports whether a question begins with "are all", "does every" or the like.
func (r *reader) universal() bool {
	return len(r.tokens) > 1 && slices.Contains([]string{"are", "is", "do", "does", "have", "has", "sind", "haben", "hat", "ist"}, r.tokens[0].text) &&
		slices.Contains([]string{"all", "every", "each", "alle", "jedes", "jeder", "jede"}, r.tokens[1].text)
}

// every reads the word behind the verb in "does every ticket" as one that groups nothing.
func (r *reader) every() {
	if r.universal() && len(r.items) > 1 && r.items[1].sort == "by" {
		r.items[1].sort = "stop"
	}
}
