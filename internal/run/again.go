package run

import (
	"context"
	"slices"
	"strings"
	"time"
)

// unanswered is [ErrAgain] when a question for whose answer a run is about to wait was answered meanwhile.
func unanswered(tx Tx, out Outcome) error {
	questions := out.Questions
	if id, ok := strings.CutPrefix(out.WaitsFor, ForPerson); ok && !slices.Contains(questions, id) {
		questions = append(slices.Clone(questions), id)
	}
	if len(questions) == 0 {
		return nil
	}
	answered, err := tx.Runs().Answered(questions...)
	if err == nil && answered {
		err = ErrAgain
	}
	return err
}

// Retry calls fn every 20 ms as long as it says so, for two seconds: for what can be done when a
// run has parked that is about to. It returns the last error.
func Retry(ctx context.Context, fn func() (again bool, err error)) error {
	for n := 0; ; n++ {
		again, err := fn()
		if !again || n == 100 {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
