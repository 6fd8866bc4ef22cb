package notify_test

import (
	"testing"

	"chela/internal/event"
	"chela/internal/notify"
	"chela/internal/org"
	"chela/internal/tracker"
)

func TestConcerns_ATrackerThatStillCannotBeRead(t *testing.T) {
	t.Parallel()
	people := []org.Person{{ID: "per_1", Name: "Ann", Role: org.Owner, Enabled: true}, {ID: "per_2", Name: "Bo", Role: org.Editor, Enabled: true}, {ID: "per_3", Name: "Cy", Role: org.Admin}}
	for row, want := range map[int]int{1: 0, 2: 0, 3: 1, 4: 0} {
		at := event.Place{Stream: event.OrgStream, Thread: "thr_1", Run: "run_1", Task: "task_1"}
		d := tracker.FailedKind.Draft(at, tracker.Failed{Name: "web", Why: "It answered 500.", Row: row})
		out, err := notify.Concerns(event.Event{Stream: d.Stream, Message: d.Message}, notify.Known{People: people})
		if err != nil {
			t.Fatal(err)
		}
		if len(out) != want || want == 1 && (out[0].Person != "per_1" || out[0].Reason != notify.Failed) {
			t.Errorf("failed %d times: %+v, want %d told", row, out, want)
		}
	}
}
