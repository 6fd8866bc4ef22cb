package cli

import (
	"testing"
	"time"

	"chela/internal/approval"
)

// TestAnswerable: a question that waits says its choices, and until when it waits.
func TestAnswerable(t *testing.T) {
	t.Parallel()
	q := approval.Approval{Request: approval.Request{Choices: []string{"yes", "no way"}}, Status: approval.Pending}
	if got, want := answerable(q), "to be answered with one of: yes, no way\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	q.Until = time.Date(2026, 3, 2, 9, 0, 0, 0, time.Local)
	if got, want := answerable(q), "to be answered until 2026-03-02 09:00:00 with one of: yes, no way\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	q.Status = approval.Answered
	if got := answerable(q); got != "" {
		t.Errorf("got %q for an answered question", got)
	}
}
