package desk_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/desk"
	"chela/internal/fault"
)

func TestReminder_AReminderWhoseTimeHasCome(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		r         desk.ReminderBody
		ok        bool
		at        desk.Date
		triggered bool
	}{
		"not yet":                  {desk.ReminderBody{Type: desk.ByTime, TriggerAt: "2026-03-02T09:30:01Z"}, false, "2026-03-02T09:30:01Z", false},
		"now":                      {desk.ReminderBody{Type: desk.ByTime, TriggerAt: "2026-03-02T10:30:00+01:00"}, true, "2026-03-02T10:30:00+01:00", true},
		"a day, long ago":          {desk.ReminderBody{Type: desk.ByTime, TriggerAt: "2020-01-01"}, true, "2020-01-01", true},
		"once is enough":           {desk.ReminderBody{Type: desk.ByTime, TriggerAt: "2020-01-01", Triggered: true}, false, "2020-01-01", true},
		"a condition":              {desk.ReminderBody{Type: desk.ByCondition, TriggerAt: "2020-01-01"}, false, "2020-01-01", false},
		"each hour":                {desk.ReminderBody{Type: desk.ByTime, TriggerAt: "2026-03-02T09:10:00Z", Recurring: true, Interval: 3600}, true, "2026-03-02T10:10:00Z", false},
		"each hour, on time":       {desk.ReminderBody{Type: desk.ByTime, TriggerAt: "2026-03-02T09:30:00Z", Recurring: true, Interval: 3600}, true, "2026-03-02T10:30:00Z", false},
		"each day, missed":         {desk.ReminderBody{Type: desk.ByTime, TriggerAt: "2026-02-01", Recurring: true, Interval: 86400}, true, "2026-03-03T09:00:00Z", false},
		"since for ever":           {desk.ReminderBody{Type: desk.ByTime, TriggerAt: "0002-01-01", Recurring: true, Interval: 61}, true, "2026-03-02T09:30:02Z", false},
		"each second, from before": {desk.ReminderBody{Type: desk.ByTime, TriggerAt: "2026-03-02T09:29:59Z", Recurring: true, Interval: 1}, true, "2026-03-02T09:30:59Z", false},
		"hardly ever":              {desk.ReminderBody{Type: desk.ByTime, TriggerAt: "2026-03-01", Recurring: true, Interval: 1 << 62}, true, "2026-03-01", true},
	} {
		next, ok := c.r.Trigger(now, time.UTC)
		if ok != c.ok || next.TriggerAt != c.at || next.Triggered != c.triggered || ok != (next.Last == "2026-03-02T09:30:00Z") {
			t.Errorf("%s: %v %+v", name, ok, next)
		}
	}
}

// TestReminder_ARecurringReminderDoesNotDrift waits for whole intervals, and never for the past.
func TestReminder_ARecurringReminderDoesNotDrift(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "now"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds"))
		at := now.Add(-time.Duration(rapid.Int64Range(0, 1e18).Draw(t, "late")))
		every := rapid.IntRange(60, 1e7).Draw(t, "interval")
		r := desk.ReminderBody{Type: desk.ByTime, TriggerAt: desk.Date(at.UTC().Format(time.RFC3339Nano)), Recurring: true, Interval: every}
		next, ok := r.Trigger(now, time.UTC)
		then := next.TriggerAt.Time()
		if !ok || next.Triggered || !then.After(now) || then.Sub(now) > time.Duration(every)*time.Second || (then.Unix()-at.Unix())%int64(every) != 0 || then.Nanosecond() != at.Nanosecond() {
			t.Fatalf("at %s, %s of every %d s becomes %+v", now, at, every, next)
		}
	})
}

