package chart_test

import (
	"reflect"
	"testing"

	"chela/internal/chart"
)

func TestDraw_SaysWhatHappened(t *testing.T) {
	t.Parallel()
	history := []did{
		{1, "tkt_1", `{"status":"TODO","title":"One"}`},
		{1, "spr_1", `{"name":"Sprint 1","startDate":"2026-03-03","endDate":"2026-03-06"}`},
		{2, "obj_1", `{"outcome":"Faster","sprintName":"Sprint 1","startDate":"2026-03-03"}`},
		{2, "obj_2", `{"outcome":"Without a sprint"}`},
		{2, "mst_1", `{"name":"Beta","targetDate":"2026-03-05"}`},
		{2, "int_1", `{"title":"jira.csv","created":{"ticket":12}}`},
		{2, "int_2", `{"title":"minutes","created":{"ticket":3}}`},
		{3, "mst_2", `{"name":"Long ago","targetDate":"2025-03-05"}`},
		{3, "mst_3", `{"name":"Gone","targetDate":"2026-03-04"}`},
		{4, "mst_1", `{"actualDate":"2026-03-06"}`},
		{4, "mst_3", "deleted"},
		{5, "spr_1", `{"endDate":"2026-03-07"}`},
	}
	all := events(t, history)
	h := journal(t, all).History(nil)
	q := chart.Query{From: start, To: start.AddDate(0, 0, 6), Now: start.AddDate(0, 0, 7)}
	want := []chart.Annotation{
		{At: "2026-03-03", Name: "12 tickets from jira.csv", Of: "int_1"},
		{At: "2026-03-03", Name: "Sprint 1 begins", Of: "obj_1"},
		{At: "2026-03-06", Name: "Beta reached", Of: "mst_1"},
		{At: "2026-03-07", Name: "Sprint 1 ends", Of: "spr_1"},
	}
	if c, err := chart.Draw(chart.Throughput, h, q); err != nil || !reflect.DeepEqual(c.Annotations, want) {
		t.Errorf("got %+v, %v; want %+v", c.Annotations, err, want)
	}
	before := journal(t, all[:5]).History(nil)
	if c, err := chart.Draw(chart.Flow, before, q); err != nil || len(c.Annotations) != 3 || c.Annotations[1].Name != "Beta due" {
		t.Errorf("as it was: %+v, %v", c.Annotations, err)
	}
}
