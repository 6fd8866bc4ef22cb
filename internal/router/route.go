package router

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"chela/internal/agent"
	"chela/internal/definition"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/intent"
	"chela/internal/library"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
)

// Party is the router as a sender.
func Party() event.Party { return event.Party{AgentID: "agent:router", Role: "agent"} }

// Agent is the router as who answers a message.
func Agent() org.Agent {
	return org.Agent{
		Card:    org.Card{AgentID: "agent:router", Display: org.Display{Name: "Router"}},
		Profile: org.Profile{Kind: org.Checker, Enabled: true, Prompt: modelSystem},
	}
}

// An Ask is a message that a run answers.
type Ask struct {
	Segment *run.Segment
	Scope   *agent.Scope
	Thread  session.Thread
	Message session.Message
	Last    string // what agents answered last before the message
	// Now is what an earlier message of the conversation says by now, nothing when it was taken back; ok is false for one
	// that is not known.
	Now func(id string) (text string, ok bool)
}

// by is who said the message.
func (a Ask) by() event.Party {
	return a.Message.By()
}

// step is the key of the decision about the message.
func (a Ask) step() string { return "router/" + a.Message.ID }

// An Answer is what the router says to a message; without Replies it is answered as ever.
type Answer struct {
	Replies bool
	Text    string
}

// Route decides about a message and does it: it begins the workflow, or asks. What was decided before a crash
// stands. While no workflow may be begun by a message it costs nothing.
func (r *Router) Route(ctx context.Context, a Ask) (Answer, error) {
	shelf, err := r.current(ctx)
	if err != nil {
		return Answer{}, err
	}
	if rec := a.Segment.Recorded(a.step()); rec.Done {
		d, ok, err := DecidedKind.Open(rec.Event)
		if err != nil || !ok {
			return Answer{}, fmt.Errorf("read a decision of the router: %w", err)
		}
		return r.act(ctx, a, d)
	}
	if shelf.index == nil || org.PersonOf(a.by()) == "" || a.Message.Message == "" {
		return Answer{}, nil
	}
	role, err := r.Members.RoleOf(ctx, a.by())
	if err != nil || !role.AtLeast(org.Editor) { // who may begin none is not asked about any
		return Answer{}, err
	}
	now, err := r.Store.RouterSession(ctx, a.Thread.ID, a.Message.Actor)
	if err != nil {
		return Answer{}, err
	}
	f, err := r.facts(ctx, a.by(), a.Thread.Project, a.Message)
	if err != nil {
		return Answer{}, err
	}
	d, err := r.decide(ctx, &a, shelf, now, Said{ID: a.Message.ID, Text: a.Message.Message, By: a.by(), Facts: f})
	if err != nil {
		return Answer{}, err
	}
	if err := r.record(ctx, a, now, d); err != nil {
		return Answer{}, err
	}
	return r.act(ctx, a, d)
}

// facts are what is known where a message was said. A key that reaches one project names no other.
func (r *Router) facts(ctx context.Context, by event.Party, project string, m session.Message) (Facts, error) {
	f := Facts{At: m.At, Project: project, Projects: make(map[string]string)}
	persons, err := r.People.Persons(ctx)
	if err != nil {
		return f, err
	}
	for _, p := range persons {
		if !p.Enabled {
			continue
		}
		f.Persons = append(f.Persons, p.Name)
		if p.ID == org.PersonOf(by) {
			f.Sender = p.Name
		}
	}
	only := ""
	if by.Key != "" {
		k, err := r.Members.Key(ctx, by.Key)
		if err != nil {
			return f, err
		}
		only = k.Project
	}
	projects, err := r.Projects.Projects(ctx)
	for _, p := range projects {
		if only != "" && p.ID != only {
			continue
		}
		thing, err := desk.Decode(p)
		if err != nil {
			return f, err
		}
		if body, ok := thing.(*desk.ProjectBody); ok {
			f.Projects[body.Name] = p.ID
		}
	}
	if only != "" && project != only {
		f.Project = ""
	}
	return f, err
}

// decide says what becomes of a message. A nil ask decides without a model.
func (r *Router) decide(ctx context.Context, a *Ask, shelf *shelf, now Session, s Said) (Decided, error) {
	list := shelf.index.Match(s.Text, shortest)
	g := now.Gathering
	if g == nil && cancels(s.Text) && now.Plan != nil && (now.Plan.State == Executing || now.Plan.State == Paused) {
		p := now.Plan
		return Decided{Message: s.ID, Cancels: p.Run, Decision: Decision{Kind: Cancelled, Slug: p.Slug, Version: p.Version, Name: p.Name, Confidence: 1, By: byPerson, Reason: "Its sender says so.", Question: fmt.Sprintf("**%s** is cancelled.", p.Name)}}, nil
	}
	if g == nil {
		return r.anew(ctx, a, shelf, s, list)
	}
	w, deployed := shelf.bySlug[g.Slug]
	switch {
	case cancels(s.Text):
		return g.cancelled(s), nil
	case !deployed:
		return r.anew(ctx, a, shelf, s, list) // it was retired meanwhile
	}
	g.Version, g.Values = w.Number, maps.Clone(g.Values)
	if g.Values == nil {
		g.Values = make(map[string]Value)
	}
	if a != nil {
		g.revise(w, s.Facts, a.Now)
	}
	if g.Confirming {
		if d, ok := g.confirmed(s, w); ok {
			return d, nil
		}
		return r.anew(ctx, a, shelf, s, list)
	}
	found := len(g.copy().found(s, w))
	if g.other(list, found) {
		return r.anew(ctx, a, shelf, s, list)
	}
	whole := g.copy()
	d, settled := g.answers(s, w)
	if settled || a == nil || !r.Model() {
		return d, nil
	}
	more, err := r.askInputs(ctx, *a, w, whole, s)
	if err != nil || more == nil || found > 0 && more.Meaning == "other" { // what the rules found was said
		return d, err
	}
	return whole.told(s, w, *more), nil
}

