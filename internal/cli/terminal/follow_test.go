package terminal

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway/client"
)

// A cutting daemon sends one event at a time, ends the stream after it, and is away once.
type cutting struct {
	desk
	followed []string
}

func (c *cutting) Follow(ctx context.Context, thread string, after event.Seq, hear func(client.Heard)) error {
	c.followed = append(c.followed, fmt.Sprint(thread, " ", after))
	switch len(c.followed) {
	case 2:
		return fault.New(fault.Unavailable, "No daemon answers.")
	case 4:
		<-ctx.Done()
		hear(client.Heard{Seq: 99}) // it was on its way
		return ctx.Err()
	}
	hear(client.Heard{Seq: after + 1})
	return nil
}

func TestFollow_AStreamThatEndsIsFollowedFromWhereItEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var got []string
		d := new(cutting)
		f := follower{daemon: d, send: func(m tea.Msg) { got = append(got, fmt.Sprintf("%T", m)) }}
		ctx, cancel := context.WithCancel(t.Context())
		f.follow(ctx, "thr_1", 10)
		<-time.After(3*again + again/2)
		synctest.Wait()
		cancel()
		f.wg.Wait()
		if fmt.Sprint(d.followed) != "[thr_1 10 thr_1 11 thr_1 11 thr_1 12]" || fmt.Sprint(got) != "[terminal.heardMsg terminal.cutMsg terminal.heardMsg]" {
			t.Errorf("%q, %q", d.followed, got)
		}
	})
}
