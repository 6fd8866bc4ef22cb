package schedule

import (
	"context"
	"slices"
	"strings"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/run"
)

// An Editor takes what people say about schedules and executions.
type Editor struct {
	runs  *run.Engine
	write writer
	now   func() time.Time
}

// NewEditor returns an editor; a nil clock means the mint's.
func NewEditor[T Tx](runs *run.Engine, db run.Writer[T], now func() time.Time) *Editor {
	if now == nil {
		now = runs.Mint().Now
	}
	return &Editor{runs, writerOf(runs, db), now}
}

// Create makes a schedule.
func (k *Editor) Create(ctx context.Context, by event.Party, f Fields) (s Schedule, err error) {
	if f, err = f.Checked(); err != nil {
		return s, err
	}
	id := ID(k.runs.Mint().ID("sch"))
	err = k.write(ctx, func(b *run.Batch, tx Tx) error {
		s, err = k.made(b, tx, orgPlace(b.Mint(), by), CreatedKind, Made{ID: id, Version: 1, Fields: f}, nil)
		return err
	})
	return s, err
}

// Change edits a schedule. What it had planned is withdrawn.
func (k *Editor) Change(ctx context.Context, by event.Party, id ID, edit func(*Fields)) (s Schedule, err error) {
	err = k.write(ctx, func(b *run.Batch, tx Tx) error {
		old, err := tx.Plan().Schedule(id)
		if err != nil {
			return err
		}
		s, err = k.changed(b, tx, orgPlace(b.Mint(), by), old, edit, false)
		return err
	})
	return s, err
}

func changed(old, now Fields) string {
	if old.Enabled && !now.Enabled {
		return "The schedule was switched off."
	}
	return "The schedule was changed."
}

