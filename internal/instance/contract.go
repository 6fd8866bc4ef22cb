package instance

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"chela/internal/agent"
	"chela/internal/definition"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/pattern"
	"chela/internal/review"
	"chela/internal/run"
)

// EvidenceKind records what was found of the contract of a step that was said to be done.
var EvidenceKind = event.Kind[Evidence]{Name: "workflow.evidence", PayloadType: "workflow.evidence.v1"}

// An Evidence is the payload of workflow.evidence.
type Evidence struct {
	Path  string  `json:"path"`
	Agent string  `json:"agent,omitempty"` // who said that it was done
	Met   bool    `json:"met"`
	Found []Found `json:"found" nullable:"false"`
}

// A Found is what was found of one condition.
type Found struct {
	Condition string `json:"condition"`
	Met       bool   `json:"met"`
	Detail    string `json:"detail,omitempty"`
}

func clone(vars definition.Vars, name string, v any) definition.Vars {
	out := maps.Clone(vars)
	out[name] = v
	return out
}

// contract checks the contract of a step, and returns what is not met, "" for nothing. It is checked once.
func (g *playing) contract(ctx context.Context, n *definition.Node, t try, vars definition.Vars, out any, author string, verdicts []review.Verdict) (string, error) {
	if len(n.Terms) == 0 {
		return "", nil
	}
	key := "evidence/" + t.key()
	if r := g.s.Recorded(key); r.Done {
		was, ok, err := EvidenceKind.Open(r.Event)
		if err != nil || !ok {
			return "", fmt.Errorf("read evidence: %w", err)
		}
		return was.short(), nil
	}
	e := Evidence{Path: t.path, Agent: author, Met: true}
	vars = clone(vars, "result", out)
	for i, term := range n.Terms {
		f, err := g.term(ctx, term, fmt.Sprintf("%s?%d", t.key(), i), vars, verdicts)
		if err != nil {
			return "", err
		}
		f.Condition, f.Detail = term.Title(), g.h.opts.Redact(ctx, f.Detail)
		e.Met = e.Met && f.Met
		e.Found = append(e.Found, f)
	}
	g.s.Hold(run.AsStep(EvidenceKind.Draft(g.s.Place(run.Chela()), e), key, true))
	return e.short(), nil
}

// short says what is not met, in sentences.
func (e Evidence) short() string {
	var out []string
	for _, f := range e.Found {
		if !f.Met {
			out = append(out, fmt.Sprintf("Not met: %s. %s", strings.TrimSuffix(f.Condition, "."), f.Detail))
		}
	}
	return strings.Join(out, "\n")
}

// term checks one condition. An error means that nobody can say, or that the step waits.
func (g *playing) term(ctx context.Context, c definition.Term, key string, vars definition.Vars, verdicts []review.Verdict) (Found, error) {
	outside := c.File != nil || c.Command != nil || c.Record != nil
	if g.given != nil && outside {
		return g.given.found(key, c.Title()), nil
	}
	texts := make(map[string]string, len(c.Texts))
	for name, t := range c.Texts {
		v, err := t.Text(ctx, vars)
		if err != nil {
			return Found{Detail: capital(err.Error())}, nil //nolint:nilerr // what cannot be computed is not met
		}
		texts[name] = v
	}
	switch {
	case c.Holds != "":
		yes, err := c.When.True(ctx, vars)
		if err != nil {
			return Found{Detail: capital(err.Error())}, nil
		}
		return Found{Met: yes}, nil
	case c.File != nil:
		return g.called(ctx, &definition.ToolStep{Name: "read_file", Agent: c.File.Agent}, map[string]any{"path": texts["path"], "limit": int64(1)}, key, func(any) (bool, string) { return true, "" })
	case c.Command != nil:
		args := map[string]any{"command": texts["run"], "timeout_seconds": int64(600)}
		if texts["dir"] != "" {
			args["working_dir"] = texts["dir"]
		}
		return g.called(ctx, &definition.ToolStep{Name: "shell_exec", Agent: c.Command.Agent}, args, key, ended0)
	case c.Record != nil:
		return g.record(ctx, c, texts["id"], vars)
	case c.Number != nil:
		return number(ctx, c, vars)
	case c.Cites != nil:
		return g.cites(ctx, c.Cites, texts["text"])
	}
	for _, v := range verdicts {
		if v.Pass && v.Reasons != "" {
			return Found{Met: true, Detail: v.Reviewer + ": " + v.Reasons}, nil
		}
	}
	return Found{Detail: "No reviewer passed it with reasons."}, nil
}

// called checks by a call of a tool.
func (g *playing) called(ctx context.Context, t *definition.ToolStep, args map[string]any, key string, met func(data any) (bool, string)) (Found, error) {
	out, err := g.call(ctx, t, args, key, "Check "+t.Name)
	if _, waits := waiting(err); waits || context.Cause(ctx) != nil {
		return Found{}, err
	}
	if err != nil {
		return Found{Detail: fault.TextOf(err)}, nil
	}
	m, _ := out.(map[string]any)
	yes, detail := met(m["data"])
	return Found{Met: yes, Detail: detail}, nil
}

