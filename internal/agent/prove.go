package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"chela/internal/approval"
	"chela/internal/confusable"
	"chela/internal/contract"
	"chela/internal/definition"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/run"
	"chela/internal/tool"
)

// Records reads records of the desk.
type Records interface {
	Record(ctx context.Context, id string) (desk.Record, error) // fault.NotFound
	// Keyed returns the record of a project that a tracker knows by a key; ok is false when there is none.
	Keyed(ctx context.Context, project, key string) (r desk.Record, ok bool, err error)
	Persons(ctx context.Context) ([]org.Person, error)
}

// prove checks the contract of what a call says is done: the word of an agent counts when it is met. It returns
// nil when the call says no such thing, or no contract asks for proof.
func (l *loop) prove(ctx context.Context, i int, p plan) (*tool.Proof, error) {
	claim, ok := p.tool.Claims(p.call.Args)
	if !ok || l.g.opts.Records == nil {
		return nil, nil //nolint:nilnil // there is nothing to prove
	}
	r, err := l.g.opts.Records.Record(ctx, claim.Record)
	if fault.KindOf(err) == fault.NotFound && err != nil {
		if by, ok, failed := l.g.opts.Records.Keyed(ctx, l.s.Run.Project, claim.Record); failed != nil || ok {
			r, err = by, failed
		}
	}
	if fault.KindOf(err) == fault.NotFound && err != nil || err == nil && (r.Deleted || r.Project != l.s.Run.Project) {
		return nil, nil //nolint:nilnil // the call says so itself
	}
	if err != nil {
		return nil, err
	}
	thing, err := desk.Decode(r)
	if err != nil || !desk.Owes(thing) {
		return nil, err
	}
	w, err := l.proving(ctx, r, thing, claim)
	if err != nil {
		return nil, err
	}
	known, err := contract.Known(r)
	if err != nil {
		return nil, err
	}
	vars := definition.Vars{"ticket": known, "result": map[string]any{"text": claim.Said, "agent": l.agentID().Name()}}
	e := contract.Evidence{Ticket: r.ID, Said: l.g.opts.Redact(ctx, head(claim.Said, mostSaid)), Agent: string(l.agentID()), Met: true, Changed: l.touched.Noted()}
	found, err := w.terms(ctx, desk.Terms(thing), l.callKey(i, p.n), vars)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		e.Add(f)
	}
	out := &tool.Proof{Found: desk.Proven, Short: e.Short(), Drafts: []event.Draft{contract.EvidenceKind.Draft(l.t.Place(l.s, run.Chela()), e)}}
	if !e.Met {
		out.Found = desk.Unproven
	}
	return out, nil
}

// mostSaid is how much evidence keeps of what an agent said, in bytes.
const mostSaid = 2000

// A proving is what the contract of a record is checked against, for the agent of a loop.
type proving struct {
	*loop

	sc       *Scope // in which checks may do no more than who wrote the contract may
	record   desk.Record
	title    string
	said     string
	reviewer desk.ReviewerTerm // of the term that is being checked
}

// proving narrows what checks may do to what both the sender of the run and who wrote the contract may.
func (l *loop) proving(ctx context.Context, r desk.Record, thing desk.Thing, claim tool.Claim) (*proving, error) {
	sc := *l.Scope
	sc.who = l.caller()
	for _, by := range desk.Writers(thing) {
		if by == run.Chela().AgentID {
			continue
		}
		from := event.Party{AgentID: by, Role: "person"}
		if org.PersonOf(from) == "" {
			from.Role = ""
		}
		behind, err := l.g.behind(ctx, from)
		if err != nil {
			return nil, err
		}
		sc.who.Lower(behind)
	}
	if r.Outside {
		sc.Saw([]string{tool.FromImports})
	}
	return &proving{loop: l, sc: &sc, record: r, title: desk.SummaryOf(thing).Title, said: claim.Said}, nil
}

