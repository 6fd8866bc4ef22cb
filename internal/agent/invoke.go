package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"chela/internal/disk"
	"chela/internal/event"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/tool"
)

// InvocationKind is the kind of run that makes one call of a tool, as an agent, without a model.
const InvocationKind = "invocation"

// An Invocation is what such a run is started with.
type Invocation struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args,omitempty"`
}

// An Invoked is what came of it, the result of the run.
type Invoked struct {
	Success bool   `json:"success"`
	Output  string `json:"output,omitempty"`
	Error   string `json:"error,omitempty"` // a sentence
	// Shows are artifacts with pictures, and Rest is the one with the whole of an output that was cut.
	Shows []string `json:"shows,omitempty"`
	Rest  string   `json:"rest,omitempty"`
	// Changed is what it did to files; nil for nothing.
	Changed *disk.Changes `json:"changed,omitempty"`
}

// ErrAsked says that a call was asked for before, under the same key.
var ErrAsked = errors.New("the call was asked for before")

// StartInvocation starts the run that makes a call for a person. spec says who asks, as which agent, in which
// project; the run has a thread of its own. Under a key, "" for none, a person asks once.
func StartInvocation(b *run.Batch, spec run.Spec, key string, in Invocation) error {
	raw, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encode input: %w", err)
	}
	spec.Kind, spec.Title, spec.Input = InvocationKind, "Call "+in.Tool, raw
	request := run.RequestKind.Draft(event.Place{
		Stream: event.ThreadStream(spec.Thread), Thread: spec.Thread, Run: string(spec.ID), Task: run.RootTask(spec.ID),
		From: spec.By, To: []event.Party{party(org.AgentID(spec.Agent))}, Trace: spec.Trace, Key: key,
	}, run.TaskRequest{Title: spec.Title})
	recorded, err := b.Append(request)
	if err == nil && len(recorded) == 0 {
		err = ErrAsked
	}
	if err != nil {
		return err
	}
	return b.Start(spec)
}

// Invoke is the [run.Handler] of such runs. The call is decided about, asked about and recorded as a model's is.
func (g *Runner) Invoke(ctx context.Context, s *run.Segment) (run.Outcome, error) {
	var in Invocation
	if err := json.Unmarshal(s.Run.Input, &in); err != nil {
		return run.Outcome{}, fmt.Errorf("read the run's input: %w", err)
	}
	a, err := g.roster.Agent(ctx, org.AgentID(s.Run.Agent))
	if err != nil {
		return run.Outcome{}, err
	}
	if err := a.Ready(); err != nil {
		return run.Outcome{}, err
	}
	sc, err := g.scope(ctx, s, "api")
	if err != nil {
		return run.Outcome{}, err
	}
	k := sc.Root(a)
	made, err := sc.call(ctx, Assignment{Task: k, Context: sc.Context()}, in.Tool, in.Args)
	if err != nil {
		if wait, ok := Waits(err); ok {
			return wait, nil
		}
		return run.Outcome{}, err
	}
	_, end, err := k.invoked(s, made)
	return end, err
}

// mostReason is how many bytes of the words of others say why a run failed.
const mostReason = 1000

// invoked ends a run with the recorded result of its call.
func (t Task) invoked(s *run.Segment, made run.Recorded) (Invoked, run.Outcome, error) {
	got, ok, err := tool.ResultKind.Open(made.Event)
	out, end := Invoked{Success: true, Output: got.Result, Shows: got.Shows, Rest: got.Rest, Changed: got.Changed}, run.Outcome{State: run.Done}
	if ok && !got.Success { // the other side says so
		out.Success, out.Error = false, got.Result
		end = run.Outcome{State: run.Failed, Reason: head(got.Result, mostReason)}
	}
	if err == nil && !ok {
		var failed tool.ErrorPayload
		failed, ok, err = tool.ErrorKind.Open(made.Event)
		out, end = Invoked{Error: failed.Error, Changed: failed.Changed}, run.Outcome{State: run.Failed, Reason: failed.Error}
	}
	if err == nil && !ok {
		err = errors.New("nothing is recorded of the call")
	}
	if err != nil {
		return out, end, fmt.Errorf("read step %s: %w", made.Key, err)
	}
	if end.Result, err = json.Marshal(out); err != nil {
		return out, end, fmt.Errorf("encode what the call gave: %w", err)
	}
	end.Drafts = []event.Draft{t.failed(s, "TOOL_ERROR", out.Error, false)}
	if out.Success {
		end.Drafts = []event.Draft{t.done(s, end.Result, out.Output)}
	}
	return out, end, nil
}
