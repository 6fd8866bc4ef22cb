package question

import (
	"strings"

	"chela/internal/desk"
)

// waits reads questions about what waits for whom.
func (r *reader) waits() []Plan {
	if it := r.has("chain"); it != nil && r.has("person") == nil && len(r.rest()) == 0 {
		it.used = true
		r.take("measure", "longest", "most")
		r.heed("others")
		return []Plan{{Kind: desk.Ticket, Measure: Waits, State: it.value}}
	}
	waits, blocks := r.has("verb", "waits"), r.has("verb", "blocks")
	if it := r.has("field", "blockers"); blocks == nil && waits == nil && it != nil && r.raw(it) == "blocked by" {
		if next := r.after(it); next != nil && next.sort == "person" {
			return []Plan{{Kind: desk.Ticket, Measure: Waits, Person: next.names[0].Name}}
		}
		if next := r.after(it); next != nil && (next.sort == "key" || next.sort == "title") && r.first(it) {
			return r.blockedBy(it)
		}
	}
	if it := r.has("concept", "blocked"); blocks == nil && it != nil && r.tokens[it.at+it.n-1].text == "blockers" && (r.has("key") != nil || r.has("title") != nil) {
		blocks = it // "what are the blockers of PAY-101"
	}
	why := r.has("measure", "why")
	if waits == nil && blocks == nil && (why == nil || r.has("concept", "blocked") == nil && r.has("value", "BLOCKED") == nil) {
		return nil
	}
	r.heed("others")
	p := Plan{Kind: desk.Ticket, Measure: Waits}
	if it := r.has("person"); it != nil {
		p.Person = it.names[0].Name
		if blocks != nil && it.at > blocks.at || waits != nil && (it.at < waits.at || r.whereon(waits)) {
			p.State = "of"
		}
		return []Plan{p}
	}
	if next := r.after(waits); waits != nil && next != nil && (next.sort == "value" || next.sort == "role") {
		return nil // what waits for a review is in it
	}
	ids := r.record(desk.Ticket)
	switch {
	case len(ids) > 1 && waits != nil && r.has("key") == nil && r.has("title") == nil:
		return []Plan{r.search()} // of which of them, a word of their titles does not say
	case len(ids) > 0 && waits == nil && blocks != nil && blocks.sort == "verb" && !r.first(blocks) && r.has("measure", "why", "who") == nil:
		p.State, p.Records = "for", ids // what does PAY-1 block
	case len(ids) > 0 && waits != nil && r.first(waits) && !r.whereon(waits):
		p.State, p.Records = "for", ids // what waits for it
		if r.take("through") != nil {
			p.State = "through"
		}
	case len(ids) > 0:
		p.State, p.Records = "of", ids // what it waits for
	case len(r.rest()) > 0:
		return nil
	case why != nil && waits == nil && blocks == nil: // "which tickets are blocked, and why"
		p.State = Stuck
		r.take("concept", "blocked")
		r.take("value", "BLOCKED")
		p.Filter = strings.Join(r.conditions(desk.Ticket), " ")
	}
	return []Plan{p}
}

// Stuck is the value of [Plan.State] for open tickets that are blocked or wait for others, with why.
const Stuck = "stuck"

// blockedBy reads "which tickets are blocked by PAY-1", and "is PAY-2 blocked by PAY-1", which asks what PAY-2 waits for.
func (r *reader) blockedBy(it *item) []Plan {
	p := Plan{Kind: desk.Ticket, Measure: Waits, State: "for"}
	for i := range r.items {
		x := &r.items[i]
		if x.sort != "key" && x.sort != "title" {
			continue
		}
		if x.at < it.at {
			p.State, p.Records = "of", nil
		}
		for _, h := range x.hits {
			if lasting(h.Kind) && (p.State == "for" || x.at < it.at) {
				p.Records = append(p.Records, h.ID)
			}
		}
		x.used = true
	}
	it.used = true
	if len(p.Records) == 0 || len(p.Records) > maxRecords {
		return nil
	}
	return []Plan{p}
}

// whereon reports whether it is asked what is waited for, though the question names it behind the verb: "worauf wartet PAY-1".
func (r *reader) whereon(waits *item) bool {
	return r.marked("where-on", waits.at)
}

// first reports whether the records that the question names come after the verb.
func (r *reader) first(verb *item) bool {
	for i := range r.items {
		if it := &r.items[i]; it.at > verb.at && (it.sort == "title" || it.sort == "key" || it.sort == "word") {
			return true
		}
	}
	return false
}
