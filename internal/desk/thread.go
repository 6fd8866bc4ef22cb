package desk

import (
	"cmp"
	"fmt"
	"strings"

	"chela/internal/fault"
)

// Lifecycle is where a thread stands.
type Lifecycle string

// The values of Lifecycle. A merged thread is final.
const (
	ThreadDraft  Lifecycle = "DRAFT"
	ThreadActive Lifecycle = "ACTIVE"
	ThreadClosed Lifecycle = "CLOSED"
	ThreadMerged Lifecycle = "MERGED"
)

// A Decision was taken in a thread.
type Decision struct {
	Text      string   `json:"text"`
	Date      Date     `json:"date,omitempty"`
	DecidedBy string   `json:"decidedBy,omitempty"`
	Context   string   `json:"context,omitempty"`
	Sources   []Source `json:"sources,omitempty"`
}

// An Action was agreed on in a thread.
type Action struct {
	Text     string   `json:"text"`
	Assignee string   `json:"assignee,omitempty"`
	DueDate  Date     `json:"dueDate,omitempty"`
	TicketID string   `json:"ticketId,omitempty"`
	Status   string   `json:"status"` // OPEN, DONE, DROPPED
	Sources  []Source `json:"sources,omitempty"`
}

// A SaidAway is what a thread says of days on which somebody is away. People decide whether it is so.
type SaidAway struct {
	ResourceID string   `json:"resourceId"`
	Days       string   `json:"days" doc:"a day, or the first and the last: 2026-12-03 to 2026-12-07"`
	Sources    []Source `json:"sources,omitempty"`
}

// A SaidStatus is what a thread says of how a ticket stands. People decide whether it is so.
type SaidStatus struct {
	TicketID string       `json:"ticketId"`
	Status   TicketStatus `json:"status"`
	Was      TicketStatus `json:"was" doc:"how the ticket stood when it was said"`
	Sources  []Source     `json:"sources,omitempty"`
}

// Thread is the kind of what was learnt in conversations.
const Thread Kind = "thread"

// A ThreadBody is what was learnt in a conversation.
type ThreadBody struct {
	Title         string       `json:"title"`
	Summary       string       `json:"summary,omitempty"`
	Content       string       `json:"content,omitempty"` // Markdown
	Lifecycle     Lifecycle    `json:"lifecycle"`
	Evidence      []Evidence   `json:"evidence,omitempty"`
	Decisions     []Decision   `json:"decisions,omitempty"`
	Actions       []Action     `json:"actions,omitempty"`
	Questions     []string     `json:"openQuestions,omitempty"`
	Attendees     []string     `json:"attendees,omitempty"`
	Away          []SaidAway   `json:"away,omitempty"`     // who it says is away
	Statuses      []SaidStatus `json:"statuses,omitempty"` // how it says that tickets stand
	Date          Date         `json:"date,omitempty"`     // of the meeting
	ObjectiveIDs  []string     `json:"objectiveIds,omitempty"`
	PhaseIDs      []string     `json:"phaseIds,omitempty"`
	IdeaIDs       []string     `json:"extractedIdeaIds,omitempty"`
	MergedFromIDs []string     `json:"mergedFromThreadIds,omitempty"`
	Naming        string       `json:"namingPolicy,omitempty"`    // how people want its title
	ExtractedAt   Date         `json:"lastExtractedAt,omitempty"` // when it was looked through last
	Extractions   int          `json:"extractionCount,omitempty"`
	Sources       []Source     `json:"sources,omitempty"`
}

