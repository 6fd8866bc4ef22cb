package clerk

import (
	"maps"
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
	title := strings.Join(strings.Fields(desk.Title(body)), " ")
	p, err := w.store.Records(w.ctx, Query{Project: w.project, Shared: k.Shared(), Kind: k, Text: title, Limit: mostAlike})
	if err != nil {
		return desk.Record{}, false, err
	}
	found := p.Records
	for _, id := range slices.Sorted(maps.Keys(w.now)) { // what is planned
		r := w.now[id]
		if r.Kind == k {
			found = append(found, r)
		}
	}
	for _, r := range found {
		if planned, ok := w.now[r.ID]; ok {
			r = planned
		}
		if r.Deleted || r.MergedInto != "" {
			continue
		}
		same, err := desk.Means(r, body)
		if err != nil || same {
			return r, same, err
		}
	}
	return desk.Record{}, false, nil
}
