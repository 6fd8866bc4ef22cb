package desk

import (
	"slices"
	"strings"
	"time"

	"chela/internal/fault"
)

// A Kind is a sort of record.
type Kind string

// A Thing is the struct of a kind. It may have more methods:
//
//	line(owners string) string   its line in Ask's context; owners are a ticket's
//	written() error              refuses what only the daemon makes of it
//	end(day Date) bool           dates what this state brings to its end
//	begin()                      takes out what a copy does not begin with
//	everywhere() bool            says that the record belongs to all projects
//	lighten()                    takes out what imports alone read
//	succeed(before Thing)        takes the place of the current record of the kind
type Thing interface {
	// Check fills in defaults and reports the first bad field.
	Check() error
	identity() string
	title() string
	status() string
	refs() []Ref
	// facets is called without a receiver.
	facets() facets
}

// A Ref is one reference from a record to another.
type Ref struct {
	Field string
	ID    string
}

// facets are what the product knows of a kind beside its struct. The zero value of each
// holds for most kinds.
type facets struct {
	kind   Kind
	prefix string                      // of ids
	word   string                      // in a sentence
	follow func(old, next Thing) error // refuses a step that the state machine does not have

	section string  // the heading in Ask's context; "" leaves the kind out
	weight  int     // how far ahead of others Ask puts it
	named   string  // the field that stands for a record where others name it; "" is its id
	form    []Input // the fields that people edit, in the order in which they are read
	asked   Asked   // what questions make of it

	copied      bool   // a copy of a project has copies of them
	merged      bool   // records of one identity are merged
	unique      bool   // there is one of an identity in the organization
	owned       bool   // they have owners: the people of their assignments
	once        bool   // two of a project may not say the same
	association bool   // they join two records, and are nothing by themselves
	attached    string // the field that names the record without which they are nothing
	authored    bool   // only who made one changes it
	erasable    bool   // their words can be taken out of the log
	unwatched   bool   // no condition is about them
	derived     bool   // rules find them anew when other records change
	account     bool   // they tell what happened, so that an undo leaves them
	// undone has an account say that the act was taken back which made it after what it was before, nil for
	// nothing; false when it says nothing of that.
	undone   func(before, after, now Thing) bool
	owns     bool   // records of the kind own others, by assignments
	computed string // the field that follows from other records or from the changes of its own
	current  string // the status of the one that counts; a new one takes its place

	witnessed []string // fields that say what was found of one record; no other takes them over
}

// An Input is a field of the form in which people edit a record.
type Input struct {
	Name    string
	Long    bool     // a text of several lines
	Moment  bool     // a day with a time
	Of      Kind     // the kind of records that it names
	Without []string // values that people do not set
}

// A spec is a kind with how its struct is made.
type spec struct {
	facets
	make   func() Thing
	shared bool
}

func of[B any, T interface {
	*B
	Thing
}]() spec {
	var none T
	_, shared := Thing(none).(interface{ everywhere() bool })
	return spec{none.facets(), func() Thing { return T(new(B)) }, shared}
}

// ordered are all kinds, in the order in which people read them. A kind is a file of this
// package and a row here.
var ordered = []spec{
	of[ProjectBody](), of[ObjectiveBody](), of[TicketBody](), of[ResourceBody](), of[ThreadBody](), of[BlindspotBody](), of[PhaseBody](), of[MilestoneBody](), of[SprintPlanBody](),
	of[ChecklistBody](), of[ChecklistTemplateBody](), of[DeltaPackBody](), of[MemoryBody](), of[IdeaBody](), of[ReminderBody](), of[LinkBody](),
	of[ReconciliationBody](), of[UploadBody](), of[IntakeBody](), of[AssignmentBody](), of[CommentBody](),
}

var specs = byKind(ordered)

func byKind(all []spec) map[Kind]spec {
	out := make(map[Kind]spec, len(all))
	for _, s := range all {
		out[s.kind] = s
	}
	return out
}

// Kinds lists all kinds, sorted.
func Kinds() []Kind {
	out := kindsWith(func(spec) bool { return true })
	slices.Sort(out)
	return out
}

func kindsWith(has func(spec) bool) []Kind {
	var out []Kind
	for _, s := range ordered {
		if has(s) {
			out = append(out, s.kind)
		}
	}
	return out
}

// Copied lists the kinds of which a copy of a project has copies.
func Copied() []Kind { return kindsWith(func(s spec) bool { return s.copied }) }

// Mergeable lists the kinds of which records of one identity are merged.
func Mergeable() []Kind { return kindsWith(func(s spec) bool { return s.merged }) }

// Editable lists the kinds that people edit in a form.
func Editable() []Kind { return kindsWith(func(s spec) bool { return s.form != nil }) }

