package desk

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"chela/internal/fault"
)

// A Term is a part of a completion contract: what has to be true before the word of an agent counts that the
// work is done. Exactly one field besides Name is set. Texts and expressions read ticket and result, which has
// text, what the agent says was done, and agent, its name.
type Term struct {
	Name    string        `json:"name,omitempty" doc:"for people"`
	Holds   string        `json:"holds,omitempty" doc:"CEL over ticket and result: size(result.text) > 100"`
	File    *FileTerm     `json:"file,omitempty" doc:"a file is there"`
	Command *CommandTerm  `json:"command,omitempty" doc:"a line for a shell ends with 0"`
	Record  *RecordTerm   `json:"record,omitempty" doc:"a record is there, in a state"`
	Number  *NumberTerm   `json:"number,omitempty" doc:"a number lies in a range"`
	Cites   *CitesTerm    `json:"cites,omitempty" doc:"a text names its sources"`
	Verdict *ReviewerTerm `json:"verdict,omitempty" doc:"somebody else passes it, with reasons"`
}

// A FileTerm is that an agent can read a file.
type FileTerm struct {
	Path  string `json:"path"`
	Agent string `json:"agent,omitempty" doc:"whose folders; left out, of who says that it is done"`
}

// A CommandTerm is that a line for a shell ends with 0.
type CommandTerm struct {
	Run   string `json:"run"`
	Dir   string `json:"dir,omitempty"`
	Agent string `json:"agent,omitempty" doc:"who runs it; left out, who says that it is done"`
}

// A RecordTerm is that a condition holds of a record.
type RecordTerm struct {
	ID   string `json:"id"`
	When string `json:"when,omitempty" doc:"CEL over record; left out, that it is there"`
}

// A NumberTerm is that a number lies in a range.
type NumberTerm struct {
	Value string   `json:"value" doc:"a CEL expression"`
	Min   *float64 `json:"min,omitempty"`
	Max   *float64 `json:"max,omitempty"`
}

// A CitesTerm is that a text names sources: addresses, or records that are there.
type CitesTerm struct {
	Text  string `json:"text"`
	Least int    `json:"least,omitempty" minimum:"0" doc:"different ones; left out, 1"`
}

// A ReviewerTerm is that an agent, a person or somebody with a role passes it. Nobody reviews their own work.
type ReviewerTerm struct {
	Agent    string `json:"agent,omitempty"`
	Person   string `json:"person,omitempty" doc:"an id or a name"`
	Role     string `json:"role,omitempty" enum:"viewer,editor,admin,owner"`
	Criteria string `json:"criteria,omitempty" doc:"what to look at"`
}

// mostTerms is how many terms a contract has.
const mostTerms = 20

// checkTerms reports a term that is not one thing, or lacks what it needs.
func checkTerms(terms []Term) error {
	if len(terms) > mostTerms {
		return fault.BadField("contract", fmt.Sprintf("A contract has at most %d terms.", mostTerms))
	}
	for i, t := range terms {
		if why := t.wrong(); why != "" {
			return fault.BadField(fmt.Sprintf("contract[%d]", i), why)
		}
	}
	return nil
}

// wrong says what is wrong with a term, a sentence.
func (t Term) wrong() string {
	count := 0
	for _, is := range []bool{t.Holds != "", t.File != nil, t.Command != nil, t.Record != nil, t.Number != nil, t.Cites != nil, t.Verdict != nil} {
		if is {
			count++
		}
	}
	switch {
	case count != 1:
		return "A term is one of holds, file, command, record, number, cites and verdict."
	case t.File != nil && t.File.Path == "":
		return "The term has no path."
	case t.Command != nil && t.Command.Run == "":
		return "The term has no command to run."
	case t.Record != nil && t.Record.ID == "":
		return "The term names no record."
	case t.Number != nil && t.Number.Value == "":
		return "The term has no value."
	case t.Number != nil && t.Number.Min == nil && t.Number.Max == nil:
		return "The number has no min and no max."
	case t.Cites != nil && t.Cites.Text == "":
		return "The term has no text that names sources."
	case t.Verdict != nil:
		return t.Verdict.wrong()
	}
	return ""
}

func (r ReviewerTerm) wrong() string {
	said := 0
	for _, one := range []string{r.Agent, r.Person, r.Role} {
		if one != "" {
			said++
		}
	}
	switch {
	case said != 1:
		return "A reviewer is one of agent, person and role."
	case r.Role != "" && !slices.Contains([]string{"viewer", "editor", "admin", "owner"}, r.Role):
		return "The role " + r.Role + " is not known; there are viewer, editor, admin and owner."
	}
	return ""
}

// A Proof says how much a ticket's status is worth.
type Proof string

// The values of Proof.
const (
	Proven   Proof = "PROVEN"   // its contract was met when an agent said that it was done
	Unproven Proof = "UNPROVEN" // an agent said so, and its contract was not met
	Waived   Proof = "WAIVED"   // a person closed it without proof
)

