package store

import (
	"maps"
	"slices"
	"strings"

	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/run"
	"chela/internal/session"
)

// project writes what people see of e. It is the only writer of projection tables
// and looks at nothing but e and rows that e's own stream has made, so that a
// rebuild in any order of streams gives the same tables.
func (tx *Tx) project(e event.Event) error {
	if mark, ok := run.MarkOf(e.Message); ok {
		if err := tx.projectStep(e, mark); err != nil {
			return err
		}
	}
	if strings.HasPrefix(e.Message.Type, "desk.") {
		return tx.projectDesk(e)
	}
	if isErased(e) && e.Message.Type != event.ChatMessage {
		return nil
	}
	if p := projectors[e.Message.Type]; p != nil {
		return p(tx, e)
	}
	return nil // it is read from the log itself, see [Unprojected]
}

// open decodes e's payload when it is of the kind, and calls then.
func open[P any](e event.Event, k event.Kind[P], then func(P) error) error {
	p, ok, err := k.Open(e)
	if !ok || err != nil {
		return err
	}
	return then(p)
}

func (tx *Tx) projectStep(e event.Event, mark run.Mark) error {
	done := int64(0)
	if mark.Done {
		done = int64(e.Seq)
	}
	if mark.Call {
		return tx.do(`INSERT INTO run_steps (run_id, step, begun, done, calls, millis, agent, at) VALUES (?, ?, ?, ?, 1, ?, ?, ?)
			ON CONFLICT (run_id, step) DO UPDATE SET done = excluded.done, calls = 1, millis = excluded.millis, agent = excluded.agent, at = excluded.at WHERE run_steps.done = 0`,
			e.Message.RunID, mark.Key, int64(e.Seq), done, max(mark.MS, 0), e.Message.From.AgentID, micros(e.At))
	}
	return tx.do(`INSERT INTO run_steps (run_id, step, begun, done) VALUES (?, ?, ?, ?)
		ON CONFLICT (run_id, step) DO UPDATE SET done = CASE WHEN run_steps.done = 0 THEN excluded.done ELSE run_steps.done END`,
		e.Message.RunID, mark.Key, int64(e.Seq), done)
}

func (tx *Tx) projectRun(e event.Event) error {
	at, id := micros(e.At), e.Message.RunID
	switch e.Message.Type {
	case run.QueuedKind.Name:
		return open(e, run.QueuedKind, func(p run.Spec) error {
			return tx.do(`INSERT INTO runs (id, thread_id, project, kind, lane, agent, title, state, waits_for, reason, segment, attempt,
				node, by_actor, by_key, spec, seq, created_at, updated_at, ended_at) VALUES (?,?,?,?,?,?,?,?,'','',1,0,'',?,?,?,?,?,?,0)`,
				id, p.Thread, p.Project, p.Kind, string(p.Lane), p.Agent, p.Title, string(run.Queued), p.By.AgentID, p.By.Key,
				string(e.Message.Payload), int64(e.Seq), at, at)
		})
	case run.StartedKind.Name:
		return open(e, run.StartedKind, func(p run.Started) error {
			return tx.do("UPDATE runs SET state = ?, waits_for = '', reason = '', segment = ?, attempt = ?, node = ?, updated_at = ? WHERE id = ?",
				string(run.Running), p.Segment, p.Attempt, p.Node, at, id)
		})
	case run.WaitingKind.Name:
		return open(e, run.WaitingKind, func(p run.Waits) error {
			tx.settled[run.ID(id)], tx.topics[event.RunsSettled] = run.Finished{State: run.Waiting, Reason: p.Reason}, true
			return tx.do("UPDATE runs SET state = ?, waits_for = ?, reason = ?, node = '', updated_at = ? WHERE id = ?",
				string(run.Waiting), p.For, p.Reason, at, id)
		})
	case run.ResumedKind.Name:
		return open(e, run.ResumedKind, func(p run.Resumed) error {
			return tx.do("UPDATE runs SET state = ?, waits_for = '', reason = ?, segment = ?, attempt = 0, updated_at = ? WHERE id = ?",
				string(run.Queued), p.Reason, p.Segment, at, id)
		})
	case run.FinishedKind.Name:
		return open(e, run.FinishedKind, func(p run.Finished) error {
			tx.settled[run.ID(id)], tx.topics[event.RunsSettled] = p, true
			if p.State == run.Failed || session.IsAbout(e.Message.ThreadID) {
				tx.topics[event.PeopleConcerned] = true
			}
			if !tx.settles(run.ID(id)) {
				if err := tx.endOpen(e, p); err != nil {
					return err
				}
			}
			return tx.do("UPDATE runs SET state = ?, waits_for = '', reason = ?, node = '', updated_at = ?, ended_at = ? WHERE id = ?",
				string(p.State), p.Reason, at, at, id)
		})
	}
	return nil
}

