package schedule_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/fault"
	"chela/internal/schedule"
)

// zones are places where clocks are changed in every way: by an hour and by half an hour,
// at midnight, in both halves of the year, and by a whole day.
var zones = []string{
	"UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "America/Sao_Paulo", "Africa/Cairo", "Asia/Kathmandu", "Pacific/Apia", "America/Havana", "Asia/Beirut",
}

// changes are days on which a clock of one of the zones was changed.
var changes = []string{"2026-03-08", "2026-11-01", "2026-03-29", "2026-10-25", "2026-04-05", "2026-10-04", "2018-11-04", "2018-02-18", "2011-12-30", "2024-04-26", "2026-03-15"}

func cronOf(zone, expr string) schedule.Fields {
	return schedule.Fields{Agent: "agent:pm", Enabled: true, Timezone: zone, Type: schedule.Cron, CronExpr: expr}
}

func at(t *testing.T, s string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestNext_Instants(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		f     schedule.Fields
		after string
		want  []string
	}{
		"six fields": {cronOf("UTC", "0 0 9 * * MON-FRI"), "2026-03-06T09:00:00Z", []string{"2026-03-09T09:00:00Z", "2026-03-10T09:00:00Z"}},
		"five":       {cronOf("Europe/Berlin", "30 8 * * *"), "2026-03-28T00:00:00Z", []string{"2026-03-28T07:30:00Z", "2026-03-29T06:30:00Z"}},
		"seconds":    {cronOf("UTC", "*/20 * * * * *"), "2026-03-06T09:00:59.5Z", []string{"2026-03-06T09:01:00Z", "2026-03-06T09:01:20Z"}},
		"a time that the clock leaves out comes when it jumps": {
			cronOf("America/New_York", "30 2 * * *"), "2026-03-08T00:00:00Z", []string{"2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z"},
		},
		"a time that the clock shows twice comes once": {
			cronOf("America/New_York", "30 1 * * *"), "2026-11-01T00:00:00Z", []string{"2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"},
		},
		"each hour comes each hour, also in autumn": {
			cronOf("America/New_York", "30 * * * *"), "2026-11-01T05:00:00Z", []string{"2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z", "2026-11-01T07:30:00Z"},
		},
		"and in spring": {
			cronOf("America/New_York", "0 * * * *"), "2026-03-08T05:30:00Z", []string{"2026-03-08T06:00:00Z", "2026-03-08T07:00:00Z", "2026-03-08T08:00:00Z"},
		},
		"two that are left out come together, once": {
			schedule.Fields{Timezone: "America/New_York", Type: schedule.FixedTimes, TimesOfDay: []string{"02:10", "02:50", "03:00"}},
			"2026-03-08T00:00:00Z",
			[]string{"2026-03-08T07:00:00Z", "2026-03-09T06:10:00Z"},
		},
		"a day that is left out": {cronOf("Pacific/Apia", "0 9 * * *"), "2011-12-29T20:00:00Z", []string{"2011-12-30T10:00:00Z", "2011-12-30T19:00:00Z"}},
		"every seven hours":      {schedule.Fields{Timezone: "UTC", Type: schedule.Interval, IntervalMinutes: 420}, "2026-03-06T13:59:00Z", []string{"2026-03-06T14:00:00Z", "2026-03-06T21:00:00Z", "2026-03-07T00:00:00Z"}},
		"midnight is left out":   {schedule.Fields{Timezone: "Asia/Beirut", Type: schedule.Interval, IntervalMinutes: 1440}, "2026-03-28T00:00:00Z", []string{"2026-03-28T22:00:00Z", "2026-03-29T21:00:00Z"}},
		"at once is no instant":  {schedule.Fields{Timezone: "UTC", Type: schedule.Immediate}, "2026-03-28T00:00:00Z", nil},
	} {
		after := at(t, c.after)
		for _, want := range c.want {
			next, ok := c.f.Next(after)
			if !ok || !next.Equal(at(t, want)) {
				t.Errorf("%s: after %s comes %s, want %s", name, after, next, want)
			}
			after = next
		}
		if _, ok := c.f.Next(after); ok != (c.want != nil) {
			t.Errorf("%s: there is another: %v", name, ok)
		}
	}
}

