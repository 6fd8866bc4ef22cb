package agent

import (
	"cmp"
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
	behind, err := g.behind(ctx, by)
	if who.Role, who.Barred = behind.Role, behind.Barred; err != nil || who.Role == "" || by.Key == "" {
		return who, err
	}
	k, err := g.roster.Key(ctx, by.Key)
	if fault.KindOf(err) == fault.Unauthenticated && err != nil { // it ended just now
		return guard.Caller{Channel: channel, Via: who.Via, Barred: fault.TextOf(err)}, nil
	}
	who.Bound = k.Project != ""
	return who, err
}

// behind says what whoever is behind from may do, and why when that is nothing.
func (g *Runner) behind(ctx context.Context, from event.Party) (who guard.Caller, err error) {
	if who.Role, err = g.roster.RoleOf(ctx, from); err == nil && who.Role == "" {
		who.Barred, err = g.roster.Barred(ctx, from)
	}
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
	behind, err := g.behind(ctx, event.Party{AgentID: m.Actor, Key: m.Key})
	if err == nil {
		who.Lower(behind)
	}
	return err
}

// still takes the loop down to what its agent and whoever asked for the run may by now: they may have been disabled, their rights taken, or
// their key revoked. Who may do nothing any more ends the work with a fault.Denied.
func (l *loop) still(ctx context.Context) error {
	if err := l.member(ctx); err != nil {
		return err
	}
	who, err := l.g.behind(ctx, l.s.Run.By)
	switch {
	case err != nil || l.who.Role == "" || who.Role.AtLeast(l.who.Role):
		return err
	case who.Role == "":
		return fault.New(fault.Denied, "%s The work stops here.", cmp.Or(who.Barred, "Whoever asked for this may not do anything any more."))
	}
	l.who.Lower(who)
	if l.child == nil {
		l.family.sink(*l.who)
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
