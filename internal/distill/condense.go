package distill

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"chela/internal/agent"
	"chela/internal/budget"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/meter"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/pattern"
	"chela/internal/prompt"
	"chela/internal/run"
	"chela/internal/session"
)

// Models answer, when any is configured.
type Models interface {
	model.Model
	Ready() bool
	Price(name string, job model.Job) (model.Price, bool)
}

// A Condenser has a model say what of a conversation should be remembered. What it says is kept only with the exact words of a
// message of a person, and only when each number and name in it was said.
type Condenser struct {
	Models Models
	Limits meter.Store
	Roster interface {
		Agent(ctx context.Context, id org.AgentID) (org.Agent, error)
	}
}

// Distiller is the agent that condenses.
const Distiller org.AgentID = "agent:distiller"

const (
	condenseStep = "condense"
	condenseTime = 90 * time.Second
	leastWords   = 200              // bytes that people said: of less no model is asked
	tries        = 3                // of one part of a conversation; then what rules found is kept alone
	stale        = 10 * time.Minute // after it a try that has no end is taken to have died
	maxShown     = 60_000           // bytes of a conversation that a model is shown
	maxKnown     = 30               // memories that it is shown
)

// condensed is what a model said of a part of a conversation, as far as it holds.
type condensed struct {
	history string
	found   []finding
	drafts  []event.Draft // of the call: recorded with what is kept
}

// condense asks the model about a part of a conversation. later says that it is to be tried again; without a model, or after the
// last try, nothing is returned and the rules stand alone.
func (k *Keeper) condense(ctx context.Context, at event.Place, t session.Thread, said []session.Message) (out condensed, later bool, err error) {
	c := k.opts.Condenser
	if c == nil || !c.Models.Ready() || words(said) < leastWords {
		return out, false, nil
	}
	who, err := c.Roster.Agent(ctx, Distiller)
	if fault.KindOf(err) == fault.NotFound && err != nil || err == nil && who.Ready() != nil {
		return out, false, nil // it was removed or switched off: nobody condenses
	}
	if err != nil {
		return out, false, err
	}
	at.Stream = event.ProjectStream(t.Project)
	mine, later, err := k.claim(ctx, at, "distill", "Condense a conversation", t, said)
	if err != nil || !mine {
		return out, later, err
	}
	known, err := k.known(ctx, t.Project)
	if err != nil {
		return out, false, err
	}
	from := at
	from.From = Distiller.Party()
	ans, err := c.ask(ctx, at, who, t, said, known, k.clerk.Store().Mint().Now())
	if err != nil {
		if ctx.Err() != nil {
			return out, true, err
		}
		k.opts.Log.WarnContext(ctx, "a conversation was not condensed", "thread", t.ID, "err", err)
		_, err = k.log.Append(context.WithoutCancel(ctx), run.ErrorKind.Draft(from, run.TaskError{Code: "NOT_CONDENSED", Message: fault.TextOf(err), Retryable: true}))
		return out, true, err
	}
	read, wrong := prompt.ParseCondensed(ans.Text)
	out = hold(read, ans, said, known)
	result := run.ResultKind.Draft(from, run.TaskResult{Success: wrong == nil, Summary: summaryOfCall(read, out, wrong)})
	out.drafts = []event.Draft{
		run.AcceptKind.Draft(from, run.TaskAccept{TaskID: at.Task, AgentID: string(Distiller), StartedAt: k.clerk.Store().Mint().Now().UTC()}),
		run.AsStep(agent.AnsweredKind.Draft(from, agent.Answered{Agent: string(Distiller), Answer: ans}), condenseStep, true), result,
	}
	return out, false, nil
}

// summaryOfCall says what became of an answer.
func summaryOfCall(read prompt.Condensed, out condensed, wrong error) string {
	if wrong != nil {
		return "The answer does not fit: " + fault.TextOf(wrong)
	}
	return fmt.Sprintf("%d of %d claims have their words in the conversation.", len(out.found), len(read.Update))
}

