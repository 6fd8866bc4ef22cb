package webhook_test

import (
	"testing"

	"chela/internal/webhook"
)

// TestIncomingAsks_NobodyAboutATest: what a system sends to try a webhook begins no work, unless it is named.
func TestIncomingAsks_NobodyAboutATest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		events []string
		event  string
		asks   bool
	}{
		{nil, "github.ping", false},
		{[]string{"github.*"}, "github.ping", false},
		{[]string{"github.ping"}, "github.ping", true},
		{nil, "pagerduty.pagey.ping", false},
		{nil, "github.issues.opened", true},
		{[]string{"github.issues.*"}, "github.issues.opened", true},
		{[]string{"github.issues.*"}, "github.push", false},
	} {
		in := webhook.Incoming{Name: "gh", Agent: "agent:pm", Events: c.events}
		if got := in.Asks(webhook.Received{Event: c.event}); got != c.asks {
			t.Errorf("with %v the agent is asked about %s: %v", c.events, c.event, got)
		}
	}
}
