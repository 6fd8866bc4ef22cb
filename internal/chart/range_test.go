package chart_test

import (
	"testing"
	"time"

	"chela/internal/chart"
	"chela/internal/desk"
)

// The range of these tests is from Wednesday, the 3rd day, to Tuesday, the 16th, seen from the 24th.
var cut = []did{
	{1, "res_a", `{"name":"Ann"}`},
	{1, "tkt_a", `{"title":"A","status":"TODO"}`},
	{2, "tkt_b", `{"title":"B","status":"TODO"}`},
	{2, "tkt_a", `{"status":"DONE"}`}, // before the range, in its first week
	{3, "tkt_c", `{"title":"C","status":"TODO"}`},
	{3, "obj_1", `{"title":"O","outcome":"O","ticketIds":["tkt_b","tkt_c"]}`},
	{4, "tkt_b", `{"status":"DONE"}`},
	{16, "tkt_d", `{"title":"D","status":"TODO"}`},
	{17, "tkt_c", `{"status":"DONE"}`}, // after it, in its last week
	{17, "tkt_e", `{"title":"E","status":"TODO"}`},
}

// TestDraw_CountsWithinTheRange: a week that the range cuts counts its days within, in every chart, and what stands counts at the last of them.
func TestDraw_CountsWithinTheRange(t *testing.T) {
	t.Parallel()
	spent := func(day int) chart.Spent {
		return chart.Spent{Day: start.AddDate(0, 0, day-1), Agent: "pm", Run: "run_1", USD: 1, Calls: 1}
	}
	in := chart.Query{From: start.AddDate(0, 0, 2), To: start.AddDate(0, 0, 15), By: chart.Week, Now: day(24), Spent: []chart.Spent{spent(2), spent(3), spent(16), spent(17)}}
	for _, c := range []struct {
		name   chart.Name
		series string
		weeks  []float64
		months []float64
	}{
		{chart.Throughput, "Done", []float64{1, 0, 0}, []float64{1}},
		{chart.Throughput, "Created", []float64{1, 0, 1}, []float64{2}},
		{chart.Flow, "To do", []float64{1, 1, 2}, []float64{2}},
		{chart.BurnUp, "Scope", []float64{3, 3, 4}, []float64{4}},
		{chart.Load, chart.Unassigned, []float64{1, 1, 2}, []float64{2}},
		{chart.Coverage, "O", []float64{50, 50, 50}, []float64{50}},
		{chart.Cost, "pm", []float64{1, 0, 1}, []float64{2}},
	} {
		got := draw(t, c.name, cut, in)
		wants(t, string(c.name)+" "+c.series, values(got, c.series), c.weeks)
		var days []desk.Date
		for _, p := range got.Series[0].Points {
			days = append(days, p.At)
		}
		wants(t, string(c.name)+" begins", days, []desk.Date{"2026-03-04", "2026-03-09", "2026-03-16"})
		month := in
		month.By = chart.Month
		wants(t, string(c.name)+" "+c.series+" by month", values(draw(t, c.name, cut, month), c.series), c.months)
	}
	flow := draw(t, chart.Flow, cut, in)
	wants(t, "the day of the last point's filter", flow.Series[5].Points[2].AsOf, desk.Date("2026-03-17"))
}

// TestDraw_LoadAheadEndsWithTheRange: what is due after the range is no load of its last week.
func TestDraw_LoadAheadEndsWithTheRange(t *testing.T) {
	t.Parallel()
	history := []did{{1, "tkt_a", `{"title":"A","status":"TODO","dueDate":"2026-03-17"}`}, {1, "tkt_b", `{"title":"B","status":"TODO","dueDate":"2026-03-18"}`}}
	c := draw(t, chart.Load, history, chart.Query{From: start, To: start.AddDate(0, 0, 15), Now: day(1)})
	wants(t, "due", values(c, chart.Unassigned), []float64{2, 0, 1})
}

// TestDraw_OpenRangesHaveWholeWeeks: a range that nobody names begins with a whole week or month, and says so.
func TestDraw_OpenRangesHaveWholeWeeks(t *testing.T) {
	t.Parallel()
	now := start.AddDate(1, 0, 2).Add(time.Hour) // a Thursday
	for by, want := range map[chart.Step]desk.Date{chart.Day: "2026-12-05", chart.Week: "2026-11-30", chart.Month: "2026-12-01"} {
		c := draw(t, chart.Throughput, cut, chart.Query{By: by, Now: now})
		wants(t, string(by)+": from", []desk.Date{c.From, c.Series[0].Points[0].At, c.To}, []desk.Date{want, want, "2027-03-04"})
	}
	c := draw(t, chart.Load, cut, chart.Query{Now: now})
	wants(t, "load to", c.To, desk.Date("2027-04-04"))
}
