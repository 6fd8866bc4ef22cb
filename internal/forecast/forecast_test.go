package forecast

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"chela/internal/desk"
)

var now = time.Date(2026, 3, 11, 15, 0, 0, 0, time.UTC) // a Wednesday

func day(n int) desk.Date { return desk.DateOf(now.AddDate(0, 0, n)) }

// done are tickets of which one was done on each of the days, counted from today.
func done(days ...int) (out []Ticket) {
	for _, n := range days {
		out = append(out, Ticket{Done: true, Created: day(-200), Closed: day(n)})
	}
	return out
}

func open(n int, sprint string) []Ticket {
	return slices.Repeat([]Ticket{{Open: true, Sprint: sprint, Created: day(-100)}}, n)
}

func of(q Query, all ...[]Ticket) Forecast {
	q.Now = now
	return Of(slices.Values(slices.Concat(all...)), q)
}

// TestOf_OneEachWorkingDay has nothing left to chance: one ticket is done on each working day, so five are done after a week.
func TestOf_OneEachWorkingDay(t *testing.T) {
	t.Parallel()
	var past []Ticket
	for n := -Window; n < 0; n++ {
		if class(now.AddDate(0, 0, n)) == 0 {
			past = append(past, done(n)...)
		}
	}
	f := of(Query{Until: day(2)}, past, open(5, ""), done(0, 0, 0, -Window-1))
	if f.Open != 5 || f.Finished != 65 || f.PerWeek != 5 || f.From != day(-Window) || f.To != day(-1) {
		t.Errorf("it is made of %+v", f)
	}
	for i, d := range f.Dates {
		if d != (Dated{Percents()[i], day(7)}) { // Thursday, Friday, Monday, Tuesday, Wednesday
			t.Errorf("got %+v, want %s", d, day(7))
		}
	}
	if len(f.Dates) != 3 || f.Percent == nil || *f.Percent != 0 || !slices.Equal(f.ByThen, []Least{{50, 2}, {85, 2}, {95, 2}}) || len(f.Notes) > 0 {
		t.Errorf("by %s: %v%%, %v; notes %q", f.Until, f.Percent, f.ByThen, f.Notes)
	}
	if f := of(Query{Until: day(7)}, past, open(5, "")); *f.Percent != 100 {
		t.Errorf("by %s: %d%%", f.Until, *f.Percent)
	}
}

// TestOf_IsWhatAllCasesCome counts each way in which the next days may go.
func TestOf_IsWhatAllCasesCome(t *testing.T) {
	t.Parallel()
	past := done(-1, -1, -1, -5, -5, -6, -8) // on working days of the 14 before: 3, 2, 1, 1 and six times none
	for i := range past {
		past[i].Created = day(-14)
	}
	left := open(4, "")
	for i := range left {
		left[i].Created = day(-14)
	}
	counts := []int{3, 2, 1, 1, 0, 0, 0, 0, 0, 0}
	ways, reached := 0, 0
	for _, a := range counts {
		for _, b := range counts {
			for _, c := range counts {
				ways++
				if a+b+c >= 4 {
					reached++
				}
			}
		}
	}
	f := of(Query{Until: day(5)}, past, left) // Thursday, Friday, a weekend on which nothing is done, Monday
	if want := int(math.Round(100 * float64(reached) / float64(ways))); f.Percent == nil || *f.Percent != want {
		t.Errorf("got %v %+v, want %d%%", f.Percent, f, want)
	}
}

