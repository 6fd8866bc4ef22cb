package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/session"
)

// People are the members of the organization, and how they arranged the page.
type People struct{ base }

// projectRead moves a person's mark in a conversation; it never goes back.
func (tx *Tx) projectRead(e event.Event) error {
	return open(e, session.ReadKind, func(p session.Read) error {
		return tx.do(`INSERT INTO session_reads (thread_id, person, seq) VALUES (?, ?, ?)
			ON CONFLICT (thread_id, person) DO UPDATE SET seq = excluded.seq WHERE session_reads.seq < excluded.seq`, p.Thread, e.Message.From.AgentID, int64(p.Seq))
	})
}

func (tx *Tx) projectLayout(e event.Event) error {
	person := org.PersonOf(e.Message.From)
	if err := open(e, org.LayoutSavedKind, func(p org.LayoutSaved) error {
		return tx.do(`INSERT INTO org_layouts (person, name, address, saved_at) VALUES (?, ?, ?, ?)
			ON CONFLICT (person, name) DO UPDATE SET address = excluded.address, saved_at = excluded.saved_at`, person, p.Name, p.Address, micros(e.At))
	}); err != nil {
		return err
	}
	return open(e, org.LayoutRemovedKind, func(p org.LayoutRemoved) error {
		return tx.do("DELETE FROM org_layouts WHERE person = ? AND name = ?", person, p.Name)
	})
}

func (tx *Tx) projectFontSize(e event.Event) error {
	return open(e, org.FontSizedKind, func(p org.FontSized) error {
		return tx.do("INSERT INTO org_font_sizes (person, size) VALUES (?, ?) ON CONFLICT (person) DO UPDATE SET size = excluded.size", org.PersonOf(e.Message.From), p.Size)
	})
}

// FontSize returns the size of the page's font for a person, in pixels; 0 when they never said.
func (pe People) FontSize(ctx context.Context, person string) (size int, err error) {
	err = pe.db.one(ctx, "SELECT size FROM org_font_sizes WHERE person = ?", []any{person}, &size)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return size, err
}

func (tx *Tx) projectTour(e event.Event) error {
	return open(e, org.TourKind, func(p org.Tour) error {
		return tx.do("INSERT INTO org_tours (person, step, ended) VALUES (?, ?, ?) ON CONFLICT (person) DO UPDATE SET step = excluded.step, ended = excluded.ended", org.PersonOf(e.Message.From), p.Step, flag(p.Over))
	})
}

// Tour returns where a person stands in the page's tour; nil when they never began it.
func (pe People) Tour(ctx context.Context, person string) (*org.Tour, error) {
	var t org.Tour
	var ended int64
	err := pe.db.one(ctx, "SELECT step, ended FROM org_tours WHERE person = ?", []any{person}, &t.Step, &ended)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	t.Over = ended == 1
	return &t, err
}

const layoutsOf = "SELECT name, address, saved_at FROM org_layouts WHERE person = ? ORDER BY name"

func layoutsIn(rows Rows, err error) ([]org.Layout, error) {
	if err != nil {
		return nil, fmt.Errorf("read layouts: %w", err)
	}
	return all(rows, func(scan func(...any) error) (l org.Layout, err error) {
		var at int64
		err = scan(&l.Name, &l.Address, &at)
		l.SavedAt = fromMicros(at)
		return l, err
	})
}

// Layouts returns how a person arranged the page, by name.
func (pe People) Layouts(ctx context.Context, person string) ([]org.Layout, error) {
	return layoutsIn(pe.db.Query(ctx, layoutsOf, person))
}

// ChangeLayouts records what fn makes of a person's layouts. One call at a time gets so far
// for a person, among all that share the database, and fn may be run again.
func (pe People) ChangeLayouts(ctx context.Context, person string, fn func(have []org.Layout) (event.Draft, error)) error {
	return pe.db.Write(ctx, func(tx *Tx) error {
		tx.Hold(event.PersonStream(person))
		have, err := layoutsIn(tx.query(layoutsOf, person))
		if err != nil {
			return err
		}
		d, err := fn(have)
		if err != nil {
			return err
		}
		_, err = tx.Append(d)
		return err
	})
}

func (pe People) keptPerson(ctx context.Context, id string) (org.Person, error) {
	all, err := pe.db.persons.get(pe.db, func() (map[string]org.Person, error) {
		people, err := pe.Persons(ctx)
		out := make(map[string]org.Person, len(people))
		for _, p := range people {
			out[p.ID] = p
		}
		return out, err
	})
	p, ok := all[id]
	if err == nil && !ok {
		err = noPerson(id)
	}
	return p, err
}

func noPerson(id string) error { return fault.New(fault.NotFound, "The person %s does not exist.", id) }

// Person returns a member.
func (pe People) Person(ctx context.Context, id string) (org.Person, error) {
	people, err := pe.personsWhere(ctx, "WHERE p.id = ?", id)
	if err != nil {
		return org.Person{}, err
	}
	if len(people) == 0 {
		return org.Person{}, noPerson(id)
	}
	return people[0], nil
}

// PersonOf returns the member who has an identity. The error is a fault.NotFound when nobody does.
func (pe People) PersonOf(ctx context.Context, identity string) (org.Person, error) {
	people, err := pe.personsWhere(ctx, "WHERE p.id = (SELECT person FROM org_identities WHERE identity = ?)", identity)
	if err != nil {
		return org.Person{}, err
	}
	if len(people) == 0 {
		return org.Person{}, fault.New(fault.NotFound, "Nobody has the identity %s.", identity)
	}
	return people[0], nil
}

// Persons returns all members in the order they were added.
func (pe People) Persons(ctx context.Context) ([]org.Person, error) { return pe.personsWhere(ctx, "") }

func (pe People) personsWhere(ctx context.Context, where string, args ...any) ([]org.Person, error) {
	rows, err := pe.db.Query(ctx, `SELECT p.id, p.name, p.role, p.enabled, p.created_at, coalesce(i.identity, '') FROM org_persons p
		LEFT JOIN org_identities i ON i.person = p.id `+where+` ORDER BY p.seq, i.identity`, args...)
	if err != nil {
		return nil, fmt.Errorf("read persons: %w", err)
	}
	var people []org.Person
	return people, each(rows, func(scan func(...any) error) error {
		var p org.Person
		var enabled, created int64
		var identity string
		if err := scan(&p.ID, &p.Name, &p.Role, &enabled, &created, &identity); err != nil {
			return err
		}
		if n := len(people); n == 0 || people[n-1].ID != p.ID {
			p.Enabled, p.CreatedAt, p.Identities = enabled != 0, fromMicros(created), []string{}
			people = append(people, p)
		}
		if last := &people[len(people)-1]; identity != "" {
			last.Identities = append(last.Identities, identity)
		}
		return nil
	})
}