// words counts the bytes that people said and that did not come from outside.
func words(said []session.Message) int {
	n := 0
	for _, m := range said {
		if own(m) {
			n += len(m.Message)
		}
	}
	return n
}

// own reports whether a message is a person's own words.
func own(m session.Message) bool { return m.Role == session.FromPerson && len(m.Origins) == 0 }

// claim takes the next try of a part of a conversation, of which each is one daemon's. later says that another has it.
func (k *Keeper) claim(ctx context.Context, at event.Place, what, title string, t session.Thread, said []session.Message) (mine, later bool, err error) {
	for n := range tries {
		asked := at
		asked.To, asked.Key = []event.Party{Distiller.Party()}, fmt.Sprintf("%s/%s/%d/%d", what, t.ID, said[len(said)-1].Seq, n)
		done, err := k.log.Append(ctx, run.RequestKind.Draft(asked, run.TaskRequest{Title: title, Description: t.Title}))
		if err != nil || len(done) > 0 {
			return len(done) > 0, false, err
		}
		before, err := k.log.ByKey(ctx, at.From.AgentID, asked.Key)
		if err != nil {
			return false, false, err
		}
		if k.clerk.Store().Mint().Now().Sub(before.At) < stale {
			return false, true, nil
		}
	}
	return false, false, nil
}

// known are the newest memories of a project, which a claim may take the place of.
func (k *Keeper) known(ctx context.Context, project string) (map[string]desk.MemoryBody, error) {
	p, err := k.clerk.Store().Records(ctx, clerk.Query{Project: project, Kind: desk.Memory, Limit: maxKnown})
	if err != nil {
		return nil, err
	}
	out := make(map[string]desk.MemoryBody)
	for _, r := range p.Records {
		b, err := desk.Open[desk.MemoryBody](r)
		if err != nil {
			return nil, err
		}
		if b.Scope == desk.ForProject && b.Type != "summary" && !r.Outside {
			out[r.ID] = b
		}
	}
	return out, nil
}

// ask makes the call.
func (c *Condenser) ask(ctx context.Context, at event.Place, who org.Agent, t session.Thread, said []session.Message, known map[string]desk.MemoryBody, now time.Time) (model.Answer, error) {
	var have strings.Builder
	for _, id := range sorted(known) {
		fmt.Fprintf(&have, "[%s] %s: %s\n", id, known[id].Type, clipped(known[id].Content, 300))
	}
	text := prompt.Data("the conversation, "+t.Title, lines(said))
	if have.Len() > 0 {
		text += "\n\n" + prompt.Data("what is remembered already", have.String())
	}
	r := model.Request{
		Model: who.Model, Job: model.Job(who.Kind), Agent: string(Distiller), System: prompt.System(who, prompt.Context{Date: now.UTC(), Task: prompt.CondenseTask}),
		Output: prompt.CondensedSchema(), Messages: []model.Message{{Role: model.User, Parts: []model.Part{{Text: text}}}},
	}
	purse := meter.Direct{Store: c.Limits, Run: run.ID(at.Run), Payer: budget.Payer{Project: t.Project, Agent: Distiller}}
	return meter.Model(c.Models, purse, c.Models.Price, condenseStep, condenseTime).Generate(ctx, r, nil)
}

// lines are messages as a model is shown them.
func lines(said []session.Message) string {
	var b strings.Builder
	for _, m := range said {
		row := fmt.Sprintf("[%s] %s %s: %s\n", m.ID, m.At.UTC().Format("2006-01-02 15:04"), speaker(m), m.Words())
		if b.Len()+len(row) > maxShown {
			b.WriteString("[the rest is left out]\n")
			break
		}
		b.WriteString(row)
	}
	return b.String()
}

func speaker(m session.Message) string {
	if m.Role == session.FromAgent {
		return "agent"
	}
	return "person"
}

