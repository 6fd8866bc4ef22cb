package library

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"chela/internal/definition"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/instance"
	"chela/internal/run"
	"chela/internal/schedule"
	"chela/internal/tool"
)

// RoleWorkflow is the role of a workflow as a sender: of an instance that it began by a trigger.
const RoleWorkflow = "workflow"

const partyPrefix = "agent:workflow/"

// Party is the workflow as a sender.
func Party(slug string) event.Party {
	return event.Party{AgentID: partyPrefix + slug, Role: RoleWorkflow}
}

// Of returns the slug of the workflow behind a sender, "" when it is none.
func Of(from event.Party) string {
	slug, ok := strings.CutPrefix(from.AgentID, partyPrefix)
	if !ok || from.Role != RoleWorkflow {
		return ""
	}
	return slug
}

// WebhookType is the type of the events that webhooks bring; their payload names the webhook as incoming.
const WebhookType = "webhook.received"

// An EventWait is a step of an instance that waits for an event of a type.
type EventWait struct {
	Run   run.ID
	Step  string // the key of the wait
	Type  string
	Since event.Seq
}

// A Log is what triggers follow.
type Log interface {
	event.Log
	event.Notifier
	End(ctx context.Context) (event.Seq, error)
	Cursor(ctx context.Context, name string) (event.Seq, error)
	MoveCursor(ctx context.Context, name string, from, to event.Seq) (moved bool, err error)
}

// fits reports whether a type is that of a pattern, which may end in *.
func fits(pattern, typ string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(typ, prefix)
	}
	return pattern == typ
}

// clock is when a cron trigger begins.
func clock(t definition.Trigger) schedule.Fields {
	zone := t.Zone
	if zone == "" {
		zone = "UTC"
	}
	return schedule.Fields{Type: schedule.Cron, CronExpr: t.Cron, Timezone: zone}
}

// clocks says which cron triggers cannot be read.
func clocks(c *definition.Compiled) definition.Problems {
	var out definition.Problems
	for i, t := range c.Triggers {
		if t.Cron == "" {
			continue
		}
		if _, err := clock(t).Instants(time.Unix(0, 0), 1); err != nil {
			place := fmt.Sprintf("triggers[%d].cron", i)
			out = append(out, definition.Problem{Line: c.LineOf(place), Path: place, Text: fault.TextOf(err)})
		}
	}
	return out
}

// unfit says which triggers begin nothing whatever comes: one gives no value for a required input, or one that never fits. A
// message asks for what is missing.
func unfit(c *definition.Compiled) definition.Problems {
	var out definition.Problems
	bad := func(place, text string, args ...any) {
		out = append(out, definition.Problem{Line: c.LineOf(place), Path: place, Text: fmt.Sprintf(text, args...)})
	}
	for i, t := range c.Triggers {
		for _, in := range c.Inputs {
			place := fmt.Sprintf("triggers[%d]", i)
			v, given := t.Inputs[in.Name]
			text, _ := v.(string)
			switch {
			case t.Message || strings.Contains(text, "${"):
			case v == nil && in.Required && in.Default == nil:
				bad(place, "The trigger begins nothing: it gives no value for the required input %s. Write inputs: {%s: …}.", in.Name, in.Name)
			case given && (in.Type != definition.List && in.Type != definition.Object) && v != nil:
				if _, err := in.Take(v); err != nil {
					bad(place+".inputs."+in.Name, "The trigger begins nothing: its value for the input %s does not fit: %s.", in.Name, err)
				}
			}
		}
	}
	return out
}

// A Starter begins instances by the clock and by events, and tells those that wait for events.
type Starter struct {
	lib    *Library
	log    Log
	paused bool
	say    *slog.Logger

	failing map[triggerRef]failing // of this round
	counted map[triggerRef]failing // what was not recorded, since much was within the hour

	idle time.Time // until when nobody waits for an event and nothing that is deployed has a trigger, unless somebody tells
}

// NewStarter returns a starter over the log of the library's store. A paused one begins nothing; it tells those that
// wait.
func NewStarter(l *Library, log Log, paused bool, say *slog.Logger) *Starter {
	if say == nil {
		say = slog.Default()
	}
	return &Starter{lib: l, log: log, paused: paused, say: say}
}

const (
	starterCursor = "workflows"
	mostDepth     = 8 // instances that begin one another by events
	longestSleep  = time.Minute
	gather        = 50 * time.Millisecond // what happens meanwhile is looked at together
	farBehind     = 1000                  // positions that nobody waits for and that the cursor need not pass at once
	longestIdle   = time.Second           // how far behind the cursor may be then
)

