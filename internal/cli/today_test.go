package cli

import (
	"slices"
	"testing"
	"time"

	"chela/internal/chart"
	"chela/internal/gateway/client"
)

// TestFigures_SayWhatTheyCount: what is counted of some time says of which, and what is counted together is named.
func TestFigures_SayWhatTheyCount(t *testing.T) {
	t.Parallel()
	rows := figures(client.TodayOut{Since: time.Date(2026, 3, 2, 9, 0, 0, 0, time.Local), Now: chart.Standing{InProgress: 5}, Done: 3, DoneThen: 1})
	for _, want := range [][]string{{"In progress or review", "5", "+5"}, {"Done since 2026-03-02", "3", "+2"}} {
		if !slices.ContainsFunc(rows, func(r []string) bool { return slices.Equal(r[:3], want) }) {
			t.Errorf("the figures are %v, want %v among them", rows, want)
		}
	}
}
