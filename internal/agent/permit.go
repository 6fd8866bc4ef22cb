package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"chela/internal/approval"
	"chela/internal/budget"
	"chela/internal/confusable"
	"chela/internal/disk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/guard"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/tool"
)

// Rules know what the organization permits.
type Rules interface {
	// Rules returns what holds for an agent in a project now. An error denies everything.
	Rules(ctx context.Context, agent org.AgentID, project string) (Permitted, error)
}

// A Permitted is what the organization permits an agent in a project.
type Permitted struct {
	Policy      guard.Policy
	Allowances  []guard.Allowance
	ProjectName string
	Folders     disk.Folders
	Unconfined  bool // programs would run without a sandbox
	Links       func(path string) (string, error)
}

// A plan is one call of an answer, decided but not made.
type plan struct {
	n       int
	call    model.ToolCall
	tool    *tool.Tool // nil when there is none of that name
	act     tool.Act
	folders disk.Folders
	verdict guard.Decision
	asked   bool             // a person was asked and approved
	bound   []approval.Bound // what it depended on when a person was asked
	again   string           // why a person is asked again
	limits  []budget.Limit   // that it has to fit
	time    time.Duration    // that limits leave it; 0 is not bounded
}

func (p plan) risk() tool.Risk {
	if p.act.Risk != "" {
		return p.act.Risk
	}
	return p.tool.Risk
}

// sources name where the result of the call comes from when that is outside: the hosts that
// the result names, else the one that was asked.
func (p plan) sources(from []string) []string {
	switch {
	case p.tool == nil:
		return nil
	case p.tool.Untrusted == "":
		return from
	case p.tool.Untrusted != "network":
		return []string{p.tool.Untrusted}
	case len(from) > 0:
		return from
	}
	if u, err := url.Parse(p.act.URL); err == nil && u.Hostname() != "" {
		return []string{strings.ToLower(u.Hostname())}
	}
	return []string{p.tool.Untrusted}
}

// permitted asks for the rules that hold now.
func (g *Runner) permitted(ctx context.Context, agent org.AgentID, project string) (Permitted, error) {
	if g.rules == nil {
		return Permitted{}, nil
	}
	return g.rules.Rules(ctx, agent, project)
}

// planned decides about every call of answer i, as hooks leave it.
func (l *loop) planned(ctx context.Context, i int, calls []model.ToolCall) ([]plan, error) {
	plans := l.plans(ctx, calls)
	if err := l.hooked(ctx, i, plans); err != nil {
		return nil, err
	}
	return plans, l.bound(ctx, plans)
}

// plans decides about every call of an answer.
func (l *loop) plans(ctx context.Context, calls []model.ToolCall) []plan {
	p, err := l.g.permitted(ctx, l.agentID(), l.s.Run.Project)
	if err == nil {
		p, err = l.within(ctx, p)
	}
	taught, unknown := l.taught(ctx)
	out := make([]plan, len(calls))
	for n, c := range calls {
		out[n] = plan{n: n, call: c, folders: p.Folders}
		if err = cmp.Or(err, unknown); err != nil {
			out[n].verdict = unread(err)
			continue
		}
		l.decide(&out[n], p)
		out[n].asTaught(taught)
	}
	return out
}

// decide answers for one call.
func (l *loop) decide(p *plan, by Permitted) {
	t, ok := l.named(p.call.Name)
	if !ok {
		p.verdict = guard.Decision{Verdict: guard.Deny, Rule: "unknown-tool", Text: l.g.tools().Missing(p.call.Name)}
		return
	}
	p.tool = t
	p.act, p.verdict = by.decide(t, p.call.Args, l.request(l.t.agent))
	l.asNow(p, by)
	l.asParent(p, by)
	l.asChild(p, by)
}

// request is what the answer about a call depends on of the loop, when a makes it.
func (l *loop) request(a org.Agent) guard.Request {
	return guard.Request{Agent: a, Who: l.caller(), Message: l.policy, Away: away(l.s.Run), Project: l.s.Run.Project, Origins: l.seenFrom.list(), Given: l.seenFrom.gave}
}

// away reports whether nobody sits beside a run: a comment on a record asked for it.
func away(r run.Run) bool {
	var in session.TurnInput
	return session.IsTurn(r.Kind) && json.Unmarshal(r.Input, &in) == nil && in.About != ""
}

