// Package notify tells people what concerns them: a question that waits for them, a mention, a ticket
// that became theirs, a run of theirs that failed, a day that has come. [Concerns] decides who is told
// of an event; a [Keeper] follows the log and records it, once, in each person's own stream.
package notify

import (
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
)

// A Reason is why somebody is told.
type Reason string

// The reasons.
const (
	Approval Reason = "APPROVAL" // a run waits for an answer
	Mention  Reason = "MENTION"  // a comment names them
	Comment  Reason = "COMMENT"  // a comment on what is theirs, or on what they commented on
	Assigned Reason = "ASSIGNED" // a ticket became theirs
	Failed   Reason = "FAILED"   // a run that they began failed
	Due      Reason = "DUE"      // a ticket of theirs is due
	Finding  Reason = "FINDING"  // rules found something grave
	Reminder Reason = "REMINDER" // a reminder that they asked for rang
	Schedule Reason = "SCHEDULE" // an answer of a schedule of theirs came, or did not
)

// Reasons lists all values.
func Reasons() []Reason {
	return []Reason{Approval, Mention, Comment, Assigned, Failed, Due, Finding, Reminder, Schedule}
}

// A Notification is what one person is told.
type Notification struct {
	ID       string    `json:"id"` // "ntf_…"
	Reason   Reason    `json:"reason"`
	Title    string    `json:"title"`             // of what it is about
	Text     string    `json:"text,omitempty"`    // what is said of it
	By       string    `json:"by,omitempty"`      // who did it, as a sender
	Project  string    `json:"project,omitempty"` // its id
	Record   string    `json:"record,omitempty"`
	Run      string    `json:"run,omitempty"`
	Approval string    `json:"approval,omitempty"`
	Thread   string    `json:"thread,omitempty"`
	Day      desk.Date `json:"day,omitempty" doc:"of a ticket that is due: the day"`
	ChatAt   time.Time `json:"chatAt,omitzero"` // when it goes to their chat, unless they have read it
}

// Ending is the record with whose end n needs nobody any more: a finding that is settled, a ticket that is closed, and what is deleted or
// merged into another, as a reminder may be. It is "" when n needs somebody whatever becomes of its record, as what somebody said about it does.
func (n Notification) Ending() string {
	switch n.Reason {
	case Finding, Due, Assigned, Reminder:
		return n.Record
	case Approval, Mention, Comment, Failed, Schedule:
	}
	return ""
}

// A View is a notification as its person sees it.
type View struct {
	Notification
	At     time.Time `json:"at"`
	ReadAt time.Time `json:"readAt,omitzero"`
	DoneAt time.Time `json:"doneAt,omitzero"` // it needs nobody any more
}

// Tells reports whether v tells that a ticket is due on a day. One that was raised before it kept its day tells of the day on which it was.
func (v View) Tells(day desk.Date) bool {
	told := v.Day
	if told == "" {
		told = desk.DateOf(v.At.UTC())
	}
	return told == day
}

// A State is what somebody makes of a notification.
type State string

// The states. A notification is new, then read or done; it may be made new again.
const (
	New  State = "new"
	Read State = "read"
	Done State = "done"
)

// Settled records what becomes of notifications of a person.
type Settled struct {
	IDs   []string `json:"ids"`
	State State    `json:"state"`
}

// Told records that notifications went to a person's chat.
type Told struct {
	IDs    []string `json:"ids"`
	Thread string   `json:"thread"` // the conversation in which they were told
}

// The facts of this package. They lie in the person's stream.
var (
	RaisedKind      = event.Kind[Notification]{Name: "notification.raised", PayloadType: "notification.v1"}
	SettledKind     = event.Kind[Settled]{Name: "notification.settled", PayloadType: "notification.settled.v1"}
	ToldKind        = event.Kind[Told]{Name: "notification.told", PayloadType: "notification.told.v1"}
	PreferencesKind = event.Kind[Preferences]{Name: "notification.preferences", PayloadType: "notification.preferences.v1"}
)

