package clerk

import (
	"slices"
	"strings"

	"chela/internal/desk"
)

// mostAlike bounds how many records of a similar title are compared.
const mostAlike = 100

// EnsureNamed plans a record, or returns the one of the same identity or, where one of the two is known
// by a key and the other by its title, of the same title. Two that have different keys are two.
func EnsureNamed[T desk.Thing](w *Work, k desk.Kind, body T) (r desk.Record, made bool, err error) {
	if err := body.Check(); err != nil {
		return r, false, err
	}
	if r, ok, err := w.Find(k, desk.Identity(body)); err != nil || ok {
		return r, false, err
	}
	if r, ok, err := w.titled(k, body); err != nil || ok {
		return r, false, err
	}
	r, err = Add(w, k, body)
	return r, true, err
}

// titled finds the record that has the title of body, and is meant by it.
func (w *Work) titled(k desk.Kind, body desk.Thing) (desk.Record, bool, error) {
	found, err := w.meant(k, body, Query{Text: titleOf(body)})
	if err != nil || len(found) == 0 {
		return desk.Record{}, false, err
	}
	return found[0], true, nil
}

func titleOf(body desk.Thing) string { return strings.Join(strings.Fields(desk.Title(body)), " ") }

// Meant returns the records that a body may mean, as planned, those that are recorded first: of its title, where at least
// one of the two is known by nothing else. [EnsureNamed] takes the first of them; whoever has to choose takes this.
func (w *Work) Meant(k desk.Kind, body desk.Thing) ([]desk.Record, error) {
	return w.meant(k, body, Query{Identity: desk.Identity(body)}, Query{Text: titleOf(body)})
}

// meant returns the records that a body may mean among those that queries find, and the planned ones.
func (w *Work) meant(k desk.Kind, body desk.Thing, queries ...Query) (out []desk.Record, err error) {
	var found []desk.Record
	for _, q := range queries {
		q.Project, q.Shared, q.Kind, q.Limit = w.project, k.Shared(), k, mostAlike
		p, err := w.store.Records(w.ctx, q)
		if err != nil {
			return nil, err
		}
		found = append(found, p.Records...)
	}
	planned, err := w.plannedAs(k, desk.Title(body))
	if err != nil {
		return nil, err
	}
	found = append(found, planned...)
	seen := make(map[string]bool)
	for _, r := range found {
		if planned, ok := w.now[r.ID]; ok {
			r = planned
		}
		if seen[r.ID] || r.Deleted || r.MergedInto != "" {
			continue
		}
		seen[r.ID] = true
		same, err := desk.Means(r, body)
		if err != nil {
			return nil, err
		}
		if same {
			out = append(out, r)
		}
	}
	return out, nil
}

// plannedAs returns the planned records of a kind that have a title, or had it, in the order of their ids.
func (w *Work) plannedAs(k desk.Kind, title string) ([]desk.Record, error) {
	for _, id := range w.fresh { // each change is read once, however often is asked
		s, err := desk.Summarize(w.now[id])
		if err != nil {
			return nil, err
		}
		key := titleKey(w.now[id].Kind, s)
		w.titles[key] = append(w.titles[key], id)
	}
	w.fresh = nil
	ids := slices.Sorted(slices.Values(w.titles[titleKey(k, desk.Summary{Title: title})]))
	out := make([]desk.Record, len(ids))
	for i, id := range ids {
		out[i] = w.now[id]
	}
	return out, nil
}

func titleKey(k desk.Kind, s desk.Summary) string { return string(k) + " " + s.Folded() }
