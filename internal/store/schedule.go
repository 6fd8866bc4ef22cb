package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/query"
	"chela/internal/run"
	"chela/internal/schedule"
)

// A Plan is the schedules and their executions.
type Plan struct{ base }

var (
	_ schedule.Plan = Plan{}
	_ schedule.Tx   = (*Tx)(nil)
)

// projectSchedule writes schedules and executions. Their events are all in the
// organization's stream.
func (tx *Tx) projectSchedule(e event.Event) error {
	tx.topics[event.PlanChanged] = true
	at := micros(e.At)
	switch e.Message.Type {
	case schedule.CreatedKind.Name, schedule.ChangedKind.Name:
		return tx.projectMade(e)
	case schedule.DeletedKind.Name:
		return open(e, schedule.DeletedKind, func(p schedule.Deleted) error {
			return tx.do("DELETE FROM schedules WHERE id = ?", string(p.ID))
		})
	case schedule.PlannedKind.Name:
		return open(e, schedule.PlannedKind, func(p schedule.Planned) error {
			return tx.do(`INSERT INTO executions (id, schedule_id, agent, project, at, due_at, state, withdrawn, attempt, run_id, reason, body, seq,
				created_at, updated_at) VALUES (?,?,?,?,?,?,?,0,0,'','',?,?,?,?)`, string(p.ID), string(p.Schedule), string(p.Agent), p.Project,
				micros(p.At), micros(p.At), string(schedule.Ready), string(e.Message.Payload), int64(e.Seq), at, at)
		})
	case schedule.StartedKind.Name:
		return open(e, schedule.StartedKind, func(p schedule.Started) error {
			if err := tx.do("UPDATE executions SET state = ?, attempt = ?, run_id = ?, reason = '', updated_at = ? WHERE id = ?",
				string(schedule.Running), p.Attempt, string(p.Run), at, string(p.ID)); err != nil {
				return err
			}
			return tx.do(`INSERT INTO execution_attempts (execution_id, attempt, schedule_id, thread_id, run_id, result, error, summary, seq, started_at, ended_at)
				SELECT id, ?, schedule_id, ?, ?, '', '', '', ?, ?, 0 FROM executions WHERE id = ?`, p.Attempt, p.Thread, string(p.Run), int64(e.Seq), at, string(p.ID))
		})
	case schedule.EndedKind.Name:
		return open(e, schedule.EndedKind, func(p schedule.Ended) error {
			if p.Tells != nil {
				tx.topics[event.PeopleConcerned] = true
			}
			return tx.projectEnded(p, e)
		})
	}
	return nil
}

func (tx *Tx) projectMade(e event.Event) error {
	var p schedule.Made
	if err := json.Unmarshal(e.Message.Payload, &p); err != nil {
		return fmt.Errorf("decode schedule: %w", err)
	}
	body, err := json.Marshal(p.Fields)
	if err != nil {
		return fmt.Errorf("encode schedule: %w", err)
	}
	at, from := micros(e.At), e.Message.From
	return tx.do(`INSERT INTO schedules (id, agent, enabled, version, by_actor, by_role, body, seq, created_at, updated_at) VALUES (?,?,?,?,?,?,?,?,?,?)
		ON CONFLICT (id) DO UPDATE SET agent = excluded.agent, enabled = excluded.enabled, version = excluded.version, by_actor = excluded.by_actor,
		by_role = excluded.by_role, body = excluded.body, updated_at = excluded.updated_at`,
		string(p.ID), string(p.Agent), flag(p.Enabled), p.Version, from.AgentID, from.Role, string(body), int64(e.Seq), at, at)
}

