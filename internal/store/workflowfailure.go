package store

import (
	"context"
	"encoding/json"
	"fmt"

	"chela/internal/event"
	"chela/internal/library"
)

// projectTriggerFailure keeps a failure of a trigger, and the last ones before it.
func (tx *Tx) projectTriggerFailure(e event.Event) error {
	return open(e, library.TriggerFailedKind, func(p library.TriggerFailed) error {
		if err := tx.do("INSERT INTO workflow_trigger_failures (seq, slug, nth, body, at) VALUES (?,?,?,?,?)", int64(e.Seq), p.Slug, p.Trigger, string(e.Message.Payload), micros(e.At)); err != nil {
			return err
		}
		return tx.do(`DELETE FROM workflow_trigger_failures WHERE slug = ? AND nth = ? AND seq NOT IN (
			SELECT k.seq FROM workflow_trigger_failures k WHERE k.slug = ? AND k.nth = ? ORDER BY k.seq DESC`+limited(library.KeptFailures)+")", p.Slug, p.Trigger, p.Slug, p.Trigger)
	})
}

// TriggerFailures implements [library.Store].
func (w Workflows) TriggerFailures(ctx context.Context, slug string) ([]library.TriggerFailure, error) {
	where, args := "", []any{}
	if slug != "" {
		where, args = " WHERE slug = ?", append(args, slug)
	}
	rows, err := w.db.Query(ctx, "SELECT seq, at, body FROM workflow_trigger_failures"+where+" ORDER BY seq DESC", args...)
	if err != nil {
		return nil, fmt.Errorf("read how triggers failed: %w", err)
	}
	return all(rows, func(scan func(...any) error) (f library.TriggerFailure, err error) {
		var body string
		var at int64
		if err := scan(&f.Seq, &at, &body); err != nil {
			return f, err
		}
		f.At = fromMicros(at)
		return f, json.Unmarshal([]byte(body), &f.TriggerFailed)
	})
}
