// Package scripted is a provider that answers from a script, through the very same
// engine as every other: for the demo, for tests, and for `chela scenario run`. It
// keeps no state: which of an agent's replies is next follows from the conversation
// it is sent, so a daemon that was killed gets the same answers after its restart.
package scripted

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/model"
)

// A Script is a list of steps; javaclaw.md §13.2 has the format it grew from.
type Script struct {
	Steps []Step `json:"steps"`
}

// A Step answers the turn in which the person says UserQuery, or in which a pipeline
// sends a text that contains Contains. A step with neither fits every turn.
type Step struct {
	UserQuery string  `json:"userQuery,omitempty"`
	Contains  string  `json:"contains,omitempty"`
	Replies   []Reply `json:"agentResponses"`
}

// A Reply is one answer of one agent.
type Reply struct {
	Agent string `json:"agentName"` // without "agent:"
	Text  string `json:"responseFallback,omitempty"`
	Calls []Call `json:"toolCalls,omitempty"`
}

// A Call is a tool call of a reply.
type Call struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// Read reads a script strictly.
func Read(raw []byte) (Script, error) {
	var s Script
	err := event.DecodeStrict(raw, &s)
	return s, err
}

// Model answers from a script.
type Model struct{ script Script }

// New returns a model that answers from s.
func New(s Script) *Model { return &Model{s} }

// Open is a [model.Opener]; the provider's Script names a file.
func Open(p model.Provider, _ *http.Client) (model.Model, error) {
	raw, err := os.ReadFile(p.Script)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The script %s cannot be read.", p.Script)
	}
	s, err := Read(raw)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The script %s does not fit: %s", p.Script, fault.TextOf(err))
	}
	return New(s), nil
}

// Generate implements [model.Model].
func (m *Model) Generate(ctx context.Context, r model.Request, show func(model.Delta)) (model.Answer, error) {
	agent := strings.TrimPrefix(r.Agent, "agent:")
	turn, said := current(r.Messages)
	reply, err := m.reply(agent, said, turn)
	if err != nil {
		return model.Answer{}, err
	}
	if err := ctx.Err(); err != nil {
		return model.Answer{}, model.Transport(ctx, "scripted", r.Model, err)
	}
	a := model.Answer{Provider: "scripted", Model: "scripted", Stop: model.StopEnd}
	if reply.Text != "" {
		a.Parts = append(a.Parts, model.Part{Text: reply.Text})
		if show != nil {
			for word := range strings.SplitAfterSeq(reply.Text, " ") {
				show(model.Delta{Text: word})
			}
		}
	}
	for i, c := range reply.Calls {
		args := c.Args
		if len(bytes.TrimSpace(args)) == 0 {
			args = json.RawMessage("{}")
		}
		a.Parts = append(a.Parts, model.Part{Call: &model.ToolCall{ID: fmt.Sprintf("call_%d_%d", turn, i), Name: c.Name, Args: args}})
	}
	a.Finish()
	a.Usage = model.Usage{InputTokens: size(r) / 4, OutputTokens: len(a.Text) / 4}
	return a, nil
}

func size(r model.Request) int {
	n := len(r.System)
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			n += len(p.Text)
		}
	}
	return n
}

// current returns how many answers the agent has given in this turn, and what the
// person said that began it.
func current(in []model.Message) (turn int, said string) {
	for i := len(in) - 1; i >= 0; i-- {
		switch in[i].Role {
		case model.Assistant:
			turn++
		case model.User:
			for _, p := range in[i].Parts {
				said += p.Text
			}
			return turn, strings.TrimSpace(said)
		case model.Tool:
		}
	}
	return turn, said
}

// reply finds the agent's n-th reply in the step that fits what was said. The most
// specific step wins: the same words, then contained words, then any.
func (m *Model) reply(agent, said string, n int) (Reply, error) {
	fits := []func(Step) bool{
		func(s Step) bool { return s.UserQuery != "" && s.UserQuery == said },
		func(s Step) bool { return s.UserQuery != "" && strings.EqualFold(s.UserQuery, said) },
		func(s Step) bool { return s.Contains != "" && strings.Contains(said, s.Contains) },
		func(s Step) bool { return s.UserQuery != "" && strings.Contains(said, s.UserQuery) },
		func(s Step) bool { return s.UserQuery == "" && s.Contains == "" },
	}
	for _, fit := range fits {
		for _, step := range m.script.Steps {
			if !fit(step) {
				continue
			}
			left := n
			for _, r := range step.Replies {
				if r.Agent != agent {
					continue
				}
				if left == 0 {
					return r, nil
				}
				left--
			}
		}
	}
	return Reply{}, &model.Error{Reason: model.Format, Provider: "scripted", Model: "scripted", Detail: fmt.Sprintf("the script has no reply number %d of %s to %q", n+1, agent, clip(said))}
}

func clip(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}