// projectEnded ends an attempt, and its execution unless that is to be tried again. What
// passed without having begun has one record all the same; what was taken back has none.
func (tx *Tx) projectEnded(p schedule.Ended, e event.Event) error {
	at := micros(e.At)
	if p.Unbegun() {
		if err := tx.do(`INSERT INTO execution_attempts (execution_id, attempt, schedule_id, thread_id, run_id, result, error, summary, seq, started_at, ended_at)
			SELECT id, 0, schedule_id, '', '', ?, ?, '', ?, 0, ? FROM executions WHERE id = ?`, string(p.Result), p.Reason, int64(e.Seq), at, string(p.ID)); err != nil {
			return err
		}
	} else if err := tx.do("UPDATE execution_attempts SET result = ?, error = ?, summary = ?, ended_at = ? WHERE execution_id = ? AND attempt = ? AND result = ''",
		string(p.Result), p.Reason, p.Summary, at, string(p.ID), p.Attempt); err != nil {
		return err
	}
	if !p.RetryAt.IsZero() {
		return tx.do("UPDATE executions SET state = ?, reason = ?, due_at = ?, updated_at = ? WHERE id = ?",
			string(schedule.Retrying), p.Reason, micros(p.RetryAt), at, string(p.ID))
	}
	return tx.do("UPDATE executions SET state = ?, withdrawn = ?, reason = ?, updated_at = ? WHERE id = ?",
		string(p.Result), flag(p.Withdrawn), p.Reason, at, string(p.ID))
}

const scheduleFields = "id, version, by_actor, by_role, body, created_at, updated_at"

func scanSchedule(scan func(...any) error) (s schedule.Schedule, err error) {
	var body string
	var created, updated int64
	if err := scan(&s.ID, &s.Version, &s.By.AgentID, &s.By.Role, &body, &created, &updated); err != nil {
		return s, err
	}
	s.CreatedAt, s.UpdatedAt = fromMicros(created), fromMicros(updated)
	if err := json.Unmarshal([]byte(body), &s.Fields); err != nil {
		return s, fmt.Errorf("decode schedule %s: %w", s.ID, err)
	}
	return s, nil
}

func (l look) schedule(id schedule.ID) (schedule.Schedule, error) {
	rows, err := l("SELECT "+scheduleFields+" FROM schedules WHERE id = ?", string(id))
	if err != nil {
		return schedule.Schedule{}, fmt.Errorf("read schedule: %w", err)
	}
	s, err := first(rows, scanSchedule)
	if errors.Is(err, sql.ErrNoRows) {
		return s, fault.New(fault.NotFound, "The schedule %s does not exist.", id)
	}
	return s, err
}

// Schedule returns a schedule.
func (p Plan) Schedule(ctx context.Context, id schedule.ID) (schedule.Schedule, error) {
	return p.db.look(ctx).schedule(id)
}

// Schedule implements [schedule.PlanTx].
func (p txPlan) Schedule(id schedule.ID) (schedule.Schedule, error) {
	return look(p.tx.query).schedule(id)
}

// Work implements [schedule.PlanTx].
func (p txPlan) Work(agent org.AgentID) ([]run.ID, error) {
	rows, err := p.tx.query(`SELECT r.id FROM runs r WHERE r.ended_at = 0 AND r.state IN ('queued', 'running', 'waiting') AND (r.agent = ? OR EXISTS (
		SELECT 1 FROM tasks t WHERE t.run_id = r.id AND t.agent = ? AND t.state IN ('requested', 'running'))) ORDER BY r.seq`, string(agent), string(agent))
	if err != nil {
		return nil, fmt.Errorf("read what %s works on: %w", agent, err)
	}
	return all(rows, func(scan func(...any) error) (id run.ID, err error) { return id, scan(&id) })
}

// Schedules returns all schedules in the order they were made.
func (p Plan) Schedules(ctx context.Context) ([]schedule.Schedule, error) {
	return p.db.look(ctx).schedules()
}

func (l look) schedules() ([]schedule.Schedule, error) {
	rows, err := l("SELECT " + scheduleFields + " FROM schedules ORDER BY seq")
	if err != nil {
		return nil, fmt.Errorf("read schedules: %w", err)
	}
	return all(rows, scanSchedule)
}

