package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/channel"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/session"
)

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

// Channels implements [channel.Store].
func (db *DB) Channels(ctx context.Context) ([]channel.Options, error) {
	rows, err := db.Query(ctx, "SELECT body FROM channel_options ORDER BY name")
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

// ChatThread implements [channel.Store].
func (db *DB) ChatThread(ctx context.Context, at session.Chat) (session.Thread, error) {
	rows, err := db.Query(ctx, "SELECT "+sessionFields+" FROM sessions WHERE chat_channel = ? AND chat = ? AND branch = ? AND chat_channel <> '' AND closed = 0 ORDER BY chat_seq DESC LIMIT 1", at.Channel, at.Chat, at.Branch)
	return sessionOf(rows, err, "of the chat "+at.Chat)
}

const pairingRequestsNow = `SELECT body FROM channel_pairing_requests k WHERE until_at > ? AND NOT EXISTS (SELECT 1 FROM org_identities i WHERE i.identity = k.channel || ':' || k.sender)`

// mostPlaces is how many chats are listed.
const mostPlaces = 200

// Places implements [chat.Chats].
func (db *DB) Places(ctx context.Context) ([]channel.Place, error) {
	configured, err := db.Channels(ctx)
	if err != nil {
		return nil, err
	}
	kinds := make(map[string]channel.Kind, len(configured))
	for _, o := range configured {
		if !o.Off {
			kinds[o.Name] = o.Kind
		}
	}
	rows, err := db.Query(ctx, `SELECT chat_channel, chat, branch, title, thread_id FROM sessions s WHERE chat_channel <> '' AND closed = 0
		AND NOT EXISTS (SELECT 1 FROM sessions n WHERE n.chat_channel = s.chat_channel AND n.chat = s.chat AND n.branch = s.branch AND n.closed = 0 AND n.chat_seq > s.chat_seq)
		ORDER BY chat_seq DESC`+limited(mostPlaces))
	if err != nil {
		return nil, fmt.Errorf("list chats: %w", err)
	}
	out, err := all(rows, func(scan func(...any) error) (p channel.Place, err error) {
		err = scan(&p.Channel, &p.Chat, &p.Branch, &p.Title, &p.Thread)
		p.Kind = kinds[p.Channel]
		return p, err
	})
	if err != nil {
		return nil, err
	}
	out = slices.DeleteFunc(out, func(p channel.Place) bool { return p.Kind == "" })
	for _, o := range configured {
		for _, chat := range o.Chats {
			if !o.Off && !slices.ContainsFunc(out, func(p channel.Place) bool { return p.Channel == o.Name && (p.Chat == chat || p.Branch == chat) }) {
				out = append(out, channel.Place{Channel: o.Name, Kind: o.Kind, Address: channel.Address{Chat: chat}})
			}
		}
	}
	return out, nil
}

// PairingRequests implements [channel.Store].
func (db *DB) PairingRequests(ctx context.Context, now time.Time) ([]channel.PairingRequest, error) {
	rows, err := db.Query(ctx, pairingRequestsNow+" ORDER BY until_at, channel, sender", micros(now))
	if err != nil {
		return nil, fmt.Errorf("read pairing requests: %w", err)
	}
	return all(rows, bodyOf[channel.PairingRequest])
}

// RequestPairing implements [channel.Store].
func (db *DB) RequestPairing(ctx context.Context, k channel.PairingRequest, most int, draft event.Draft) (recorded bool, err error) {
	err = db.Write(ctx, func(tx *Tx) error {
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
func (db *DB) Deliveries(ctx context.Context, f channel.Filter) ([]channel.Delivery, error) {
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
	rows, err := db.Query(ctx, "SELECT "+deliveryFields+" FROM channel_deliveries WHERE "+strings.Join(where, " AND ")+" ORDER BY seq DESC"+limited(limit), args...)
	if err != nil {
		return nil, fmt.Errorf("list deliveries: %w", err)
	}
	return all(rows, scanDelivery)
}

// Delivery implements [channel.Store].
func (db *DB) Delivery(ctx context.Context, id string) (channel.Delivery, error) {
	rows, err := db.Query(ctx, "SELECT "+deliveryFields+" FROM channel_deliveries WHERE id = ?", id)
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
func (db *DB) PartOf(ctx context.Context, name, chat, id string) (delivery string, part int, err error) {
	err = db.one(ctx, "SELECT delivery, part FROM channel_parts WHERE channel = ? AND chat = ? AND platform_id = ?", []any{name, chat, id}, &delivery, &part)
	if errors.Is(err, sql.ErrNoRows) {
		return "", 0, fault.New(fault.NotFound, "Nothing of ours has the id %s in the chat %s.", id, chat)
	}
	return delivery, part, err
}

// InDoubt implements [channel.Store].
func (db *DB) InDoubt(ctx context.Context, name, chat string) (open bool, err error) {
	err = db.one(ctx, "SELECT EXISTS (SELECT 1 FROM channel_deliveries WHERE channel = ? AND chat = ? AND state IN ('sending', 'queued') AND (state = 'sending' OR unknown = 1))", []any{name, chat}, &open)
	return open, err
}

// Mark implements [channel.Store].
func (db *DB) Mark(ctx context.Context, name, mark string) error {
	return db.Write(ctx, func(tx *Tx) error {
		return tx.do("INSERT INTO channel_marks (channel, mark) VALUES (?, ?) ON CONFLICT (channel) DO UPDATE SET mark = excluded.mark", name, mark)
	})
}

// MarkOf implements [channel.Store].
func (db *DB) MarkOf(ctx context.Context, name string) (mark string, err error) {
	err = db.one(ctx, "SELECT mark FROM channel_marks WHERE channel = ?", []any{name}, &mark)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return mark, err
}

// mostNewest bounds the chats of which the newest message is told.
const mostNewest = 500

// NewestOf implements [channel.Store].
func (db *DB) NewestOf(ctx context.Context, name string) ([]channel.Newest, error) {
	rows, err := db.Query(ctx, `SELECT s.chat, s.branch, m.body FROM (
			SELECT max(seq) AS newest FROM (
				SELECT c.chat, c.branch, (SELECT o.seq FROM messages o WHERE o.thread_id = c.thread_id AND o.role IN (?, ?) AND o.body LIKE '%"via":{%' ORDER BY o.seq DESC LIMIT 1) AS seq
				FROM sessions c WHERE c.chat_channel = ? AND c.chat_channel <> '') l GROUP BY chat, branch) n
		JOIN messages m ON m.seq = n.newest JOIN sessions s ON s.thread_id = m.thread_id
		ORDER BY m.seq DESC`+limited(mostNewest), string(session.FromPerson), string(session.Commanded), name)
	if err != nil {
		return nil, fmt.Errorf("read the newest messages: %w", err)
	}
	return all(rows, func(scan func(...any) error) (h channel.Newest, err error) {
		var body string
		var said session.Said
		if err := scan(&h.Chat, &h.Branch, &body); err != nil {
			return h, err
		}
		if err := json.Unmarshal([]byte(body), &said); err != nil || said.Via == nil {
			return h, fmt.Errorf("decode a message of the chat %s: %w", h.Chat, err)
		}
		h.ID, h.Group = said.Via.Message, said.Via.Group
		return h, nil
	})
}

// mostDue bounds how many chats are looked at together.
const mostDue = 200

// Due implements [channel.Store].
func (db *DB) Due(ctx context.Context, name string) ([]channel.Delivery, error) {
	rows, err := db.Query(ctx, "SELECT "+deliveryFields+` FROM channel_deliveries d WHERE channel = ? AND state IN ('queued', 'sending')
		AND NOT EXISTS (SELECT 1 FROM channel_deliveries e WHERE e.channel = d.channel AND e.chat = d.chat AND e.branch = d.branch AND e.seq < d.seq AND e.state IN ('queued', 'sending'))
		ORDER BY seq`+limited(mostDue), name)
	if err != nil {
		return nil, fmt.Errorf("list what is due: %w", err)
	}
	return all(rows, scanDelivery)
}

// AnswerTo implements [channel.Store].
func (db *DB) AnswerTo(ctx context.Context, id, thread string) (string, error) {
	rows, err := db.Query(ctx, "SELECT seq, id, thread_id, run_id, role, actor, body, at FROM messages WHERE run_id = ? AND thread_id = ? AND role = 'person' ORDER BY seq LIMIT 1", id, thread)
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
