package ask

import (
	"context"
	"strings"
	"time"

	"chela/internal/answer"
	"chela/internal/chart"
	"chela/internal/desk"
	"chela/internal/question"
)

// computePlan answers a plan, with what the log tells where the plan asks for it.
func (a *Asker) computePlan(ctx context.Context, q Question, w *work, p question.Plan) (answer.Answer, error) {
	if !p.Beyond() {
		return w.Compute(p, w.now)
	}
	var known answer.Beyond
	var err error
	if known.Name, err = a.names(ctx, q.Unnamed); err != nil {
		return answer.Answer{}, err
	}
	if a.past == nil {
		return w.ComputeWith(p, w.now, known)
	}
	var became chart.History
	if p.Stays() || p.Paced() || p.Measure == question.Changes || p.State == question.Added || p.State == question.Removed {
		h, at, err := a.past.Charts(ctx, q.Project, q.AsOf)
		if err != nil {
			return answer.Answer{}, err
		}
		became = h
		if p.Stays() {
			known.Since = h.Entered(at).Of
		}
		if p.Paced() {
			pace := h.Pace(at)
			known.Begun, known.Usual = pace.BegunOf, pace.Usual
		}
		known.Scope = func(sprint string) answer.Scope { return h.Scope(sprint, at) }
	}
	known.History = func(id string) ([]desk.Revised, error) { return a.past.History(ctx, id, q.AsOf) }
	known.Held = became.AssignmentsOf
	return w.ComputeWith(p, w.now, known)
}

// moment is the time from which an answer reckons: now, or when its records were as they are.
func (a *Asker) moment(ctx context.Context, q Question) (time.Time, error) {
	if q.AsOf == "" || a.past == nil {
		return a.source.Mint().Now().UTC(), nil
	}
	_, at, err := a.past.Charts(ctx, q.Project, q.AsOf)
	return at.UTC(), err
}

// names returns how people call senders, or only how the log does.
func (a *Asker) names(ctx context.Context, unnamed bool) (func(sender string) string, error) {
	called := make(map[string]string)
	if a.people != nil && !unnamed {
		all, err := a.people.Persons(ctx)
		if err != nil {
			return nil, err
		}
		for _, p := range all {
			called[p.Party().AgentID] = p.Name
		}
	}
	return func(sender string) string {
		if name, ok := called[sender]; ok {
			return name
		}
		return strings.TrimPrefix(sender, "agent:")
	}, nil
}
