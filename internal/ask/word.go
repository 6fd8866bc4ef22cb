package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"chela/internal/budget"

	"chela/internal/agent"
	"chela/internal/claim"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/meter"
	"chela/internal/model"
	"chela/internal/prompt"
	"chela/internal/run"
)

// budget is how many bytes of context the model takes: half its window, at four bytes
// a token, and no more than is sensible to pay for.
func (a *Asker) budget() int {
	tokens := 32_000
	if p, ok := a.models.Price("", model.Specializing); ok && p.Context > 0 {
		tokens = min(p.Context/2, 60_000)
	}
	return tokens * 4
}

// answerStep is the step that a question's one call is.
const answerStep = "answer"

// callTime is how long a call may last. The computed answer is there after it.
const callTime = 30 * time.Second

// word lets a model word the answer and checks it. When the model does not answer, the computed answer
// stands, with a line on what failed.
func (a *Asker) word(ctx context.Context, q Question, w *work, at event.Place) ([]event.Draft, error) {
	who, err := a.roster.Agent(ctx, "agent:ask-claw")
	if err != nil {
		return nil, err
	}
	if err := who.Ready(); err != nil {
		w.note(fault.TextOf(err) + " The answer is computed.")
		return nil, nil
	}
	var cited []string
	for _, c := range w.computed {
		cited = append(cited, c.Sources...)
	}
	cited = append(cited, q.Recalled...)
	tables, guide, form := w.tables(), "", prompt.AnswerSchema()
	if w.unread() {
		guide, form = w.guide(), prompt.PlannedSchema()
	}
	k := assemble(w.snapshot, q.Text, cited, w.now, a.budget()-len(tables)-len(guide))
	r := model.Request{
		Model: who.Model, Job: model.Job(who.Kind), Agent: string(who.Card.AgentID), System: prompt.System(who, prompt.Context{Date: w.now, Project: w.project}), Output: form,
		Messages: []model.Message{{Role: model.User, Parts: []model.Part{{Text: prompt.Data("the project's records and computed numbers", tables+k.text()) + "\n\n" + guide + "The question: " + q.Text}}}},
	}
	purse := meter.Direct{Store: a.limits, Run: run.ID(at.Run), Payer: budget.Payer{Project: q.Project, Agent: who.Card.AgentID, Key: at.From.Key}}
	call, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	fault.Point("before model call")
	ans, err := meter.Model(a.models, purse, a.models.Price, answerStep, callTime).Generate(call, r, nil)
	fault.Point("after model call")
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("ask the model: %w", err)
	case err != nil:
		if errors.Is(err, context.DeadlineExceeded) {
			err = fault.New(fault.Unavailable, "The model did not answer within %s.", callTime)
		}
		w.note(fault.TextOf(err) + " The answer is computed.")
		return nil, nil
	}
	w.out.Records, w.out.Left = len(k.lines), k.left
	w.out.Model, w.out.CostUSD = ans.Provider+"/"+ans.Model, ans.CostUSD
	if ans.Stop == model.StopMaxTokens || ans.Stop == model.StopBroken {
		w.note("The model's answer broke off; ask for less at once.")
	}
	w.told(ans.Text, k)
	if k.left > 0 {
		w.note(fmt.Sprintf("The model was not shown %d records, which did not fit; the computed numbers count them all.", k.left))
	}
	return w.drafts(q, at, string(who.Card.AgentID), ans, k)
}

// drafts are the events of a model's call.
func (w *work) drafts(q Question, at event.Place, who string, ans model.Answer, k *known) ([]event.Draft, error) {
	from := event.Party{AgentID: who, Role: "agent"}
	asked, place := at, at
	asked.To, place.From = []event.Party{from}, from
	output, err := json.Marshal(w.out.Answer)
	if err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return []event.Draft{
		run.RequestKind.Draft(asked, run.TaskRequest{Title: "Answer a question", Description: q.Text}),
		run.AcceptKind.Draft(place, run.TaskAccept{TaskID: at.Task, AgentID: from.AgentID, StartedAt: k.now}),
		run.AsStep(agent.AnsweredKind.Draft(place, agent.Answered{Agent: from.AgentID, Answer: ans}), answerStep, true),
		run.ResultKind.Draft(place, run.TaskResult{Success: true, Output: output, Summary: w.out.Model + " answered."}),
	}, nil
}

// tables are the computed answers as the model is shown them.
func (w *work) tables() string {
	var b strings.Builder
	for i, c := range w.computed {
		fmt.Fprintf(&b, "COMPUTED ANSWER %d (read as: %s)\n%s\n", i+1, w.readAs(w.plans[i]), c.Sentence)
		for _, n := range c.Notes {
			b.WriteString(n + "\n")
		}
		if c.Table != nil {
			b.WriteString("| id | " + strings.Join(c.Table.Columns, " | ") + " |\n")
			for _, r := range c.Table.Rows[:min(len(c.Table.Rows), 50)] {
				b.WriteString("| " + r.ID + " | " + strings.Join(r.Cells, " | ") + " |\n")
			}
			if more := c.Table.Total - min(len(c.Table.Rows), 50); more > 0 {
				fmt.Fprintf(&b, "and %d more rows\n", more)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// told takes over what a model said: sentences with their records, each claim of which is checked. Prose is read as plain sentences, with
// the ids that stand in them. The computed answer stands where the model says nothing, or JSON that is not the answer's form.
func (w *work) told(text string, k *known) {
	said, err := prompt.ParseAnswer(text)
	if err != nil {
		if !prompt.IsProse(text) && strings.TrimSpace(text) != "" {
			w.note("The model's answer cannot be read: it is not in the form that was asked for. The answer is computed.")
			return
		}
		said = prompt.Answer{Reading: 1}
		for _, s := range claim.Split(text) {
			said.Sentences = append(said.Sentences, prompt.Sentence{Text: s})
		}
	}
	if w.unread() && w.planned(said.Plan, w.out.Model) {
		return
	}
	if len(said.Sentences) == 0 {
		w.note("The model answered nothing. The answer is computed.")
		return
	}
	if n := said.Reading - 1; n > 0 && n < len(w.computed) {
		w.choose(n)
	}
	w.out.Computed, w.out.Citations = false, []Citation{}
	checker := claim.NewChecker(w.Snapshot, w.out.Table, w.out.Answer, w.question, w.now)
	var texts []string
	for _, s := range said.Sentences {
		c := checker.Check(s.Text, s.Records)
		w.out.Sentences = append(w.out.Sentences, c)
		texts = append(texts, s.Text)
		w.cite(c.Sources...)
		for _, m := range c.Marks() {
			w.out.Unsupported = append(w.out.Unsupported, Unsupported(m))
		}
	}
	w.out.Answer = strings.Join(texts, " ")
	if len(w.out.Citations) == 0 {
		w.note("The answer cites no record.")
	}
}
