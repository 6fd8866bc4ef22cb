package clerk

import (
	"slices"
	"strings"

	"chela/internal/desk"
)

// Person returns the resource that goes by the name, or the only one whose first name it
// is, planning a new one when there is none; made says which.
func (w *Work) Person(name string, sources []desk.Source) (r desk.Record, made bool, err error) {
	r, known, err := w.KnownPerson(name)
	if err != nil || known {
		return r, false, err
	}
	r, err = Add(w, desk.Resource, &desk.ResourceBody{Name: name, Sources: sources})
	return r, true, err
}

// KnownPerson is [Work.Person] for a name of which nobody is made; known is false when it is nobody's, or of several.
func (w *Work) KnownPerson(name string) (r desk.Record, known bool, err error) {
	if r, ok, err := w.Find(desk.Resource, desk.Identity(&desk.ResourceBody{Name: name})); err != nil || ok {
		return r, ok, err
	}
	all, err := w.List(Query{Kind: desk.Resource, Limit: 5000}) // as the work leaves them: it may have named one otherwise
	if err != nil {
		return r, false, err
	}
	var called []desk.Record
	for _, r := range append(all, w.planned(desk.Resource)...) {
		other, err := desk.Open[desk.ResourceBody](r)
		if err != nil {
			return r, false, err
		}
		if other.Answers(name) {
			return r, true, nil
		}
		if other.First(name) && !slices.ContainsFunc(called, func(c desk.Record) bool { return c.ID == r.ID }) {
			called = append(called, r)
		}
	}
	if len(called) == 1 {
		return called[0], true, nil
	}
	return desk.Record{}, false, nil
}

// planned returns the records of a kind that the plan creates, in its order.
func (w *Work) planned(k desk.Kind) []desk.Record {
	var out []desk.Record
	for name, id := range w.named {
		if r := w.now[id]; strings.HasPrefix(name, string(k)+" ") && !r.Deleted && r.MergedInto == "" {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b desk.Record) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// NewPeople returns the names of the people whom the plan makes, in its order.
func (w *Work) NewPeople() (out []string, err error) {
	for _, r := range w.planned(desk.Resource) {
		if r.Version > 1 {
			continue // it was there
		}
		b, err := desk.Open[desk.ResourceBody](r)
		if err != nil {
			return nil, err
		}
		out = append(out, b.Name)
	}
	return out, nil
}
