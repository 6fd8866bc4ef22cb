package notify

import (
	"context"
	"strings"

	"chela/internal/approval"
	"chela/internal/event"
)

// lapsed is the answer that nobody gave in time, when e is that.
func lapsed(e event.Event) (a approval.Answer, ok bool, err error) {
	a, ok, err = approval.AnsweredKind.Open(e)
	return a, ok && a.Choice == approval.Expired, err
}

// knowLapsed looks up the question that nobody answered, and its run.
func (k *Keeper) knowLapsed(ctx context.Context, a approval.Answer, out Known) (Known, error) {
	q, err := k.Asked.Approval(ctx, a.ID)
	if err != nil {
		return out, err
	}
	out.Question = q.Request
	out.Run, err = k.Runs.Run(ctx, q.Run)
	return out, err
}

// unanswered tells who was asked that the question is over and what became of it: it is among the open ones no more, and the run went on.
func unanswered(e event.Event, a approval.Answer, k Known) []Concern {
	out := asked(e, k.Question, k)
	for i := range out {
		text := a.Note
		if k.Question.Kind == approval.ToolCalls {
			text = "Nobody answered in time, so it was denied: " + effects(k.Question) + ". Tell the agent in its conversation to try it again."
		}
		out[i].key = "lapsed/" + k.Question.ID
		out[i].Reason, out[i].Approval = Failed, ""
		out[i].Title, out[i].Text = strings.TrimSuffix(k.Question.Question, "."), text
		out[i].Thread = k.Run.Thread
	}
	return out
}
