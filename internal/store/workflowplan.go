package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"chela/internal/builder"
	"chela/internal/event"
	"chela/internal/fault"
)

var (
	_ builder.Store = Workflows{}
	_ builder.Tx    = (*Tx)(nil)
)

// projectPlan writes plans for building workflows.
func (tx *Tx) projectPlan(e event.Event) error {
	if e.Message.Type == builder.PlannedKind.Name {
		return open(e, builder.PlannedKind, func(p builder.Planned) error {
			return tx.do(`INSERT INTO workflow_plans (id, slug, thread_id, person, state, body, results, seq, at) VALUES (?,?,?,?,?,?,'',?,?)
				ON CONFLICT (id) DO UPDATE SET body = excluded.body, at = excluded.at`,
				p.Plan.ID, p.Plan.Workflow, p.Thread, p.Person, string(builder.Pending), string(e.Message.Payload), int64(e.Seq), micros(e.At))
		})
	}
	return open(e, builder.MovedKind, func(p builder.Moved) error {
		if p.Results == nil {
			return tx.do("UPDATE workflow_plans SET state = ?, at = ? WHERE id = ?", string(p.To), micros(e.At), p.ID)
		}
		results, err := json.Marshal(p.Results)
		if err != nil {
			return err
		}
		return tx.do("UPDATE workflow_plans SET state = ?, results = ?, at = ? WHERE id = ?", string(p.To), string(results), micros(e.At), p.ID)
	})
}

func scanPlan(scan func(...any) error) (k builder.Kept, err error) {
	var body, results string
	var at int64
	if err := scan(&k.State, &body, &results, &at); err != nil {
		return k, err
	}
	if k.At = fromMicros(at); results != "" {
		if err := json.Unmarshal([]byte(results), &k.Results); err != nil {
			return k, err
		}
	}
	return k, json.Unmarshal([]byte(body), &k.Planned)
}

func (l look) buildPlan(id string) (builder.Kept, error) {
	rows, err := l("SELECT state, body, results, at FROM workflow_plans WHERE id = ?", id)
	if err != nil {
		return builder.Kept{}, fmt.Errorf("read plan: %w", err)
	}
	k, err := first(rows, scanPlan)
	if errors.Is(err, sql.ErrNoRows) {
		return k, fault.New(fault.NotFound, "There is no plan %s.", id)
	}
	return k, err
}

// BuildPlan implements [builder.Store].
func (w Workflows) BuildPlan(ctx context.Context, id string) (builder.Kept, error) {
	return w.db.look(ctx).buildPlan(id)
}

// BuildPlan implements [builder.Tx].
func (tx *Tx) BuildPlan(id string) (builder.Kept, error) { return look(tx.query).buildPlan(id) }

// BuildPlans implements [builder.Store].
func (w Workflows) BuildPlans(ctx context.Context, slug string, limit int) ([]builder.Kept, error) {
	rows, err := w.db.Query(ctx, "SELECT state, body, results, at FROM workflow_plans WHERE slug = ? OR ? = '' ORDER BY seq DESC"+limited(limit), slug, slug)
	if err != nil {
		return nil, fmt.Errorf("list plans: %w", err)
	}
	return all(rows, scanPlan)
}

// LatestPlan implements [builder.Store].
func (w Workflows) LatestPlan(ctx context.Context, thread, person string) (builder.Kept, bool, error) {
	rows, err := w.db.Query(ctx, "SELECT state, body, results, at FROM workflow_plans WHERE thread_id = ? AND person = ? ORDER BY seq DESC LIMIT 1", thread, person)
	if err != nil {
		return builder.Kept{}, false, fmt.Errorf("read plan: %w", err)
	}
	k, err := first(rows, scanPlan)
	if errors.Is(err, sql.ErrNoRows) {
		return k, false, nil
	}
	return k, err == nil, err
}