func TestOf_SaysWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	many := done(-2, -4, -6, -9, -13, -16, -20)
	for name, c := range map[string]struct {
		f    Forecast
		note string
	}{
		"nothing open":  {of(Query{}, many), "No ticket is open, so there is nothing to forecast."},
		"nothing done":  {of(Query{}, open(3, "")), "Too little is known for a forecast: 0 tickets were done in 91 days before today, of which days are known. It takes 5 tickets in 14 days."},
		"other sprint":  {of(Query{Sprint: "b"}, many, open(3, "a")), "No ticket is open, so there is nothing to forecast."},
		"a day gone by": {of(Query{Until: day(0)}, many, open(1, "")), day0()},
		"for ever":      {of(Query{}, many, open(390, "")), "At this pace not all are done within three years."},
		"more come":     {of(Query{}, many, slices.Repeat([]Ticket{{Open: true, Created: day(-3)}}, 20)), "More tickets come (1.5 a week) than are done (0.5): the days hold only if no more came."},
	} {
		if len(c.f.Notes) != 1 || c.f.Notes[0] != c.note {
			t.Errorf("%s: got the notes %q, want %q", name, c.f.Notes, c.note)
		}
	}
	f := of(Query{Sprint: "a"}, many, open(2, "a"), open(40, "b"))
	if f.Open != 2 || len(f.Dates) != 3 {
		t.Errorf("of a sprint: %+v", f)
	}
}

func day0() string {
	return fmt.Sprintf("%s is no day to come, so how likely it is kept is not forecast.", day(0))
}

// TestOf_KeepsItsWord holds that of days which are like those before, 85 of 100 are as the forecast says: it plays 400 futures.
func TestOf_KeepsItsWord(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	perDay := func(at time.Time) int {
		if class(at) == 1 {
			return 0
		}
		return max(0, r.IntN(6)-2)
	}
	kept, all := 0, 400
	for range all {
		var past []Ticket
		for n := -Window; n < 0; n++ {
			past = append(past, done(slices.Repeat([]int{n}, perDay(now.AddDate(0, 0, n)))...)...)
		}
		f := of(Query{}, past, open(20, ""))
		left, at := 20, now
		for left > 0 {
			at = at.AddDate(0, 0, 1)
			left -= perDay(at)
		}
		if !at.Truncate(24 * time.Hour).After(f.Dates[1].Day.Time()) {
			kept++
		}
	}
	if share := float64(kept) / float64(all); share < 0.80 || share > 0.97 {
		t.Errorf("%.2f of the days that are 85%% likely were kept", share)
	}
}

// TestOf_IsNearlyTheSameForMany holds that sums of many are as those that are computed whole.
func TestOf_IsNearlyTheSameForMany(t *testing.T) {
	t.Parallel()
	var past []Ticket
	for n := -Window; n < 0; n++ {
		past = append(past, done(slices.Repeat([]int{n}, (n%4+4)%4)...)...)
	}
	whole, nearly := of(Query{}, past, open(exactly, "")), of(Query{}, past, open(exactly+1, ""))
	for i := range whole.Dates {
		if d := nearly.Dates[i].Day.Time().Sub(whole.Dates[i].Day.Time()).Hours() / 24; math.Abs(d) > 2 {
			t.Errorf("%d%%: %s for %d, %s for one more", whole.Dates[i].Percent, whole.Dates[i].Day, exactly, nearly.Dates[i].Day)
		}
	}
}

func TestForecast_Lines(t *testing.T) {
	t.Parallel()
	percent := 3
	f := Forecast{Open: 4, From: day(-9), To: day(-1), Finished: 31, PerWeek: 5.3, Created: 2, Dates: []Dated{{50, day(7)}, {85, day(13)}, {95, day(18)}}, Until: day(1), Percent: &percent, ByThen: []Least{{50, 2}, {85, 1}, {95, 0}}}
	want := []string{
		"By 2026-03-12: 3 % likely all 4 open tickets are done; 85 % likely 1 or more.", "85 % likely all 4 open tickets are done by 2026-03-24, 50 % by 2026-03-18.",
		"From 31 tickets done between 2026-03-02 and 2026-03-10, 5.3 a week; 2 a week came.",
	}
	if got := f.Lines(); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if got := (Forecast{Open: 4}).Lines(); got != nil {
		t.Errorf("nothing is forecast: %q", got)
	}
}
