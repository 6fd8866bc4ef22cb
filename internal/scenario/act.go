package scenario

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"chela/internal/fault"
)

// An outcome is what a step came to.
type outcome struct {
	Thread string `json:"threadId"`
	Run    string `json:"runId"`
	State  string `json:"state"`
	Reply  string `json:"reply"`
	Answer string `json:"answer"`
}

// act does what a step says.
func (p *player) act(ctx context.Context, s Step) (outcome, error) {
	var out outcome
	switch s.Type {
	case "seed":
		for i, a := range s.Seeds {
			if err := p.seed(ctx, a); err != nil {
				return out, fault.Wrap(err, fault.KindOf(err), "seedActions.%d %s: %s", i, a.URL, fault.TextOf(err))
			}
		}
		return out, nil
	case "upload":
		return p.intake(ctx, s, "", s.Uploads)
	case "pipeline":
		content := s.Content
		if content == "" {
			content = s.UserQuery
		}
		return p.intake(ctx, s, content, s.Paths)
	}
	said, err := p.fill(ctx, s.UserQuery)
	if err != nil {
		return out, err
	}
	if s.Type == "ask" {
		err := p.post(ctx, "/api/ask", question{p.project, said}, &out)
		out.Reply, out.State = out.Answer, "done"
		return out, err
	}
	if err := p.post(ctx, "/api/chat", message{Project: p.project, Thread: p.thread, Agent: s.Agent, Text: said, Wait: true}, &out); err != nil {
		return out, err
	}
	p.thread = out.Thread
	return p.settle(ctx, s, out)
}

type question struct {
	Project  string `json:"projectId"`
	Question string `json:"question"`
}

type message struct {
	Project string `json:"projectId"`
	Thread  string `json:"threadId,omitempty"`
	Agent   string `json:"agent,omitempty"`
	Text    string `json:"text"`
	Wait    bool   `json:"wait"`
}

// seed makes one call, which must succeed.
func (p *player) seed(ctx context.Context, a Seed) error {
	method := a.Method
	if method == "" {
		method = "POST"
	}
	url := address(a.URL)
	url, err := p.fill(ctx, url)
	if err != nil {
		return err
	}
	body, err := p.fillJSON(ctx, bodyFor(url, a.Body))
	if err != nil {
		return err
	}
	answer, err := p.call(ctx, method, url, body)
	if err != nil {
		return err
	}
	return p.capture(a.Capture, answer)
}

type submission struct {
	Project string `json:"projectId"`
	Content string `json:"content,omitempty"`
	Files   []file `json:"files,omitempty"`
}

type file struct {
	Name string `json:"name"`
	Data string `json:"data"`
}

// intake takes in a text and files, which lie beside the scenario, and waits for the run.
func (p *player) intake(ctx context.Context, s Step, content string, names []string) (outcome, error) {
	var out outcome
	content, err := p.fill(ctx, content)
	if err != nil {
		return out, err
	}
	in := submission{Project: p.project, Content: content}
	for _, n := range names {
		raw, err := os.ReadFile(p.beside(n))
		if err != nil {
			return out, fault.Wrap(err, fault.NotFound, "The file %s cannot be read; it is looked for beside the scenario, and where the command runs.", n)
		}
		in.Files = append(in.Files, file{filepath.Base(n), base64.StdEncoding.EncodeToString(raw)})
	}
	if err := p.post(ctx, "/api/intake", in, &out); err != nil {
		return out, err
	}
	return p.settle(ctx, s, out)
}

// beside finds a file that a scenario names.
func (p *player) beside(name string) string {
	name = strings.TrimPrefix(name, "classpath:")
	for _, at := range []string{filepath.Join(p.folder, name), filepath.Join(p.folder, filepath.Base(name))} {
		if _, err := os.Stat(at); err == nil && !filepath.IsAbs(name) {
			return at
		}
	}
	return name
}

// pollEvery is how often a run that was not waited for is looked at.
const pollEvery = 10 * time.Millisecond

