package instance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"chela/internal/agent"
	"chela/internal/definition"
	"chela/internal/disk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/prompt"
	"chela/internal/run"
)

// A player plays one segment of an instance.
type player struct {
	h     *Handler
	s     record
	spec  run.Run
	sc    *agent.Scope // nil in a test
	in    Input
	def   *definition.Compiled
	given *answers // in a test: what steps give

	undone string // what could not be compensated, sentences

	mu   sync.Mutex // guards done and touched
	done []doneStep // steps that can be compensated, in the order in which they ended

	touched map[string]*disk.Changes // what the work on a try did to files, for its contract
}

// A record is what a player knows of its instance and adds to it; [run.Segment] is one.
type record interface {
	Recorded(key string) run.Recorded
	Steps(fits func(key string) bool) []run.Recorded
	Hold(drafts ...event.Draft)
	Place(from event.Party) event.Place
	Mint() *event.Mint
}

type doneStep struct {
	node *definition.Node
	path string
	vars definition.Vars
}

// mostParts is how deep workflows may play workflows.
const mostParts = 4

// whole plays a workflow with inputs; prefix is the path of the step that it is a part of.
func (p *player) whole(ctx context.Context, c *definition.Compiled, prefix string, inputs map[string]any, depth int) (any, error) {
	if depth > mostParts {
		return nil, fault.New(fault.Invalid, "Workflows play each other deeper than %d.", mostParts)
	}
	began := p.spec.CreatedAt.UTC()
	vars := definition.Vars{
		"inputs": inputs, "errors": map[string]any{},
		"run": map[string]any{"id": string(p.spec.ID), "project": p.spec.Project, "by": p.spec.By.AgentID, "started": began.Format(time.RFC3339), "date": began.Format(time.DateOnly)},
	}
	g := &playing{player: p, graph: c.Graph, prefix: prefix, vars: vars, depth: depth}
	last, err := g.play(ctx)
	if err != nil || c.Result == nil {
		return last, err
	}
	out, err := c.Result.Eval(ctx, g.vars)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The output of %s cannot be computed: %s.", c.Slug, err)
	}
	return out, nil
}

// playing is a graph being played.
type playing struct {
	*player

	graph  *definition.Graph
	prefix string          // of the paths of its steps
	vars   definition.Vars // written between steps only
	depth  int             // of workflows in workflows

	steps []standing
	waits *waits
	err   error // of the first step that failed and is not handled
}

// standing is where a step of the graph stands.
type standing struct {
	state  State // empty before it is begun
	output any
}

type ended struct {
	node   int
	state  State
	output any
	err    error
}

// play does the steps, those that do not need each other beside each other, and returns what the last
// of the file that was done gave.
func (g *playing) play(ctx context.Context) (any, error) {
	g.steps = make([]standing, len(g.graph.Nodes))
	for _, n := range g.graph.Nodes {
		g.vars[n.ID] = nil
	}
	results := make(chan ended)
	inHand := 0
	for {
		if g.err == nil && context.Cause(ctx) == nil {
			inHand += g.begin(ctx, results, g.h.opts.Parallel-inHand)
		}
		if inHand == 0 {
			break
		}
		g.take(<-results)
		inHand--
	}
	switch {
	case context.Cause(ctx) != nil:
		return nil, context.Cause(ctx)
	case g.err != nil:
		return nil, g.err
	case g.waits != nil:
		return nil, g.waits
	}
	var last any
	for _, s := range g.steps {
		if s.state == Done {
			last = s.output
		}
	}
	return last, nil
}

// begin begins steps that are ready, as many as there is room for, and settles those that are skipped.
func (g *playing) begin(ctx context.Context, results chan<- ended, room int) int {
	begun := 0
	for again := true; again; {
		again = false
		for i, n := range g.graph.Nodes {
			if g.steps[i].state != "" {
				continue
			}
			settled, reached := g.reached(n)
			switch {
			case !settled || reached && g.left(n):
			case !reached:
				g.skip(n, i)
				again = true
			case begun < room:
				g.steps[i].state = Started
				begun++
				vars := maps.Clone(g.vars)
				go func() {
					state, output, err := g.step(ctx, n, g.prefix+n.ID, vars)
					results <- ended{i, state, output, err}
				}()
			}
		}
	}
	return begun
}

// reached reports whether all that a step needs has ended, and whether any of it leads to the step.
func (g *playing) reached(n *definition.Node) (settled, reached bool) {
	reached = len(n.Needs) == 0
	for _, need := range n.Needs {
		s := g.steps[need.Node]
		if !s.state.Ended() {
			return false, false
		}
		switch {
		case need.Outcome == definition.Failed:
			reached = reached || s.state == Failed
		case s.state == Done && need.Outcome != "":
			m, _ := s.output.(map[string]any)
			reached = reached || m["case"] == need.Outcome
		default:
			reached = reached || s.state == Done || s.state == Passed && need.Outcome == ""
		}
	}
	return true, reached
}