func sorted(known map[string]desk.MemoryBody) []string {
	ids := make([]string, 0, len(known))
	for id := range known {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// hold keeps of an answer what has its words in the conversation.
func hold(c prompt.Condensed, ans model.Answer, said []session.Message, known map[string]desk.MemoryBody) condensed {
	all := ""
	for _, m := range said {
		all += " " + m.Words()
	}
	var out condensed
	for _, s := range sentences(c.History) {
		if backed(s, all) {
			out.history = strings.TrimSpace(out.history + " " + s)
		}
	}
	for _, l := range c.Update {
		i := slices.IndexFunc(said, func(m session.Message) bool { return m.ID == l.Message && own(m) })
		if i < 0 || !slices.Contains(desk.MemoryTypes(), l.Type) || l.Type == "summary" || len(l.Text) > 1000 || strings.TrimSpace(l.Text) == "" {
			continue
		}
		quote, ok := within(said[i].Message, l.Quote)
		if !ok || !backed(l.Text, all) {
			continue
		}
		body := desk.MemoryBody{
			Type: l.Type, Content: strings.TrimSpace(l.Text), Confidence: modelSure, Tags: []string{"distilled"},
			Sources: []desk.Source{{Document: l.Message, Quote: quote, By: "model:" + ans.Provider + "/" + ans.Model}},
		}
		if _, ok := known[l.Supersedes]; ok {
			body.Supersedes = []string{l.Supersedes}
		}
		if _, ok := known[l.Contradicts]; ok && l.Contradicts != l.Supersedes {
			body.Contradicts = []string{l.Contradicts}
		}
		out.found = append(out.found, finding{body, false})
	}
	return out
}

// modelSure is the confidence of what a model says and a person has not confirmed.
const modelSure = 0.7

// within finds a quote in a message, whatever blanks are between its words, and returns it as the message has it.
func within(message, quote string) (string, bool) {
	parts := strings.Fields(quote)
	if len(parts) == 0 || len(quote) > 2000 {
		return "", false
	}
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	found := regexp.MustCompile(strings.Join(parts, `\s+`)).FindString(message)
	return found, found != ""
}

var numbers = pattern.New(`[0-9][0-9.,:/%-]*`)

// backed reports whether each number, and each name in the middle of a sentence, stands in what was said.
func backed(text, said string) bool {
	low := strings.ToLower(said)
	for _, n := range numbers.FindAllString(text, -1) {
		if !strings.Contains(said, strings.TrimRight(n, ".,:/-")) {
			return false
		}
	}
	first := true
	for _, w := range strings.Fields(text) {
		name := strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		name = strings.TrimSuffix(strings.TrimSuffix(name, "'s"), "’s")
		runes := []rune(name)
		if len(runes) > 0 && !first && unicode.IsUpper(runes[0]) && !strings.Contains(low, strings.ToLower(name)) {
			return false
		}
		first = strings.HasSuffix(w, ".") || strings.HasSuffix(w, "?") || strings.HasSuffix(w, "!") || strings.HasSuffix(w, ":")
	}
	return true
}

// sentences are those of a text, each with its end.
func sentences(text string) []string {
	var out []string
	for _, l := range strings.SplitAfter(strings.TrimSpace(text), ". ") {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}

// beside adds what a model found to what rules found; of two with the same words the rule's stays.
func beside(rules, more []finding) []finding {
	out := slices.Clone(rules)
	for _, f := range more {
		words := strings.ToLower(strings.Join(strings.Fields(f.body.Sources[0].Quote), " "))
		if !slices.ContainsFunc(rules, func(r finding) bool {
			have := strings.ToLower(strings.Join(strings.Fields(r.body.Sources[0].Quote), " "))
			return r.body.Type == f.body.Type && r.body.Sources[0].Document == f.body.Sources[0].Document && (strings.Contains(have, words) || strings.Contains(words, have))
		}) {
			out = append(out, f)
		}
	}
	return out
}
