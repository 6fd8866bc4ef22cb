package turn

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"chela/internal/event"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/workflow"
)

// reader is the records as who answers a message.
func reader() org.Agent {
	return org.Agent{
		Card:    org.Card{AgentID: "agent:records", Display: org.Display{Name: "Records"}},
		Profile: org.Profile{Kind: org.Checker, Enabled: true},
	}
}

// answerable reports whether the records are asked: about what is said in a conversation that chose no model, to nobody whose abilities are named.
func (t *turn) answerable() bool {
	return t.h.opts.Records != nil && t.s.Run.Kind == session.ChatRun && t.thread.Model == "" && len(t.input.Requires) == 0 && len(t.input.Prefers) == 0
}

// fromRecords ends the run with what the records answer to all messages that are left. The records answer nothing while a model can be asked.
func (t *turn) fromRecords(ctx context.Context) (workflow.Next, error) {
	if id := t.spokenTo(); id != "" {
		if a, err := t.h.roster.Agent(ctx, id); err != nil || a.Model != "" || a.Ready() != nil { // it has a model of its own, or is not to be spoken to
			return workflow.Next{}, err
		}
	}
	var replies []string
	for _, m := range t.answered() {
		if slices.Contains(t.routed, m.ID) {
			continue
		}
		text, err := t.recordsSay(ctx, m)
		if err != nil || text == "" {
			return workflow.Next{}, err
		}
		replies = append(replies, text)
	}
	if len(replies) == 0 {
		return workflow.Next{}, nil
	}
	t.scope.SawRecords()
	return t.replies(ctx, reader(), strings.Join(replies, "\n\n"))
}

// spokenTo is the agent that a person speaks to directly, "" for none.
func (t *turn) spokenTo() org.AgentID { return org.AgentID(cmp.Or(t.s.Run.Agent, t.thread.Agent)) }

// saidBy is who said a message: a schedule when the clock began the run with it, else a person.
func (t *turn) saidBy(m session.Message) event.Party {
	if by := t.s.Run.By; by.Role == event.RoleSchedule && by.AgentID == m.Actor {
		return by
	}
	return m.By()
}

// recordsSay is what the records answer to a message, "" for nothing. An answer is a step; what was answered before a crash stands.
func (t *turn) recordsSay(ctx context.Context, m session.Message) (string, error) {
	type said struct {
		Text string `json:"text"`
	}
	text, key := "", "records/"+m.ID
	if !t.s.Recorded(key).Done {
		var err error
		if len(m.Files) == 0 {
			text, _, err = t.h.opts.Records(ctx, t.saidBy(m), t.thread.Project, m.Message)
		}
		if err != nil || text == "" {
			return "", err
		}
	}
	s, err := run.Step(ctx, t.s, key, func(context.Context) (said, error) { return said{text}, nil })
	return s.Text, err
}
