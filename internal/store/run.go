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

var (
	_ run.Store[*Tx]  = (*DB)(nil)
	_ approval.Reader = (*DB)(nil)
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
func (db *DB) Run(ctx context.Context, id run.ID) (run.Run, error) {
	rows, err := db.Query(ctx, "SELECT "+runFields+" FROM runs WHERE id = ?", string(id))
	return runOf(rows, err, id)
}

// Run implements [run.Tx].
func (tx *Tx) Run(id run.ID) (run.Run, error) {
	rows, err := tx.query("SELECT "+runFields+" FROM runs WHERE id = ?", string(id))
	return runOf(rows, err, id)
}

// RunList returns runs, newest first.
func (db *DB) RunList(ctx context.Context, f run.Filter) ([]run.Run, error) {
	where, args := []string{"1 = 1"}, []any{}
	if f.State != "" && !f.State.Final() {
		where = append(where, "ended_at = 0") // there is an index of those
	}
	for _, c := range []struct{ cond, value string }{
		{"state = ?", string(f.State)}, {"project = ?", f.Project}, {"thread_id = ?", f.Thread}, {"kind = ?", f.Kind},
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
	rows, err := db.Query(ctx, "SELECT "+runFields+" FROM runs WHERE "+strings.Join(where, " AND ")+" ORDER BY seq DESC"+limited(f.Limit), args...)
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	return all(rows, scanRun)
}

// Forks returns the runs that were begun from steps of a run, oldest first.
func (db *DB) Forks(ctx context.Context, of run.Run) ([]run.Run, error) {
	rows, err := db.Query(ctx, "SELECT "+prefixed("r", runFields)+" FROM sessions s JOIN runs r ON r.thread_id = s.thread_id WHERE s.forked_from = ? AND s.forked_from <> '' ORDER BY r.seq", of.Thread)
	if err != nil {
		return nil, fmt.Errorf("read the forks of a run: %w", err)
	}
	list, err := all(rows, scanRun)
	return slices.DeleteFunc(list, func(r run.Run) bool { return r.ForkOf != of.ID }), err
}

// Steps implements [run.Reader].
func (db *DB) Steps(ctx context.Context, id run.ID) ([]run.Recorded, error) {
	r, err := db.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	var out []run.Recorded
	if r.ForkOf != "" {
		inherited, err := db.steps(ctx, r.ForkOf, r.ForkSeq)
		if err != nil {
			return nil, err
		}
		out = inherited
	}
	own, err := db.steps(ctx, id, event.Newest)
	return append(out, own...), err
}

func (db *DB) steps(ctx context.Context, id run.ID, upTo event.Seq) ([]run.Recorded, error) {
	rows, err := db.Query(ctx, "SELECT step, done FROM run_steps WHERE run_id = ? AND begun <= ? ORDER BY begun", string(id), int64(upTo))
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
	results, err := db.results(ctx, id, upTo)
	for i, r := range out {
		out[i].Event, out[i].Done = results[r.Event.Seq]
	}
	return out, err
}

// results returns the events that ended steps of a run, by their positions.
func (db *DB) results(ctx context.Context, id run.ID, upTo event.Seq) (map[event.Seq]event.Event, error) {
	rows, err := db.Query(ctx, "SELECT "+prefixed("e", eventFields)+" FROM run_steps s JOIN log_events e ON e.seq = s.done WHERE s.run_id = ? AND s.done > 0 AND s.done <= ?",
		string(id), int64(upTo))
	if err != nil {
		return nil, fmt.Errorf("read the results of steps: %w", err)
	}
	found, err := all(rows, scanStored)
	out := make(map[event.Seq]event.Event, len(found))
	for _, e := range found {
		out[e.Seq] = e.Event
	}
	return out, err
}

// Waits implements [run.Reader].
func (db *DB) Waits(ctx context.Context, id run.ID) ([]run.Wait, error) {
	rows, err := db.Query(ctx, "SELECT type, ts FROM log_events WHERE run_id = ? AND type IN (?, ?) ORDER BY seq", string(id), run.WaitingKind.Name, run.StartedKind.Name)
	if err != nil {
		return nil, fmt.Errorf("read when a run waited: %w", err)
	}
	var out []run.Wait
	var since time.Time
	return out, each(rows, func(scan func(...any) error) error {
		var kind string
		var at int64
		if err := scan(&kind, &at); err != nil {
			return err
		}
		switch {
		case kind == run.WaitingKind.Name:
			since = fromMicros(at)
		case !since.IsZero():
			out, since = append(out, run.Wait{From: since, To: fromMicros(at)}), time.Time{}
		}
		return nil
	})
}

// prefixed puts a table's alias before each field.
func prefixed(alias, fields string) string {
	return alias + "." + strings.ReplaceAll(fields, ", ", ", "+alias+".")
}

// Ready implements [run.Tx].
func (tx *Tx) Ready(j run.Job) error {
	return tx.do(`INSERT INTO run_claims (run_id, epoch, segment, lane, part, kind, state, node, not_before, deadline)
		VALUES (?, 0, ?, ?, ?, ?, 'ready', '', 0, 0)
		ON CONFLICT (run_id) DO UPDATE SET segment = excluded.segment, state = 'ready', way = 'queue', node = '', not_before = 0`,
		string(j.Run), j.Segment, string(j.Lane), j.Partition, j.Kind)
}

// Claim implements [run.Tx].
func (tx *Tx) Claim(j run.Job, node string) (epoch int64, ok bool, err error) {
	if j.Fresh && j.Segment == 1 { // its first claim ever
		n, err := tx.Exec(tx.ctx, "UPDATE run_claims SET epoch = 1, state = 'claimed', node = ? WHERE run_id = ? AND segment = 1 AND state = 'ready' AND epoch = 0", node, string(j.Run))
		return 1, n > 0, err
	}
	from := "state IN ('ready', 'claimed')"
	if j.Fresh {
		from = "state = 'ready'"
	}
	err = tx.row("UPDATE run_claims SET epoch = epoch + 1, state = 'claimed', node = ? WHERE run_id = ? AND segment = ? AND "+from+" RETURNING epoch",
		[]any{node, string(j.Run), j.Segment}, &epoch)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	return epoch, err == nil, err
}

// Fence implements [run.Tx].
func (tx *Tx) Fence(id run.ID, epoch int64) error {
	n, err := tx.Exec(tx.ctx, "UPDATE run_claims SET deadline = 0 WHERE run_id = ? AND epoch = ? AND state = 'claimed'", string(id), epoch)
	if err == nil && n == 0 {
		return fault.New(fault.Conflict, "Run %s is not worked under epoch %d any more.", id, epoch)
	}
	return err
}

// Park implements [run.Tx].
func (tx *Tx) Park(id run.ID, until time.Time) error {
	return tx.do("UPDATE run_claims SET state = 'parked', node = '', not_before = ? WHERE run_id = ?", micros(until), string(id))
}

// Unready implements [run.Tx].
func (tx *Tx) Unready(id run.ID, epoch int64) error {
	return tx.do("UPDATE run_claims SET state = 'ready', node = CASE way WHEN 'direct' THEN node ELSE '' END WHERE run_id = ? AND epoch = ? AND state = 'claimed'", string(id), epoch)
}

// Release implements [run.Tx].
func (tx *Tx) Release(id run.ID) error {
	return tx.do("DELETE FROM run_claims WHERE run_id = ?", string(id))
}

// Route implements [run.Tx].
func (tx *Tx) Route(id run.ID, way run.Way, node string) error {
	return tx.do("UPDATE run_claims SET way = ?, node = ? WHERE run_id = ? AND state = 'ready'", string(way), node, string(id))
}

// selectJobs reads the claims c and the runs r, joined by CROSS: the claims are the few. A condition follows.
const selectJobs = "SELECT c.run_id, c.segment, c.kind, c.lane, c.part, c.way, c.not_before, r.seq FROM run_claims c CROSS JOIN runs r WHERE r.id = c.run_id AND "

func scanJob(scan func(...any) error) (j run.Job, err error) {
	var before int64
	err = scan(&j.Run, &j.Segment, &j.Kind, &j.Lane, &j.Partition, &j.Way, &before, &j.Seq)
	j.NotBefore = fromMicros(before)
	return j, err
}

// Beside implements [run.Tx].
func (tx *Tx) Beside(partition string, id run.ID) ([]run.Job, error) {
	rows, err := tx.query(selectJobs+"c.part = ? AND c.run_id <> ? AND c.state <> 'parked' ORDER BY r.seq", partition, string(id))
	if err != nil {
		return nil, fmt.Errorf("read the open runs of %s: %w", partition, err)
	}
	return all(rows, scanJob)
}

// Jobs returns what is ready or was claimed, oldest first, and the parked runs that
// wait for a time.
func (db *DB) Jobs(ctx context.Context) (open, parked []run.Job, err error) {
	rows, err := db.Query(ctx, selectJobs+"(c.state <> 'parked' OR c.not_before > 0) ORDER BY r.seq")
	if err != nil {
		return nil, nil, fmt.Errorf("read open runs: %w", err)
	}
	found, err := all(rows, scanJob)
	for _, j := range found {
		if j.NotBefore.IsZero() {
			open = append(open, j)
		} else {
			parked = append(parked, j)
		}
	}
	return open, parked, err
}

// Direct returns the ready and claimed jobs that node works without a queue, oldest first.
func (db *DB) Direct(ctx context.Context, node string) ([]run.Job, error) {
	rows, err := db.Query(ctx, selectJobs+"c.way = 'direct' AND c.node = ? AND c.state <> 'parked' ORDER BY r.seq", node)
	if err != nil {
		return nil, fmt.Errorf("read the runs of %s: %w", node, err)
	}
	return all(rows, scanJob)
}

// Load returns how many runs of the lane each node works, or is about to.
func (db *DB) Load(ctx context.Context, lane run.Lane) (map[string]int64, error) {
	rows, err := db.Query(ctx, "SELECT node, count(*) FROM run_claims WHERE lane = ? AND state <> 'parked' AND node <> '' GROUP BY node", string(lane))
	if err != nil {
		return nil, fmt.Errorf("count what the nodes work: %w", err)
	}
	out := make(map[string]int64)
	return out, each(rows, func(scan func(...any) error) error {
		var node string
		var n int64
		err := scan(&node, &n)
		out[node] = n
		return err
	})
}

// Adopt gives node what nodes that are not listed any more worked without a queue, and returns how
// many runs that are.
func (db *DB) Adopt(ctx context.Context, node string) (n int64, err error) {
	err = db.Write(ctx, func(tx *Tx) (err error) {
		n, err = tx.Exec(ctx, `UPDATE run_claims SET node = ? WHERE way = 'direct' AND state <> 'parked' AND node <> ?
			AND node NOT IN (SELECT id FROM nodes)`, node, node)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("take up what no node works: %w", err)
	}
	return n, nil
}

// Tasks returns the tasks of a run in the order they were requested.
func (db *DB) Tasks(ctx context.Context, id run.ID) ([]run.Task, error) {
	rows, err := db.Query(ctx, "SELECT id, run_id, parent, agent, title, state, summary, created_at, ended_at FROM tasks WHERE run_id = ? ORDER BY seq", string(id))
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

// approvalFields end with who answered, which the log says.
const approvalFields = `a.status, a.body, a.answer, a.created_at, a.ended_at, CASE WHEN a.status = 'answered' THEN coalesce((SELECT e.actor FROM log_events e
	WHERE e.run_id = a.run_id AND e.type = 'approval.answered' AND e.idempotency_key = 'approval:' || a.id ORDER BY e.seq LIMIT 1), '') ELSE '' END`

func scanApproval(scan func(...any) error) (a approval.Approval, err error) {
	var body, answer string
	var created, ended int64
	if err := scan(&a.Status, &body, &answer, &created, &ended, &a.By); err != nil {
		return a, err
	}
	if err := json.Unmarshal([]byte(body), &a.Request); err != nil {
		return a, fmt.Errorf("decode approval: %w", err)
	}
	if answer != "" {
		a.Answer = new(approval.Answer)
		if err := json.Unmarshal([]byte(answer), a.Answer); err != nil {
			return a, fmt.Errorf("decode answer: %w", err)
		}
	}
	a.CreatedAt, a.EndedAt = fromMicros(created), fromMicros(ended)
	return a, nil
}

// Approval implements [approval.Reader].
func (db *DB) Approval(ctx context.Context, id string) (approval.Approval, error) {
	rows, err := db.Query(ctx, "SELECT "+approvalFields+" FROM approvals a WHERE a.id = ?", id)
	if err != nil {
		return approval.Approval{}, fmt.Errorf("read approval: %w", err)
	}
	a, err := first(rows, scanApproval)
	if errors.Is(err, sql.ErrNoRows) {
		return a, fault.New(fault.NotFound, "The question %s does not exist.", id)
	}
	return a, err
}

// ApprovalsOf returns the questions that a run put, newest first.
func (db *DB) ApprovalsOf(ctx context.Context, id run.ID) ([]approval.Approval, error) {
	rows, err := db.Query(ctx, "SELECT "+approvalFields+" FROM approvals a WHERE a.run_id = ? ORDER BY a.seq DESC", string(id))
	if err != nil {
		return nil, fmt.Errorf("read the approvals of a run: %w", err)
	}
	return all(rows, scanApproval)
}

// Approvals returns questions, newest first; an empty status means all.
func (db *DB) Approvals(ctx context.Context, status approval.Status, limit int) ([]approval.Approval, error) {
	rows, err := db.Query(ctx, "SELECT "+approvalFields+" FROM approvals a WHERE a.status = ? OR ? = '' ORDER BY a.seq DESC"+limited(limit), string(status), string(status))
	if err != nil {
		return nil, fmt.Errorf("read approvals: %w", err)
	}
	return all(rows, scanApproval)
}