const executionFields = "x.id, x.due_at, x.state, x.attempt, x.run_id, x.reason, x.body, x.seq, x.created_at, x.updated_at"

func scanExecution(scan func(...any) error) (schedule.Execution, error) {
	return scanExecutionAnd(scan)
}

// scanExecutionAnd scans an execution and what follows it into more.
func scanExecutionAnd(scan func(...any) error, more ...any) (e schedule.Execution, err error) {
	var body string
	var due, seq, created, updated int64
	if err := scan(append([]any{&e.ID, &due, &e.State, &e.Attempt, &e.Run, &e.Reason, &body, &seq, &created, &updated}, more...)...); err != nil {
		return e, err
	}
	var p schedule.Planned
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		return e, fmt.Errorf("decode execution %s: %w", e.ID, err)
	}
	e.Schedule, e.Version, e.Agent, e.Project, e.At, e.Timezone = p.Schedule, p.Version, p.Agent, p.Project, p.At, p.Timezone
	e.Immediate, e.By, e.Policy, e.Inputs, e.Ask = p.Immediate, p.By, p.Policy, p.Inputs, p.Ask
	e.Due, e.Seq, e.CreatedAt, e.UpdatedAt = fromMicros(due), event.Seq(seq), fromMicros(created), fromMicros(updated)
	return e, nil
}

func (l look) execution(id schedule.ExecutionID) (schedule.Execution, error) {
	rows, err := l("SELECT "+executionFields+" FROM executions x WHERE x.id = ?", string(id))
	if err != nil {
		return schedule.Execution{}, fmt.Errorf("read execution: %w", err)
	}
	e, err := first(rows, scanExecution)
	if errors.Is(err, sql.ErrNoRows) {
		return e, fault.New(fault.NotFound, "The execution %s does not exist.", id)
	}
	return e, err
}

// Execution returns an execution.
func (p Plan) Execution(ctx context.Context, id schedule.ExecutionID) (schedule.Execution, error) {
	return p.db.look(ctx).execution(id)
}

// Execution implements [schedule.PlanTx].
func (p txPlan) Execution(id schedule.ExecutionID) (schedule.Execution, error) {
	return look(p.tx.query).execution(id)
}

const openExecution = "x.state IN ('READY', 'RUNNING', 'FAILED_RETRYABLE')"

// Executions returns executions, those that are due first before the others.
func (p Plan) Executions(ctx context.Context, f schedule.Filter) ([]schedule.Execution, error) {
	where, args := executionFilter(f)
	if f.State == "" {
		where = append(where, openExecution)
	} else {
		where, args = append(where, "x.state = ?"), append(args, string(f.State))
	}
	rows, err := p.db.Query(ctx, "SELECT "+executionFields+" FROM executions x WHERE "+strings.Join(where, " AND ")+" ORDER BY x.due_at, x.seq"+limited(cmp.Or(f.Limit, 500)), args...)
	if err != nil {
		return nil, fmt.Errorf("list executions: %w", err)
	}
	return all(rows, scanExecution)
}

func executionFilter(f schedule.Filter) (where []string, args []any) {
	where = []string{"1 = 1"}
	for _, c := range []struct{ cond, value string }{{"x.agent = ?", string(f.Agent)}, {"x.project = ?", f.Project}, {"x.schedule_id = ?", string(f.Schedule)}} {
		if c.value != "" {
			where, args = append(where, c.cond), append(args, c.value)
		}
	}
	if !f.From.IsZero() {
		where, args = append(where, "x.at >= ?"), append(args, micros(f.From))
	}
	if !f.To.IsZero() {
		where, args = append(where, "x.at < ?"), append(args, micros(f.To))
	}
	return where, args
}

const attemptFields = executionFields + ", t.attempt, t.result, t.thread_id, t.run_id, t.error, t.summary, t.started_at, t.ended_at"

