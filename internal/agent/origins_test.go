package agent

import (
	"testing"

	"chela/internal/session"
)

// TestOrigins_WhatIsFromOutsideGivesNoAddress holds that an address counts as a person's only in a message that they wrote: one that stands in
// data from outside, which a message brings, does not.
func TestOrigins_WhatIsFromOutsideGivesNoAddress(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		origins []string
		given   bool
	}{"theirs": {nil, true}, "data's": {[]string{"partner.example"}, false}} {
		var o origins
		o.hear(session.Message{Role: session.FromPerson, Said: session.Said{Message: "See https://a.example/x?y=1.", Origins: c.origins}})
		if got := o.gave("https://a.example/x?y=1"); got != c.given {
			t.Errorf("an address of %s message is given: %t, want %t", name, got, c.given)
		}
	}
}