// shortest is how many workflows a model chooses from.
const shortest = 5

// anew decides about a message of somebody from whom nothing is gathered.
func (r *Router) anew(ctx context.Context, a *Ask, shelf *shelf, s Said, list []intent.Match) (Decided, error) {
	if answersOnly(s.Text) && (len(list) == 0 || !strings.EqualFold(strings.TrimSpace(s.Text), list[0].Nearest)) {
		return Decided{Message: s.ID, Decision: Decision{Kind: Direct, By: byCode, Shortlist: list, Reason: "It answers something, and asks for nothing."}}, nil
	}
	o := first(list)
	if a != nil && len(list) > 0 && list[0].Confidence >= Near && r.Model() {
		var err error
		if o, err = r.ask(ctx, *a, shelf, s, list, o); err != nil {
			return Decided{}, err
		}
	}
	d := fresh(s, o, shelf.bySlug[o.slug], list)
	if d.Kind != Confirm || r.Records == nil || r.Model() {
		return d, nil
	}
	_, whole, err := r.Records(ctx, s.By, s.Facts.Project, s.Text)
	if err != nil || !whole {
		return d, err
	}
	return Decided{Message: s.ID, Decision: Decision{Kind: Direct, Confidence: o.confidence, By: o.by, Shortlist: list, Reason: o.reason + " The records answer it."}}, nil
}

// copy is a gathering that may be changed.
func (g *Gathering) copy() *Gathering {
	out := *g
	out.Values, out.Heard = maps.Clone(g.Values), append([]Heard(nil), g.Heard...)
	return &out
}

// found are the inputs that a text gives by rules that need no question.
func (g *Gathering) found(s Said, w offered) map[string]Value {
	out := Extract(s.Text, w.Inputs, nil, s.Facts)
	for name, v := range out {
		if v.How == "conversation" {
			delete(out, name)
		}
	}
	return out
}

// record writes a decision and the moves of the session. A decision to answer as ever changes nothing for others, so it waits for
// what is recorded next.
func (r *Router) record(ctx context.Context, a Ask, now Session, d Decided) error {
	at := a.Segment.Place(Party())
	drafts := []event.Draft{run.AsStep(DecidedKind.Draft(at, d), a.step(), true)}
	if d.Kind == Direct && now.Gathering == nil {
		a.Segment.Hold(drafts...)
		return nil
	}
	err := r.change(ctx, a, func(now Session) []event.Draft {
		s, c := now.move(Routing)
		drafts := append(drafts, ChangedKind.Draft(at, c))
		s.Gathering = d.Gathering
		next := s.after()
		if d.Kind == Trigger {
			next = Planning
			s.Plan = &Plan{ID: fmt.Sprintf("%s@%d", d.Slug, d.Version), Slug: d.Slug, Version: d.Version, Name: d.Name, Variables: make(map[string]string), State: Planning}
			for name, v := range d.Inputs {
				s.Plan.Variables[name] = definition.Text(v.Value)
			}
		}
		_, c = s.move(next)
		return append(drafts, ChangedKind.Draft(at, c))
	})
	if err == nil && (d.Accepted != "" || d.Declined != "") {
		r.learnt.Store(true)
	}
	return err
}

// change records what fn makes of the session as it stands.
func (r *Router) change(ctx context.Context, a Ask, fn func(now Session) []event.Draft) error {
	var recorded []event.Event
	err := r.within(ctx, a.Segment, func(tx Tx) error {
		tx.Hold(event.ThreadStream(a.Thread.ID))
		now, err := tx.RouterSession(a.Thread.ID, a.Message.Actor)
		if err != nil {
			return err
		}
		recorded, err = tx.Append(fn(now)...)
		return err
	})
	if err == nil {
		a.Segment.Note(recorded...)
	}
	return err
}

