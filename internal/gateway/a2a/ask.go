package a2a

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"

	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/org"
	"chela/internal/run"
)

// leastApprover is who answers a question that names no role.
const leastApprover = org.Editor

// The members of a message's metadata that name what a task asks.
const (
	metaApproval = "chela/approval"
	metaChoices  = "chela/choices"
)

// asks is what a task waits for. Who may answer is shown exactly what would be done, and how to answer; others hear that a person
// has to.
func (d *door) asks(ctx context.Context, w work) (*sdk.Message, error) {
	id, asks := strings.CutPrefix(w.run.WaitsFor, run.ForPerson)
	if !asks {
		how := "It goes on when the program that began it brings what it waits for."
		if w.run.Paused() {
			how = fmt.Sprintf("A person paused it; it goes on after `chela run resume %s`.", w.run.ID)
		}
		return d.says(w, strings.TrimSpace(w.run.Reason+" "+how)), nil
	}
	q, err := d.Store.Questions.Approval(ctx, id)
	if err != nil {
		return nil, err
	}
	if !answers(gateway.CallerOf(ctx), q) {
		return d.says(w, fmt.Sprintf("%s It waits for a person of the organization, who answers %s on the page under Approvals, or by `chela approval approve %s`.", w.run.Reason, id, id)), nil
	}
	m := d.says(w, fmt.Sprintf("%s\n\nSend the answer as the next message of this task. The choices are: %s.", q.Markdown(), strings.Join(q.Choices, ", ")))
	m.Metadata = map[string]any{metaApproval: q.ID, metaChoices: q.Choices}
	return m, nil
}

// answers reports whether a caller may answer a question.
func answers(c gateway.Caller, q approval.Approval) bool {
	return q.Status == approval.Pending && c.Key == nil && c.Person.Role.AtLeast(cmp.Or(q.Role, leastApprover))
}

// An answer is what a message decides: as data, or as the text "CHOICE ID NOTE".
type answer struct {
	Approval string `json:"approval"`
	Choice   string `json:"choice"`
	Note     string `json:"note"`
}

// readAnswer reads the answer that a message is. It names its question: what was asked meanwhile is not what its sender has looked
// at.
func readAnswer(m *sdk.Message) (a answer, ok bool, err error) {
	if len(m.Parts) != 1 {
		return a, false, nil
	}
	switch content := m.Parts[0].Content.(type) {
	case sdk.Data:
		raw, err := json.Marshal(content.Value)
		if err != nil {
			return a, false, fault.Wrap(err, fault.Invalid, "The data of the message cannot be read.")
		}
		var named struct {
			Approval *string `json:"approval"`
		}
		if json.Unmarshal(raw, &named) != nil || named.Approval == nil {
			return a, false, nil
		}
		return a, true, event.DecodeStrict(raw, &a)
	case sdk.Text:
		words := strings.Fields(string(content))
		if len(words) < 2 || !strings.HasPrefix(words[1], "apr_") {
			return a, false, nil
		}
		_, note, _ := strings.Cut(string(content), words[1])
		return answer{Approval: words[1], Choice: strings.ToLower(strings.TrimPrefix(words[0], "/")), Note: strings.TrimSpace(note)}, true, nil
	}
	return a, false, nil
}

// decide answers what a task asks with a message of its caller.
func (d *door) decide(ctx context.Context, w work, m *sdk.Message) error {
	id, asks := strings.CutPrefix(w.run.WaitsFor, run.ForPerson)
	if !asks {
		return fault.New(fault.Conflict, "The task %s takes no message now. %s Send it in a new task: leave taskId out and name the context %s.", w.run.ID, w.run.Reason, w.run.Thread)
	}
	c := gateway.CallerOf(ctx)
	if c.Key != nil {
		return fault.New(fault.Denied, "A key answers no approvals. A person answers %s on the page under Approvals, or by `chela approval approve %s`; the task goes on then.", id, id)
	}
	q, err := d.Store.Questions.Approval(ctx, id)
	if err != nil {
		return err
	}
	a, ok, err := readAnswer(m)
	if err != nil {
		return err
	}
	if !ok || a.Approval != id {
		return fault.New(fault.Invalid, "The task %s waits for an answer to %s: %s Send the text `CHOICE %s`, or the data {\"approval\": %q, \"choice\": \"CHOICE\"}, with one of: %s.", w.run.ID, id, q.Question, id, id, strings.Join(q.Choices, ", "))
	}
	return d.decided(ctx, c, q, a)
}

// decided records an answer.
func (d *door) decided(ctx context.Context, c gateway.Caller, q approval.Approval, a answer) error {
	choice := a.Choice
	if !slices.Contains(q.Choices, choice) {
		switch choice {
		case "approve", "yes":
			choice = cmp.Or(q.Yes(), choice)
		case "deny", "no":
			choice = cmp.Or(q.No(), choice)
		}
	}
	return d.Answers.Decide(ctx, approval.Approver{Party: c.Party(), Role: c.Person.Role}, approval.Answer{ID: q.ID, Choice: choice, Note: a.Note, Digest: q.Digest})
}
