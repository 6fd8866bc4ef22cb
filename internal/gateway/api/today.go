package api

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"chela/internal/capacity"
	"chela/internal/chart"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/flow"
	"chela/internal/org"
)

func todayRoutes(a *api) {
	route(a, http.MethodGet, "/api/projects/{project}/today", "today", "Get how a project stands: counts with their change and history, what changed since a moment, what will slip, and each person's week", org.Viewer, a.today)
}

// How much of each list Today has, and of how many days it tells.
const (
	mostSlips   = 16
	mostDelays  = 8
	mostNews    = 14
	mostOfAWhat = 5
	pastDays    = 14
	aWeek       = 7
)

// TodayQuery asks how a project stands.
type TodayQuery struct {
	LookPath
	Since string `query:"since" doc:"what changed since then is told: a day (its end, UTC), an instant, an event's position or its id; empty means a week before"`
}

// TodayOut is how a project stands.
type TodayOut struct {
	At        time.Time          `json:"at"`
	Since     time.Time          `json:"since"`
	Now       chart.Standing     `json:"now"`
	Then      chart.Standing     `json:"then" doc:"as it stood at since"`
	Days      []chart.Standing   `json:"days" doc:"at the end of each of the last 14 days, and now"`
	Done      int                `json:"done" doc:"tickets finished since"`
	DoneThen  int                `json:"doneThen" doc:"tickets finished in a time of that length before"`
	DoneDays  []int              `json:"doneDays" doc:"tickets finished on each of the last 15 days"`
	News      []flow.News        `json:"news"`
	Happened  map[flow.What]int  `json:"happened" doc:"how often each thing happened since, also what is not in the news"`
	Slips     []flow.Slip        `json:"slips"`
	Slipping  map[flow.Cause]int `json:"slipping" doc:"how many tickets slip for each cause"`
	Plan      []flow.Delay       `json:"plan" doc:"milestones and phases that are late or will be, or that are called completed before their work is; the gravest"`
	Delayed   map[flow.Why]int   `json:"delayed" doc:"how many of the plan are for each reason"`
	Usual     float64            `json:"usualDays,omitempty" doc:"in so many days 85 of 100 tickets were finished lately"`
	Owners    map[string]string  `json:"owners" doc:"who has the tickets that slip, by their ids"`
	Week      []Week             `json:"week"`
	Gaps      int                `json:"gaps" doc:"open blindspots"`
	Undecided int                `json:"undecided" doc:"deltas of the newest pack that nobody decided"`
}

// A Week is how a person's week stands.
type Week struct {
	ID      string        `json:"resourceId"`
	Name    string        `json:"name"`
	Load    capacity.Load `json:"load"`
	Percent float64       `json:"percent" doc:"of their time"`
	Guess   bool          `json:"guess" doc:"the percent is an estimate"`
	Over    bool          `json:"over,omitempty" doc:"the estimate is more than the percent says"`
	Open    int           `json:"open" doc:"open tickets"`
	Due     int           `json:"due" doc:"of these, due within the week"`
	Overdue int           `json:"overdue"`
	Blocked int           `json:"blocked"`
	Done    int           `json:"done" doc:"finished within the last seven days"`
	Points  float64       `json:"points" doc:"of open tickets"`
	Away    int           `json:"awayDays,omitempty" doc:"of the five working days among today and the six days that follow"`
}

func (a *api) today(ctx context.Context, in *TodayQuery) (*Body[TodayOut], error) {
	f, h, now, err := a.stands(ctx, in)
	if err != nil {
		return nil, err
	}
	from := in.Since
	if from == "" {
		from = now.AddDate(0, 0, -aWeek).UTC().Format(time.RFC3339)
	}
	since, err := a.Past.When(ctx, from)
	if err != nil {
		return nil, err
	}
	span, err := a.Past.Span(ctx, in.Project, from, in.AsOf)
	if err != nil {
		return nil, err
	}
	pace := h.Pace(now)
	out := TodayOut{At: now, Since: since, Usual: pace.Usual}
	out.stand(h, &pace)
	if err := a.hear(ctx, &out, f, span); err != nil {
		return nil, err
	}
	out.slip(f, &pace)
	out.week(f, &pace)
	return body(out, a.findings(ctx, in.LookPath, &out))
}

// stands returns the figures and what charts are computed from, and when that was. After a start each is read from a file.
func (a *api) stands(ctx context.Context, in *TodayQuery) (f figures, h chart.History, now time.Time, err error) {
	var charts error
	both := new(sync.WaitGroup)
	both.Go(func() { h, now, charts = a.Past.Charts(ctx, in.Project, in.AsOf) })
	f, err = a.figures(ctx, &in.LookPath)
	both.Wait()
	return f, h, now, cmp.Or(err, charts)
}

// stand tells the counts, and how they were.
func (o *TodayOut) stand(h chart.History, pace *chart.Pace) {
	midnight := o.At.UTC().Truncate(24 * time.Hour)
	var moments []time.Time
	for d := pastDays; d > 0; d-- {
		moments = append(moments, midnight.AddDate(0, 0, 1-d).Add(-time.Second))
	}
	moments = append(moments, o.At)
	at, _ := slices.BinarySearchFunc(moments, o.Since, time.Time.Compare)
	o.Days = h.Standings(slices.Insert(moments, at, o.Since)) // all at once: each look goes through the history
	o.Then = o.Days[at]
	o.Days = slices.Delete(o.Days, at, at+1)
	o.Now = o.Days[pastDays]
	o.DoneDays = make([]int, pastDays+1)
	length := o.At.Sub(o.Since)
	for _, at := range pace.Finished() {
		if back := int(midnight.Sub(at.UTC().Truncate(24*time.Hour)).Hours() / 24); back >= 0 && back <= pastDays {
			o.DoneDays[pastDays-back]++
		}
		switch {
		case at.After(o.Since):
			o.Done++
		case at.After(o.Since.Add(-length)):
			o.DoneThen++
		}
	}
}

