package instance

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"chela/internal/agent"
	"chela/internal/contract"
	"chela/internal/definition"
	"chela/internal/desk"
	"chela/internal/review"
	"chela/internal/run"
)

// contract checks the contract of a step, and returns what is not met, "" for nothing. It is checked once.
func (g *playing) contract(ctx context.Context, n *definition.Node, t try, vars definition.Vars, out any, author string, verdicts []review.Verdict) (string, error) {
	if len(n.Terms) == 0 {
		return "", nil
	}
	key := "evidence/" + t.key()
	if r := g.s.Recorded(key); r.Done {
		was, ok, err := contract.EvidenceKind.Open(r.Event)
		if err != nil || !ok {
			return "", fmt.Errorf("read evidence: %w", err)
		}
		return was.Short(), nil
	}
	e := contract.Evidence{Path: t.path, Agent: author, Met: true, Changed: g.touchedBy(t)}
	vars = contract.With(vars, "result", out)
	for i, term := range n.Terms {
		f, err := g.term(ctx, term, fmt.Sprintf("%s?%d", t.key(), i), vars, verdicts)
		if err != nil {
			return "", err
		}
		f.Condition, f.Detail = term.Title(), g.h.opts.Redact(ctx, f.Detail)
		e.Add(f)
	}
	g.s.Hold(run.AsStep(contract.EvidenceKind.Draft(g.s.Place(run.Chela()), e), key, true))
	return e.Short(), nil
}

// outlook is what the contract of a step is checked against.
type outlook struct {
	*playing

	verdicts []review.Verdict
}

// Call implements [contract.World].
func (o outlook) Call(ctx context.Context, t definition.ToolStep, args map[string]any, key string) (any, error) {
	out, err := o.call(ctx, &t, args, key, "Check "+t.Name)
	m, _ := out.(map[string]any)
	return m["data"], err
}

// Record implements [contract.World]. In a test every record is there.
func (o outlook) Record(ctx context.Context, id string) (desk.Record, error) {
	if o.given != nil {
		return desk.Record{ID: id}, nil
	}
	return o.h.records.Record(ctx, id)
}

// Stops implements [contract.World].
func (outlook) Stops(ctx context.Context, err error) bool {
	_, waits := waiting(err)
	return waits || context.Cause(ctx) != nil
}

// Verdict implements [contract.World].
func (o outlook) Verdict(context.Context, string) (contract.Found, error) {
	for _, v := range o.verdicts {
		if v.Pass && v.Reasons != "" {
			return contract.Found{Met: true, Detail: v.Reviewer + ": " + v.Reasons}, nil
		}
	}
	return contract.Found{Detail: "No reviewer passed it with reasons."}, nil
}

// term checks one condition. An error means that nobody can say, or that the step waits.
func (g *playing) term(ctx context.Context, c definition.Term, key string, vars definition.Vars, verdicts []review.Verdict) (contract.Found, error) {
	if outside := c.File != nil || c.Command != nil || c.Record != nil; g.given != nil && outside {
		return g.given.found(key, c.Title()), nil
	}
	return contract.Check(ctx, outlook{g, verdicts}, c, key, vars)
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
