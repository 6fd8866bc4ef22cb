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

	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
)

// Runs are the runs with their steps and tasks.
type Runs struct{ base }

var (
	_ run.Writer[*Tx] = (*DB)(nil)
	_ run.Reader      = Runs{}
	_ approval.Reader = Questions{}
)

const runFields = "spec, state, waits_for, reason, segment, attempt, node, seq, created_at, updated_at, ended_at"

func scanRun(scan func(...any) error) (r run.Run, err error) {
	var spec string
	var seq, created, updated, ended int64
	if err := scan(&spec, &r.State, &r.WaitsFor, &r.Reason, &r.Segment, &r.Attempt, &r.Node, &seq, &created, &updated, &ended); err != nil {
		return r, err
	}
	if err := json.Unmarshal([]byte(spec), &r.Spec); err != nil {
		return r, fmt.Errorf("decode run: %w", err)
	}
	r.Seq, r.CreatedAt, r.UpdatedAt, r.EndedAt = event.Seq(seq), fromMicros(created), fromMicros(updated), fromMicros(ended)
	return r, nil
}

func runOf(rows Rows, err error, id run.ID) (run.Run, error) {
	if err != nil {
		return run.Run{}, fmt.Errorf("read run: %w", err)
	}
	r, err := first(rows, scanRun)
	if errors.Is(err, sql.ErrNoRows) {
		return r, fault.New(fault.NotFound, "Run %s does not exist.", id)
	}
	return r, err
}

// Run implements [run.Reader].
func (ru Runs) Run(ctx context.Context, id run.ID) (run.Run, error) {
	rows, err := ru.db.Query(ctx, "SELECT "+runFields+" FROM runs WHERE id = ?", string(id))
	return runOf(rows, err, id)
}

// Run implements [run.RunTx].
func (r txRuns) Run(id run.ID) (run.Run, error) {
	rows, err := r.tx.query("SELECT "+runFields+" FROM runs WHERE id = ?", string(id))
	return runOf(rows, err, id)
}

// RunList returns runs, newest first.
func (ru Runs) RunList(ctx context.Context, f run.Filter) ([]run.Run, error) {
	where, args := []string{"1 = 1"}, []any{}
	if f.State != "" && !f.State.Final() {
		where = append(where, "ended_at = 0") // there is an index of those
	}
	for _, c := range []struct{ cond, value string }{
		{"state = ?", string(f.State)}, {"project = ?", f.Project}, {"thread_id = ?", f.Thread}, {"kind = ?", f.Kind}, {"by_actor = ?", f.By},
	} {
		if c.value != "" {
			where, args = append(where, c.cond), append(args, c.value)
		}
	}
	if f.Agent != "" {
		where, args = append(where, "EXISTS (SELECT 1 FROM tasks t WHERE t.run_id = runs.id AND t.agent = ?)"), append(args, f.Agent)
	}
	if f.Before > 0 {
		where, args = append(where, "seq < ?"), append(args, int64(f.Before))
	}
	if f.Limit == 0 {
		f.Limit = 50
	}
	rows, err := ru.db.Query(ctx, "SELECT "+runFields+" FROM runs WHERE "+strings.Join(where, " AND ")+" ORDER BY seq DESC"+limited(f.Limit), args...)
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	return all(rows, scanRun)
}

// Forks returns the runs that were begun from steps of a run, oldest first.
func (ru Runs) Forks(ctx context.Context, of run.Run) ([]run.Run, error) {
	rows, err := ru.db.Query(ctx, "SELECT "+prefixed("r", runFields)+" FROM sessions s JOIN runs r ON r.thread_id = s.thread_id WHERE s.forked_from = ? AND s.forked_from <> '' ORDER BY r.seq", of.Thread)
	if err != nil {
		return nil, fmt.Errorf("read the forks of a run: %w", err)
	}
	list, err := all(rows, scanRun)
	return slices.DeleteFunc(list, func(r run.Run) bool { return r.ForkOf != of.ID }), err
}

