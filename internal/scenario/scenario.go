// Package scenario plays scenario files: each against a daemon of its own, through
// its API, with a scripted model. The format grew from reference javaclaw.md §13.2.
package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"chela/internal/config"
	"chela/internal/daemon"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/model"
	"chela/internal/model/scripted"
)

// A File is one scenario.
type File struct {
	SchemaVersion int    `json:"schemaVersion"`
	Project       string `json:"projectName"`
	Description   string `json:"description,omitempty"`
	Steps         []Step `json:"steps"`
}

// A Step says, takes in, or calls something, and checks what came of it.
type Step struct {
	Name      string           `json:"name,omitempty"`
	Type      string           `json:"type,omitempty"` // seed, pipeline, ask; else a conversation
	UserQuery string           `json:"userQuery,omitempty"`
	Agent     string           `json:"agent,omitempty"` // spoken to directly
	Content   string           `json:"pipelineContent,omitempty"`
	Contains  string           `json:"contains,omitempty"` // which prompts the replies of a pipeline fit
	Seeds     []Seed           `json:"seedActions,omitempty"`
	Replies   []scripted.Reply `json:"agentResponses,omitempty"`
	Expects   *Expects         `json:"expects,omitempty"`
}

// A Seed is one call of the API; {{projectId}} in it is the project's id.
type Seed struct {
	Method string          `json:"method,omitempty"` // POST when left out
	URL    string          `json:"url"`
	Body   json.RawMessage `json:"body"`
}

// Expects are what must hold after a step.
type Expects struct {
	RunState string      `json:"runState,omitempty"`
	Reply    string      `json:"replyMatches,omitempty"` // a regular expression
	Events   []string    `json:"events,omitempty"`       // types that this step wrote
	HTTP     []HTTPCheck `json:"http,omitempty"`
}

// An HTTPCheck gets an address and looks at the answer.
type HTTPCheck struct {
	URL      string `json:"url"`
	Matches  string `json:"bodyMatches,omitempty"`
	MinTotal int    `json:"minTotal,omitempty"` // of a list
	Total    *int   `json:"total,omitempty"`
}

// A Check is one thing that held or did not.
type Check struct {
	OK   bool   `json:"ok"`
	Text string `json:"text"`
}

// A Result is what came of a scenario.
type Result struct {
	Name   string  `json:"name"`
	Checks []Check `json:"checks"`
}

// OK reports whether everything held.
func (r Result) OK() bool {
	for _, c := range r.Checks {
		if !c.OK {
			return false
		}
	}
	return len(r.Checks) > 0
}

// Read reads a scenario strictly.
func Read(raw []byte) (File, error) {
	var f File
	if err := event.DecodeStrict(raw, &f); err != nil {
		return f, err
	}
	if f.SchemaVersion != 2 {
		return f, fault.BadField("schemaVersion", "The version is not known.", "2")
	}
	if len(f.Steps) == 0 {
		return f, fault.BadField("steps", "A scenario has steps.")
	}
	return f, nil
}

type player struct {
	cl      *client.Client
	project string
	thread  string
	out     *Result
}

// Play plays a scenario; what goes wrong is a check that did not hold.
func Play(ctx context.Context, name string, f File) Result {
	r := Result{Name: filepath.Base(name)}
	if err := play(ctx, f, &r); err != nil {
		r.Checks = append(r.Checks, Check{false, fault.TextOf(err) + " (" + err.Error() + ")"})
	}
	return r
}

func play(ctx context.Context, f File, r *Result) (err error) {
	dir, err := os.MkdirTemp("", "chela-scenario-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	script := scripted.Script{}
	for _, s := range f.Steps {
		contains := s.Contains
		script.Steps = append(script.Steps, scripted.Step{UserQuery: s.UserQuery, Contains: contains, Replies: s.Replies})
	}
	raw, err := json.Marshal(script)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "script.json")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		return err
	}
	cfg := config.Config{Data: dir, Listen: "127.0.0.1:0", Node: "local", Providers: []model.Provider{{Name: "scripted", Kind: model.KindScripted, Model: "scripted", Script: file}}}
	d, err := daemon.New(ctx, cfg, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		return err
	}
	addr, err := d.Listen(ctx)
	if err != nil {
		return errors.Join(err, d.Close())
	}
	p := &player{cl: client.New("http://"+addr.String(), d.Token()), out: r}
	if p.project, err = d.Project(ctx, f.Project, f.Description); err != nil {
		return errors.Join(err, d.Close())
	}
	serving, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- d.Run(serving) }()
	for i, s := range f.Steps {
		if err = p.step(ctx, i, s); err != nil {
			break
		}
	}
	stop()
	if err = errors.Join(err, <-ended); err != nil {
		return err
	}
	rebuilt, err := daemon.Rebuild(ctx, cfg)
	p.check(err == nil && len(rebuilt.Different()) == 0, "the log rebuilds to identical tables %v", rebuilt.Different())
	return err
}

func (p *player) check(ok bool, format string, args ...any) {
	p.out.Checks = append(p.out.Checks, Check{ok, fmt.Sprintf(format, args...)})
}

