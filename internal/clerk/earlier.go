package clerk

import (
	"context"
	"slices"

	"chela/internal/desk"
)

// An Earlier is a store as it was at a moment.
type Earlier interface {
	Store
	// Otherwise says what of a project was otherwise than it is now, with what belongs to all projects.
	Otherwise(ctx context.Context, project string) (Otherwise, error)
}

// Otherwise is what was otherwise at a moment than it is now.
type Otherwise struct {
	Since []string      // the ids of records that were made or changed since
	Was   []desk.Record // what was there and is not, or is different, in the order of creation
}

// Earlier returns what is computed from a project's records as they were. What is the same now is not read again.
func (v *View[T]) Earlier(ctx context.Context, project string, at Earlier) (T, error) {
	bound, now, err := v.bound(ctx, project) // before what was otherwise is read, so that nothing newer is in it
	if err != nil {
		return bound, err
	}
	o, err := at.Otherwise(ctx, project)
	if err != nil {
		return bound, err
	}
	then, err := now.then(o)
	if err != nil {
		return bound, err
	}
	changed, ok := then.Since(now)
	if !ok || len(changed) > rereadAt {
		return v.read(then), nil
	}
	if changed = v.concerned(changed); len(changed) == 0 {
		return bound, nil
	}
	return v.follow(bound, then, changed), nil
}

// then is the book of a moment at which some records were otherwise. It shares all other entries.
func (b *Book) then(o Otherwise) (*Book, error) {
	out := &Book{places: b.places, number: b.number, slots: slices.Clone(b.slots)}
	for _, id := range o.Since {
		if place := b.Place(id); place >= 0 {
			out.slots[place] = nil
		}
	}
	for _, r := range o.Was {
		place := b.Place(r.ID)
		if place < 0 { // made after the book, at a moment that had not come: the moment is now
			continue
		}
		e, err := bookEntry(r)
		if err != nil {
			return nil, err
		}
		out.slots[place] = &e
	}
	return out, nil
}
