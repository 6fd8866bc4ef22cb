package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"chela/internal/fault"
	"chela/internal/model"
	"chela/internal/prompt"
	"chela/internal/run"
	"chela/internal/tool"
)

// find returns the children meant by a name; "" is all.
func (f *family) find(name string) ([]*child, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var names []string
	for _, c := range f.all {
		if c.name == name {
			return []*child{c}, nil
		}
		names = append(names, c.name)
	}
	if name != "" {
		return nil, fault.New(fault.NotFound, "You have no child %q; you have: %s.", name, strings.Join(names, ", "))
	}
	return f.all[:len(f.all):len(f.all)], nil
}

// list says how the children stand.
func (f *family) list() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	for _, c := range f.all {
		out = append(out, fmt.Sprintf("%s: %s", c.standing(), c.task.title))
	}
	if len(out) == 0 {
		return "You have no children."
	}
	return strings.Join(out, "\n")
}

// standing is a child and its state; the family's mutex is held.
func (c *child) standing() string {
	word := map[run.TaskState]string{run.TaskRunning: "working", run.TaskDone: "done", run.TaskFailed: "failed", run.TaskCancelled: "stopped"}[c.state]
	return fmt.Sprintf("%s (%s) is %s", c.name, c.task.agent.Card.AgentID.Name(), word)
}

// results is what the children came to, as data for their parent.
func (f *family) results(of []*child) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	for _, c := range of {
		text := c.standing() + "."
		if c.state != run.TaskRunning {
			text = c.standing() + ":\n" + prompt.Data("from "+c.name, head(c.text, 12<<10/len(of)))
		}
		out = append(out, text)
	}
	if len(out) == 0 {
		return "You have no children."
	}
	return strings.Join(out, "\n\n")
}

// await waits for children.
func (f *family) await(ctx context.Context, args json.RawMessage) (tool.Result, error) {
	var in waitIn
	if err := json.Unmarshal(args, &in); err != nil {
		return tool.Result{}, fault.Wrap(err, fault.Invalid, "The arguments of %s do not fit.", waitTool)
	}
	limit := childTime
	if in.Timeout > 0 {
		limit = min(time.Duration(in.Timeout)*time.Second, maxChild)
	}
	of, err := f.find(in.Child)
	if err != nil {
		return tool.Result{}, err
	}
	late := time.NewTimer(limit)
	defer late.Stop()
	if err := f.ended(ctx, of, late.C); err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Text: f.results(of)}, nil
}

// ended returns when the children have ended or it is late. When the run has to wait it
// returns that, once nobody works any more.
func (f *family) ended(ctx context.Context, of []*child, late <-chan time.Time) error {
	for {
		f.mu.Lock()
		changed, failed, wait := f.changed, f.failed, f.wait
		open, quiet := false, true
		for _, c := range of {
			open = open || c.state == run.TaskRunning
		}
		for _, c := range f.all {
			quiet = quiet && c.over
		}
		f.mu.Unlock()
		switch {
		case failed != nil:
			return failed
		case !open:
			return nil
		case wait != nil && quiet:
			return wait
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-late:
			return nil
		case <-changed:
		}
	}
}

// stop ends a child.
func (f *family) stop(ctx context.Context, args json.RawMessage) (tool.Result, error) {
	var in stopIn
	if err := json.Unmarshal(args, &in); err != nil {
		return tool.Result{}, fault.Wrap(err, fault.Invalid, "The arguments of %s do not fit.", stopTool)
	}
	of, err := f.find(in.Child)
	if err != nil || in.Child == "" {
		return tool.Result{}, errors.Join(err, missing(in.Child))
	}
	if c := of[0]; c.cancel != nil {
		c.cancel(errStopped)
	}
	if err := f.ended(ctx, of, nil); err != nil {
		return tool.Result{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return tool.Result{Text: of[0].standing() + "."}, nil
}

func missing(name string) error {
	if name == "" {
		return fault.BadField("child", "Say which child, such as child-1.")
	}
	return nil
}

// gather waits, before the parent answers, for the children that still work, and tells it
// the results that it has not seen. more says that there were such.
func (l *loop) gather(ctx context.Context) (more bool, err error) {
	f := l.family
	if f == nil || len(f.all) == 0 {
		return false, nil
	}
	if err := f.ended(ctx, f.all, nil); err != nil {
		return false, err
	}
	var untold []*child
	for _, c := range f.all {
		if !l.told(c) {
			untold = append(untold, c)
		}
	}
	if len(untold) == 0 {
		return false, nil
	}
	l.say("Your children have ended; take in what they found and answer.\n" + f.results(untold))
	return true, nil
}

// told reports whether the history has the end of the child.
func (l *loop) told(c *child) bool {
	c.of.mu.Lock()
	mark := c.standing() + ":\n"
	c.of.mu.Unlock()
	for _, m := range l.history {
		for _, p := range m.Parts {
			if p.Result != nil && p.Result.Name == waitTool && strings.Contains(p.Result.Text, mark) || m.Role == model.User && strings.Contains(p.Text, mark) {
				return true
			}
		}
	}
	return false
}

// settle leaves no child at work when the loop has ended with err: those of a run that
// waits pause, others are stopped.
func (l *loop) settle(ctx context.Context, err error) error {
	f := l.family
	if f == nil || len(f.all) == 0 {
		return err
	}
	var wait *errWait
	if errors.As(err, &wait) {
		f.park(wait)
		f.work.Wait()
		return f.why()
	}
	for _, c := range f.all {
		if c.cancel != nil {
			c.cancel(errStopped)
		}
	}
	f.work.Wait()
	if err != nil {
		return err
	}
	for _, c := range f.all { // one that asked meanwhile
		if c.state == run.TaskRunning && f.failed == nil {
			if err := f.record(ctx, c, childEnd{State: run.TaskCancelled, Text: "It was stopped: the agent that began it has ended."}); err != nil {
				return err
			}
		}
	}
	return f.failed
}
