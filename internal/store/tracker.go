package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"chela/internal/event"
	"chela/internal/tracker"
)

// Trackers are the trackers that are read live, and up to where each was read.
type Trackers struct{ base }

var _ tracker.Records = Trackers{}

// projectTracker writes what is set up, what a sync brought and why one brought nothing.
func (tx *Tx) projectTracker(e event.Event) error {
	tx.topics[event.TrackersChanged] = true
	switch e.Message.Type {
	case tracker.ConfiguredKind.Name:
		return open(e, tracker.ConfiguredKind, func(p tracker.Tracker) error {
			if p.Afresh {
				if err := tx.do("DELETE FROM trackers WHERE name = ?", p.Name); err != nil {
					return err
				}
			}
			if err := tx.do("INSERT INTO tracker_looks (name, next_at, checked) VALUES (?, 0, '') ON CONFLICT (name) DO UPDATE SET next_at = 0, checked = ''", p.Name); err != nil {
				return err
			}
			return tx.do(`INSERT INTO trackers (name, body, read_to, brought, synced_at, failures, why, failed_at, seq) VALUES (?, ?, '{}', '', 0, 0, '', 0, ?)
				ON CONFLICT (name) DO UPDATE SET body = excluded.body, failures = 0, why = '', failed_at = 0, seq = excluded.seq`, p.Name, string(e.Message.Payload), int64(e.Seq))
		})
	case tracker.RemovedKind.Name:
		return open(e, tracker.RemovedKind, func(p tracker.Removed) error {
			if err := tx.do("DELETE FROM tracker_looks WHERE name = ?", p.Name); err != nil {
				return err
			}
			return tx.do("DELETE FROM trackers WHERE name = ?", p.Name)
		})
	case tracker.FailedKind.Name:
		tx.topics[event.PeopleConcerned] = true
		return open(e, tracker.FailedKind, func(p tracker.Failed) error {
			return tx.do("UPDATE trackers SET failures = ?, why = ?, failed_at = ? WHERE name = ?", p.Row, p.Why, micros(e.At), p.Name)
		})
	}
	return open(e, tracker.SyncedKind, func(p tracker.Synced) error {
		to, err := json.Marshal(p.Cursor)
		if err != nil {
			return fmt.Errorf("encode a cursor: %w", err)
		}
		if p.More { // the rest is read at once
			if err := tx.do("UPDATE tracker_looks SET next_at = 0 WHERE name = ?", p.Name); err != nil {
				return err
			}
		}
		if p.Issues > 0 {
			if err := tx.do("UPDATE trackers SET brought = ? WHERE name = ?", string(e.Message.Payload), p.Name); err != nil {
				return err
			}
		}
		return tx.do("UPDATE trackers SET read_to = ?, synced_at = ?, failures = 0, why = '', failed_at = 0 WHERE name = ?", string(to), micros(e.At), p.Name)
	})
}

// Trackers implements [tracker.Records].
func (t Trackers) Trackers(ctx context.Context) ([]tracker.State, error) {
	return t.read(func(query string, args ...any) (Rows, error) { return t.db.Query(ctx, query, args...) }, "ORDER BY t.name")
}

// Tracker implements [tracker.Records].
func (t Trackers) Tracker(ctx context.Context, name string) (tracker.State, error) {
	found, err := t.read(func(query string, args ...any) (Rows, error) { return t.db.Query(ctx, query, args...) }, "WHERE t.name = ?", name)
	if err != nil || len(found) == 0 {
		return tracker.State{}, errors.Join(err, tracker.None(name))
	}
	return found[0], nil
}

// read reads those that rest selects.
func (t Trackers) read(query func(string, ...any) (Rows, error), rest string, args ...any) ([]tracker.State, error) {
	rows, err := query(`SELECT t.body, t.read_to, t.brought, t.synced_at, t.failures, t.why, t.failed_at, t.seq, l.next_at, l.checked
		FROM trackers t LEFT JOIN tracker_looks l ON l.name = t.name `+rest, args...)
	if err != nil {
		return nil, fmt.Errorf("read trackers: %w", err)
	}
	return all(rows, scanTracker)
}

func scanTracker(scan func(...any) error) (s tracker.State, err error) {
	var body, to, brought string
	var synced, failed int64
	var next sql.NullInt64
	var checked sql.NullString
	if err := scan(&body, &to, &brought, &synced, &s.Failures, &s.Problem, &failed, &s.Since, &next, &checked); err != nil {
		return s, err
	}
	if err := json.Unmarshal([]byte(body), &s.Tracker); err != nil {
		return s, fmt.Errorf("decode a tracker: %w", err)
	}
	if err := json.Unmarshal([]byte(to), &s.Cursor); err != nil {
		return s, fmt.Errorf("decode a cursor: %w", err)
	}
	if brought != "" {
		s.Last = new(tracker.Synced)
		if err := json.Unmarshal([]byte(brought), s.Last); err != nil {
			return s, fmt.Errorf("decode a sync: %w", err)
		}
		s.Last.Cursor = tracker.Cursor{} // it is not what the next goes by
	}
	s.Check = checked.String
	s.SyncedAt, s.FailedAt, s.NextAt = moment(synced), moment(failed), moment(next.Int64)
	return s, nil
}

// moment is a time, nil for none.
func moment(at int64) *time.Time {
	if at == 0 {
		return nil
	}
	return new(fromMicros(at))
}

// Change implements [tracker.Records].
func (t Trackers) Change(ctx context.Context, name string, fn func(tracker.State) ([]event.Draft, error)) error {
	return changeOne(ctx, t.db, func(tx *Tx) ([]tracker.State, error) { return t.read(tx.query, "WHERE t.name = ?", name) }, tracker.State{}, fn)
}

// Look implements [tracker.Records].
func (t Trackers) Look(ctx context.Context, name string, was, next time.Time) (mine bool, err error) {
	err = t.db.Write(ctx, func(tx *Tx) error {
		n, err := tx.Exec(ctx, "UPDATE tracker_looks SET next_at = ? WHERE name = ? AND next_at = ?", micros(next), name, micros(was))
		mine = n > 0
		return err
	})
	return mine && err == nil, err
}

// Keep implements [tracker.Records].
func (t Trackers) Keep(ctx context.Context, name, check string, next time.Time) error {
	return t.db.Write(ctx, func(tx *Tx) error {
		return tx.do("UPDATE tracker_looks SET next_at = ?, checked = ? WHERE name = ?", micros(next), check, name)
	})
}
