package clerk

import (
	"slices"

	"chela/internal/desk"
)

// A Kept is what an undo leaves as it is, and why.
type Kept struct {
	ID     string    `json:"id"`
	Kind   desk.Kind `json:"kind"`
	Title  string    `json:"title"`
	Field  string    `json:"field,omitempty"` // empty when the whole record is left
	Reason string    `json:"reason"`
}

// keep notes what is left.
func (u *undo) keep(r desk.Record, field, reason string) error {
	if u.quiet && r.Kind.Derived() {
		return nil
	}
	s, err := desk.Summarize(r)
	if field == "" { // the whole record, so also what was said of its fields
		u.out.Kept = slices.DeleteFunc(u.out.Kept, func(k Kept) bool { return k.ID == r.ID })
	}
	u.out.Kept = append(u.out.Kept, Kept{ID: r.ID, Kind: r.Kind, Title: s.Title, Field: field, Reason: reason})
	return err
}

// whole reports whether a record is left as it is.
func (u *undo) whole(id string) bool {
	return slices.ContainsFunc(u.out.Kept, func(k Kept) bool { return k.ID == id && k.Field == "" })
}

// along does not name as kept what changed along with other fields, as the outcome of a ticket that is open again does.
func (u *undo) along(now, next desk.Record) error {
	changed, err := difference(now, next)
	u.out.Kept = slices.DeleteFunc(u.out.Kept, func(k Kept) bool {
		_, went := changed[k.Field]
		return k.ID == now.ID && went
	})
	return err
}