// skip records that nothing led to a step.
func (g *playing) skip(n *definition.Node, i int) {
	g.steps[i].state = Skipped
	path := g.prefix + n.ID
	if !g.s.Recorded(stepKey(path)).Done {
		g.hold(path, Step{Path: path, Kind: n.Kind, Title: n.Title, State: Skipped}, stepKey(path), true)
	}
}

// take takes in how a step ended.
func (g *playing) take(e ended) {
	n := g.graph.Nodes[e.node]
	if w, ok := waiting(e.err); ok {
		g.steps[e.node].state = Waiting
		if g.waits == nil {
			g.waits = &waits{}
		}
		g.waits.all = append(g.waits.all, w.all...)
		return
	}
	if e.err != nil && e.state == "" { // the work was stopped, or the store failed
		g.steps[e.node].state = Waiting
		if g.err == nil {
			g.err = e.err
		}
		return
	}
	g.steps[e.node] = standing{e.state, e.output}
	g.vars[n.ID] = e.output
	if e.state == Failed {
		errs := maps.Clone(g.vars["errors"].(map[string]any)) //nolint:forcetypeassert // set by whole
		errs[n.ID] = fault.TextOf(e.err)
		g.vars["errors"] = errs
		if !n.Handled && g.err == nil {
			g.err = stepFailed(g.prefix+n.ID, e.err)
		}
	}
	if e.state == Done && n.Compensate != nil {
		g.mu.Lock()
		g.done = append(g.done, doneStep{n, g.prefix + n.ID, maps.Clone(g.vars)})
		g.mu.Unlock()
	}
}

func stepKey(path string) string { return "step/" + path }

// hold records a step together with what is recorded next, or soon.
func (p *player) hold(path string, step Step, key string, done bool) {
	p.s.Hold(p.draft(path, step, key, done))
}

// draft is what is recorded of a step under a key.
func (p *player) draft(path string, step Step, key string, done bool) event.Draft {
	step.Path = path
	if p.sc != nil {
		step.From = p.sc.Origins()
	}
	return run.AsStep(StepKind.Draft(p.s.Place(run.Chela()), step), key, done)
}

// recorded is a step as it is recorded under a key.
func (p *player) recorded(key string) (Step, bool, error) {
	r := p.s.Recorded(key)
	if !r.Done {
		return Step{}, false, nil
	}
	step, ok, err := StepKind.Open(r.Event)
	if err == nil && !ok {
		err = errors.New("it is another event")
	}
	if err != nil {
		return step, false, fmt.Errorf("read step %s: %w", key, err)
	}
	if p.sc != nil {
		p.sc.Saw(step.From)
	}
	return step, true, nil
}

// maxOutput is how large what a step gives may be, in bytes.
const maxOutput = 256 << 10

// step does a step, again where it may, and returns how it ended. An error without a state means that
// the work was stopped.
func (g *playing) step(ctx context.Context, n *definition.Node, path string, vars definition.Vars) (State, any, error) {
	if was, ok, err := g.recorded(stepKey(path)); err != nil {
		return "", nil, err
	} else if ok {
		output, err := definition.Read(was.Output)
		switch {
		case was.State == Failed && was.Unproven:
			err = &unproven{was.Error}
		case was.State == Failed:
			err = fault.New(fault.Conflict, "%s", was.Error)
		}
		return was.State, output, err
	}
	told := Step{Kind: n.Kind, Title: n.Title}
	if yes, err := n.When.True(ctx, vars); err != nil {
		return g.failed(ctx, path, told, fault.Wrap(err, fault.Invalid, "%s.", err))
	} else if !yes {
		told.State = Passed
		g.hold(path, told, stepKey(path), true)
		return Passed, nil, nil
	}
	if !g.s.Recorded(stepKey(path)).Begun {
		begun := told
		begun.State = Started
		g.hold(path, begun, stepKey(path), false)
	}
	for attempt := 1; ; attempt++ {
		told.Attempt = attempt
		key := fmt.Sprintf("%s/try%d", stepKey(path), attempt)
		if was, ok, err := g.recorded(key); err != nil {
			return "", nil, err
		} else if ok { // it failed before
			if wait := g.later(path, was); wait != nil {
				return "", nil, wait
			}
			continue
		}
		output, err := g.reviewed(ctx, n, path, attempt, vars)
		if _, waits := waiting(err); waits {
			return "", nil, err
		}
		if err != nil && (context.Cause(ctx) != nil || errors.Is(err, run.ErrSuperseded)) {
			return "", nil, err
		}
		if err == nil {
			return g.ended(ctx, path, told, output)
		}
		if attempt > n.Retry.Times {
			return g.failed(ctx, path, told, err)
		}
		told.State, told.Error = Retrying, g.h.opts.Redact(ctx, fault.TextOf(err))
		told.Until = g.s.Mint().Now().Add(n.Retry.Wait.Std() << (attempt - 1)).UTC()
		g.hold(path, told, key, true)
		if wait := g.later(path, told); wait != nil {
			return "", nil, wait
		}
		told.Until = time.Time{}
	}
}

