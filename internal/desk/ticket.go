package desk

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"chela/internal/fault"
)

// TicketStatus is where a ticket stands.
type TicketStatus string

// The values of TicketStatus. People correct tickets, so each may follow each.
const (
	Todo       TicketStatus = "TODO"
	InProgress TicketStatus = "IN_PROGRESS"
	InReview   TicketStatus = "REVIEW"
	Done       TicketStatus = "DONE"
	Blocked    TicketStatus = "BLOCKED"
	Closed     TicketStatus = "CLOSED" // without being done; the outcome says why
)

// TicketStatuses lists all values.
func TicketStatuses() []TicketStatus {
	return []TicketStatus{Todo, InProgress, InReview, Done, Blocked, Closed}
}

// Open reports whether there is still something to do.
func (s TicketStatus) Open() bool { return s != Done && s != Closed }

// Outcome is why a ticket was closed without being done.
type Outcome string

// The values of Outcome.
const (
	WontFix   Outcome = "WONT_FIX"
	Canceled  Outcome = "CANCELED"
	Rejected  Outcome = "REJECTED"
	Duplicate Outcome = "DUPLICATE"
	Removed   Outcome = "REMOVED"
	Archived  Outcome = "ARCHIVED"
)

// Outcomes lists all values.
func Outcomes() []Outcome {
	return []Outcome{WontFix, Canceled, Rejected, Duplicate, Removed, Archived}
}

// TicketType is what sort of work a ticket is.
type TicketType string

// TicketTypes lists all values.
func TicketTypes() []TicketType {
	return []TicketType{"INITIATIVE", "EPIC", "STORY", "TASK", "BUG", "SUBTASK"}
}

// Ticket is the kind of pieces of work.
const Ticket Kind = "ticket"

// A TicketBody is a piece of work. Who does it is said by assignments; see
// [TicketView].
type TicketBody struct {
	Title         string       `json:"title"`
	Description   string       `json:"description,omitempty"`
	Status        TicketStatus `json:"status"`
	Outcome       Outcome      `json:"outcome,omitempty"` // of a closed ticket
	Priority      Level        `json:"priority"`
	Type          TicketType   `json:"type,omitempty"`
	ParentID      string       `json:"parentTicketId,omitempty"`
	LinkedThreads []string     `json:"linkedThreadIds,omitempty"`
	BlockedBy     []string     `json:"blockedBy,omitempty"`
	DuplicateOf   string       `json:"duplicateOf,omitempty"` // another ticket
	RelatedTo     []string     `json:"relatedTo,omitempty"`   // other tickets
	ObjectiveIDs  []string     `json:"objectiveIds,omitempty"`
	PhaseID       string       `json:"phaseId,omitempty"`
	EvidenceLinks []string     `json:"evidenceLinks,omitempty"` // addresses and artifacts
	Evidence      []Evidence   `json:"evidence,omitempty"`      // such as the tracker's comments
	Reporter      string       `json:"reporter,omitempty"`      // who asked for it
	ExternalRef   string       `json:"externalRef,omitempty"`
	ExternalSync  Date         `json:"lastExternalSync,omitempty"` // when a source was last compared with it
	StoryPoints   *float64     `json:"storyPoints,omitempty"`      // nil where nobody estimated it; 0 is an estimate
	DueDate       Date         `json:"dueDate,omitempty"`
	Sprint        string       `json:"sprint,omitempty"`
	// EarlierSprints are those that it was carried over from, the oldest first.
	EarlierSprints []string `json:"earlierSprints,omitempty"`
	Labels         []string `json:"labels,omitempty"`
	CreatedOn      Date     `json:"externalCreated,omitempty"`
	ResolvedOn     Date     `json:"externalResolved,omitempty"`
	// ClosedOn is the day of the change that closed it, or that of the tracker; see [Apply].
	ClosedOn Date     `json:"closedOn,omitempty" readOnly:"true" doc:"the day on which it was closed here, or that its tracker says; nobody writes it"`
	Sources  []Source `json:"sources,omitempty"`
	// Contract is what has to be true before an agent's word counts that it is done; see [Settle].
	Contract []Term `json:"contract,omitempty"`
	Proof    Proof  `json:"proof,omitempty" readOnly:"true" doc:"what was found of the contract; nobody writes it"`
	// ContractBy are who wrote the contract, with blanks between them: its checks may do no more than each of them may.
	ContractBy string `json:"contractBy,omitempty" readOnly:"true" doc:"who wrote the contract, with blanks between them"`
	// Imported are hashes of what the last import said, by field; as id, the id of the issue and a hash of its key.
	Imported map[string]string `json:"imported,omitempty" hidden:"true"`
}

func (t *TicketBody) lighten() { t.Imported = nil }

// Affects begins a label that names a version which has what a ticket reports: "affects 3.3.1".
const Affects = "affects"

