package desk

import (
	"fmt"
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
		"ORPHANED_WORK", "CAPACITY_OVERLOAD", "STALE_ARTIFACT", "PRIORITY_MISMATCH", "STATUS_MISMATCH", "DUPLICATE_ENTRY", AbsenceSaid,
	}
}

// AbsenceSaid is that minutes say of somebody that they are away, and their days away do not have it.
const AbsenceSaid DeltaType = "ABSENCE"

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
	By         string    `json:"by,omitempty"`             // the rule that found it; empty for what somebody read
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

// DeltaPack is the kind of what reconciliations found.
const DeltaPack Kind = "delta_pack"

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

func (*DeltaPackBody) facets() facets {
	return facets{
		kind:    DeltaPack,
		prefix:  "dlt",
		word:    "delta pack",
		follow:  followDeltaPack,
		derived: true,
		section: "DELTA PACKS",
		weight:  2,
		current: string(PackFinal),
		asked:   Asked{Columns: []string{"title", "status"}},
	}
}

func (d *DeltaPackBody) line(_ string) string {
	var found []string
	for _, x := range d.Deltas[:min(len(d.Deltas), 15)] {
		found = append(found, string(x.Type)+": "+x.Title)
	}
	return fmt.Sprintf("%s [%s] deltas=%d: %s", d.Title, d.Status, len(d.Deltas), strings.Join(found, "; "))
}

// succeed takes the place of an earlier pack: what was decided there and changed no record stays decided,
// as long as it is found with the same words and values.
func (d *DeltaPackBody) succeed(before Thing) {
	earlier, ok := before.(*DeltaPackBody)
	if !ok {
		return
	}
	decided := make(map[string]Delta)
	for _, x := range earlier.Deltas {
		if x.Decision != "" && x.Changed == "" {
			decided[x.Same()] = x
		}
	}
	for i := range d.Deltas {
		x := &d.Deltas[i]
		if was, ok := decided[x.Same()]; ok && x.Decision == "" {
			x.Decision, x.DecidedBy, x.DecidedAt = was.Decision, was.DecidedBy, was.DecidedAt
		}
	}
	earlier.Status = PackSuperseded
}
