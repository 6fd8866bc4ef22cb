package intake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/agent"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/extract"
	"chela/internal/fault"
	"chela/internal/findings"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/run"
	"chela/internal/stream"
	"chela/internal/workflow"
)

// A phase is one row of the table that an intake plays. Rules come before the
// model that adds to them.
type phase struct {
	name    string
	agent   org.AgentID // whom the phase asks; none for rules alone
	timeout time.Duration
	when    func(extract.Routes) bool
	rules   func(*player, context.Context) (string, error)
	model   func(*player, context.Context) (string, error)
}

func always(extract.Routes) bool { return true }

func table() []phase {
	return []phase{
		{name: "memory", when: always, rules: (*player).remember},
		{name: "extract", when: always, rules: (*player).extract},
		{name: "triage", agent: "agent:intake-triage", timeout: 90 * time.Second, when: always, model: (*player).triage},
		{name: "hydration", agent: "agent:generalist", timeout: 300 * time.Second, when: always, model: (*player).hydrate},
		{name: "objectives", agent: "agent:objective-agent", timeout: 120 * time.Second, when: func(r extract.Routes) bool { return r.Tickets || r.Plan }, rules: (*player).coverage, model: (*player).objectives},
		{name: "reconcile", agent: "agent:reconcile-agent", timeout: 180 * time.Second, when: func(r extract.Routes) bool { return r.Tickets || r.Plan }, rules: (*player).drift, model: (*player).reconcile},
		{name: "resources", agent: "agent:resource-agent", timeout: 180 * time.Second, when: func(r extract.Routes) bool { return r.Resources || r.Tickets }, rules: (*player).capacity, model: (*player).resources},
	}
}

// plan is the table as an intake's record begins with it.
func plan() []desk.IntakePhase {
	var out []desk.IntakePhase
	for _, p := range table() {
		out = append(out, desk.IntakePhase{Name: p.name, Status: "pending", Agent: p.agent.Name()})
	}
	return out
}

// A player plays the phases of one intake in one segment of its run.
type player struct {
	in      *Intake
	s       *run.Segment
	id      string
	body    desk.IntakeBody
	sources []source
	mapping map[string]string    // that a person gave
	live    bool                 // it is what had changed in a tracker
	begun   time.Time            // when the intake was
	again   bool                 // an attempt that died, or failed, may have begun the phase
	seen    map[string]bool      // ids of the records that were counted in such a phase
	told    map[string]desk.Kind // what else than tickets the documents changed, by id
	asked   map[string]desk.Kind // of what else they say what a person has to decide
	routes  extract.Routes
	said    string // what triage answered
	survey  *findings.Survey
	end     event.Seq // of what was recorded last
	alone   bool      // nobody else recorded anything between that and what was recorded before it
}

// most is how many changes are recorded at once now.
func (p *player) most() int {
	if p.alone {
		return together
	}
	return amongOthers
}

// heed notes from what was recorded whether others write, too.
func (p *player) heed(recorded []event.Event) {
	if len(recorded) == 0 {
		return
	}
	p.alone = recorded[0].Seq == p.end+1
	p.end = recorded[len(recorded)-1].Seq
}

// Handle is the [run.Handler] of intakes.
func (in *Intake) Handle(ctx context.Context, s *run.Segment) (run.Outcome, error) {
	var i input
	if err := json.Unmarshal(s.Run.Input, &i); err != nil {
		return run.Outcome{}, fmt.Errorf("read the run's input: %w", err)
	}
	p := &player{in: in, s: s, id: i.Intake, again: i.Try > 1}
	if err := p.load(ctx); err != nil {
		return run.Outcome{}, err
	}
	return workflow.Play(ctx, definition(), p)
}

// definition is an intake as a workflow: a step for each phase that is not over, and its end.
func definition() workflow.Definition[*player] {
	d := workflow.Definition[*player]{Name: "intake", Failed: failed}
	for n, ph := range table() {
		d.Steps = append(d.Steps, workflow.Step[*player]{
			Name: ph.name,
			When: func(p *player) bool { return p.body.Phases[n].Status != "done" && p.body.Phases[n].Status != "skipped" },
			Do: func(p *player, ctx context.Context) (workflow.Next, error) {
				return workflow.Next{}, p.play(ctx, n, ph)
			},
		})
	}
	d.Steps = append(d.Steps, workflow.Step[*player]{Name: "end", Do: (*player).done})
	return d
}

