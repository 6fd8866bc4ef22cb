package notify_test

import (
	"testing"

	"chela/internal/event"
	"chela/internal/notify"
	"chela/internal/schedule"
)

// TestKeeper_AnswersOfTheClock: an answer that is for an inbox, one that went nowhere, and an end without one are told to who made the schedule, once.
func TestKeeper_AnswersOfTheClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pass() // what was before concerns nobody
	tells := &schedule.Tells{Person: "per_joe", Title: "Write a status report.", Agent: "agent:pm", Project: w.project}
	place := w.place(event.OrgStream, "agent:chela")
	w.append(
		schedule.EndedKind.Draft(place, schedule.Ended{ID: "exe_1", Attempt: 1, Result: schedule.Success, Summary: "All is well.", Delivered: "INBOX", Tells: tells}),
		schedule.EndedKind.Draft(place, schedule.Ended{ID: "exe_2", Attempt: 1, Result: schedule.Success, Reason: "The answer was not delivered: No.", Kept: true, Tells: tells}),
		schedule.EndedKind.Draft(place, schedule.Ended{ID: "exe_3", Result: schedule.Skipped, Reason: "It passed.", Tells: tells}),
		schedule.EndedKind.Draft(place, schedule.Ended{ID: "exe_4", Attempt: 1, Result: schedule.Success, Summary: "Nobody asked."}),
	)
	w.pass()
	w.pass()
	told := "By the clock, Write a status report.: "
	w.expect("per_joe", told+"All is well.", told+"The answer was not delivered: No.", told+"It passed.")
	list, err := w.db.Notifications.List(t.Context(), "per_joe", false, 10)
	if err != nil || len(list) != 3 || list[2].Reason != notify.Schedule || list[2].Project != w.project || list[2].Run == "" || list[0].Run != "" {
		t.Errorf("%+v %v", list, err)
	}
}
