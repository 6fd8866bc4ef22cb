package mcp

import (
	"cmp"
	"context"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/approval"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/org"
	"chela/internal/run"
)

// leastApprover is who answers a question that names no role.
const leastApprover = org.Editor

// mostShown bounds what a question shows of what would be done, in bytes.
const mostShown = 16 << 10

// The fields of a question's form.
const (
	decision = "decision"
	note     = "note"
)

// elicits reports whether a client can put a form to its user.
func elicits(c *sdk.ClientCapabilities) bool {
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// asks is the question that a run waits with, where a client can put it to its user and they may answer; without a form where not.
func (s *Server) asks(ctx context.Context, now run.Run, c gateway.Caller, can *sdk.ClientCapabilities) (id string, form *sdk.ElicitParams, err error) {
	id = strings.TrimPrefix(now.WaitsFor, run.ForPerson)
	q, err := s.Store.Questions.Approval(ctx, id)
	if err != nil {
		return id, nil, err
	}
	if q.Status != approval.Pending || c.Key != nil || !c.Person.Role.AtLeast(cmp.Or(q.Role, leastApprover)) || !elicits(can) {
		return id, nil, nil
	}
	return id, question(q), nil
}

// question is an approval as a form.
func question(q approval.Approval) *sdk.ElicitParams {
	lines := []string{q.Question}
	if q.Detail != "" {
		lines = append(lines, q.Detail)
	}
	for _, c := range q.Calls {
		lines = append(lines, c.Tool+" "+c.Shown, c.Diff, c.Why)
		lines = append(lines, c.Notes...)
	}
	lines = append(lines, q.Note)
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.TrimSpace(l) == "" })
	text := strings.Join(lines, "\n\n")
	if len(text) > mostShown {
		text = strings.ToValidUTF8(text[:mostShown], "") + "…\n\nThis is not all of it. The page shows the rest under Approvals."
	}
	return &sdk.ElicitParams{Message: text, RequestedSchema: map[string]any{
		"type": "object", "required": []string{decision},
		"properties": map[string]any{
			decision: map[string]any{"type": "string", "title": "Decision", "enum": q.Choices},
			note:     map[string]any{"type": "string", "title": "Note", "description": "for the agent; what was found, where something is looked up"},
		},
	}}
}

// answered takes the answer of a client's user. Who closes a question without one leaves it open to others.
func (s *Server) answered(ctx context.Context, id string, got *sdk.ElicitResult, c gateway.Caller) error {
	if got.Action == "cancel" {
		return nil
	}
	q, err := s.Store.Questions.Approval(ctx, id)
	if err != nil {
		return err
	}
	a := approval.Answer{ID: id, Choice: q.No(), Digest: q.Digest}
	if got.Action == "accept" {
		var ok bool
		if a.Choice, ok = got.Content[decision].(string); !ok {
			return fault.BadField(decision, "The answer names none.", q.Choices...)
		}
		a.Note, _ = got.Content[note].(string) // left out
	}
	if a.Choice == "" {
		return nil // it takes more than a no to answer
	}
	now, err := s.Store.People.Person(ctx, c.Person.ID)
	if err != nil {
		return err
	}
	if !now.Enabled || !now.Role.AtLeast(leastApprover) {
		return fault.New(fault.Denied, "%s may not answer %s.", now.Name, id)
	}
	return s.Answers.Decide(ctx, approval.Approver{Party: c.Party(), Role: now.Role}, a)
}