// TestReminder_IntervalsHaveBounds: at the door, and not for a reminder that had its interval before.
func TestReminder_IntervalsHaveBounds(t *testing.T) {
	t.Parallel()
	body := func(seconds int) *desk.ReminderBody {
		return &desk.ReminderBody{Message: "m", TriggerAt: "2026-03-01", Recurring: true, Interval: seconds}
	}
	for seconds, fits := range map[int]bool{1: false, 59: false, 60: true, 86400: true, 316224000: true, 316224001: false, 1e15: false} {
		if _, _, err := desk.New(nil, desk.Reminder, "prj_1", body(seconds)); (err == nil) != fits {
			t.Errorf("a new one each %d seconds: %v, want it to fit: %v", seconds, err, fits)
		}
		_, r, err := desk.New(nil, desk.Reminder, "prj_1", body(3600))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := desk.Edit(r, json.RawMessage(fmt.Sprintf(`{"intervalSeconds":%d}`, seconds))); (err == nil) != fits {
			t.Errorf("changed to each %d seconds: %v, want it to fit: %v", seconds, err, fits)
		}
		r.Body = bytes.Replace(r.Body, []byte("3600"), fmt.Appendf(nil, "%d", seconds), 1) // as it was recorded before
		if _, next, ok, err := desk.Edit(r, json.RawMessage(`{"message":"another","triggerAt":"2026-03-02"}`)); err != nil || !ok || !bytes.Contains(next.Body, []byte("another")) {
			t.Errorf("an old one each %d seconds cannot be changed: %v", seconds, err)
		}
	}
	_, r, err := desk.New(nil, desk.Reminder, "prj_1", &desk.ReminderBody{Message: "m", TriggerAt: "2026-03-01"})
	if err != nil {
		t.Fatal(err)
	}
	r.Body = bytes.Replace(r.Body, []byte(`"message"`), []byte(`"intervalSeconds":1,"message"`), 1)
	if _, _, _, err := desk.Edit(r, json.RawMessage(`{"recurring":true}`)); err == nil {
		t.Error("one that did not recur recurs each second")
	}
}

func TestReminder_ConditionsAreRead(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
	for text, want := range map[string]string{
		`kind:ticket status:BLOCKED owner:"Joe"`: `ticket status:BLOCKED owner:Joe`,
		` KIND:Milestone  targetDate:<+1w`:       `milestone targetDate:<+1w`,
		`kind:blindspot`:                         `blindspot`,
		`kind:delta_pack -status:FINAL`:          `delta_pack -status:FINAL`,
	} {
		c, err := desk.ReadCondition(text, now)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := string(c.Kind)
		if c.Where != nil {
			got += " " + c.Where.String()
		}
		if got != want {
			t.Errorf("%s is %q", text, got)
		}
	}
	for text, want := range map[string]string{
		"":                                "needs the condition",
		"when the build is red":           "write the kind of record",
		"status:BLOCKED":                  "write the kind of record",
		"kind:":                           "cannot be about the kind",
		"kind:reminder status:WAITING":    "cannot be about the kind reminder",
		"kind:project":                    "cannot be about the kind project",
		"kind:tickets status:TODO":        "cannot be about the kind tickets",
		"kind:ticket colour:red":          "At character 13",
		"kind:ticket status:BLOCKED (due": "At character 28",
	} {
		_, err := desk.ReadCondition(text, now)
		var bad *fault.Error
		if !errors.As(err, &bad) || len(bad.Fields) != 1 || bad.Fields[0].Name != "condition" || !strings.Contains(fault.TextOf(err), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzReadCondition(f *testing.F) {
	for _, s := range []string{`kind:ticket status:BLOCKED owner:"Joe"`, "kind:ticket", "kind:", "kind:milestone\tdue:<+1w", "kind:ticket (", "KIND:ticket é:", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := desk.ReadCondition(text, time.Unix(0, 0))
		if err != nil || c.Where == nil {
			return
		}
		again, err := desk.ReadCondition("kind:"+string(c.Kind)+" "+c.Where.String(), time.Unix(0, 0))
		if err != nil || again.Kind != c.Kind || again.Where.String() != c.Where.String() {
			t.Errorf("%q: %v %q", text, err, c.Where)
		}
	})
}

// TestReminder_AConditionRingsWhenItBeginsToHold rings as often as it begins to hold.
func TestReminder_AConditionRingsWhenItBeginsToHold(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := desk.ReminderBody{Type: desk.ByCondition}
		held, rings, begins := false, 0, 0
		for i, holds := range rapid.SliceOf(rapid.Bool()).Draw(t, "holds") {
			now := time.Unix(int64(i)*60, 0)
			next, changed := r.Met(holds, now)
			if changed && next.Triggered {
				rings++
				if next.Last.Time() != now.UTC() {
					t.Fatalf("it rang at %s", next.Last)
				}
			}
			if holds && !held {
				begins++
			}
			if changed != (holds != held) || next.Triggered != holds {
				t.Fatalf("%v after %v: %v %+v", holds, held, changed, next)
			}
			r, held = next, holds
		}
		if rings != begins {
			t.Fatalf("it rang %d times, its condition began to hold %d times", rings, begins)
		}
		if _, ok := (desk.ReminderBody{Type: desk.ByTime}).Met(true, time.Unix(0, 0)); ok {
			t.Fatal("a reminder by time has no condition")
		}
	})
}

