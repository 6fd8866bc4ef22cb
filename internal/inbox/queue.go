package inbox

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
)

// heeding is a message of which its conversation says what becomes of it.
func (in *Inbox) heeding(ctx context.Context, n incoming) (incoming, error) {
	role, err := in.records.Members.RoleOf(ctx, n.From)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return n, err
	}
	n.heeds, n.mayStop = true, role.AtLeast(org.Editor)
	n.slots, err = in.slots(ctx)
	return n, err
}

// slots are how many slots the agents have that work, where they are counted.
func (in *Inbox) slots(ctx context.Context) (map[string]int, error) {
	if !in.opts.Slots {
		return nil, nil //nolint:nilnil // none
	}
	all, err := in.records.Members.Agents(ctx)
	if err != nil {
		return nil, err
	}
	out := make(map[string]int, len(all))
	for _, a := range all {
		if a.Ready() == nil {
			out[string(a.Card.AgentID)] = max(a.Card.Limits.MaxConcurrency, 1)
		}
	}
	return out, nil
}

// modeIn is what becomes of a message in a conversation. Whoever may not stop the work does not
// by speaking. What a program says by a key is answered by itself, within the key's bounds,
// and so is what it says with tools of its own.
func (n incoming) modeIn(live session.Thread) session.Mode {
	if n.From.Key != "" || n.Client != nil {
		return session.Followup
	}
	if !n.heeds {
		return n.mode
	}
	mode := cmp.Or(live.Queue, n.Queue, session.Steer)
	if mode == session.Interrupt && !n.mayStop {
		mode = session.Collect
	}
	return mode
}

// holds reports whether a message waits: for who works, behind those that wait already, or for
// more of the same.
func (n incoming) holds(busy string, held []session.Waiting) bool {
	switch {
	case n.answer != nil:
		return false
	case busy != "":
		return n.awaitsTranscript() || n.mode == session.Collect || n.mode == session.Followup || len(held) > 0 && n.mode == session.Steer
	}
	return n.Debounce || len(held) > 0 || n.awaitsTranscript()
}

// hold records that a message waits. Of more than can wait the oldest is dropped, and that is told.
func (in *Inbox) hold(b *run.Batch, n incoming, project, busy string, held []session.Waiting, out *Accepted) error {
	h := session.Held{Message: n.Text, Images: n.Images, Audio: n.Audio, Transcript: n.transcript, Via: n.Via, Mode: n.mode, Timeout: n.Timeout, Lane: string(n.Lane), Client: n.Client, Background: n.Background, Origins: n.Origins, About: n.About}
	switch now := b.Mint().Now(); {
	case n.awaitsTranscript():
		h.Due = session.Until(now)
	case busy == "":
		h.Due = session.Debounce(held, now)
	}
	draft := session.HeldKind.Draft(keyed(n.at, n.Key), h)
	draft.Message.Requires, draft.Message.Prefers, draft.Message.Security = n.said.Message.Requires, n.said.Message.Prefers, n.said.Message.Security
	recorded, err := b.Append(draft)
	if err != nil {
		return err
	}
	if len(recorded) == 0 {
		return errAgain
	}
	out.Message = recorded[0].Message.ID
	if err := in.transcribe(b, n, project, out.Message); err != nil || len(held) < session.MostHeld {
		return err
	}
	at := n.at
	at.From = run.Chela()
	text := fmt.Sprintf("%d messages wait here, which is the most there may be. The oldest is dropped and will not be answered: “%s”", session.MostHeld, session.TitleOf(held[0].Message))
	_, err = b.Append(session.DroppedKind.Draft(at, session.Dropped{ID: held[0].ID, Why: "Too many waited."}), session.NoticeKind.Draft(at, session.Notice{Message: text}))
	return err
}

// Run says what waited when its turn has come, until ctx is done.
func (in *Inbox) Run(ctx context.Context) error {
	moved, leave := in.records.Log.Subscribe(event.QueuesMoved)
	defer leave()
	settled, forget := in.records.Log.Subscribe(event.RunsSettled)
	defer forget()
	for ctx.Err() == nil {
		next, some, err := in.release(ctx)
		if err != nil && ctx.Err() == nil {
			in.opts.log().Warn("messages that wait cannot be said", "err", err)
		}
		freed := settled
		if err == nil && !some {
			freed = nil // no run's end lets anything be said
		}
		timer := time.NewTimer(next)
		select {
		case <-ctx.Done():
		case <-moved:
		case <-freed:
		case <-timer.C:
		}
		timer.Stop()
	}
	return nil
}

// look is how often it is looked whether something waits that nobody told us of.
const look = 5 * time.Second

// mostReleased are the conversations in which something is said at once: they share commits.
const mostReleased = 32

