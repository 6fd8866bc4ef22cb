package question

import (
	"slices"

	"chela/internal/desk"
)

// reaches reads "will we make the code freeze" and "is Beta going to make it": how a record stands that has a day. Whether it will be reached no
// record says.
func (r *reader) reaches() []Plan {
	asked := r.has("concept", "reach")
	if asked == nil || !r.alone("concept", "title", "key", "kind", "word") || len(r.all("title"))+len(r.all("key")) > 1 {
		return nil
	}
	var hit Hit
	switch named := append(r.all("title"), r.all("key")...); {
	case len(named) == 1 && len(named[0].hits) == 1 && len(r.rest()) == 0:
		hit, named[0].used = named[0].hits[0], true
	case len(named) == 0:
		hit = r.called()
	}
	if hit.ID == "" || hit.Kind.Asked().Day == "" {
		return nil
	}
	asked.used = true
	return []Plan{{Measure: Facts, Records: []string{hit.ID}, Fields: []string{"status", "when", Remaining}}}
}

// called is the one milestone whose title has all words that nothing else is made of: "Beta" is "Beta with ten merchants" where no other has the word.
func (r *reader) called() Hit {
	var words []string
	for _, it := range r.all("word") {
		words = append(words, r.tokens[it.at].text)
	}
	if len(words) == 0 {
		return Hit{}
	}
	hits := slices.DeleteFunc(r.v.Named(words, desk.Milestone), func(h Hit) bool { return h.Words < len(words) })
	if len(hits) != 1 {
		return Hit{}
	}
	for _, it := range r.all("word") {
		it.used = true
	}
	return hits[0]
}