// expected lists the instants of an hour and minute from one day on, by looking at every
// minute of the days: the first that shows it, or the jump over it.
func expected(loc *time.Location, from, to time.Time, named func(hour, minute int) bool) []time.Time {
	type clock struct {
		day          string
		hour, minute int
	}
	of := func(t time.Time) clock { return clock{t.Format(time.DateOnly), t.Hour(), t.Minute()} }
	shows := make(map[clock]bool)
	var out []time.Time
	before := from.Add(-time.Minute).In(loc)
	for t := from; t.Before(to); t = t.Add(time.Minute) {
		now := t.In(loc)
		// What a clock would have shown between the two.
		wall := func(t time.Time) time.Time {
			return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC)
		}
		for w := wall(before).Add(time.Minute); !w.After(wall(now)); w = w.Add(time.Minute) {
			if c := of(w); named(c.hour, c.minute) && !shows[c] {
				shows[c] = true
				if len(out) == 0 || !out[len(out)-1].Equal(t) {
					out = append(out, t.UTC())
				}
			}
		}
		before = now
	}
	return out
}

// TestNext_NoInstantIsSkippedOrDoubled compares with every minute of three days around a
// change of a clock.
func TestNext_NoInstantIsSkippedOrDoubled(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(zones).Draw(t, "zone")
		loc, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		day, err := time.Parse(time.DateOnly, rapid.SampledFrom(changes).Draw(t, "day"))
		if err != nil {
			t.Fatal(err)
		}
		// Two days before it is the first minute of a clock that nobody changes.
		from, to := day.Add(-36*time.Hour), day.Add(60*time.Hour)
		times := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			return time.Date(2000, 1, 1, rapid.IntRange(0, 23).Draw(t, "hour"), rapid.SampledFrom([]int{0, 10, 30, 59}).Draw(t, "minute"), 0, 0, time.UTC).Format("15:04")
		}), 1, 4).Draw(t, "times")
		f, err := schedule.Fields{Agent: "agent:pm", Timezone: name, Type: schedule.FixedTimes, TimesOfDay: times}.Checked()
		if err != nil {
			t.Fatal(err)
		}
		want := expected(loc, from, to, func(h, m int) bool {
			return slices.Contains(f.TimesOfDay, time.Date(2000, 1, 1, h, m, 0, 0, time.UTC).Format("15:04"))
		})
		compare(t, f, from, to, want)
		if len(f.TimesOfDay) == 1 {
			hour, minute, _ := strings.Cut(f.TimesOfDay[0], ":")
			compare(t, cronOf(name, minute+" "+hour+" * * *"), from, to, want)
		}
	})
}

// TestNext_WhatGoesByTheTimeThatPasses comes every so many minutes, whatever the clock shows.
func TestNext_WhatGoesByTheTimeThatPasses(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(zones).Draw(t, "zone")
		loc, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		day, err := time.Parse(time.DateOnly, rapid.SampledFrom(changes).Draw(t, "day"))
		if err != nil {
			t.Fatal(err)
		}
		from, to := day.Add(-36*time.Hour), day.Add(60*time.Hour)
		minute := rapid.IntRange(0, 59).Draw(t, "minute")
		var want []time.Time
		for at := from; at.Before(to); at = at.Add(time.Minute) {
			if at.In(loc).Minute() == minute {
				want = append(want, at)
			}
		}
		compare(t, cronOf(name, time.Date(2000, 1, 1, 0, minute, 0, 0, time.UTC).Format("4")+" * * * *"), from, to, want)

		every := rapid.SampledFrom([]int{1, 7, 60, 90, 420, 1440}).Draw(t, "every")
		want = nil
		var since time.Time
		for at, before := from.Add(-48*time.Hour), ""; at.Before(to); at = at.Add(time.Minute) {
			if today := at.In(loc).Format(time.DateOnly); today > before { // a clock put back begins no day
				since, before = at, today
			}
			if at.Sub(since)%(time.Duration(every)*time.Minute) == 0 && !at.Before(from) {
				want = append(want, at)
			}
		}
		compare(t, schedule.Fields{Timezone: name, Type: schedule.Interval, IntervalMinutes: every}, from, to, want)
	})
}