// Check implements [Thing].
func (t *TicketBody) Check() error {
	t.Title, t.Sprint = named(t.Title), named(t.Sprint)
	for i, l := range t.Labels {
		t.Labels[i] = named(l)
	}
	t.Labels = slices.DeleteFunc(t.Labels, invisible)
	orDefault(&t.Status, Todo)
	orDefault(&t.Priority, Medium)
	if p := t.Points(); p < 0 || p > 1000 {
		return fault.BadField("storyPoints", "Story points are between 0 and 1,000.")
	}
	if t.Type != "" {
		if err := oneOf("type", t.Type, TicketTypes()); err != nil {
			return err
		}
	}
	if t.Outcome != "" {
		if err := oneOf("outcome", t.Outcome, Outcomes()); err != nil {
			return err
		}
	}
	if t.Status != Closed {
		t.Outcome = ""
	}
	if t.Status.Open() {
		t.ClosedOn = ""
	}
	if t.Proof != "" {
		if err := oneOf("proof", t.Proof, Proofs()); err != nil {
			return err
		}
	}
	t.EarlierSprints = slices.DeleteFunc(t.EarlierSprints, func(s string) bool { return strings.TrimSpace(s) == "" || strings.EqualFold(s, t.Sprint) })
	return firstOf(required("title", t.Title), oneOf("status", t.Status, TicketStatuses()), oneOf("priority", t.Priority, Levels()), checkEvidence(t.Evidence), checkTerms(t.Contract),
		t.DueDate.check("dueDate"), t.ExternalSync.check("lastExternalSync"), t.CreatedOn.check("externalCreated"), t.ResolvedOn.check("externalResolved"))
}

// Points returns the story points, 0 where nobody estimated them.
func (t *TicketBody) Points() float64 {
	if t.StoryPoints == nil {
		return 0
	}
	return *t.StoryPoints
}

// estimate is the story points as text, "-" where nobody estimated them.
func (t *TicketBody) estimate() string {
	if t.StoryPoints == nil {
		return "-"
	}
	return num(*t.StoryPoints)
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
	out = append(append(out, refsTo("relatedTo", t.RelatedTo)...), Ref{"duplicateOf", t.DuplicateOf})
	for _, e := range t.Evidence {
		out = append(out, Ref{"evidence.uploadId", e.UploadID})
	}
	return append(append(out, refsTo("objectiveIds", t.ObjectiveIDs)...), Ref{"parentTicketId", t.ParentID}, Ref{"phaseId", t.PhaseID})
}

func (*TicketBody) facets() facets {
	return facets{
		kind:    Ticket,
		prefix:  "tkt",
		word:    "ticket",
		section: "TICKETS",
		copied:  true,
		merged:  true,
		owned:   true,
		named:   "title",

		computed:  "closedOn",
		witnessed: []string{"proof", "contractBy", "closedOn"},
		form: []Input{
			{Name: "title"}, {Name: "status"}, {Name: "outcome"}, {Name: "priority"}, {Name: "owner"}, {Name: "storyPoints"}, {Name: "sprint"}, {Name: "earlierSprints"}, {Name: "dueDate"}, {Name: "type"}, {Name: "labels"}, {Name: "description", Long: true}, {Name: "externalRef"}, {Name: "reporter"}, {Name: "blockedBy", Of: Ticket}, {Name: "duplicateOf", Of: Ticket}, {Name: "relatedTo", Of: Ticket}, {Name: "objectiveIds", Of: Objective},
		},
		asked: Asked{
			Open: "-status:DONE,CLOSED", Done: "status:DONE", Overdue: "due:<today -status:DONE,CLOSED", Day: "dueDate", Who: "owner", Of: "owner:%s", Titled: true,
			Columns: []string{"externalRef", "title", "status", "priority", "owner", "dueDate"}, Values: []string{"sprint", "earlierSprints", "reporter", "labels"}, Names: []string{"reporter"},
		},
	}
}

func (t *TicketBody) line(owners string) string {
	return fmt.Sprintf("%s %s [%s] priority=%s sp=%s assignee=%s%s%s%s%s%s%s%s%s%s", t.ExternalRef, t.Title, strings.TrimSpace(string(t.Status)+" "+string(t.Outcome)), t.Priority, t.estimate(), cmp.Or(owners, "UNASSIGNED"),
		opt(" due=", string(t.DueDate)), opt(" sprint=", t.Sprint), opt(" carriedFrom=", strings.Join(t.EarlierSprints, ",")), opt(" blockedBy=", strings.Join(t.BlockedBy, ",")),
		opt(" type=", string(t.Type)), opt(" labels=", strings.Join(t.Labels, ",")), opt(" created=", string(t.CreatedOn)), opt(" resolved=", string(t.ResolvedOn)), opt(" reporter=", t.Reporter))
}