// decide answers for a call of t, asked for as r says.
func (by Permitted) decide(t *tool.Tool, args json.RawMessage, r guard.Request) (tool.Act, guard.Decision) {
	if err := tool.Broken(t.Name, args); err != nil { // also where the tool leaves its arguments to others
		return tool.Act{}, guard.Decision{Verdict: guard.Deny, Rule: "misfit", Text: fault.TextOf(err)}
	}
	act, err := t.Amounts(args, by.Folders)
	if err != nil {
		return act, guard.Decision{Verdict: guard.Deny, Rule: "misfit", Text: fault.TextOf(err)}
	}
	r.Tool, r.Act = t.Spec, act
	r.ProjectName, r.Folders, r.Policy, r.Allowances, r.Unconfined, r.Links = by.ProjectName, by.Folders, by.Policy, by.Allowances, by.Unconfined, by.Links
	return act, guard.Decide(r)
}

// A Case is a call that somebody wants to know the answer for.
type Case struct {
	Agent   org.AgentID
	Tool    string
	Args    json.RawMessage
	Project string
	Who     guard.Caller
	Origins []string // where data came from that the run has seen
}

// Explain says what would be decided about a call, without making it.
func (g *Runner) Explain(ctx context.Context, c Case) (tool.Act, guard.Decision, error) {
	a, err := g.roster.Agent(ctx, c.Agent)
	if err != nil {
		return tool.Act{}, guard.Decision{}, err
	}
	t, ok := g.tools().Find(c.Tool)
	if !ok {
		return tool.Act{}, guard.Decision{}, fault.New(fault.NotFound, "%s", g.tools().Missing(c.Tool))
	}
	by, err := g.permitted(ctx, c.Agent, c.Project)
	if err != nil {
		return tool.Act{}, unread(err), nil
	}
	act, d := by.decide(t, c.Args, guard.Request{Agent: a, Who: c.Who, Project: c.Project, Origins: c.Origins})
	return act, d, nil
}

// onward says where a call may go on to, by the policy of the moment when it does.
func (l *loop) onward(p plan) tool.Onward {
	if p.tool == nil {
		return nil
	}
	asks := []org.Agent{l.t.agent}
	if l.child != nil {
		asks = append(asks, l.child.by)
	}
	r := guard.Request{Tool: p.tool.Spec, Act: p.act, Who: l.caller(), Message: l.policy, Project: l.s.Run.Project}
	return func(ctx context.Context, address string) error {
		by, err := l.g.permitted(ctx, l.agentID(), r.Project)
		if err != nil {
			return fault.Wrap(err, fault.Denied, "%s", unread(err).Text)
		}
		r := r
		r.ProjectName, r.Policy = by.ProjectName, by.Policy
		for _, r.Agent = range asks {
			if d := guard.Onward(r, address); d.Verdict != guard.Allow {
				return fault.New(fault.Denied, "%s", d.Text)
			}
		}
		return nil
	}
}

// unread denies while the policy cannot be read.
func unread(err error) guard.Decision {
	return guard.Decision{Verdict: guard.Deny, Rule: "no-policy", Text: "Nothing is permitted while the policy cannot be read. " + fault.TextOf(err)}
}

// permit puts the calls that need it to a person, all of an answer at once, and takes in
// what was answered.
func (l *loop) permit(ctx context.Context, i int, plans []plan) error {
	open := func() []*plan {
		var out []*plan
		for n := range plans {
			if _, known := l.known(i, plans[n]); !known && plans[n].verdict.Verdict == guard.Ask {
				out = append(out, &plans[n])
			}
		}
		return out
	}
	for k := 0; ; k++ {
		left := open()
		if len(left) == 0 {
			return nil
		}
		key := fmt.Sprintf("%s/ask%d", l.key(i), k)
		asked := l.s.Recorded(key)
		if !asked.Done {
			denied, err := l.askFor(ctx, key, left)
			if err != nil || !denied {
				return err
			}
			continue
		}
		q, _, err := approval.RequestedKind.Open(asked.Event)
		if err != nil {
			return fmt.Errorf("read question: %w", err)
		}
		if err := l.answered(ctx, q, left); err != nil {
			return err
		}
	}
}

// approver is the least role of who answers a question about the call: of an editor, of the tool, and of the policy the greatest.
func (p plan) approver() org.Role {
	out := org.Editor
	for _, role := range []org.Role{p.tool.Role, p.verdict.Approver} {
		if role.AtLeast(out) {
			out = role
		}
	}
	return out
}

