package agent

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/guard"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/run"
	"chela/internal/tool"
)

// Children are agents that one agent begins within its run: each is a task of that run
// with a loop and a history of its own, beside the loop that began it. They die and go on
// with the segment: a loop that is worked again finds its children by the calls that
// began them, and their steps are in the log like its own.

//go:embed agent_*.md dispatch_agent.md
var childHelp embed.FS

const (
	spawnTool = "agent_spawn"
	listTool  = "agent_list"
	waitTool  = "agent_wait"
	stopTool  = "agent_stop"

	maxChildren = 4
	childTime   = 300 * time.Second
	maxChild    = time.Hour
)

// childName begins the name of a child, which its task's id ends with.
const childName = "child-"

// IsChild reports whether a task is a child's.
func IsChild(task string) bool { return strings.Contains(task, "."+childName) }

// childless is what a child is told that would begin one.
const childless = "A child agent has no children of its own. Do it yourself, or leave it to who began you."

// OfChildren reports whether a tool is one by which an agent begins and follows children. They are of the loop, and in no catalog.
func OfChildren(name string) bool {
	return slices.Contains([]string{spawnTool, dispatchTool, listTool, waitTool, stopTool}, name)
}

type spawnIn struct {
	Agent   string   `json:"agent" doc:"its name"`
	Task    string   `json:"task"`
	Context string   `json:"context,omitempty" doc:"what it must know"`
	Timeout int      `json:"timeout_seconds,omitempty" doc:"300 when left out"`
	Tools   []string `json:"tools,omitempty" doc:"only these of its tools"`
}

type waitIn struct {
	Child   string `json:"child,omitempty" doc:"all when left out"`
	Timeout int    `json:"timeout_seconds,omitempty" doc:"300 when left out"`
}

type stopIn struct {
	Child string `json:"child"`
}

// childTools declares what the loop itself does, see [loop.withChildren].
func childTools() []*tool.Tool {
	spec := func(name string) tool.Spec {
		return tool.Spec{Name: name, Help: strings.TrimSpace(tool.HelpFile(childHelp, name)), Risk: tool.ReadOnly, Role: org.Viewer, Repeatable: true, Alone: true}
	}
	return []*tool.Tool{declared[spawnIn](spec(spawnTool)), declared[dispatchIn](spec(dispatchTool)), declared[struct{}](spec(listTool)), declared[waitIn](spec(waitTool)), declared[stopIn](spec(stopTool))}
}

func declared[In any](s tool.Spec) *tool.Tool {
	return tool.Func(s, func(context.Context, tool.Call, In) (string, error) {
		return "", fault.New(fault.Denied, "%s is for agents in a conversation.", s.Name)
	})
}

// A child is one agent that another began.
type child struct {
	of      *family
	name    string // "child-1"
	by      org.Agent
	own     org.Agent // who works on the task, with all that it may; the task's has no more than by
	task    Task
	limit   time.Duration
	began   time.Time // as recorded; zero when it is new
	loop    *loop
	cancel  context.CancelCauseFunc
	ceiling atomic.Pointer[guard.Caller] // whom the parent acts for, when they may do less than before
	replay  chan struct{}                // closed when it has done what is recorded of it
	caught  sync.Once
	slot    bool // it holds a place of the child lane

	over  bool // nothing works on it
	state run.TaskState
	text  string // its result, or why there is none
}

// A family are the children of one loop.
type family struct {
	of     *loop
	work   sync.WaitGroup
	parked chan struct{} // closed when the run is to wait

	mu      sync.Mutex // guards the rest, and over, state and text of children
	byCall  map[string]*child
	all     []*child
	wait    *errWait
	failed  error         // the run cannot go on here
	changed chan struct{} // closed and made anew when something changes
}

var (
	errPaused  = errors.New("the run waits")
	errStopped = errors.New("it was stopped")
)

func newFamily(l *loop) *family {
	return &family{of: l, parked: make(chan struct{}), byCall: make(map[string]*child), changed: make(chan struct{})}
}

// news tells who waits that something changed. The caller holds mu.
func (f *family) news() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// park has everybody stop at the next step, since the run has to wait.
func (f *family) park(w *errWait) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.wait == nil:
		f.wait = w
		close(f.parked)
	case !w.until.IsZero() && (f.wait.until.IsZero() || w.until.Before(f.wait.until)):
		f.wait = w
	}
	f.news()
}

