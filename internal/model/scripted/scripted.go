// Package scripted is a provider that answers from a script, through the very same
// engine as every other: for the demo, for tests, and for `chela scenario run`. It
// keeps no state: which of an agent's replies is next follows from the conversation
// it is sent, so a daemon that was killed gets the same answers after its restart. A
// script that says inOrder gives that up: each reply is given once, one after the other.
package scripted

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/model"
)

// A Script is a list of steps. Package scenario documents its format.
type Script struct {
	Steps []Step `json:"steps"`
	// InOrder gives every reply once, in the order of the script. It begins anew when the
	// file has changed.
	InOrder bool `json:"inOrder,omitempty"`
	// Otherwise are what agents say, as often as they are asked, when no step has a reply
	// for them. One without an agent's name is for all.
	Otherwise []Reply `json:"otherwise,omitempty"`
	// Transcript is a file to which every request is added with its answer.
	Transcript string `json:"transcript,omitempty"`
}

// A Line of the transcript is one request with its answer.
type Line struct {
	Agent  string `json:"agent"`
	Said   string `json:"said"`   // by the person, at the beginning of the turn
	Prompt string `json:"prompt"` // everything the model was shown
	Answer string `json:"answer"`
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
	// Fails is why there is no answer, such as context_overflow.
	Fails model.Reason `json:"fails,omitempty"`
	// Waits is how many seconds the answer takes.
	Waits int `json:"waitsSeconds,omitempty"`
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
type Model struct {
	file string // read anew at every call; empty when the script is all there is

	mu     sync.Mutex // guards what follows
	script Script
	raw    []byte         // what the file held
	given  map[string]int // replies given in order, by agent
}

// New returns a model that answers from s.
func New(s Script) *Model { return &Model{script: s, given: make(map[string]int)} }

// Open is a [model.Opener]; the provider's Script names a file. It is read again when
// it changes, as a scenario does that learns ids while it plays.
func Open(p model.Provider, _ *http.Client) (model.Model, error) {
	m := New(Script{})
	m.file = p.Script
	return m, m.read()
}

// read takes in the file when it has changed.
func (m *Model) read() error {
	if m.file == "" {
		return nil
	}
	raw, err := os.ReadFile(m.file)
	if err != nil {
		return fault.Wrap(err, fault.Invalid, "The script %s cannot be read.", m.file)
	}
	if m.raw != nil && bytes.Equal(raw, m.raw) {
		return nil
	}
	s, err := Read(raw)
	if err != nil {
		return fault.Wrap(err, fault.Invalid, "The script %s does not fit: %s", m.file, fault.TextOf(err))
	}
	m.script, m.raw, m.given = s, raw, make(map[string]int)
	return nil
}

// next finds the reply to a turn in which the agent has answered n times.
func (m *Model) next(agent, said string, n int) (Reply, string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.read(); err != nil {
		return Reply{}, "", err
	}
	if m.script.InOrder {
		n = m.given[agent]
		m.given[agent]++
	}
	r, err := m.script.reply(agent, said, n)
	return r, m.script.Transcript, err
}

// Generate implements [model.Model].
func (m *Model) Generate(ctx context.Context, r model.Request, show func(model.Delta)) (model.Answer, error) {
	agent := strings.TrimPrefix(r.Agent, "agent:")
	turn, said := current(r.Messages)
	reply, transcript, err := m.next(agent, said, turn)
	if err != nil {
		return model.Answer{}, err
	}
	if err := write(transcript, agent, said, r, reply); err != nil {
		return model.Answer{}, err
	}
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(reply.Waits) * time.Second):
	}
	if err := ctx.Err(); err != nil {
		return model.Answer{}, model.Transport(ctx, "scripted", r.Model, err)
	}
	if reply.Fails != "" {
		return model.Answer{}, &model.Error{Reason: reply.Fails, Provider: "scripted", Model: r.Model}
	}
	a := model.Answer{Provider: "scripted", Model: "scripted", Stop: model.StopEnd}
	text, calls := Split(reply.Text)
	if text != "" {
		a.Parts = append(a.Parts, model.Part{Text: text})
		if show != nil {
			for word := range strings.SplitAfterSeq(text, " ") {
				show(model.Delta{Text: word})
			}
		}
	}
	for i, c := range slices.Concat(reply.Calls, calls) {
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

// write adds a request to the transcript, when there is one.
func write(file, agent, said string, r model.Request, reply Reply) error {
	if file == "" {
		return nil
	}
	var shown strings.Builder
	shown.WriteString(r.System)
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			shown.WriteString("\n" + p.Text)
			if p.Result != nil {
				shown.WriteString("\n" + p.Result.Text)
			}
		}
	}
	line, err := json.Marshal(Line{agent, said, shown.String(), reply.Text})
	if err != nil {
		return fmt.Errorf("encode the transcript: %w", err)
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600) //nolint:gosec // the script names it
	if err != nil {
		return fault.Wrap(err, fault.Invalid, "The transcript %s cannot be written.", file)
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
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
func (s Script) reply(agent, said string, n int) (Reply, error) {
	fits := []func(Step) bool{
		func(s Step) bool { return s.UserQuery != "" && s.UserQuery == said },
		func(s Step) bool { return s.UserQuery != "" && strings.EqualFold(s.UserQuery, said) },
		func(s Step) bool { return s.Contains != "" && strings.Contains(said, s.Contains) },
		func(s Step) bool { return s.UserQuery != "" && strings.Contains(said, s.UserQuery) },
		func(s Step) bool { return s.UserQuery == "" && s.Contains == "" },
	}
	for _, fit := range fits {
		for _, step := range s.Steps {
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
	for _, r := range s.Otherwise {
		if r.Agent == agent || r.Agent == "" {
			return r, nil
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