// act does what was decided.
func (r *Router) act(ctx context.Context, a Ask, d Decided) (Answer, error) {
	switch d.Kind {
	case Direct:
		return Answer{}, nil
	case Cancelled:
		if d.Cancels != "" {
			err := r.Runs.Write(ctx, func(b *run.Batch) error {
				return b.Cancel(d.Cancels, a.by(), "Its sender cancelled it in the conversation.")
			})
			if err != nil && fault.KindOf(err) != fault.Conflict { // it is over already
				return Answer{}, err
			}
			undo, err := r.Library.Undo(ctx, a.by(), d.Cancels)
			if err == nil {
				d.Question += fmt.Sprintf(" What it had done is undone by %s.", undo)
			} else if fault.KindOf(err) != fault.Conflict { // nothing is to be undone
				return Answer{}, err
			}
		}
	case Clarify, Confirm:
	case Trigger:
		return r.begin(ctx, a, d)
	}
	return Answer{Replies: true, Text: d.Question}, nil
}

// begun is the result of the step that begins an instance.
type begun struct {
	Run    run.ID `json:"run,omitempty"`
	Failed string `json:"failed,omitempty"` // why none began, a sentence
}

// begin begins the instance, once.
func (r *Router) begin(ctx context.Context, a Ask, d Decided) (Answer, error) {
	key := a.step() + "/begin"
	b, err := run.Step(ctx, a.Segment, key, func(ctx context.Context) (begun, error) {
		inputs := make(map[string]any, len(d.Inputs))
		for name, v := range d.Inputs {
			inputs[name] = v.Value
		}
		id, err := r.Library.Start(ctx, library.Start{
			Slug: d.Slug, Version: d.Version, Inputs: inputs, Project: a.Thread.Project, By: a.by(), Key: a.step(), Origins: a.Message.Origins, Trace: run.TraceOf(ctx),
		})
		if library.Asked(err) {
			e, err := r.Log.ByKey(ctx, a.by().AgentID, "workflow/"+a.step())
			return begun{Run: run.ID(e.Message.RunID)}, err
		}
		var f *fault.Error
		if errors.As(err, &f) && fault.KindOf(err) != fault.Internal {
			return begun{Failed: told(f)}, nil
		}
		return begun{Run: id}, err
	})
	if err != nil {
		return Answer{}, err
	}
	if err := r.executing(ctx, a, b); err != nil {
		return Answer{}, err
	}
	if b.Failed != "" {
		return Answer{Replies: true, Text: fmt.Sprintf("**%s** could not begin. %s", d.Name, b.Failed)}, nil
	}
	text := fmt.Sprintf("I run **%s**", d.Name)
	if shelf := r.shelf.Load(); shelf != nil {
		if w, ok := shelf.bySlug[d.Slug]; ok && len(d.Inputs) > 0 {
			text += " with:" + with(w, d.Inputs)
		}
	}
	return Answer{Replies: true, Text: text + fmt.Sprintf("\n\nIt is the instance %s. I tell you how it ends; “cancel” ends it now.", b.Run)}, nil
}

// told is an error with what is wrong with each field.
func told(f *fault.Error) string {
	text := f.Text
	for _, one := range f.Fields {
		text += " " + one.Text
	}
	return text
}

// executing records that the instance began, once.
func (r *Router) executing(ctx context.Context, a Ask, b begun) error {
	key := a.step() + "/executing"
	if a.Segment.Recorded(key).Done {
		return nil
	}
	return r.change(ctx, a, func(now Session) []event.Draft {
		if now.State != Planning || now.Plan == nil {
			return nil
		}
		next, plan := Executing, *now.Plan
		if plan.Run = b.Run; b.Failed != "" {
			next = Failed
		}
		plan.State, now.Plan = next, &plan
		_, c := now.move(next)
		return []event.Draft{run.AsStep(ChangedKind.Draft(a.Segment.Place(Party()), c), key, true)}
	})
}

// Look says what would become of a text, without a model; nothing is recorded.
func (r *Router) Look(ctx context.Context, by event.Party, project, thread, text string) (Decision, error) {
	shelf, err := r.current(ctx)
	if err != nil {
		return Decision{}, err
	}
	role, err := r.Members.RoleOf(ctx, by)
	switch {
	case err != nil:
		return Decision{}, err
	case shelf.index == nil:
		return Decision{Kind: Direct, By: byCode, Reason: "No deployed workflow has a message trigger, so every message is answered."}, nil
	case !role.AtLeast(org.Editor):
		return Decision{Kind: Direct, By: byCode, Reason: "Its sender may begin no workflow, so it is answered."}, nil
	}
	var now Session
	if thread != "" {
		if now, err = r.Store.RouterSession(ctx, thread, by.AgentID); err != nil {
			return Decision{}, err
		}
	}
	f, err := r.facts(ctx, by, project, session.Message{At: r.Runs.Now()})
	if err != nil {
		return Decision{}, err
	}
	d, err := r.decide(ctx, nil, shelf, now, Said{Text: text, By: by, Facts: f})
	if err == nil && len(d.Shortlist) > 0 && d.Shortlist[0].Confidence >= Near && r.Model() {
		d.Reason += " In a conversation a model is asked about the shortlist."
	}
	return d.Decision, err
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// raw encodes what is shown to a model.
func raw(v any) string {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		panic("router: what a model is shown is always JSON: " + err.Error())
	}
	return string(b)
}
