package report

import (
	"fmt"
	"strings"
	"time"

	"chela/internal/chart"
	"chela/internal/desk"
	"chela/internal/flow"
)

// A view is what a list of tickets shows as of a moment.
type view struct {
	*State
	asOf desk.Date // "" for now
}

// links say by which filter of the list of tickets the records behind a number are found.
type links struct {
	*Source
	views []view // the list of the report's moment, then that of the end of its days
	made  map[string]chart.Stood
}

// A try is a filter with what it holds for.
type try struct {
	filter string
	holds  func(v view, t flow.Ticket) bool
}

func newLinks(s *Source) links {
	l := links{Source: s, views: []view{{&s.State, s.AsOf}}, made: make(map[string]chart.Stood)}
	if s.Past() && s.Then != nil {
		l.views = append(l.views, view{s.Then, desk.DateOf(s.To)})
	}
	for _, t := range s.History.Stood(s.Now) {
		l.made[t.ID] = t
	}
	return l
}

// number is a number of tickets with the first filter that finds exactly these, among the tries and by their ids. It has
// none when the list does not tell them from others.
func (l links) number(name string, ids []string, tries ...try) Number {
	n := Number{Name: name, Unit: "tickets", Value: float64(len(ids)), Records: ids[:min(len(ids), mostRecords)], More: max(len(ids)-mostRecords, 0)}
	if len(ids) == 0 {
		return n
	}
	wanted := make(map[string]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	if len(ids) <= mostNamed {
		tries = append(tries, try{"id:" + strings.Join(ids, ","), func(_ view, t flow.Ticket) bool { return wanted[t.ID] }})
	}
	for _, f := range tries {
		for _, v := range l.views {
			if f.finds(v, wanted) {
				n.Query, n.AsOf = f.filter, v.asOf
				return n
			}
		}
	}
	return n
}

// finds reports whether a filter finds exactly some tickets.
func (f try) finds(v view, wanted map[string]bool) bool {
	found := 0
	for _, t := range v.Tickets {
		if f.holds(v, t) != wanted[t.ID] {
			return false
		}
		if wanted[t.ID] {
			found++
		}
	}
	return found == len(wanted)
}

func (n Number) was(before float64) Number {
	n.Was = &before
	return n
}

// mostNamed bounds the ids in a filter: it has at most 100 terms and values.
const mostNamed = 90

// in narrows a filter to the report's sprint.
func (l links) in(filter string, holds func(v view, t flow.Ticket) bool) try {
	if l.Sprint == "" {
		return try{filter, holds}
	}
	if filter == everything {
		filter = ""
	} else if strings.Contains(filter, " OR ") {
		filter = "(" + filter + ")"
	}
	return try{strings.TrimSpace("sprint:" + quoted(l.Sprint) + " " + filter), func(v view, t flow.Ticket) bool {
		return strings.EqualFold(t.Sprint, l.Sprint) && holds(v, t)
	}}
}

// quoted is a text as a value of a filter.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// everything is a filter that finds every ticket.
const everything = "has:title"

// between is a filter of a field that holds days, from one until another; the zero time is no bound.
func between(field string, from, to time.Time) string {
	until := fmt.Sprintf("%s:<=%s", field, desk.DateOf(to))
	if from.IsZero() {
		return until
	}
	return fmt.Sprintf("%s:>=%s %s", field, desk.DateOf(from), until)
}

// spans reports whether a day lies between two, as [between] finds it.
func spans(d desk.Date, from, to time.Time) bool {
	at := dayOf(d.Time())
	return d != "" && !at.Before(from) && !at.After(to)
}

func (l links) finished() []try {
	return []try{l.in("status:DONE "+between("closedOn", l.From, l.To), func(_ view, t flow.Ticket) bool {
		return t.Status == desk.Done && spans(t.ClosedOn, l.From, l.To)
	})}
}

// created finds the tickets that were created from a day until the report's last, as a tracker says, as the log says, or
// as whichever knows it.
func (l links) created(from time.Time) []try {
	byTracker, byLog := between("externalCreated", from, l.To), between("created", from, l.To)
	told := func(t flow.Ticket) bool { return spans(t.CreatedOn, from, l.To) }
	logged := func(t flow.Ticket) bool { return t.CreatedOn == "" && spans(l.made[t.ID].Created, from, l.To) }
	tries := []try{l.in(byTracker, func(_ view, t flow.Ticket) bool { return told(t) })}
	if !l.tracked() {
		tries = append(tries, l.in(byLog, func(_ view, t flow.Ticket) bool { return logged(t) }))
	}
	either := "(" + byTracker + ") OR (externalCreated:none " + byLog + ")"
	return append(tries, l.in(either, func(_ view, t flow.Ticket) bool { return told(t) || logged(t) }))
}

// tracked reports whether a tracker says of a ticket when it was created.
func (l links) tracked() bool {
	for _, v := range l.views {
		for _, t := range v.Tickets {
			if t.CreatedOn != "" {
				return true
			}
		}
	}
	return false
}

// all finds the tickets that were there. What it says of days that are over stays true, where it can.
func (l links) all() []try {
	every := []try{l.in(everything, func(view, flow.Ticket) bool { return true })}
	if l.Past() {
		return append(l.created(time.Time{}), every...)
	}
	return append(every, l.created(time.Time{})...)
}

func (l links) done() []try {
	now := l.in("status:DONE", func(_ view, t flow.Ticket) bool { return t.Status == desk.Done })
	then := l.in("status:DONE "+between("closedOn", time.Time{}, l.To), func(_ view, t flow.Ticket) bool {
		return t.Status == desk.Done && spans(t.ClosedOn, time.Time{}, l.To)
	})
	if l.Past() {
		return []try{then, now}
	}
	return []try{now, then}
}

func (l links) late(day time.Time) try {
	return l.in(fmt.Sprintf("open:true due:<%s", desk.DateOf(day)), func(_ view, t flow.Ticket) bool {
		return t.Status.Open() && t.DueDate != "" && dayOf(t.DueDate.Time()).Before(day)
	})
}

func (l links) blocked() try {
	return l.in("status:BLOCKED", func(_ view, t flow.Ticket) bool { return t.Status == desk.Blocked })
}

func (l links) unassigned() try {
	return l.in("open:true owner:none", func(v view, t flow.Ticket) bool { return t.Status.Open() && len(v.Owners[t.ID]) == 0 })
}
