package instance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/confusable"
	"chela/internal/contract"
	"chela/internal/definition"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/review"
	"chela/internal/run"
)

// ReviewedKind records a move of work that is reviewed.
var ReviewedKind = event.Kind[Reviewed]{Name: "workflow.reviewed", PayloadType: "workflow.reviewed.v1"}

// A Reviewed is the payload of workflow.reviewed.
type Reviewed struct {
	Path      string           `json:"path"`
	From      review.State     `json:"from,omitempty"`
	To        review.State     `json:"to"`
	Author    string           `json:"author,omitempty"`
	Reworks   int              `json:"reworks"`
	Escalated bool             `json:"escalated,omitempty"`
	Verdicts  []review.Verdict `json:"verdicts,omitempty"`
	Reason    string           `json:"reason,omitempty"`
}

// FastTrack is the reviewer of what cost and took little.
const FastTrack = "fast track"

// A work is a step that is reviewed, in one attempt.
type work struct {
	*playing

	node *definition.Node
	path string
	key  string // of the attempt
	now  review.Work
	made int // moves
}

// move makes a legal move and records it.
func (w *work) move(to review.State, about Reviewed) error {
	from := w.now.State
	next, err := w.now.Move(to)
	if err != nil {
		return fault.Wrap(err, fault.Internal, "The step %s cannot go on: %s.", w.path, err)
	}
	w.now = next
	w.tell(from, about)
	return nil
}

func (w *work) tell(from review.State, about Reviewed) {
	w.made++
	key := fmt.Sprintf("review/%s/%d", w.key, w.made)
	if w.s.Recorded(key).Done {
		return
	}
	about.Path, about.From, about.To, about.Author, about.Reworks = w.path, from, w.now.State, w.now.Author, w.now.Reworks
	w.s.Hold(run.AsStep(ReviewedKind.Draft(w.s.Place(run.Chela()), about), key, true))
}

// unproven is why a step does not count that was said to be done.
type unproven struct{ why string }

// Error implements error.
func (u *unproven) Error() string { return u.why }

// Unwrap is the fault that people read.
func (u *unproven) Unwrap() error { return fault.New(fault.Conflict, "%s", u.why) }

// reviewed does a step and has it reviewed, and its contract checked, where it has them.
func (g *playing) reviewed(ctx context.Context, n *definition.Node, path string, attempt int, vars definition.Vars) (any, error) {
	t := try{path: path, attempt: attempt}
	if n.Step.Review == nil && len(n.Terms) == 0 {
		return g.try(ctx, n, t, vars)
	}
	author, err := g.author(ctx, n, t)
	if err != nil {
		return nil, err
	}
	if n.Step.Review == nil {
		out, err := g.try(ctx, n, t, vars)
		if err != nil {
			return nil, err
		}
		short, err := g.contract(ctx, n, t, vars, out, author, nil)
		if err == nil && short != "" {
			err = &unproven{short}
		}
		return out, err
	}
	most := review.MostRework
	if r := n.Step.Review.Rework; r != nil {
		most = *r
	}
	w := &work{playing: g, node: n, path: path, key: t.key(), now: review.Work{State: review.Created, Author: author, Most: most}}
	w.tell("", Reviewed{})
	for _, to := range []review.State{review.Assigned, review.Running} {
		if err := w.move(to, Reviewed{}); err != nil {
			return nil, err
		}
	}
	return w.rounds(ctx, t, vars)
}

// author is who does the step: its agent, else what it is.
func (g *playing) author(ctx context.Context, n *definition.Node, t try) (string, error) {
	if n.Kind != definition.Agent || g.given != nil {
		return "agent:workflow", nil
	}
	who, before, err := g.member(ctx, n.Agent, fmt.Sprintf("%s#%d", t.path, t.attempt))
	if err != nil {
		return "", err
	}
	g.s.Hold(before...)
	return string(who.Card.AgentID), nil
}

