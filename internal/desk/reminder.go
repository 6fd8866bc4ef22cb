package desk

import (
	"fmt"
	"strings"
	"time"

	"chela/internal/fault"
)

// The types of reminders.
const (
	ByTime      = "TIME_BASED"
	ByCondition = "CONDITION_BASED"
)

// Reminder is the kind of what somebody wants to be told.
const Reminder Kind = "reminder"

// A ReminderBody says what somebody wants to be told, and when.
type ReminderBody struct {
	Message   string   `json:"message"`
	Type      string   `json:"type"`
	TriggerAt Date     `json:"triggerAt,omitempty" doc:"of TIME_BASED: an instant; on a day it rings at 9 o'clock"`
	Condition string   `json:"condition,omitempty"` // of CONDITION_BASED, see [ReadCondition]
	Triggered bool     `json:"triggered,omitempty"`
	Recurring bool     `json:"recurring,omitempty"`
	Interval  int      `json:"intervalSeconds,omitempty" doc:"of a recurring one: 60, a minute, to 316224000, ten years"`
	Timezone  string   `json:"timezone,omitempty" doc:"such as Europe/Berlin: one that recurs after whole days comes at the same time of the clock there; after so many hours when empty. A day is one there; when empty, where who asked has their notifications, else UTC"`
	Weekdays  bool     `json:"weekdays,omitempty" doc:"of a recurring one, in place of an interval: each day from Monday to Friday"`
	MonthDay  int      `json:"monthDay,omitempty" doc:"of a recurring one, in place of an interval: that day of each month, 1 to 31; the last one of a month that is shorter"`
	Last      Date     `json:"lastTriggeredAt,omitempty"` // when its time came last
	SessionID string   `json:"sessionId,omitempty"`       // the conversation in which it was asked for, and in which it rings
	Person    string   `json:"person,omitempty" doc:"who asked, as a sender: agent:person/ID of a person who exists; who made the record when empty"`
	Heard     Date     `json:"acknowledgedAt,omitempty"` // when somebody said that they had seen it ring last
	ThreadID  string   `json:"sourceThreadId,omitempty"`
	Sources   []Source `json:"sources,omitempty"`
}

// Check implements [Thing].
func (r *ReminderBody) Check() error {
	r.Message = strings.TrimSpace(r.Message)
	orDefault(&r.Type, ByTime)
	if err := firstOf(required("message", r.Message), oneOf("type", r.Type, []string{ByTime, ByCondition}), r.TriggerAt.check("triggerAt"), r.Last.check("lastTriggeredAt"), r.Heard.check("acknowledgedAt")); err != nil {
		return err
	}
	switch {
	case r.Type == ByTime && r.TriggerAt == "":
		return fault.BadField("triggerAt", "A reminder by time needs the time: a date such as 2026-03-01 or 2026-03-01T09:00:00Z.")
	case r.Type == ByCondition && (r.Recurring || r.Interval != 0 || r.byCalendar()):
		return fault.BadField("recurring", "A reminder by condition rings whenever its condition begins to hold; recurring and intervalSeconds are for reminders by time.")
	case r.Type == ByCondition:
		_, err := ReadCondition(r.Condition, time.Unix(0, 0))
		return err
	case r.MonthDay < 0 || r.MonthDay > 31:
		return fault.BadField("monthDay", "A day of a month is 1 to 31.")
	case r.Recurring && r.byCalendar() && (r.Interval != 0 || r.Weekdays && r.MonthDay != 0):
		return fault.BadField("recurring", "A reminder that recurs does so after an interval, on weekdays, or on a day of each month: give one of intervalSeconds, weekdays and monthDay.")
	case r.Recurring && r.Interval <= 0 && !r.byCalendar():
		return fault.BadField("intervalSeconds", "A recurring reminder needs its interval, in seconds.")
	case r.Interval < 0:
		return fault.BadField("intervalSeconds", "An interval is not negative.")
	case r.Timezone != "":
		_, err := Zone(r.Timezone)
		return err
	}
	return nil
}

// morning is the hour at which a reminder rings that names a day alone.
const morning = 9

