package clerk

import (
	"slices"
	"strings"

	"chela/internal/desk"
)

// Doers returns who does a ticket, as planned: their names, with commas between them; empty for nobody.
func (w *Work) Doers(ticket string) (string, error) {
	shares, err := w.shares(ticket)
	if err != nil {
		return "", err
	}
	var names []string
	for _, s := range shares {
		a, err := desk.Open[desk.AssignmentBody](s)
		if err != nil {
			return "", err
		}
		r, err := w.Get(desk.Resource, a.ResourceID)
		if err != nil {
			return "", err
		}
		who, err := desk.Open[desk.ResourceBody](r)
		if err != nil {
			return "", err
		}
		names = append(names, who.Name)
	}
	slices.Sort(names)
	return strings.Join(names, ", "), nil
}

// doerNames are who does a ticket, as planned: by what makes them the same as another; never nil.
func (w *Work) doerNames(ticket string) ([]string, error) {
	ids, err := w.DoerIDs(ticket)
	out := make([]string, 0, len(ids))
	for _, id := range ids {
		r, err := w.Get(desk.Resource, id)
		if err != nil {
			return nil, err
		}
		s, err := desk.Summarize(r)
		if err != nil {
			return nil, err
		}
		out = append(out, s.Identity)
	}
	return out, err
}

// SameDoers says how well who does one ticket fits who does another of its title, by names or by ids: 2 when the same people
// do both, 1 when one of the two names nobody, 0 when others do it.
func SameDoers(a, b []string) int {
	switch {
	case len(a) == 0 && len(b) == 0:
		return 2
	case len(a) == 0 || len(b) == 0:
		return 1
	case Within(a, b) || Within(b, a):
		return 2
	}
	return 0
}

// Within reports whether all names or ids of a are in b.
func Within(a, b []string) bool {
	return !slices.ContainsFunc(a, func(x string) bool {
		return !slices.ContainsFunc(b, func(y string) bool { return strings.EqualFold(x, y) })
	})
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