// Run begins instances until ctx is done. What was due while no daemon ran by the clock is not made up for; events
// are.
func (s *Starter) Run(ctx context.Context) error {
	changed, stop := s.log.Subscribe(event.LogGrew)
	defer stop()
	moved, forget := s.log.Subscribe(event.WorkflowsMoved)
	defer forget()
	awaited, leave := s.log.Subscribe(event.EventsAwaited)
	defer leave()
	since := s.lib.runs.Mint().Now()
	for ctx.Err() == nil {
		next, err := s.round(ctx, since)
		if err != nil && ctx.Err() == nil {
			s.say.Warn("workflows are begun later", "err", err)
		}
		now := s.lib.runs.Mint().Now()
		if err == nil {
			since = now
		}
		sleep := longestSleep
		if !next.IsZero() {
			sleep = min(max(next.Sub(now), 0)+time.Millisecond, longestSleep)
		}
		timer := time.NewTimer(sleep)
		select {
		case <-ctx.Done():
		case <-moved:
			s.idle = time.Time{}
		case <-awaited:
			s.idle = time.Time{}
		case <-changed:
			timer.Reset(gather)
			select {
			case <-ctx.Done():
			case <-timer.C:
			}
		case <-timer.C:
		}
		timer.Stop()
	}
	if err := s.recordCounted(context.WithoutCancel(ctx), true); err != nil {
		s.say.Warn("record how often triggers failed", "err", err)
	}
	return nil
}

// A cause is what a trigger begins an instance for.
type cause struct {
	told  map[string]any // as expressions see it
	event string         // its id; "" by the clock
	key   string
}

// A deployed is a deployed version, compiled.
type deployed struct {
	Version
	*definition.Compiled
}

// round begins what is due since then, and returns when something is due next.
func (s *Starter) round(ctx context.Context, since time.Time) (next time.Time, err error) {
	if time.Now().Before(s.idle) {
		return next, nil // what was recorded meanwhile is after the cursor
	}
	// The end is read first: what is deployed up to it, and who waits, is seen below.
	end, err := s.log.End(ctx)
	if err != nil {
		return next, err
	}
	all, err := s.deployed(ctx)
	if err != nil {
		return next, err
	}
	s.failing = nil
	if next, err = s.due(ctx, all, since); err != nil {
		return next, err
	}
	counted, err := s.record(ctx)
	if err != nil {
		return next, err
	}
	s.count(counted)
	if err := s.recordCounted(ctx, false); err != nil {
		return next, err
	}
	waits, more, err := s.heard(ctx, all, end)
	if more {
		next = s.lib.runs.Mint().Now()
	}
	if err == nil && len(all) == 0 && !waits {
		s.idle = time.Now().Add(longestIdle)
	}
	return next, err
}

// deployed are the deployed versions that have triggers.
func (s *Starter) deployed(ctx context.Context) (out []deployed, err error) {
	list, err := s.lib.store.Workflows(ctx)
	if err != nil {
		return nil, err
	}
	for _, v := range list {
		if v.State != Deployed || s.paused {
			continue
		}
		c, err := v.Read()
		if err != nil {
			s.say.Warn("a workflow cannot be read", "workflow", v.Slug, "err", err)
			continue
		}
		if len(c.Triggers) > 0 {
			out = append(out, deployed{v, c})
		}
	}
	return out, nil
}

// due begins what the clock says.
func (s *Starter) due(ctx context.Context, all []deployed, since time.Time) (next time.Time, err error) {
	now := s.lib.runs.Mint().Now()
	for _, d := range all {
		for i, t := range d.Triggers {
			if t.Cron == "" {
				continue
			}
			from := since
			if d.DeployedAt.After(from) {
				from = d.DeployedAt
			}
			at, ok := clock(t).Next(from)
			if ok && !at.After(now) {
				told := map[string]any{"type": "cron", "at": at.UTC().Format(time.RFC3339)}
				key := fmt.Sprintf("cron/%s/%d/%s", d.Slug, i, at.UTC().Format(time.RFC3339))
				if err := s.begin(ctx, d, i, cause{told, "", key}, Start{}); err != nil {
					return next, err
				}
				at, ok = clock(t).Next(now)
			}
			if ok && (next.IsZero() || at.Before(next)) {
				next = at
			}
		}
	}
	return next, nil
}

// begin begins an instance for trigger i, if its condition holds. One that cannot be begun is noted, and recorded with the round.
func (s *Starter) begin(ctx context.Context, d deployed, i int, c cause, st Start) error {
	yes, inputs, err := d.Begins(ctx, i, c.told)
	if err == nil && yes {
		st.Key, st.Slug, st.Version, st.Inputs, st.By, st.Lane = c.key, d.Slug, d.Number, inputs, Party(d.Slug), run.ScheduleLane
		_, err = s.lib.Start(ctx, st)
	}
	switch kind := fault.KindOf(err); {
	case err == nil || errors.Is(err, errAsked):
		return nil
	case kind == fault.Internal:
		return err // the store: it is tried again
	}
	if ctx.Err() == nil {
		s.failed(d, i, c, err)
	}
	return ctx.Err()
}

// mostEvents is how many events a round reads.
const mostEvents = 1000