// At is when a reminder by time rings. A day is one of its time zone, or else of home.
func (r ReminderBody) At(home *time.Location) time.Time {
	day, ok := r.TriggerAt.day()
	if !ok {
		return r.TriggerAt.Time()
	}
	if loc, err := Zone(r.Timezone); err == nil {
		home = loc
	}
	return time.Date(day.Year(), day.Month(), day.Day(), morning, 0, 0, 0, home)
}

// OnDay reports whether a reminder by time names a day alone.
func (r ReminderBody) OnDay() bool {
	_, ok := r.TriggerAt.day()
	return ok
}

// lately is how long ago a time may be that somebody names who means now.
const lately = 5 * time.Minute

// lastZone is how long after its beginning in UTC a day lasts where it ends last.
const lastZone = 36 * time.Hour

// Ahead refuses a reminder by time that would ring for what has passed. was is what it was, the zero value for a new one: a time that it
// had stays. One that recurs may have begun in the past, and a day is over when it is over everywhere.
func (r ReminderBody) Ahead(was ReminderBody, now time.Time) error {
	if r.Type == ByCondition || r.Triggered || r.Recurring || r.TriggerAt == was.TriggerAt && was.Type == r.Type && !was.Triggered {
		return nil
	}
	over := r.TriggerAt.Time().Add(lately)
	if r.OnDay() {
		over = r.TriggerAt.Time().Add(lastZone)
	}
	if over.After(now) {
		return nil
	}
	return fault.BadField("triggerAt", fmt.Sprintf("%s has passed; it is %s now. Give a time that is to come.", r.TriggerAt, now.UTC().Format(time.RFC3339)))
}

// The bounds of the interval of a recurring reminder, in seconds.
const (
	leastInterval = 60
	mostInterval  = 10 * 366 * 24 * 3600 // ten years
)

// admit implements the rules that intervals have bounds and time zones are known. A reminder that had others before the rules keeps them.
func (r *ReminderBody) admit(old Thing) error {
	was, ok := old.(*ReminderBody)
	if r.Timezone != "" && (!ok || was.Timezone != r.Timezone) {
		if _, err := Zone(r.Timezone); err != nil {
			return err
		}
	}
	if r.byCalendar() || ok && was.Interval == r.Interval && (was.Recurring || !r.Recurring) {
		return nil
	}
	if r.Interval != 0 && (r.Interval < leastInterval || r.Interval > mostInterval) {
		return fault.BadField("intervalSeconds", fmt.Sprintf("An interval of %d seconds is none: a reminder recurs every minute at most and every ten years at least. Give %d to %d seconds.", r.Interval, leastInterval, mostInterval))
	}
	return nil
}

// renew implements the rule that a reminder that rang waits anew when it is given another time or condition.
func (r *ReminderBody) renew(old Thing) {
	was, ok := old.(*ReminderBody)
	if ok && was.Triggered && (!was.TriggerAt.Time().Equal(r.TriggerAt.Time()) || was.Condition != r.Condition || was.Type != r.Type) {
		r.Triggered = false
	}
}

func (r *ReminderBody) identity() string { return r.Message }
func (r *ReminderBody) title() string    { return r.Message }
func (r *ReminderBody) status() string {
	if r.Triggered {
		return "TRIGGERED"
	}
	return "WAITING"
}

// Asker is the sender who asked for the reminder; createdBy made the record. "" when nobody did who
// could be told.
func (r ReminderBody) Asker(createdBy string) string {
	for _, by := range []string{r.Person, createdBy} {
		if strings.HasPrefix(by, personSender) {
			return by
		}
	}
	return ""
}

// RingKey is the key under which it is said that a reminder rang, each time once.
func (r ReminderBody) RingKey(id string) string { return "reminder/" + id + "/" + string(r.Last) }

// personSender begins how people send.
const personSender = "agent:person/"

// Trigger returns what a reminder whose time has come is from now on; ok is false when it
// has not. A recurring one waits again: a whole number of its intervals after the time
// that it was for, so that it does not drift, and after now. One whose interval is under a
// minute, from before that was refused, rings each minute. home is where a day is meant that names no time zone.
func (r ReminderBody) Trigger(now time.Time, home *time.Location) (next ReminderBody, ok bool) {
	at := r.At(home)
	if r.Type != ByTime || r.Triggered || at.IsZero() || at.After(now) {
		return r, false
	}
	r.Last = Date(now.UTC().Format(time.RFC3339))
	if r.Recurring && r.byCalendar() {
		r.TriggerAt = r.onCalendar(at, now)
		return r, true
	}
	if r.Recurring && r.Interval > 0 && r.Interval <= maxReminder {
		r.TriggerAt = r.again(at, now)
		return r, true
	}
	r.Triggered = true
	return r, true
}