// Preferences say of what a person is told, where and when. The zero value tells of everything on the
// page, and nothing in a chat.
type Preferences struct {
	Off    []Reason `json:"off,omitempty" doc:"reasons of which you are not told at all"`
	Chat   []Reason `json:"chat,omitempty" doc:"reasons of which you are told in your chat, too"`
	Digest string   `json:"digest,omitempty" doc:"an hour such as 08:30: what goes to your chat goes together at that hour; approvals, mentions and reminders go at once"`
	Quiet  string   `json:"quiet,omitempty" doc:"hours such as 19:00-08:00 in which nothing goes to your chat"`
	Zone   string   `json:"zone,omitempty" doc:"the time zone of both, such as Europe/Berlin; UTC when empty"`
}

// Usual are the preferences of who never said any: an approval, a mention and a reminder never wait on the page alone.
func Usual() Preferences { return Preferences{Chat: []Reason{Approval, Mention, Reminder}} }

// clock is how hours of a day are written.
const clock = "15:04"

// Check reports the first thing wrong with p.
func (p Preferences) Check() error {
	for name, list := range map[string][]Reason{"off": p.Off, "chat": p.Chat} {
		for _, r := range list {
			if !slices.Contains(Reasons(), r) {
				return fault.BadField(name, "The reason "+string(r)+" is not known.", reasonWords()...)
			}
		}
	}
	if _, err := time.LoadLocation(p.Zone); err != nil || p.Zone == "Local" { // which is another on each machine
		return fault.BadField("zone", "The time zone "+p.Zone+" is not known. Write one such as Europe/Berlin.")
	}
	if p.Digest != "" {
		if _, err := time.Parse(clock, p.Digest); err != nil {
			return fault.BadField("digest", "The hour is written as 08:30.")
		}
	}
	switch from, to, err := p.quiet(); {
	case err != nil:
		return fault.BadField("quiet", "Quiet hours are written as 19:00-08:00.")
	case p.Quiet != "" && from == to:
		return fault.BadField("quiet", "Quiet hours end at another time than they begin; leave them empty for none.")
	}
	return nil
}

func reasonWords() []string {
	out := make([]string, 0, len(Reasons()))
	for _, r := range Reasons() {
		out = append(out, string(r))
	}
	return out
}

// quiet reads the quiet hours, as minutes of a day; from equals to when there are none.
func (p Preferences) quiet() (from, to int, err error) {
	if p.Quiet == "" {
		return 0, 0, nil
	}
	a, b, _ := strings.Cut(p.Quiet, "-")
	first, err := time.Parse(clock, strings.TrimSpace(a))
	if err != nil {
		return 0, 0, err
	}
	last, err := time.Parse(clock, strings.TrimSpace(b))
	return minutes(first), minutes(last), err
}

func minutes(t time.Time) int { return t.Hour()*60 + t.Minute() }

// Wants reports whether the person is told for a reason at all.
func (p Preferences) Wants(r Reason) bool { return !slices.Contains(p.Off, r) }

// ChatAt is when something that is raised now goes to the person's chat; the zero time is never.
func (p Preferences) ChatAt(r Reason, now time.Time) time.Time {
	if !slices.Contains(p.Chat, r) {
		return time.Time{}
	}
	zone, err := time.LoadLocation(p.Zone)
	if err != nil {
		zone = time.UTC
	}
	at := now.In(zone)
	if p.Digest != "" && r != Approval && r != Mention && r != Reminder {
		if hour, err := time.Parse(clock, p.Digest); err == nil {
			at = nextAt(at, minutes(hour))
		}
	}
	if _, to, err := p.quiet(); err == nil && p.QuietAt(at) {
		at = nextAt(at, to)
	}
	return at.UTC()
}

// QuietAt reports whether nothing goes to the person's chat at a time.
func (p Preferences) QuietAt(now time.Time) bool {
	zone, err := time.LoadLocation(p.Zone)
	if err != nil {
		zone = time.UTC
	}
	from, to, err := p.quiet()
	return err == nil && from != to && within(minutes(now.In(zone)), from, to)
}

// within reports whether a minute of a day lies in a span that may go over midnight.
func within(m, from, to int) bool {
	if from < to {
		return from <= m && m < to
	}
	return m >= from || m < to
}

// nextAt is the next time at which the clock shows that minute of the day.
func nextAt(t time.Time, minute int) time.Time {
	day := time.Date(t.Year(), t.Month(), t.Day(), minute/60, minute%60, 0, 0, t.Location())
	if !day.After(t) {
		day = time.Date(t.Year(), t.Month(), t.Day()+1, minute/60, minute%60, 0, 0, t.Location())
	}
	return day
}
