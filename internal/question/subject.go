package question

import "slices"

// subjects reads "tickets about labels" and "bugs about due dates" as those with the words, which mean something else where no ticket is about them.
func (r *reader) subjects() {
	about := r.has("topic", "about")
	if about == nil || !slices.ContainsFunc(r.items, func(x item) bool { return x.at < about.at && isTickets(x) }) {
		return
	}
	i := slices.IndexFunc(r.items, func(x item) bool { return x.at > about.at && x.sort != "stop" })
	if i < 0 || !slices.Contains([]string{"field", "kind", "measure", "concept"}, r.items[i].sort) {
		return
	}
	var words []item
	for at := r.items[i].at; at < r.items[i].at+r.items[i].n; at++ {
		words = append(words, item{sense: sense{"word", r.tokens[at].text}, at: at, n: 1})
	}
	r.items = slices.Replace(r.items, i, i+1, words...)
}