// release says what has its turn, and returns when to look again, and whether something waited.
func (in *Inbox) release(ctx context.Context) (next time.Duration, waited bool, err error) {
	queues, err := in.records.Conversations.Queued(ctx)
	if err != nil {
		return time.Second, false, err
	}
	next = look
	var some errgroup.Group
	some.SetLimit(mostReleased)
	for _, q := range queues {
		if wait := q.Due.Sub(in.runs.Now()); wait > 0 {
			next = min(next, wait)
			continue
		}
		some.Go(func() error { return in.releaseIn(ctx, q) })
	}
	if err := some.Wait(); err != nil {
		return time.Second, true, err
	}
	return next, len(queues) > 0, nil
}

// releaseIn says what has its turn in a conversation.
func (in *Inbox) releaseIn(ctx context.Context, q session.Queue) error {
	held, err := in.records.Conversations.Waiting(ctx, q.Thread)
	if err != nil || len(session.Turn(held, q.Busy, in.runs.Now())) == 0 {
		return err
	}
	events := make(map[string]event.Event, len(held)) // read before the transaction: they never change
	for _, w := range held {
		if events[w.ID], err = in.records.Log.EventByID(ctx, w.ID); err != nil {
			return err
		}
	}
	return in.write(ctx, func(b *run.Batch, tx Tx) error {
		found, err := enter(tx, q.Thread)
		busy, held, live := found.Busy, found.Held, found.Conversation
		if err != nil || !found.Begun || live.Closed {
			return err
		}
		for i, w := range session.Turn(held, busy != "", b.Mint().Now()) {
			e, known := events[w.ID]
			if !known {
				return nil // it came meanwhile
			}
			n, err := heldBefore(b.Mint(), e, w)
			if err != nil {
				return err
			}
			out, err := in.say(b, tx, n, live, nil, busy)
			if err != nil {
				return err
			}
			if i == 0 {
				busy, live.Title = out.Run, cmp.Or(live.Title, n.title())
			}
		}
		return nil
	})
}

// whatFollows is how many events a message brings whose conversation is free: what was said, the task and the run.
const whatFollows = 3

// enter reads a conversation. Nobody else writes to it until the transaction ends.
func enter(tx Tx, thread string) (Entry, error) {
	tx.Hold(event.ThreadStream(thread))
	return tx.Conversations().Enter(thread, whatFollows)
}

// heldBefore is a message that waited as it is said now.
func heldBefore(mint *event.Mint, e event.Event, w session.Waiting) (incoming, error) {
	m := e.Message
	in := Message{
		Thread: m.ThreadID, Run: run.ID(m.RunID), Text: w.Message, Images: w.Images, Audio: w.Audio, Via: w.Via, From: m.From, Key: session.HeldKey(w.ID),
		Requires: m.Requires, Prefers: m.Prefers, Trace: m.Trace, Timeout: w.Timeout, Lane: run.Lane(w.Lane), Client: w.Client, Background: w.Background, Origins: w.Origins, About: w.About,
	}
	if m.Security != nil {
		in.Policy = m.Security.Policy
	}
	in.held, in.transcript = w.ID, w.Transcript
	n, err := received(mint, in, nil)
	n.mode = w.Mode
	return n, err
}

// queue tells or changes what becomes of messages that come while an agent works.
func (in *Inbox) queue(ctx context.Context, m *Message, wanted string) (*reply, error) {
	does := map[session.Mode]string{
		session.Steer:     "the agent sees it before its next step",
		session.Collect:   "it waits, and all that wait are answered together",
		session.Followup:  "it waits for its turn, and is answered by itself",
		session.Interrupt: "the work is stopped, and it is answered at once",
	}
	mode := session.Mode(strings.ToLower(wanted))
	switch {
	case wanted == byDefault:
		none := session.Mode("")
		return &reply{text: "From now on it is as the channel says, else `steer`.", changed: session.Changed{Queue: &none}}, nil
	case mode.Valid():
		return &reply{text: fmt.Sprintf("From now on, when a message comes while an agent works: %s.", does[mode]), changed: session.Changed{Queue: &mode}}, nil
	case wanted != "":
		return nil, fault.New(fault.Invalid, "There is no queue mode %q. There are: steer, collect, followup, interrupt and default.", wanted)
	}
	live, _, err := in.session(ctx, m)
	if err != nil {
		return nil, err
	}
	now := cmp.Or(live.Queue, m.Queue, session.Steer)
	lines := []string{fmt.Sprintf("The queue mode is `%s`. When a message comes while an agent works:", now), ""}
	for _, mode := range session.Modes() {
		lines = append(lines, fmt.Sprintf("- `%s`: %s", mode, does[mode]))
	}
	held, err := in.waitingIn(ctx, m.Thread)
	if err != nil {
		return nil, err
	}
	lines = append(lines, "", waits(len(held)))
	return &reply{text: strings.Join(lines, "\n")}, nil
}

func (in *Inbox) waitingIn(ctx context.Context, thread string) ([]session.Waiting, error) {
	if thread == "" {
		return nil, nil
	}
	return in.records.Conversations.Waiting(ctx, thread)
}

// waits tells how many messages wait.
func waits(n int) string {
	switch n {
	case 0:
		return "No message waits."
	case 1:
		return "One message waits."
	}
	return fmt.Sprintf("%d messages wait.", n)
}
