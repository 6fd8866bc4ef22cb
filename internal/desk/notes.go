package desk

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"chela/internal/fault"
)

// IdeaStatus is where an idea stands.
type IdeaStatus string

// The values of IdeaStatus.
const (
	IdeaNew      IdeaStatus = "NEW"
	IdeaReviewed IdeaStatus = "REVIEWED"
	IdeaPromoted IdeaStatus = "PROMOTED" // it became a ticket; final
	IdeaArchived IdeaStatus = "ARCHIVED"
)

// IdeaStatuses lists all values.
func IdeaStatuses() []IdeaStatus {
	return []IdeaStatus{IdeaNew, IdeaReviewed, IdeaPromoted, IdeaArchived}
}

// An IdeaBody is a thought that may become work.
type IdeaBody struct {
	Title    string     `json:"title"`
	Content  string     `json:"content,omitempty"`
	Tags     []string   `json:"tags,omitempty"`
	Status   IdeaStatus `json:"status"`
	TicketID string     `json:"promotedToTicketId,omitempty"`
	ThreadID string     `json:"threadId,omitempty"`
	UploadID string     `json:"sourceUploadId,omitempty"`
	Sources  []Source   `json:"sources,omitempty"`
}

// Check implements [Thing].
func (i *IdeaBody) Check() error {
	i.Title = strings.TrimSpace(i.Title)
	orDefault(&i.Status, IdeaNew)
	return firstOf(required("title", i.Title), oneOf("status", i.Status, IdeaStatuses()))
}
func (i *IdeaBody) identity() string { return i.Title }
func (i *IdeaBody) title() string    { return i.Title }
func (i *IdeaBody) status() string   { return string(i.Status) }
func (i *IdeaBody) refs() []Ref {
	return []Ref{{"promotedToTicketId", i.TicketID}, {"threadId", i.ThreadID}, {"sourceUploadId", i.UploadID}}
}

func followIdea(old, next Thing) error {
	a, aok := old.(*IdeaBody)
	b, bok := next.(*IdeaBody)
	if aok && bok && a.Status == IdeaPromoted && a.TicketID != "" && b.TicketID != "" && b.Status != IdeaPromoted {
		return fault.New(fault.Conflict, "The idea became the ticket %s; it cannot become %s again.", a.TicketID, b.Status)
	}
	return nil
}

// A LinkBody is an address worth keeping.
type LinkBody struct {
	URL          string   `json:"url"`
	Title        string   `json:"title"`
	Category     string   `json:"category,omitempty"`
	Description  string   `json:"description,omitempty"`
	Pinned       bool     `json:"pinned,omitempty"`
	BundleID     string   `json:"bundleId,omitempty"` // links of one bundle are shown together
	ThreadIDs    []string `json:"threadIds,omitempty"`
	ObjectiveIDs []string `json:"objectiveIds,omitempty"`
	PhaseIDs     []string `json:"phaseIds,omitempty"`
	Tags         []string `json:"tags,omitempty"`
	Sources      []Source `json:"sources,omitempty"`
}

// Check implements [Thing]. Only addresses that a browser opens without running
// anything are kept.
func (l *LinkBody) Check() error {
	l.URL = strings.TrimSpace(l.URL)
	if err := required("url", l.URL); err != nil {
		return err
	}
	u, err := url.Parse(l.URL)
	if err != nil || u.Host == "" || !slices.Contains([]string{"http", "https"}, u.Scheme) {
		return fault.BadField("url", "The address begins with http:// or https:// and names a host.")
	}
	if strings.TrimSpace(l.Title) == "" {
		l.Title = l.URL
	}
	return nil
}
func (l *LinkBody) identity() string { return l.URL }
func (l *LinkBody) title() string    { return l.Title }
func (l *LinkBody) status() string   { return l.Category }
func (l *LinkBody) refs() []Ref {
	return append(append(refsTo("threadIds", l.ThreadIDs), refsTo("objectiveIds", l.ObjectiveIDs)...), refsTo("phaseIds", l.PhaseIDs)...)
}

