package approval

import (
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
)

// filled is the answer to a form with what is sent: what was filled in, or the note read as that, and the defaults of the rest.
func (asked Approval) filled(a Answer) (Answer, error) {
	if asked.Kind != Elicitation || asked.Form == nil || a.Choice != Accept {
		if len(a.Values) > 0 {
			return a, fault.BadField("values", "Only a form that is accepted has values.")
		}
		return a, nil
	}
	var err error
	if len(a.Values) == 0 && a.Note != "" {
		if a.Values, err = asked.Form.Say(a.Note); err != nil {
			return a, err
		}
		a.Note = ""
	}
	a.Values, err = asked.Form.Fill(a.Values)
	return a, err
}

// fill records an answer to a form, for the call of the run that waits for it.
func (asked Approval) fill(b *run.Batch, r run.Run, by Approver, a Answer) error {
	if r.State != run.Running {
		return fault.New(fault.Conflict, "The call of run %s that asked %s is over, so the answer goes nowhere.", r.ID, a.ID)
	}
	recorded, err := b.Append(AnsweredKind.Draft(place(r, by.Party, a.ID), a))
	if err == nil && len(recorded) == 0 {
		err = fault.New(fault.Conflict, "The question %s is answered already.", a.ID)
	}
	return err
}

// Withdraw drafts that a question needs no answer any more.
func Withdraw(r run.Run, id, why string) event.Draft {
	return AnsweredKind.Draft(place(r, run.Chela(), id), Answer{ID: id, Choice: Expired, Note: why})
}

// Way says how a question is answered in a conversation.
func (r Request) Way() string {
	yes := "/approve " + r.ID
	if r.Form != nil && !r.Form.Complete() {
		yes += " name=value; name=value"
	}
	if r.Reasons {
		yes += " why"
	}
	return "`" + yes + "` or `/deny " + r.ID + " why`"
}
