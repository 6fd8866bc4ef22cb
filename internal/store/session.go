package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/inbox"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/tool"
)

// Conversations are what was said, and what waits to be said.
type Conversations struct{ base }

const sessionFields = "thread_id, project, agent, model, queue, channel, title, person, forked_from, forked_seq, messages, closed, removed, created_at, updated_at, chat_channel, chat, branch"

func scanSession(scan func(...any) error) (t session.Thread, err error) {
	var closed, removed, created, updated int64
	var chat session.Chat
	err = scan(&t.ID, &t.Project, &t.Agent, &t.Model, &t.Queue, &t.Channel, &t.Title, &t.Person, &t.ForkedFrom, &t.ForkedSeq, &t.Messages, &closed, &removed, &created, &updated, &chat.Channel, &chat.Chat, &chat.Branch)
	if chat.Channel != "" {
		t.Chat = &chat
	}
	t.Closed, t.Removed = closed != 0, removed != 0
	t.CreatedAt, t.UpdatedAt = fromMicros(created), fromMicros(updated)
	return t, err
}

func sessionOf(rows Rows, err error, id string) (session.Thread, error) {
	if err != nil {
		return session.Thread{}, fmt.Errorf("read conversation: %w", err)
	}
	t, err := first(rows, scanSession)
	if errors.Is(err, sql.ErrNoRows) {
		return t, fault.New(fault.NotFound, "The conversation %s does not exist.", id)
	}
	return t, err
}

// Session returns a conversation.
func (c Conversations) Session(ctx context.Context, id string) (session.Thread, error) {
	rows, err := c.db.Query(ctx, "SELECT "+sessionFields+" FROM sessions WHERE thread_id = ?", id)
	return sessionOf(rows, err, id)
}

// Session returns a conversation as the transaction sees it.
func (c txConversations) Session(id string) (session.Thread, error) {
	rows, err := c.tx.query("SELECT "+sessionFields+" FROM sessions WHERE thread_id = ?", id)
	return sessionOf(rows, err, id)
}

// Enter implements [inbox.ConversationTx].
func (c txConversations) Enter(thread string, events int) (in inbox.Entry, err error) {
	var held, free int64
	look := Look{Statement{"SELECT " + sessionFields + ", coalesce((" + workedIn + `), ''), (SELECT count(*) FROM session_held h WHERE h.thread_id = s.thread_id),
		CASE WHEN EXISTS (SELECT 1 FROM run_claims c WHERE c.part = s.thread_id AND c.state <> 'parked') THEN 0 ELSE 1 END FROM sessions s WHERE s.thread_id = ?`, []any{thread, thread}}, func(rows Rows) error {
		return each(rows, func(scan func(...any) error) (err error) {
			in.Begun = true
			in.Conversation, err = scanSession(func(into ...any) error { return scan(append(into, &in.Busy, &held, &free)...) })
			return err
		})
	}}
	if err := c.tx.look(events, look); err != nil {
		return in, fmt.Errorf("read conversation: %w", err)
	}
	if free != 0 {
		c.tx.free = thread
	}
	if !in.Begun {
		if in.Busy, err = c.WorkedIn(thread); err != nil {
			return in, err
		}
	}
	if held > 0 || !in.Begun {
		in.Held, err = c.Waiting(thread)
	}
	return in, err
}

// Opening implements [agent.Conversations].
func (c Conversations) Opening(ctx context.Context, thread string, at event.Seq, id run.ID) (out session.Opening, err error) {
	var body string
	rows, err := c.db.Query(ctx, "SELECT "+sessionFields+`, coalesce((SELECT c.body FROM session_compactions c WHERE c.thread_id = s.thread_id AND c.seq <= ? ORDER BY c.seq DESC LIMIT 1), ''),
		coalesce((SELECT r.slot FROM run_claims r WHERE r.run_id = ? AND r.slot_number > 0), '') FROM sessions s WHERE s.thread_id = ?`, int64(at), string(id), thread)
	if err != nil {
		return out, fmt.Errorf("read conversation: %w", err)
	}
	out.Thread, err = first(rows, func(scan func(...any) error) (session.Thread, error) {
		return scanSession(func(into ...any) error { return scan(append(into, &body, &out.Slot)...) })
	})
	if errors.Is(err, sql.ErrNoRows) {
		return out, fault.New(fault.NotFound, "The conversation %s does not exist.", thread)
	}
	if err == nil && body != "" {
		err = json.Unmarshal([]byte(body), &out.Compacted)
	}
	return out, err
}

