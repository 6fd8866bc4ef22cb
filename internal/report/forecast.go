package report

import (
	"iter"
	"strings"
	"time"

	"chela/internal/chart"
	"chela/internal/desk"
	"chela/internal/forecast"
)

// Forecast returns when the open tickets of a history, or those of one of its sprints, will be done.
func Forecast(h chart.History, now time.Time, sprint string, until desk.Date) forecast.Forecast {
	out := forecast.Of(stood(h, now), forecast.Query{Now: now, Sprint: strings.ToLower(strings.TrimSpace(sprint)), Until: until})
	out.Sprint = sprint
	return out
}

// Foretell adds when what is open will be done to a report of days that are not over, where enough is known.
func (r *Report) Foretell(s Source, until desk.Date) {
	if s.Past() {
		return
	}
	if f := Forecast(s.History, s.Now, s.Sprint, until); len(f.Lines()) > 0 {
		r.Forecast = &f
	}
}

// stood are the tickets of a history as a forecast reads them.
func stood(h chart.History, now time.Time) iter.Seq[forecast.Ticket] {
	return func(yield func(forecast.Ticket) bool) {
		for _, t := range h.Stood(now) {
			if !yield(forecast.Ticket{Open: t.Status.Open(), Done: t.Status == desk.Done, Sprint: t.Sprint, Created: t.Created, Closed: t.Closed}) {
				return
			}
		}
	}
}
