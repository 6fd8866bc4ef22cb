package chart_test

import (
	"testing"

	"chela/internal/chart"
	"chela/internal/desk"
)

func TestDraw_ThroughputLeavesOutWhatCameClosedWithoutADay(t *testing.T) {
	t.Parallel()
	c := draw(t, chart.Throughput, []did{
		{3, "tkt_a", `{"title":"A","status":"DONE"}`}, {3, "tkt_b", `{"title":"B","status":"DONE","externalResolved":"2026-03-03"}`}, {3, "tkt_c", `{"title":"C","status":"CLOSED"}`},
	}, chart.Query{From: start, Now: day(4)})
	wants(t, "done", values(c, "Done"), []float64{1})
	wants(t, "created", values(c, "Created"), []float64{3})
	wants(t, "notes", c.Notes, []string{"2 closed tickets are counted by no day: closed from the beginning here, without a tracker that says when."})
}

func TestHistory_StoodTellsWhatWasRecorded(t *testing.T) {
	t.Parallel()
	h := journal(t, events(t, []did{
		{2, "tkt_a", `{"title":"A","status":"TODO","sprint":" S1"}`},
		{6, "tkt_b", `{"title":"B","status":"DONE","externalCreated":"2026-03-03","externalResolved":"2026-03-06"}`},
	})).History(nil)
	wants(t, "day 4", h.Stood(day(4)), []chart.Stood{
		{ID: "tkt_a", Status: desk.Todo, Sprint: "s1", Created: "2026-03-03", Recorded: true}, {ID: "tkt_b", Status: desk.Todo, Created: "2026-03-03"},
	})
	wants(t, "day 6", h.Stood(day(6))[1], chart.Stood{ID: "tkt_b", Status: desk.Done, Created: "2026-03-03", Closed: "2026-03-06", Recorded: true})
}
