package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
)

// Questions are what runs ask people.
type Questions struct{ base }

// approvalFields end with who answered, which the log says.
var approvalFields = `a.status, a.body, a.answer, a.created_at, a.ended_at, CASE WHEN a.status = 'answered' THEN coalesce(` +
	actorOf("a.run_id", approval.AnsweredKind.Name, "'approval:' || a.id") + `, '') ELSE '' END`

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
func (q Questions) Approval(ctx context.Context, id string) (approval.Approval, error) {
	rows, err := q.db.Query(ctx, "SELECT "+approvalFields+" FROM approvals a WHERE a.id = ?", id)
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
func (q Questions) ApprovalsOf(ctx context.Context, id run.ID) ([]approval.Approval, error) {
	rows, err := q.db.Query(ctx, "SELECT "+approvalFields+" FROM approvals a WHERE a.run_id = ? ORDER BY a.seq DESC", string(id))
	if err != nil {
		return nil, fmt.Errorf("read the approvals of a run: %w", err)
	}
	return all(rows, scanApproval)
}

// Approvals returns questions, newest first; an empty status means all.
func (q Questions) Approvals(ctx context.Context, status approval.Status, limit int) ([]approval.Approval, error) {
	rows, err := q.db.Query(ctx, "SELECT "+approvalFields+" FROM approvals a WHERE a.status = ? OR ? = '' ORDER BY a.seq DESC"+limited(limit), string(status), string(status))
	if err != nil {
		return nil, fmt.Errorf("read approvals: %w", err)
	}
	return all(rows, scanApproval)
}

// Answered implements [run.RunTx].
func (r txRuns) Answered(questions ...string) (bool, error) {
	var n int64
	err := r.tx.row("SELECT count(*) FROM approvals WHERE id IN ("+marks(len(questions))+") AND status <> ?", append(anys(questions), string(approval.Pending)), &n)
	return n > 0, err
}

func (tx *Tx) projectApproval(e event.Event) error {
	at := micros(e.At)
	tx.topics[event.PeopleConcerned] = true
	if err := open(e, approval.RequestedKind, func(p approval.Request) error {
		tx.unsettle()
		if err := tx.do("INSERT INTO approvals (id, run_id, status, body, answer, seq, created_at, ended_at) VALUES (?,?,?,?,'',?,?,0)",
			p.ID, string(p.Run), string(approval.Pending), string(e.Message.Payload), int64(e.Seq), at); err != nil {
			return err
		}
		return tx.deliverHere(e)
	}); err != nil {
		return err
	}
	return open(e, approval.AnsweredKind, func(p approval.Answer) error {
		if err := tx.deliverOutcomes(e, p.ID); err != nil {
			return err
		}
		answer := string(e.Message.Payload)
		return tx.do("UPDATE approvals SET status = ?, answer = ?, ended_at = ? WHERE id = ?", string(approval.Answered), answer, at, p.ID)
	})
}