// TestReminder_ADailyReminderKeepsTheHourOfItsClock rings over the days on which clocks change.
func TestReminder_ADailyReminderKeepsTheHourOfItsClock(t *testing.T) {
	t.Parallel()
	const week = 7 * 86400
	for name, c := range map[string]struct {
		zone  string
		every int
		at    desk.Date
		want  []desk.Date
	}{
		"summer begins in Berlin":   {"Europe/Berlin", 86400, "2027-03-26T08:00:00Z", []desk.Date{"2027-03-27T08:00:00Z", "2027-03-28T07:00:00Z", "2027-03-29T07:00:00Z"}},
		"summer ends in Berlin":     {"Europe/Berlin", 86400, "2027-10-30T09:00:00+02:00", []desk.Date{"2027-10-31T08:00:00Z", "2027-11-01T08:00:00Z"}},
		"a week in New York":        {"America/New_York", week, "2027-03-08T14:00:00Z", []desk.Date{"2027-03-15T13:00:00Z", "2027-03-22T13:00:00Z"}},
		"an hour that is left out":  {"Europe/Berlin", 86400, "2027-03-27T01:30:00Z", []desk.Date{"2027-03-28T02:30:00+01:00", "2027-03-29T00:30:00Z", "2027-03-30T00:30:00Z"}},
		"left out, beside UTC":      {"Europe/London", 86400, "2027-03-27T01:30:00Z", []desk.Date{"2027-03-28T01:30:00+00:00", "2027-03-29T00:30:00Z"}},
		"a clock that jumps by 30'": {"Australia/Lord_Howe", 86400, "2027-10-01T15:40:00Z", []desk.Date{"2027-10-03T02:10:00+10:30", "2027-10-03T15:10:00Z"}},
		"hours are hours":           {"Europe/Berlin", 3600, "2027-03-28T00:30:00Z", []desk.Date{"2027-03-28T01:30:00Z", "2027-03-28T02:30:00Z"}},
		"of no zone":                {"", 86400, "2027-03-27T08:00:00Z", []desk.Date{"2027-03-28T08:00:00Z"}},
	} {
		r := desk.ReminderBody{Type: desk.ByTime, TriggerAt: c.at, Recurring: true, Interval: c.every, Timezone: c.zone}
		for _, want := range c.want {
			next, ok := r.Trigger(r.TriggerAt.Time().Add(time.Minute), time.UTC)
			if !ok || next.TriggerAt != want {
				t.Errorf("%s: after %s comes %s, want %s", name, r.TriggerAt, next.TriggerAt, want)
			}
			r = next
		}
	}
	missed := desk.ReminderBody{Type: desk.ByTime, TriggerAt: "2026-01-01T08:00:00Z", Recurring: true, Interval: 86400, Timezone: "Europe/Berlin"}
	if next, _ := missed.Trigger(time.Date(2027, 6, 1, 7, 30, 0, 0, time.UTC), time.UTC); next.TriggerAt != "2027-06-02T07:00:00Z" {
		t.Errorf("what was missed comes at %s", next.TriggerAt)
	}
}

func TestReminder_AZoneThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"Berlin", "Local", "../etc/passwd"} {
		if err := (&desk.ReminderBody{Message: "m", TriggerAt: "2027-01-01", Timezone: zone}).Check(); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", zone, err)
		}
	}
}

// TestReminder_OneThatRangWaitsAnewForAnotherTime holds for whoever changes it, and however.
func TestReminder_OneThatRangWaitsAnewForAnotherTime(t *testing.T) {
	t.Parallel()
	at := desk.ReminderBody{Message: "m", Type: desk.ByTime, TriggerAt: "2026-03-02T09:00:00Z", Triggered: true, Last: "2026-03-02T09:00:00Z"}
	when := desk.ReminderBody{Message: "m", Type: desk.ByCondition, Condition: "kind:ticket status:BLOCKED", Triggered: true, Last: "2026-03-02T09:00:00Z"}
	for name, c := range map[string]struct {
		was   desk.ReminderBody
		patch string
		waits bool
	}{
		"another time":            {at, `{"triggerAt":"2027-03-28T09:00:00Z"}`, true},
		"the same, as elsewhere":  {at, `{"triggerAt":"2026-03-02T10:00:00+01:00"}`, false},
		"another message":         {at, `{"message":"n"}`, false},
		"another condition":       {when, `{"condition":"kind:ticket status:REVIEW"}`, true},
		"a time, not a condition": {when, `{"type":"TIME_BASED","triggerAt":"2027-03-28"}`, true},
		"it was seen":             {when, `{"acknowledgedAt":"2026-03-02T10:00:00Z"}`, false},
	} {
		raw, err := json.Marshal(c.was)
		if err != nil {
			t.Fatal(err)
		}
		_, next, _, err := desk.Edit(desk.Record{ID: "rem_1", Kind: desk.Reminder, Project: "prj_1", Version: 1, Body: raw}, json.RawMessage(c.patch))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if b, err := desk.Open[desk.ReminderBody](next); err != nil || b.Triggered == c.waits {
			t.Errorf("%s: %+v %v", name, b, err)
		}
	}
}