func compare(t *rapid.T, f schedule.Fields, from, to time.Time, want []time.Time) {
	var got []time.Time
	at, ok := f.Next(from.Add(-time.Nanosecond))
	for ; ok && at.Before(to); at, ok = f.Next(at) {
		got = append(got, at)
		if len(got) > len(want) {
			break
		}
	}
	if !slices.EqualFunc(got, want, time.Time.Equal) {
		t.Fatalf("%+v from %s:\n got %v\nwant %v", f, from, got, want)
	}
}

func TestNext_WhatIsNoSchedule(t *testing.T) {
	t.Parallel()
	good := schedule.Fields{Agent: "agent:pm", Type: schedule.Cron, CronExpr: "0 9 * * *"}
	for name, c := range map[string]struct {
		change func(*schedule.Fields)
		field  string
	}{
		"nobody works":         {func(f *schedule.Fields) { f.Agent = "" }, "agentId"},
		"no expression":        {func(f *schedule.Fields) { f.CronExpr = " " }, "cronExpr"},
		"words":                {func(f *schedule.Fields) { f.CronExpr = "every day" }, "cronExpr"},
		"a zone inside":        {func(f *schedule.Fields) { f.CronExpr = "TZ=UTC 0 9 * * *" }, "cronExpr"},
		"a word of others":     {func(f *schedule.Fields) { f.CronExpr = "0 9 L * *" }, "cronExpr"},
		"a broken one":         {func(f *schedule.Fields) { f.CronExpr = "TZ=" }, "cronExpr"},
		"a name":               {func(f *schedule.Fields) { f.CronExpr = "@daily" }, "cronExpr"},
		"never":                {func(f *schedule.Fields) { f.CronExpr = "0 0 30 2 *" }, "cronExpr"},
		"a long one":           {func(f *schedule.Fields) { f.CronExpr = strings.Repeat("0,", 200) + "0 9 * * *" }, "cronExpr"},
		"no zone":              {func(f *schedule.Fields) { f.Timezone = "Mars/Olympus" }, "timezone"},
		"this machine's zone":  {func(f *schedule.Fields) { f.Timezone = "Local" }, "timezone"},
		"no type":              {func(f *schedule.Fields) { f.Type = "HOURLY" }, "scheduleType"},
		"no times":             {func(f *schedule.Fields) { f.Type = schedule.FixedTimes }, "timesOfDay"},
		"a bad time":           {func(f *schedule.Fields) { f.Type, f.TimesOfDay = schedule.FixedTimes, []string{"25:00"} }, "timesOfDay"},
		"no interval":          {func(f *schedule.Fields) { f.Type = schedule.Interval }, "intervalMinutes"},
		"a long interval":      {func(f *schedule.Fields) { f.Type, f.IntervalMinutes = schedule.Interval, 1441 }, "intervalMinutes"},
		"no scope":             {func(f *schedule.Fields) { f.Scope = "TEAM" }, "projectScope"},
		"no project":           {func(f *schedule.Fields) { f.Scope = schedule.Project }, "projectId"},
		"all and one":          {func(f *schedule.Fields) { f.Scope, f.Project = schedule.Global, "prj_1" }, "projectId"},
		"too many at once":     {func(f *schedule.Fields) { f.Policy.MaxConcurrent = 101 }, "executorPolicy.maxConcurrent"},
		"a wait below nothing": {func(f *schedule.Fields) { f.Policy.RetryBackoffMs = -1 }, "executorPolicy.retryBackoffMs"},
	} {
		f := good
		c.change(&f)
		_, err := f.Checked()
		if fault.KindOf(err) != fault.Invalid || err == nil || strings.Contains(err.Error(), "strconv") {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if fe, ok := errors.AsType[*fault.Error](err); !ok || len(fe.Fields) != 1 || fe.Fields[0].Name != c.field {
			t.Errorf("%s: %v", name, err)
		}
	}
	f, err := good.Checked()
	if err != nil || f.Timezone != "UTC" || f.Scope != schedule.Global || f.Policy != (schedule.Policy{MaxConcurrent: 1, Priority: 5, MaxAttempts: 3, RetryBackoffMs: 60_000}) {
		t.Errorf("%+v %v", f, err)
	}
	for _, d := range schedule.Defaults() {
		if checked, err := d.Checked(); err != nil || checked.CronExpr != d.CronExpr || checked.Policy != d.Policy {
			t.Errorf("%+v %v", d, err)
		}
	}
}

// TestNext_TheWaitGrows doubles it, up to six hours.
func TestNext_TheWaitGrows(t *testing.T) {
	t.Parallel()
	p := schedule.Policy{RetryBackoffMs: 120_000}
	for attempts, want := range map[int]time.Duration{1: 2 * time.Minute, 2: 4 * time.Minute, 3: 8 * time.Minute, 10: 6 * time.Hour, 1000: 6 * time.Hour} {
		if got := p.Backoff(attempts); got != want {
			t.Errorf("after %d attempts: %s, want %s", attempts, got, want)
		}
	}
}

// FuzzCron finds nothing that is accepted and has no instant, or one in the past.
func FuzzCron(f *testing.F) {
	for _, s := range []string{"0 9 * * *", "0 0 9 * * MON-FRI", "*/5 * * * *", "TZ=", "@every 1h", "0 0 31 2 *", "? * * * *", "1-2/3,4 * * JAN 0"} {
		f.Add(s)
	}
	after := time.Date(2026, 3, 8, 6, 59, 59, 1, time.UTC)
	f.Fuzz(func(t *testing.T, expr string) {
		s, err := cronOf("America/New_York", expr).Checked()
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Fatal(err)
			}
			return
		}
		next, ok := s.Next(after)
		if !ok || !next.After(after) {
			t.Fatalf("%q: after %s comes %s, %v", expr, after, next, ok)
		}
	})
}