// hear tells what changed. Of what was made, which may be all of a large import, it counts most and reads the last.
func (a *api) hear(ctx context.Context, o *TodayOut, f figures, s clerk.Span) error {
	joining := func(k desk.Kind) bool { return k.Association() }
	s.Kinds, s.Part = slices.DeleteFunc(flow.Newsworthy(), joining), clerk.Standing
	diffs, _, err := a.Store.Desk.Differences(ctx, s)
	if err != nil {
		return err
	}
	titleOf := func(id string) string {
		if e, ok := f.Find(id); ok {
			if t, ok := e.Thing.(*desk.TicketBody); ok {
				return t.Title
			}
		}
		return ""
	}
	names := f.Names()
	told := func(diffs []desk.Diff) []flow.News {
		return flow.NewsOf(diffs, titleOf, func(id string) string { return names[id] })
	}
	o.News, o.Happened = []flow.News{}, make(map[flow.What]int)
	for _, n := range told(diffs) {
		o.Happened[n.What]++
	}
	s.Kinds, s.Part, s.Newest, s.Limit = flow.Newsworthy(), clerk.MadeSince, true, mostOfAWhat
	counts, err := a.Store.Desk.CountByKind(ctx, s)
	if err != nil {
		return err
	}
	for _, association := range []bool{false, true} {
		s.Kinds = slices.DeleteFunc(flow.Newsworthy(), func(k desk.Kind) bool { return joining(k) != association })
		made, _, err := a.Store.Desk.Differences(ctx, s)
		if err != nil {
			return err
		}
		for _, k := range s.Kinds {
			if n := counts[k]; n > 0 {
				o.Happened[flow.Making(k)] += n
			}
		}
		diffs = append(diffs, made...)
	}
	shown := make(map[flow.What]int)
	for _, n := range told(diffs) {
		if shown[n.What]++; len(o.News) < mostNews && shown[n.What] <= mostOfAWhat {
			o.News = append(o.News, n)
		}
	}
	return nil
}

// slip tells what is late or will be of tickets and of the plan, and whose the tickets are.
func (o *TodayOut) slip(f figures, pace *chart.Pace) {
	o.Slips, o.Slipping = f.Slips(pace, o.At, mostSlips)
	o.Plan, o.Delayed = append([]flow.Delay{}, f.Delays(o.At)...), make(map[flow.Why]int)
	for _, d := range o.Plan {
		o.Delayed[d.Why]++
	}
	o.Plan = o.Plan[:min(len(o.Plan), mostDelays)]
	o.Owners = make(map[string]string, len(o.Slips))
	for _, s := range o.Slips {
		o.Owners[s.ID] = ""
	}
	shown := make([]bool, f.Places())
	for id := range o.Owners {
		shown[f.Place(id)] = true
	}
	for place, n := range f.Held() {
		if shown[place] {
			o.Owners[f.ID(place)] = joined(o.Owners[f.ID(place)], f.Person(n).Name)
		}
	}
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ", " + b
}

// week tells each person's week.
func (o *TodayOut) week(f figures, pace *chart.Pace) {
	o.Week = []Week{}
	lines := f.Report().Lines
	week := make(map[string]int, len(lines)) // of a person
	for i, l := range lines {
		w := Week{ID: l.ID, Name: l.Name, Load: l.Load, Percent: l.AllocatedPct, Open: l.Tickets, Points: l.AllocatedSP, Away: l.AwayDays}
		if l.Estimate != "" {
			w.Percent, w.Guess, w.Over = l.EstimatedPct, true, l.EstimateCut
		}
		week[l.ID], o.Week = i, append(o.Week, w)
	}
	today := o.At.UTC().Truncate(24 * time.Hour)
	since, end := today.AddDate(0, 0, -aWeek), today.AddDate(0, 0, aWeek).Unix()
	of := make([]*Week, f.People()) // by the number of the person
	for n := range of {
		of[n] = &o.Week[week[f.Person(n).ID]]
	}
	for place, n := range f.Held() {
		w, t := of[n], f.Prospect(place)
		switch {
		case !t.Open:
			w.Done += many(f.FinishedAt(place, pace).After(since))
			continue
		case t.Blocked:
			w.Blocked++
		}
		w.Overdue += many(t.Dated && t.Due < today.Unix())
		w.Due += many(t.Dated && t.Due >= today.Unix() && t.Due < end)
	}
}

// many is 1 for what is so.
func many(is bool) int {
	if is {
		return 1
	}
	return 0
}

// findings counts what rules found and nobody has settled.
func (a *api) findings(ctx context.Context, in LookPath, out *TodayOut) error {
	s, err := a.at(ctx, in.AsOf)
	if err != nil {
		return err
	}
	gaps, err := s.Records(ctx, clerk.Query{Project: in.Project, Kind: desk.Blindspot, Status: "OPEN", Limit: 1})
	if err != nil {
		return err
	}
	out.Gaps = gaps.Total
	packs, err := s.Records(ctx, clerk.Query{Project: in.Project, Kind: desk.DeltaPack, Newest: true, Limit: 1})
	if err != nil || len(packs.Records) == 0 {
		return err
	}
	pack, err := desk.Open[desk.DeltaPackBody](packs.Records[0])
	if err != nil {
		return err
	}
	for _, d := range pack.Deltas {
		if d.Decision == "" {
			out.Undecided++
		}
	}
	return nil
}
