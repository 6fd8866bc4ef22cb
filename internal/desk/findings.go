package desk

import (
	"slices"
	"strings"

	"chela/internal/fault"
)

// DeltaType is a way in which records disagree.
type DeltaType string

// DeltaTypes lists all values.
func DeltaTypes() []DeltaType {
	return []DeltaType{
		"MISSING_EPIC", "DATE_DRIFT", "OWNER_MISMATCH", "SCOPE_MISMATCH", "DEPENDENCY_MISMATCH", "COVERAGE_GAP",
		"ORPHANED_WORK", "CAPACITY_OVERLOAD", "STALE_ARTIFACT", "PRIORITY_MISMATCH", "STATUS_MISMATCH", "DUPLICATE_ENTRY",
	}
}

// A Delta is one disagreement, with both values and where each comes from.
type Delta struct {
	Type       DeltaType `json:"deltaType"`
	Severity   Level     `json:"severity"`
	Title      string    `json:"title"`
	Text       string    `json:"description,omitempty"`
	SourceA    string    `json:"sourceA,omitempty"`
	SourceB    string    `json:"sourceB,omitempty"`
	Field      string    `json:"fieldName,omitempty"`
	ValueA     string    `json:"valueA,omitempty"`
	ValueB     string    `json:"valueB,omitempty"`
	Suggestion string    `json:"suggestedAction,omitempty"`
	Records    []string  `json:"recordIds,omitempty"`
	Auto       bool      `json:"autoResolvable,omitempty"` // the suggestion needs nobody's decision
	Decision   Ruling    `json:"decision,omitempty"`       // empty while nobody has decided
	DecidedBy  string    `json:"decidedBy,omitempty"`
	DecidedAt  Date      `json:"decidedAt,omitempty"`
	Changed    string    `json:"changedId,omitempty"` // the record that took over what the other side says
}

// Same tells whether two deltas are the same finding: both sides, what they say, of what. A
// value that a rule computes anew, such as today's day, does not count.
func (d Delta) Same() string {
	says := d.ValueB
	if prefix, _, _ := strings.Cut(d.SourceB, "_"); !slices.Contains(Prefixes(), prefix) { // no record says it
		says = ""
	}
	return strings.Join([]string{string(d.Type), d.Title, d.Field, d.SourceA, d.ValueA, d.SourceB, says}, "\x00")
}

// Ruling is what somebody made of a delta.
type Ruling string

// The values of Ruling.
const (
	Accepted  Ruling = "ACCEPTED"  // it is so, and is dealt with
	Dismissed Ruling = "DISMISSED" // it does not matter
)

// Rulings lists all values.
func Rulings() []Ruling { return []Ruling{Accepted, Dismissed} }

// CanBecome reports whether what was decided may be decided anew as next: an acceptance
// stands, since a record may have changed with it.
func (d Ruling) CanBecome(next Ruling) bool { return next != "" && d != Accepted && d != next }

// PackStatus is where a delta pack stands.
type PackStatus string

// The values of PackStatus.
const (
	PackDraft      PackStatus = "DRAFT"
	PackFinal      PackStatus = "FINAL"
	PackSuperseded PackStatus = "SUPERSEDED"
)

// PackStatuses lists all values.
func PackStatuses() []PackStatus { return []PackStatus{PackDraft, PackFinal, PackSuperseded} }

// CanBecome reports whether a pack may go from s to next.
func (s PackStatus) CanBecome(next PackStatus) bool {
	return s == next || s == PackDraft || s == PackFinal && next == PackSuperseded
}

// A DeltaPackBody is what one reconciliation found.
type DeltaPackBody struct {
	Title      string         `json:"title,omitempty"`
	Compared   []string       `json:"sourcesCompared,omitempty"`
	Deltas     []Delta        `json:"deltas"`
	BySeverity map[string]int `json:"bySeverity,omitempty"` // counted
	ByType     map[string]int `json:"byType,omitempty"`     // counted
	Status     PackStatus     `json:"status"`
	RunID      string         `json:"runId,omitempty"`
	Sources    []Source       `json:"sources,omitempty"`
}

// Check implements [Thing].
func (d *DeltaPackBody) Check() error {
	orDefault(&d.Status, PackFinal)
	d.BySeverity, d.ByType = make(map[string]int), make(map[string]int)
	if d.Deltas == nil {
		d.Deltas = []Delta{}
	}
	for i := range d.Deltas {
		x := &d.Deltas[i]
		orDefault(&x.Severity, Medium)
		if err := firstOf(oneOf("deltas.deltaType", x.Type, DeltaTypes()), oneOf("deltas.severity", x.Severity, Levels()), required("deltas.title", x.Title), x.DecidedAt.check("deltas.decidedAt")); err != nil {
			return err
		}
		if x.Decision != "" {
			if err := oneOf("deltas.decision", x.Decision, Rulings()); err != nil {
				return err
			}
		}
		d.BySeverity[string(x.Severity)]++
		d.ByType[string(x.Type)]++
	}
	return oneOf("status", d.Status, PackStatuses())
}

