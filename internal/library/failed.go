package library

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"chela/internal/definition"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
)

// TriggerFailedKind records that triggers of a workflow began nothing although what they wait for came.
var TriggerFailedKind = event.Kind[TriggerFailed]{Name: "workflow.trigger_failed", PayloadType: "workflow.trigger_failed.v1"}

// A TriggerFailed is the payload of workflow.trigger_failed.
type TriggerFailed struct {
	Slug    string `json:"slug"`
	Version int    `json:"version"`
	Trigger int    `json:"trigger" doc:"its index among the triggers of the file, from 0"`
	On      string `json:"on" doc:"what it waits for, such as event desk.ticket.created"`
	Event   string `json:"event,omitempty" doc:"the id of the event that came last; none by the clock"`
	Type    string `json:"type,omitempty" doc:"the type of that event"`
	Problem string `json:"problem" doc:"what was wrong the last time, a sentence"`
	Count   int    `json:"count" doc:"how often it failed since this was recorded last, this time included"`
}

// A TriggerFailure is a recorded failure of a trigger.
type TriggerFailure struct {
	TriggerFailed

	Seq event.Seq `json:"seq"`
	At  time.Time `json:"at"`
}

// Bounds of what is recorded of triggers that fail.
const (
	KeptFailures   = 10 // that are kept of each trigger
	hourlyFailures = 3  // that are recorded of each trigger in an hour; others are counted
	mostProblem    = 500
)

// A triggerRef is a trigger of a version.
type triggerRef struct {
	slug           string
	version, index int
}

// A failing is a trigger that failed and what is to be recorded of it.
type failing struct {
	TriggerFailed

	key string // of the first time
}

// onWhat says what a trigger waits for.
func onWhat(t definition.Trigger) string {
	switch {
	case t.Cron != "":
		return "cron " + t.Cron
	case t.Webhook != "":
		return "webhook " + t.Webhook
	case t.Event != nil:
		return "event " + t.Event.Type
	}
	return "message"
}

// failed notes that a trigger began nothing; [Starter.record] records it.
func (s *Starter) failed(d deployed, i int, c cause, why error) {
	s.say.Warn("a trigger begins nothing", "workflow", d.Slug, "trigger", i, "err", why)
	ref := triggerRef{d.Slug, d.Number, i}
	f, ok := s.failing[ref]
	if !ok {
		f = failing{TriggerFailed{Slug: d.Slug, Version: d.Number, Trigger: i, On: onWhat(d.Triggers[i])}, c.key}
	}
	typ, _ := c.told["type"].(string)
	f.Event, f.Type, f.Count = c.event, typ, f.Count+1
	f.Problem = fault.TextOf(why)
	if r := []rune(f.Problem); len(r) > mostProblem {
		f.Problem = string(r[:mostProblem-1]) + "…"
	}
	if s.failing == nil {
		s.failing = make(map[triggerRef]failing)
	}
	s.failing[ref] = f
}

// record records what failed since the last call, but for triggers of which enough was recorded within the hour: those are counted, and told
// with the next that is recorded. Several daemons that look at the same events record the same once. It returns what is to be counted.
func (s *Starter) record(ctx context.Context) (counted map[triggerRef]failing, err error) {
	if len(s.failing) == 0 {
		return nil, nil
	}
	counted = make(map[triggerRef]failing)
	for ref, f := range s.failing {
		room, err := s.room(ctx, ref)
		if err != nil {
			return nil, err
		}
		if !room {
			counted[ref] = f
			continue
		}
		if err := s.append(ctx, f, s.counted[ref]); err != nil {
			return nil, err
		}
		delete(s.counted, ref)
	}
	s.failing = nil
	return counted, nil
}

// room reports whether one more failure of a trigger is recorded now.
func (s *Starter) room(ctx context.Context, ref triggerRef) (bool, error) {
	all, err := s.lib.store.TriggerFailures(ctx, ref.slug)
	if err != nil {
		return false, err
	}
	hourAgo, n := s.lib.runs.Mint().Now().Add(-time.Hour), 0
	for _, f := range all {
		if f.Version == ref.version && f.Trigger == ref.index && f.At.After(hourAgo) {
			n++
		}
	}
	return n < hourlyFailures, nil
}

// append records a failure together with what was counted before it.
func (s *Starter) append(ctx context.Context, f, before failing) error {
	f.Count += before.Count
	return s.lib.write(ctx, func(b *run.Batch, _ Tx) error {
		at := s.lib.place(run.Chela())
		at.Key = "workflow/failed/" + f.key
		_, err := b.Append(TriggerFailedKind.Draft(at, f.TriggerFailed))
		return err
	})
}

// count keeps what was not recorded for later.
func (s *Starter) count(more map[triggerRef]failing) {
	if s.counted == nil {
		s.counted = make(map[triggerRef]failing)
	}
	for ref, f := range more {
		f.Count += s.counted[ref].Count
		s.counted[ref] = f
	}
}

// recordCounted records what was only counted, where an hour has room again, or all at the end.
func (s *Starter) recordCounted(ctx context.Context, end bool) error {
	for ref, f := range s.counted {
		room, err := s.room(ctx, ref)
		if err != nil {
			return err
		}
		if !room && !end {
			continue
		}
		if err := s.append(ctx, f, failing{}); err != nil {
			return err
		}
		delete(s.counted, ref)
	}
	return nil
}

// FailuresOf are the failures of the triggers of a version, newest first.
func FailuresOf(all []TriggerFailure, slug string, version int) []TriggerFailure {
	out := []TriggerFailure{}
	for _, f := range all {
		if f.Slug == slug && f.Version == version {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b TriggerFailure) int { return cmp.Compare(b.Seq, a.Seq) })
	return out
}

// Cause says in a few words what came when the trigger failed.
func (f TriggerFailed) Cause() string {
	if f.Event == "" {
		return f.On
	}
	return fmt.Sprintf("%s (%s)", f.On, f.Event)
}