// viewed reads conversations as the person sees them that is given three times.
const viewed = `SELECT s.thread_id, project, agent, model, queue, channel, title, s.person, forked_from, forked_seq, messages, closed, removed, created_at, updated_at, chat_channel, chat, branch, coalesce(r.seq, 0),
	CASE WHEN r.seq IS NULL AND s.person <> ? THEN 0 ELSE (SELECT count(*) FROM messages m WHERE m.thread_id = s.thread_id AND m.seq > coalesce(r.seq, 0) AND m.actor <> ?) END
	FROM sessions s LEFT JOIN session_reads r ON r.thread_id = s.thread_id AND r.person = ? `

func scanView(scan func(...any) error) (v session.View, err error) {
	var read, unread int64
	v.Thread, err = scanSession(func(into ...any) error { return scan(append(into, &read, &unread)...) })
	v.Read, v.Unread = event.Seq(read), int(unread)
	return v, err
}

// Sessions returns conversations as a person sees them, the most recently used first; an
// empty project means all. Those that were removed are left out.
func (c Conversations) Sessions(ctx context.Context, project, person string, limit, offset int) ([]session.View, error) {
	rows, err := c.db.Query(ctx, viewed+"WHERE (project = ? OR ? = '') AND removed = 0 ORDER BY updated_at DESC, s.thread_id"+limited(limit)+" OFFSET "+strconv.Itoa(offset), person, person, person, project, project)
	if err != nil {
		return nil, fmt.Errorf("list conversations: %w", err)
	}
	return all(rows, scanView)
}

// View returns a conversation as a person sees it.
func (c Conversations) View(ctx context.Context, id, person string) (session.View, error) {
	rows, err := c.db.Query(ctx, viewed+"WHERE s.thread_id = ?", person, person, person, id)
	if err != nil {
		return session.View{}, fmt.Errorf("read conversation: %w", err)
	}
	v, err := first(rows, scanView)
	if errors.Is(err, sql.ErrNoRows) {
		return v, fault.New(fault.NotFound, "The conversation %s does not exist.", id)
	}
	return v, err
}

func scanMessage(scan func(...any) error) (m session.Message, err error) {
	var body string
	var at int64
	if err := scan(&m.Seq, &m.ID, &m.Thread, &m.Run, &m.Role, &m.Actor, &body, &at); err != nil {
		return m, err
	}
	m.At = fromMicros(at)
	if m.Said, err = session.DecodeSaid(body); err != nil {
		return m, fmt.Errorf("decode message %s: %w", m.ID, err)
	}
	return m, nil
}

// Messages returns up to limit messages of a thread past a position, oldest first.
// The messages that a forked thread begins with are not among them.
func (c Conversations) Messages(ctx context.Context, thread string, after event.Seq, limit int) ([]session.Message, error) {
	rows, err := c.db.Query(ctx, "SELECT seq, id, thread_id, run_id, role, actor, body, at FROM messages WHERE thread_id = ? AND seq > ? ORDER BY seq"+limited(limit), thread, int64(after))
	if err != nil {
		return nil, fmt.Errorf("read messages: %w", err)
	}
	return all(rows, scanMessage)
}

