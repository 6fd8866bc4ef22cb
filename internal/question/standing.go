package question

import (
	"fmt"
	"slices"
	"strings"

	"chela/internal/desk"
)

// stands reads "how is Sprint 24 going" and "where do we stand with Launch in Germany": how many tickets of it are in which status, how far an
// objective is, how loaded a person is, and of another record its status and its day.
func (r *reader) stands() []Plan {
	if !r.standing {
		return nil
	}
	people := r.all("person")
	if len(people) > 1 || slices.ContainsFunc(r.items, func(it item) bool {
		return slices.Contains([]string{"role", "field", "by", "measure", "none"}, it.sort) || it.sort == "concept" && it.value != "blocked"
	}) || len(r.rest()) > 0 {
		return []Plan{r.search()}
	}
	if p, ok := r.standOf(); ok {
		return []Plan{p}
	}
	if len(people) == 1 && people[0].names[0].ID != "" && r.alone("person") {
		people[0].used = true
		return []Plan{{Kind: desk.Resource, Measure: Capacity, Person: people[0].names[0].Name}}
	}
	if kind, said := r.kind(); said && !lasting(kind) {
		return []Plan{r.search()}
	}
	return []Plan{byStatus(strings.Join(r.conditions(desk.Ticket), " "))}
}

// standOf is how the record stands that the question names; false when it names none.
func (r *reader) standOf() (Plan, bool) {
	named := append(r.all("title"), r.all("key")...)
	if len(named) == 0 {
		for _, it := range r.all("named") {
			if at := slices.IndexFunc(it.values, inSprint); at >= 0 && r.has("field", "coverage") != nil {
				it.used, r.has("field", "coverage").used = true, true
				return byStatus(fmt.Sprintf("sprint:%q", it.values[at].Text)), true
			}
		}
		return Plan{}, false
	}
	hit, several := named[0].hits[0], len(named[0].hits) > 1
	named[0].used = true
	switch {
	case plansSprint(*named[0]):
		return byStatus(fmt.Sprintf("sprint:%q", hit.Title)), true
	case fieldOf(hit.Kind, "measurableSignal") != "" && !several:
		return Plan{Kind: hit.Kind, Measure: Coverage, Records: []string{hit.ID}}, true
	case fieldOf(hit.Kind, "items") != "":
		return Plan{Measure: Facts, Records: r.whole(""), Fields: []string{"status", "items"}}, true
	}
	return Plan{Measure: Facts, Records: r.whole(""), Fields: []string{"status", "due"}}, true
}

func byStatus(filter string) Plan {
	return Plan{Kind: desk.Ticket, Measure: Group, By: "status", Filter: filter}
}

// howItGoes takes the words that ask how something stands: the question begins with "where do we stand", or with "how" and ends with "going".
func (r *reader) howItGoes() {
	for n := min(maxPhrase, len(r.tokens)); n > 1; n-- {
		if marked(r.in, "stands", phrase(r.tokens[:n])) {
			r.empty(0, n)
			r.standing = true
			return
		}
	}
	for n := 2; n > 0; n-- {
		if at := len(r.tokens) - n; at > 1 && r.items[0].n == 1 && r.marked("how", 0) && // and not "how many tickets is Tom doing"
			marked(r.in, "goes", phrase(r.tokens[at:])) {
			r.empty(at, n)
			r.standing = true
			return
		}
	}
}

// sprintsHealth takes the words around a sprint that ask how it stands: "how is Sprint 24", "give me Sprint 24's health",
// "is Sprint 24 on track".
func (r *reader) sprintsHealth() {
	for _, it := range r.items {
		if it.sort != "title" && it.sort != "named" || it.sort == "title" && !plansSprint(it) || it.sort == "named" && !slices.ContainsFunc(it.values, inSprint) {
			continue
		}
		end := it.at + it.n
		n := r.health(end)
		before := phrase(r.tokens[:it.at])
		if end+n == len(r.tokens) && (marked(r.in, "how-is", before) || n > 0 && (before == "" || marked(r.in, "health-of", before))) {
			r.empty(0, it.at)
			r.empty(end, n)
			r.standing = true
		}
		return
	}
}

// healthy reports whether the words at a place ask how what stands before them is: "health", "on track", "going".
func (r *reader) healthy(at int) bool { return r.health(at) > 0 }

// health is how many words at a place ask how what stands before them is.
func (r *reader) health(at int) int {
	for n := min(2, len(r.tokens)-at); n > 0; n-- {
		if marked(r.in, "health", phrase(r.tokens[at:at+n])) {
			return n
		}
	}
	return 0
}

// empty takes the meaning of the items that lie within n words at a place.
func (r *reader) empty(at, n int) {
	for i := range r.items {
		if it := &r.items[i]; it.at >= at && it.at+it.n <= at+n {
			it.sort, it.used = "stop", true
		}
	}
}
