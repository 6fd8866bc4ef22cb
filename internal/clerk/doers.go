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