// TestReminder_ADayIsItsMorning where it names a time zone, else where whoever asked is; it recurs at that hour.
func TestReminder_ADayIsItsMorning(t *testing.T) {
	t.Parallel()
	tokyo, err := desk.Zone("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		at, zone string
		home     *time.Location
		want     string
		next     desk.Date // of one that recurs daily
	}{
		"nowhere":                    {"2027-03-27", "", time.UTC, "2027-03-27T09:00:00Z", "2027-03-28T09:00:00Z"},
		"at home":                    {"2027-03-27", "", tokyo, "2027-03-27T00:00:00Z", "2027-03-28T00:00:00Z"},
		"in its zone":                {"2027-03-27", "America/New_York", tokyo, "2027-03-27T13:00:00Z", "2027-03-28T13:00:00Z"},
		"before a change of clocks":  {"2027-03-27", "Europe/Berlin", time.UTC, "2027-03-27T08:00:00Z", "2027-03-28T07:00:00Z"},
		"an instant is what it says": {"2027-03-27T00:00:00Z", "", tokyo, "2027-03-27T00:00:00Z", "2027-03-28T00:00:00Z"},
	} {
		r := desk.ReminderBody{Type: desk.ByTime, TriggerAt: desk.Date(c.at), Timezone: c.zone, Recurring: true, Interval: 86400}
		at := r.At(c.home)
		if got := at.UTC().Format(time.RFC3339); got != c.want {
			t.Errorf("%s: it rings at %s, want %s", name, got, c.want)
		}
		if _, early := r.Trigger(at.Add(-time.Second), c.home); early {
			t.Errorf("%s: it rings a second before", name)
		}
		if next, ok := r.Trigger(at, c.home); !ok || next.TriggerAt != c.next {
			t.Errorf("%s: then it comes at %s, want %s", name, next.TriggerAt, c.next)
		}
	}
}

// TestReminder_NoneIsForThePast: one that somebody makes or moves; what it was stays, and a day lasts as long as it does somewhere.
func TestReminder_NoneIsForThePast(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		was, r desk.ReminderBody
		ok     bool
	}{
		"long ago":                {r: desk.ReminderBody{TriggerAt: "2020-01-01T09:00:00Z"}},
		"a day, long ago":         {r: desk.ReminderBody{TriggerAt: "2020-01-01"}},
		"the day before":          {r: desk.ReminderBody{TriggerAt: "2026-02-28"}},
		"yesterday in the west":   {r: desk.ReminderBody{TriggerAt: "2026-03-01"}, ok: true},
		"today":                   {r: desk.ReminderBody{TriggerAt: "2026-03-02"}, ok: true},
		"a minute ago is now":     {r: desk.ReminderBody{TriggerAt: "2026-03-02T09:29:00Z"}, ok: true},
		"an hour ago":             {r: desk.ReminderBody{TriggerAt: "2026-03-02T08:30:00Z"}},
		"it was so":               {was: desk.ReminderBody{TriggerAt: "2020-01-01"}, r: desk.ReminderBody{TriggerAt: "2020-01-01", Message: "n"}, ok: true},
		"moved to another past":   {was: desk.ReminderBody{TriggerAt: "2030-01-01"}, r: desk.ReminderBody{TriggerAt: "2020-01-01"}},
		"it rang, and waits anew": {was: desk.ReminderBody{TriggerAt: "2020-01-01", Triggered: true}, r: desk.ReminderBody{TriggerAt: "2020-01-01"}},
		"it rang":                 {r: desk.ReminderBody{TriggerAt: "2020-01-01", Triggered: true}, ok: true},
		"it recurs since then":    {r: desk.ReminderBody{TriggerAt: "2020-01-01", Recurring: true, Interval: 60}, ok: true},
		"by condition":            {r: desk.ReminderBody{Type: desk.ByCondition}, ok: true},
	} {
		if err := c.r.Ahead(c.was, now); (err == nil) != c.ok || err != nil && !strings.Contains(fault.TextOf(err), "has passed") {
			t.Errorf("%s: %v, want it taken: %v", name, err, c.ok)
		}
	}
}
