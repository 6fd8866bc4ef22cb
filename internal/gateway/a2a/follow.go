package a2a

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"

	"chela/internal/fault"
	"chela/internal/talk"
)

// SendStreamingMessage implements [srv.RequestHandler].
func (d *door) SendStreamingMessage(ctx context.Context, r *sdk.SendMessageRequest) iter.Seq2[sdk.Event, error] {
	return func(yield func(sdk.Event, error) bool) {
		if err := d.stream(ctx, r, yield); err != nil {
			yield(nil, d.protocols(ctx, err))
		}
	}
}

// SubscribeToTask implements [srv.RequestHandler].
func (d *door) SubscribeToTask(ctx context.Context, r *sdk.SubscribeToTaskRequest) iter.Seq2[sdk.Event, error] {
	return func(yield func(sdk.Event, error) bool) {
		w, err := d.own(ctx, r.ID)
		if err == nil && w.run.State.Final() {
			err = sdk.NewError(sdk.ErrUnsupportedOperation, fmt.Sprintf("The task %s has ended, so nothing comes of it any more. GetTask tells what it came to.", r.ID))
		}
		if err == nil {
			err = d.follow(ctx, w, look{mostHistory, true}, true, yield)
		}
		if err != nil {
			yield(nil, d.protocols(ctx, err))
		}
	}
}

func (d *door) stream(ctx context.Context, r *sdk.SendMessageRequest, yield func(sdk.Event, error) bool) error {
	l, err := lookFor(r)
	if err != nil {
		return err
	}
	acc, err := d.accept(ctx, r)
	if err != nil {
		return err
	}
	if acc.Run == "" {
		yield(replied(acc), nil)
		return nil
	}
	w, err := d.taken(ctx, acc)
	if err != nil {
		return err
	}
	if w.run.ID == "" {
		yield(replied(acc), nil)
		return nil
	}
	return d.follow(ctx, w, l, false, yield)
}

// errStop ends the following of a run: its client has left, or is told to come again.
var errStop = errors.New("the client hears no more")

// follow tells a client of a task until it has ended, and, unless through, until it waits for somebody. It returns no error after
// the client has left.
func (d *door) follow(ctx context.Context, w work, l look, through bool, yield func(sdk.Event, error) bool) error {
	first, err := d.task(ctx, w, l)
	if err != nil {
		return err
	}
	if !yield(first, nil) || first.Status.State.Terminal() {
		return nil
	}
	if w, err = d.begun(ctx, w); err != nil {
		return err
	}
	if w.held != nil {
		return d.end(ctx, w, &writer{info: w.info(), yield: yield})
	}
	told := first.Status.State
	tell := func() error {
		now, err := d.now(ctx, w)
		if err != nil {
			return err
		}
		s, err := d.status(ctx, now)
		if err != nil || s.State == told || s.State.Terminal() {
			return err // the end tells of it
		}
		if told = s.State; !yield(&sdk.TaskStatusUpdateEvent{TaskID: first.ID, ContextID: first.ContextID, Status: s}, nil) {
			return errStop
		}
		return nil
	}
	written := &writer{info: w.info(), yield: yield}
	_, err = d.Talk.Follow(ctx, w.accepted(), talk.Viewer{
		Text: func(more string) error {
			if told != sdk.TaskStateWorking {
				told = sdk.TaskStateWorking
				at := d.Talk.Store.Desk.Mint().Now().UTC()
				if !yield(&sdk.TaskStatusUpdateEvent{TaskID: first.ID, ContextID: first.ContextID, Status: sdk.TaskStatus{State: told, Timestamp: &at}}, nil) {
					return errStop
				}
			}
			return written.write(more)
		},
		Waits: func(string) error {
			if err := tell(); err != nil || through {
				return err
			}
			return errStop
		},
	})
	if errors.Is(err, errStop) || ctx.Err() != nil {
		return nil //nolint:nilerr // nobody hears it
	}
	if err != nil {
		return err
	}
	return d.end(ctx, w, written)
}

// now is a work as it stands now.
func (d *door) now(ctx context.Context, w work) (work, error) {
	r, err := d.Talk.Store.Runs.Run(ctx, w.run.ID)
	if err != nil && fault.KindOf(err) == fault.NotFound && w.held != nil {
		return w, nil
	}
	return work{run: r}, err
}

// end tells what a task came to: what was not shown of its answer, and its state.
func (d *door) end(ctx context.Context, w work, shown *writer) error {
	now, err := d.now(ctx, w)
	if err != nil {
		return err
	}
	last, err := d.task(ctx, now, look{artifacts: true})
	if err != nil {
		return err
	}
	for _, a := range last.Artifacts {
		if err := shown.finish(a); err != nil {
			return nil //nolint:nilerr // the client has left
		}
	}
	shown.yield(&sdk.TaskStatusUpdateEvent{TaskID: last.ID, ContextID: last.ContextID, Status: last.Status}, nil)
	return nil
}

// A writer shows the answer of a task while it is written.
type writer struct {
	info  sdk.TaskInfo
	yield func(sdk.Event, error) bool
	text  strings.Builder // what was shown
}

// write shows a piece.
func (w *writer) write(more string) error {
	if more == "" {
		return nil
	}
	e := &sdk.TaskArtifactUpdateEvent{TaskID: w.info.TaskID, ContextID: w.info.ContextID, Append: w.text.Len() > 0, Artifact: &sdk.Artifact{ID: answerID, Name: "answer", Parts: sdk.ContentParts{textPart(more)}}}
	w.text.WriteString(more)
	if !w.yield(e, nil) {
		return errStop
	}
	return nil
}

// finish shows what is left of the whole answer: nothing, its files, or all of it where it was shown otherwise.
func (w *writer) finish(whole *sdk.Artifact) error {
	rest := *whole
	rest.Parts = whole.Parts
	same := len(rest.Parts) > 0 && rest.Parts[0].Text() == strings.TrimSpace(w.text.String())
	if same {
		rest.Parts = rest.Parts[1:]
	}
	if len(rest.Parts) == 0 {
		return nil
	}
	if !w.yield(&sdk.TaskArtifactUpdateEvent{TaskID: w.info.TaskID, ContextID: w.info.ContextID, Append: same, LastChunk: true, Artifact: &rest}, nil) {
		return errStop
	}
	return nil
}
