package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/worker"
)

// Workers are the tasks of agents elsewhere that fetch them.
type Workers struct{ base }

var _ worker.Store = Workers{}

// projectWorker writes where a task of a worker stands.
func (tx *Tx) projectWorker(e event.Event) error {
	tx.topics[event.WorkersMoved] = true
	t, err := tx.workerTask(e.Message.TaskID)
	if err != nil {
		return err
	}
	if t, err = t.With(e); err != nil || t.ID == "" {
		return err
	}
	raw, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("encode the task %s: %w", t.ID, err)
	}
	return tx.do("INSERT INTO worker_tasks (id, worker, ended, body, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET ended = excluded.ended, body = excluded.body",
		t.ID, t.Worker, micros(t.Ended), string(raw), micros(t.At))
}

const workerTask = "SELECT body FROM worker_tasks WHERE id = ?"

// workerTask is a task as it stands in the transaction; the zero one when there is none.
func (tx *Tx) workerTask(id string) (worker.Task, error) {
	rows, err := tx.query(workerTask, id)
	if err != nil {
		return worker.Task{}, fmt.Errorf("read the task %s: %w", id, err)
	}
	t, err := first(rows, bodyOf[worker.Task])
	if errors.Is(err, sql.ErrNoRows) {
		return worker.Task{}, nil
	}
	return t, err
}

// Waiting implements [worker.Store].
func (w Workers) Waiting(ctx context.Context, name string) ([]worker.Task, error) {
	rows, err := w.db.Query(ctx, "SELECT body FROM worker_tasks WHERE worker = ? AND ended = 0 AND at > ? ORDER BY at, id", name, micros(w.Mint().Now().Add(-worker.Life)))
	if err != nil {
		return nil, fmt.Errorf("read the tasks of %s: %w", name, err)
	}
	return all(rows, bodyOf[worker.Task])
}

// Task implements [worker.Store].
func (w Workers) Task(ctx context.Context, id string) (worker.Task, error) {
	rows, err := w.db.Query(ctx, workerTask, id)
	if err != nil {
		return worker.Task{}, fmt.Errorf("read the task %s: %w", id, err)
	}
	t, err := first(rows, bodyOf[worker.Task])
	if errors.Is(err, sql.ErrNoRows) {
		err = fault.New(fault.NotFound, "There is no task %s.", id)
	}
	return t, err
}

// Move implements [worker.Store]. Those who move one task wait for each other; of those who give it, one does.
func (w Workers) Move(ctx context.Context, id string, fn func(worker.Task) ([]event.Draft, error)) error {
	return w.db.Write(ctx, func(tx *Tx) error {
		t, err := tx.workerTask(id)
		if err != nil {
			return err
		}
		if t.ID != "" {
			tx.Hold(t.Stream)
			if t, err = tx.workerTask(id); err != nil {
				return err
			}
		}
		drafts, err := fn(t)
		if err != nil || len(drafts) == 0 {
			return err
		}
		_, err = tx.Append(drafts...)
		return err
	})
}