// load reads the record and the documents; both are the same at every attempt.
func (p *player) load(ctx context.Context) error {
	r, err := p.in.clerk.Store().Record(ctx, p.id)
	if err != nil {
		return err
	}
	if p.body, err = desk.Open[desk.IntakeBody](r); err != nil {
		return err
	}
	p.begun, p.seen = r.CreatedAt, make(map[string]bool)
	if len(p.body.Phases) != len(table()) {
		return fault.New(fault.Internal, "The intake %s was begun by another version of Chela; hand the content in again.", p.id)
	}
	var problems []string
	c, err := p.in.content(p.body)
	if err != nil {
		return err
	}
	p.mapping, p.live = c.Mapping, c.Live != ""
	done, err := p.in.parse(ctx, c)
	if err != nil {
		return err
	}
	defer done()
	if p.sources, problems, err = p.in.documents(c); err != nil {
		return err
	}
	for _, x := range problems {
		if !slices.Contains(p.body.Problems, x) {
			p.body.Problems = append(p.body.Problems, x)
		}
	}
	for _, src := range p.sources {
		sig := extract.Signals(src.Text)
		m := p.read(src, func(string) {})
		p.routes.Tickets = p.routes.Tickets || sig.Tickets || len(src.Tables) > 0 || len(m.Actions) > 0
		p.routes.Plan = p.routes.Plan || sig.Plan || len(m.Goals)+len(m.Phases)+len(m.Milestones) > 0
		p.routes.Resources = p.routes.Resources || sig.Resources
	}
	if slices.ContainsFunc(p.body.Phases, func(ph desk.IntakePhase) bool { return ph.Name == "extract" && ph.Status == "done" }) {
		p.forget()
	}
	if r := p.s.Recorded("triage-result"); r.Done {
		got, ok, err := run.StepKind.Open(r.Event)
		if err == nil && ok {
			err = json.Unmarshal(got.Result, &p.said)
		}
		if err != nil {
			return fmt.Errorf("read triage: %w", err)
		}
		p.take(p.said)
	}
	return nil
}

// forget lets go of what is recorded.
func (p *player) forget() {
	for i := range p.sources {
		p.sources[i].forget()
	}
}

// play plays one phase and records how it ended.
func (p *player) play(ctx context.Context, n int, ph phase) error {
	if !ph.when(p.routes) {
		return p.mark(ctx, n, "skipped", "The content does not call for it.", "")
	}
	if ph.model != nil && len(p.sources) == 0 { // a model has nothing to go by
		return p.mark(ctx, n, "skipped", NothingRead, "")
	}
	ready := p.in.models.Ready() && !p.live
	if ph.model != nil && !ready {
		p.body.Modelless = !p.live
	}
	if p.live && (ph.rules == nil || ph.name == "memory") {
		return p.mark(ctx, n, "skipped", "What a tracker says of its issues is read by rules alone.", "")
	}
	if ph.model != nil && ph.rules == nil && !ready {
		return p.mark(ctx, n, "skipped", "No model is configured; the rules' result stands.", "")
	}
	p.again = p.again || p.body.Phases[n].Status == "running"
	if err := p.mark(ctx, n, "running", "", ""); err != nil {
		return err
	}
	var summary []string
	by := ""
	if ph.rules != nil {
		text, err := ph.rules(p, ctx)
		if err != nil {
			return err
		}
		summary, by = append(summary, text), "rules"
	}
	if ph.model != nil && ready {
		p.survey = nil // it may change what there is
		text, err := ph.model(p, ctx)
		switch {
		case unasked(ctx, err):
			p.body.Modelless = true
			summary = append(summary, "The model could not be asked: "+fault.TextOf(err)+" The rules' result stands; try the intake again with a model.")
		case err != nil:
			return err
		default:
			summary, by = append(summary, text), strings.TrimPrefix(by+" and model", " and ")
		}
	}
	if by == "" {
		return p.mark(ctx, n, "skipped", strings.Join(summary, " "), "")
	}
	return p.mark(ctx, n, "done", strings.Join(summary, " "), by)
}