// made records how a schedule is from now on; old is how it was, nil when it is new. One that is to begin at once, or once, is planned
// with it: no end of the daemon comes between.
func (k *Editor) made(b *run.Batch, tx Tx, at event.Place, kind event.Kind[Made], m Made, old *Schedule) (Schedule, error) {
	by := at.From
	board, err := tx.Plan().Board()
	if err != nil {
		return Schedule{}, err
	}
	if err := board.checkAgent("agentId", m.Agent); err != nil {
		return Schedule{}, err
	}
	if m.Scope == Project && !slices.Contains(board.Projects, m.Project) {
		return Schedule{}, noProject(m.Project)
	}
	if err := m.ahead(old, k.now()); err != nil {
		return Schedule{}, err
	}
	if err := m.reachable(tx, by); err != nil {
		return Schedule{}, err
	}
	if _, err := b.Append(kind.Draft(at, m)); err != nil {
		return Schedule{}, err
	}
	s, err := tx.Plan().Schedule(m.ID)
	if err != nil || !s.Enabled {
		return s, err
	}
	due, once := s.Next(k.now())
	atOnce := s.Type == Immediate && (old == nil || !old.Enabled)
	if !atOnce && (s.Type != Once || !once) {
		return s, nil
	}
	if atOnce {
		due = k.now()
	}
	for _, p := range targets(s.Fields, board.Projects) {
		o := s.occurrence(b.Mint(), p, due)
		o.Immediate = atOnce
		if err := planned(b, by, o); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (b Board) checkAgent(field string, id org.AgentID) error {
	enabled, there := b.Agents[id]
	switch {
	case !there:
		return fault.BadField(field, "There is no agent "+id.Name()+"; `GET /api/agents` lists them.")
	case !enabled:
		return fault.BadField(field, "The agent "+id.Name()+" is disabled; enable it first.")
	}
	return nil
}

func noProject(id string) error {
	return fault.BadField("projectId", "There is no active project "+id+".")
}

// withdraw ends what a schedule has planned. What runs goes on.
func withdraw(b *run.Batch, tx Tx, by event.Party, id ID, why string) error {
	board, err := tx.Plan().Board()
	if err != nil {
		return err
	}
	for _, e := range board.Open {
		if e.Schedule != id || e.State == Running {
			continue
		}
		how := Ended{ID: e.ID, Attempt: e.Attempt, Result: Cancelled, Reason: why, Withdrawn: true}
		if err := ended(b, by, ToEnd{e, how}); err != nil {
			return err
		}
	}
	return nil
}

// Delete removes a schedule. What it had planned is withdrawn; what runs goes on.
func (k *Editor) Delete(ctx context.Context, by event.Party, id ID) error {
	return k.write(ctx, func(b *run.Batch, tx Tx) error {
		if _, err := tx.Plan().Schedule(id); err != nil {
			return err
		}
		return deleted(b, tx, by, id, "The schedule was deleted.")
	})
}

func deleted(b *run.Batch, tx Tx, by event.Party, id ID, why string) error {
	if err := withdraw(b, tx, by, id, why); err != nil {
		return err
	}
	_, err := b.Append(DeletedKind.Draft(orgPlace(b.Mint(), by), Deleted{ID: id}))
	return err
}

// Dismiss removes an agent that has nothing to do, with its schedules, which it returns.
// Those that every organization starts with stay: rules and prompts speak of them.
func (k *Editor) Dismiss(ctx context.Context, by event.Party, id org.AgentID) (gone []ID, err error) {
	if prompt.IsDefault(id) {
		return nil, fault.New(fault.Conflict, "Every organization has the agent %s; it cannot be deleted. Disable it instead: change its `enabled` to false.", id.Name())
	}
	err = k.write(ctx, func(b *run.Batch, tx Tx) error {
		gone = gone[:0]
		open, err := tx.Plan().Work(id)
		if err != nil {
			return err
		}
		if len(open) > 0 {
			return fault.New(fault.Conflict, "The agent %s has work in %d open runs, such as %s. Let them end, or cancel them, and delete it then.", id.Name(), len(open), open[0])
		}
		board, err := tx.Plan().Board()
		if err != nil {
			return err
		}
		if _, there := board.Agents[id]; !there {
			return fault.New(fault.NotFound, "The agent %s does not exist.", id)
		}
		for _, s := range board.Schedules {
			if s.Agent != id {
				continue
			}
			if err := deleted(b, tx, by, s.ID, "Its agent was deleted."); err != nil {
				return err
			}
			gone = append(gone, s.ID)
		}
		_, err = b.Append(org.RemovedKind.Draft(orgPlace(b.Mint(), by), org.Removed{AgentID: id}))
		return err
	})
	return gone, err
}

// A Trigger names what is to begin at once: a schedule, or an agent.
type Trigger struct {
	Schedule ID
	Agent    org.AgentID
	Project  string // empty means each project of the schedule, or each that is active
}

// priorityNow is the priority of what somebody wants at once.
const priorityNow = 8

// Trigger plans executions for now, one for each project. The clock begins them.
func (k *Editor) Trigger(ctx context.Context, by event.Party, t Trigger) (out []Execution, err error) {
	err = k.write(ctx, func(b *run.Batch, tx Tx) error {
		board, err := tx.Plan().Board()
		if err != nil {
			return err
		}
		f := Fields{Agent: t.Agent, Scope: Global, Timezone: "UTC", Policy: Policy{Priority: priorityNow}.Filled()}
		s := Schedule{Fields: f}
		if t.Schedule != "" {
			if s, err = tx.Plan().Schedule(t.Schedule); err != nil {
				return err
			}
		} else if t.Agent == "" {
			return fault.BadField("agentId", "Say which agent works, or name a schedule.")
		}
		if err := board.checkAgent("agentId", s.Agent); err != nil {
			return err
		}
		projects, err := board.projects(s.Fields, t.Project)
		if err != nil {
			return err
		}
		out = out[:0]
		for _, p := range projects {
			o := s.occurrence(b.Mint(), p, k.now())
			o.Immediate, o.By, o.Policy.Priority = true, by, priorityNow
			if err := planned(b, by, o); err != nil {
				return err
			}
			e, err := tx.Plan().Execution(o.ID)
			if err != nil {
				return err
			}
			out = append(out, e)
		}
		return nil
	})
	return out, err
}

// projects are those for which f is to begin, narrowed to one when that is named.
func (b Board) projects(f Fields, only string) ([]string, error) {
	all := targets(f, b.Projects)
	switch {
	case only != "" && !slices.Contains(b.Projects, only):
		return nil, noProject(only)
	case only != "" && !slices.Contains(all, only):
		return nil, fault.BadField("projectId", "The schedule works for the project "+f.Project+" alone.")
	case only != "":
		return []string{only}, nil
	case len(all) == 0:
		return nil, fault.New(fault.Conflict, "There is no active project to work for. Make one first.")
	}
	return all, nil
}

// Cancel takes back an execution that has not begun. Its instant is not planned again.
func (k *Editor) Cancel(ctx context.Context, by event.Party, id ExecutionID) (e Execution, err error) {
	err = k.write(ctx, func(b *run.Batch, tx Tx) error {
		if e, err = tx.Plan().Execution(id); err != nil {
			return err
		}
		switch {
		case e.State == Running:
			return fault.New(fault.Conflict, "The execution %s is running. Cancel its run %s instead.", id, e.Run)
		case e.State.Final():
			return fault.New(fault.Conflict, "The execution %s is over: %s.", id, strings.ToLower(string(e.State)))
		}
		how := Ended{ID: e.ID, Attempt: e.Attempt, Result: Cancelled, Reason: "A person cancelled it."}
		if err := ended(b, by, ToEnd{e, how}); err != nil {
			return err
		}
		e, err = tx.Plan().Execution(id)
		return err
	})
	return e, err
}
