package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"chela/internal/agent"
	"chela/internal/chart"
	"chela/internal/event"
	"chela/internal/inbox"
	"chela/internal/org"
	"chela/internal/run"
)

// Spending sums the calls of models.
type Spending struct{ base }

func (tx *Tx) projectModel(e event.Event) error {
	return open(e, agent.AnsweredKind, func(p agent.Answered) error {
		a := p.Answer
		project, _ := strings.CutPrefix(e.Stream, event.ProjectStream("")) // of a question; a run has its own
		if project == e.Stream {
			project = ""
		}
		return tx.do(`INSERT INTO model_calls (seq, run_id, task_id, agent, provider, model, input_tokens, output_tokens, cost_microusd, cost_known, duration_ms, at, project, person, by_key)
			VALUES (?,?,?,?,?,?,?,?,?,?,?,?, coalesce(nullif(CAST(? AS TEXT), ''), (SELECT project FROM runs WHERE id = ?), ''),
				coalesce((SELECT by_actor FROM runs WHERE id = ?), ?), coalesce((SELECT by_key FROM runs WHERE id = ?), ?))`, int64(e.Seq), e.Message.RunID, e.Message.TaskID, p.Agent, a.Provider, a.Model,
			a.Usage.InputTokens+a.Usage.CacheReadTokens+a.Usage.CacheWriteTokens, a.Usage.OutputTokens, int64(a.CostUSD*1e6), flag(a.CostKnown), a.Duration.Milliseconds(), micros(e.At),
			project, e.Message.RunID, e.Message.RunID, e.Message.From.AgentID, e.Message.RunID, e.Message.From.Key)
	})
}

// SpendBy sums the model calls of each agent since an instant.
func (sp Spending) SpendBy(ctx context.Context, since time.Time) (map[org.AgentID]agent.Spend, error) {
	return spendOf[org.AgentID](ctx, sp.db, "agent", "at >= ?", micros(since))
}

// Spent sums the model calls of a conversation since an instant; of all when thread is empty.
func (sp Spending) Spent(ctx context.Context, thread string, since time.Time) (inbox.Spent, error) {
	var s inbox.Spent
	var millis int
	err := sp.db.one(ctx, "SELECT "+spendSums+" FROM model_calls WHERE at >= ? AND (? = '' OR run_id IN (SELECT id FROM runs WHERE thread_id = ?))",
		[]any{micros(since), thread, thread}, &s.Calls, &s.Input, &s.Output, &s.USD, &s.Unpriced, &millis)
	return s, err
}

// SpendSince sums the model calls since an instant.
func (sp Spending) SpendSince(ctx context.Context, since time.Time) (s agent.Spend, err error) {
	err = sp.db.one(ctx, "SELECT "+spendSums+" FROM model_calls WHERE at >= ?", []any{micros(since)}, sumsInto(&s)...)
	return s, err
}

// Spend sums the model calls of a run, or of all when id is empty.
func (sp Spending) Spend(ctx context.Context, id run.ID) (agent.Spend, error) {
	if id == "" {
		return sp.SpendSince(ctx, time.Time{})
	}
	of, err := sp.Spends(ctx, []run.ID{id})
	return of[id], err
}

// Spends sums the model calls of each of the runs; one without any is not in the result.
func (sp Spending) Spends(ctx context.Context, ids []run.ID) (map[run.ID]agent.Spend, error) {
	if len(ids) == 0 {
		return map[run.ID]agent.Spend{}, nil
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = string(id)
	}
	return spendOf[run.ID](ctx, sp.db, "run_id", "run_id IN ("+marks(len(ids))+")", args...)
}

// spendSums are what sumsInto scans.
const spendSums = `count(*), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),
	CAST(coalesce(sum(cost_microusd), 0) AS DOUBLE PRECISION) / 1e6, coalesce(sum(1 - cost_known), 0), coalesce(sum(duration_ms), 0)`

func sumsInto(s *agent.Spend) []any {
	return []any{&s.Calls, &s.InputTokens, &s.OutputTokens, &s.CostUSD, &s.Unpriced, &s.DurationMS}
}

// SpentByDay sums the model calls of a project from a time until before another, by day (UTC), agent
// and run, the earliest first.
func (sp Spending) SpentByDay(ctx context.Context, project string, since, until time.Time) ([]chart.Spent, error) {
	rows, err := sp.db.Query(ctx, `SELECT at - at % 86400000000 AS day, agent, run_id, CAST(sum(cost_microusd) AS DOUBLE PRECISION) / 1e6, count(*), sum(1 - cost_known)
		FROM model_calls WHERE project = ? AND at >= ? AND at < ? GROUP BY day, agent, run_id ORDER BY day, agent, run_id`, project, max(micros(since), 0), micros(until))
	if err != nil {
		return nil, fmt.Errorf("read what was spent: %w", err)
	}
	return all(rows, func(scan func(...any) error) (s chart.Spent, err error) {
		var at int64
		err = scan(&at, &s.Agent, &s.Run, &s.USD, &s.Calls, &s.Unpriced)
		s.Day = time.UnixMicro(at).UTC()
		return s, err
	})
}

// spendOf sums the model calls by what a column names; what has none is not in the result.
func spendOf[K ~string](ctx context.Context, db *DB, by, where string, args ...any) (map[K]agent.Spend, error) {
	rows, err := db.Query(ctx, "SELECT "+by+", "+spendSums+" FROM model_calls WHERE "+where+" GROUP BY "+by, args...)
	if err != nil {
		return nil, fmt.Errorf("read what was spent: %w", err)
	}
	out := make(map[K]agent.Spend)
	return out, each(rows, func(scan func(...any) error) error {
		var id K
		var s agent.Spend
		err := scan(append([]any{&id}, sumsInto(&s)...)...)
		out[id] = s
		return err
	})
}
