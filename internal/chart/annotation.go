package chart

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"chela/internal/desk"
)

// An Annotation is a day of a chart on which something happened that its points may show.
type Annotation struct {
	At   desk.Date `json:"at"`
	Name string    `json:"name"`
	Of   string    `json:"of" doc:"the id of the record that says so: a sprint, an objective, a milestone or an intake"`
}

// mostAnnotations bounds what a chart says beside its points: the newest stay.
const mostAnnotations = 40

// leastImported is how many tickets an intake brings at least that a chart tells of.
const leastImported = 10

// An occasion is one change of a record that gives charts their annotations.
type occasion struct {
	stamp
	id          string
	name        string         // of a sprint, a milestone or an intake
	begin, end  desk.Date      // of a sprint
	due, actual desk.Date      // of a milestone
	created     map[string]int // by an intake, by kind
	first       time.Time      // when the record was made
	there       bool
}

// addOccasion takes over a change of a record that is dated: a sprint, an objective of one, a milestone or an intake.
func (j *Journal) addOccasion(at stamp, id string, set patch, gone bool) error {
	o, known := j.days[id]
	if !known {
		o.first = at.at
	}
	o.stamp, o.id, o.there = at, id, !gone
	err := firstError(set.Name.into(&o.name), set.SprintName.into(&o.name), set.Title.into(&o.name), set.Start.into(&o.begin), set.End.into(&o.end),
		set.Target.into(&o.due), set.Actual.into(&o.actual))
	if err == nil && set.Made != nil {
		o.created = nil
		err = json.Unmarshal(set.Made, &o.created)
	}
	if err != nil {
		return fmt.Errorf("read what became of %s: %w", id, err)
	}
	j.days[id], j.occasions = o, append(j.occasions, o)
	return nil
}

// annotations are those of the days of a query, in order.
func (h History) annotations(q Query) []Annotation {
	last := make(map[string]occasion)
	for _, o := range h.occasions {
		last[o.id] = o
	}
	var out []Annotation
	for _, o := range last {
		if !o.there || o.name == "" {
			continue
		}
		add := func(at desk.Date, name string) {
			if day := at.Time(); !day.IsZero() && !day.Before(q.From) && !day.After(q.To) {
				out = append(out, Annotation{At: at, Name: name, Of: o.id})
			}
		}
		add(o.begin, o.name+" begins")
		add(o.end, o.name+" ends")
		if add(o.actual, o.name+" reached"); o.actual == "" {
			add(o.due, o.name+" due")
		}
		if n := o.created[string(desk.Ticket)]; n >= leastImported {
			add(desk.DateOf(o.first), fmt.Sprintf("%d tickets from %s", n, o.name))
		}
	}
	slices.SortFunc(out, func(a, b Annotation) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Of, b.Of))
	})
	out = slices.CompactFunc(out, func(a, b Annotation) bool { return a.At == b.At && a.Name == b.Name }) // many objectives are of one sprint
	return out[max(0, len(out)-mostAnnotations):]
}