// Check implements [Thing].
func (t *ThreadBody) Check() error {
	t.Title = named(t.Title)
	orDefault(&t.Lifecycle, ThreadActive)
	for i := range t.Actions {
		a := &t.Actions[i]
		orDefault(&a.Status, "OPEN")
		if err := firstOf(required(fmt.Sprintf("actions.%d.text", i), a.Text), a.DueDate.check(fmt.Sprintf("actions.%d.dueDate", i)),
			oneOf(fmt.Sprintf("actions.%d.status", i), a.Status, []string{"OPEN", "DONE", "DROPPED"})); err != nil {
			return err
		}
	}
	for i, d := range t.Decisions {
		if err := firstOf(required(fmt.Sprintf("decisions.%d.text", i), d.Text), d.Date.check(fmt.Sprintf("decisions.%d.date", i))); err != nil {
			return err
		}
	}
	for i := range t.Away {
		a := &t.Away[i]
		span, ok := absenceOf(a.Days)
		if !ok {
			return fault.BadField(fmt.Sprintf("away.%d.days", i), fmt.Sprintf("%q is no time away. Write a day, or the first and the last: 2026-12-03 to 2026-12-07.", a.Days))
		}
		if a.Days = span.String(); a.ResourceID == "" {
			return required(fmt.Sprintf("away.%d.resourceId", i), "")
		}
	}
	for i, s := range t.Statuses {
		if err := firstOf(required(fmt.Sprintf("statuses.%d.ticketId", i), s.TicketID), oneOf(fmt.Sprintf("statuses.%d.status", i), s.Status, TicketStatuses()), oneOf(fmt.Sprintf("statuses.%d.was", i), s.Was, TicketStatuses())); err != nil {
			return err
		}
	}
	return firstOf(required("title", t.Title), t.Date.check("date"), t.ExtractedAt.check("lastExtractedAt"), checkEvidence(t.Evidence), oneOf("lifecycle", t.Lifecycle, Lifecycles()))
}

// Lifecycles lists all values.
func Lifecycles() []Lifecycle {
	return []Lifecycle{ThreadDraft, ThreadActive, ThreadClosed, ThreadMerged}
}

// CanBecome reports whether a thread may go from l to next.
func (l Lifecycle) CanBecome(next Lifecycle) bool {
	return l == next || l != ThreadMerged && next != ThreadDraft
}

func followThread(old, next Thing) error {
	a, aok := old.(*ThreadBody)
	b, bok := next.(*ThreadBody)
	if aok && bok && !a.Lifecycle.CanBecome(b.Lifecycle) {
		return fault.New(fault.Conflict, "A thread that is %s cannot become %s.", a.Lifecycle, b.Lifecycle)
	}
	return nil
}
func (t *ThreadBody) identity() string { return t.Title }
func (t *ThreadBody) title() string    { return t.Title }
func (t *ThreadBody) status() string   { return string(t.Lifecycle) }
func (t *ThreadBody) refs() []Ref {
	out := append(refsTo("objectiveIds", t.ObjectiveIDs), refsTo("mergedFromThreadIds", t.MergedFromIDs)...)
	out = append(append(out, refsTo("phaseIds", t.PhaseIDs)...), refsTo("extractedIdeaIds", t.IdeaIDs)...)
	for _, a := range t.Actions {
		out = append(out, Ref{"actions.ticketId", a.TicketID})
	}
	for _, a := range t.Away {
		out = append(out, Ref{"away.resourceId", a.ResourceID})
	}
	for _, e := range t.Evidence {
		out = append(out, Ref{"evidence.uploadId", e.UploadID})
	}
	return out
}

func (*ThreadBody) facets() facets {
	return facets{
		kind:    Thread,
		prefix:  "thr",
		word:    "thread",
		follow:  followThread,
		section: "THREADS",
		weight:  2,
		merged:  true,
		named:   "title",
		form: []Input{
			{Name: "title"}, {Name: "lifecycle", Without: []string{string(ThreadMerged)}}, {Name: "date"}, {Name: "attendees"}, {Name: "summary", Long: true}, {Name: "openQuestions"}, {Name: "content", Long: true},
		},
		asked: Asked{
			Open: "lifecycle:DRAFT,ACTIVE", Done: "lifecycle:CLOSED", Day: "date", Who: "attendees", Of: "attendees:~%s", Titled: true,
			Columns: []string{"title", "date"}, Names: []string{"attendees", "actions.assignee", "decisions.decidedBy"},
		},
	}
}

func (t *ThreadBody) line(_ string) string {
	var parts []string
	for _, d := range t.Decisions {
		parts = append(parts, "decided: "+d.Text)
	}
	for _, a := range t.Actions {
		parts = append(parts, fmt.Sprintf("action (%s): %s", cmp.Or(a.Assignee, "nobody"), a.Text))
	}
	for _, q := range t.Questions {
		parts = append(parts, "open: "+q)
	}
	return fmt.Sprintf("%s [%s]%s %.300s %s", t.Title, t.Lifecycle, opt(" date=", string(t.Date)), t.Content, strings.Join(parts, "; "))
}

// written refuses a thread that says it is merged: only a merge makes it so.
func (t *ThreadBody) written() error {
	if t.Lifecycle == ThreadMerged {
		return fault.BadField("lifecycle", "A thread becomes MERGED by being merged into another.", string(ThreadDraft), string(ThreadActive), string(ThreadClosed))
	}
	return nil
}
