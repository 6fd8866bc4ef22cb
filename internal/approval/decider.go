package approval

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
)

// Persons knows who answers.
type Persons interface {
	Person(ctx context.Context, id string) (org.Person, error)
}

// A Decider takes people's answers, wherever they are given: a request of the API and a
// command in a conversation are decided here alike.
type Decider struct {
	From    Reader
	Runs    *run.Engine
	Persons Persons
	Always  Allower
}

// Decide is [Decide]; an answer that comes too late is told who answered before, and how.
func (d *Decider) Decide(ctx context.Context, by Approver, a Answer) error {
	if err := Decide(ctx, d.From, d.Runs, by, a, d.Always); err != nil {
		return d.tooLate(ctx, a.ID, err)
	}
	return nil
}

// tooLate says who answered before, and how, when that is why an answer is refused.
func (d *Decider) tooLate(ctx context.Context, id string, refused error) error {
	if fault.KindOf(refused) != fault.Conflict {
		return refused
	}
	q, err := d.From.Approval(ctx, id)
	switch {
	case err != nil || q.Status == Pending:
		return refused
	case q.Status == Lapsed:
		return fault.Wrap(refused, fault.Conflict, "The question %s needs no answer any more: its run has ended.", id)
	case q.Answer == nil:
		return refused
	case q.By == run.Chela().AgentID:
		return fault.Wrap(refused, fault.Conflict, "The question %s was closed at %s: %s", id, q.EndedAt.UTC().Format(time.TimeOnly+" UTC"), cmp.Or(q.Answer.Note, q.Answer.Choice+"."))
	}
	return fault.Wrap(refused, fault.Conflict, "%s answered this already, at %s: %s.", d.nameOf(ctx, q.By), q.EndedAt.UTC().Format(time.TimeOnly+" UTC"), q.Answer.Choice)
}

// nameOf is how people call a sender.
func (d *Decider) nameOf(ctx context.Context, sender string) string {
	id := org.PersonOf(event.Party{AgentID: sender, Role: "person"})
	if p, err := d.Persons.Person(ctx, id); err == nil {
		return p.Name
	}
	return strings.TrimPrefix(sender, "agent:")
}

// Yes is the choice that lets what is asked about be done; "" when it takes more than a yes
// to answer, as a question about what happened does.
func (r Request) Yes() string {
	switch r.Kind {
	case ToolCalls:
		return Approve
	case BudgetReached:
		return RaiseOnce
	case LookUp:
		return Found
	case Decision:
		return r.offered(Approve)
	case Elicitation:
		return Accept
	case OutcomeUnknown:
	}
	return ""
}

// No is the choice that keeps it from being done; "" as with [Request.Yes].
func (r Request) No() string {
	switch r.Kind {
	case ToolCalls:
		return Refuse
	case BudgetReached:
		return Stop
	case LookUp:
		return Skip
	case Decision:
		return r.offered(Refuse)
	case Elicitation:
		return Decline
	case OutcomeUnknown:
	}
	return ""
}

// offered is a choice when the question offers it, else "".
func (r Request) offered(choice string) string {
	if slices.Contains(r.Choices, choice) {
		return choice
	}
	return ""
}
