package org_test

import (
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/org"
)

// TestAgent_Ready: a disabled agent and one that works elsewhere and is not reached are given no work, and say why.
func TestAgent_Ready(t *testing.T) {
	t.Parallel()
	elsewhere := &org.Endpoints{A2A: &org.Endpoint{URL: "https://agents.example/a2a"}}
	for name, c := range map[string]struct {
		enabled   bool
		endpoints *org.Endpoints
		server    string
		kind      fault.Kind
		says      string
	}{
		"inside":             {true, nil, "", fault.Internal, ""},
		"disabled":           {false, nil, "", fault.Denied, "disabled"},
		"elsewhere":          {true, elsewhere, "partner", fault.Internal, ""},
		"elsewhere, somehow": {true, elsewhere, "", fault.Unavailable, "nothing says how it is given work"},
	} {
		a := org.Agent{Card: org.Card{AgentID: "agent:helper", Endpoints: c.endpoints}, Profile: org.Profile{Enabled: c.enabled, Server: c.server}}
		err := a.Ready()
		if (err == nil) != (c.says == "") || err != nil && (fault.KindOf(err) != c.kind || !strings.Contains(fault.TextOf(err), c.says)) {
			t.Errorf("%s: got %v, want a %v that says %q", name, err, c.kind, c.says)
		}
	}
}
