package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"chela/internal/channel"
	"chela/internal/event"
	"chela/internal/session"
)

// Platforms are the channels as they were set up, and who asks to be paired.
type Platforms struct{ base }

func (tx *Tx) projectChannel(e event.Event) error {
	tx.topics[event.DeliveriesDue] = true
	at := micros(e.At)
	switch e.Message.Type {
	case channel.ConfiguredKind.Name:
		return open(e, channel.ConfiguredKind, func(p channel.Options) error {
			return tx.do("INSERT INTO channel_options (name, body) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET body = excluded.body", p.Name, string(e.Message.Payload))
		})
	case channel.RemovedKind.Name:
		return open(e, channel.RemovedKind, func(p channel.Removed) error {
			return tx.do("DELETE FROM channel_options WHERE name = ?", p.Name)
		})
	case channel.PairingRequestedKind.Name:
		return open(e, channel.PairingRequestedKind, func(p channel.PairingRequest) error {
			if err := tx.do(`INSERT INTO channel_pairing_requests (channel, sender, body, until_at) VALUES (?, ?, ?, ?)
				ON CONFLICT (channel, sender) DO UPDATE SET body = excluded.body, until_at = excluded.until_at`, p.Channel, p.Sender, string(e.Message.Payload), micros(p.Until)); err != nil {
				return err
			}
			return tx.deliver(e, session.Chat{Channel: p.Channel, Chat: p.Chat, Branch: p.Branch})
		})
	case channel.TriedKind.Name:
		return open(e, channel.TriedKind, func(p channel.Tried) error {
			return tx.do("UPDATE channel_deliveries SET state = ?, attempts = ?, node = ?, next_at = 0, updated_at = ? WHERE id = ?"+before(channel.Sending),
				string(channel.Sending), p.Attempt, p.Node, at, p.Delivery)
		})
	case channel.SentKind.Name:
		return open(e, channel.SentKind, func(p channel.Sent) error { return tx.projectSent(e, p) })
	case channel.ReceivedKind.Name:
		return open(e, channel.ReceivedKind, func(p channel.Received) error { return tx.projectReceived(e, p) })
	case channel.DraftedKind.Name:
		return open(e, channel.DraftedKind, tx.projectDrafted)
	case channel.RefusedKind.Name:
		return open(e, channel.RefusedKind, func(p channel.Refused) error {
			state, next := channel.Queued, int64(0)
			if p.Again.IsZero() {
				state = channel.Failed
			} else {
				next = micros(p.Again)
			}
			return tx.do("UPDATE channel_deliveries SET state = ?, why = ?, unknown = ?, next_at = ?, updated_at = ? WHERE id = ? AND state = 'sending'",
				string(state), p.Why, flag(p.Unknown), next, at, p.Delivery)
		})
	}
	return open(e, channel.AgainKind, func(p channel.Again) error {
		return tx.do("UPDATE channel_deliveries SET state = ?, next_at = 0, created_at = ?, updated_at = ? WHERE id = ? AND state = 'failed'", string(channel.Queued), at, at, p.Delivery)
	})
}

// Channels implements [channel.Store].
func (p Platforms) Channels(ctx context.Context) ([]channel.Options, error) {
	return p.db.look(ctx).channels()
}

func (l look) channels() ([]channel.Options, error) {
	rows, err := l("SELECT body FROM channel_options ORDER BY name")
	if err != nil {
		return nil, fmt.Errorf("read channels: %w", err)
	}
	return all(rows, bodyOf[channel.Options])
}

// bodyOf scans a column that holds JSON.
func bodyOf[T any](scan func(...any) error) (out T, err error) {
	var body string
	if err := scan(&body); err != nil {
		return out, err
	}
	return out, json.Unmarshal([]byte(body), &out)
}

const pairingRequestsNow = `SELECT body FROM channel_pairing_requests k WHERE until_at > ? AND NOT EXISTS (SELECT 1 FROM org_identities i WHERE i.identity = k.channel || ':' || k.sender)`

// PairingRequests implements [channel.Store].
func (p Platforms) PairingRequests(ctx context.Context, now time.Time) ([]channel.PairingRequest, error) {
	rows, err := p.db.Query(ctx, pairingRequestsNow+" ORDER BY until_at, channel, sender", micros(now))
	if err != nil {
		return nil, fmt.Errorf("read pairing requests: %w", err)
	}
	return all(rows, bodyOf[channel.PairingRequest])
}

// RequestPairing implements [channel.Store].
func (p Platforms) RequestPairing(ctx context.Context, k channel.PairingRequest, most int, draft event.Draft) (recorded bool, err error) {
	err = p.db.Write(ctx, func(tx *Tx) error {
		recorded = false
		tx.Hold(draft.Stream)
		rows, err := tx.query(pairingRequestsNow+" AND channel = ?", micros(tx.db.mint.Now()), k.Channel)
		if err != nil {
			return err
		}
		live, err := all(rows, bodyOf[channel.PairingRequest])
		if err != nil || len(live) >= most {
			return err
		}
		for _, l := range live {
			if l.Sender == k.Sender {
				return nil
			}
		}
		out, err := tx.Append(draft)
		recorded = len(out) > 0
		return err
	})
	return recorded && err == nil, err
}

// Mark implements [channel.Store].
func (p Platforms) Mark(ctx context.Context, name, mark string) error {
	return p.db.Write(ctx, func(tx *Tx) error {
		return tx.do("INSERT INTO channel_marks (channel, mark) VALUES (?, ?) ON CONFLICT (channel) DO UPDATE SET mark = excluded.mark", name, mark)
	})
}

// MarkOf implements [channel.Store].
func (p Platforms) MarkOf(ctx context.Context, name string) (mark string, err error) {
	err = p.db.one(ctx, "SELECT mark FROM channel_marks WHERE channel = ?", []any{name}, &mark)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return mark, err
}