// Steps implements [run.Reader].
func (ru Runs) Steps(ctx context.Context, id run.ID) ([]run.Recorded, error) {
	r, err := ru.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	inherited, err := ru.inherited(ctx, r)
	if err != nil {
		return nil, err
	}
	own, err := ru.steps(ctx, id, event.Newest)
	return append(inherited, own...), err
}

// inherited are the steps that a fork begins with: those of the runs that it comes from, each up to where it was forked. A
// question to people is not among them: what they answered counts for the run that asked.
func (ru Runs) inherited(ctx context.Context, r run.Run) (out []run.Recorded, err error) {
	for r.ForkOf != "" {
		of, upTo := r.ForkOf, r.ForkSeq
		steps, err := ru.steps(ctx, of, upTo)
		if err != nil {
			return nil, err
		}
		out = append(steps, out...)
		if r, err = ru.Run(ctx, of); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(out, func(s run.Recorded) bool { return s.Event.Message.Type == approval.RequestedKind.Name }), nil
}

func (ru Runs) steps(ctx context.Context, id run.ID, upTo event.Seq) ([]run.Recorded, error) {
	rows, err := ru.db.Query(ctx, "SELECT step, done FROM run_steps WHERE run_id = ? AND begun <= ? ORDER BY begun", string(id), int64(upTo))
	if err != nil {
		return nil, fmt.Errorf("read steps: %w", err)
	}
	out, err := all(rows, func(scan func(...any) error) (r run.Recorded, err error) {
		r.Begun = true
		err = scan(&r.Key, &r.Event.Seq)
		return r, err
	})
	if err != nil {
		return nil, err
	}
	results, err := ru.results(ctx, id, upTo)
	for i, r := range out {
		out[i].Event, out[i].Done = results[r.Event.Seq]
	}
	return out, err
}

// results returns the events that ended steps of a run, by their positions.
func (ru Runs) results(ctx context.Context, id run.ID, upTo event.Seq) (map[event.Seq]event.Event, error) {
	found, err := ru.db.rows(ctx).read(resultsOf(id, upTo))
	if err != nil {
		return nil, fmt.Errorf("read the results of steps: %w", err)
	}
	out := make(map[event.Seq]event.Event, len(found))
	for _, e := range found {
		out[e.Seq] = e.Event
	}
	return out, nil
}

// Waits implements [run.Reader].
func (ru Runs) Waits(ctx context.Context, id run.ID) ([]run.Wait, error) {
	var out []run.Wait
	var since time.Time
	err := ru.db.rows(ctx).times(id, run.WaitingKind.Name, run.StartedKind.Name, func(kind string, at time.Time) {
		switch {
		case kind == run.WaitingKind.Name && since.IsZero(): // one that is paused while it waits has waited since before
			since = at
		case kind != run.WaitingKind.Name && !since.IsZero():
			out, since = append(out, run.Wait{From: since, To: at}), time.Time{}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read when a run waited: %w", err)
	}
	return out, nil
}

// prefixed puts a table's alias before each field.
func prefixed(alias, fields string) string {
	return alias + "." + strings.ReplaceAll(fields, ", ", ", "+alias+".")
}

// Tasks returns the tasks of a run in the order they were requested.
func (ru Runs) Tasks(ctx context.Context, id run.ID) ([]run.Task, error) {
	rows, err := ru.db.Query(ctx, "SELECT id, run_id, parent, agent, title, state, summary, created_at, ended_at FROM tasks WHERE run_id = ? ORDER BY seq", string(id))
	if err != nil {
		return nil, fmt.Errorf("read tasks: %w", err)
	}
	return all(rows, func(scan func(...any) error) (t run.Task, err error) {
		var created, ended int64
		err = scan(&t.ID, &t.Run, &t.Parent, &t.Agent, &t.Title, &t.State, &t.Summary, &created, &ended)
		t.CreatedAt, t.EndedAt = fromMicros(created), fromMicros(ended)
		return t, err
	})
}
