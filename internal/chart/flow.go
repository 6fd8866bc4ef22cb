package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/fault"
)

// words are the statuses as people read them.
var words = map[desk.TicketStatus]string{ //nolint:gochecknoglobals // a table
	desk.Todo: "To do", desk.InProgress: "In progress", desk.InReview: "In review", desk.Blocked: "Blocked", desk.Done: "Done", desk.Closed: "Closed",
}

// throughput counts the tickets that were finished, on the day on which each was closed, and those that were created. A
// ticket that was finished twice counts once, the last time; one that came closed, without a day, counts as created alone.
func (c *Chart) throughput(h History, q Query, spans []span) {
	done, created := row("Done", "", spans), row("Created", "", spans)
	now := make([]fact, len(h.ids))
	came := make([]bool, len(h.ids)) // it was created
	for _, s := range h.until(q.Now) {
		before := now[s.ticket]
		now[s.ticket] = s.fact
		if i, ok := place(spans, s.on); ok && s.there && !before.there && !came[s.ticket] {
			created.Points[i].count(h.ids[s.ticket], s.fact)
		}
		came[s.ticket] = true
	}
	undated := 0
	for n, f := range now {
		switch i, ok := place(spans, f.closed.Time()); {
		case !f.there || f.status.Open():
		case f.closed == "":
			undated++
		case ok && f.status == desk.Done:
			done.Points[i].count(h.ids[n], f)
		}
	}
	c.Series = []Series{done, created}
	if undated > 0 {
		c.Notes = append(c.Notes, Undated(undated))
	}
}

// Undated says that a number of tickets are closed of which no day is known, so that none counts them as finished.
func Undated(n int) string {
	noun := "closed tickets are"
	if n == 1 {
		noun = "closed ticket is"
	}
	return fmt.Sprintf("%d %s counted by no day: closed from the beginning here, without a tracker that says when.", n, noun)
}

// count adds a ticket to a point.
func (p *Point) count(id string, f fact) {
	p.Value++
	p.StoryPoints = tenths(p.StoryPoints + f.points)
	p.add(id)
}

// tenths rounds a sum of tenths, which may be 0.30000000000000004.
func tenths(v float64) float64 { return math.Round(v*100) / 100 }

// until returns the steps that count from a time or before.
func (h History) until(now time.Time) []step {
	n, _ := slices.BinarySearchFunc(h.steps, now, func(s step, now time.Time) int {
		if s.on.After(now) {
			return 1
		}
		return -1
	})
	return h.steps[:n]
}

// standing calls at with what counts of every ticket at the end of each span that has begun, or now
// in the one that is not over.
func (h History) standing(spans []span, now time.Time, at func(i int, facts []fact)) {
	facts := make([]fact, len(h.ids))
	steps := h.until(now)
	for i, sp := range over(spans, now) {
		for len(steps) > 0 && steps[0].on.Before(sp.end) {
			facts[steps[0].ticket], steps = steps[0].fact, steps[1:]
		}
		at(i, facts)
	}
}

// flow counts the tickets by status.
func (c *Chart) flow(h History, q Query, spans []span) {
	spans = over(spans, q.Now)
	list := []desk.TicketStatus{desk.Done, desk.Closed, desk.InReview, desk.InProgress, desk.Blocked, desk.Todo} // from the bottom
	at := make(map[desk.TicketStatus]int, len(list))
	for i, s := range list {
		at[s] = i
		c.Series = append(c.Series, row(words[s], "", spans))
	}
	h.standing(spans, q.Now, func(i int, facts []fact) {
		behind := h.behind(spans[i], q.Now)
		for n, f := range facts {
			k, ok := at[f.status]
			if !f.there || !ok {
				continue
			}
			p := &c.Series[k].Points[i]
			p.Value++
			p.StoryPoints = tenths(p.StoryPoints + f.points)
			behind.name(p, h.ids[n], func() string { return "status:" + string(f.status) })
		}
	})
	c.tracked(h, spans)
}

// burnUp sums what is there and what is done, as flow does for a sprint.
func (c *Chart) burnUp(h History, q Query, spans []span) error {
	spans, key, known := over(spans, q.Now), sprintKey(q.Sprint), q.Sprint == ""
	c.Sprint = strings.TrimSpace(q.Sprint)
	scope, done := row("Scope", "", spans), row("Done", "", spans)
	filter := "has:title" // every ticket
	if key != "" {
		filter = `sprint:"` + strings.ReplaceAll(c.Sprint, `"`, `\"`) + `"`
	}
	for _, s := range h.steps {
		known = known || s.sprint == key
	}
	if !known {
		return fault.New(fault.NotFound, "No ticket names the sprint %q. Write its name into the tickets' field for it.", c.Sprint)
	}
	h.standing(spans, q.Now, func(i int, facts []fact) {
		behind := h.behind(spans[i], q.Now)
		for n, f := range facts {
			if !f.there || key != "" && f.sprint != key {
				continue
			}
			all := []*Point{&scope.Points[i]}
			if f.status == desk.Done {
				all = append(all, &done.Points[i])
			}
			for k, p := range all {
				p.Value++
				p.StoryPoints = tenths(p.StoryPoints + f.points)
				behind.name(p, h.ids[n], func() string { return strings.TrimSpace(filter + " " + []string{"", "status:DONE"}[k]) })
			}
		}
	})
	c.Series = []Series{scope, done}
	c.tracked(h, spans)
	return nil
}

// A behind is how the points of a span say which records are behind them.
type behind struct {
	query bool      // by a filter; else by their ids
	asOf  desk.Date // the day as of which it finds them; none is now
}

// behind tells it for the end of a span. Of days before an import the list of tickets knows nothing:
// what the chart tells of them the tracker said later.
func (h History) behind(s span, now time.Time) behind {
	if s.end.After(now) {
		return behind{query: true}
	}
	return behind{query: s.end.After(h.dated), asOf: desk.DateOf(s.end.AddDate(0, 0, -1))}
}

func (b behind) name(p *Point, id string, query func() string) {
	switch {
	case !b.query:
		p.add(id)
	case p.Value == 1: // the first; they all have the same
		p.Query, p.AsOf = query(), b.asOf
	}
}

// tracked notes that days before an import are told by the tracker.
func (c *Chart) tracked(h History, spans []span) {
	if len(spans) > 0 && spans[0].begin.Before(h.dated) {
		c.Notes = append(c.Notes, fmt.Sprintf("Before %s the days on which tickets were created and resolved are those that the tracker's export says.", desk.DateOf(h.dated)))
	}
}