// rounds does the work until it passes, or was reworked too often.
func (w *work) rounds(ctx context.Context, t try, vars definition.Vars) (any, error) {
	for ; ; t.round++ {
		out, err := w.try(ctx, w.node, t, vars)
		if _, waits := waiting(err); waits {
			return nil, err
		}
		if err != nil {
			if context.Cause(ctx) == nil && !errors.Is(err, run.ErrSuperseded) {
				err = errors.Join(w.move(review.Failed, Reviewed{Reason: w.h.opts.Redact(ctx, fault.TextOf(err))}), err)
			}
			return nil, err
		}
		if err := w.move(review.InReview, Reviewed{}); err != nil {
			return nil, err
		}
		verdicts, outcome, err := w.verdicts(ctx, t, vars, out)
		if err != nil {
			return nil, err
		}
		refused := reasons(verdicts)
		if outcome == review.Passed {
			short, err := w.contract(ctx, w.node, t, vars, out, w.now.Author, verdicts)
			if err != nil {
				return nil, err
			}
			if short == "" {
				return out, w.move(review.Done, Reviewed{Verdicts: verdicts})
			}
			refused = short
			if w.now.Reworks == w.now.Most {
				return nil, errors.Join(w.move(review.Failed, Reviewed{Verdicts: verdicts, Reason: short}), &unproven{short})
			}
		}
		if w.now.Reworks == w.now.Most {
			why := fault.New(fault.Conflict, "The review did not accept it after %d reworks. %s", w.now.Reworks, refused)
			return nil, errors.Join(w.move(review.Failed, Reviewed{Verdicts: verdicts, Reason: why.Text}), why)
		}
		t.last, t.refused = definition.Text(out), refused
		if err := w.move(review.Rework, Reviewed{Verdicts: verdicts, Reason: refused}); err != nil {
			return nil, err
		}
		if err := w.move(review.Running, Reviewed{Escalated: w.escalated()}); err != nil {
			return nil, err
		}
	}
}

func reasons(verdicts []review.Verdict) string {
	out := ""
	for _, v := range verdicts {
		if !v.Pass {
			out += v.Reviewer + ": " + v.Reasons + "\n"
		}
	}
	return out
}

func (w *work) escalated() bool {
	r := w.node.Step.Review
	after := r.After
	if after == 0 {
		after = review.EscalateAfter
	}
	return r.Escalate != nil && w.now.Escalated(after)
}

// verdicts asks the reviewers, one after the other, until it is decided.
func (w *work) verdicts(ctx context.Context, t try, vars definition.Vars, out any) ([]review.Verdict, review.Outcome, error) {
	r := w.node.Step.Review
	by, eyes, quorum := r.By, w.node.Eyes, r.Quorum
	if quorum == 0 {
		quorum = len(by)
	}
	if w.escalated() {
		by, eyes, quorum = []definition.Reviewer{*r.Escalate}, eyes[len(eyes)-1:], 1
	} else if w.fast(r, t) {
		return []review.Verdict{{Reviewer: FastTrack, Pass: true, Reasons: "It cost and took less than the fast track allows."}}, review.Passed, nil
	}
	inner := contract.With(vars, "result", out)
	var verdicts []review.Verdict
	for i, who := range by {
		v, err := w.verdict(ctx, t, i, who, eyes[i], inner, out, verdicts)
		if err != nil {
			return nil, review.Open, err
		}
		verdicts = append(verdicts, v)
		if o := review.Count(w.now.Author, len(by), quorum, verdicts); o != review.Open {
			return verdicts, o, nil
		}
	}
	return verdicts, review.Refused, nil
}

// fast reports whether the round cost and took less than the fast track allows.
func (w *work) fast(r *definition.Review, t try) bool {
	if r.FastTrack == nil {
		return false
	}
	usd, took, priced := w.spent(t.key() + "/")
	return priced && usd < r.FastTrack.USD && took < r.FastTrack.Time.Std()
}

