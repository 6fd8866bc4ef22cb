package question

import (
	"slices"
	"strings"

	"chela/internal/desk"
)

// portion makes a plan of a share, or of whether something holds for all: what narrows the whole, and what is asked of it. Without an "is" the
// share of blocked tickets in Sprint 24 is that of the blocked ones among those in it, and the share of blocked tickets that of all.
func (r *reader) portion(kind desk.Kind, p Plan, share bool, whether int) Plan {
	of := p.Of
	p = Plan{Kind: kind, Measure: Share}
	until := whether
	if share {
		p.Of = of // a share of points
		if until = r.copula(); until == 0 {
			if until = r.noun(); until == 0 { // "the share of critical ones among the open ones"
				until = 1 + slices.IndexFunc(r.tokens, func(t token) bool { return marked(r.in, "among", t.text) })
			}
			whole := r.scoped(until)
			some := r.conditionsUntil(kind, until)
			rest := r.conditions(kind)
			switch {
			case len(some) == 0:
			case len(rest) > 0 && r.ofPart(until): // the share of bugs among what was finished
				p.Base, p.Filter = strings.Join(rest, " "), strings.Join(slices.Concat(rest, some), " ")
				return p
			case len(rest) == 0 && len(some) > 1: // "the share of open bugs": of all, of the open ones, or of bugs
				r.lost = append(r.lost, r.raw(r.has("measure", "share")))
			case whole:
				p.Base, p.Filter = strings.Join(rest, " "), strings.Join(slices.Concat(rest, some), " ")
				return p
			}
			p.Base, p.Filter = strings.Join(some, " "), strings.Join(slices.Concat(some, rest), " ")
			return p
		}
	}
	base := r.conditionsUntil(kind, until)
	all := append(slices.Clone(base), r.conditions(kind)...)
	p.Base, p.Filter = strings.Join(base, " "), strings.Join(all, " ")
	if !share && p.Filter == p.Base {
		r.lost = append(r.lost, r.tokens[1].raw)
	}
	return p
}

// scoped reports whether nothing stands behind a place but where records are, whose, and of when: in Sprint 24, of Dana, this year.
func (r *reader) scoped(at int) bool {
	return !slices.ContainsFunc(r.items, func(it item) bool {
		return it.at >= at && !slices.Contains([]string{"named", "person", "period", "stop", "prep"}, it.sort) && (it.sort != "measure" || it.value != "share") && (it.sort != "field" || it.value != "sprint" && it.value != "labels")
	})
}

// copula is where "is" or "are" stands behind the word that asks for a share: what comes before narrows the whole. It is 0 when none does.
func (r *reader) copula() int {
	it := r.has("measure", "share")
	if it == nil {
		return 0
	}
	for i := it.at + it.n; i < len(r.tokens); i++ {
		if (r.marked("is", i) || r.marked("asks", i)) && (i+1 < len(r.tokens) || r.out.Language != "de") { // in German a clause about the whole ends with it
			return i
		}
	}
	return 0
}

// noun is where the name of the kind ends: what comes before narrows the whole, what comes after the share.
func (r *reader) noun() int {
	for _, it := range r.items {
		if it.sort == "kind" || it.sort == "type" {
			return it.at + it.n
		}
	}
	return 0
}

// ofPart reports whether behind a place another whole is named of which the share is: "among everything that was finished", "of the finished tickets".
func (r *reader) ofPart(at int) bool {
	if r.marked("among", at) || at > 0 && r.marked("among", at-1) {
		return true
	}
	if !r.marked("part-of", at) {
		return false
	}
	for i := range r.items {
		it := &r.items[i]
		if it.at > at && (it.sort == "kind" || it.sort == "type" || r.marked("part", it.at)) {
			return true
		}
	}
	return false
}