// LastMessages returns the newest messages of a thread up to a position, oldest
// first.
func (c Conversations) LastMessages(ctx context.Context, thread string, upTo event.Seq, limit int) ([]session.Message, error) {
	rows, err := c.db.Query(ctx, "SELECT seq, id, thread_id, run_id, role, actor, body, at FROM messages WHERE thread_id = ? AND seq <= ? ORDER BY seq DESC"+limited(limit), thread, int64(upTo))
	if err != nil {
		return nil, fmt.Errorf("read messages: %w", err)
	}
	out, err := all(rows, scanMessage)
	slices.Reverse(out)
	return out, err
}

// lastResults is how many results of an agent are looked through for one of another run.
const lastResults = 100

// LastResult is what a tool gave an agent last in a thread, in another run than the given one. ok is false when none did.
func (c Conversations) LastResult(ctx context.Context, thread string, agent org.AgentID, except run.ID) (last tool.ResultPayload, ok bool, err error) {
	found, _, err := Log(c).Events(ctx, 0, event.Filter{Thread: thread, Type: event.ToolResult, Actor: string(agent), Newest: true, Limit: lastResults})
	if err != nil {
		return last, false, err
	}
	for _, e := range found {
		if e.Message.RunID != string(except) {
			return tool.ResultKind.Open(e.Event)
		}
	}
	return last, false, nil
}

// LastSaid returns the position of the newest message that a person sent to a
// thread, 0 when there is none.
func (r txRuns) LastSaid(thread string) (event.Seq, error) {
	if s := r.tx.ahead; s != nil && s.thread == thread {
		return s.said, nil
	}
	var seq int64
	err := r.tx.row("SELECT seq FROM messages WHERE thread_id = ? AND role = 'person' ORDER BY seq DESC LIMIT 1", []any{thread}, &seq) // not max: that reads them all
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return event.Seq(seq), err
}

// OpenIn returns a run of a thread that is not over, or "".
func (c txConversations) OpenIn(thread string) (id string, err error) {
	err = c.tx.row("SELECT id FROM runs WHERE thread_id = ? AND ended_at = 0 ORDER BY seq LIMIT 1", []any{thread}, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return id, err
}

// turnKinds are the kinds of runs that answer a conversation, as SQL lists them.
var turnKinds = "'" + strings.Join(session.TurnKinds(), "', '") + "'"

// workedIn reads the run that answers a conversation.
var workedIn = "SELECT id FROM runs WHERE thread_id = ? AND kind IN (" + turnKinds + ") AND ended_at = 0 AND state IN ('queued', 'running') ORDER BY seq LIMIT 1"

// WorkedIn returns the run that answers a conversation, queued or running, or "" when there is
// none.
func (c txConversations) WorkedIn(thread string) (string, error) {
	var id string
	err := c.tx.row(workedIn, []any{thread}, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return id, err
}

// projectRevised changes a message that was said, when it is one of the conversation.
func (tx *Tx) projectRevised(e event.Event) error {
	var of struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal(e.Message.Payload, &of); err != nil {
		return fmt.Errorf("decode %s %s: %w", e.Message.Type, e.Message.ID, err)
	}
	err := tx.revise(e, of.Message)
	if errors.Is(err, sql.ErrNoRows) {
		return tx.reviseHeld(e, of.Message)
	}
	return err
}

// revise changes a message that was said; sql.ErrNoRows says that it was not.
func (tx *Tx) revise(e event.Event, id string) error {
	var body string
	if err := tx.row("SELECT body FROM messages WHERE id = ? AND thread_id = ?", []any{id, e.Message.ThreadID}, &body); err != nil {
		return err
	}
	var said session.Said
	if err := json.Unmarshal([]byte(body), &said); err != nil {
		return fmt.Errorf("decode message %s: %w", id, err)
	}
	said, err := said.Revise(e)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(said)
	if err != nil {
		return fmt.Errorf("encode message %s: %w", id, err)
	}
	if err := tx.do("UPDATE messages SET body = ? WHERE id = ? AND thread_id = ?", string(raw), id, e.Message.ThreadID); err != nil {
		return err
	}
	return tx.reindexMessage(e.Message.ThreadID, id)
}