func followDeltaPack(old, next Thing) error {
	a, aok := old.(*DeltaPackBody)
	b, bok := next.(*DeltaPackBody)
	if aok && bok && !a.Status.CanBecome(b.Status) {
		return fault.New(fault.Conflict, "A delta pack that is %s cannot become %s.", a.Status, b.Status)
	}
	return nil
}
func (d *DeltaPackBody) identity() string { return "" }
func (d *DeltaPackBody) title() string    { return d.Title }
func (d *DeltaPackBody) status() string   { return string(d.Status) }
func (d *DeltaPackBody) refs() []Ref {
	var out []Ref
	for _, x := range d.Deltas {
		out = append(out, refsTo("deltas.recordIds", x.Records)...)
		out = append(out, Ref{"deltas.changedId", x.Changed})
	}
	return out
}

// BlindspotCategories lists all categories.
func BlindspotCategories() []string {
	return []string{
		"ORPHANED_TICKET", "UNCOVERED_OBJECTIVE", "EMPTY_PHASE", "UNASSIGNED_WORK", "MISSING_OWNER", "DEPENDENCY_RISK",
		"CAPACITY_GAP", "SCOPE_OVERLAP", "MISSING_TEST_SIGNAL", "STALE_ARTIFACT",
	}
}

// BlindspotStatuses lists all statuses; people correct them, so each may follow each.
func BlindspotStatuses() []string { return []string{"OPEN", "ACKNOWLEDGED", "RESOLVED", "DISMISSED"} }

// A BlindspotBody is something nobody looks at.
type BlindspotBody struct {
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
	Category    string   `json:"category"`
	Severity    Level    `json:"severity"`
	Status      string   `json:"status"`
	Owner       string   `json:"owner,omitempty"`
	RecordIDs   []string `json:"recordIds,omitempty"`
	DeltaPackID string   `json:"deltaPackId,omitempty"`
	RunID       string   `json:"runId,omitempty"` // that found it
	ResolvedAt  Date     `json:"resolvedAt,omitempty"`
	Sources     []Source `json:"sources,omitempty"`
}

// Check implements [Thing].
func (b *BlindspotBody) Check() error {
	b.Title = strings.TrimSpace(b.Title)
	orDefault(&b.Status, "OPEN")
	orDefault(&b.Severity, Medium)
	return firstOf(required("title", b.Title), oneOf("category", b.Category, BlindspotCategories()), oneOf("severity", b.Severity, Levels()),
		oneOf("status", b.Status, BlindspotStatuses()), b.ResolvedAt.check("resolvedAt"))
}
func (b *BlindspotBody) identity() string { return b.Title }
func (b *BlindspotBody) title() string    { return b.Title }
func (b *BlindspotBody) status() string   { return b.Status }
func (b *BlindspotBody) refs() []Ref {
	return append(refsTo("recordIds", b.RecordIDs), Ref{"deltaPackId", b.DeltaPackID})
}

// An UploadBody is a document that came in.
type UploadBody struct {
	Source      string            `json:"source"` // paste, file
	SourceURL   string            `json:"sourceUrl,omitempty"`
	Title       string            `json:"title"`
	ContentType string            `json:"contentType,omitempty"` // csv, xlsx, markdown …
	Artifact    string            `json:"binaryRef"`             // the raw bytes
	Bytes       int               `json:"bytes"`
	Status      string            `json:"status"` // INBOX, THREADED, ARCHIVED
	Problems    []string          `json:"problems,omitempty"`
	IntakeID    string            `json:"intakeId,omitempty"`
	ThreadID    string            `json:"threadId,omitempty"` // what was made of it
	Class       string            `json:"classifiedAs,omitempty"`
	Confidence  float64           `json:"confidence,omitempty"` // of that
	People      []string          `json:"people,omitempty"`
	Systems     []string          `json:"systems,omitempty"`          // trackers' projects, products it is about
	Dated       Date              `json:"contentTimestamp,omitempty"` // as the content says
	Inferred    bool              `json:"inferredTimestamp,omitempty"`
	Tags        []string          `json:"tags,omitempty"`
	Metadata    map[string]string `json:"metadata,omitempty"`
}

// Check implements [Thing].
func (u *UploadBody) Check() error {
	orDefault(&u.Status, "INBOX")
	orDefault(&u.Source, "file")
	return firstOf(required("title", u.Title), required("binaryRef", u.Artifact), u.Dated.check("contentTimestamp"), oneOf("status", u.Status, []string{"INBOX", "THREADED", "ARCHIVED"}))
}
func (u *UploadBody) identity() string { return u.Artifact }
func (u *UploadBody) title() string    { return u.Title }
func (u *UploadBody) status() string   { return u.Status }
func (u *UploadBody) refs() []Ref      { return []Ref{{"intakeId", u.IntakeID}, {"threadId", u.ThreadID}} }

