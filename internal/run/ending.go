package run

import (
	"context"
	"slices"

	"chela/internal/event"
	"chela/internal/fault"
)

// An Ending says what is recorded with the end of a run that failed, or that somebody cancelled: its handler may not have
// been there to say it. It may be asked more than once, within the transaction of a cancel, and changes nothing itself.
type Ending func(ctx context.Context, r Run, reason string) ([]event.Draft, error)

// End has ending say what becomes of what runs of a kind were about. It is called before [Engine.Run].
func (e *Engine) End(kind string, ending Ending) { e.endings[kind] = ending }

// ending returns what is recorded with the end of a run. What cannot be said keeps no run from its end.
func (e *Engine) ending(ctx context.Context, r Run, reason string) []event.Draft {
	says, ok := e.endings[r.Kind]
	if !ok {
		return nil
	}
	drafts, err := says(ctx, r, reason)
	if err != nil {
		e.opts.Log.Warn("what a run was about does not say that the run ended", "run", r.ID, "err", err)
	}
	return drafts
}

// finishWithEnding records how a segment ended, and, where the run failed, what its [Ending] says. When that is refused, such as
// for somebody who changed the same record meanwhile, the run ends without it.
func (e *Engine) finishWithEnding(ctx context.Context, s *Segment, out Outcome) error {
	if out.State != Failed {
		return e.finish(ctx, s, out)
	}
	told := out
	told.Drafts = slices.Concat(out.Drafts, e.ending(ctx, s.Run, out.Reason))
	err := e.finish(ctx, s, told)
	if kind := fault.KindOf(err); err != nil && len(told.Drafts) > len(out.Drafts) && (kind == fault.Conflict || kind == fault.Invalid) {
		e.opts.Log.Warn("what a run was about does not say that the run ended", "run", s.Run.ID, "err", err)
		err = e.finish(ctx, s, out) // it ends anyway
	}
	return err
}