// endOpen ends the questions and tasks that are open when their run ends.
func (tx *Tx) endOpen(e event.Event, p run.Finished) error {
	at, id := micros(e.At), e.Message.RunID
	if err := tx.deliverOutcomes(e, ""); err != nil {
		return err
	}
	if err := tx.do("UPDATE approvals SET status = ?, ended_at = ? WHERE run_id = ? AND status = ?",
		string(approval.Lapsed), at, id, string(approval.Pending)); err != nil {
		return err
	}
	tx.accept()
	return tx.do("UPDATE tasks SET state = ?, ended_at = ? WHERE run_id = ? AND state IN (?, ?)",
		string(endedTask(p.State)), at, id, string(run.TaskRequested), string(run.TaskRunning))
}

// endedTask is what becomes of tasks that are open when their run ends.
func endedTask(s run.State) run.TaskState {
	switch s {
	case run.Done:
		return run.TaskDone
	case run.Cancelled:
		return run.TaskCancelled
	case run.Failed, run.Queued, run.Running, run.Waiting:
	}
	return run.TaskFailed
}

// accept writes which tasks were accepted and have not ended.
func (tx *Tx) accept() {
	for _, id := range slices.Sorted(maps.Keys(tx.accepted)) {
		tx.waiting = append(tx.waiting, Statement{"UPDATE tasks SET state = ?, agent = ? WHERE id = ?", []any{string(run.TaskRunning), tx.accepted[id], id}})
	}
	clear(tx.accepted)
}

func (tx *Tx) projectTask(e event.Event) error {
	m, at := e.Message, micros(e.At)
	end := func(state run.TaskState, summary string) error {
		tx.ended = m.TaskID
		if by, ok := tx.accepted[m.TaskID]; ok { // just now
			delete(tx.accepted, m.TaskID)
			return tx.do("UPDATE tasks SET state = ?, agent = ?, summary = ?, ended_at = ? WHERE id = ?", string(state), by, summary, at, m.TaskID)
		}
		return tx.do("UPDATE tasks SET state = ?, summary = ?, ended_at = ? WHERE id = ? AND state IN (?, ?)",
			string(state), summary, at, m.TaskID, string(run.TaskRequested), string(run.TaskRunning))
	}
	switch m.Type {
	case run.RequestKind.Name:
		return open(e, run.RequestKind, func(p run.TaskRequest) error {
			agent := ""
			if len(m.To) > 0 {
				agent = m.To[0].AgentID
			}
			tx.unsettle()
			return tx.do(`INSERT INTO tasks (id, run_id, parent, agent, title, state, summary, seq, created_at, ended_at)
				VALUES (?,?,?,?,?,?,'',?,?,0) ON CONFLICT (id) DO NOTHING`,
				m.TaskID, m.RunID, m.ParentTaskID, agent, p.Title, string(run.TaskRequested), int64(e.Seq), at)
		})
	case run.AcceptKind.Name:
		if tx.accepted == nil {
			tx.accepted = make(map[string]string)
		}
		tx.accepted[m.TaskID] = m.From.AgentID // written with its end, or when something else is
		return nil
	case run.ResultKind.Name:
		return open(e, run.ResultKind, func(p run.TaskResult) error { return end(run.TaskDone, p.Summary) })
	case run.ErrorKind.Name:
		return open(e, run.ErrorKind, func(p run.TaskError) error { return end(run.TaskFailed, p.Message) })
	case run.TimeoutKind.Name:
		return open(e, run.TimeoutKind, func(p run.Timeout) error { return end(run.TaskFailed, p.Message) })
	case run.CancelKind.Name:
		return open(e, run.CancelKind, func(p run.Cancel) error { return end(run.TaskCancelled, p.Reason) })
	}
	return nil
}

