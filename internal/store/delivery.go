package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"chela/internal/channel"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/session"
)

// An Outbox is what goes to chat platforms.
type Outbox struct{ base }

// projectSent counts a part; the last one ends the delivery.
func (tx *Tx) projectSent(e event.Event, p channel.Sent) error {
	if err := tx.closeDrafts(p.Delivery); err != nil {
		return err
	}
	state := channel.Queued
	if p.Part+1 >= p.Parts {
		state = channel.Done
	}
	sent := ""
	if p.ID != "" {
		sent = p.ID + "\n"
		if err := tx.do(`INSERT INTO channel_parts (channel, chat, platform_id, delivery, part) SELECT channel, chat, ?, id, ? FROM channel_deliveries WHERE id = ?
			ON CONFLICT (channel, chat, platform_id) DO UPDATE SET delivery = excluded.delivery, part = excluded.part`, p.ID, p.Part, p.Delivery); err != nil {
			return err
		}
	}
	return tx.do("UPDATE channel_deliveries SET state = ?, part = ?, parts = ?, sent = sent || ?, why = '', unknown = 0, next_at = 0, updated_at = ? WHERE id = ?"+before(state),
		string(state), p.Part+1, p.Parts, sent, micros(e.At), p.Delivery)
}

// projectReceived takes what became of a part. The last part that arrived says that all did; one
// that was lost is where it is begun anew, when a person wants that.
func (tx *Tx) projectReceived(e event.Event, p channel.Received) error {
	at := micros(e.At)
	if p.Fate == channel.Lost {
		return tx.do("UPDATE channel_deliveries SET state = ?, part = ?, why = ?, updated_at = ? WHERE id = ?"+before(channel.Failed)+" AND state <> 'sending'",
			string(channel.Failed), p.Part, p.Why, at, p.Delivery)
	}
	if err := tx.do("UPDATE channel_deliveries SET state = ?, updated_at = ? WHERE id = ? AND parts = ?"+before(channel.Delivered), string(channel.Delivered), at, p.Delivery, p.Part+1); err != nil || p.Fate != channel.Seen {
		return err
	}
	return tx.do("UPDATE channel_deliveries SET seen_at = ? WHERE id = ? AND parts = ? AND seen_at = 0", at, p.Delivery, p.Part+1)
}

// before is the condition that a delivery is in a state from which it may come to this one:
// what a daemon says that was superseded changes nothing.
func before(to channel.State) string {
	var from []string
	for _, s := range channel.States() {
		if s.CanBecome(to) {
			from = append(from, "'"+string(s)+"'")
		}
	}
	return " AND state IN (" + strings.Join(from, ", ") + ")"
}

const deliveryColumns = "id, stream, channel, chat, branch, thread_id, run_id, seq, state, part, parts, attempts, node, unknown, sent, why, next_at, created_at, updated_at"

// deliver puts what e says on its way to a chat.
func (tx *Tx) deliver(e event.Event, to session.Chat) error {
	at := micros(e.At)
	return tx.do("INSERT INTO channel_deliveries ("+deliveryColumns+") VALUES (?,?,?,?,?,?,?,?,?,0,0,0,'',0,'','',0,?,?)",
		e.Message.ID, e.Stream, to.Channel, to.Chat, to.Branch, e.Message.ThreadID, e.Message.RunID, int64(e.Seq), string(channel.Queued), at, at)
}

// deliverHere does so when e's conversation is held in a chat of a platform.
func (tx *Tx) deliverHere(e event.Event) error {
	tx.topics[event.DeliveriesDue] = true
	at := micros(e.At)
	return tx.do("INSERT INTO channel_deliveries ("+deliveryColumns+`) SELECT ?, ?, chat_channel, chat, branch, thread_id, ?, ?, ?, 0, 0, 0, '', 0, '', '', 0, ?, ?
		FROM sessions WHERE thread_id = ? AND chat_channel <> ''`,
		e.Message.ID, e.Stream, e.Message.RunID, int64(e.Seq), string(channel.Queued), at, at, e.Message.ThreadID)
}

const deliveryFields = "id, stream, channel, chat, branch, thread_id, run_id, state, part, parts, attempts, node, unknown, sent, why, next_at, seen_at, created_at, updated_at"

