package question

import "slices"

// estimates reads "tickets with story points" as those that have an estimate and "tickets without estimates" as those that
// have none. Points that are asked for themselves are added up; see [reader.numbers].
func (r *reader) estimates() {
	for i := range r.items {
		it := &r.items[i]
		switch {
		case it.sort == "type" && it.value == "SUBTASK" && r.had(i): // no filter says what parts a ticket has
			it.sense, it.hard = sense{"word", r.tokens[it.at].text}, true
		case it.sort == "concept" && it.value == "estimated" && !r.estimated(it):
			it.sense = sense{"word", r.tokens[it.at].text} // the estimated date of something else, or who estimated it
		case it.sort != "field" || it.value != "storyPoints":
		case r.before(it) != nil && r.before(it).sort == "none" && r.before(it).value == "no":
			r.before(it).sort = "stop"
			it.sense = sense{"concept", "unestimated"}
		case !r.averaged() && !r.counted(it) && r.had(i):
			it.sense = sense{"concept", "estimated"}
		}
	}
}

// isTickets reports whether an item names tickets.
func isTickets(x item) bool {
	return x.sort == "kind" && x.value == "ticket" || x.sort == "type"
}

// estimated reports whether "estimated" says which tickets are meant.
func (r *reader) estimated(it *item) bool {
	return !r.marked("by", it.at+it.n) && slices.ContainsFunc(r.items, isTickets)
}

// had reports whether the item at a place is what tickets before it have: no more than an article stands between.
func (r *reader) had(i int) bool {
	if !slices.ContainsFunc(r.items[:i], isTickets) {
		return false
	}
	for j := i - 1; j >= 0; j-- {
		switch at := r.items[j].at; {
		case r.marked("having", at):
			if r.items[j].sort == "word" {
				r.items[j].sort = "stop"
			}
			return true
		case !r.marked("any", at):
			return false
		}
	}
	return false
}

// counted reports whether a number follows the points: "story points over 5".
func (r *reader) counted(points *item) bool {
	next := r.after(points)
	if next != nil && next.sort == "verb" {
		next = r.after(next)
	}
	return next != nil && slices.Contains([]string{"cmp", "number", "range"}, next.sort)
}

// averaged reports whether the question adds up or compares points, or says something else of them.
func (r *reader) averaged() bool {
	return r.has("concept", "duration") == nil && r.has("measure", "sum", "average", "median", "percentile", "most", "least") != nil
}
