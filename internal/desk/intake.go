package desk

import (
	"fmt"

	"chela/internal/fault"
)

// IntakeStatus is where an intake stands.
type IntakeStatus string

// The values of IntakeStatus.
const (
	IntakeReceived   IntakeStatus = "RECEIVED"
	IntakeProcessing IntakeStatus = "PROCESSING"
	IntakeDispatched IntakeStatus = "DISPATCHED" // every phase is over
	IntakeFailed     IntakeStatus = "FAILED"     // a phase or its run failed, or the run was cancelled; it can be tried again
	IntakeTakenBack  IntakeStatus = "TAKEN_BACK" // what it made was taken back; the content can be handed in again
)

// IntakeStatuses lists all values.
func IntakeStatuses() []IntakeStatus {
	return []IntakeStatus{IntakeReceived, IntakeProcessing, IntakeDispatched, IntakeFailed, IntakeTakenBack}
}

// CanBecome reports whether an intake may go from s to next.
func (s IntakeStatus) CanBecome(next IntakeStatus) bool {
	switch s {
	case IntakeReceived:
		return next != IntakeDispatched && next != IntakeTakenBack
	case IntakeProcessing:
		return next != IntakeReceived && next != IntakeTakenBack
	case IntakeFailed, IntakeDispatched: // processing again is with a model
		return next == s || next == IntakeProcessing || next == IntakeTakenBack
	case IntakeTakenBack: // what it was before, when the undo is undone
		return next == s || next == IntakeDispatched || next == IntakeFailed
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

// Intake is the kind of content that was handed in.
const Intake Kind = "intake"

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

// identity is none where all was taken back, so that the same content can be handed in again.
func (i *IntakeBody) identity() string {
	if i.Status == IntakeTakenBack {
		return ""
	}
	return i.Digest
}

// takenBackIntake has an intake say that the run which played it was taken back, or that such an undo was.
func takenBackIntake(before, after, now Thing) bool {
	a, aok := after.(*IntakeBody)
	n, nok := now.(*IntakeBody)
	if !aok || !nok || n.RunID != a.RunID || n.Status != a.Status { // it was tried again since
		return false
	}
	if b, ok := before.(*IntakeBody); ok {
		if b.Status != IntakeTakenBack && a.Status != IntakeTakenBack {
			return false
		}
		n.Status = b.Status
		return true
	}
	n.Status = IntakeTakenBack
	return a.Status == IntakeDispatched || a.Status == IntakeFailed
}
func (i *IntakeBody) title() string  { return i.Title }
func (i *IntakeBody) status() string { return string(i.Status) }
func (i *IntakeBody) refs() []Ref    { return refsTo("uploadIds", i.Uploads) }

func (*IntakeBody) facets() facets {
	return facets{
		kind:    Intake,
		prefix:  "int",
		word:    "intake",
		follow:  followIntake,
		section: "INTAKES",
		account: true,
		undone:  takenBackIntake,
	}
}

func (i *IntakeBody) line(_ string) string {
	return fmt.Sprintf("%s [%s]", i.Title, i.Status)
}
