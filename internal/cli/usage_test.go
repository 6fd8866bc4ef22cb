package cli

import (
	"testing"

	"chela/internal/agent"
)

// TestSpent_SaysOfWhatThePriceIsNotKnown: calls without a known price are no free ones.
func TestSpent_SaysOfWhatThePriceIsNotKnown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		all, today agent.Spend
		want       string
	}{
		"none":        {agent.Spend{}, agent.Spend{}, "0 model calls, 0.0000 USD, 0.0000 of it today (UTC)"},
		"all priced":  {agent.Spend{Calls: 3, CostUSD: 1.5}, agent.Spend{Calls: 1, CostUSD: 0.5}, "3 model calls, 1.5000 USD, 0.5000 of it today (UTC)"},
		"some before": {agent.Spend{Calls: 3, CostUSD: 1.5, Unpriced: 1}, agent.Spend{Calls: 1, CostUSD: 0.5}, "3 model calls, at least 1.5000 USD, 0.5000 of it today (UTC); the price of 1 call is not known"},
		"none known":  {agent.Spend{Calls: 119, Unpriced: 119}, agent.Spend{Calls: 2, Unpriced: 2}, "119 model calls, at least 0.0000 USD, at least 0.0000 of it today (UTC); the price of 119 calls is not known"},
	} {
		if got := spent(c.all, c.today); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
