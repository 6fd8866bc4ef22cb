package flow

import (
	"cmp"
	"iter"
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

// A Prospect is what of a ticket says whether it will slip, so small that going through those of all tickets costs little.
type Prospect struct {
	Open, Blocked, Dated bool
	grade                int8
	Due                  int64 // as seconds since 1970, when it is dated
}

// ProspectOf returns the prospect of a ticket.
func ProspectOf(t *desk.TicketBody) Prospect {
	p := Prospect{Open: t.Status.Open(), Blocked: t.Status == desk.Blocked, grade: int8(slices.Index(desk.Levels(), t.Priority))} //nolint:gosec // there are few
	if t.DueDate != "" {
		if due := t.DueDate.Time(); !due.IsZero() {
			p.Dated, p.Due = true, due.Unix()
		}
	}
	return p
}

// A Slipping says which of the tickets will slip, and why.
type Slipping struct {
	At    int // its place
	Cause Cause
	Days  int
}

// Of returns the slip of the ticket that it says.
func (s Slipping) Of(t Ticket) Slip {
	return Slip{t.ID, t.ExternalRef, t.Title, t.Status, t.Priority, t.DueDate, s.Cause, s.Days}
}

// Slips returns the open tickets that are late or will be, the first of them: by cause, then what is most urgent; and how many
// there are of each cause. Tickets have places; of equals the first place comes first. begun says since when the ticket at
// a place is in work, usual in how many days most tickets are finished; zero is not known.
func Slips(all iter.Seq2[int, *Prospect], begun func(place int) time.Time, usual float64, now time.Time, most int) (first []Slipping, counts map[Cause]int) {
	order := Causes()
	many := make([]int, len(order))
	today := now.UTC().Truncate(24 * time.Hour).Unix()
	var found []ranked // in order, so many at most
	for at, p := range all {
		cause, days, ok := slips(p, at, begun, usual, now, today)
		if !ok {
			continue
		}
		many[cause]++
		r := ranked{rank(cause, int(p.grade), days, order[cause] == DueSoon), at, days}
		if len(found) >= most && found[most-1].rank <= r.rank {
			continue
		}
		i, _ := slices.BinarySearchFunc(found, r, func(have, r ranked) int { return cmp.Or(cmp.Compare(have.rank, r.rank), cmp.Compare(have.at, r.at)) })
		found = slices.Insert(found, i, r)
		found = found[:min(len(found), most)]
	}
	counts = make(map[Cause]int)
	for i, n := range many {
		if n > 0 {
			counts[order[i]] = n
		}
	}
	for _, r := range found {
		first = append(first, Slipping{r.at, order[r.rank>>rankCause], r.days})
	}
	return first, counts
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

const aDay = 24 * 60 * 60

// slips returns the number of the cause for which a ticket will slip.
func slips(p *Prospect, at int, begun func(int) time.Time, usual float64, now time.Time, today int64) (cause, days int, ok bool) {
	if !p.Open {
		return 0, 0, false
	}
	left := 0
	if p.Dated {
		left = int((p.Due - today) / aDay)
	}
	if left < 0 {
		return 0, -left, true
	}
	if p.Dated && left <= soon && !p.Blocked {
		return 2, left, true
	}
	if !p.Blocked && usual <= 0 {
		return 0, 0, false
	}
	worked := 0
	if since := begun(at); !since.IsZero() {
		worked = int(now.Sub(since).Hours() / 24)
	}
	if p.Blocked {
		return 1, worked, true
	}
	return 3, worked, float64(worked) > usual
}
