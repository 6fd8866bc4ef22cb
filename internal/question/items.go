package question

import (
	"slices"

	"chela/internal/desk"
)

// Nobody is the value of [Plan.Person] for what is nobody's.
const Nobody = "nobody"

// Items is the value of [Plan.State] for the items of checklists; [Plan.Words] says whether the open ones or the done ones.
const Items = "items"

// checkItems reads questions about the items of several checklists, or of one by a word that its name has: "which checklist items are unassigned",
// "what is missing on the pilot checklist".
func (r *reader) checkItems() []Plan {
	kind, field := r.has("kind", string(desk.Checklist)), r.has("field", "items")
	if kind == nil || field == nil || r.has("measure", "when", "why", "share", "average") != nil || r.has("or") != nil {
		return nil
	}
	p := Plan{Kind: desk.Checklist, Measure: List, State: Items}
	named := slices.Concat(r.all("title"), r.all("key"))
	if len(named) > 0 {
		if p.Records = r.checklists(named); len(p.Records) == 0 {
			return nil
		}
	}
	switch {
	case r.take("concept", "unassigned") != nil, r.take("none", "nobody") != nil:
		p.Person = Nobody
	default:
		p.Person = r.person()
	}
	switch {
	case r.take("state", "done") != nil:
		p.Words = "done"
	case r.take("state", "open") != nil || r.marked("left-over", field.at) || r.take("none") != nil:
		p.Words = "open"
	}
	kind.used, field.used = true, true
	for _, it := range slices.Concat(r.all("measure"), r.all("verb")) {
		it.used = it.used || slices.Contains([]string{"list", "count", "who", "owned"}, it.value)
	}
	return []Plan{p}
}

// checklists are the checklists that titles name: their own, or one that has the words of another record's title.
func (r *reader) checklists(named []*item) (out []string) {
	for _, it := range named {
		for _, h := range it.hits {
			if fieldOf(h.Kind, "items") != "" {
				return nil // what is on one whole checklist is a fact of it
			}
		}
		words := make([]string, 0, it.n)
		for _, t := range r.tokens[it.at : it.at+it.n] {
			words = append(words, t.text)
		}
		for _, h := range r.v.Named(words, desk.Checklist) {
			if h.Share > 0.99 && len(out) < maxRecords {
				out = append(out, h.ID)
				it.used = true
			}
		}
	}
	return out
}
