package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
)

// left records how the work on a child ended, unless it goes on later.
func (f *family) left(ctx context.Context, c *child, r Reply, err, cause error) {
	var wait *errWait
	end := childEnd{State: run.TaskDone, Text: r.said()}
	switch {
	case errors.As(err, &wait):
		f.park(wait)
		f.rest(c, nil)
		return
	case errors.Is(err, errPaused):
		f.rest(c, nil)
		return
	case isSuperseded(err), err != nil && context.Cause(ctx) != nil:
		f.rest(c, err)
		return
	case errors.Is(cause, errStopped):
		end = childEnd{State: run.TaskCancelled, Text: "It was stopped."}
	case err != nil && cause != nil:
		end = childEnd{State: run.TaskFailed, Text: fault.TextOf(cause), After: int(c.limit.Seconds())}
	case err != nil:
		end = childEnd{State: run.TaskFailed, Text: fault.TextOf(err)}
	}
	f.rest(c, f.record(ctx, c, end))
}

// rest says that nothing works on the child any more.
func (f *family) rest(c *child, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c.over = true
	if err != nil && f.failed == nil {
		f.failed = err
	}
	f.news()
}

// A childEnd is the recorded end of a child.
type childEnd struct {
	State   run.TaskState `json:"state"`
	Text    string        `json:"text"`
	After   int           `json:"after_sec,omitempty"` // when its time was up
	Origins []string      `json:"origins,omitempty"`   // where the run has data from by then
}

func (c *child) endKey() string { return c.task.key + "/end" }

// recorded returns the recorded end of the child.
func (c *child) recorded() (end childEnd, ok bool, err error) {
	r := c.loop.s.Recorded(c.endKey())
	if !r.Done {
		return end, false, nil
	}
	got, ok, err := run.StepKind.Open(r.Event)
	if err != nil || !ok {
		return end, false, fmt.Errorf("read step %s: %w", r.Key, err)
	}
	if err := json.Unmarshal(got.Result, &end); err != nil {
		return end, false, fmt.Errorf("read step %s: %w", r.Key, err)
	}
	return end, true, nil
}

// record records the end of the child.
func (f *family) record(ctx context.Context, c *child, end childEnd) error {
	s := f.of.s
	end.Origins = f.of.seenFrom.list()
	raw, err := json.Marshal(end)
	if err != nil {
		return fmt.Errorf("encode the end of a child: %w", err)
	}
	at := once(c.task.Place(s, run.Chela()), c.task.key+"/end")
	var told event.Draft
	switch {
	case end.State == run.TaskDone:
		text, err := json.Marshal(end.Text)
		if err != nil {
			return fmt.Errorf("encode the result of a child: %w", err)
		}
		told = c.task.done(s, text, end.Text)
	case end.State == run.TaskCancelled:
		told = run.CancelKind.Draft(at, run.Cancel{Reason: end.Text})
	case end.After > 0:
		told = run.TimeoutKind.Draft(at, run.Timeout{AfterSec: end.After, Message: end.Text})
	default:
		told = c.task.failed(s, "AGENT_ERROR", end.Text, true)
	}
	drafts := append(c.loop.takePending(), told, run.AsStep(run.StepKind.Draft(c.task.Place(s, run.Chela()), run.StepResult{Result: raw}), c.endKey(), true))
	if _, err := s.Append(ctx, drafts...); err != nil {
		return err
	}
	f.ends(c, end)
	return nil
}

// ends takes in how a child ended.
func (f *family) ends(c *child, end childEnd) {
	f.of.seenFrom.add(end.Origins)
	f.mu.Lock()
	defer f.mu.Unlock()
	c.over, c.state, c.text = true, end.State, end.Text
	f.news()
}
