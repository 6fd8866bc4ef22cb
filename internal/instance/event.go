package instance

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/contract"
	"chela/internal/definition"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
)

// HeardKind records an event that an instance may have waited for.
var HeardKind = event.Kind[Heard]{Name: "workflow.heard", PayloadType: "workflow.heard.v1"}

// A Heard is the payload of workflow.heard.
type Heard struct {
	Seq   event.Seq       `json:"seq"`
	Event json.RawMessage `json:"event"`
	From  []string        `json:"from,omitempty"` // where it comes from when that is outside
}

// mostHeard is how large an event may be that workflows hear of, in bytes.
const mostHeard = 64 << 10

// Told is an event as expressions see it; ok is false when it is too large.
func Told(e event.Event) (v map[string]any, raw json.RawMessage, ok bool) {
	if len(e.Message.Payload) > mostHeard {
		return nil, nil, false
	}
	raw, err := json.Marshal(map[string]any{
		"type": e.Message.Type, "seq": e.Seq, "at": e.At.UTC().Format(time.RFC3339), "by": e.Message.From.AgentID, "thread": e.Message.ThreadID, "run": e.Message.RunID,
		"stream": e.Stream, "payload": e.Message.Payload,
	})
	if err != nil {
		return nil, nil, false
	}
	read, err := definition.Read(raw)
	if err != nil {
		return nil, nil, false
	}
	v, ok = read.(map[string]any)
	return v, raw, ok
}

// HeardStep drafts that an event was heard by a wait, once.
func HeardStep(r run.Run, wait string, h Heard) event.Draft {
	at := event.Place{Stream: event.ThreadStream(r.Thread), Thread: r.Thread, Run: string(r.ID), Task: run.RootTask(r.ID), From: run.Chela()}
	key := fmt.Sprintf("heard/%s/%d", wait, h.Seq)
	at.Key = at.Run + "/" + key
	return run.AsStep(HeardKind.Draft(at, h), key, true)
}

// heardMore reports whether an instance that is about to wait for an event has heard of one while its segment was worked.
func heardMore(ctx context.Context, s *run.Segment, why error) (bool, error) {
	w, ok := waiting(why)
	if !ok || !slices.ContainsFunc(w.all, func(o run.Outcome) bool { return strings.HasPrefix(o.WaitsFor, forEvent) }) {
		return false, nil
	}
	return s.Refresh(ctx, func(key string) bool { return strings.HasPrefix(key, "heard/") })
}

// forEvent begins what a run waits for that waits for an event.
const forEvent = "event:"

// lookAgain is when an instance that waits for an event looks by itself, should nobody have told it.
const lookAgain = 5 * time.Minute

// event waits for the first event that fits.
func (g *playing) event(ctx context.Context, n *definition.Node, path, key string, vars definition.Vars) (any, error) {
	w := n.Step.Wait.Event
	was, begun, err := g.recorded(key)
	if err != nil {
		return nil, err
	}
	if !begun {
		was = Step{Kind: n.Kind, Title: n.Title, State: Waiting, Event: w.Type, Reason: key}
		if limit := n.Timeout.Std(); limit > 0 {
			was.Until = g.s.Mint().Now().Add(limit).UTC().Truncate(time.Microsecond)
		}
		g.hold(path, was, key, true)
	}
	heard := g.s.Steps(func(k string) bool { return strings.HasPrefix(k, "heard/"+key+"/") })
	slices.SortFunc(heard, func(a, b run.Recorded) int { return int(a.Event.Seq - b.Event.Seq) })
	for _, r := range heard {
		h, ok, err := HeardKind.Open(r.Event)
		if err != nil || !ok {
			return nil, fmt.Errorf("read what was heard: %w", err)
		}
		v, err := definition.Read(h.Event)
		if err != nil {
			return nil, fmt.Errorf("read what was heard: %w", err)
		}
		yes, err := n.Until.True(ctx, contract.With(vars, "event", v))
		if err != nil {
			return nil, fault.Wrap(err, fault.Invalid, "%s", capital(err.Error()))
		}
		if yes {
			g.sc.Saw(h.From)
			return map[string]any{"event": v}, nil
		}
	}
	now := g.s.Mint().Now()
	if !was.Until.IsZero() && !now.Before(was.Until) {
		return nil, fault.New(fault.Unavailable, "No event of the type %s came in time.", w.Type)
	}
	until := now.Add(lookAgain)
	if !was.Until.IsZero() && was.Until.Before(until) {
		until = was.Until
	}
	return nil, waitsFor(run.Outcome{WaitsFor: forEvent + w.Type, Until: until, Reason: "The step " + path + " waits for an event of the type " + w.Type + "."})
}