// unasked reports whether err says that no model could be asked, as when it cannot be reached or takes too
// long: what the rules found stands then.
func unasked(ctx context.Context, err error) bool {
	if err == nil || context.Cause(ctx) != nil || errors.Is(err, run.ErrSuperseded) {
		return false
	}
	_, waits := agent.Waits(err)
	_, refused := errors.AsType[*model.Error](err)
	return !waits && (refused || fault.KindOf(err) == fault.Unavailable)
}

// mark records where a phase stands: in the log, in the record, on the page.
func (p *player) mark(ctx context.Context, n int, status, summary, by string) error {
	ph := &p.body.Phases[n]
	if ph.Status == status && status == "running" {
		return nil // begun by an attempt that died
	}
	ph.Status, ph.By = status, by
	if len(summary) > 600 {
		summary = strings.ToValidUTF8(summary[:600], "") + "…"
	}
	ph.Summary = summary
	if p.body.Status == desk.IntakeReceived || p.body.Status == desk.IntakeFailed {
		p.body.Status = desk.IntakeProcessing
	}
	at := p.s.Place(run.Chela())
	percent := n * 100 / len(p.body.Phases)
	progress := run.ProgressKind.Draft(at, run.TaskProgress{Status: ph.Name + " " + status, Progress: percent, Message: summary})
	p.in.hub.Publish(stream.Tick{Thread: p.s.Run.Thread, Run: string(p.s.Run.ID), Kind: "phase", Text: ph.Name + " " + status})
	return p.change(ctx, func(w *clerk.Work) error {
		_, err := clerk.Edit(w, desk.Intake, p.id, func(b *desk.IntakeBody) {
			b.Status, b.Phases, b.Problems, b.Modelless, b.Created, b.Changed = p.body.Status, p.body.Phases, p.body.Problems, p.body.Modelless, p.body.Created, p.body.Changed
			b.SourceType, b.ClassifiedAs = p.body.SourceType, p.body.ClassifiedAs
		})
		return err
	}, progress)
}

// made says whether an earlier attempt of this intake made a record with these sources.
func (p *player) made(r desk.Record, sources []desk.Source) bool {
	return p.again && !r.CreatedAt.Before(p.begun) && len(sources) > 0 && sources[0].Intake == p.id
}

// How many changes one transaction records: others write in between, and wait less for one when they do.
const (
	together    = 500
	amongOthers = 200
)

// change plans and records changes of records, in portions that let others write in
// between.
func (p *player) change(ctx context.Context, plan func(*clerk.Work) error, more ...event.Draft) error {
	commit := func(drafts []event.Draft) error {
		for left := slices.Concat(drafts, more); len(left) > 0; {
			n := min(p.most(), len(left))
			recorded, err := p.s.Append(ctx, left[:n]...)
			if err != nil {
				return err
			}
			left = left[n:]
			p.heed(recorded)
		}
		return nil
	}
	return p.in.clerk.Do(ctx, p.s.Place(run.Chela()), p.s.Run.Project, commit, func(w *clerk.Work) error {
		w.FromOutside()
		return plan(w)
	})
}

func failed(ctx context.Context, p *player, step string, cause error) (run.Outcome, error) {
	n := slices.IndexFunc(p.body.Phases, func(ph desk.IntakePhase) bool { return ph.Name == step })
	if n < 0 || context.Cause(ctx) != nil || errors.Is(cause, run.ErrSuperseded) {
		return run.Outcome{}, cause // the engine knows what to record
	}
	text := fault.TextOf(cause)
	p.body.Phases[n].Status, p.body.Phases[n].Summary = "failed", text
	err := p.change(ctx, func(w *clerk.Work) error {
		w.Settle()
		_, err := clerk.Edit(w, desk.Intake, p.id, func(b *desk.IntakeBody) { b.Status, b.Phases = desk.IntakeFailed, p.body.Phases })
		return err
	})
	if err != nil {
		return run.Outcome{}, errors.Join(cause, err)
	}
	return run.Outcome{}, fault.Wrap(cause, fault.KindOf(cause), "The phase %s failed: %s What came before it is kept; try the intake again.", step, text)
}