// settle waits until a run is over. What it asks people the scenario's actor answers.
func (p *player) settle(ctx context.Context, s Step, out outcome) (outcome, error) {
	if out.Run == "" {
		if out.State == "" {
			out.State = "done" // answered without a run
		}
		return out, nil
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		var r struct {
			Run struct {
				State string `json:"state"`
			} `json:"run"`
			Why       string  `json:"why"`
			Approvals []asked `json:"approvals"`
		}
		switch out.State {
		case "done", "failed", "cancelled":
			return out, p.lastWords(ctx, &out)
		}
		if err := p.read(ctx, "/api/runs/"+out.Run, &r); err != nil {
			return out, err
		}
		out.State = r.Run.State
		if out.State == "failed" || out.State == "cancelled" {
			out.Reply = r.Why
		}
		if out.State == "waiting" {
			if answered, err := p.approve(ctx, s, r.Approvals); err != nil || !answered {
				out.Reply = r.Why
				return out, err
			}
		}
		select {
		case <-ctx.Done():
			return out, ctx.Err()
		case <-tick.C:
		}
	}
}

// lastWords fills in the reply of a run that was answered while it waited.
func (p *player) lastWords(ctx context.Context, out *outcome) error {
	if out.Reply != "" || out.Thread == "" {
		return nil
	}
	said, err := p.said(ctx, out.Thread)
	for _, m := range said {
		if m.Role == "assistant" && m.Run == out.Run {
			out.Reply = m.Content
		}
	}
	return err
}

// asked is a question of a run.
type asked struct {
	ID      string   `json:"id"`
	Status  string   `json:"status"`
	Choices []string `json:"choices"`
	Digest  string   `json:"digest"`
}

type answer struct {
	Choice string `json:"choice"`
	Note   string `json:"note"`
	Digest string `json:"digest,omitempty"`
}

// approve answers what a run asks and reports whether there was anything to answer.
func (p *player) approve(ctx context.Context, s Step, list []asked) (bool, error) {
	for _, q := range list {
		if q.Status != "pending" || len(q.Choices) == 0 {
			continue
		}
		if s.Approve == "wait" {
			return false, nil
		}
		a := answer{Choice: p.choice(s, q.Choices), Note: "The scenario's actor answers.", Digest: q.Digest}
		return true, p.post(ctx, "/api/approvals/"+q.ID, a, nil)
	}
	return false, nil
}

// choice is what the scenario's actor says: what the step says, else what allows.
func (p *player) choice(s Step, choices []string) string {
	likes := []string{"allow", "approve", "yes", "repeat"}
	if p.file.Defaults.ApprovalsAreRefused {
		likes = []string{"deny", "refuse", "no", "skip"}
	}
	if s.Approve != "" {
		likes = []string{s.Approve}
	}
	for _, l := range likes {
		if i := slices.IndexFunc(choices, func(c string) bool { return strings.HasPrefix(strings.ToLower(c), l) }); i >= 0 {
			return choices[i]
		}
	}
	return choices[0]
}

func (p *player) post(ctx context.Context, url string, in, out any) error {
	answer, err := p.call(ctx, "POST", url, encoded(in))
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("read the answer of %s: %w", url, err)
	}
	return nil
}

// call makes a call that must succeed.
func (p *player) call(ctx context.Context, method, url string, body json.RawMessage) (json.RawMessage, error) {
	status, raw, err := p.send(ctx, method, url, body)
	if err != nil {
		return nil, err
	}
	if status < 200 || status > 299 {
		return nil, fault.New(fault.Invalid, "%s %s answers %d: %s", method, url, status, bytes.TrimSpace(raw))
	}
	return raw, nil
}

func (p *player) send(ctx context.Context, method, url string, body json.RawMessage) (int, json.RawMessage, error) {
	req, err := http.NewRequestWithContext(ctx, method, p.base+url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, fault.Wrap(err, fault.Invalid, "The address %s is none.", url)
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := p.http.Do(req)
	if err != nil {
		return 0, nil, fmt.Errorf("call %s: %w", url, err)
	}
	raw, err := io.ReadAll(res.Body)
	_ = res.Body.Close() // read to its end
	return res.StatusCode, raw, err
}
