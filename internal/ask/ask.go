// Package ask answers questions from a project's records: the context is assembled
// and every number computed in code, one model call words the answer, and code checks
// it again (check.go). Without a model the computed tables are the answer.
package ask

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"chela/internal/agent"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/meter"
	"chela/internal/model"
	"chela/internal/prompt"
	"chela/internal/run"
)

// A Question is asked about a project.
type Question struct {
	Project string
	Text    string
	By      event.Party
	Records clerk.Store // what the answer comes from; nil means the records as they are
	AsOf    string      // the moment of Records, when it is not now
}

// A Citation is a record that the answer names.
type Citation struct {
	ID    string    `json:"id"`
	Kind  desk.Kind `json:"kind"`
	Title string    `json:"title"`
}

// An Unsupported is something the answer says that the records do not.
type Unsupported struct {
	Text string `json:"text"` // the number or the id
	Why  string `json:"why"`
}

// An Answer is what a question comes to.
type Answer struct {
	Answer      string        `json:"answer"`
	Citations   []Citation    `json:"sources"`
	Unsupported []Unsupported `json:"unsupported"`
	// Computed says that no model was asked: the answer is the computed tables.
	Computed bool     `json:"computed"`
	Tables   string   `json:"tables"` // the computed summaries
	Records  int      `json:"recordsUsed"`
	Left     int      `json:"recordsLeftOut"` // did not fit into the model's budget
	Model    string   `json:"model,omitempty"`
	CostUSD  float64  `json:"costUsd,omitempty"`
	Notes    []string `json:"notes"`
}

// AnsweredKind records a question with its answer.
var AnsweredKind = event.Kind[Recorded]{Name: "ask.answered", PayloadType: "ask.answered.v1"}

// A Recorded is the payload of ask.answered.
type Recorded struct {
	Question string `json:"question"`
	AsOf     string `json:"as_of,omitempty"`
	Answer   Answer `json:"answer"`
}

// Models answers, when any is configured.
type Models interface {
	model.Model
	Ready() bool
	Price(name string, job model.Job) (model.Price, bool)
}

// An Asker answers questions.
type Asker struct {
	source clerk.Source
	limits meter.Store
	shelf  *clerk.Cache[*book]
	log    event.Log
	models Models
	roster agent.Roster
}

// New returns an asker over records, what may be spent, and the log.
func New(s clerk.Source, limits meter.Store, log event.Log, m Models, roster agent.Roster) *Asker {
	return &Asker{s, limits, clerk.NewCache(s, bind), log, m, roster}
}

// Ask answers q. It is one model call without tools.
func (a *Asker) Ask(ctx context.Context, q Question) (Answer, error) {
	q.Text = strings.TrimSpace(q.Text)
	switch {
	case q.Text == "":
		return Answer{}, fault.BadField("question", "The question is empty.")
	case len(q.Text) > 4000:
		return Answer{}, fault.New(fault.TooLarge, "The question has %d bytes; the limit is 4,000.", len(q.Text))
	}
	b, err := a.book(ctx, q)
	if err != nil {
		return Answer{}, err
	}
	mint := a.source.Mint()
	k := assemble(b, q.Text, mint.Now().UTC(), a.budget())
	out := Answer{Tables: k.summary, Records: len(k.lines), Left: k.left, Citations: []Citation{}, Unsupported: []Unsupported{}, Notes: []string{}}
	var usage []event.Draft
	runID := run.ID(mint.ID("run"))
	at := event.Place{Stream: event.ProjectStream(q.Project), Thread: mint.ID("thr"), Run: string(runID), Task: run.RootTask(runID), From: q.By, Trace: run.TraceOf(ctx)}
	if !a.models.Ready() {
		out.Computed, out.Answer = true, out.Tables
		out.Notes = append(out.Notes, fault.TextOf(&model.Error{Reason: model.NoneConfigured}))
		out.Citations = k.cited(out.Answer)
	} else if usage, err = a.word(ctx, q, k, &out, at); err != nil {
		return Answer{}, err
	}
	if q.AsOf != "" {
		out.Notes = append(out.Notes, "The answer is from the records as of "+q.AsOf+".")
	}
	if k.left > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d records did not fit and were left out; the computed numbers count them all.", k.left))
	}
	_, err = a.log.Append(ctx, append(usage, AnsweredKind.Draft(at, Recorded{Question: q.Text, AsOf: q.AsOf, Answer: out}))...)
	return out, err
}

// book returns the project's records, kept or as they were.
func (a *Asker) book(ctx context.Context, q Question) (*book, error) {
	var records clerk.Store = a.source
	if q.Records != nil {
		records = q.Records
	}
	if r, err := records.Record(ctx, q.Project); err != nil || r.Kind != desk.Project || r.Deleted {
		return nil, fault.New(fault.NotFound, "The project %s does not exist.", q.Project)
	}
	if q.Records != nil {
		return readBook(ctx, records, q.Project)
	}
	return a.shelf.Get(ctx, q.Project)
}

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

// callTime is how long a call may last.
const callTime = 3 * time.Minute

// word lets a model word the answer and checks it.
func (a *Asker) word(ctx context.Context, q Question, k *known, out *Answer, at event.Place) ([]event.Draft, error) {
	who, err := a.roster.Agent(ctx, "agent:ask-claw")
	if err != nil {
		return nil, err
	}
	if err := who.Ready(); err != nil {
		return nil, err
	}
	shown := k.text()
	r := model.Request{
		Model: who.Model, Job: model.Job(who.Kind), Agent: string(who.Card.AgentID), System: prompt.System(who, prompt.Context{Date: k.now, Project: k.project}),
		Messages: []model.Message{{Role: model.User, Parts: []model.Part{{Text: prompt.Data("the project's records and computed numbers", shown) + "\n\nThe question: " + q.Text}}}},
	}
	purse := meter.Direct{Store: a.limits, Run: run.ID(at.Run), Project: q.Project, Agent: who.Card.AgentID}
	fault.Point("before model call")
	ans, err := meter.Model(a.models, purse, a.models.Price, answerStep, callTime).Generate(ctx, r, nil)
	fault.Point("after model call")
	if err != nil {
		return nil, err
	}
	out.Answer, out.Model, out.CostUSD = strings.TrimSpace(ans.Text), ans.Provider+"/"+ans.Model, ans.CostUSD
	if ans.Stop == model.StopMaxTokens || ans.Stop == model.StopBroken {
		out.Notes = append(out.Notes, "The model's answer broke off; ask for less at once.")
	}
	out.Citations = k.cited(out.Answer)
	out.Unsupported = k.check(shown, q.Text, out.Answer)
	if len(out.Citations) == 0 {
		out.Notes = append(out.Notes, "The answer cites no record.")
	}
	from := event.Party{AgentID: string(who.Card.AgentID), Role: "agent"}
	asked, place := at, at
	asked.To, place.From = []event.Party{from}, from
	output, err := json.Marshal(out.Answer)
	if err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return []event.Draft{
		run.RequestKind.Draft(asked, run.TaskRequest{Title: "Answer a question", Description: q.Text}),
		run.AcceptKind.Draft(place, run.TaskAccept{TaskID: at.Task, AgentID: from.AgentID, StartedAt: k.now}),
		run.AsStep(agent.AnsweredKind.Draft(place, agent.Answered{Agent: from.AgentID, Answer: ans}), answerStep, true),
		run.ResultKind.Draft(place, run.TaskResult{Success: true, Output: output, Summary: out.Model + " answered."}),
	}, nil
}
