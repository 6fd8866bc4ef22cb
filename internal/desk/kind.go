package desk

import (
	"slices"
	"strings"

	"chela/internal/fault"
)

// A Kind is a sort of record.
type Kind string

// The kinds.
const (
	Project    Kind = "project"
	Thread     Kind = "thread"
	Ticket     Kind = "ticket"
	Objective  Kind = "objective"
	Resource   Kind = "resource"
	Assignment Kind = "assignment"
	DeltaPack  Kind = "delta_pack"
	Blindspot  Kind = "blindspot"
	Upload     Kind = "upload"
	Intake     Kind = "intake"
	Memory     Kind = "memory"

	Phase             Kind = "phase"
	Milestone         Kind = "milestone"
	Checklist         Kind = "checklist"
	ChecklistTemplate Kind = "checklist_template"
	Idea              Kind = "idea"
	Link              Kind = "link"
	Reminder          Kind = "reminder"
	Reconciliation    Kind = "reconciliation"
)

// A Thing is the struct of a kind.
type Thing interface {
	// Check fills in defaults and reports the first bad field.
	Check() error
	identity() string
	title() string
	status() string
	refs() []Ref
}

// A Ref is one reference from a record to another.
type Ref struct {
	Field string
	ID    string
}

type spec struct {
	prefix string
	word   string
	make   func() Thing
	// follow reports a step of the state machine that is not allowed.
	follow func(old, next Thing) error
}

func anyStep(Thing, Thing) error { return nil }

var specs = map[Kind]spec{
	Project:    {"prj", "project", func() Thing { return new(ProjectBody) }, anyStep},
	Thread:     {"thr", "thread", func() Thing { return new(ThreadBody) }, followThread},
	Ticket:     {"tkt", "ticket", func() Thing { return new(TicketBody) }, anyStep},
	Objective:  {"obj", "objective", func() Thing { return new(ObjectiveBody) }, anyStep},
	Resource:   {"res", "resource", func() Thing { return new(ResourceBody) }, anyStep},
	Assignment: {"asg", "assignment", func() Thing { return new(AssignmentBody) }, anyStep},
	DeltaPack:  {"dlt", "delta pack", func() Thing { return new(DeltaPackBody) }, followDeltaPack},
	Blindspot:  {"bsp", "blindspot", func() Thing { return new(BlindspotBody) }, anyStep},
	Upload:     {"upl", "upload", func() Thing { return new(UploadBody) }, anyStep},
	Intake:     {"int", "intake", func() Thing { return new(IntakeBody) }, followIntake},
	Memory:     {"mem", "memory", func() Thing { return new(MemoryBody) }, anyStep},

	Phase:             {"phs", "phase", func() Thing { return new(PhaseBody) }, anyStep},
	Milestone:         {"mls", "milestone", func() Thing { return new(MilestoneBody) }, anyStep},
	Checklist:         {"chk", "checklist", func() Thing { return new(ChecklistBody) }, anyStep},
	ChecklistTemplate: {"clt", "checklist template", func() Thing { return new(ChecklistTemplateBody) }, anyStep},
	Idea:              {"ida", "idea", func() Thing { return new(IdeaBody) }, followIdea},
	Link:              {"lnk", "link", func() Thing { return new(LinkBody) }, anyStep},
	Reminder:          {"rem", "reminder", func() Thing { return new(ReminderBody) }, anyStep},
	Reconciliation:    {"rcn", "reconciliation", func() Thing { return new(ReconciliationBody) }, followReconciliation},
}

// Kinds lists all kinds, sorted.
func Kinds() []Kind {
	out := make([]Kind, 0, len(specs))
	for k := range specs {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// Prefixes lists the words that ids of records begin with, sorted: "asg", "bsp" …
func Prefixes() []string {
	out := make([]string, 0, len(specs))
	for _, s := range specs {
		out = append(out, s.prefix)
	}
	slices.Sort(out)
	return out
}

func (k Kind) spec() (spec, error) {
	s, ok := specs[k]
	if !ok {
		return s, fault.New(fault.NotFound, "There are no records of the kind %q.", k)
	}
	return s, nil
}

// Shared reports whether records of the kind may belong to all projects: GLOBAL memories,
// and templates of checklists that say so.
func (k Kind) Shared() bool { return k == Memory || k == ChecklistTemplate }

// Word is the kind in a sentence.
func (k Kind) Word() string { return specs[k].word }

// A Summary is what lists and searches need of a record.
type Summary struct {
	Identity string // what makes it the same thing as another, case-folded
	Title    string
	Status   string
	Refs     []Ref
}

// Summarize returns r's summary.
func Summarize(r Record) (Summary, error) {
	thing, err := Decode(r)
	if err != nil {
		return Summary{}, err
	}
	return SummaryOf(thing), nil
}

// Decode returns r's body.
func Decode(r Record) (Thing, error) {
	s, err := r.Kind.spec()
	if err != nil {
		return nil, err
	}
	thing := s.make()
	return thing, decode(r, thing)
}

// SummaryOf returns the summary of a body.
func SummaryOf(thing Thing) Summary {
	out := Summary{Identity: fold(thing.identity()), Title: plainText(thing.title()), Status: thing.status()}
	for _, ref := range thing.refs() {
		if ref.ID != "" && !slices.Contains(out.Refs, ref) {
			out.Refs = append(out.Refs, ref)
		}
	}
	return out
}

// Identity returns what makes a body of kind k the same thing as another.
func Identity(t Thing) string { return fold(t.identity()) }

// plainText takes NUL characters out, which PostgreSQL's texts cannot hold.
func plainText(s string) string { return strings.ReplaceAll(s, "\x00", "") }

// fold makes texts that people take for the same equal.
func fold(s string) string { return strings.ToLower(strings.Join(strings.Fields(plainText(s)), " ")) }

func refsTo(field string, ids []string) []Ref {
	out := make([]Ref, len(ids))
	for i, id := range ids {
		out[i] = Ref{field, id}
	}
	return out
}

// oneOf reports a value that is not among a closed set's.
func oneOf[T ~string](field string, v T, all []T) error {
	if slices.Contains(all, v) {
		return nil
	}
	names := make([]string, len(all))
	for i, a := range all {
		names[i] = string(a)
	}
	return fault.BadField(field, "The value "+string(v)+" is not allowed.", names...)
}

func orDefault[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}

func required(field, v string) error {
	if strings.TrimSpace(v) == "" {
		return fault.BadField(field, "The field is required.")
	}
	if len(v) > 100_000 {
		return fault.BadField(field, "The text is longer than 100,000 bytes.")
	}
	return nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