// IntakeStatus is where an intake stands.
type IntakeStatus string

// The values of IntakeStatus.
const (
	IntakeReceived   IntakeStatus = "RECEIVED"
	IntakeProcessing IntakeStatus = "PROCESSING"
	IntakeDispatched IntakeStatus = "DISPATCHED" // every phase is over
	IntakeFailed     IntakeStatus = "FAILED"     // a phase failed; it can be tried again
)

// IntakeStatuses lists all values.
func IntakeStatuses() []IntakeStatus {
	return []IntakeStatus{IntakeReceived, IntakeProcessing, IntakeDispatched, IntakeFailed}
}

// CanBecome reports whether an intake may go from s to next.
func (s IntakeStatus) CanBecome(next IntakeStatus) bool {
	switch s {
	case IntakeReceived:
		return next != IntakeDispatched
	case IntakeProcessing:
		return next != IntakeReceived
	case IntakeFailed:
		return next == IntakeFailed || next == IntakeProcessing
	case IntakeDispatched:
		return next == IntakeDispatched
	}
	return false
}

// An IntakePhase is one phase of an intake.
type IntakePhase struct {
	Name    string `json:"name"`
	Status  string `json:"status"` // pending, running, done, skipped, failed
	Agent   string `json:"agent,omitempty"`
	Summary string `json:"summary,omitempty"`
	By      string `json:"by,omitempty"` // rules, model
}

// An IntakeBody is content that was handed in, and what became of it.
type IntakeBody struct {
	Title        string         `json:"title"`
	SourceType   string         `json:"sourceType"`
	ClassifiedAs string         `json:"classifiedAs,omitempty"`
	Digest       string         `json:"digest"` // of the content, to know it again
	Uploads      []string       `json:"uploadIds,omitempty"`
	Artifact     string         `json:"rawContentRef,omitempty"`
	Phases       []IntakePhase  `json:"phases"`
	Created      map[string]int `json:"created,omitempty"` // records by kind
	Changed      map[string]int `json:"changed,omitempty"` // what a newer export brought up to date; see its reconciliations
	Problems     []string       `json:"problems,omitempty"`
	RunID        string         `json:"runId,omitempty"`
	ThreadID     string         `json:"threadId,omitempty"`
	Status       IntakeStatus   `json:"status"`
	Modelless    bool           `json:"rulesOnly,omitempty"` // no model was asked
}

// Check implements [Thing].
func (i *IntakeBody) Check() error {
	orDefault(&i.Status, IntakeReceived)
	orDefault(&i.SourceType, "UNKNOWN")
	if i.Phases == nil {
		i.Phases = []IntakePhase{}
	}
	return firstOf(required("title", i.Title), required("digest", i.Digest), oneOf("status", i.Status, IntakeStatuses()), oneOf("sourceType", i.SourceType, SourceTypes()))
}

// SourceTypes lists what content may be.
func SourceTypes() []string {
	return []string{"CONFLUENCE_EXPORT", "JIRA_DUMP", "SMARTSHEET_EXPORT", "MEETING_NOTES", "LINK_LIST", "DESIGN_DOC", "FREE_TEXT", "EXCEL_UPLOAD", "UNKNOWN"}
}

func followIntake(old, next Thing) error {
	a, aok := old.(*IntakeBody)
	b, bok := next.(*IntakeBody)
	if aok && bok && !a.Status.CanBecome(b.Status) {
		return fault.New(fault.Conflict, "An intake that is %s cannot become %s.", a.Status, b.Status)
	}
	return nil
}
func (i *IntakeBody) identity() string { return i.Digest }
func (i *IntakeBody) title() string    { return i.Title }
func (i *IntakeBody) status() string   { return string(i.Status) }
func (i *IntakeBody) refs() []Ref      { return refsTo("uploadIds", i.Uploads) }

// A MemoryBody is knowledge with a scope and a lifetime.
type MemoryBody struct {
	Scope     string   `json:"scope"` // GLOBAL, PROJECT, SESSION, THREAD
	ThreadID  string   `json:"threadId,omitempty"`
	Key       string   `json:"key"`
	Content   string   `json:"content"`
	Tags      []string `json:"tags,omitempty"`
	ExpiresAt Date     `json:"expiresAt,omitempty"`
	Sources   []Source `json:"sources,omitempty"`
}

// Check implements [Thing].
func (m *MemoryBody) Check() error {
	orDefault(&m.Scope, "PROJECT")
	return firstOf(required("key", m.Key), required("content", m.Content), m.ExpiresAt.check("expiresAt"), oneOf("scope", m.Scope, []string{"GLOBAL", "PROJECT", "SESSION", "THREAD"}))
}
func (m *MemoryBody) identity() string { return m.Scope + " " + m.ThreadID + " " + m.Key }
func (m *MemoryBody) title() string    { return m.Key }
func (m *MemoryBody) status() string   { return m.Scope }
func (m *MemoryBody) refs() []Ref      { return nil }