func (p *player) done(ctx context.Context) (workflow.Next, error) {
	err := p.change(ctx, func(w *clerk.Work) error {
		_, err := clerk.Edit(w, desk.Intake, p.id, func(b *desk.IntakeBody) { b.Status = desk.IntakeDispatched })
		return err
	})
	if err != nil {
		return workflow.Next{}, err
	}
	raw, err := json.Marshal(p.body.Created)
	if err != nil {
		return workflow.Next{}, fmt.Errorf("encode result: %w", err)
	}
	at := p.s.Place(run.Chela())
	at.Key = string(p.s.Run.ID) + "/end"
	return workflow.End(run.Outcome{State: run.Done, Result: raw, Drafts: []event.Draft{
		run.ResultKind.Draft(at, run.TaskResult{Success: true, Output: raw, Summary: "The content is taken in."}),
	}}), nil
}

// ask lets the phase's agent work, with what the rules found and the content.
func (p *player) ask(ctx context.Context, ph int, instruction string) (string, error) {
	t := table()[ph]
	var b strings.Builder
	b.WriteString(instruction)
	b.WriteString("\n\n")
	b.WriteString(prompt.Data("what rules found and recorded", p.findings()))
	left := 15_000 // tokens
	for _, src := range p.sources {
		text := prompt.Trim(src.text(), left)
		left = max(left-prompt.Estimate(text), 0)
		b.WriteString("\n\n")
		b.WriteString(prompt.Data(src.doc.Name, text))
	}
	var form *agent.Form
	if t.name == "triage" {
		form = &agent.Form{Schema: prompt.TriageSchema(), Check: func(text string) error {
			_, err := prompt.ParseTriage(text)
			return err
		}}
	}
	return p.in.agents.Pipeline(ctx, p.s, t.name, t.agent, b.String(), "Intake: "+t.name, form, t.timeout)
}

// text is a document as a model is shown it.
func (s source) text() string {
	if s.Text != "" {
		return s.Text
	}
	var b strings.Builder
	for i, t := range s.Tables {
		fmt.Fprintf(&b, "Table %s, %d rows. Columns: %s\n", t.Sheet, s.count(i), strings.Join(t.Header, " | "))
		for _, r := range t.Rows[:min(len(t.Rows), shownRows)] {
			fmt.Fprintf(&b, "%.400s\n", strings.Join(r.Cells, " | "))
		}
	}
	return b.String()
}

func (p *player) triage(ctx context.Context) (string, error) {
	text, err := p.ask(ctx, 2, "Say what this content is and which phases it needs.")
	if err != nil {
		return "", err
	}
	p.said, err = run.Step(ctx, p.s, "triage-result", func(context.Context) (string, error) { return text, nil })
	if err != nil {
		return "", err
	}
	t, ok := p.take(p.said)
	if !ok {
		return "The triage did not answer in the form it has to; the rules' routes stand.", nil
	}
	p.body.ClassifiedAs = t.Type
	return fmt.Sprintf("%s, confidence %.2f, %d topics.", t.Type, t.Confidence, len(t.Topics)), nil
}

// take adds a triage's routes to the rules'; it can only turn routes on.
func (p *player) take(text string) (prompt.Triage, bool) {
	t, err := prompt.ParseTriage(text)
	if err != nil {
		return t, false
	}
	p.routes.Tickets = p.routes.Tickets || t.Routes.Tickets
	p.routes.Plan = p.routes.Plan || t.Routes.Plan
	p.routes.Resources = p.routes.Resources || t.Routes.Resources
	return t, true
}

func (p *player) hydrate(ctx context.Context) (string, error) {
	return p.ask(ctx, 3, "Fill the desk from this content. Add what the rules missed.\nThe triage said:\n"+prompt.Data("triage", p.said))
}

func (p *player) objectives(ctx context.Context) (string, error) {
	return p.ask(ctx, 4, "Check the project's objectives against this content: create those it commits to, link the tickets that serve them, and report coverage.")
}

func (p *player) reconcile(ctx context.Context) (string, error) {
	return p.ask(ctx, 5, "Find where the records and this content disagree, beyond what the rules found.")
}

func (p *player) resources(ctx context.Context) (string, error) {
	return p.ask(ctx, 6, "Report who has room and who has too much, and suggest who should take the open tickets without anybody. Do not assign.")
}