// ended0 reports whether a program ended with 0, and what it said when not.
func ended0(data any) (bool, string) {
	m, _ := data.(map[string]any)
	code, _ := m["exit_code"].(int64)
	if code == 0 && m["exit_code"] != nil && m["timed_out"] != true {
		return true, "It ended with 0."
	}
	return false, head(fmt.Sprintf("It ended with %v. %v %v", m["exit_code"], definition.Text(m["stderr"]), definition.Text(m["stdout"])))
}

// record checks a record.
func (g *playing) record(ctx context.Context, c definition.Term, id string, vars definition.Vars) (Found, error) {
	r, err := g.h.records.Record(ctx, id)
	if fault.KindOf(err) == fault.NotFound && err != nil || err == nil && r.Deleted {
		return Found{Detail: fmt.Sprintf("The record %s does not exist.", id)}, nil
	}
	if err != nil {
		return Found{}, err
	}
	v, err := definition.Read(r.Body)
	if err != nil {
		return Found{}, err
	}
	body, _ := v.(map[string]any)
	known := map[string]any{"id": r.ID, "kind": string(r.Kind), "projectId": r.Project}
	maps.Copy(known, body)
	yes, err := c.When.True(ctx, clone(vars, "record", known))
	if err != nil {
		return Found{Detail: capital(err.Error())}, nil //nolint:nilerr // what cannot be computed is not met
	}
	return Found{Met: yes, Detail: fmt.Sprintf("%s is %s.", id, definition.Text(known["status"]))}, nil
}

func number(ctx context.Context, c definition.Term, vars definition.Vars) (Found, error) {
	v, err := c.Value.Eval(ctx, vars)
	if err != nil {
		return Found{Detail: capital(err.Error())}, nil //nolint:nilerr // what cannot be computed is not met
	}
	var f float64
	switch n := v.(type) {
	case int64:
		f = float64(n)
	case float64:
		f = n
	default:
		return Found{Detail: fmt.Sprintf("%s is no number.", head(definition.Text(v)))}, nil
	}
	low, high := c.Number.Min, c.Number.Max
	return Found{Met: (low == nil || f >= *low) && (high == nil || f <= *high), Detail: "It is " + definition.Text(v) + "."}, nil
}

var (
	address  = pattern.New(`https?://[^\s<>"')\]]+`)
	recordID = pattern.New(`\b(` + strings.Join(desk.Prefixes(), "|") + `)_[0-9a-z]{8,}\b`)
)

// mostCited is how many sources of a text are looked up.
const mostCited = 50

// cites checks that a text names sources: addresses, or records that are there.
func (g *playing) cites(ctx context.Context, c *definition.Cites, text string) (Found, error) {
	found := address.FindAllString(text, mostCited)
	ids := recordID.FindAllString(text, mostCited)
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if g.given == nil {
			r, err := g.h.records.Record(ctx, id)
			if fault.KindOf(err) == fault.NotFound && err != nil || err == nil && r.Deleted {
				return Found{Detail: fmt.Sprintf("It names %s, which does not exist.", id)}, nil
			}
			if err != nil {
				return Found{}, err
			}
		}
		found = append(found, id)
	}
	slices.Sort(found)
	found = slices.Compact(found)
	least := max(c.Least, 1)
	return Found{Met: len(found) >= least, Detail: fmt.Sprintf("It names %d sources; %d are needed.", len(found), least)}, nil
}

// spent is what the model calls of steps cost whose keys begin so, and how long they took. priced is false
// when the price of one is not known.
func (p *player) spent(prefix string) (usd float64, took time.Duration, priced bool) {
	_, usd, took, priced = p.used(prefix)
	return usd, took, priced
}

func (p *player) used(prefix string) (tokens int, usd float64, took time.Duration, priced bool) {
	priced = true
	for _, r := range p.s.Steps(func(key string) bool { return strings.HasPrefix(key, prefix) }) {
		if !r.Done || r.Event.Message.Type != agent.AnsweredKind.Name {
			continue
		}
		var a agent.Answered
		if json.Unmarshal(r.Event.Message.Payload, &a) != nil {
			continue
		}
		tokens += a.Answer.Usage.InputTokens + a.Answer.Usage.OutputTokens
		usd += a.Answer.CostUSD
		took += a.Answer.Duration
		priced = priced && a.Answer.CostKnown
	}
	return tokens, usd, took, priced
}

// overBudget says which budget of the workflow is used up before a step that costs, "" for none.
func (g *playing) overBudget(k definition.Kind) string {
	b := g.def.Budget
	if k != definition.Agent && k != definition.Model || b == (definition.Budget{}) {
		return ""
	}
	tokens, usd, took, _ := g.used("")
	switch {
	case b.USD > 0 && usd >= b.USD:
		return fmt.Sprintf("The workflow's budget of %.2f USD is used up.", b.USD)
	case b.Tokens > 0 && tokens >= b.Tokens:
		return fmt.Sprintf("The workflow's budget of %d tokens is used up.", b.Tokens)
	case b.Time != "" && took >= b.Time.Std():
		return fmt.Sprintf("The workflow's budget of %s is used up.", b.Time)
	}
	return ""
}