func (p *player) fill(s string) string {
	return strings.NewReplacer("{{projectId}}", p.project, "{{threadId}}", p.thread).Replace(s)
}

// outcome is what a step came to.
type outcome struct {
	Thread string `json:"threadId"`
	Run    string `json:"runId"`
	State  string `json:"state"`
	Reply  string `json:"reply"`
	Answer string `json:"answer"`
}

func (p *player) step(ctx context.Context, i int, s Step) error {
	name := s.Name
	if name == "" {
		name = fmt.Sprintf("step %d", i+1)
	}
	var status struct {
		LogEnd int64 `json:"log_end"`
	}
	if err := p.cl.Call(ctx, "GET", "/api/status", nil, &status); err != nil {
		return err
	}
	out, err := p.act(ctx, s)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if s.Expects == nil {
		p.check(true, "%s", name)
		return nil
	}
	return p.expect(ctx, name, *s.Expects, out, status.LogEnd)
}

func (p *player) act(ctx context.Context, s Step) (outcome, error) {
	var out outcome
	switch s.Type {
	case "seed":
		for _, a := range s.Seeds {
			method := a.Method
			if method == "" {
				method = "POST"
			}
			if err := p.cl.Call(ctx, method, p.fill(a.URL), json.RawMessage(p.fill(string(a.Body))), nil); err != nil {
				return out, err
			}
		}
		return out, nil
	case "pipeline":
		return p.pipeline(ctx, s)
	case "ask":
		err := p.cl.Call(ctx, "POST", "/api/ask", map[string]string{"projectId": p.project, "question": s.UserQuery}, &out)
		out.Reply = out.Answer
		return out, err
	}
	err := p.cl.Call(ctx, "POST", "/api/chat", map[string]any{"projectId": p.project, "threadId": p.thread, "agent": s.Agent, "text": s.UserQuery, "wait": true}, &out)
	p.thread = out.Thread
	return out, err
}

func (p *player) pipeline(ctx context.Context, s Step) (outcome, error) {
	var out outcome
	if err := p.cl.Call(ctx, "POST", "/api/intake", map[string]string{"projectId": p.project, "content": s.Content}, &out); err != nil {
		return out, err
	}
	for {
		var r struct {
			Run struct {
				State string `json:"state"`
			} `json:"run"`
			Why string `json:"why"`
		}
		if err := p.cl.Call(ctx, "GET", "/api/runs/"+out.Run, nil, &r); err != nil {
			return out, err
		}
		if out.State = r.Run.State; out.State == "done" || out.State == "failed" || out.State == "cancelled" || out.State == "waiting" {
			out.Reply = r.Why
			return out, nil
		}
		select {
		case <-ctx.Done():
			return out, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (p *player) expect(ctx context.Context, name string, e Expects, out outcome, after int64) error {
	if e.RunState != "" {
		p.check(out.State == e.RunState, "%s: the run is %s, expected %s (%s)", name, out.State, e.RunState, out.Reply)
	}
	if e.Reply != "" {
		re, err := regexp.Compile("(?is)" + e.Reply)
		if err != nil {
			return fault.Wrap(err, fault.Invalid, "%s: %q is no regular expression.", name, e.Reply)
		}
		p.check(re.MatchString(out.Reply), "%s: the reply %q matches %q", name, out.Reply, e.Reply)
	}
	for _, t := range e.Events {
		var page struct {
			Events []json.RawMessage `json:"events"`
		}
		if err := p.cl.Call(ctx, "GET", fmt.Sprintf("/api/log?type=%s&after=%d", t, after), nil, &page); err != nil {
			return err
		}
		p.check(len(page.Events) > 0, "%s: %s is in the log", name, t)
	}
	for _, h := range e.HTTP {
		if err := p.http(ctx, name, h); err != nil {
			return err
		}
	}
	return nil
}

func (p *player) http(ctx context.Context, name string, h HTTPCheck) error {
	var raw json.RawMessage
	if err := p.cl.Call(ctx, "GET", p.fill(h.URL), nil, &raw); err != nil {
		return err
	}
	if h.Matches != "" {
		re, err := regexp.Compile("(?is)" + h.Matches)
		if err != nil {
			return fault.Wrap(err, fault.Invalid, "%s: %q is no regular expression.", name, h.Matches)
		}
		p.check(re.Match(raw), "%s: %s matches %q", name, h.URL, h.Matches)
	}
	var list struct {
		Total int `json:"total"`
	}
	if h.MinTotal > 0 || h.Total != nil {
		if err := json.Unmarshal(raw, &list); err != nil {
			return fault.Wrap(err, fault.Invalid, "%s: %s is no list.", name, h.URL)
		}
	}
	if h.MinTotal > 0 {
		p.check(list.Total >= h.MinTotal, "%s: %s has %d, expected at least %d", name, h.URL, list.Total, h.MinTotal)
	}
	if h.Total != nil {
		p.check(list.Total == *h.Total, "%s: %s has %d, expected %d", name, h.URL, list.Total, *h.Total)
	}
	return nil
}
