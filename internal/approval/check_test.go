package approval

import (
	"testing"
	"time"

	"chela/internal/fault"
	"chela/internal/org"
)

// TestApproval_NoKeyAnswers holds that a program with a key answers nothing that its person could.
func TestApproval_NoKeyAnswers(t *testing.T) {
	t.Parallel()
	asked := Approval{Request: Request{Choices: []string{Approve, Refuse}, Role: org.Editor}, Status: Pending}
	a := Answer{ID: "apr_1", Choice: Approve}
	ann := Approver{Party: org.Person{ID: "per_1"}.Party(), Role: org.Owner}
	if err := asked.check(ann, a, time.Now()); err != nil {
		t.Errorf("a person is refused: %v", err)
	}
	ann.Key = "k"
	for _, kind := range []Kind{ToolCalls, OutcomeUnknown} {
		asked.Kind = kind
		if err := asked.check(ann, a, time.Now()); fault.KindOf(err) != fault.Denied {
			t.Errorf("a key answers a question of the kind %s: %v, want that it is denied", kind, err)
		}
	}
}
