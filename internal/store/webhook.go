package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/webhook"
)

// Webhooks are who is told outside, who tells us, and how far the former were told.
type Webhooks struct{ base }

var _ webhook.Store = Webhooks{}

func (tx *Tx) projectWebhook(e event.Event) error {
	tx.topics[event.EndpointsChanged] = true
	switch e.Message.Type {
	case webhook.EndpointSetKind.Name:
		return open(e, webhook.EndpointSetKind, func(p webhook.Endpoint) error {
			if err := tx.do(`INSERT INTO webhook_progress (endpoint, cursor, attempts, since, next_at, why, node, until_at) VALUES (?, ?, 0, 0, 0, '', '', 0)
				ON CONFLICT (endpoint) DO NOTHING`, p.ID, int64(e.Seq)); err != nil {
				return err
			}
			return tx.do("INSERT INTO webhook_endpoints (id, body) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body", p.ID, string(e.Message.Payload))
		})
	case webhook.EndpointRemovedKind.Name:
		return open(e, webhook.EndpointRemovedKind, func(p webhook.Removed) error {
			if err := tx.do("DELETE FROM webhook_progress WHERE endpoint = ?", p.ID); err != nil {
				return err
			}
			return tx.do("DELETE FROM webhook_endpoints WHERE id = ?", p.ID)
		})
	case webhook.FailedKind.Name:
		return open(e, webhook.FailedKind, func(p webhook.Failed) error {
			return tx.do("INSERT INTO webhook_failures (id, endpoint, body, at, sent_at) VALUES (?, ?, ?, ?, 0)", p.ID, p.Endpoint, string(e.Message.Payload), micros(e.At))
		})
	case webhook.SentAgainKind.Name:
		return open(e, webhook.SentAgainKind, func(p webhook.SentAgain) error {
			if p.Why != "" {
				return nil // it is still to be sent
			}
			return tx.do("UPDATE webhook_failures SET sent_at = ? WHERE id = ?", micros(e.At), p.ID)
		})
	case webhook.IncomingSetKind.Name:
		return open(e, webhook.IncomingSetKind, func(p webhook.Incoming) error {
			return tx.do("INSERT INTO webhook_incoming (name, body) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET body = excluded.body", p.Name, string(e.Message.Payload))
		})
	}
	return open(e, webhook.IncomingRemovedKind, func(p webhook.Removed) error {
		return tx.do("DELETE FROM webhook_incoming WHERE name = ?", p.ID)
	})
}

// Endpoints implements [webhook.Store].
func (w Webhooks) Endpoints(ctx context.Context) ([]webhook.Endpoint, error) {
	rows, err := w.db.Query(ctx, "SELECT body FROM webhook_endpoints ORDER BY id")
	if err != nil {
		return nil, fmt.Errorf("read webhooks: %w", err)
	}
	return all(rows, bodyOf[webhook.Endpoint])
}

// Incoming returns the incoming webhooks by name.
func (w Webhooks) Incoming(ctx context.Context) ([]webhook.Incoming, error) {
	rows, err := w.db.Query(ctx, "SELECT body FROM webhook_incoming ORDER BY name")
	if err != nil {
		return nil, fmt.Errorf("read webhooks: %w", err)
	}
	return all(rows, bodyOf[webhook.Incoming])
}

const progressOf = "SELECT cursor, attempts, since, next_at, why FROM webhook_progress WHERE endpoint = ?"

func scanProgress(scan func(...any) error) (p webhook.Progress, err error) {
	var since, next int64
	err = scan(&p.Cursor, &p.Attempts, &since, &next, &p.Why)
	p.Since, p.Next = fromMicros(since), fromMicros(next)
	return p, err
}

// Progress returns how far an endpoint was told.
func (w Webhooks) Progress(ctx context.Context, endpoint string) (webhook.Progress, error) {
	rows, err := w.db.Query(ctx, progressOf, endpoint)
	if err != nil {
		return webhook.Progress{}, fmt.Errorf("read how far a webhook was told: %w", err)
	}
	p, err := first(rows, scanProgress)
	if errors.Is(err, sql.ErrNoRows) {
		return p, nil
	}
	return p, err
}

// Hold implements [webhook.Store].
func (w Webhooks) Hold(ctx context.Context, endpoint, node string, until time.Time) (p webhook.Progress, mine bool, err error) {
	err = w.db.Write(ctx, func(tx *Tx) error {
		n, err := tx.Exec(ctx, "UPDATE webhook_progress SET node = ?, until_at = ? WHERE endpoint = ? AND (node = ? OR until_at < ?)",
			node, micros(until), endpoint, node, micros(tx.db.mint.Now()))
		if mine = n > 0; err != nil || !mine {
			return err
		}
		rows, err := tx.query(progressOf, endpoint)
		if err != nil {
			return err
		}
		p, err = first(rows, scanProgress)
		return err
	})
	return p, mine && err == nil, err
}

// Advance implements [webhook.Store].
func (w Webhooks) Advance(ctx context.Context, endpoint string, p webhook.Progress, drafts ...event.Draft) error {
	return w.db.Write(ctx, func(tx *Tx) error {
		if err := tx.do("UPDATE webhook_progress SET cursor = ?, attempts = ?, since = ?, next_at = ?, why = ? WHERE endpoint = ?",
			int64(p.Cursor), p.Attempts, micros(p.Since), micros(p.Next), p.Why, endpoint); err != nil {
			return err
		}
		_, err := tx.Append(drafts...)
		return err
	})
}

// Failures returns the deliveries that were given up, of one endpoint or all, the newest first.
func (w Webhooks) Failures(ctx context.Context, endpoint string, limit int) ([]webhook.Failure, error) {
	rows, err := w.db.Query(ctx, "SELECT body, at, sent_at FROM webhook_failures WHERE ? = '' OR endpoint = ? ORDER BY at DESC, id"+limited(limit), endpoint, endpoint)
	if err != nil {
		return nil, fmt.Errorf("read failed webhooks: %w", err)
	}
	return all(rows, scanFailure)
}

func scanFailure(scan func(...any) error) (f webhook.Failure, err error) {
	var at, sent int64
	f.Failed, err = bodyOf[webhook.Failed](func(to ...any) error { return scan(append(to, &at, &sent)...) })
	f.At = fromMicros(at)
	if sent > 0 {
		f.SentAt = new(fromMicros(sent))
	}
	return f, err
}

// Failure returns a delivery that was given up; a fault.NotFound says that there is none.
func (w Webhooks) Failure(ctx context.Context, id string) (webhook.Failure, error) {
	rows, err := w.db.Query(ctx, "SELECT body, at, sent_at FROM webhook_failures WHERE id = ?", id)
	if err != nil {
		return webhook.Failure{}, fmt.Errorf("read a failed webhook: %w", err)
	}
	f, err := first(rows, scanFailure)
	if errors.Is(err, sql.ErrNoRows) {
		return f, fault.New(fault.NotFound, "There is no failed delivery %s.", id)
	}
	return f, err
}
