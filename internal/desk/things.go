package desk

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"chela/internal/fault"
)

func decode(r Record, into Thing) error {
	if err := json.Unmarshal(r.Body, into); err != nil {
		return fmt.Errorf("read %s %s: %w", r.Kind, r.ID, err)
	}
	return nil
}

// A Source says where a record comes from, with the exact words.
type Source struct {
	Document string `json:"document,omitempty"` // a name people know
	Artifact string `json:"artifact,omitempty"` // the raw bytes
	Intake   string `json:"intakeId,omitempty"`
	Line     int    `json:"line,omitempty"` // from 1
	EndLine  int    `json:"endLine,omitempty"`
	Quote    string `json:"quote,omitempty"`
	By       string `json:"by"` // "rule:actions", "model:agent:pm", "person"
}

// ProjectStatus is where a project stands.
type ProjectStatus string

// The values of ProjectStatus.
const (
	ProjectActive   ProjectStatus = "ACTIVE"
	ProjectArchived ProjectStatus = "ARCHIVED"
	ProjectTemplate ProjectStatus = "TEMPLATE"
)

// A ProjectBody is a project.
type ProjectBody struct {
	Name        string            `json:"name"`
	Description string            `json:"description,omitempty"`
	Status      ProjectStatus     `json:"status"`
	Tags        []string          `json:"tags,omitempty"`
	Metadata    map[string]string `json:"metadata,omitempty"`
}

// Check implements [Thing].
func (p *ProjectBody) Check() error {
	p.Name = strings.TrimSpace(p.Name)
	orDefault(&p.Status, ProjectActive)
	return firstOf(required("name", p.Name), oneOf("status", p.Status, []ProjectStatus{ProjectActive, ProjectArchived, ProjectTemplate}))
}
func (p *ProjectBody) identity() string { return p.Name }
func (p *ProjectBody) title() string    { return p.Name }
func (p *ProjectBody) status() string   { return string(p.Status) }
func (p *ProjectBody) refs() []Ref      { return nil }

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
	Status   string   `json:"status"` // OPEN, DONE
	Sources  []Source `json:"sources,omitempty"`
}

// Evidence is what a thread or a ticket rests on.
type Evidence struct {
	UploadID  string   `json:"uploadId,omitempty"`
	Type      string   `json:"type,omitempty"` // file, url, upload, design, quote, comment
	Reference string   `json:"reference,omitempty"`
	Snippet   string   `json:"snippet"`
	Author    string   `json:"author,omitempty"` // of a comment
	Date      Date     `json:"date,omitempty"`   // of a comment
	Relevance float64  `json:"relevance,omitempty"`
	Sources   []Source `json:"sources,omitempty"`
}

func checkEvidence(all []Evidence) error {
	for i, e := range all {
		if err := e.Date.check(fmt.Sprintf("evidence.%d.date", i)); err != nil {
			return err
		}
	}
	return nil
}

// A ThreadBody is what was learnt in a conversation.
type ThreadBody struct {
	Title         string     `json:"title"`
	Summary       string     `json:"summary,omitempty"`
	Content       string     `json:"content,omitempty"` // Markdown
	Lifecycle     Lifecycle  `json:"lifecycle"`
	Evidence      []Evidence `json:"evidence,omitempty"`
	Decisions     []Decision `json:"decisions,omitempty"`
	Actions       []Action   `json:"actions,omitempty"`
	Questions     []string   `json:"openQuestions,omitempty"`
	Attendees     []string   `json:"attendees,omitempty"`
	Date          Date       `json:"date,omitempty"` // of the meeting
	ObjectiveIDs  []string   `json:"objectiveIds,omitempty"`
	PhaseIDs      []string   `json:"phaseIds,omitempty"`
	IdeaIDs       []string   `json:"extractedIdeaIds,omitempty"`
	MergedFromIDs []string   `json:"mergedFromThreadIds,omitempty"`
	Naming        string     `json:"namingPolicy,omitempty"`    // how people want its title
	ExtractedAt   Date       `json:"lastExtractedAt,omitempty"` // when it was looked through last
	Extractions   int        `json:"extractionCount,omitempty"`
	Sources       []Source   `json:"sources,omitempty"`
}