// The types of reminders.
const (
	ByTime      = "TIME_BASED"
	ByCondition = "CONDITION_BASED"
)

// A ReminderBody says what somebody wants to be told, and when.
type ReminderBody struct {
	Message   string   `json:"message"`
	Type      string   `json:"type"`
	TriggerAt Date     `json:"triggerAt,omitempty"` // of TIME_BASED
	Condition string   `json:"condition,omitempty"` // of CONDITION_BASED, see [ReadCondition]
	Triggered bool     `json:"triggered,omitempty"`
	Recurring bool     `json:"recurring,omitempty"`
	Interval  int      `json:"intervalSeconds,omitempty"` // of a recurring one
	Last      Date     `json:"lastTriggeredAt,omitempty"` // when its time came last
	SessionID string   `json:"sessionId,omitempty"`
	ThreadID  string   `json:"sourceThreadId,omitempty"`
	Sources   []Source `json:"sources,omitempty"`
}

// Check implements [Thing].
func (r *ReminderBody) Check() error {
	r.Message = strings.TrimSpace(r.Message)
	orDefault(&r.Type, ByTime)
	if err := firstOf(required("message", r.Message), oneOf("type", r.Type, []string{ByTime, ByCondition}), r.TriggerAt.check("triggerAt"), r.Last.check("lastTriggeredAt")); err != nil {
		return err
	}
	switch {
	case r.Type == ByTime && r.TriggerAt == "":
		return fault.BadField("triggerAt", "A reminder by time needs the time: a date such as 2026-03-01 or 2026-03-01T09:00:00Z.")
	case r.Type == ByCondition && (r.Recurring || r.Interval != 0):
		return fault.BadField("recurring", "A reminder by condition rings whenever its condition begins to hold; recurring and intervalSeconds are for reminders by time.")
	case r.Type == ByCondition:
		_, err := ReadCondition(r.Condition, time.Unix(0, 0))
		return err
	case r.Recurring && r.Interval <= 0:
		return fault.BadField("intervalSeconds", "A recurring reminder needs its interval, in seconds.")
	case r.Interval < 0:
		return fault.BadField("intervalSeconds", "An interval is not negative.")
	}
	return nil
}
func (r *ReminderBody) identity() string { return r.Message }
func (r *ReminderBody) title() string    { return r.Message }
func (r *ReminderBody) status() string {
	if r.Triggered {
		return "TRIGGERED"
	}
	return "WAITING"
}

// Trigger returns what a reminder whose time has come is from now on; ok is false when it
// has not. A recurring one waits again: a whole number of its intervals after the time
// that it was for, so that it does not drift, and after now.
func (r ReminderBody) Trigger(now time.Time) (next ReminderBody, ok bool) {
	at := r.TriggerAt.Time()
	if r.Type != ByTime || r.Triggered || at.IsZero() || at.After(now) {
		return r, false
	}
	r.Last = Date(now.UTC().Format(time.RFC3339))
	if r.Recurring && r.Interval > 0 && r.Interval <= maxReminder {
		every, passed := int64(r.Interval), now.Unix()-at.Unix()
		if now.Nanosecond() < at.Nanosecond() {
			passed--
		}
		r.TriggerAt = Date(time.Unix(at.Unix()+(passed/every+1)*every, int64(at.Nanosecond())).UTC().Format(time.RFC3339Nano))
		return r, true
	}
	r.Triggered = true
	return r, true
}

// maxReminder is the longest interval that a reminder is armed for again, in seconds.
const maxReminder = 100 * 366 * 24 * 3600

func (r *ReminderBody) refs() []Ref { return []Ref{{"sourceThreadId", r.ThreadID}} }

// ReconciliationStatus is where a reconciliation stands.
type ReconciliationStatus string