func scanAttempt(scan func(...any) error) (a schedule.Attempt, err error) {
	var started, ended int64
	var id run.ID
	a.Execution, err = scanExecutionAnd(scan, &a.Number, &a.Result, &a.Thread, &id, &a.Error, &a.Summary, &started, &ended)
	a.Run, a.StartedAt, a.EndedAt = id, fromMicros(started), fromMicros(ended)
	return a, err
}

const endedAttempts = " FROM execution_attempts t JOIN executions x ON x.id = t.execution_id WHERE t.result <> '' AND "

// Attempts returns the attempts that ended, the newest first, and how many there are. The
// filter's state is their result.
func (p Plan) Attempts(ctx context.Context, f schedule.Filter) (out []schedule.Attempt, total int, err error) {
	where, args := executionFilter(f)
	if f.State != "" {
		where, args = append(where, "t.result = ?"), append(args, string(f.State))
	}
	cond := endedAttempts + strings.Join(where, " AND ")
	if err := p.db.one(ctx, "SELECT count(*)"+cond, args, &total); err != nil {
		return nil, 0, err
	}
	rows, err := p.db.Query(ctx, "SELECT "+attemptFields+cond+" ORDER BY t.seq DESC"+limited(cmp.Or(f.Limit, 20))+" OFFSET "+strconv.Itoa(f.Offset), args...)
	if err != nil {
		return nil, 0, fmt.Errorf("list attempts: %w", err)
	}
	out, err = all(rows, scanAttempt)
	return out, total, err
}

// Attempt returns one attempt that ended.
func (p Plan) Attempt(ctx context.Context, id schedule.ExecutionID, number int) (schedule.Attempt, error) {
	rows, err := p.db.Query(ctx, "SELECT "+attemptFields+endedAttempts+"t.execution_id = ? AND t.attempt = ?", string(id), number)
	if err != nil {
		return schedule.Attempt{}, fmt.Errorf("read attempt: %w", err)
	}
	a, err := first(rows, scanAttempt)
	if errors.Is(err, sql.ErrNoRows) {
		return a, fault.New(fault.NotFound, "The execution %s has no attempt %d that ended.", id, number)
	}
	return a, err
}

// LastAttempts returns the newest attempt of each schedule that ended.
func (p Plan) LastAttempts(ctx context.Context) (map[schedule.ID]schedule.Attempt, error) {
	rows, err := p.db.Query(ctx, "SELECT "+attemptFields+` FROM schedules s JOIN execution_attempts t ON t.seq = (SELECT l.seq FROM execution_attempts l
		WHERE l.schedule_id = s.id AND l.ended_at > 0 ORDER BY l.ended_at DESC, l.seq DESC LIMIT 1) JOIN executions x ON x.id = t.execution_id`)
	if err != nil {
		return nil, fmt.Errorf("read the last attempts: %w", err)
	}
	out := make(map[schedule.ID]schedule.Attempt)
	return out, each(rows, func(scan func(...any) error) error {
		a, err := scanAttempt(scan)
		out[a.Schedule] = a
		return err
	})
}

// Board implements [schedule.Store].
func (p Plan) Board(ctx context.Context) (schedule.Board, error) { return p.db.look(ctx).board() }

// Board implements [schedule.PlanTx].
func (p txPlan) Board() (schedule.Board, error) { return look(p.tx.query).board() }

