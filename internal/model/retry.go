package model

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// waits are how long after a failure each of three more attempts is made: somebody is
// waiting for the answer. Each is varied by a quarter up or down, so that many who failed together do not return
// together.
var waits = []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second}

// Retry makes up to three more attempts at a call that failed and may succeed later,
// honouring what the provider says about when, unless that is after ctx has ended. A stream that broke after text was shown is taken up
// where it stopped, once, and joined with what came ([Join]); when that fails too, or the model
// says nothing more or something else, the answer is what came, with StopBroken.
func Retry(m Model) Model { return retrying{next: m, now: time.Now} }

type retrying struct {
	next Model
	// patience is the longest wait that a provider may ask for; 0 means any.
	patience time.Duration
	now      func() time.Time // for how long an answer took
}

func (r retrying) Generate(ctx context.Context, req Request, show func(Delta)) (Answer, error) {
	start := r.now()
	for attempt := 1; ; attempt++ {
		a, err := r.next.Generate(ctx, req, show)
		a.Attempts, a.Duration = attempt, r.now().Sub(start)
		var me *Error
		if err == nil || !errors.As(err, &me) {
			return a, err
		}
		if me.Shown != "" {
			return r.resume(ctx, req, show, me, a)
		}
		if !me.Reason.Retryable() || attempt > len(waits) {
			return a, err
		}
		wait := waits[attempt-1]
		wait += time.Duration((rand.Float64() - 0.5) / 2 * float64(wait)) //nolint:gosec // spreading load, not secrets
		if me.RetryAfter > 0 {
			wait = me.RetryAfter
			if end, ok := ctx.Deadline(); ok && time.Until(end) <= wait {
				return a, err // there would be no time to ask
			}
		}
		if r.patience > 0 && wait > r.patience {
			return a, err
		}
		select {
		case <-ctx.Done():
			return a, err
		case <-time.After(wait):
		}
	}
}

// resume asks the model to go on from what was shown. part is the attempt that broke.
func (r retrying) resume(ctx context.Context, req Request, show func(Delta), broke *Error, part Answer) (Answer, error) {
	if broke.Reason == Canceled {
		return part, broke
	}
	again := req
	again.Messages = append(append([]Message(nil), req.Messages...),
		Message{Role: Assistant, Parts: []Part{{Text: broke.Shown}}},
		Message{Role: User, Parts: []Part{{Text: "Your answer was cut off. Go on exactly where it stopped, without repeating anything."}}})
	begin := r.now()
	j := &rejoiner{first: broke.Shown, show: show}
	out, err := r.next.Generate(ctx, again, j.take)
	j.settle()
	more := out.Text
	if err != nil {
		var me *Error
		if errors.As(err, &me) {
			more = me.Shown
		}
		out = Answer{Provider: broke.Provider, Model: broke.Model, Stop: StopBroken}
	}
	text, whole := Join(broke.Shown, more)
	if !whole || strings.TrimSpace(more) == "" && len(out.Calls) == 0 {
		out.Stop = StopBroken
	}
	out.Resumed = out.Stop != StopBroken
	out.Attempts, out.Duration = part.Attempts+1, part.Duration+r.now().Sub(begin)
	out.Parts = append([]Part{{Text: text}}, slices.DeleteFunc(out.Parts, func(p Part) bool { return p.Text != "" })...)
	out.Finish()
	return out, nil
}
