package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"chela/internal/budget"
	"chela/internal/event"
	"chela/internal/run"
)

// Budgets are the limits, and what was taken of them.
type Budgets struct{ base }

var _ budget.Store = Budgets{}

func (tx *Tx) projectBudget(e event.Event) error {
	tx.members = true
	if err := open(e, budget.SetKind, func(p budget.Limit) error {
		return tx.do("INSERT INTO budgets (id, body, seq) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body, seq = excluded.seq",
			p.ID(), string(e.Message.Payload), int64(e.Seq))
	}); err != nil {
		return err
	}
	return open(e, budget.RemovedKind, func(p budget.Removed) error { return tx.do("DELETE FROM budgets WHERE id = ?", p.ID) })
}

// Limits implements [budget.Store].
func (b Budgets) Limits(ctx context.Context) ([]budget.Limit, error) {
	return b.db.limits.get(b.db, func() ([]budget.Limit, error) { return b.LimitsNow(ctx) })
}

// LimitsNow implements [budget.Store].
func (b Budgets) LimitsNow(ctx context.Context) ([]budget.Limit, error) {
	rows, err := b.db.Query(ctx, "SELECT body FROM budgets ORDER BY id")
	if err != nil {
		return nil, fmt.Errorf("read budgets: %w", err)
	}
	return all(rows, func(scan func(...any) error) (l budget.Limit, err error) {
		var body string
		if err := scan(&body); err != nil {
			return l, err
		}
		if err := json.Unmarshal([]byte(body), &l); err != nil {
			return l, fmt.Errorf("decode budget: %w", err)
		}
		return l, nil
	})
}

// reserving is the stream that whoever reserves holds. Nothing is ever recorded in it.
const reserving = "budget"

// Reserve implements [budget.Tx].
func (b txBudgets) Reserve(limits []budget.Limit, c budget.Calls) ([]budget.Grant, *budget.Shortage, error) {
	b.tx.Hold(reserving)
	if err := b.tx.do(`DELETE FROM budget_reservations WHERE EXISTS (SELECT 1 FROM run_steps s
		WHERE s.run_id = budget_reservations.run_id AND s.step = budget_reservations.step AND s.done > 0)`); err != nil {
		return nil, nil, err
	}
	now := b.tx.db.mint.Now()
	counted := make([]budget.Counted, len(limits))
	for i, l := range limits {
		done := b.tx.db.uses.get(l, micros(l.Since(now)))
		query, args := useOf(l, c.Run, now, c.Each, done)
		rows, err := b.tx.query(query, args...)
		if err != nil {
			return nil, nil, fmt.Errorf("read what was spent: %w", err)
		}
		use, err := scanUse(rows)
		if err != nil {
			return nil, nil, err
		}
		use.Used = use.Used.Plus(done.used)
		counted[i] = budget.Counted{Limit: l, Use: use, Extra: c.Extra[l.ID()]}
	}
	b.tx.reserved = append(b.tx.reserved, limits...)
	wants := make([]budget.Want, len(c.Each))
	for i, call := range c.Each {
		wants[i] = call.Want
	}
	granted, short := budget.Fit(wants, counted)
	if short != nil {
		return nil, short, nil
	}
	for i, g := range granted {
		if err := b.tx.do(`INSERT INTO budget_reservations (run_id, step, project, agent, by_key, tokens, microusd, millis, at) VALUES (?,?,?,?,?,?,?,?,?)
			ON CONFLICT (run_id, step) DO UPDATE SET tokens = excluded.tokens, microusd = excluded.microusd, millis = excluded.millis, at = excluded.at`,
			string(c.Run), c.Each[i].Step, c.Project, string(c.Agent), c.Key, g.Tokens, g.MicroUSD, g.Millis, micros(now)); err != nil {
			return nil, nil, err
		}
	}
	return granted, nil, nil
}

// Unreserve implements [budget.Tx].
func (b txBudgets) Unreserve(id run.ID, step string) error {
	return b.tx.do("DELETE FROM budget_reservations WHERE run_id = ? AND step = ?", string(id), step)
}