// later is the error of a step that failed and is tried again when its time has come; nil when it has.
func (p *player) later(path string, failed Step) error {
	if !p.s.Mint().Now().Before(failed.Until) {
		return nil
	}
	return waitsFor(run.Outcome{WaitsFor: run.ForTime, Until: failed.Until, Reason: "The step " + path + " is tried again. " + failed.Error})
}

// A try is one time that a step is done: an attempt, and in it a round of its review.
type try struct {
	path    string
	attempt int    // from 1
	round   int    // from 0
	last    string // what the round before gave
	refused string // why that did not do
}

// key tells the steps of the try from those of others.
func (t try) key() string {
	key := t.work()
	if t.round > 0 {
		key += fmt.Sprintf("~%d", t.round)
	}
	return key
}

// work is what all rounds of the try have in common.
func (t try) work() string { return fmt.Sprintf("%s#%d", t.path, t.attempt) }

// again is what a worker is told of the round before.
func (t try) again() string {
	if t.refused == "" {
		return ""
	}
	return "\n\nYou did this before, and it was not accepted.\n" + prompt.Data("your last result", t.last) + "\n" + prompt.Data("why it was not accepted", t.refused) + "\nDo it better."
}

// try does a step once, within its time.
func (g *playing) try(ctx context.Context, n *definition.Node, t try, vars definition.Vars) (any, error) {
	if limit := n.Timeout.Std(); limit > 0 && n.Kind != definition.Wait {
		work, cancel := context.WithTimeoutCause(ctx, limit, fault.New(fault.Unavailable, "It did not end within %s.", limit))
		defer cancel()
		out, err := g.do(work, n, t, vars)
		if err != nil && context.Cause(work) != nil && context.Cause(ctx) == nil {
			err = context.Cause(work)
		}
		return out, err
	}
	return g.do(ctx, n, t, vars)
}

// ended records that a step was done.
func (g *playing) ended(ctx context.Context, path string, told Step, output any) (State, any, error) {
	raw, err := json.Marshal(definition.Kept(output))
	if err != nil {
		return g.failed(ctx, path, told, fault.Wrap(err, fault.Invalid, "What it gave cannot be recorded."))
	}
	if len(raw) > maxOutput {
		return g.failed(ctx, path, told, fault.New(fault.TooLarge, "What it gave has %d bytes; a step gives at most %d.", len(raw), maxOutput))
	}
	told.State, told.Output, told.Error = Done, g.s.Mint().Masked(raw), ""
	g.hold(path, told, stepKey(path), true)
	output, err = definition.Read(told.Output) // as a later segment reads it
	return Done, output, err
}

// failed records that a step failed.
func (g *playing) failed(ctx context.Context, path string, told Step, why error) (State, any, error) {
	var short *unproven
	told.State, told.Error, told.Unproven = Failed, g.h.opts.Redact(ctx, fault.TextOf(why)), errors.As(why, &short)
	g.hold(path, told, stepKey(path), true)
	return Failed, nil, why
}

// undo compensates the steps that were done, the last first. What fails is told and left.
func (p *player) undo(ctx context.Context) error {
	for i := len(p.done) - 1; i >= 0; i-- {
		d := p.done[i]
		key := "undo/" + d.path
		if was, ok, err := p.recorded(key); err != nil {
			return err
		} else if ok {
			p.noteUndone(d.path, was.Error)
			continue
		}
		told := Step{Kind: d.node.Kind, Title: d.node.Title, State: Undone}
		args, err := d.node.Undo.Eval(ctx, d.vars)
		if err == nil {
			_, err = p.call(ctx, d.node.Compensate, args, key+"#1", "Undo "+d.path)
		}
		if w, ok := waiting(err); ok {
			return w
		}
		if err != nil && (context.Cause(ctx) != nil || errors.Is(err, run.ErrSuperseded)) {
			return err
		}
		if err != nil {
			told.Error = p.h.opts.Redact(ctx, fault.TextOf(err))
		}
		p.noteUndone(d.path, told.Error)
		p.hold(d.path, told, key, true)
	}
	return nil
}

func (p *player) noteUndone(path, why string) {
	if why != "" {
		p.undone += fmt.Sprintf("The step %s could not be undone: %s ", path, why)
	}
}

// Top is the step of the workflow itself that a path lies in: each of each[2].write.
func Top(path string) string {
	if cut := strings.IndexAny(path, ".[#"); cut >= 0 {
		return path[:cut]
	}
	return path
}

// Taken drafts a step that an instance takes over from another.
func Taken(at event.Place, s Step) event.Draft {
	return run.AsStep(StepKind.Draft(at, s), stepKey(s.Path), true)
}

// stepFailed says that an instance fails because a step did.
func stepFailed(path string, why error) error {
	var short *unproven
	if errors.As(why, &short) {
		return &unproven{fmt.Sprintf("The step %s is unproven: %s", path, short.why)}
	}
	return fault.Wrap(why, fault.KindOf(why), "The step %s failed: %s", path, fault.TextOf(why))
}
