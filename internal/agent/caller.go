package agent

import (
	"context"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/guard"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
)

// caller says for whom a run acts.
func (g *Runner) caller(ctx context.Context, r run.Spec, channel string) (guard.Caller, error) {
	who, by := guard.Caller{Channel: channel, Via: guard.ByPerson}, r.By
	switch {
	case by.Role == event.RoleSchedule || r.Lane == run.ScheduleLane:
		who.Via = guard.BySchedule
	case org.AgentOf(by) != "":
		who.Via = guard.ByAgent
	}
	var err error
	if who.Role, err = g.roster.RoleOf(ctx, by); err != nil || by.Key == "" {
		return who, err
	}
	k, err := g.roster.Key(ctx, by.Key)
	if fault.KindOf(err) == fault.Unauthenticated && err != nil {
		return who, nil // it has ended, and has no role
	}
	who.Bound = k.Project != ""
	return who, err
}

// keyPolicy is what the key of a program allows that asked for a run, whatever sort of run it is; nil for people.
// One that has ended has no role any more, see caller.
func (g *Runner) keyPolicy(ctx context.Context, by event.Party) (*event.Policy, error) {
	if by.Key == "" {
		return nil, nil //nolint:nilnil // nothing is narrowed
	}
	k, err := g.roster.Key(ctx, by.Key)
	if fault.KindOf(err) == fault.Unauthenticated && err != nil {
		return nil, nil //nolint:nilnil // see above
	}
	return k.Narrow(nil), err
}

// lower takes the role down to that of whoever spoke in between: a run that listens to
// several people may do what the least of them may.
func (g *Runner) lower(ctx context.Context, who *guard.Caller, m session.Message) error {
	role, err := g.roster.RoleOf(ctx, event.Party{AgentID: m.Actor, Key: m.Key})
	if err == nil && who.Role != "" && !role.AtLeast(who.Role) {
		who.Role = role
	}
	return err
}

// still takes the loop down to what whoever asked for the run may by now: they may have been disabled, their role lowered, or their key
// revoked. Who may do nothing any more ends the run with a fault.Denied.
func (l *loop) still(ctx context.Context) error {
	by := l.s.Run.By
	role, err := l.g.roster.RoleOf(ctx, by)
	switch {
	case err != nil || l.who.Role == "" || role.AtLeast(l.who.Role):
		return err
	case role == "" && by.Key != "":
		return fault.New(fault.Denied, "The key that asked for this was revoked or has ended, so the work stops here.")
	case role == "":
		return fault.New(fault.Denied, "Whoever asked for this may not do anything any more, so the work stops here.")
	}
	l.who.Role = role
	if l.child == nil {
		l.family.sink(role)
	}
	return nil
}

// folders says in lines what an agent may touch of the disk; nothing while the policy
// cannot be read.
func (g *Runner) folders(ctx context.Context, id org.AgentID, project string) []string {
	by, err := g.permitted(ctx, id, project)
	if err != nil || by.Folders.Base() == "" {
		return nil
	}
	out := []string{by.Folders.Base()}
	for _, f := range by.Folders.All() {
		what := " (read only)"
		if f.Write {
			what = " (read and write)"
		}
		if f.Path != out[0] {
			out = append(out, f.Path+what)
		}
	}
	return out
}
