package clerk

import (
	"maps"
	"slices"

	"chela/internal/desk"
)

// Meant returns the records that a body may mean, as planned, those that are recorded first: of its title, where at least
// one of the two is known by nothing else. [EnsureNamed] takes the first of them; whoever has to choose takes this.
func (w *Work) Meant(k desk.Kind, body desk.Thing) ([]desk.Record, error) {
	var found []desk.Record
	for _, q := range []Query{{Identity: desk.Identity(body)}, {Text: desk.Title(body)}} {
		q.Project, q.Shared, q.Kind, q.Limit = w.project, k.Shared(), k, mostAlike
		p, err := w.store.Records(w.ctx, q)
		if err != nil {
			return nil, err
		}
		found = append(found, p.Records...)
	}
	for _, id := range slices.Sorted(maps.Keys(w.now)) { // what is planned
		if w.now[id].Kind == k {
			found = append(found, w.now[id])
		}
	}
	var out []desk.Record
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

// DoerIDs returns the resources that do a ticket, as planned.
func (w *Work) DoerIDs(ticket string) ([]string, error) {
	shares, err := w.shares(ticket)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, s := range shares {
		a, err := desk.Open[desk.AssignmentBody](s)
		if err != nil {
			return nil, err
		}
		out = append(out, a.ResourceID)
	}
	return out, nil
}
