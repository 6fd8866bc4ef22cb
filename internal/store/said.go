package store

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"chela/internal/event"
	"chela/internal/session"
)

// saidCursor names how far messages of conversations are indexed for recall. A turn does not index what it says: many messages
// together cost a fraction of what each costs alone, so a daemon indexes them every few seconds, and whoever looks for what was
// said has it done at once.
const saidCursor = "recall_said"

// maxSaid bounds how many messages one transaction indexes: others wait for it.
const maxSaid = 200

// IndexSaid indexes what was said since it was done last.
func (r Recall) IndexSaid(ctx context.Context) error {
	_, err := r.indexSaid(ctx)
	return err
}

// indexSaid is as [Recall.IndexSaid], and returns the position of the log up to which everything is indexed.
func (r Recall) indexSaid(ctx context.Context) (end event.Seq, err error) {
	end, err = r.db.Backend.Horizon(ctx)
	for more := true; more && err == nil; {
		err = r.db.one(ctx, "SELECT EXISTS (SELECT 1 FROM messages WHERE seq > coalesce((SELECT seq FROM log_cursors WHERE name = ?), 0) AND seq <= ?)", []any{saidCursor, int64(end)}, &more)
		if err == nil && more {
			err = r.db.Write(ctx, func(tx *Tx) error { _, err := tx.indexSaid(end, maxSaid); return err })
		}
	}
	if err != nil {
		return 0, fmt.Errorf("index what was said: %w", err)
	}
	return end, nil
}

// holdSaid waits for whoever indexes messages, and has others wait: what a message is found by must not be written from what a
// conversation was before this transaction.
func (tx *Tx) holdSaid() error {
	return tx.do("UPDATE log_cursors SET seq = seq WHERE name = ?", saidCursor)
}

// spaceOfSaid is where what was said in a conversation s is found: nowhere when that was removed.
const spaceOfSaid = "CASE WHEN s.removed = 0 THEN 'said/' || s.person || '/' || s.project ELSE '' END"

// A spokenRow is a message that is to be indexed.
type spokenRow struct {
	seq, at                                       int64
	id, thread, role, actor, body, project, space string
	opened                                        bool // its conversation is there
}

// indexSaid indexes up to limit messages that are not yet, up to a position of the log, and returns how many it looked at.
func (tx *Tx) indexSaid(end event.Seq, limit int) (int, error) {
	if err := tx.holdSaid(); err != nil {
		return 0, err
	}
	from, err := tx.Cursor(saidCursor)
	if err != nil {
		return 0, err
	}
	said, err := tx.spoken("m.seq > ? AND m.seq <= ? ORDER BY m.seq"+limited(limit), int64(from), int64(end))
	if err != nil || len(said) == 0 {
		return 0, err
	}
	places, err := tx.placesBefore(said, from)
	if err != nil {
		return 0, err
	}
	var found []passageRow
	for _, m := range said {
		places[m.thread]++
		if p, ok := passageOf(m, places[m.thread]); ok {
			found = append(found, p)
		}
	}
	if err := tx.indexAll(found); err != nil {
		return 0, err
	}
	return len(said), tx.SetCursor(saidCursor, event.Seq(said[len(said)-1].seq))
}

// spoken reads messages m.
func (tx *Tx) spoken(where string, args ...any) ([]spokenRow, error) {
	rows, err := tx.query(`SELECT m.seq, m.at, m.id, m.thread_id, m.role, m.actor, m.body, s.thread_id IS NOT NULL, coalesce(s.project, ''), `+spaceOfSaid+`
		FROM messages m LEFT JOIN sessions s ON s.thread_id = m.thread_id WHERE `+where, args...)
	if err != nil {
		return nil, fmt.Errorf("read what was said: %w", err)
	}
	return all(rows, func(scan func(...any) error) (m spokenRow, err error) {
		err = scan(&m.seq, &m.at, &m.id, &m.thread, &m.role, &m.actor, &m.body, &m.opened, &m.project, &m.space)
		return m, err
	})
}