// askFor records a question about calls and ends the segment, unless a hook denies the calls.
func (l *loop) askFor(ctx context.Context, key string, plans []*plan) (denied bool, err error) {
	q := approval.Request{
		ID: l.s.Mint().ID("apr"), Run: l.s.Run.ID, Kind: approval.ToolCalls, Step: key, Project: l.s.Run.Project, Role: org.Editor,
		Choices: []string{approval.Approve, approval.Refuse},
	}
	var wait time.Duration
	var names []string
	for _, p := range plans {
		a := l.question(ctx, p)
		if a.Shape != "" && !slices.Contains(q.Choices, approval.Always) {
			q.Choices = slices.Insert(q.Choices, 1, approval.Always)
		}
		if role := p.approver(); role.AtLeast(q.Role) {
			q.Role = role
		}
		wait = max(wait, p.verdict.Wait)
		names = append(names, p.tool.Name)
		q.Calls = append(q.Calls, a)
	}
	q.Tool = names[0]
	q.Detail = readable(plans[0].call.Args)
	q.Question = fmt.Sprintf("%s wants to call %s.", l.agentID().Name(), strings.Join(slices.Compact(names), ", "))
	if err := l.mayAsk(ctx, &q); err != nil {
		for _, p := range plans {
			p.verdict = guard.Decision{Verdict: guard.Deny, Rule: "hook", Text: fault.TextOf(err)}
		}
		return true, context.Cause(ctx)
	}
	q.Until = l.s.Mint().Now().Add(wait).UTC()
	if err := approval.Bind(&q); err != nil {
		return false, err
	}
	l.put(q, key)
	return false, &errWait{on: run.ForPerson + q.ID, until: q.Until, why: q.Question}
}

// put puts a question to a person: it is recorded with the waiting for the answer, or soon when
// children have something in hand.
func (l *loop) put(q approval.Request, key string) {
	l.s.Hold(run.AsStep(approval.RequestedKind.Draft(l.t.Place(l.s, run.Chela()), q), key, true))
}

// question shows one call to a person.
func (l *loop) question(ctx context.Context, p *plan) approval.Asked {
	args := object(p.call.Args)
	a := approval.Asked{
		Call: p.call.ID, Agent: string(l.agentID()), Tool: p.tool.Name, Risk: string(p.risk()), Args: args, Folder: p.act.Dir,
		Shown: p.act.Shown, Why: p.verdict.Text, Rule: p.verdict.Rule, Shape: p.verdict.Shape, Bound: p.bounds(),
	}
	if a.Folder == "" {
		a.Folder = p.folders.Base()
	}
	if a.Shown == "" {
		a.Shown = readable(args)
	}
	a.Shown = l.g.opts.Redact(ctx, a.Shown)
	a.Notes = append(confusable.Describe(a.Shown), runsNotes(a.Bound)...)
	if p.again != "" {
		a.Notes = append(a.Notes, "It is asked again: "+p.again)
	}
	a.Shown = confusable.Reveal(a.Shown)
	diff, err := p.tool.Preview(ctx, l.toolCall(0, *p))
	if err != nil {
		a.Notes = append(a.Notes, "What it would change cannot be shown: "+l.g.opts.Redact(ctx, fault.TextOf(err)))
	}
	diff = l.g.opts.Redact(ctx, diff)
	for _, n := range confusable.Describe(diff) {
		if !slices.Contains(a.Notes, n) {
			a.Notes = append(a.Notes, n)
		}
	}
	a.Diff = confusable.Reveal(head(diff, 64<<10))
	return a
}

// answer returns what a person answered, waits, or records that nobody did in time.
func (l *loop) answer(ctx context.Context, q approval.Request) (approval.Answer, error) {
	now, err := l.g.asked.Approval(ctx, q.ID)
	switch {
	case err != nil:
		return approval.Answer{}, err
	case now.Answer != nil:
		return *now.Answer, nil
	case l.s.Mint().Now().Before(q.Until):
		return approval.Answer{}, &errWait{on: run.ForPerson + q.ID, until: q.Until, why: q.Question}
	}
	_, err = l.s.Append(ctx, approval.Lapse(l.s.Run, q.ID))
	return approval.Answer{ID: q.ID, Choice: approval.Expired}, err
}

// answered settles the plans that a question asked about.
func (l *loop) answered(ctx context.Context, q approval.Request, plans []*plan) error {
	answer, err := l.answer(ctx, q)
	if err != nil {
		return err
	}
	for _, p := range plans {
		now := p.bounds()
		asked, ok := q.Of(p.call.ID, l.digest(p, now))
		switch {
		case !ok:
			if n := slices.IndexFunc(q.Calls, func(a approval.Asked) bool { return a.Call == p.call.ID }); n >= 0 {
				p.again = approval.Differ(q.Calls[n].Bound, now)
			}
		case answer.Allows(asked.Call):
			p.asked, p.bound = true, asked.Bound
			p.verdict = guard.Decision{Verdict: guard.Allow, Rule: "approved: " + q.ID}
		default:
			p.verdict = guard.Decision{Verdict: guard.Deny, Rule: "refused: " + q.ID, Text: refusal(p.tool.Name, answer)}
		}
	}
	return nil
}

