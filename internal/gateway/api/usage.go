package api

import (
	"context"
	"net/http"
	"slices"
	"time"

	"chela/internal/agent"
	"chela/internal/fault"
	"chela/internal/org"
)

func usageRoute(a *api) {
	route(a, http.MethodGet, "/api/usage", "usage", "Sum what calls of models used: tokens, cost and time", org.Viewer, a.usage)
}

// UsageIn says what is summed.
type UsageIn struct {
	By      []string  `query:"by" doc:"any of day (UTC), agent, model, project, person and key, with commas between; one sum of all when left out"`
	Since   time.Time `query:"since" doc:"30 days ago when left out"`
	Until   time.Time `query:"until" doc:"now when left out"`
	Project string    `query:"project" doc:"the id of a project; all when left out"`
}

// usageDays is how far back usage is summed that nobody says for.
const usageDays = 30

func (a *api) usage(ctx context.Context, in *UsageIn) (*Body[[]agent.Usage], error) {
	now := a.Store.Desk.Mint().Now()
	if in.Until.IsZero() {
		in.Until = now.Add(time.Second)
	}
	if in.Since.IsZero() {
		in.Since = in.Until.AddDate(0, 0, -usageDays)
	}
	var by []agent.UsageBy
	for _, b := range in.By {
		u := agent.UsageBy(b)
		if !slices.Contains([]agent.UsageBy{agent.ByDay, agent.ByAgent, agent.ByModel, agent.ByProject, agent.ByPerson, agent.ByKey}, u) || slices.Contains(by, u) {
			return nil, fault.BadField("by", "Usage is summed by each of these at most once.", "day", "agent", "model", "project", "person", "key")
		}
		by = append(by, u)
	}
	if in.Project != "" {
		if err := a.Clerk.Exists(ctx, in.Project); err != nil {
			return nil, err
		}
	}
	out, err := a.Store.Spending.Usage(ctx, in.Project, in.Since, in.Until, by)
	return body(append([]agent.Usage{}, out...), err)
}
