package question

import (
	"slices"
	"strings"

	"chela/internal/desk"
)

// Values of [Plan.State] for tickets that came to a sprint after its first day, and that were taken out of it since.
const (
	Added   = "added"
	Removed = "removed"
)

// scopes reads what was added to a sprint after its start, and what was taken out of it.
func (r *reader) scopes() []Plan {
	if r.has("not") != nil || r.has("none") != nil || r.has("measure", "who", "why") != nil {
		return nil
	}
	name, at := r.inSprint()
	if name == "" {
		return nil
	}
	it := r.has("concept", "midsprint", Removed)
	if it == nil {
		it = r.sinceStart()
	}
	if it == nil {
		return nil
	}
	from, _ := r.v.Days(r.planOf(name))
	if from == "" {
		r.lost = append(r.lost, r.raw(it))
		return nil
	}
	p := Plan{Kind: desk.Ticket, Measure: List, State: Added, Words: name, From: string(from)}
	if it.value == Removed {
		p.State = Removed
	}
	if r.has("measure", "count") != nil {
		p.Measure = Count
	}
	at.used, at.sort, it.used = true, "stop", true
	r.take("field", "storyPoints") // the answer adds them up
	for i := range r.items {
		x := &r.items[i]
		x.used = x.used || x.sort == "concept" && x.value == it.value || x.sort == "verb" && slices.Contains([]string{"created", "updated", "into", "starts"}, x.value) || x.sort == "field" && x.value == "sprint"
	}
	p.Filter = strings.Join(r.conditions(desk.Ticket), " ")
	return []Plan{p}
}

// sinceStart returns the "after" of "after it started" and "after the start of the sprint", where something came to a sprint then; nil for none.
func (r *reader) sinceStart() *item {
	if r.has("verb", "created", "into", "updated") == nil {
		return nil
	}
	for i := range r.items {
		it := &r.items[i]
		if it.sort != "prep" || it.value != "after" && it.value != "since" {
			continue
		}
		for k := i + 1; k < len(r.items) && k < i+5; k++ {
			switch x := &r.items[k]; {
			case x.sort == "verb" && x.value == "starts", x.sort == "value" && x.value == string(desk.InProgress):
				it.sort, x.sort = "stop", "stop"
				return it
			case x.sort != "stop" && x.sort != "named" && (x.sort != "field" || x.value != "sprint"):
				k = len(r.items)
			}
		}
	}
	return nil
}

// inSprint is the sprint that a question names, or the one that runs where it speaks of the sprint; the item says so.
func (r *reader) inSprint() (name string, at *item) {
	for _, it := range slices.Concat(r.all("named"), r.all("title")) {
		if it.sort == "named" && slices.ContainsFunc(it.values, inSprint) {
			return it.value, it
		}
		if it.sort == "title" && plansSprint(*it) {
			return it.hits[0].Title, it
		}
	}
	if it := r.has("field", "sprint"); it != nil && !strings.HasSuffix(r.tokens[it.at].text, "s") {
		return r.v.Sprint(ThisSprint, r.now), it
	}
	return "", nil
}

// scoped is which tickets of a sprint a plan asks for, in words.
func (p Plan) scoped() string {
	if p.State == Removed {
		return "taken out of " + p.Words + " since " + p.From
	}
	return "that came to " + p.Words + " after " + p.From
}
