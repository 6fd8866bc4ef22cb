package instance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/confusable"
	"chela/internal/definition"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
)

// waits is why a segment ends before its instance: steps wait for persons, times or events.
type waits struct {
	all []run.Outcome
}

// Error implements error.
func (w *waits) Error() string { return w.outcome().Reason }

// waitsFor is the error of a step that waits.
func waitsFor(o run.Outcome) *waits { return &waits{[]run.Outcome{o}} }

// waiting returns what a step's error says that it waits for.
func waiting(err error) (*waits, bool) {
	if w, ok := err.(*waits); ok { //nolint:errorlint // it is never wrapped
		return w, true
	}
	if o, ok := agent.Waits(err); ok {
		return waitsFor(o), true
	}
	return nil, false
}

// outcome is the wait of all: for the first that names a person, until the first time that comes.
func (w *waits) outcome() run.Outcome {
	out := w.all[0]
	for _, o := range w.all {
		if strings.HasPrefix(o.WaitsFor, run.ForPerson) {
			out = o
			break
		}
	}
	out.State, out.Questions = run.Waiting, nil
	for _, o := range w.all {
		out.Questions = append(out.Questions, o.Questions...)
		if !o.Until.IsZero() && (out.Until.IsZero() || o.Until.Before(out.Until)) {
			out.Until = o.Until
		}
	}
	if n := len(w.all) - 1; n > 0 {
		out.Reason += fmt.Sprintf(" (%d more wait.)", n)
	}
	return out
}

// wait waits for what a step says.
func (g *playing) wait(ctx context.Context, n *definition.Node, t try, vars definition.Vars) (any, error) {
	path, key := t.path, "wait/"+t.key()
	w := n.Step.Wait
	if w.Person != nil {
		return g.person(ctx, n, path, key, vars)
	}
	if w.Event != nil {
		return g.event(ctx, n, path, key, vars)
	}
	until, err := g.until(ctx, n, path, key, func() (time.Time, error) {
		if w.For != "" {
			return g.s.Mint().Now().Add(w.For.Std()), nil
		}
		v, err := evaluated(n.At.Eval(ctx, vars))
		if err != nil {
			return time.Time{}, err
		}
		return readTime(v)
	})
	if err != nil {
		return nil, err
	}
	if g.s.Mint().Now().Before(until) {
		return nil, waitsFor(run.Outcome{WaitsFor: run.ForTime, Until: until, Reason: "The step " + path + " waits until " + until.Format(time.RFC3339) + "."})
	}
	return map[string]any{"at": until.Format(time.RFC3339)}, nil
}

// until is the recorded time until which a step waits, or records one.
func (g *playing) until(_ context.Context, n *definition.Node, path, key string, when func() (time.Time, error)) (time.Time, error) {
	if was, ok, err := g.recorded(key); err != nil || ok {
		return was.Until, err
	}
	at, err := when()
	if err != nil {
		return at, err
	}
	at = at.UTC().Truncate(time.Microsecond)
	g.hold(path, Step{Kind: n.Kind, Title: n.Title, State: Waiting, Until: at}, key, true)
	return at, nil
}

func readTime(v any) (time.Time, error) {
	t, err := definition.ReadTime(v)
	if err != nil {
		return t, fault.New(fault.Invalid, "%s.", err)
	}
	return t, nil
}

// person asks a person and waits for the choice.
func (g *playing) person(ctx context.Context, n *definition.Node, path, key string, vars definition.Vars) (any, error) {
	now, err := g.asks(ctx, n, path, key, func() (approval.Request, error) { return g.question(ctx, n, key, vars) })
	if err != nil {
		return nil, err
	}
	return map[string]any{"choice": now.Answer.Choice, "note": now.Answer.Note, "by": org.PersonOf(event.Party{AgentID: now.By, Role: "person"})}, nil
}