// terms checks all terms. People are asked last, and only when what else has to be true is.
func (p *proving) terms(ctx context.Context, all []desk.Term, key string, vars definition.Vars) ([]contract.Found, error) {
	out, met := make([]contract.Found, len(all)), true
	for _, people := range []bool{false, true} {
		for n, t := range all {
			if people != (t.Verdict != nil && t.Verdict.Agent == "") {
				continue
			}
			if people && !met {
				out[n] = contract.Found{Condition: t.Title(), Detail: "Nobody was asked, since what else has to be true is not."}
				continue
			}
			f, err := p.term(ctx, t, fmt.Sprintf("%s?%d", key, n), vars)
			if err != nil {
				return nil, err
			}
			out[n], met = f, met && (f.Met || people)
		}
	}
	return out, nil
}

// term checks one term.
func (p *proving) term(ctx context.Context, t desk.Term, key string, vars definition.Vars) (contract.Found, error) {
	compiled, err := definition.CompileTerm(contract.ConditionOf(t))
	if err != nil { // an older daemon took it
		return contract.Found{Condition: t.Title(), Detail: err.Error()}, nil //nolint:nilerr // what cannot be read is not met
	}
	if t.Verdict != nil {
		p.reviewer = *t.Verdict
	}
	f, err := contract.Check(ctx, p, compiled, key, vars)
	f.Condition, f.Detail = t.Title(), p.g.opts.Redact(ctx, f.Detail)
	return f, err
}

// Call implements [contract.World].
func (p *proving) Call(ctx context.Context, t definition.ToolStep, args map[string]any, key string) (any, error) {
	who, err := p.checks(ctx, t)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, fmt.Errorf("encode arguments: %w", err)
	}
	got, err := p.sc.Call(ctx, p.sc.Task(key, who, "Check "+p.title), party(p.agentID()), t.Name, raw)
	if err != nil {
		return nil, err
	}
	if !got.Success {
		return nil, fault.New(fault.Conflict, "%s", got.Error)
	}
	data, err := definition.Read([]byte(got.Output))
	if err != nil {
		return nil, nil //nolint:nilnil,nilerr // it is a text
	}
	return data, nil
}

// checks is who makes the call of a check: the agent that the contract names, else the one that says that it is
// done, when it may.
func (p *proving) checks(ctx context.Context, t definition.ToolStep) (org.Agent, error) {
	switch {
	case t.Agent != "":
		return p.g.Agent(ctx, org.AgentID("agent:"+t.Agent))
	case p.t.agent.MayUse(t.Name):
		return p.t.agent, nil
	}
	return p.g.MayCall(ctx, t.Name)
}

// Record implements [contract.World]. What is in another project is not there.
func (p *proving) Record(ctx context.Context, id string) (desk.Record, error) {
	r, err := p.g.opts.Records.Record(ctx, id)
	if err == nil && r.Project != p.record.Project && r.Project != "" {
		err = fault.New(fault.NotFound, "The record %s does not exist here.", id)
	}
	return r, err
}

// Stops implements [contract.World].
func (*proving) Stops(ctx context.Context, err error) bool {
	_, waits := Waits(err)
	return waits || context.Cause(ctx) != nil || isSuperseded(err)
}

// Verdict implements [contract.World].
func (p *proving) Verdict(ctx context.Context, key string) (contract.Found, error) {
	if p.reviewer.Agent != "" {
		return p.agentVerdict(ctx, key)
	}
	asked := p.s.Recorded(key + "/ask")
	if !asked.Done {
		q, err := p.review(ctx, key)
		if err != nil {
			return contract.Found{Detail: fault.TextOf(err)}, nil //nolint:nilerr // nobody can be asked
		}
		p.put(q, key+"/ask")
		return contract.Found{}, &errWait{on: run.ForPerson + q.ID, why: q.Question}
	}
	q, _, err := approval.RequestedKind.Open(asked.Event)
	if err != nil {
		return contract.Found{}, fmt.Errorf("read question: %w", err)
	}
	now, err := p.g.asked.Approval(ctx, q.ID)
	if err != nil {
		return contract.Found{}, err
	}
	if now.Answer == nil {
		return contract.Found{}, &errWait{on: run.ForPerson + q.ID, why: q.Question}
	}
	by, err := p.nameOf(ctx, now.By)
	if err != nil {
		return contract.Found{}, err
	}
	reasons := strings.TrimSpace(now.Answer.Note)
	if now.Answer.Choice != approval.Approve {
		return contract.Found{Detail: strings.TrimSpace(by + " refused it. " + reasons)}, nil
	}
	return contract.Found{Met: reasons != "", Detail: strings.TrimSpace(by + ": " + orNone(reasons))}, nil
}

