package scenario

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"chela/internal/fault"
	"chela/internal/model/scripted"
	"chela/internal/pattern"
)

func (p *player) scriptFile() string     { return filepath.Join(p.data, "script.json") }
func (p *player) transcriptFile() string { return filepath.Join(p.data, "transcript.jsonl") }

// script writes what the model says in a step.
func (p *player) script(ctx context.Context, s Step) error {
	out := scripted.Script{InOrder: true, Transcript: p.transcriptFile(), Steps: []scripted.Step{{Replies: []scripted.Reply{}}}}
	for _, r := range s.Replies {
		r, ok := translated(s, r)
		if !ok {
			continue
		}
		var err error
		if r.Text, err = p.fill(ctx, r.Text); err != nil {
			return err
		}
		r.Calls = slices.Clone(r.Calls)
		for i := range r.Calls {
			if r.Calls[i].Args, err = p.fillJSON(ctx, r.Calls[i].Args); err != nil {
				return err
			}
		}
		out.Steps[0].Replies = append(out.Steps[0].Replies, r)
		if slices.Contains(otherNames["ask-claw"], r.Agent) && (s.Type == "seed" || s.Type == "ask") {
			r.Agent = "ask-claw"
			out.Steps[0].Replies = append(out.Steps[0].Replies, r)
		}
	}
	if !p.file.Defaults.RequireEveryReply {
		out.Otherwise = otherwise(s)
	}
	file := p.scriptFile()
	if err := os.WriteFile(file+".new", encoded(out), 0o600); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The script cannot be written.")
	}
	if err := os.Rename(file+".new", file); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The script cannot be written.")
	}
	return nil
}

type choice struct {
	Delegate string   `json:"delegate"`
	SubTask  string   `json:"sub_task"`
	Respond  string   `json:"respond"`
	Requires []string `json:"requires"`
}

type review struct {
	Pass     bool   `json:"pass"`
	Summary  string `json:"summary"`
	Feedback string `json:"feedback"`
}

// otherwise is what agents say that the step gives no reply for: the controller hands
// the work to the specialist that has one, the reviewer passes, the others say again what
// they said beside their last calls.
func otherwise(s Step) []scripted.Reply {
	c := choice{Respond: "There is nothing to say.", Requires: []string{}}
	for _, r := range s.Replies {
		if r.Agent != "controller" && r.Agent != "reviewer" {
			c = choice{Delegate: r.Agent, SubTask: s.UserQuery, Requires: []string{}}
			break
		}
	}
	out := []scripted.Reply{
		{Agent: "controller", Text: string(encoded(c))},
		{Agent: "reviewer", Text: string(encoded(review{Pass: true, Summary: "Nothing speaks against it."}))},
	}
	for _, r := range slices.Backward(s.Replies) {
		if text, _ := scripted.Split(r.Text); text != "" && r.Agent != "controller" && r.Agent != "reviewer" {
			out = append(out, scripted.Reply{Agent: r.Agent, Text: text})
		}
	}
	return append(out, scripted.Reply{Text: "That is all."})
}

// translated is a reply as the agents of this system give it. One that makes no sense
// here is left out.
func translated(s Step, r scripted.Reply) (scripted.Reply, bool) {
	text, calls := scripted.Split(r.Text)
	for _, c := range calls {
		if !slices.ContainsFunc(s.Mocks, func(m ToolMock) bool { return m.Tool == c.Name }) {
			c = callHere(c)
		}
		r.Calls = append(slices.Clone(r.Calls), c)
	}
	r.Text = text
	switch r.Agent {
	case "controller":
		r.Text = choiceHere(text)
	case "reviewer":
		r.Text = reviewHere(text)
	case "intake-triage":
		if s.Type == "pipeline" || s.Type == "upload" {
			if text == "" {
				return r, false // it has no tools within an intake
			}
			r.Text, r.Calls = triageHere(text), nil
		}
	}
	return r, true
}

// bare takes a code fence off.
func bare(text string) string {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "```"); ok {
		_, rest, _ = strings.Cut(rest, "\n")
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "```"))
	}
	return text
}

// choiceHere reads a controller's {"delegate", "subTask"}, {"respond"} or plain answer.
func choiceHere(text string) string {
	var said struct {
		Delegate string   `json:"delegate"`
		SubTask  string   `json:"subTask"`
		Ours     string   `json:"sub_task"`
		Respond  string   `json:"respond"`
		Requires []string `json:"requires"`
	}
	if json.Unmarshal([]byte(bare(text)), &said) != nil {
		return string(encoded(choice{Respond: text, Requires: []string{}}))
	}
	c := choice{said.Delegate, said.Ours, said.Respond, append([]string{}, said.Requires...)}
	if c.SubTask == "" {
		c.SubTask = said.SubTask
	}
	if c.SubTask == "" && c.Delegate != "" {
		c.SubTask = "Do what was asked."
	}
	return string(encoded(c))
}

var refusal = pattern.New(`"pass"\s*:\s*false`)

// reviewHere reads a checker's object; words pass.
func reviewHere(text string) string {
	var r review
	if json.Unmarshal([]byte(bare(text)), &r) != nil {
		r = review{Pass: !refusal.MatchString(text), Summary: text}
	}
	if !r.Pass && r.Feedback == "" {
		r.Feedback = "It is not good enough."
	}
	return string(encoded(r))
}

// route finds a line such as "* TICKETS: yes".
var route = pattern.New("(?im)^[\\s*_`-]*(THREAD|TICKETS|PLAN|RESOURCES)[*_`\\s]*[:=-][*_`\\s]*(yes|true)\\b")

type triage struct {
	Type       string          `json:"type"`
	Confidence float64         `json:"confidence"`
	Routes     map[string]bool `json:"routes"`
	Topics     []string        `json:"topics"`
}

// triageHere reads a triage's routes out of its words.
func triageHere(text string) string {
	if strings.HasPrefix(bare(text), "{") {
		return text
	}
	t := triage{"FREE_TEXT", 0.9, map[string]bool{"thread": true, "tickets": false, "plan": false, "resources": false}, []string{}}
	for _, m := range route.FindAllStringSubmatch(text, -1) {
		t.Routes[strings.ToLower(m[1])] = true
	}
	return string(encoded(t))
}
