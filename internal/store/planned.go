package store

import (
	"database/sql"
	"errors"
	"fmt"

	"chela/internal/channel"
	"chela/internal/event"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/schedule"
	"chela/internal/session"
)

// Answer implements [schedule.PlanTx].
func (p txPlan) Answer(thread string, id run.ID) (session.Message, error) {
	rows, err := p.tx.query("SELECT seq, id, thread_id, run_id, role, actor, body, at FROM messages WHERE thread_id = ? AND run_id = ? AND role = ? ORDER BY seq DESC LIMIT 1",
		thread, string(id), string(session.FromAgent))
	if err != nil {
		return session.Message{}, fmt.Errorf("read the answer: %w", err)
	}
	m, err := first(rows, scanMessage)
	if errors.Is(err, sql.ErrNoRows) {
		return session.Message{}, nil
	}
	return m, err
}

// RoleOf implements [schedule.PlanTx].
func (p txPlan) RoleOf(by event.Party) (role org.Role, barred string, err error) {
	who := org.Person{ID: org.PersonOf(by)}
	var enabled int64
	err = p.tx.row("SELECT name, role, enabled FROM org_persons WHERE id = ?", []any{who.ID}, &who.Name, &who.Role, &enabled)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", "Nobody who is here made the schedule.", nil
	case err != nil:
		return "", "", fmt.Errorf("read the role of %s: %w", who.ID, err)
	case enabled == 0:
		return "", who.Name + " is disabled, who made the schedule.", nil
	}
	return who.Role, "", nil
}

// Place implements [schedule.PlanTx].
func (p txPlan) Place(at session.Chat) (schedule.Place, bool, error) {
	all, err := look(p.tx.query).places()
	if err != nil {
		return schedule.Place{}, false, err
	}
	to, known := channel.Address{Chat: at.Chat, Branch: at.Branch}, false
	out := schedule.Place{}
	for _, c := range all {
		if c.Channel != at.Channel || c.Chat != at.Chat {
			continue
		}
		if out.Kind, known = string(c.Kind), true; c.Address == to {
			out.Thread = c.Thread
			break
		}
	}
	return out, known, nil
}