// placesBefore counts how many messages the conversations of some have up to a position of the log.
func (tx *Tx) placesBefore(said []spokenRow, upTo event.Seq) (map[string]int64, error) {
	places := make(map[string]int64)
	for _, m := range said {
		places[m.thread] = 0
	}
	threads := make([]any, 0, len(places))
	for t := range places {
		threads = append(threads, t)
	}
	rows, err := tx.query(Once+"SELECT thread_id, count(*) FROM messages WHERE thread_id IN ("+marks(len(threads))+") AND seq <= ? GROUP BY thread_id", append(threads, int64(upTo))...)
	if err != nil {
		return nil, fmt.Errorf("count messages: %w", err)
	}
	return places, each(rows, func(scan func(...any) error) error {
		var thread string
		var n int64
		err := scan(&thread, &n)
		places[thread] = n
		return err
	})
}

// passageOf is what a message is found by; ok is false when it is not to be found.
func passageOf(m spokenRow, place int64) (p passageRow, ok bool) {
	if !m.opened || m.role != string(session.FromPerson) && m.role != string(session.FromAgent) || m.body == wordsErased {
		return p, false
	}
	said, err := session.DecodeSaid(m.body)
	if err != nil || said.Command || said.Deleted { // what cannot be read has no words
		return p, false
	}
	text := clean(said.Message)
	if len(text) > maxPassage {
		text = strings.ToValidUTF8(text[:maxPassage], "")
	}
	return passageRow{
		n: m.seq * pieceNumbers, id: m.id, source: m.id, kind: "message", scope: "SAID", project: m.project, space: m.space, thread: m.thread, place: place,
		session: m.thread + "/" + fromMicros(m.at).UTC().Format("2006-01-02"), at: m.at, actor: m.actor, outside: len(said.Origins) > 0, weight: 1, text: text,
	}, strings.TrimSpace(text) != ""
}

// moveSaid writes anew where what was said in a conversation is found, after that changed.
func (tx *Tx) moveSaid(thread string) error {
	if err := tx.holdSaid(); err != nil {
		return err
	}
	if err := tx.do(`UPDATE recall_passages SET project = (SELECT s.project FROM sessions s WHERE s.thread_id = recall_passages.thread), space = (SELECT `+spaceOfSaid+` FROM sessions s WHERE s.thread_id = recall_passages.thread)
		WHERE thread = ? AND kind = 'message'`, thread); err != nil {
		return err
	}
	return tx.vectorsAgain("p.thread = ? AND p.kind = 'message'", thread)
}

// reindexMessage writes anew what a message is found by that was edited or deleted.
func (tx *Tx) reindexMessage(thread, id string) error {
	if err := tx.holdSaid(); err != nil {
		return err
	}
	if err := tx.unindex(id); err != nil {
		return err
	}
	upTo, err := tx.Cursor(saidCursor)
	if err != nil {
		return err
	}
	said, err := tx.spoken("m.thread_id = ? AND m.id = ? AND m.seq <= ?", thread, id, int64(upTo))
	if err != nil || len(said) == 0 { // it will be indexed as it is then
		return err
	}
	places, err := tx.placesBefore(said, event.Seq(said[0].seq))
	if err != nil {
		return err
	}
	if p, ok := passageOf(said[0], places[thread]); ok {
		if err := tx.indexAll([]passageRow{p}); err != nil {
			return err
		}
	}
	return tx.vectorsAgain("p.source = ?", id)
}

// indexAllSaid indexes all messages that the transaction sees.
func (tx *Tx) indexAllSaid() error {
	for {
		n, err := tx.indexSaid(math.MaxInt64, maxSaid)
		if err != nil || n < maxSaid {
			return err
		}
	}
}

// looksAtSaid reports whether what was said lies in one of some spaces.
func looksAtSaid(spaces []string) bool {
	return slices.ContainsFunc(spaces, func(s string) bool { return strings.HasPrefix(s, "said/") })
}