// asks puts a question under a key, once, and returns it when it is answered. Before that the error says
// that the step waits.
func (g *playing) asks(ctx context.Context, n *definition.Node, path, key string, question func() (approval.Request, error)) (approval.Approval, error) {
	var none approval.Approval
	asked := g.s.Recorded(key)
	if !asked.Done {
		q, err := question()
		if err != nil {
			return none, err
		}
		g.s.Hold( // both or none: who finds the question does not say again that the step waits for it
			run.AsStep(approval.RequestedKind.Draft(g.s.Place(run.Chela()), q), key, true),
			g.draft(path, Step{Kind: n.Kind, Title: n.Title, State: Waiting, Reason: q.Question, Until: q.Until}, key+"/told", true),
		)
		return none, waitsFor(run.Outcome{WaitsFor: run.ForPerson + q.ID, Until: q.Until, Reason: q.Question, Questions: []string{q.ID}})
	}
	q, ok, err := approval.RequestedKind.Open(asked.Event)
	if err != nil || !ok {
		return none, fmt.Errorf("read question: %w", err)
	}
	now, err := g.h.asked.Approval(ctx, q.ID)
	switch {
	case err != nil:
		return none, err
	case now.Answer == nil && (q.Until.IsZero() || g.s.Mint().Now().Before(q.Until)):
		return none, waitsFor(run.Outcome{WaitsFor: run.ForPerson + q.ID, Until: q.Until, Reason: q.Question, Questions: []string{q.ID}})
	case now.Answer == nil:
		g.s.Hold(approval.Lapse(g.spec, q.ID))
		return none, fault.New(fault.Unavailable, "Nobody answered in time.")
	case now.Answer.Choice == approval.Expired:
		return none, fault.New(fault.Unavailable, "Nobody answered in time.")
	}
	return now, nil
}

// question is what a step asks a person.
func (g *playing) question(ctx context.Context, n *definition.Node, key string, vars definition.Vars) (approval.Request, error) {
	w := n.Step.Wait.Person
	q := approval.Request{ID: g.s.Mint().ID("apr"), Run: g.spec.ID, Kind: approval.Decision, Step: key, Project: g.spec.Project, Role: org.Role(w.Role), Choices: w.Choices}
	if q.Role == "" {
		q.Role = org.Editor
	}
	if len(q.Choices) == 0 {
		q.Choices = []string{approval.Approve, approval.Refuse}
	}
	var err error
	if q.Question, err = textOf(ctx, n, "ask", vars); err != nil {
		return q, err
	}
	if q.Detail, err = textOf(ctx, n, "detail", vars); err != nil {
		return q, err
	}
	q.Question, q.Detail = confusable.Reveal(q.Question), confusable.Reveal(q.Detail)
	if q.Only, err = g.persons(ctx, n.Only, vars); err != nil {
		return q, err
	}
	if q.Except, err = g.persons(ctx, n.Except, vars); err != nil {
		return q, err
	}
	if left := slices.DeleteFunc(slices.Clone(q.Only), func(id string) bool { return slices.Contains(q.Except, id) }); len(q.Only) > 0 && len(left) == 0 {
		return q, fault.New(fault.Invalid, "Nobody may answer: each of the persons who alone may is excepted.")
	}
	if limit := n.Timeout.Std(); limit > 0 {
		q.Until = g.s.Mint().Now().Add(limit).UTC().Truncate(time.Microsecond)
	}
	return q, nil
}

// persons reads persons: their ids, their names, or who they are as senders.
func (g *playing) persons(ctx context.Context, texts []*definition.Template, vars definition.Vars) ([]string, error) {
	var out []string
	for _, t := range texts {
		v, err := evaluated(t.Eval(ctx, vars))
		if err != nil {
			return nil, err
		}
		list, many := v.([]any)
		if !many {
			list = []any{v}
		}
		for _, x := range list {
			name := strings.TrimSpace(definition.Text(x))
			if name == "" {
				continue
			}
			id, err := g.personOf(ctx, name)
			if err != nil {
				return nil, err
			}
			if id != "" {
				out = append(out, id)
			}
		}
	}
	return out, nil
}

// personOf finds a person by id, name or sender; a sender that is no person is none.
func (g *playing) personOf(ctx context.Context, name string) (string, error) {
	if strings.HasPrefix(name, "per_") {
		return name, nil
	}
	if strings.HasPrefix(name, "agent:") {
		return org.PersonOf(event.Party{AgentID: name, Role: "person"}), nil
	}
	all, err := g.h.people.Persons(ctx)
	if err != nil {
		return "", err
	}
	for _, p := range all {
		if strings.EqualFold(p.Name, name) {
			return p.ID, nil
		}
	}
	return "", fault.New(fault.NotFound, "There is no person named %s.", name)
}