// why is what keeps the loop of the family from the next step.
func (f *family) why() error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed != nil {
		return f.failed
	}
	if f.wait != nil {
		return f.wait
	}
	return nil
}

// live is called before a step that is not recorded.
func (l *loop) live(ctx context.Context) error {
	if err := l.family.why(); err != nil || l.child == nil {
		return err
	}
	c := l.child
	if err := c.goesOn(ctx); err != nil {
		return err
	}
	if c.of.why() != nil {
		return errPaused
	}
	if c.slot {
		return nil
	}
	select {
	case l.g.lane <- struct{}{}:
		c.slot = true
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.of.parked:
		return errPaused
	}
}

// goesOn is called before the first step of a child that is not recorded. Its time begins,
// or goes on as far as that is left since its recorded beginning; what the run waited does
// not count.
func (c *child) goesOn(ctx context.Context) (err error) {
	c.caught.Do(func() {
		defer close(c.replay)
		left := c.limit
		if !c.began.IsZero() {
			var gone time.Duration
			gone, err = c.loop.s.Since(ctx, c.began)
			left -= gone
		}
		late := fault.New(fault.Unavailable, "It did not end within %s.", c.limit)
		if left <= 0 {
			c.cancel(late)
			return
		}
		timer := time.AfterFunc(left, func() { c.cancel(late) })
		context.AfterFunc(ctx, func() { timer.Stop() })
	})
	if err != nil {
		return err
	}
	return context.Cause(ctx)
}

// begun is when the child of a call began: when that, or the first of what it did, was
// said.
func (c *child) begun(call string) time.Time {
	var first time.Time
	for _, r := range c.loop.s.Steps(func(key string) bool { return key == call || strings.HasPrefix(key, c.task.key+"/") }) {
		if at := r.Event.Said(); !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}

// caller is for whom the loop acts now; a child never for more than its parent.
func (l *loop) caller() guard.Caller {
	who := *l.who
	if l.child != nil {
		if up := l.child.ceiling.Load(); up != nil {
			who.Lower(*up)
		}
	}
	return who
}

// sink takes the children down to whom their parent acts for now.
func (f *family) sink(to guard.Caller) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.all {
		c.ceiling.Store(&to)
	}
}

// withChildren makes a call of one of the tools for children. ok is false when it is none.
func (l *loop) withChildren(ctx context.Context, i int, p plan) (res tool.Result, ok bool, err error) {
	if !OfChildren(p.call.Name) {
		return res, false, nil
	}
	switch {
	case l.child != nil:
		return res, true, fault.New(fault.Denied, "%s", childless)
	case l.family == nil:
		return res, true, fault.New(fault.Denied, "Children are begun in conversations only.")
	}
	in, spawns, err := begins(p.call, l.s.Run.Project)
	if spawns {
		if err == nil {
			res, err = l.family.spawn(ctx, l.callKey(i, p.n), in)
		}
		return res, true, err
	}
	switch p.call.Name {
	case listTool:
		res.Text = l.family.list()
	case waitTool:
		res, err = l.family.await(ctx, p.call.Args)
	case stopTool:
		res, err = l.family.stop(ctx, p.call.Args)
	}
	return res, true, err
}

