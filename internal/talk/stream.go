package talk

import (
	"context"
	"iter"
	"time"

	"chela/internal/inbox"
	"chela/internal/run"
	"chela/internal/stream"
)

// Stream yields the ticks of the run that answers a message, and ends when the run has ended or waits
// for somebody; [Talk.Await] says how. Ticks of a run that another node works are not heard here.
func (t *Talk) Stream(ctx context.Context, acc inbox.Accepted) iter.Seq2[stream.Tick, error] {
	return func(yield func(stream.Tick, error) bool) {
		if acc.Run == "" {
			return
		}
		ticks := t.Hub.Subscribe(acc.Thread)
		defer ticks.Close()
		settled, stop := t.Store.Runs.Settled(run.ID(acc.Run))
		defer stop()
		look := time.NewTicker(lookEvery)
		defer look.Stop()
		out := Reply{Accepted: acc}
		over, err := t.settle(ctx, &out, run.Finished{})
		for !over && err == nil {
			var how run.Finished
			select {
			case <-ctx.Done():
				return
			case tick := <-ticks.C:
				if tick.Run == acc.Run && !yield(tick, nil) {
					return
				}
				continue
			case how = <-settled:
			case <-look.C:
			}
			over, err = t.settle(ctx, &out, how)
		}
		for len(ticks.C) > 0 { // what came before the end
			if tick := <-ticks.C; tick.Run == acc.Run && !yield(tick, nil) {
				return
			}
		}
		if err != nil {
			yield(stream.Tick{}, err)
		}
	}
}
