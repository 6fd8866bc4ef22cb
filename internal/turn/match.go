package turn

import (
	"context"
	"slices"
	"strings"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/org"
	"chela/internal/router"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/workflow"
)

// matchable reports whether the router is asked: about what a person says who names neither an agent nor what it has to know.
func (t *turn) matchable() bool {
	return t.h.opts.Router != nil && t.s.Run.Kind == session.ChatRun && t.s.Run.Lane != run.ScheduleLane && len(t.input.Requires) == 0 && len(t.input.Prefers) == 0
}

// match asks the router about each message that the run answers. When it replies to all of them the run ends with that; else the
// team answers the rest.
func (t *turn) match(ctx context.Context) (workflow.Next, error) {
	var replies []string
	rest := false
	for _, m := range t.answered() {
		a, err := t.h.opts.Router.Route(ctx, router.Ask{Segment: t.s, Scope: t.scope, Thread: t.thread, Message: m, Last: t.last(), Now: t.now})
		if err != nil {
			return workflow.Next{}, err
		}
		if !a.Replies {
			rest = true
			continue
		}
		replies, t.routed = append(replies, a.Text), append(t.routed, m.ID)
	}
	if len(replies) == 0 {
		return workflow.Next{}, nil
	}
	text := strings.Join(replies, "\n\n")
	if rest { // the team answers what is left, after this
		at := once(t.s.Place(router.Party()), "router")
		at.To = []event.Party{t.s.Run.By}
		_, err := t.s.Append(ctx, session.SaidKind.Draft(at, session.Said{Message: text}))
		return workflow.Next{}, err
	}
	return t.replies(ctx, router.Agent(), text)
}

// replies ends the run with a text that no model wrote, as the answer of all that people have said.
func (t *turn) replies(ctx context.Context, by org.Agent, text string) (workflow.Next, error) {
	seen := t.seen
	if n := len(t.later); n > 0 {
		seen = t.later[n-1].Seq
	}
	t.task, t.reply = t.scope.Root(by), agent.Reply{Text: text, Seen: seen}
	return t.deliver(ctx)
}

// answered are the messages of people that the run answers, as far as they have come.
func (t *turn) answered() []session.Message {
	var out []session.Message
	if t.first.ID != "" {
		out = append(out, t.first)
	}
	return append(out, t.later...)
}

// last is what agents answered last before the run.
func (t *turn) last() string {
	for _, m := range slices.Backward(t.before) {
		if m.Role == session.FromAgent {
			return m.Message
		}
	}
	return ""
}

// now is what an earlier message says by now, nothing when it was taken back; ok is false for one that is too far back.
func (t *turn) now(id string) (text string, ok bool) {
	for _, m := range t.before {
		if m.ID == id {
			return m.Message, true
		}
	}
	return "", false
}
