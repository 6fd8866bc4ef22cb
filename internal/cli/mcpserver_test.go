package cli

import (
	"strings"
	"testing"
	"time"
)

// TestAgain_NamesNoTimeThatIsOver: a server that failed is tried at a call, not by a clock.
func TestAgain_NamesNoTimeThatIsOver(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.Local)
	before, after := now.Add(-time.Minute), now.Add(time.Minute)
	if got := again(&before, now); !strings.Contains(got, "at the next call") || strings.Contains(got, "08:59") {
		t.Errorf("a time that is over: %q", got)
	}
	if got := again(&after, now); !strings.Contains(got, "the first call after 09:01:00") {
		t.Errorf("a time to come: %q", got)
	}
	if got := again(nil, now); got != "" {
		t.Errorf("no time: %q", got)
	}
}
