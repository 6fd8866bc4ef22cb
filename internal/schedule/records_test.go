package schedule_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/org"
	"chela/internal/schedule"
)

// TestClock_TheRecordsAnswerWithoutAModel begins what the records answer while no agent can work, with the message alone, and tells who made the
// schedule of what they do not.
func TestClock_TheRecordsAnswerWithoutAModel(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	ann := r.member("per_ann", org.Editor)
	r.converse("thr_team", nil)
	to := schedule.Delivery{To: schedule.ToConversation, Thread: "thr_team"}
	known := report(to)
	unknown := report(to)
	unknown.Message = "Sing a song."
	var ids []schedule.ID
	for _, f := range []schedule.Fields{known, unknown, daily()} {
		s, err := r.editor.Create(t.Context(), ann, f)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, s.ID)
	}
	mute := schedule.Options{NoModel: func() string { return "No model." }, Records: func(_ context.Context, by event.Party, _, text string) (string, error) {
		if by != ids[0].Party() && by != ids[1].Party() {
			t.Errorf("%v asks the records", by)
		}
		if strings.Contains(text, "report") {
			return "51 tickets are open.", nil
		}
		return "", nil
	}}
	r.pass(r.clock(mute))
	r.now = r.now.Add(time.Hour)
	r.pass(r.clock(mute))
	open, err := r.db.Plan.Executions(t.Context(), schedule.Filter{State: schedule.Running})
	if err != nil || len(open) != 1 || open[0].Schedule != ids[0] {
		t.Fatalf("%+v, %v", open, err)
	}
	if queued, err := r.db.Runs.Run(t.Context(), open[0].Run); err != nil || r.said(queued.Thread)[0].Message != "Write a status report." {
		t.Errorf("the records are asked %+v, %v", r.said(queued.Thread), err)
	}
	if a := r.last(ids[1]); a.Result != schedule.Skipped || a.Error != "No model. The records alone do not answer what it asks." {
		t.Errorf("what they do not answer: %+v", a)
	}
	if a := r.last(ids[2]); a.Result != schedule.Skipped || a.Error != "No model." {
		t.Errorf("without a message: %+v", a)
	}
}
