package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"chela/internal/event"
	"chela/internal/router"
	"chela/internal/run"
	"chela/internal/session"
)

var (
	_ router.Store = Workflows{}
	_ router.Tx    = (*Tx)(nil)
)

// projectRouter writes where people stand with the router.
func (tx *Tx) projectRouter(e event.Event) error {
	switch e.Message.Type {
	case router.DecidedKind.Name:
		return open(e, router.DecidedKind, func(p router.Decided) error {
			slug, message := p.Slug, p.Accepted
			if p.Declined != "" {
				slug, message = "", p.Declined
			}
			if message == "" {
				return nil
			}
			return tx.do("INSERT INTO router_examples (seq, slug, message) VALUES (?,?,?)", int64(e.Seq), slug, message)
		})
	case router.PlanMovedKind.Name:
		return open(e, router.PlanMovedKind, func(p router.PlanMoved) error {
			return tx.do("UPDATE router_plans SET state = ?, step = ?, over = ? WHERE run_id = ?", string(p.State), p.Step, flag(p.State.Over()), string(p.Run))
		})
	}
	return open(e, router.ChangedKind, func(p router.Changed) error {
		s := p.Session
		s.UpdatedAt = e.At
		body, err := json.Marshal(s)
		if err != nil {
			return fmt.Errorf("encode a session of the router: %w", err)
		}
		if err := tx.do(`INSERT INTO router_sessions (thread_id, person, state, body, at) VALUES (?,?,?,?,?) ON CONFLICT (thread_id, person) DO UPDATE SET
			state = excluded.state, body = excluded.body, at = excluded.at`, s.Thread, s.Person, string(s.State), string(body), micros(e.At)); err != nil {
			return err
		}
		if p.From != router.Planning || s.State != router.Executing || s.Plan == nil {
			return nil
		}
		tx.topics[event.PlansBegun] = true
		plan, err := json.Marshal(s.Plan)
		if err != nil {
			return fmt.Errorf("encode a plan: %w", err)
		}
		return tx.do("INSERT INTO router_plans (run_id, thread_id, person, state, step, over, body) VALUES (?,?,?,?,'',0,?) ON CONFLICT (run_id) DO NOTHING",
			string(s.Plan.Run), s.Thread, s.Person, string(router.Executing), string(plan))
	})
}

func (l look) routerSession(thread, person string) (router.Session, error) {
	rows, err := l("SELECT body FROM router_sessions WHERE thread_id = ? AND person = ?", thread, person)
	if err != nil {
		return router.Session{}, fmt.Errorf("read a session of the router: %w", err)
	}
	s, err := first(rows, scanBody[router.Session])
	if errors.Is(err, sql.ErrNoRows) {
		return router.Session{Thread: thread, Person: person, State: router.Idle}, nil
	}
	return s, err
}

// RouterSession implements [router.Tx].
func (tx *Tx) RouterSession(thread, person string) (router.Session, error) {
	return look(tx.query).routerSession(thread, person)
}

// RouterSession implements [router.Store].
func (w Workflows) RouterSession(ctx context.Context, thread, person string) (router.Session, error) {
	return w.db.look(ctx).routerSession(thread, person)
}

// RouterSessions returns where the people of a conversation stand with the router; an empty thread means of all, the newest
// first.
func (w Workflows) RouterSessions(ctx context.Context, thread string, limit int) ([]router.Session, error) {
	rows, err := w.db.Query(ctx, "SELECT body FROM router_sessions WHERE thread_id = ? OR ? = '' ORDER BY at DESC, thread_id, person"+limited(limit), thread, thread)
	if err != nil {
		return nil, fmt.Errorf("list sessions of the router: %w", err)
	}
	return all(rows, scanBody[router.Session])
}

// RouterMark implements [router.Store].
func (w Workflows) RouterMark(ctx context.Context) (string, error) {
	rows, err := w.db.Query(ctx, "SELECT count(*), coalesce(max(deployed_at), 0), coalesce(sum(version), 0) FROM workflow_versions WHERE state = 'deployed'")
	if err != nil {
		return "", fmt.Errorf("read what is deployed: %w", err)
	}
	return first(rows, func(scan func(...any) error) (string, error) {
		var n, at, versions int64
		err := scan(&n, &at, &versions)
		return fmt.Sprintf("%d/%d/%d", n, at, versions), err
	})
}

// RouterExamples implements [router.Store].
func (w Workflows) RouterExamples(ctx context.Context, limit int) ([]router.Example, error) {
	rows, err := w.db.Query(ctx, "SELECT e.slug, m.body FROM router_examples e JOIN messages m ON m.id = e.message ORDER BY e.seq DESC"+limited(limit))
	if err != nil {
		return nil, fmt.Errorf("read what was accepted: %w", err)
	}
	list, err := all(rows, func(scan func(...any) error) (x router.Example, err error) {
		var body string
		if err := scan(&x.Slug, &body); err != nil {
			return x, err
		}
		var said session.Said
		err = json.Unmarshal([]byte(body), &said)
		x.Text = said.Message
		return x, err
	})
	out := list[:0]
	for _, x := range list {
		if x.Text != "" { // it was taken back
			out = append(out, x)
		}
	}
	return out, err
}

// RouterPlans implements [router.Store].
func (w Workflows) RouterPlans(ctx context.Context) ([]router.Begun, error) {
	rows, err := w.db.Query(ctx, `SELECT p.thread_id, p.person, p.state, p.step, p.body,
		coalesce((SELECT s.path FROM workflow_steps s WHERE s.run_id = p.run_id ORDER BY s.seq DESC LIMIT 1), ''),
		EXISTS (SELECT 1 FROM runs t WHERE t.thread_id = p.thread_id AND t.ended_at = 0 AND t.seq < r.seq AND t.kind IN (`+turnKinds+`) AND t.state IN ('queued', 'running')), `+prefixed("r", runFields)+`
		FROM router_plans p JOIN runs r ON r.id = p.run_id WHERE p.over = 0 ORDER BY p.run_id`)
	if err != nil {
		return nil, fmt.Errorf("read what messages began: %w", err)
	}
	list, err := all(rows, func(scan func(...any) error) (b router.Begun, err error) {
		var body string
		var state router.State
		var step string
		b.Run, err = scanRun(func(into ...any) error {
			return scan(append([]any{&b.Thread, &b.Person, &state, &step, &body, &b.Step, &b.Answering}, into...)...)
		})
		if err != nil {
			return b, err
		}
		if err := json.Unmarshal([]byte(body), &b.Plan); err != nil {
			return b, err
		}
		b.Plan.State, b.Plan.Step = state, step
		return b, nil
	})
	for i := range list {
		if list[i].Run.State != run.Done {
			continue
		}
		ends, _, err := w.db.Log.Events(ctx, 0, event.Filter{Run: string(list[i].Run.ID), Type: run.FinishedKind.Name, Limit: 1})
		if err != nil {
			return nil, err
		}
		for _, e := range ends {
			end, _, err := run.FinishedKind.Open(e.Event)
			if err != nil {
				return nil, err
			}
			list[i].Output = end.Result
		}
	}
	return list, err
}