// The values of ReconciliationStatus. An applied one is final.
const (
	ReconciliationDraft    ReconciliationStatus = "DRAFT"
	ReconciliationReviewed ReconciliationStatus = "REVIEWED"
	ReconciliationApplied  ReconciliationStatus = "APPLIED"
)

// ReconciliationStatuses lists all values.
func ReconciliationStatuses() []ReconciliationStatus {
	return []ReconciliationStatus{ReconciliationDraft, ReconciliationReviewed, ReconciliationApplied}
}

// CanBecome reports whether a reconciliation may go from s to next.
func (s ReconciliationStatus) CanBecome(next ReconciliationStatus) bool {
	return s == next || s == ReconciliationDraft && next == ReconciliationReviewed ||
		s == ReconciliationReviewed && (next == ReconciliationApplied || next == ReconciliationDraft)
}

// A Mapping says which ticket a row of a source is.
type Mapping struct {
	Row      string `json:"sourceRow"`
	TicketID string `json:"ticketId,omitempty"`  // none when it is deleted
	Match    string `json:"matchType,omitempty"` // key, title, …
}

// A Discord is a field in which a source and a ticket differ.
type Discord struct {
	TicketID   string `json:"ticketId,omitempty"`
	Title      string `json:"title,omitempty"` // of the ticket, with its key
	Field      string `json:"field"`
	Source     string `json:"sourceValue"`
	Ticket     string `json:"ticketValue"`
	Resolution string `json:"resolution,omitempty"`
}

// A ReconciliationBody compares a source with the tickets.
type ReconciliationBody struct {
	UploadID   string               `json:"sourceUploadId,omitempty"`
	SourceType string               `json:"sourceType,omitempty"`
	IntakeID   string               `json:"intakeId,omitempty"` // that brought the source
	Part       string               `json:"part,omitempty"`     // of the source: the sheet, the member of an archive
	Mappings   []Mapping            `json:"mappings,omitempty"`
	Conflicts  []Discord            `json:"conflicts,omitempty"`
	Left       int                  `json:"leftOut,omitempty"` // tickets that differ and are not listed
	Status     ReconciliationStatus `json:"status"`
	Sources    []Source             `json:"sources,omitempty"`
}

// Check implements [Thing].
func (r *ReconciliationBody) Check() error {
	orDefault(&r.Status, ReconciliationDraft)
	for i, m := range r.Mappings {
		if err := required(fmt.Sprintf("mappings.%d.sourceRow", i), m.Row); err != nil {
			return err
		}
	}
	for i, c := range r.Conflicts {
		if err := required(fmt.Sprintf("conflicts.%d.field", i), c.Field); err != nil {
			return err
		}
	}
	return oneOf("status", r.Status, ReconciliationStatuses())
}

// identity is that of the part of an intake; reconciliations made by hand have none.
func (r *ReconciliationBody) identity() string {
	if r.IntakeID == "" {
		return ""
	}
	return r.IntakeID + " " + r.Part
}

func (r *ReconciliationBody) title() string {
	return fmt.Sprintf("%s: %d rows, %d conflicts", strings.TrimSpace("Reconciliation "+r.SourceType), len(r.Mappings), len(r.Conflicts))
}
func (r *ReconciliationBody) status() string { return string(r.Status) }
func (r *ReconciliationBody) refs() []Ref {
	out := []Ref{{"sourceUploadId", r.UploadID}, {"intakeId", r.IntakeID}}
	for _, m := range r.Mappings {
		out = append(out, Ref{"mappings.ticketId", m.TicketID})
	}
	for _, c := range r.Conflicts {
		out = append(out, Ref{"conflicts.ticketId", c.TicketID})
	}
	return out
}

func followReconciliation(old, next Thing) error {
	a, aok := old.(*ReconciliationBody)
	b, bok := next.(*ReconciliationBody)
	if aok && bok && !a.Status.CanBecome(b.Status) {
		return fault.New(fault.Conflict, "A reconciliation that is %s cannot become %s.", a.Status, b.Status)
	}
	return nil
}