// Sections lists the headings of Ask's context.
func Sections() []string {
	var out []string
	for _, s := range ordered {
		if s.section != "" {
			out = append(out, s.section)
		}
	}
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

// Word is the kind in a sentence.
func (k Kind) Word() string { return specs[k].word }

// Prefix is the word that ids of the kind's records begin with.
func (k Kind) Prefix() string { return specs[k].prefix }

// Plural names the records of a kind in addresses and commands: "delta-packs".
func (k Kind) Plural() string {
	word := strings.ReplaceAll(string(k), "_", "-")
	if stem, ok := strings.CutSuffix(word, "y"); ok {
		return stem + "ies"
	}
	return word + "s"
}

// Zero returns the struct of the kind's records, as yet empty; nil when there is no such kind.
func (k Kind) Zero() Thing {
	s, ok := specs[k]
	if !ok {
		return nil
	}
	return s.make()
}

// Erasable reports whether words of the kind's records can be taken out of the log.
func (k Kind) Erasable() bool { return specs[k].erasable }

// Named is the field that stands for a record where others name it, "" its id.
func (k Kind) Named() string { return specs[k].named }

// Form lists the fields that people edit.
func (k Kind) Form() []Input { return slices.Clone(specs[k].form) }

// Weight is how far ahead of others Ask puts the kind's records.
func (k Kind) Weight() int { return specs[k].weight }

// Shared reports whether records of the kind may belong to all projects.
func (k Kind) Shared() bool { return specs[k].shared }

// Unique reports whether there is at most one record of an identity in the organization.
func (k Kind) Unique() bool { return specs[k].unique }

// Once reports whether two records of a project may not say the same: that a person has a ticket, or when a sprint is.
func (k Kind) Once() bool { return specs[k].once }

// Owned reports whether records of the kind have owners: the people of their assignments.
func (k Kind) Owned() bool { return specs[k].owned }

// Owns reports whether records of the kind own others.
func (k Kind) Owns() bool { return specs[k].owns }

// Association reports whether records of the kind join two others, and are nothing by
// themselves.
func (k Kind) Association() bool { return specs[k].association }

// Attached is the field that names the record without which those of the kind are nothing, "" when
// there is none.
func (k Kind) Attached() string { return specs[k].attached }

// Authored reports whether only who made a record changes or deletes it.
func (k Kind) Authored() bool { return specs[k].authored }

// Derived reports whether rules make the records of the kind anew when others change.
func (k Kind) Derived() bool { return specs[k].derived }

// Account reports whether records of the kind tell what happened, so that an undo leaves them.
func (k Kind) Account() bool { return specs[k].account }

// Computed is the field that follows from other records or from the changes of its own, "" when none does.
func (k Kind) Computed() string { return specs[k].computed }

// Witnessed are the fields that say what was found of one record: neither a copy nor a merge takes them over.
func (k Kind) Witnessed() []string { return specs[k].witnessed }

// Unwatched reports whether no condition is about records of the kind, as those that ring.
func (k Kind) Unwatched() bool { return specs[k].unwatched }

// Current is the status of the one record of the kind that counts, "" when each does.
func (k Kind) Current() string { return specs[k].current }

// Line is the section and the line of a record in Ask's context. Kinds that say nothing by
// themselves have no section.
func Line(t Thing, owners string) (section, line string) {
	l, ok := t.(interface{ line(owners string) string })
	if !ok {
		return "", ""
	}
	return t.facets().section, oneLine(l.line(owners))
}

// Section is the section of a record in Ask's context, empty when it has none.
func Section(t Thing) string {
	if _, ok := t.(interface{ line(owners string) string }); !ok {
		return ""
	}
	return t.facets().section
}

// Written refuses what nobody may write into a record.
func Written(t Thing) error {
	if w, ok := t.(interface{ written() error }); ok {
		return w.written()
	}
	return nil
}

// End dates what a record's state brings to its end, and reports whether it does.
func End(t Thing, day Date) bool {
	e, ok := t.(interface{ end(day Date) bool })
	return ok && e.end(day)
}

// Alive refuses a new record whose time is over at a moment. It is for the doors by which people and agents make records; what
// is recorded, copied or imported stays as it is.
func Alive(t Thing, now time.Time) error {
	if a, ok := t.(interface{ alive(now time.Time) error }); ok {
		return a.alive(now)
	}
	return nil
}

// Begin takes out what a copy of a record does not begin with, and reports whether its kind
// has such.
func Begin(t Thing) bool {
	b, ok := t.(interface{ begin() })
	if ok {
		b.begin()
	}
	return ok
}

// Everywhere reports whether a record belongs to all projects.
func Everywhere(t Thing) bool {
	e, ok := t.(interface{ everywhere() bool })
	return ok && e.everywhere()
}

// Succeed has next take the place of before, the record of its kind that counted until now.
func Succeed(next, before Thing) {
	if s, ok := next.(interface{ succeed(before Thing) }); ok {
		s.succeed(before)
	}
}