// heard begins what events up to end ask for, and tells instances that wait for them. It reports whether any wait, and whether
// there are more events.
func (s *Starter) heard(ctx context.Context, all []deployed, end event.Seq) (waited, more bool, err error) {
	waits, err := s.lib.store.Waits(ctx)
	if err != nil {
		return true, false, err
	}
	more, err = s.upTo(ctx, all, waits, end)
	return len(waits) > 0, more, err
}

func (s *Starter) upTo(ctx context.Context, all []deployed, waits []EventWait, end event.Seq) (more bool, err error) {
	from, err := s.log.Cursor(ctx, starterCursor)
	if err != nil || end <= from {
		return false, err
	}
	if from == 0 { // what was before there were triggers begins nothing
		_, err := s.log.MoveCursor(ctx, starterCursor, 0, end)
		return false, err
	}
	to, n := from, 0
	if len(all) == 0 && len(waits) == 0 {
		if end-from < farBehind {
			return false, nil
		}
		to = end
	} else {
		for e, err := range s.log.After(ctx, from) {
			if err != nil {
				return false, err
			}
			if e.Seq > end {
				break
			}
			if err := s.one(ctx, all, waits, e); err != nil {
				return false, err
			}
			to = e.Seq
			if n++; n == mostEvents {
				break
			}
		}
	}
	if to == from {
		return false, nil
	}
	counted, err := s.record(ctx)
	if err != nil {
		return false, err
	}
	moved, err := s.log.MoveCursor(ctx, starterCursor, from, to)
	if moved { // what another daemon moved over, it counts
		s.count(counted)
	}
	return n == mostEvents, err
}

// one takes in one event. What lies in a person's own stream begins nothing: instances are seen by all. That a trigger failed begins
// nothing, either: it would fail by it again.
func (s *Starter) one(ctx context.Context, all []deployed, waits []EventWait, e event.Event) error {
	if event.PersonOfStream(e.Stream) != "" || e.Message.Type == TriggerFailedKind.Name {
		return nil
	}
	typ := e.Message.Type
	var told map[string]any
	var raw []byte
	tell := func() bool {
		if told == nil {
			told, raw, _ = instance.Told(e)
		}
		return told != nil
	}
	for _, d := range all {
		for i, t := range d.Triggers {
			byHook := t.Webhook != "" && typ == WebhookType
			if !byHook && (t.Event == nil || !fits(t.Event.Type, typ)) || e.At.Before(d.DeployedAt) || !tell() {
				continue
			}
			if payload, _ := told["payload"].(map[string]any); byHook && payload["incoming"] != t.Webhook {
				continue
			}
			depth, ok := s.depth(ctx, d.Slug, e)
			if !ok {
				continue
			}
			key := fmt.Sprintf("event/%s/%d/%d", d.Slug, i, e.Seq)
			if err := s.begin(ctx, d, i, cause{told, e.Message.ID, key}, Start{Origins: originsOf(e), Depth: depth, Trace: e.Message.Trace}); err != nil {
				return err
			}
		}
	}
	for _, w := range waits {
		if fits(w.Type, typ) && e.Seq > w.Since && e.Message.RunID != string(w.Run) && tell() {
			if err := s.wake(ctx, w, instance.Heard{Seq: e.Seq, Event: raw, From: originsOf(e)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// depth is how deep an instance is that an event begins; ok is false when workflows would begin each other
// for ever.
func (s *Starter) depth(ctx context.Context, slug string, e event.Event) (depth int, ok bool) {
	by, err := s.lib.store.Instance(ctx, run.ID(e.Message.RunID))
	if err != nil { // no instance did it
		return 0, true
	}
	if by.Slug == slug || by.Input.Depth+1 > mostDepth {
		return 0, false
	}
	return by.Input.Depth + 1, true
}

// originsOf is where what an event says comes from, when that is outside.
func originsOf(e event.Event) []string {
	switch {
	case e.Message.Type == WebhookType:
		return []string{tool.FromImports}
	case e.Message.From.Role == "person":
		return nil
	}
	return []string{tool.FromAgents}
}

// wake tells an instance of an event. One that has something in hand is given a moment; it looks again by itself.
func (s *Starter) wake(ctx context.Context, w EventWait, h instance.Heard) error {
	return run.Retry(ctx, func() (again bool, err error) {
		err = s.lib.write(ctx, func(b *run.Batch, _ Tx) error {
			r, err := b.Runs().Run(w.Run)
			if err != nil || r.State.Final() {
				return err
			}
			b.Hold(event.ThreadStream(r.Thread))
			if _, err := b.Append(instance.HeardStep(r, w.Step, h)); err != nil {
				return err
			}
			if again = r.State != run.Waiting; again {
				return nil
			}
			return b.Wake(w.Run, run.Chela(), "An event came that it may wait for.")
		})
		if fault.KindOf(err) == fault.Conflict && err != nil {
			err = nil
		}
		return again, err
	})
}
