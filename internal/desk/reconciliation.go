package desk

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"chela/internal/fault"
)

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
	Asked      bool   `json:"asked,omitempty"` // both were changed, and a person decides
	Taken      Taken  `json:"taken,omitempty"` // what was decided
	DecidedBy  string `json:"decidedBy,omitempty"`
	DecidedAt  Date   `json:"decidedAt,omitempty"`
	Set        string `json:"set,omitempty"`  // the merge patch by which the ticket takes the source's value over
	Seen       string `json:"seen,omitempty"` // a hash of what the ticket said
}

// Open reports whether a person still has to decide.
func (d Discord) Open() bool { return d.Asked && d.Taken == "" }

// Taken is whose value counts where a source and a ticket were both changed.
type Taken string

// The values of Taken.
const (
	Mine   Taken = "MINE"
	Theirs Taken = "THEIRS"
)

// Seen is a short hash of the members of a ticket that a merge patch sets.
func Seen(ticket any, set string) (string, error) {
	raw, err := json.Marshal(ticket)
	if err != nil {
		return "", fmt.Errorf("encode the ticket: %w", err)
	}
	var body, patch map[string]any
	if err := json.Unmarshal(raw, &body); err != nil {
		return "", fmt.Errorf("read the ticket: %w", err)
	}
	if err := json.Unmarshal([]byte(set), &patch); err != nil {
		return "", fmt.Errorf("read what the source says: %w", err)
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(patch)) {
		fmt.Fprintf(&b, "%s=%v\n", name, body[name])
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:6]), nil
}

// Reconciliation is the kind of comparisons of a source with the tickets.
const Reconciliation Kind = "reconciliation"

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
		if err := firstOf(required(fmt.Sprintf("conflicts.%d.field", i), c.Field), c.DecidedAt.check("conflicts.decidedAt")); err != nil {
			return err
		}
		if c.Taken != "" {
			if err := oneOf("conflicts.taken", c.Taken, []Taken{Mine, Theirs}); err != nil {
				return err
			}
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

func (*ReconciliationBody) facets() facets {
	return facets{
		kind:    Reconciliation,
		prefix:  "rcn",
		word:    "reconciliation",
		follow:  followReconciliation,
		section: "RECONCILIATIONS",
	}
}

func (r *ReconciliationBody) line(_ string) string {
	return fmt.Sprintf("%s [%s]", plainText(r.title()), r.Status)
}