// again is when a recurring reminder comes next after now. at is the time that it was for.
func (r ReminderBody) again(at, now time.Time) Date {
	every, passed := int64(max(r.Interval, leastInterval)), now.Unix()-at.Unix()
	if now.Nanosecond() < at.Nanosecond() {
		passed--
	}
	if loc, err := Zone(r.Timezone); err == nil && every%aDay == 0 {
		shown := clockAt(r.TriggerAt, loc)
		if r.OnDay() {
			shown = at
		}
		return sameClock(shown, loc, int(every/aDay), int(passed/every), now)
	}
	return Date(time.Unix(at.Unix()+(passed/every+1)*every, int64(at.Nanosecond())).UTC().Format(time.RFC3339Nano))
}

// aDay is a day that is as long as most, in seconds.
const aDay = 24 * 60 * 60

// sameClock is the first time after now at which a clock shows what shown does, so many times some days later, or once more. Where
// the clock jumps over that, the time is written as the clock before the jump has it: [clockAt] finds again what was meant.
func sameClock(shown time.Time, loc *time.Location, days, times int, now time.Time) Date {
	for ; ; times++ {
		if next, text := shownOn(shown.AddDate(0, 0, days*times), shown, loc); next.After(now) {
			return text
		}
	}
}

// shownOn is the time at which a clock shows on a day what shown does, and how that is written, see [sameClock].
func shownOn(date, shown time.Time, loc *time.Location) (next time.Time, text Date) {
	year, month, day := date.Date()
	in := func(loc *time.Location) time.Time {
		return time.Date(year, month, day, shown.Hour(), shown.Minute(), shown.Second(), shown.Nanosecond(), loc)
	}
	next = in(loc)
	if next.Hour() == shown.Hour() && next.Minute() == shown.Minute() {
		return next, Date(next.UTC().Format(time.RFC3339Nano))
	}
	_, before := next.Add(-widestJump).Zone()
	next = in(time.FixedZone("", before))
	return next, Date(next.Format("2006-01-02T15:04:05.999999999-07:00"))
}

// widestJump is longer than any hour that a clock leaves out.
const widestJump = 3 * time.Hour

// clockAt is what a clock shows at a time. A time that is written with the offset from before a jump shows what the clock then had.
func clockAt(at Date, loc *time.Location) time.Time {
	written, err := time.Parse(time.RFC3339, string(at))
	if err != nil || strings.HasSuffix(string(at), "Z") {
		return at.Time().In(loc)
	}
	_, offset := written.Zone()
	if _, before := written.Add(-widestJump).In(loc).Zone(); before == offset {
		return written
	}
	return written.In(loc)
}

// maxReminder is the longest interval that a reminder is armed for again, in seconds.
const maxReminder = 100 * 366 * 24 * 3600

func (r *ReminderBody) refs() []Ref { return []Ref{{"sourceThreadId", r.ThreadID}} }

func (*ReminderBody) facets() facets {
	return facets{
		kind:      Reminder,
		prefix:    "rem",
		word:      "reminder",
		section:   "REMINDERS",
		merged:    true,
		unwatched: true, // one that rings changes itself, and would ring for ever
		form: []Input{
			{Name: "message"}, {Name: "triggerAt", Moment: true}, {Name: "condition"}, {Name: "recurring"}, {Name: "intervalSeconds"}, {Name: "weekdays"}, {Name: "monthDay"}, {Name: "timezone"},
		},
		asked: Asked{
			Open: "triggered:false", Done: "triggered:true", Overdue: "triggerAt:<today triggered:false", Day: "triggerAt", Titled: true,
			Columns: []string{"message", "triggerAt"},
		},
	}
}

func (r *ReminderBody) line(_ string) string {
	return fmt.Sprintf("%s [%s]%s%s", r.Message, r.Type, opt(" at=", string(r.TriggerAt)), opt(" when=", r.Condition))
}
