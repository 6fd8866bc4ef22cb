package storetest

import (
	"context"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/worker"
)

// workersFetch holds that a task is given once, fetched until it is taken, taken by one, and ended once; that who waits is woken, here and by
// another process; and that nobody has another's.
func workersFetch(t *testing.T, open Opener) {
	db, again := open(t)
	tasks := worker.New(db.Workers)
	at := place(event.ThreadStream("thr_1"))
	at.Thread = "thr_1"
	ken := func(message string) worker.Bearer {
		return worker.Bearer{Worker: "ken", Party: event.Party{AgentID: "agent:ken", Key: "key_1"}, Message: message}
	}
	other, err := again()
	check(t, err)
	defer func() { check(t, other.Close()) }()
	woken := make(chan []worker.Task, 1)
	go func() {
		got, err := worker.New(other.Workers).Fetch(context.WithoutCancel(t.Context()), "ken", 10, 20*time.Second)
		check(t, err)
		woken <- got
	}()
	first, err := tasks.Give(t.Context(), at, "call_1", worker.Given{Worker: "ken", Text: "Deploy it"})
	check(t, err)
	if same, err := tasks.Give(t.Context(), at, "call_1", worker.Given{Worker: "ken", Text: "Deploy it"}); err != nil || same.ID != first.ID || len(same.Said) != 1 {
		t.Errorf("given again, it is %+v, %v", same, err)
	}
	if got := <-woken; len(got) != 1 || got[0].ID != first.ID || got[0].State != worker.Open || got[0].Thread != "thr_1" || got[0].Giver.AgentID == "" {
		t.Errorf("who waits has %+v", got)
	}
	if got, err := tasks.Fetch(t.Context(), "bo", 10, 0); err != nil || len(got) != 0 {
		t.Errorf("another worker has %+v, %v", got, err)
	}
	if _, err := tasks.Take(t.Context(), worker.Bearer{Worker: "bo", Message: "msg_9"}, first.ID); fault.KindOf(err) != fault.NotFound {
		t.Errorf("another worker takes it: %v", err)
	}
	taken, err := tasks.Take(t.Context(), ken("msg_1"), first.ID)
	if err != nil || taken.State != worker.Taken || taken.Attempt != 1 {
		t.Errorf("taken, it is %+v, %v", taken, err)
	}
	if same, err := tasks.Take(t.Context(), ken("msg_1"), first.ID); err != nil || same.Attempt != 1 || !same.Until.Equal(taken.Until) {
		t.Errorf("taken by the same message, it is %+v, %v", same, err)
	}
	if _, err := tasks.Take(t.Context(), ken("msg_2"), first.ID); fault.KindOf(err) != fault.Conflict {
		t.Errorf("it is taken twice: %v", err)
	}
	if got, err := tasks.Fetch(t.Context(), "ken", 10, 0); err != nil || len(got) != 0 {
		t.Errorf("while it is taken there are %+v, %v", got, err)
	}
	if asks, err := tasks.Progress(t.Context(), ken("msg_3"), first.ID, 10, "Where?", true); err != nil || asks.State != worker.Asks || asks.Note != "Where?" {
		t.Errorf("when it asks, it is %+v, %v", asks, err)
	}
	for range 2 {
		if back, err := tasks.Reply(t.Context(), at, "ken", first.ID, "call_2", "To staging"); err != nil || back.State != worker.Open || len(back.Said) != 2 {
			t.Errorf("answered, it is %+v, %v", back, err)
		}
	}
	if _, err := tasks.End(t.Context(), ken("msg_4"), first.ID, worker.Ended{State: worker.Done, Output: "x"}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("it ends untaken: %v", err)
	}
	_, err = tasks.Take(t.Context(), ken("msg_5"), first.ID)
	check(t, err)
	for range 2 {
		if end, err := tasks.End(t.Context(), ken("msg_6"), first.ID, worker.Ended{State: worker.Done, Output: "It is there."}); err != nil || end.State != worker.Done || end.Output != "It is there." {
			t.Errorf("ended, it is %+v, %v", end, err)
		}
	}
	if _, err := tasks.End(t.Context(), ken("msg_7"), first.ID, worker.Ended{State: worker.Failed, Reason: "No."}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("it ends twice: %v", err)
	}
	second, err := tasks.Give(t.Context(), at, "call_3", worker.Given{Worker: "ken", Text: "Another"})
	check(t, err)
	if gone, err := tasks.Cancel(t.Context(), at, "ken", second.ID, "Not wanted."); err != nil || gone.State != worker.Cancelled {
		t.Errorf("cancelled, it is %+v, %v", gone, err)
	}
	if late, err := tasks.End(t.Context(), ken("msg_8"), second.ID, worker.Ended{State: worker.Done, Output: "late"}); err != nil || late.State != worker.Cancelled {
		t.Errorf("a result of what was cancelled: %+v, %v", late, err)
	}
	r, err := db.Rebuild(t.Context())
	if err != nil || len(r.Different()) > 0 {
		t.Errorf("different after a rebuild: %v, %v", r.Different(), err)
	}
}