func (tx *Tx) projectSession(e event.Event) error {
	m, at := e.Message, micros(e.At)
	switch m.Type {
	case session.OpenedKind.Name:
		return open(e, session.OpenedKind, func(p session.Opened) error {
			var chat session.Chat
			var taken int64
			if p.Chat != nil {
				chat, taken = *p.Chat, int64(e.Seq)
			}
			return tx.do(`INSERT INTO sessions (thread_id, project, agent, channel, title, person, forked_from, forked_seq, messages,
				created_at, updated_at, chat_channel, chat, branch, chat_seq) VALUES (?,?,?,?,?,?,?,?,0,?,?,?,?,?,?) ON CONFLICT (thread_id) DO NOTHING`,
				m.ThreadID, p.Project, p.Agent, p.Channel, p.Title, p.Person, p.ForkedFrom, int64(p.ForkedSeq), at, at, chat.Channel, chat.Chat, chat.Branch, taken)
		})
	case session.ChangedKind.Name:
		return open(e, session.ChangedKind, func(p session.Changed) error {
			if p.Chat != nil {
				if err := tx.do("UPDATE sessions SET chat_channel = ?, chat = ?, branch = ?, chat_seq = ? WHERE thread_id = ?", p.Chat.Channel, p.Chat.Chat, p.Chat.Branch, int64(e.Seq), m.ThreadID); err != nil {
					return err
				}
			}
			err := tx.do(`UPDATE sessions SET project = coalesce(?, project), agent = coalesce(?, agent), title = coalesce(?, title),
				model = coalesce(?, model), queue = coalesce(?, queue), updated_at = ? WHERE thread_id = ?`, p.Project, p.Agent, p.Title, p.Model, p.Queue, at, m.ThreadID)
			if err != nil || p.Project == nil {
				return err
			}
			return tx.moveSaid(m.ThreadID)
		})
	case session.RemovedKind.Name, session.RestoredKind.Name:
		gone := m.Type == session.RemovedKind.Name
		tx.topics[event.QueuesMoved] = true
		if err := tx.do("UPDATE sessions SET removed = ?, closed = ?, updated_at = ? WHERE thread_id = ?", flag(gone), flag(gone), at, m.ThreadID); err != nil {
			return err
		}
		return tx.moveSaid(m.ThreadID)
	case session.ClosedKind.Name, session.ReopenedKind.Name:
		tx.topics[event.QueuesMoved] = true
		return tx.do("UPDATE sessions SET closed = ?, updated_at = ? WHERE thread_id = ?", flag(m.Type == session.ClosedKind.Name), at, m.ThreadID)
	}
	return nil
}

// projectMessage adds what somebody said to its conversation.
func (tx *Tx) projectMessage(e event.Event) error {
	m, at := e.Message, micros(e.At)
	role := session.FromSystem
	if m.Type == event.ChatMessage {
		role = session.FromAgent
		if m.From.Role == "person" || m.From.Role == event.RoleSchedule { // it asks as a person does
			role = session.FromPerson
		}
		if err := open(e, session.SaidKind, func(p session.Said) error {
			if p.Command && role == session.FromPerson {
				role = session.Commanded
			}
			if p.Held != "" {
				return tx.unhold(p.Held)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	body := string(m.Payload)
	if isErased(e) {
		body = wordsErased
	}
	if err := tx.do("INSERT INTO messages (seq, id, thread_id, run_id, role, actor, body, at) VALUES (?,?,?,?,?,?,?,?)",
		int64(e.Seq), m.ID, m.ThreadID, m.RunID, string(role), m.From.AgentID, body, at); err != nil {
		return err
	}
	if role == session.FromAgent || role == session.FromSystem {
		if err := tx.deliverHere(e); err != nil {
			return err
		}
	}
	return tx.do("UPDATE sessions SET messages = messages + 1, updated_at = ? WHERE thread_id = ?", at, m.ThreadID)
}
