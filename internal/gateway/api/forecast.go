package api

import (
	"context"
	"iter"
	"net/http"
	"strings"
	"time"

	"chela/internal/chart"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/flow"
	"chela/internal/forecast"
	"chela/internal/org"
)

func forecastRoutes(a *api) {
	route(a, http.MethodGet, "/api/projects/{project}/forecast", "forecast", "Get when the open tickets of a project or a sprint will be done, from how many were finished on each of the last 13 weeks' days; no model is asked", org.Viewer, a.forecast)
}

// ForecastPath asks when tickets are done.
type ForecastPath struct {
	LookPath
	Sprint string `query:"sprint" doc:"only the tickets of this sprint; its end is the day by which they should be done, where no other is given"`
	Until  string `query:"until" doc:"the day by which they should be done: 2026-12-24"`
}

func (a *api) forecast(ctx context.Context, in *ForecastPath) (*Body[forecast.Forecast], error) {
	h, now, err := a.charted(ctx, in.LookPath)
	if err != nil {
		return nil, err
	}
	q := forecast.Query{Now: now}
	name := in.Sprint
	if in.Sprint != "" {
		s, err := a.health(ctx, in.LookPath, in.Sprint)
		if err != nil {
			return nil, err
		}
		name, q.Sprint = s.Name, strings.ToLower(s.Name)
		if s.State != flow.SprintOver {
			q.Until = s.End
		}
	}
	if in.Until != "" {
		at, err := time.Parse(time.DateOnly, in.Until)
		if err != nil {
			return nil, fault.BadField("until", "The day cannot be read. Write it as 2026-12-24.")
		}
		q.Until = desk.DateOf(at)
	}
	out := forecast.Of(stood(h, now), q)
	out.Sprint = name
	return body(out, nil)
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
