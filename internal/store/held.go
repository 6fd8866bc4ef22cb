package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/session"
)

// projectHeld puts a message into the queue of its conversation, or takes it out.
func (tx *Tx) projectHeld(e event.Event) error {
	tx.topics[event.QueuesMoved] = true
	if err := open(e, session.DroppedKind, func(p session.Dropped) error { return tx.unhold(p.ID) }); err != nil {
		return err
	}
	return open(e, session.HeldKind, func(p session.Held) error {
		due := micros(p.Due)
		if due != 0 { // it is waited for more of the same: all of them go together
			if err := tx.do("UPDATE session_held SET due_at = ? WHERE thread_id = ? AND due_at <> 0", due, e.Message.ThreadID); err != nil {
				return err
			}
		}
		return tx.do("INSERT INTO session_held (id, thread_id, seq, actor, body, due_at, at) VALUES (?,?,?,?,?,?,?)",
			e.Message.ID, e.Message.ThreadID, int64(e.Seq), e.Message.From.AgentID, string(e.Message.Payload), due, micros(e.At))
	})
}

// reviseHeld changes a message that waits, or forgets it.
func (tx *Tx) reviseHeld(e event.Event, id string) error {
	if e.Message.Type == session.DeletedKind.Name {
		return tx.unhold(id)
	}
	return open(e, session.EditedKind, func(p session.Edited) error {
		rows, err := tx.query("SELECT id, thread_id, actor, body, due_at, at FROM session_held WHERE id = ?", id)
		if err != nil {
			return err
		}
		w, err := first(rows, scanHeld)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		w.Message = p.Text
		raw, err := json.Marshal(w.Held)
		if err != nil {
			return fmt.Errorf("encode the held message %s: %w", id, err)
		}
		return tx.do("UPDATE session_held SET body = ? WHERE id = ?", string(raw), id)
	})
}

// projectTranscribed puts what is said in audio files into the message that waits for it, and lets that
// have its turn; of one that was said already it marks that another says it.
func (tx *Tx) projectTranscribed(e event.Event) error {
	return open(e, session.TranscribedKind, func(p session.Transcribed) error {
		if p.Said != "" {
			return tx.revise(e, p.Said)
		}
		tx.topics[event.QueuesMoved] = true
		held, err := tx.Conversations().Waiting(e.Message.ThreadID)
		if err != nil {
			return err
		}
		awaits := false
		for _, w := range held {
			if w.ID == p.Message {
				w.Audio = p.Audio
				raw, err := json.Marshal(w.Held)
				if err != nil {
					return fmt.Errorf("encode the held message %s: %w", w.ID, err)
				}
				if err := tx.do("UPDATE session_held SET body = ? WHERE id = ?", string(raw), w.ID); err != nil {
					return err
				}
			}
			awaits = awaits || session.AwaitsTranscript(w.Message, w.Audio)
		}
		if awaits { // to another
			return nil
		}
		now := micros(e.At)
		return tx.do("UPDATE session_held SET due_at = ? WHERE thread_id = ? AND due_at > ?", now, e.Message.ThreadID, now)
	})
}

func (tx *Tx) unhold(id string) error { return tx.do("DELETE FROM session_held WHERE id = ?", id) }

const heldIn = "SELECT id, thread_id, actor, body, due_at, at FROM session_held WHERE thread_id = ? ORDER BY seq"

func scanHeld(scan func(...any) error) (w session.Waiting, err error) {
	var body string
	var due, at int64
	if err := scan(&w.ID, &w.Thread, &w.Actor, &body, &due, &at); err != nil {
		return w, err
	}
	if err := json.Unmarshal([]byte(body), &w.Held); err != nil {
		return w, fmt.Errorf("decode the held message %s: %w", w.ID, err)
	}
	w.At, w.Due = fromMicros(at), time.Time{}
	if due != 0 {
		w.Due = fromMicros(due)
	}
	return w, nil
}

// Waiting implements [inbox.ConversationTx].
func (c txConversations) Waiting(thread string) ([]session.Waiting, error) {
	rows, err := c.tx.query(heldIn, thread)
	if err != nil {
		return nil, fmt.Errorf("read what waits: %w", err)
	}
	return all(rows, scanHeld)
}

// SaidAs implements [inbox.ConversationTx].
func (c txConversations) SaidAs(thread, sender, id string) (session.Message, error) {
	rows, err := c.tx.query(`SELECT seq, id, thread_id, run_id, role, actor, body, at FROM messages WHERE thread_id = ?
		AND (id = ? OR id = `+idByKey+`)`, thread, id, sender, session.HeldKey(id))
	if err != nil {
		return session.Message{}, fmt.Errorf("read how a message was said: %w", err)
	}
	m, err := first(rows, scanMessage)
	if errors.Is(err, sql.ErrNoRows) {
		return m, fault.New(fault.NotFound, "The message %s was not said.", id)
	}
	return m, err
}

// Waiting implements [inbox.Queues].
func (c Conversations) Waiting(ctx context.Context, thread string) ([]session.Waiting, error) {
	rows, err := c.db.Query(ctx, heldIn, thread)
	if err != nil {
		return nil, fmt.Errorf("read what waits: %w", err)
	}
	return all(rows, scanHeld)
}

// Queued implements [inbox.Queues].
func (c Conversations) Queued(ctx context.Context) ([]session.Queue, error) {
	rows, err := c.db.Query(ctx, `SELECT h.thread_id, min(h.due_at), EXISTS (SELECT 1 FROM runs r WHERE r.thread_id = h.thread_id AND r.kind IN (`+turnKinds+`) AND r.ended_at = 0 AND r.state IN ('queued', 'running'))
		FROM session_held h JOIN sessions s ON s.thread_id = h.thread_id WHERE s.closed = 0 GROUP BY h.thread_id`)
	if err != nil {
		return nil, fmt.Errorf("list where messages wait: %w", err)
	}
	return all(rows, func(scan func(...any) error) (q session.Queue, err error) {
		var due int64
		err = scan(&q.Thread, &due, &q.Busy)
		q.Due = fromMicros(due)
		return q, err
	})
}
