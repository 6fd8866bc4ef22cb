package flow

import (
	"cmp"
	"math"
	"slices"
	"time"

	"chela/internal/desk"
)

// A Cause is why a ticket will slip.
type Cause string

// The causes, the gravest first. A ticket has the first that holds.
const (
	Overdue Cause = "OVERDUE"  // its day is over
	Stuck   Cause = "BLOCKED"  // somebody said so
	DueSoon Cause = "DUE_SOON" // its day is one of the next [soon]
	Ageing  Cause = "AGEING"   // in work for longer than most tickets took
)

// Causes lists all values, the gravest first.
func Causes() []Cause { return []Cause{Overdue, Stuck, DueSoon, Ageing} }

// soon is how many days ahead a ticket is due soon.
const soon = 7

// A Slip is an open ticket that is late, or will be.
type Slip struct {
	ID       string            `json:"id"`
	Key      string            `json:"key,omitempty" doc:"its key in a tracker"`
	Title    string            `json:"title"`
	Status   desk.TicketStatus `json:"status"`
	Priority desk.Level        `json:"priority"`
	Due      desk.Date         `json:"dueDate,omitempty"`
	Cause    Cause             `json:"cause"`
	Days     int               `json:"days" doc:"over its day, until its day, or in work"`
}

// Slips returns the open tickets that are late or will be: by cause, then what is most urgent. begun
// says since when a ticket is in work, usual in how many days most tickets are finished; zero is not
// known.
func Slips(all []Ticket, begun map[string]time.Time, usual float64, now time.Time) []Slip {
	var found []ranked
	order, grades := Causes(), desk.Levels()
	for i, t := range all {
		if cause, days, ok := slips(t, begun, usual, now); ok {
			found = append(found, ranked{rank(slices.Index(order, cause), slices.Index(grades, t.Priority), days, cause == DueSoon), i, days})
		}
	}
	slices.SortFunc(found, func(a, b ranked) int {
		if a.rank != b.rank {
			return cmp.Compare(a.rank, b.rank)
		}
		return a.at - b.at
	})
	var out []Slip
	for _, r := range found {
		t := all[r.at]
		out = append(out, Slip{t.ID, t.ExternalRef, t.Title, t.Status, t.Priority, t.DueDate, order[r.rank>>rankCause], r.days})
	}
	return out
}

// A ranked is a ticket that slips, by what it is sorted by and its place.
type ranked struct {
	rank     int64
	at, days int
}

// Where in a rank the cause is, the days of what is due soon, and the priority; the days are below.
const (
	rankCause = 56
	rankSoon  = 40
	rankGrade = 32
)

// rank is how urgent a ticket is, the least most: by its cause, then of two that are due soon by the day, then by the
// priority, then by the days.
func rank(cause, grade, days int, soon bool) int64 {
	out := int64(cause)<<rankCause + int64(0x7f-grade)<<rankGrade
	if soon {
		return out + int64(days)<<rankSoon
	}
	return out + math.MaxInt32 - int64(min(max(days, 0), math.MaxInt32))
}

func slips(t Ticket, begun map[string]time.Time, usual float64, now time.Time) (Cause, int, bool) {
	if !t.Status.Open() {
		return "", 0, false
	}
	left, due := 0, time.Time{}
	if t.DueDate != "" {
		due = t.DueDate.Time()
	}
	if !due.IsZero() {
		left = int(due.Sub(now.UTC().Truncate(24*time.Hour)).Hours() / 24)
	}
	if !due.IsZero() && left < 0 {
		return Overdue, -left, true
	}
	worked := 0
	if at := begun[t.ID]; !at.IsZero() {
		worked = int(now.Sub(at).Hours() / 24)
	}
	switch {
	case t.Status == desk.Blocked:
		return Stuck, worked, true
	case !due.IsZero() && left <= soon:
		return DueSoon, left, true
	case usual > 0 && float64(worked) > usual:
		return Ageing, worked, true
	}
	return "", 0, false
}
