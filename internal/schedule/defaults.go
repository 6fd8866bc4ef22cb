package schedule

import "chela/internal/org"

// Defaults returns the schedules that every organization starts with: in UTC, for every
// active project.
func Defaults() []Fields {
	out := make([]Fields, 0, 6)
	for _, d := range []struct {
		agent    org.AgentID
		cron     string
		priority int
	}{
		{"agent:reconcile-agent", "0 0 9 * * MON-FRI", 6},
		{"agent:resource-agent", "0 0 9 * * MON-FRI", 5},
		{"agent:objective-agent", "0 0 9 * * MON-FRI", 5},
		{"agent:checklist-agent", "0 0 9 * * MON-FRI", 5},
		{"agent:plan-agent", "0 0 10 * * MON", 4},
		{"agent:thread-extractor", "0 0 18 * * MON-FRI", 4},
	} {
		out = append(out, Fields{
			Agent: d.agent, Enabled: true, Timezone: "UTC", Type: Cron, CronExpr: d.cron, Scope: Global,
			Policy: Policy{MaxConcurrent: 1, Priority: d.priority, MaxAttempts: 2, RetryBackoffMs: 120_000},
		})
	}
	return out
}
