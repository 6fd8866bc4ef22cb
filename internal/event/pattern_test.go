package event_test

import (
	"strings"
	"testing"

	"chela/internal/event"
	"chela/internal/fault"
)

func TestCheckPattern_NamesWhatWasMeant(t *testing.T) {
	t.Parallel()
	kinds := []string{"chat.message", "desk.ticket.created", "desk.ticket.updated", "run.finished", "run.started"}
	for pattern, says := range map[string]string{
		"run.finished":   "",
		"run.*":          "",
		"desk.ticket*":   "",
		"*":              "",
		"run.finishd":    "Did you mean run.finished?",
		"Run.Started":    "Did you mean run.started?",
		"runs.*":         "docs/protocol.md",
		"ticket.created": "Did you mean desk.ticket.created?",
		"ticket.*":       "Did you mean desk.ticket.created or desk.ticket.updated?",
		"run.":           "Did you mean run.finished or run.started?",
		"weather":        "docs/protocol.md",
	} {
		err := event.CheckPattern("events", pattern, kinds)
		if (err != nil) != (says != "") || err != nil && !strings.Contains(fault.TextOf(err), says) {
			t.Errorf("%s: %v, want %q", pattern, err, says)
		}
	}
}
