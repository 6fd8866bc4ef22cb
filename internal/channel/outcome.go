package channel

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"chela/internal/approval"
	"chela/internal/run"
)

// OutcomeSuffix is what the id of a delivery ends with that tells how the question of the
// delivery before it was decided.
const OutcomeSuffix = ".outcome"

// outcome is what a question says after it was decided or lapsed: the same, how it ended, and
// no buttons. It is nothing where the question was not sent or cannot be edited.
func (b *outbox) outcome(ctx context.Context, asked string) (c content, err error) {
	d, err := b.store.Outbox.Delivery(ctx, asked)
	if err != nil {
		return c, err
	}
	if _, ok := b.adapter.(Editor); !ok || d.State != Done || !b.editable(d.CreatedAt) || len(d.Sent) == 0 || len(d.Sent) != d.Parts {
		return c, nil
	}
	e, err := b.store.Log.EventByID(ctx, asked)
	if err != nil {
		return c, err
	}
	q, _, err := approval.RequestedKind.Open(e)
	if err != nil {
		return c, err
	}
	a, err := b.store.Questions.Approval(ctx, q.ID)
	if err != nil {
		return c, err
	}
	how, err := b.decided(ctx, a)
	return content{text: strings.TrimRight(q.Markdown(), "\n") + "\n\n" + how, over: d.Sent, from: len(d.Sent) - 1, only: true}, err
}

// decided says how a question ended.
func (b *outbox) decided(ctx context.Context, a approval.Approval) (string, error) {
	at := a.EndedAt.UTC().Format(time.TimeOnly + " UTC")
	switch {
	case a.Answer == nil:
		return fmt.Sprintf("**Closed** at %s: its run has ended.", at), nil
	case a.By == run.Chela().AgentID:
		return fmt.Sprintf("**Closed** at %s: %s", at, cmp.Or(a.Answer.Note, a.Answer.Choice+".")), nil
	}
	people, err := b.store.People.Persons(ctx)
	by := "Somebody"
	for _, p := range people {
		if p.Party().AgentID == a.By {
			by = OneLine(p.Name, 80)
		}
	}
	return fmt.Sprintf("**Answered** by %s at %s: %s.", by, at, a.Answer.Choice), err
}
