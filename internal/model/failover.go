package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
)

// cooldowns are how long a model is left alone after failures in a row for a reason; the
// last holds for all after it. A bill is paid in hours and a rate limit passes in minutes. A reason
// that is not in the table says nothing of the model: no other model is asked.
var cooldowns = map[Reason][]time.Duration{
	Billing:       {5 * time.Hour, 10 * time.Hour, 20 * time.Hour, 24 * time.Hour},
	RateLimit:     {time.Minute, 5 * time.Minute, 25 * time.Minute, time.Hour},
	Auth:          {time.Hour},
	TimedOut:      {time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 16 * time.Minute, 30 * time.Minute},
	Server:        {time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 16 * time.Minute, 30 * time.Minute},
	Format:        {time.Minute},
	ModelNotFound: {48 * time.Hour},
}

// forget is how long after a cool-down's end the next failure counts as the first again.
const forget = 24 * time.Hour

// probeWindow is the end of a cool-down in which one call is let through.
func probeWindow(d time.Duration) time.Duration { return min(2*time.Minute, d/4) }

// RotatedKind records that another model was asked because one had failed.
var RotatedKind = event.Kind[Rotated]{Name: "model.rotated", PayloadType: "model.rotated.v1"}

// Rotated is the payload of model.rotated.
type Rotated struct {
	From   string    `json:"from"` // provider/model
	To     string    `json:"to"`
	Reason Reason    `json:"reason"`
	Error  string    `json:"error"` // the sentence for people
	Until  time.Time `json:"until"` // when From is asked again at the latest
}

// Cooling is the state of a model that is not asked for now.
type Cooling struct {
	Model  string    `json:"model"` // provider/model
	Reason Reason    `json:"reason"`
	Error  string    `json:"error"`
	Until  time.Time `json:"until"`
}

// A Rotation decides which of several models a call goes to: the first that does not cool
// down. It knows models by their names only. Safe for concurrent use.
type Rotation struct {
	now     func() time.Time
	rotated func(context.Context, Rotated)

	mu  sync.Mutex // guards ill
	ill map[string]*illness
}

// An illness is what is known of a model that failed.
type illness struct {
	Cooling
	length  time.Duration
	again   map[Reason]int // failures in a row
	probing bool           // one call is let through and has not ended
}

// NewRotation returns a rotation in which every model is well. rotated, when not nil, hears
// of every rotation.
func NewRotation(now func() time.Time, rotated func(context.Context, Rotated)) *Rotation {
	if rotated == nil {
		rotated = func(context.Context, Rotated) {}
	}
	return &Rotation{now: now, rotated: rotated, ill: make(map[string]*illness)}
}

// Try calls the models in their order until one answers. It goes on to the next only
// after a failure that is the model's own, of which nobody has seen any text.
func (r *Rotation) Try(ctx context.Context, names []string, call func(name string) (Answer, error)) (Answer, error) {
	var failed *Rotated
	var last error
	spent := Answer{}
	for _, name := range names {
		ok, probe := r.may(name)
		if !ok {
			continue
		}
		if failed != nil {
			failed.To = name
			r.rotated(ctx, *failed)
		}
		a, err := call(name)
		a.Attempts, a.Duration = a.Attempts+spent.Attempts, a.Duration+spent.Duration
		until, goOn := r.ended(name, probe, err)
		if err == nil || !goOn || ctx.Err() != nil {
			return a, err
		}
		var e *Error
		errors.As(err, &e) // it goes on after these only
		failed = &Rotated{From: name, Reason: e.Reason, Error: fault.TextOf(err), Until: until}
		last, spent = err, a
	}
	if last == nil {
		last = r.allCooling(names)
	}
	return spent, last
}

// may reports whether a model may be called now, and whether the call is its probe.
func (r *Rotation) may(name string) (ok, probe bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ill := r.ill[name]
	now := r.now()
	switch {
	case ill == nil || !now.Before(ill.Until):
		return true, false
	case ill.probing || now.Before(ill.Until.Add(-probeWindow(ill.length))):
		return false, false
	}
	ill.probing = true
	return true, true
}

// ended takes in how a call went, and reports whether another model may be asked.
func (r *Rotation) ended(name string, probe bool, err error) (until time.Time, goOn bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ill := r.ill[name]
	if err == nil {
		delete(r.ill, name)
		return until, false
	}
	var e *Error
	var steps []time.Duration
	if errors.As(err, &e) {
		steps = cooldowns[e.Reason]
	}
	now := r.now()
	switch {
	case len(steps) == 0: // it says nothing of the model
		if probe && ill != nil {
			ill.probing = false
		}
		return until, false
	case !probe && ill != nil && now.Before(ill.Until): // it began before another that failed
		return ill.Until, e.Shown == ""
	case ill == nil || now.Sub(ill.Until) > forget:
		ill = &illness{again: make(map[Reason]int)}
		r.ill[name] = ill
	}
	ill.length = max(steps[min(ill.again[e.Reason], len(steps)-1)], e.RetryAfter)
	ill.again[e.Reason]++
	ill.probing = false
	ill.Cooling = Cooling{Model: name, Reason: e.Reason, Error: fault.TextOf(err), Until: now.Add(ill.length)}
	return ill.Until, e.Shown == ""
}

// allCooling is the error when no model may be asked.
func (r *Rotation) allCooling(names []string) error {
	list := slices.DeleteFunc(r.Cooling(), func(c Cooling) bool { return !slices.Contains(names, c.Model) })
	if len(list) == 0 { // one was being probed, and is well since
		return &Error{Reason: AllCooling, Detail: "Every model is being tried by another call; try again in a minute."}
	}
	c := slices.MinFunc(list, func(a, b Cooling) int { return a.Until.Compare(b.Until) })
	return &Error{Reason: AllCooling, Model: c.Model, Detail: fmt.Sprintf("All %d models that could answer have failed lately. The first to be asked again is %s, at %s; it said: %s", len(names), c.Model, c.Until.UTC().Format("15:04 UTC on 2006-01-02"), c.Error)}
}

// Cooling returns the models that are not asked for now, by their names.
func (r *Rotation) Cooling() []Cooling {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := []Cooling{}
	now := r.now()
	for _, ill := range r.ill {
		if now.Before(ill.Until) {
			out = append(out, ill.Cooling)
		}
	}
	slices.SortFunc(out, func(a, b Cooling) int {
		if a.Model < b.Model {
			return -1
		}
		return 1
	})
	return out
}

// Reset takes every model for well: the configuration has changed.
func (r *Rotation) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.ill)
}
