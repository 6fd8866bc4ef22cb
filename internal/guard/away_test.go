package guard_test

import (
	"testing"
	"time"

	"chela/internal/guard"
	"chela/internal/org"
	"chela/internal/tool"
)

// TestDecide_WaitsLongerWhereNobodySits: unless the policy says how long.
func TestDecide_WaitsLongerWhereNobodySits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		policy string
		away   bool
		want   time.Duration
	}{
		{"version: 1", false, guard.DefaultWait},
		{"version: 1", true, guard.AwayWait},
		{"", true, guard.AwayWait},
		{"version: 1\nwait: 5m", true, 5 * time.Minute},
		{"version: 1\nwait: 72h", true, 72 * time.Hour},
		{"version: 1\nrules:\n  - {name: sums, answer: ask, tools: [add_up], wait: 1h}", true, time.Hour},
	} {
		p, err := guard.ParsePolicy([]byte(c.policy))
		if err != nil {
			t.Fatal(err)
		}
		r := guard.Request{
			Tool: tool.Spec{Name: "add_up", Help: "Adds up.", Risk: tool.Send, Role: org.Editor}, Who: guard.Caller{Role: org.Editor, Via: guard.ByPerson},
			Policy: p, Away: c.away,
		}
		r.Agent.Card.AgentID, r.Agent.Enabled, r.Agent.Tools = "agent:coder", true, []string{"add_up"}
		r.Agent.Permissions = org.Permissions{org.Records: true, org.Files: true, org.Shell: true, org.Network: true}
		if d := guard.Decide(r); d.Verdict != guard.Ask || d.Wait != c.want {
			t.Errorf("%q, away %t: %s (%s), waits %s, want to ask for %s", c.policy, c.away, d.Verdict, d.Text, d.Wait, c.want)
		}
	}
}
