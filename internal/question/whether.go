package question

import "slices"

// whether returns where that stands of which a question asks whether it holds for all: "do all open tickets have an owner". It is 0 when it does
// not.
func (r *reader) whether() int {
	if !r.universal() || r.has("measure") != nil || r.has("kind") == nil && r.has("type") == nil && !r.marked("whole", 1) {
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
	return r.marked("asks", 0) && r.marked("all", 1)
}

// everybody reports whether an item says that each person is meant, and not the people: "how many tickets does everyone have".
func (r *reader) everybody(it *item) bool {
	if r.has("period") != nil && r.has("verb", "due", "created", "resolved", "updated", "reported") == nil && r.has("state", "done") == nil {
		return false // what people did in a week no ticket tells
	}
	return it.sort == "kind" && r.marked("everyone", it.at) && r.has("verb", "owned") != nil && r.has("measure", "count", "list") != nil
}

// whose reads "tickets whose title contains refund" as one that asks for no person.
func (r *reader) whose() {
	for i := range r.items {
		it := &r.items[i]
		if i+1 < len(r.items) && it.sort == "measure" && it.value == "who" && r.marked("whose", it.at) && (r.items[i+1].sort == "in" || r.items[i+1].sort == "field") {
			it.sort = "stop"
		}
	}
}

// thereWere reads "how many tickets were there" as one that asks for nobody who was there.
func (r *reader) thereWere() {
	for _, it := range r.all("field") {
		asked := it.at == 0 && r.has("person") == nil || r.has("measure", "count") != nil && r.has("kind", "thread", "resource") == nil // "was there a retrospective"
		if it.value == "attendees" && marked(r.in, "were-there", r.text(it)) && asked {
			it.sort = "stop"
		}
	}
}

// every reads the word behind the verb in "does every ticket" as one that groups nothing.
func (r *reader) every() {
	if r.universal() && len(r.items) > 1 && r.items[1].sort == "by" {
		r.items[1].sort = "stop"
	}
	for _, it := range r.all("verb") { // "are all bugs assigned", "how many tickets are assigned"
		next := r.after(it)
		if it.n > 1 || !r.marked("assigned", it.at) || r.has("person") != nil || r.has("role") != nil || r.has("measure", "who", "when") != nil || r.has("key") != nil || r.has("title") != nil || next != nil && next.sort == "by" {
			continue
		}
		it.sense = sense{"concept", "assigned"}
		if next != nil && next.sort == "period" { // since when somebody has them no record tells
			r.lost = append(r.lost, r.raw(it))
		}
	}
}