// verdict is what one reviewer says.
func (w *work) verdict(ctx context.Context, t try, i int, who definition.Reviewer, eye *definition.Template, vars definition.Vars, out any, before []review.Verdict) (review.Verdict, error) {
	if w.given != nil {
		return w.given.verdict(t.path)
	}
	criteria, err := textOf(ctx, w.node, "criteria", vars)
	if err != nil {
		return review.Verdict{}, err
	}
	if who.Agent != "" {
		return w.agentVerdict(ctx, t, who.Agent, criteria, out)
	}
	key := fmt.Sprintf("verdict/%s/%d", t.key(), i)
	now, err := w.asks(ctx, w.node, t.path, key, func() (approval.Request, error) {
		q := approval.Request{
			ID: w.s.Mint().ID("apr"), Run: w.spec.ID, Kind: approval.Decision, Step: key, Project: w.spec.Project, Role: org.Editor, Choices: []string{approval.Approve, approval.Refuse},
			Question: confusable.Reveal("Review " + title(w.node) + " of " + w.def.Name + ". " + criteria), Detail: confusable.Reveal(head(definition.Text(out))),
			Reasons: slices.ContainsFunc(w.node.Contract, func(c definition.Condition) bool { return c.Verdict }),
		}
		if who.Role != "" {
			q.Role = org.Role(who.Role)
		}
		var err error
		if who.Person != "" {
			if q.Only, err = w.persons(ctx, []*definition.Template{eye}, vars); err != nil {
				return q, err
			}
			if len(q.Only) == 0 {
				return q, fault.New(fault.Invalid, "The review names nobody.")
			}
			q.Role = org.Viewer
		}
		for _, v := range before {
			if id := org.PersonOf(event.Party{AgentID: v.Reviewer, Role: "person"}); id != "" {
				q.Except, q.Voted = append(q.Except, id), append(q.Voted, id)
			}
		}
		if limit := w.node.Timeout.Std(); limit > 0 {
			q.Until = w.s.Mint().Now().Add(limit).UTC().Truncate(time.Microsecond)
		}
		return q, nil
	})
	if err != nil {
		return review.Verdict{}, err
	}
	v := review.Verdict{Reviewer: now.By, Pass: now.Answer.Choice == approval.Approve, Reasons: now.Answer.Note}
	if v.Reasons == "" && !v.Pass {
		v.Reasons = "No reasons were given."
	}
	return v, nil
}

// agentVerdict is what an agent says, which is never the one who did the work.
func (w *work) agentVerdict(ctx context.Context, t try, name, criteria string, out any) (review.Verdict, error) {
	who, err := w.h.agents.Agent(ctx, org.AgentID("agent:"+name))
	if err != nil {
		return review.Verdict{}, err
	}
	if string(who.Card.AgentID) == w.now.Author {
		return review.Verdict{}, fault.New(fault.Invalid, "%s did the work and does not review it; name another agent.", name)
	}
	k := w.sc.Task(fmt.Sprintf("%s!%s", t.key(), name), who, "Review: "+title(w.node))
	said := "Review this result of a step of the workflow " + w.def.Name + ".\n"
	if criteria != "" {
		said += "What to look at: " + criteria + "\n"
	}
	got, _, err := agent.Fit(ctx, w.sc, agent.Assignment{
		Task: k, Context: w.context(""), From: run.Chela(), Request: "Review " + title(w.node),
		History: []model.Message{{Role: model.User, Parts: []model.Part{{Text: said + prompt.Data("the result", definition.Text(out))}}}},
	}, prompt.ReviewSchema(), prompt.ParseReview)
	if err != nil {
		return review.Verdict{}, err
	}
	raw, err := json.Marshal(got)
	if err != nil {
		return review.Verdict{}, fmt.Errorf("encode review: %w", err)
	}
	w.s.Hold(w.sc.Done(k, raw, got.Summary))
	v := review.Verdict{Reviewer: string(who.Card.AgentID), Pass: got.Pass, Reasons: got.Summary}
	if !got.Pass {
		v.Reasons = got.Feedback
	}
	return v, nil
}