// adopt finds again the children that recorded calls began.
func (l *loop) adopt(ctx context.Context, i int, plans []plan) error {
	if l.family == nil {
		return nil
	}
	for _, p := range plans {
		in, spawns, err := begins(p.call, l.s.Run.Project)
		if r, known := l.known(i, p); !spawns || err != nil || !known || r.IsError {
			continue
		}
		key := l.callKey(i, p.n)
		if l.family.byCall[key] != nil {
			continue
		}
		if _, err := l.family.spawn(ctx, key, in); err != nil {
			return err
		}
		select { // what it saw from outside counts for the next call here
		case <-l.family.byCall[key].replay:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// spawn begins the child of a call, or goes on with it.
func (f *family) spawn(ctx context.Context, key string, in spawnIn) (tool.Result, error) {
	known := f.of.s.Recorded(key).Done
	c, err := f.born(ctx, in, known)
	if err != nil {
		return tool.Result{}, err
	}
	c.began = c.begun(key)
	f.mu.Lock()
	f.byCall[key] = c
	f.all = append(f.all, c)
	f.mu.Unlock()
	request := c.task.request(f.of.s, party(f.of.agentID()), in.Task)
	ended, ok, err := c.recorded()
	if err != nil {
		return tool.Result{}, err
	}
	if ok {
		f.ends(c, ended)
		c.caught.Do(func() { close(c.replay) })
	} else {
		f.begin(ctx, c)
	}
	res := tool.Result{Text: fmt.Sprintf("%s (%s) has begun. %s gets its result.", c.name, c.task.agent.Card.AgentID.Name(), waitTool)}
	if !known {
		res.Drafts = []event.Draft{request}
	}
	return res, nil
}

// born makes a child, which nothing works on yet.
func (f *family) born(ctx context.Context, in spawnIn, known bool) (*child, error) {
	l := f.of
	f.mu.Lock()
	n, working := len(f.all)+1, 0
	for _, c := range f.all {
		if c.state == run.TaskRunning {
			working++
		}
	}
	f.mu.Unlock()
	limit := childTime
	if in.Timeout > 0 {
		limit = min(time.Duration(in.Timeout)*time.Second, maxChild)
	}
	a, err := l.g.roster.Agent(ctx, org.AgentID("agent:"+org.AgentID(in.Agent).Name()))
	switch {
	case err != nil:
		return nil, err
	case strings.TrimSpace(in.Task) == "":
		return nil, fault.BadField("task", "Say what the child is to do.")
	case a.Ready() != nil && !known:
		return nil, a.Ready()
	case a.Kind != org.Specialist:
		return nil, fault.New(fault.Denied, "%s is a %s; a child is a specialist.", in.Agent, a.Kind)
	case working >= maxChildren && !known:
		return nil, fault.New(fault.Conflict, "%d children work already, as many as may; wait for one.", working)
	}
	own := a
	if a, err = l.less(a, in.Tools); err != nil && !known {
		return nil, err
	}
	c := &child{of: f, name: childName + strconv.Itoa(n), by: l.t.agent, own: own, limit: limit, state: run.TaskRunning, replay: make(chan struct{})}
	c.task = Task{id: l.t.id + "." + c.name, parent: l.t.id, key: l.t.key + "-" + c.name, agent: a, title: head(in.Task, 200)}
	c.loop = l.fork(ctx, c, in)
	return c, nil
}

// fork is the loop of a child: a history of its own, the limits and the outside data of
// its parent.
func (l *loop) fork(ctx context.Context, c *child, in spawnIn) *loop {
	who := l.caller()
	who.Via = guard.ByAgent
	con := prompt.Context{Date: l.s.Run.CreatedAt, Project: l.s.Run.Project, Task: in.Task}
	if c.task.agent.Permissions.Any(org.Files, org.Shell, org.Git) {
		con.Folders = l.g.folders(ctx, c.task.agent.Card.AgentID, l.s.Run.Project)
	}
	said := in.Task
	if in.Context != "" {
		said += "\n\n" + prompt.Data("what you must know", in.Context)
	}
	return &loop{
		Scope: l.Scope, t: c.task, who: &who, child: c,
		system: prompt.System(c.task.agent, con), tools: l.g.toolset(c.task.agent, nil),
		history: []model.Message{{Role: model.User, Parts: []model.Part{{Text: said}}}}, job: model.Job(c.task.agent.Kind),
		hearing: hearing{seen: l.seen}, allowance: allowance{steps: l.g.opts.Steps},
		pending: []event.Draft{c.task.request(l.s, party(l.agentID()), in.Task), c.task.accept(l.s)}, asked: l.asked.of(in.Task + "\n" + in.Context),
	}
}

// begin has the child work beside its parent.
func (f *family) begin(ctx context.Context, c *child) {
	own, cancel := context.WithCancelCause(ctx)
	c.cancel = cancel
	f.work.Go(func() {
		defer cancel(nil)
		spanned, end := run.Span(own, "child "+c.task.agent.Card.AgentID.Name(), attribute.String("gen_ai.agent.id", string(c.task.agent.Card.AgentID)), attribute.String("chela.task.id", c.task.id))
		r, err := c.toReply(spanned)
		end(err)
		if c.slot {
			<-f.of.g.lane
		}
		f.left(ctx, c, r, err, context.Cause(own))
		c.caught.Do(func() { close(c.replay) })
	})
}

func (c *child) toReply(ctx context.Context) (r Reply, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.loop.g.opts.Log.Error("panic in a child agent", "run", c.loop.s.Run.ID, "panic", p)
			err = fault.New(fault.Internal, "The child broke; the daemon's log has the details.")
		}
	}()
	return c.loop.work(ctx)
}