// Proofs lists all values.
func Proofs() []Proof { return []Proof{Proven, Unproven, Waived} }

// An Actor is who changes a record.
type Actor struct {
	ID    string // as events name it
	Agent bool   // an agent, whose word needs proof
	Found Proof  // what was found of the contract for this change; "" when nobody looked
}

// Settle makes a record what the rules of its kind say after a change by an actor, or refuses the change.
// before is nil for a new record. It reports whether it changed next.
func Settle(before, next Thing, by Actor) (bool, error) {
	s, ok := next.(interface {
		settle(before Thing, by Actor) (bool, error)
	})
	if !ok {
		return false, nil
	}
	return s.settle(before, by)
}

// Terms is the contract of a record; nil when its kind has none.
func Terms(t Thing) []Term {
	if c, ok := t.(interface{ terms() []Term }); ok {
		return c.terms()
	}
	return nil
}

// Owes reports whether a record has still to prove that it is done: it has a contract, and is not done.
func Owes(t Thing) bool {
	o, ok := t.(interface{ owes() bool })
	return ok && o.owes()
}

// Writers are who wrote the contract of a record, as events name them.
func Writers(t Thing) []string {
	if w, ok := t.(interface{ writers() []string }); ok {
		return w.writers()
	}
	return nil
}

func (t *TicketBody) terms() []Term { return t.Contract }

func (t *TicketBody) owes() bool { return len(t.Contract) > 0 && t.Status != Done }

// settle holds the contract: an agent takes no term away and says done only with proof; what a person closes
// without proof says so.
func (t *TicketBody) settle(before Thing, by Actor) (bool, error) {
	old, ok := before.(*TicketBody)
	if !ok {
		old = new(TicketBody)
	}
	was := *t
	if t.Proof != old.Proof || t.ContractBy != old.ContractBy {
		return false, fault.BadField("proof", "What is proven of a ticket is found out when somebody says that it is done; nobody writes it.")
	}
	changed := !slices.EqualFunc(t.Contract, old.Contract, Term.same)
	if changed && by.Agent && !holdsAll(t.Contract, old.Contract) {
		return false, fault.New(fault.Denied, "An agent adds terms to a contract and takes none away. Leave those that are there, or ask a person.")
	}
	if changed {
		t.ContractBy, t.Proof = writers(old, by), ""
	}
	if len(t.Contract) == 0 {
		t.ContractBy, t.Proof = "", ""
		return t.Proof != was.Proof || t.ContractBy != was.ContractBy, nil
	}
	switch {
	case t.Status == Done && old.Status == Done && !changed:
	case t.Status == Done && by.Found == Proven && !changed:
		t.Proof = Proven
	case t.Status == Done && by.Agent:
		return false, fault.New(fault.Conflict, "The ticket %q has a contract, so it is done when that is met. Say so with update_ticket, status DONE and what was done as result.", t.Title)
	case t.Status == Done:
		t.Proof = Waived
	case by.Found == Unproven:
		t.Proof = Unproven
	case old.Status == Done: // there is work again
		t.Proof = ""
	}
	return t.Proof != was.Proof || t.ContractBy != was.ContractBy, nil
}

// writers are who answers for a contract after a change: a person who wrote it for all of it, and for whom an agent adds terms
// beside those before.
func writers(old *TicketBody, by Actor) string {
	had := old.writers()
	if !by.Agent || len(old.Contract) == 0 || slices.Contains(had, by.ID) {
		if by.Agent && len(old.Contract) > 0 {
			return old.ContractBy
		}
		return by.ID
	}
	return strings.Join(append(had, by.ID), " ")
}

func (t *TicketBody) writers() []string { return strings.Fields(t.ContractBy) }

func holdsAll(all, some []Term) bool {
	return !slices.ContainsFunc(some, func(t Term) bool { return !slices.ContainsFunc(all, t.same) })
}

// same reports whether two terms say the same.
func (t Term) same(other Term) bool {
	a, errA := json.Marshal(t)
	b, errB := json.Marshal(other)
	return errA == nil && errB == nil && string(a) == string(b)
}

// Title is what a term is called.
func (t Term) Title() string {
	switch {
	case t.Name != "":
		return t.Name
	case t.Holds != "":
		return t.Holds
	case t.File != nil:
		return "the file " + t.File.Path
	case t.Command != nil:
		return t.Command.Run
	case t.Record != nil:
		return "the record " + t.Record.ID
	case t.Number != nil:
		return t.Number.Value
	case t.Cites != nil:
		return "sources"
	case t.Verdict != nil:
		return "the verdict of " + strings.TrimSpace(t.Verdict.Agent+t.Verdict.Person+t.Verdict.Role)
	}
	return ""
}