func scanDelivery(scan func(...any) error) (d channel.Delivery, err error) {
	var unknown, next, seen, created, updated int64
	var sent string
	err = scan(&d.ID, &d.Stream, &d.Channel, &d.Chat, &d.Branch, &d.Thread, &d.Run, &d.State, &d.Part, &d.Parts, &d.Attempts, &d.Node, &unknown, &sent, &d.Why, &next, &seen, &created, &updated)
	d.Unknown, d.CreatedAt, d.UpdatedAt, d.Sent = unknown != 0, fromMicros(created), fromMicros(updated), strings.Fields(sent)
	if next != 0 {
		d.Next = fromMicros(next)
	}
	if seen != 0 {
		d.Seen = fromMicros(seen)
	}
	return d, err
}

// Deliveries implements [channel.Store].
func (o Outbox) Deliveries(ctx context.Context, f channel.Filter) ([]channel.Delivery, error) {
	where, args := []string{"1 = 1"}, []any{}
	add := func(cond string, values ...any) { where, args = append(where, cond), append(args, values...) }
	if f.Channel != "" {
		add("channel = ?", f.Channel)
	}
	if f.Thread != "" {
		add("thread_id = ?", f.Thread)
	}
	if f.State != "" {
		add("state = ?", string(f.State))
	}
	if f.Open {
		add("state IN ('queued', 'sending')")
	}
	limit := f.Limit
	if limit == 0 {
		limit = 100
	}
	rows, err := o.db.Query(ctx, "SELECT "+deliveryFields+" FROM channel_deliveries WHERE "+strings.Join(where, " AND ")+" ORDER BY seq DESC"+limited(limit), args...)
	if err != nil {
		return nil, fmt.Errorf("list deliveries: %w", err)
	}
	return all(rows, scanDelivery)
}

// Delivery implements [channel.Store].
func (o Outbox) Delivery(ctx context.Context, id string) (channel.Delivery, error) {
	rows, err := o.db.Query(ctx, "SELECT "+deliveryFields+" FROM channel_deliveries WHERE id = ?", id)
	if err != nil {
		return channel.Delivery{}, fmt.Errorf("read a delivery: %w", err)
	}
	d, err := first(rows, scanDelivery)
	if errors.Is(err, sql.ErrNoRows) {
		return d, fault.New(fault.NotFound, "The delivery %s does not exist.", id)
	}
	return d, err
}

// PartOf implements [channel.Store].
func (o Outbox) PartOf(ctx context.Context, name, chat, id string) (delivery string, part int, err error) {
	err = o.db.one(ctx, "SELECT delivery, part FROM channel_parts WHERE channel = ? AND chat = ? AND platform_id = ?", []any{name, chat, id}, &delivery, &part)
	if errors.Is(err, sql.ErrNoRows) {
		return "", 0, fault.New(fault.NotFound, "Nothing of ours has the id %s in the chat %s.", id, chat)
	}
	return delivery, part, err
}

// InDoubt implements [channel.Store].
func (o Outbox) InDoubt(ctx context.Context, name, chat string) (open bool, err error) {
	err = o.db.one(ctx, "SELECT EXISTS (SELECT 1 FROM channel_deliveries WHERE channel = ? AND chat = ? AND state IN ('sending', 'queued') AND (state = 'sending' OR unknown = 1))", []any{name, chat}, &open)
	return open, err
}

// mostDue bounds how many chats are looked at together.
const mostDue = 200

// Due implements [channel.Store].
func (o Outbox) Due(ctx context.Context, name string) ([]channel.Delivery, error) {
	rows, err := o.db.Query(ctx, "SELECT "+deliveryFields+` FROM channel_deliveries d WHERE channel = ? AND state IN ('queued', 'sending')
		AND NOT EXISTS (SELECT 1 FROM channel_deliveries e WHERE e.channel = d.channel AND e.chat = d.chat AND e.branch = d.branch AND e.seq < d.seq AND e.state IN ('queued', 'sending'))
		ORDER BY seq`+limited(mostDue), name)
	if err != nil {
		return nil, fmt.Errorf("list what is due: %w", err)
	}
	return all(rows, scanDelivery)
}

// AnswerTo implements [channel.Store].
func (o Outbox) AnswerTo(ctx context.Context, id, thread string) (string, error) {
	rows, err := o.db.Query(ctx, "SELECT seq, id, thread_id, run_id, role, actor, body, at FROM messages WHERE run_id = ? AND thread_id = ? AND role = 'person' ORDER BY seq LIMIT 1", id, thread)
	if err != nil {
		return "", fmt.Errorf("read what is answered: %w", err)
	}
	m, err := first(rows, scanMessage)
	if errors.Is(err, sql.ErrNoRows) || err == nil && (m.Via == nil || !m.Via.Group) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return m.Via.Message, nil
}
