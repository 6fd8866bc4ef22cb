package agent

import (
	"context"
	"slices"

	"chela/internal/event"
	"chela/internal/model"
	"chela/internal/session"
)

// A stretch is what a forked conversation has of a thread: its messages up to a position.
type stretch struct {
	thread string
	upTo   event.Seq
}

// stretches are the threads whose messages make up a conversation, the oldest first: those from which it was forked, each up to
// where that was, and its own.
func (g *Runner) stretches(ctx context.Context, t session.Thread) ([]stretch, error) {
	out := []stretch{{t.ID, event.Newest}}
	for t.ForkedFrom != "" {
		out = append(out, stretch{t.ForkedFrom, t.ForkedSeq})
		var err error
		if t, err = g.conv.Session(ctx, t.ForkedFrom); err != nil {
			return nil, err
		}
	}
	slices.Reverse(out)
	return out, nil
}

// Inherited returns what was said in the conversations from which t was forked, up to where it was: at most room messages, the newest,
// oldest first. Where one of them is not shown whole any more, what stood for its older part then is returned, too.
func (sc *Scope) Inherited(ctx context.Context, t session.Thread, room int) (said []session.Message, begins []model.Message, err error) {
	if t.ForkedFrom == "" {
		return nil, nil, nil
	}
	from, err := sc.g.stretches(ctx, t)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range slices.Backward(from[:len(from)-1]) {
		if len(said) >= room {
			break
		}
		found, err := sc.g.conv.LastMessages(ctx, s.thread, s.upTo, room-len(said))
		if err != nil {
			return nil, nil, err
		}
		covered, err := sc.g.conv.Compacted(ctx, s.thread, s.upTo)
		if err != nil {
			return nil, nil, err
		}
		said = append(past(found, covered.UpTo), said...)
		if covered.Messages > 0 {
			return said, []model.Message{sc.Covered(covered, covered.Messages)}, nil
		}
	}
	return said, nil, nil
}

// past are the messages, oldest first, that come after a position.
func past(said []session.Message, at event.Seq) []session.Message {
	for len(said) > 0 && said[0].Seq <= at {
		said = said[1:]
	}
	return said
}