// lookUp puts a call to a person whose answer is its result. ok is false when the tool is
// no such one.
func (l *loop) lookUp(ctx context.Context, i int, p plan) (res tool.Result, ok bool, err error) {
	q, ok, err := p.tool.Question(p.call.Args)
	if !ok || err != nil {
		return res, ok, err
	}
	key := l.callKey(i, p.n) + "/ask"
	asked := l.s.Recorded(key)
	if !asked.Done {
		r := approval.Request{
			ID: l.s.Mint().ID("apr"), Run: l.s.Run.ID, Kind: approval.LookUp, Step: key, Tool: p.tool.Name, Project: l.s.Run.Project, Role: p.tool.Role,
			Question: confusable.Reveal(q.Text), Detail: confusable.Reveal(q.Detail), Choices: []string{approval.Found, approval.Skip},
		}
		if err := l.mayAsk(ctx, &r); err != nil {
			return res, true, err
		}
		r.Until = l.s.Mint().Now().Add(q.Wait).UTC()
		l.put(r, key)
		return res, true, &errWait{on: run.ForPerson + r.ID, until: r.Until, why: r.Question}
	}
	r, _, err := approval.RequestedKind.Open(asked.Event)
	if err != nil {
		return res, true, fmt.Errorf("read question: %w", err)
	}
	answer, err := l.answer(ctx, r)
	switch {
	case err != nil:
		return res, true, err
	case answer.Choice == approval.Expired:
		return res, true, fault.New(fault.Unavailable, "Nobody looked it up in time.")
	case answer.Choice == approval.Skip:
		return res, true, fault.New(fault.Conflict, "A person chose not to look it up. %s", answer.Note)
	}
	return tool.Result{Text: answer.Note}, true, nil
}

// digest is what an approval of the call is bound to, which depends on what bound says; ""
// fits none.
func (l *loop) digest(p *plan, bound []approval.Bound) string {
	folder := p.act.Dir
	if folder == "" {
		folder = p.folders.Base()
	}
	d, err := approval.DigestOf(approval.Asked{Agent: string(l.agentID()), Tool: p.tool.Name, Args: object(p.call.Args), Folder: folder, Bound: bound})
	if err != nil {
		return ""
	}
	return d
}

func refusal(name string, a approval.Answer) string {
	switch {
	case a.Choice == approval.Expired:
		return fmt.Sprintf("Nobody approved %s in time, so it was not called. Do without it, or say what you need it for.", name)
	case a.Note != "":
		return fmt.Sprintf("A person denied %s: %s", name, a.Note)
	}
	return fmt.Sprintf("A person denied %s. Do without it, or ask what to do instead.", name)
}

// intend records that a call is about to be made.
func (l *loop) intend(ctx context.Context, i int, p plan) error {
	_, err := l.s.Append(ctx, l.intention(i, p)...)
	return err
}

// intention is what is recorded of a call before it is made.
func (l *loop) intention(i int, p plan) []event.Draft {
	d := tool.CallKind.Draft(l.t.Place(l.s, party(l.agentID())), tool.CallPayload{Tool: p.tool.Name, Args: object(p.call.Args), Call: p.call.ID, Risk: p.risk(), Rule: p.verdict.Rule})
	return []event.Draft{run.AsStep(d, l.callKey(i, p.n), false)}
}

// begun puts the intention of a call before its result when it is not recorded yet.
func (l *loop) begun(i int, p plan, drafts []event.Draft) []event.Draft {
	if l.s.Recorded(l.callKey(i, p.n)).Begun {
		return drafts
	}
	return append(l.intention(i, p), drafts...)
}

// readable writes arguments as people read them: & and < as such, whatever escapes a model used.
func readable(args json.RawMessage) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(object(args)))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return string(args)
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return string(args)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func object(args json.RawMessage) json.RawMessage {
	if len(args) == 0 {
		return json.RawMessage("{}")
	}
	return args
}

// Always drafts what is remembered of calls that a person allowed for always.
func Always(mint *event.Mint, by event.Party, calls []approval.Asked, project string) []event.Draft {
	id := mint.ID("run")
	at := event.Place{Stream: event.OrgStream, Thread: mint.ID("thr"), Run: id, Task: run.RootTask(run.ID(id)), From: by}
	var out []event.Draft
	for _, c := range calls {
		out = append(out, guard.AllowedKind.Draft(at, guard.Allowance{ID: mint.ID("alw"), Agent: org.AgentID(c.Agent), Project: project, Tool: c.Tool, Shape: c.Shape, Folder: c.RealFolder()}))
	}
	return out
}
