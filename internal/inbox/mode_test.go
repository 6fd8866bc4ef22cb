package inbox

import (
	"testing"

	"chela/internal/event"
	"chela/internal/session"
)

// TestInbox_WhatAKeySaysJoinsNothing holds that a program's words are answered by themselves, whatever the
// conversation says about messages that come while somebody works.
func TestInbox_WhatAKeySaysJoinsNothing(t *testing.T) {
	t.Parallel()
	for _, mode := range append(session.Modes(), "") {
		for _, heeds := range []bool{true, false} {
			n := incoming{Message: Message{From: event.Party{AgentID: "agent:person/per_1", Key: "k"}}, mode: mode, heeds: heeds, mayStop: true}
			if got := n.modeIn(session.Thread{Queue: mode}); got != session.Followup {
				t.Errorf("in a conversation of mode %q (heeded: %t) a key's message is taken as %q, want %q", mode, heeds, got, session.Followup)
			}
		}
	}
}
