package api

import (
	"context"
	"net/http"
	"time"

	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/flow"
	"chela/internal/forecast"
	"chela/internal/org"
	"chela/internal/report"
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
	var until desk.Date
	name := in.Sprint
	if in.Sprint != "" {
		s, err := a.health(ctx, in.LookPath, in.Sprint)
		if err != nil {
			return nil, err
		}
		name = s.Name
		if s.State != flow.SprintOver {
			until = s.End
		}
	}
	if in.Until != "" {
		at, err := time.Parse(time.DateOnly, in.Until)
		if err != nil {
			return nil, fault.BadField("until", "The day cannot be read. Write it as 2026-12-24.")
		}
		until = desk.DateOf(at)
	}
	return body(report.Forecast(h, now, name, until), nil)
}