// TestNext_Foreseen tells the next instants one after the other, and refuses what has none.
func TestNext_Foreseen(t *testing.T) {
	t.Parallel()
	after := time.Date(2026, 3, 27, 12, 0, 0, 0, time.UTC)
	got, err := schedule.Fields{CronExpr: "30 2 * * *", Timezone: "Europe/Berlin"}.Instants(after, 3)
	if err != nil {
		t.Fatal(err)
	}
	// The clock leaves 2:30 out on the 29th: it comes when the clock jumps.
	want := []time.Time{time.Date(2026, 3, 28, 1, 30, 0, 0, time.UTC), time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC), time.Date(2026, 3, 30, 0, 30, 0, 0, time.UTC)}
	if !slices.EqualFunc(got, want, time.Time.Equal) {
		t.Errorf("the instants are %v, want %v", got, want)
	}
	if got, err := (schedule.Fields{Type: schedule.Immediate}).Instants(after, 3); err != nil || len(got) != 0 {
		t.Errorf("at once: %v %v", got, err)
	}
	for _, f := range []schedule.Fields{{CronExpr: "0 25 * * *"}, {CronExpr: "0 9 * * *", Timezone: "Nowhere"}, {Type: schedule.Interval}} {
		if _, err := f.Instants(after, 3); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%+v: %v", f, err)
		}
	}
}