// Reminders implements [schedule.Store].
func (p Plan) Reminders(ctx context.Context) ([]desk.Record, error) {
	kind := (&condition{postgres: p.db.Name() == "postgres"}).value(query.Field{Type: query.Text, Place: query.InBody, Path: "type"})
	rows, err := p.db.Query(ctx, "SELECT "+recordFields+" FROM desk_records r JOIN desk_records p ON p.id = r.project AND "+activeProject+
		" WHERE r.kind = 'reminder' AND r.kind IN ('project', 'reminder') AND (r.status = 'WAITING' OR "+kind+" = ?) AND r.deleted = 0 AND r.merged_into = '' ORDER BY r.seq", desk.ByCondition)
	if err != nil {
		return nil, fmt.Errorf("read reminders: %w", err)
	}
	found, err := all(rows, scanRecord)
	out := make([]desk.Record, 0, len(found))
	for _, r := range found {
		out = append(out, r.Record)
	}
	return out, err
}

const activeProject = "p.kind = 'project' AND p.kind IN ('project', 'reminder') AND p.status = 'ACTIVE' AND p.deleted = 0 AND p.merged_into = ''"

func (l look) board() (b schedule.Board, err error) {
	if b.Schedules, err = l.schedules(); err != nil {
		return b, err
	}
	rows, err := l("SELECT p.id FROM desk_records p WHERE " + activeProject + " ORDER BY p.seq")
	if err != nil {
		return b, fmt.Errorf("read projects: %w", err)
	}
	if b.Projects, err = all(rows, func(scan func(...any) error) (id string, err error) { return id, scan(&id) }); err != nil {
		return b, err
	}
	if rows, err = l("SELECT " + executionFields + " FROM executions x WHERE " + openExecution + " ORDER BY x.due_at, x.seq"); err != nil {
		return b, fmt.Errorf("read executions: %w", err)
	}
	if b.Open, err = all(rows, scanExecution); err != nil {
		return b, err
	}
	if err := l.boardRuns(&b); err != nil {
		return b, err
	}
	if err := l.boardTimes(&b); err != nil {
		return b, err
	}
	if rows, err = l(selectAgent); err != nil {
		return b, fmt.Errorf("read agents: %w", err)
	}
	b.Agents = make(map[org.AgentID]bool)
	return b, each(rows, func(scan func(...any) error) error {
		m, err := scanAgent(scan)
		b.Agents[m.Card.AgentID] = m.Enabled
		return err
	})
}

func (l look) boardRuns(b *schedule.Board) error {
	rows, err := l("SELECT " + prefixed("r", runFields) + " FROM executions x JOIN runs r ON r.id = x.run_id WHERE x.state = 'RUNNING'")
	if err != nil {
		return fmt.Errorf("read runs of executions: %w", err)
	}
	b.Runs = make(map[run.ID]run.Run)
	return each(rows, func(scan func(...any) error) error {
		r, err := scanRun(scan)
		b.Runs[r.ID] = r
		return err
	})
}

func (l look) boardTimes(b *schedule.Board) error {
	rows, err := l(`SELECT s.id, p.id, (SELECT max(x.at) FROM executions x WHERE x.schedule_id = s.id AND x.project = p.id AND x.withdrawn = 0)
		FROM schedules s CROSS JOIN desk_records p WHERE s.enabled = 1 AND ` + activeProject)
	if err != nil {
		return fmt.Errorf("read the last instants: %w", err)
	}
	b.Last = make(map[schedule.Pair]time.Time)
	if err := each(rows, func(scan func(...any) error) error {
		var p schedule.Pair
		var at sql.NullInt64
		err := scan(&p.Schedule, &p.Project, &at)
		if at.Valid {
			b.Last[p] = fromMicros(at.Int64)
		}
		return err
	}); err != nil {
		return err
	}
	if rows, err = l("SELECT s.id, (SELECT max(t.ended_at) FROM execution_attempts t WHERE t.schedule_id = s.id AND t.attempt > 0) FROM schedules s"); err != nil {
		return fmt.Errorf("read the last ends: %w", err)
	}
	b.Freed = make(map[schedule.ID]time.Time)
	return each(rows, func(scan func(...any) error) error {
		var id schedule.ID
		var at sql.NullInt64
		err := scan(&id, &at)
		b.Freed[id] = fromMicros(at.Int64)
		return err
	})
}