// nameOf is how people call a sender.
func (p *proving) nameOf(ctx context.Context, sender string) (string, error) {
	all, err := p.g.opts.Records.Persons(ctx)
	if err != nil {
		return "", err
	}
	for _, one := range all {
		if one.Party().AgentID == sender {
			return one.Name, nil
		}
	}
	return sender, nil
}

func orNone(reasons string) string {
	if reasons == "" {
		return "passed without reasons; a verdict has some."
	}
	return reasons
}

// review is the question to a person who reviews.
func (p *proving) review(ctx context.Context, key string) (approval.Request, error) {
	q := approval.Request{
		ID: p.s.Mint().ID("apr"), Run: p.s.Run.ID, Kind: approval.Decision, Step: key, Project: p.record.Project, Role: org.Role(p.reviewer.Role), Choices: []string{approval.Approve, approval.Refuse},
		Question: confusable.Reveal(strings.TrimSpace(fmt.Sprintf("%s says that %q is done. Do you pass it? Say why. %s", p.agentID().Name(), p.title, p.reviewer.Criteria))),
		Detail:   confusable.Reveal(p.g.opts.Redact(ctx, head(p.said, mostSaid))), Reasons: true,
	}
	if p.reviewer.Person == "" {
		return q, nil
	}
	q.Role = org.Viewer
	all, err := p.g.opts.Records.Persons(ctx)
	if err != nil {
		return q, err
	}
	for _, one := range all {
		if one.ID == p.reviewer.Person || strings.EqualFold(one.Name, p.reviewer.Person) {
			q.Only = []string{one.ID}
			return q, nil
		}
	}
	return q, fault.New(fault.NotFound, "There is no person named %s.", p.reviewer.Person)
}

// agentVerdict is what an agent says, which is never the one whose work it is.
func (p *proving) agentVerdict(ctx context.Context, key string) (contract.Found, error) {
	who, err := p.g.Agent(ctx, org.AgentID("agent:"+p.reviewer.Agent))
	if err != nil {
		return contract.Found{Detail: fault.TextOf(err)}, nil //nolint:nilerr // nobody can be asked
	}
	if who.Card.AgentID == p.agentID() {
		return contract.Found{Detail: p.reviewer.Agent + " did the work and does not review it; name another agent."}, nil
	}
	known, err := json.Marshal(p.record.Body)
	if err != nil {
		return contract.Found{}, fmt.Errorf("encode %s: %w", p.record.ID, err)
	}
	said := "Review whether this ticket is done.\n" + prompt.Data("the ticket", string(known)) + "\n" + prompt.Data("what "+p.agentID().Name()+" says was done", p.said)
	if p.reviewer.Criteria != "" {
		said += "\nWhat to look at: " + p.reviewer.Criteria
	}
	k := p.sc.Task(key, who, "Review: "+p.title)
	got, _, err := Fit(ctx, p.sc, Assignment{
		Task: k, Context: p.sc.Context(), From: party(p.agentID()), Request: "Review " + p.title,
		History: []model.Message{{Role: model.User, Parts: []model.Part{{Text: said}}}},
	}, prompt.ReviewSchema(), prompt.ParseReview)
	if err != nil && !p.Stops(ctx, err) {
		return contract.Found{Detail: fault.TextOf(err)}, nil //nolint:nilerr // there is no verdict
	}
	if err != nil {
		return contract.Found{}, err
	}
	raw, err := json.Marshal(got)
	if err != nil {
		return contract.Found{}, fmt.Errorf("encode review: %w", err)
	}
	p.s.Hold(p.sc.Done(k, raw, got.Summary))
	detail := got.Summary
	if !got.Pass {
		detail = got.Feedback
	}
	return contract.Found{Met: got.Pass && detail != "", Detail: p.reviewer.Agent + ": " + detail}, nil
}