// Check implements [Thing].
func (t *ThreadBody) Check() error {
	t.Title = strings.TrimSpace(t.Title)
	orDefault(&t.Lifecycle, ThreadActive)
	for i := range t.Actions {
		a := &t.Actions[i]
		orDefault(&a.Status, "OPEN")
		if err := firstOf(required(fmt.Sprintf("actions.%d.text", i), a.Text), a.DueDate.check(fmt.Sprintf("actions.%d.dueDate", i)),
			oneOf(fmt.Sprintf("actions.%d.status", i), a.Status, []string{"OPEN", "DONE"})); err != nil {
			return err
		}
	}
	for i, d := range t.Decisions {
		if err := firstOf(required(fmt.Sprintf("decisions.%d.text", i), d.Text), d.Date.check(fmt.Sprintf("decisions.%d.date", i))); err != nil {
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
	for _, e := range t.Evidence {
		out = append(out, Ref{"evidence.uploadId", e.UploadID})
	}
	return out
}

// TicketStatus is where a ticket stands.
type TicketStatus string

// The values of TicketStatus. People correct tickets, so each may follow each.
const (
	Todo       TicketStatus = "TODO"
	InProgress TicketStatus = "IN_PROGRESS"
	InReview   TicketStatus = "REVIEW"
	Done       TicketStatus = "DONE"
	Blocked    TicketStatus = "BLOCKED"
)

// TicketStatuses lists all values.
func TicketStatuses() []TicketStatus {
	return []TicketStatus{Todo, InProgress, InReview, Done, Blocked}
}

// Level is a priority or a severity.
type Level string

// The values of Level.
const (
	Low      Level = "LOW"
	Medium   Level = "MEDIUM"
	High     Level = "HIGH"
	Critical Level = "CRITICAL"
)

// Levels lists all values, least first.
func Levels() []Level { return []Level{Low, Medium, High, Critical} }

// TicketType is the size of a ticket.
type TicketType string

// TicketTypes lists all values.
func TicketTypes() []TicketType { return []TicketType{"INITIATIVE", "EPIC", "STORY", "SUBTASK"} }

// A TicketBody is a piece of work. Who does it is said by assignments; see
// [TicketView].
type TicketBody struct {
	Title         string       `json:"title"`
	Description   string       `json:"description,omitempty"`
	Status        TicketStatus `json:"status"`
	Priority      Level        `json:"priority"`
	Type          TicketType   `json:"type,omitempty"`
	ParentID      string       `json:"parentTicketId,omitempty"`
	LinkedThreads []string     `json:"linkedThreadIds,omitempty"`
	BlockedBy     []string     `json:"blockedBy,omitempty"`
	ObjectiveIDs  []string     `json:"objectiveIds,omitempty"`
	PhaseID       string       `json:"phaseId,omitempty"`
	EvidenceLinks []string     `json:"evidenceLinks,omitempty"` // addresses and artifacts
	Evidence      []Evidence   `json:"evidence,omitempty"`      // such as the tracker's comments
	Reporter      string       `json:"reporter,omitempty"`      // who asked for it
	ExternalRef   string       `json:"externalRef,omitempty"`
	ExternalSync  Date         `json:"lastExternalSync,omitempty"` // when a source was last compared with it
	StoryPoints   float64      `json:"storyPoints,omitempty"`
	DueDate       Date         `json:"dueDate,omitempty"`
	Sprint        string       `json:"sprint,omitempty"`
	Labels        []string     `json:"labels,omitempty"`
	CreatedOn     Date         `json:"externalCreated,omitempty"`
	ResolvedOn    Date         `json:"externalResolved,omitempty"`
	Sources       []Source     `json:"sources,omitempty"`
}

// Check implements [Thing].
func (t *TicketBody) Check() error {
	t.Title = strings.TrimSpace(t.Title)
	orDefault(&t.Status, Todo)
	orDefault(&t.Priority, Medium)
	if t.StoryPoints < 0 || t.StoryPoints > 1000 {
		return fault.BadField("storyPoints", "Story points are between 0 and 1,000.")
	}
	if t.Type != "" {
		if err := oneOf("type", t.Type, TicketTypes()); err != nil {
			return err
		}
	}
	return firstOf(required("title", t.Title), oneOf("status", t.Status, TicketStatuses()), oneOf("priority", t.Priority, Levels()), checkEvidence(t.Evidence),
		t.DueDate.check("dueDate"), t.ExternalSync.check("lastExternalSync"), t.CreatedOn.check("externalCreated"), t.ResolvedOn.check("externalResolved"))
}

func (t *TicketBody) identity() string {
	if t.ExternalRef != "" {
		return t.ExternalRef
	}
	return t.Title
}
func (t *TicketBody) title() string  { return t.Title }
func (t *TicketBody) status() string { return string(t.Status) }
func (t *TicketBody) refs() []Ref {
	out := append(refsTo("linkedThreadIds", t.LinkedThreads), refsTo("blockedBy", t.BlockedBy)...)
	for _, e := range t.Evidence {
		out = append(out, Ref{"evidence.uploadId", e.UploadID})
	}
	return append(append(out, refsTo("objectiveIds", t.ObjectiveIDs)...), Ref{"parentTicketId", t.ParentID}, Ref{"phaseId", t.PhaseID})
}

// ObjectiveStatus is where an objective stands.
type ObjectiveStatus string

// ObjectiveStatuses lists all values.
func ObjectiveStatuses() []ObjectiveStatus {
	return []ObjectiveStatus{"PROPOSED", "COMMITTED", "AT_RISK", "ACHIEVED", "MISSED", "DROPPED"}
}

// An ObjectiveBody is an outcome somebody wants by a time.
type ObjectiveBody struct {
	SprintName string          `json:"sprintName,omitempty"`
	Outcome    string          `json:"outcome"`
	Signal     string          `json:"measurableSignal,omitempty"`
	Risks      []string        `json:"risks,omitempty"`
	ThreadIDs  []string        `json:"threadIds,omitempty"`
	TicketIDs  []string        `json:"ticketIds,omitempty"`
	Coverage   float64         `json:"coveragePercent"` // computed by flow
	Status     ObjectiveStatus `json:"status"`
	StartDate  Date            `json:"startDate,omitempty"`
	EndDate    Date            `json:"endDate,omitempty"`
	Sources    []Source        `json:"sources,omitempty"`
}

// Check implements [Thing].
func (o *ObjectiveBody) Check() error {
	o.Outcome = strings.TrimSpace(o.Outcome)
	orDefault(&o.Status, "PROPOSED")
	if o.Coverage < 0 || o.Coverage > 100 {
		return fault.BadField("coveragePercent", "Coverage is between 0 and 100.")
	}
	return firstOf(required("outcome", o.Outcome), oneOf("status", o.Status, ObjectiveStatuses()), o.StartDate.check("startDate"), o.EndDate.check("endDate"))
}
func (o *ObjectiveBody) identity() string { return o.SprintName + " | " + o.Outcome }
func (o *ObjectiveBody) title() string    { return o.Outcome }
func (o *ObjectiveBody) status() string   { return string(o.Status) }
func (o *ObjectiveBody) refs() []Ref {
	return append(refsTo("threadIds", o.ThreadIDs), refsTo("ticketIds", o.TicketIDs)...)
}

// A ResourceBody is somebody who does work. Capacity is in hours a week,
// availability the share of it that goes to this project.
type ResourceBody struct {
	Name         string   `json:"name"`
	Email        string   `json:"email,omitempty"`
	Role         string   `json:"role"`
	Skills       []string `json:"skills,omitempty"`
	Capacity     *float64 `json:"capacity,omitempty"`     // 40 when not said
	Availability *float64 `json:"availability,omitempty"` // 1 when not said
	Aliases      []string `json:"aliases,omitempty"`      // other names it goes by in sources
	Sources      []Source `json:"sources,omitempty"`
}

// Check implements [Thing].
func (r *ResourceBody) Check() error {
	r.Name = strings.TrimSpace(r.Name)
	orDefault(&r.Role, "ENGINEER")
	if r.Capacity == nil {
		hours := 40.0
		r.Capacity = &hours
	}
	if r.Availability == nil {
		full := 1.0
		r.Availability = &full
	}
	if *r.Capacity < 0 || *r.Capacity > 168 {
		return fault.BadField("capacity", "Capacity is in hours a week, between 0 and 168.")
	}
	if *r.Availability < 0 || *r.Availability > 1 {
		return fault.BadField("availability", "Availability is a share between 0 and 1.")
	}
	return firstOf(required("name", r.Name), oneOf("role", r.Role, []string{"ENGINEER", "DESIGNER", "PM", "QA"}))
}
func (r *ResourceBody) identity() string { return r.Name }
func (r *ResourceBody) title() string    { return r.Name }
func (r *ResourceBody) status() string   { return r.Role }
func (r *ResourceBody) refs() []Ref      { return nil }

// Answers reports whether the resource goes by the name.
func (r *ResourceBody) Answers(name string) bool {
	return fold(r.Name) == fold(name) || r.Email != "" && fold(r.Email) == fold(name) ||
		slices.ContainsFunc(r.Aliases, func(a string) bool { return fold(a) == fold(name) })
}

// First reports whether name is the resource's first name alone, which says who is meant
// when nobody else has it.
func (r *ResourceBody) First(name string) bool {
	first, rest, _ := strings.Cut(fold(r.Name), " ")
	return rest != "" && first == fold(name)
}

// An AssignmentBody says that somebody does a ticket: the one truth about it.
type AssignmentBody struct {
	ResourceID string   `json:"resourceId"`
	TicketID   string   `json:"ticketId"`
	Percent    float64  `json:"percentageAllocation,omitempty"` // of their time; 0 when not said
	Sources    []Source `json:"sources,omitempty"`
}

// Check implements [Thing].
func (a *AssignmentBody) Check() error {
	if a.Percent < 0 || a.Percent > 100 {
		return fault.BadField("percentageAllocation", "An allocation is between 0 and 100 percent.")
	}
	return firstOf(required("resourceId", a.ResourceID), required("ticketId", a.TicketID))
}
func (a *AssignmentBody) identity() string { return a.TicketID + " " + a.ResourceID }
func (a *AssignmentBody) title() string    { return a.identity() }
func (a *AssignmentBody) status() string   { return "" }
func (a *AssignmentBody) refs() []Ref {
	return []Ref{{"resourceId", a.ResourceID}, {"ticketId", a.TicketID}}
}
