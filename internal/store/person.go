package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"chela/internal/event"
	"chela/internal/org"
	"chela/internal/session"
)

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
func (db *DB) FontSize(ctx context.Context, person string) (size int, err error) {
	err = db.one(ctx, "SELECT size FROM org_font_sizes WHERE person = ?", []any{person}, &size)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return size, err
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
func (db *DB) Layouts(ctx context.Context, person string) ([]org.Layout, error) {
	return layoutsIn(db.Query(ctx, layoutsOf, person))
}

// ChangeLayouts records what fn makes of a person's layouts. One call at a time gets so far
// for a person, among all that share the database, and fn may be run again.
func (db *DB) ChangeLayouts(ctx context.Context, person string, fn func(have []org.Layout) (event.Draft, error)) error {
	return db.Write(ctx, func(tx *Tx) error {
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
