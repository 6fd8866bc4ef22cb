package intake

import (
	"strings"

	"chela/internal/extract"
	"chela/internal/fault"
)

// assign gives a ticket to the people that a text names.
func (r *recorder) assign(ticket, owner string, s extract.Span, rule string) error {
	for _, name := range owners(owner) {
		id, err := r.person(name, s, rule)
		if err != nil {
			return err
		}
		if _, err := r.w.Assign(ticket, id, 0, r.source(rule, s)); err != nil && fault.KindOf(err) != fault.Conflict { // named twice
			return err
		}
	}
	return nil
}

// person returns the resource of a name, in the words of the document: an attendee of
// that first name or handle is meant when there is exactly one.
func (r *recorder) person(name string, s extract.Span, rule string) (string, error) {
	key := strings.ToLower(name)
	if id, ok := r.people[key]; ok {
		return id, nil
	}
	var full []string
	for _, a := range r.m.Attendees {
		first, _, _ := strings.Cut(a.Name, " ")
		if strings.EqualFold(a.Name, name) || strings.EqualFold(first, name) || a.Handle != "" && strings.EqualFold(a.Handle, name) {
			full = append(full, a.Name)
		}
	}
	wanted := name
	if len(full) == 1 {
		wanted = full[0]
	}
	rec, isNew, err := r.w.Person(wanted, r.source(rule, s))
	if err != nil {
		return "", err
	}
	if _, err := r.tally(rec, isNew); err != nil {
		return "", err
	}
	r.people[key], r.people[strings.ToLower(wanted)] = rec.ID, rec.ID
	return rec.ID, nil
}
