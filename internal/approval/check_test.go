package approval

import (
	"strings"
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

// TestApproval_WhatMayHaveHappenedIsForEditors holds that a viewer has nothing done again, and that a role of the question counts.
func TestApproval_WhatMayHaveHappenedIsForEditors(t *testing.T) {
	t.Parallel()
	a := Answer{ID: "apr_1", Choice: Repeat}
	for _, c := range []struct {
		asked, by org.Role
		refused   bool
	}{
		{"", org.Viewer, true},
		{"", org.Editor, false},
		{org.Viewer, org.Viewer, true},
		{org.Owner, org.Admin, true},
		{org.Owner, org.Owner, false},
	} {
		asked := Approval{Request: Request{Kind: OutcomeUnknown, Choices: []string{Happened, Repeat, Skip}, Role: c.asked}, Status: Pending}
		err := asked.check(Approver{Party: org.Person{ID: "per_1"}.Party(), Role: c.by}, a, time.Now())
		if (fault.KindOf(err) == fault.Denied && err != nil) != c.refused {
			t.Errorf("asked of %q, a %s answers: %v", c.asked, c.by, err)
		}
	}
}

// TestApproval_SaysWhySomebodyDoesNotAnswer: who gave a verdict before is told that, and who did the work is told that.
func TestApproval_SaysWhySomebodyDoesNotAnswer(t *testing.T) {
	t.Parallel()
	asked := Approval{Request: Request{Kind: Decision, Role: org.Editor, Choices: []string{Approve, Refuse}, Except: []string{"per_1", "per_2"}, Voted: []string{"per_2"}}, Status: Pending}
	for person, says := range map[string]string{"per_1": "began this or wrote it", "per_2": "given a verdict of this review already", "per_3": ""} {
		err := asked.check(Approver{Party: org.Person{ID: person}.Party(), Role: org.Editor}, Answer{ID: "apr_1", Choice: Approve}, time.Now())
		if (err != nil) != (says != "") || err != nil && !strings.Contains(fault.TextOf(err), says) {
			t.Errorf("%s answers: %v, want %q", person, err, says)
		}
	}
}
