package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"chela/internal/chart"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/report"
)

func chartRoutes(a *api) {
	route(a, http.MethodGet, "/api/charts", "list-charts", "List the charts", org.Viewer, func(context.Context, *struct{}) (*Body[[]chart.About], error) {
		return body(chart.All(), nil)
	})
	route(a, http.MethodGet, "/api/projects/{project}/charts/{name}", "chart", "Get the series of a chart, computed from the log; each point names the records behind it", org.Viewer, a.chart, textual[chart.Chart](a, "text/csv"))
	route(a, http.MethodGet, "/api/projects/{project}/report", "report", "Get the status of a project or a sprint over some days, computed without a model; each number names the records behind it", org.Viewer, a.report, textual[report.Report](a, "text/markdown"))
}

// Text is an answer that may be JSON or a text.
type Text struct {
	Type string `header:"Content-Type"`
	Vary string `header:"Vary"`
	Body []byte
}

// textual documents an answer that is a T as JSON, or a text of a type.
func textual[T any](a *api, other string) func(*huma.Operation) {
	return func(op *huma.Operation) {
		if !a.describes {
			return
		}
		s := a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, "")
		op.Responses = map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
			"application/json": {Schema: s}, other: {Schema: &huma.Schema{Type: huma.TypeString}},
		}}}
	}
}

// accepts reports whether an Accept header names a type before JSON.
func accepts(header, want string) bool {
	for part := range strings.SplitSeq(header, ",") {
		switch got, _, _ := mime.ParseMediaType(part); got {
		case want:
			return true
		case "application/json", "*/*":
			return false
		}
	}
	return false
}

// inJSON is an answer as JSON.
func inJSON(v any) (*Text, error) {
	raw, err := json.Marshal(v)
	return &Text{Type: "application/json", Vary: "Accept", Body: raw}, err
}

// Range names the days of a chart or a report.
type Range struct {
	From string `query:"from" doc:"the first day: 2026-03-01, or counted from today: yesterday, monday, 2w"`
	To   string `query:"to" doc:"the last day, as from; empty means today"`
}

// days reads a range; what is empty is zero.
func (r Range) days(now time.Time) (from, to time.Time, err error) {
	read := func(name, s string) (time.Time, error) {
		if s == "" {
			return time.Time{}, nil
		}
		if day, ok := desk.ReadDay(s, now); ok {
			return day, nil
		}
		return time.Time{}, fault.BadField(name, fmt.Sprintf("The day %q cannot be read. Write 2026-03-01, yesterday, monday, or 2w for two weeks ago.", s))
	}
	if from, err = read("from", r.From); err == nil {
		to, err = read("to", r.To)
	}
	return from, to, err
}

// ChartPath asks for a chart of a project.
type ChartPath struct {
	LookPath
	Range
	Name   chart.Name `path:"name" doc:"throughput, cycle-time, ageing, flow, burn-up, load, cost or coverage"`
	By     chart.Step `query:"by" enum:"day,week,month" doc:"how long a point lasts; a chart has one of its own"`
	Sprint string     `query:"sprint" doc:"of the burn-up: only the tickets of this sprint"`
	Format string     `query:"format" enum:"json,csv" doc:"csv as an Accept header with text/csv asks for it"`
	Accept string     `header:"Accept"`
}

func (a *api) chart(ctx context.Context, in *ChartPath) (*Text, error) {
	c, err := a.drawn(ctx, in)
	if err != nil {
		return nil, err
	}
	if in.Format == "csv" || in.Format == "" && accepts(in.Accept, "text/csv") {
		var b bytes.Buffer
		err := c.CSV(&b)
		return &Text{Type: "text/csv; charset=utf-8", Vary: "Accept", Body: b.Bytes()}, err
	}
	return inJSON(c)
}

// drawn computes a chart of a project that exists.
func (a *api) drawn(ctx context.Context, in *ChartPath) (chart.Chart, error) {
	h, now, err := a.charted(ctx, in.LookPath)
	if err != nil {
		return chart.Chart{}, err
	}
	q := chart.Query{By: in.By, Sprint: in.Sprint, Now: now}
	if q.From, q.To, err = in.days(now); err != nil {
		return chart.Chart{}, err
	}
	if in.Name == chart.Cost {
		since := q.From
		if since.IsZero() {
			since = chart.Earliest(q.To, now)
		}
		if q.Spent, err = a.Store.Spending.SpentByDay(ctx, in.Project, since, now); err != nil {
			return chart.Chart{}, err
		}
	}
	if in.Name == chart.Load {
		if q.People, err = a.resources(ctx, in.LookPath); err != nil {
			return chart.Chart{}, err
		}
	}
	return chart.Draw(in.Name, h, q)
}

// charted reads what became of the tickets of a project that exists.
func (a *api) charted(ctx context.Context, in LookPath) (h chart.History, now time.Time, err error) {
	if _, err := a.Clerk.Begin(ctx, a.place(ctx), in.Project); err != nil {
		return h, now, err
	}
	return a.Past.Charts(ctx, in.Project, in.AsOf)
}

// resources are the people of a project, by their ids.
func (a *api) resources(ctx context.Context, in LookPath) (map[string]*desk.ResourceBody, error) {
	s, err := a.at(ctx, in.AsOf)
	if err != nil {
		return nil, err
	}
	all, err := clerk.Every(ctx, s, clerk.Query{Project: in.Project, Kind: desk.Resource})
	if err != nil {
		return nil, err
	}
	out := make(map[string]*desk.ResourceBody, len(all))
	for _, r := range all {
		b, err := desk.Open[desk.ResourceBody](r)
		if err != nil {
			return nil, err
		}
		out[r.ID] = &b
	}
	return out, nil
}
