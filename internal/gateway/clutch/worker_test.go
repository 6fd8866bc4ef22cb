package clutch

import (
	"context"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/worker"
)

// A kept store has one task, which is taken.
type kept struct {
	worker.Store

	task worker.Task
}

func (k *kept) Task(context.Context, string) (worker.Task, error) { return k.task, nil }
func (k *kept) Mint() *event.Mint                                 { return nil }

func (k *kept) Move(_ context.Context, _ string, fn func(worker.Task) ([]event.Draft, error)) error {
	drafts, err := fn(k.task)
	for _, d := range drafts {
		if err == nil {
			k.task, err = k.task.With(event.Event{Stream: d.Stream, Message: d.Message})
		}
	}
	return err
}

// FuzzMoved: whatever a worker says of a task, it is refused as its own mistake, or the task stands where it may, with text that a database takes.
func FuzzMoved(f *testing.F) {
	for _, s := range []string{`{}`, `{"success":true,"output":"x"}`, `{"success":true,"output":{"a":[1]},"summary":"s"}`, `{"success":false,"output":null,"summary":"no"}`, `{"status":"input_required","message":"Where?"}`, `{"status":"running","progress":-1}`, `{"code":"E","message":"m"}`, `{"success":true,"output":"\ud800"}`} {
		for i := range 4 {
			f.Add(i, []byte(s))
		}
	}
	types := []string{event.TaskAccept, event.TaskProgress, event.TaskResult, event.TaskError}
	f.Fuzz(func(t *testing.T, kind int, payload []byte) {
		if !json.Valid(payload) {
			return // the message would not be one
		}
		k := &kept{task: worker.Task{ID: "task_1", Worker: "ken", State: worker.Taken, Attempt: 1, Stream: "thread:t", Said: []worker.Words{{Text: "x"}}, At: (*event.Mint)(nil).Now()}}
		d := &door{store: Store{Workers: worker.New(k)}}
		_, err := d.moved(t.Context(), worker.Bearer{Worker: "ken", Message: "m"}, event.Message{TaskID: "task_1", Type: types[uint(kind)%4], Payload: payload})
		switch {
		case err != nil && fault.KindOf(err) != fault.Invalid && fault.KindOf(err) != fault.TooLarge && fault.KindOf(err) != fault.Conflict:
			t.Errorf("%s: %v", payload, err)
		case err == nil && k.task.State != worker.Taken && !worker.Taken.CanBecome(k.task.State) || !utf8.ValidString(k.task.Output+k.task.Note+k.task.Reason):
			t.Errorf("%s leaves %+v", payload, k.task)
		}
	})
}