// ReserveCalls is [budget.Tx.Reserve] in a transaction of its own.
func (b Budgets) ReserveCalls(ctx context.Context, limits []budget.Limit, c budget.Calls) (g []budget.Grant, short *budget.Shortage, err error) {
	err = b.db.Write(ctx, func(tx *Tx) (err error) {
		g, short, err = tx.Budgets().Reserve(limits, c)
		return err
	})
	return g, short, err
}

// UnreserveCall is [budget.Tx.Unreserve] in a transaction of its own.
func (b Budgets) UnreserveCall(ctx context.Context, id run.ID, step string) error {
	return b.db.Write(ctx, func(tx *Tx) error { return tx.Budgets().Unreserve(id, step) })
}

// longest is how long a call may last that no run makes.
const longest = 10 * time.Minute

// useOf is the query for what was taken of a limit, in one statement, so that a call is
// seen either under way or answered. What a run reserved that works no more is used: what
// the call cost that was cut off is not known. What the calls of but reserved is left out, and what is settled.
func useOf(l budget.Limit, id run.ID, now time.Time, but []budget.Call, done settled) (string, []any) {
	var where, project, what string
	var of []any
	switch {
	case l.Per == budget.Run:
		where, of = " AND x.run_id = ?", []any{string(id)}
		if l.Scope == budget.Agent {
			where, of = where+" AND x.agent = ?", append(of, l.Of)
		}
	case l.Scope == budget.Project:
		where, of = " AND x.project = ?", []any{l.Of}
		project = " JOIN runs r ON r.id = x.run_id"
	case l.Scope == budget.Agent:
		where, of = " AND x.agent = ?", []any{l.Of}
	case l.Scope == budget.Key:
		where, of = " AND x.by_key = ?", []any{l.Of}
		project = " JOIN runs r ON r.id = x.run_id"
	}
	since := micros(l.Since(now))
	answered, args := answeredOf(l, done)
	if l.Per == budget.Run {
		answered, args = "x.at >= ?"+where, append([]any{since}, of...)
	}
	args = append(append(args, since), of...)
	args = append(append(args, micros(now.Add(-longest)), since), of...)
	for _, c := range but {
		what += " AND NOT (x.run_id = ? AND x.step = ?)"
		args = append(args, string(id), c.Step)
	}
	return `SELECT held, CAST(coalesce(sum(tokens), 0) AS BIGINT), CAST(coalesce(sum(microusd), 0) AS BIGINT), CAST(coalesce(sum(millis), 0) AS BIGINT), count(*) FROM (
		SELECT 0 AS held, x.input_tokens + x.output_tokens AS tokens, x.cost_microusd AS microusd, x.duration_ms AS millis FROM model_calls x WHERE ` + answered + `
		UNION ALL
		SELECT 0, 0, 0, x.millis FROM run_steps x` + project + ` WHERE x.calls > 0 AND x.at >= ?` + strings.NewReplacer("x.project", "r.project", "x.by_key", "r.by_key").Replace(where) + `
		UNION ALL
		SELECT CASE WHEN r.id IS NULL AND x.at >= ? OR r.state = 'running' THEN 1 ELSE 0 END, x.tokens, x.microusd, x.millis FROM budget_reservations x
		LEFT JOIN runs r ON r.id = x.run_id LEFT JOIN run_steps s ON s.run_id = x.run_id AND s.step = x.step AND s.done > 0
		WHERE s.run_id IS NULL AND (x.at >= ? OR r.state = 'running')` + where + what + `) every GROUP BY held`, args
}

func scanUse(rows Rows) (u budget.Use, err error) {
	return u, each(rows, func(scan func(...any) error) error {
		var held int
		var a budget.Amounts
		if err := scan(&held, &a.Tokens, &a.MicroUSD, &a.Millis, &a.Calls); err != nil {
			return err
		}
		if held == 1 {
			u.Reserved = a
		} else {
			u.Used = a
		}
		return nil
	})
}

// Use returns what was taken of a limit up to now; of one for each run nothing.
func (b Budgets) Use(ctx context.Context, l budget.Limit) (budget.Use, error) {
	now := b.db.mint.Now()
	query, args := useOf(l, "", now, nil, settled{since: micros(l.Since(now))})
	rows, err := b.db.Query(ctx, query, args...)
	if err != nil {
		return budget.Use{}, fmt.Errorf("read what was spent: %w", err)
	}
	return scanUse(rows)
}
