// Package memorytest holds that what keeps memories loses none: it distils, makes room, tidies, reads an edited MEMORY.md, makes vectors and
// erases over a store, with fake models. [Killed] has the process die before and after each transaction of each of these;
// [AtOnce] has all of them work beside one another, in an order that chance gives.
package memorytest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/distill"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/memory"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/session"
	"chela/internal/store"
	"chela/internal/vector"
)

// An Opener returns a fresh database, and what opens it again.
type Opener func(t *testing.T) (*store.DB, func() (*store.DB, error))

// began is when everything begins.
var began = time.Date(2026, 3, 9, 10, 0, 0, 0, time.UTC)

// A world is what outlives a process: the database, the clock, and the file that a person edits.
type world struct {
	t       *testing.T
	mint    *event.Mint
	project string
	file    string // MEMORY.md, edited
}

// A life is one process.
type life struct {
	*world

	db *store.DB
}

// errDead is what a killed process would not have lived to see.
var errDead = errors.New("the process is dead")

// place is where a person does something.
func place(person, thread string) event.Place {
	return event.Place{Stream: event.ThreadStream(thread), Thread: thread, Run: "run_x", Task: "task_x", From: org.Person{ID: person}.Party()}
}

func (l life) append(d ...event.Draft) error {
	_, err := l.db.Log.Append(l.t.Context(), d...)
	return err
}

// do changes records as a person does.
func (l life) do(project string, plan func(*clerk.Work) error) error {
	return clerk.New(l.db.Desk).Do(l.t.Context(), place("per_1", "thr_x"), project, func(d []event.Draft) error { return l.append(d...) }, plan)
}

// say has a person and an agent speak in turn in a new conversation.
func (l life) say(thread, person string, lines ...string) error {
	at := place(person, thread)
	drafts := []event.Draft{session.OpenedKind.Draft(at, session.Opened{Channel: "page", Title: session.TitleOf(lines[0]), Project: l.project, Person: at.From.AgentID})}
	for i, text := range lines {
		by := at
		if i%2 == 1 {
			by.From = event.Party{AgentID: "agent:pm", Role: "agent"}
		}
		drafts = append(drafts, session.SaidKind.Draft(by, session.Said{Message: text}))
	}
	return l.append(drafts...)
}

// hold keeps a memory that says where it is from.
func (l life) hold(b desk.MemoryBody) error {
	b.Sources = []desk.Source{{Document: "msg_" + b.Key, Quote: b.Content, By: "rule:test"}}
	return l.do(l.project, func(w *clerk.Work) error {
		_, err := clerk.Add(w, desk.Memory, &b)
		return err
	})
}

// makeProject makes the project.
func (l life) makeProject() error {
	return l.do("", func(w *clerk.Work) error {
		r, err := clerk.Add(w, desk.Project, &desk.ProjectBody{Name: "Payments"})
		l.project = r.ID
		return err
	})
}

// records are all memories of the project, also those that were deleted.
func (l life) records() []desk.Record {
	p, err := l.db.Desk.Records(l.t.Context(), clerk.Query{Project: l.project, Kind: desk.Memory, Limit: clerk.All, Gone: true})
	if err != nil {
		l.t.Fatal(err)
	}
	return p.Records
}

func (l life) body(r desk.Record) desk.MemoryBody {
	b, err := desk.Open[desk.MemoryBody](r)
	if err != nil {
		l.t.Fatal(err)
	}
	return b
}

// rows are the memories as a file has them.
func (l life) rows() ([]memory.Row, error) {
	p, err := l.db.Desk.Records(l.t.Context(), clerk.Query{Project: l.project, Kind: desk.Memory, Limit: clerk.All})
	if err != nil {
		return nil, err
	}
	return memory.Rows(p.Records, l.mint.Now())
}

// writeFile writes MEMORY.md as the memories are now.
func (l life) writeFile() (string, error) {
	at, err := l.db.Log.End(l.t.Context())
	if err != nil {
		return "", err
	}
	rows, err := l.rows()
	return memory.File("Payments", rows, at, l.mint.Now()), err
}

// readFile reads the edited MEMORY.md back.
func (l life) readFile(text string) error {
	read, err := memory.ReadFile(text)
	if err != nil {
		return err
	}
	return l.do(l.project, func(w *clerk.Work) error {
		all, err := w.List(clerk.Query{Kind: desk.Memory, Limit: clerk.All})
		if err != nil {
			return err
		}
		rows, err := memory.Rows(all, w.Now())
		if err != nil {
			return err
		}
		edits, err := memory.Compare(l.t.Context(), read, rows, l.db.Log.Placed)
		if err != nil {
			return err
		}
		return memory.Edits(w, edits, rows)
	})
}

func (l life) keeper() *distill.Keeper {
	return distill.NewKeeper(clerk.New(l.db.Desk), l.db.Desk, l.db.Conversations, l.db.Recall, l.db.Log, distill.Options{
		Condenser: &distill.Condenser{Models: speaking{}, Limits: l.db.Budgets, Roster: members{}}, Log: slog.New(slog.DiscardHandler),
	})
}

func (l life) distil() error {
	_, err := l.keeper().Pass(l.t.Context())
	return err
}

func (l life) compact() error {
	_, err := distill.NewCompactor(l.keeper(), l.db.Conversations, members{}).Pass(l.t.Context())
	return err
}

func (l life) tidy() error {
	_, err := l.keeper().Tidy(l.t.Context(), l.project)
	return err
}

func (l life) vectors() error {
	return vector.NewKeeper(l.db.Recall, meaning{}, l.db.Budgets, l.db.Log, vector.Options{Holder: "one", Mint: l.mint, Log: slog.New(slog.DiscardHandler)}).Pass(l.t.Context())
}

func (l life) erase(person string) error {
	at := place("per_1", "thr_x")
	at.Stream = event.OrgStream
	_, err := l.db.Audit.Erase(l.t.Context(), at, person, "asked for")
	return err
}

// sound holds that the log verifies, that it gives the same tables again, and that each passage has its vector.
func (l life) sound() {
	l.t.Helper()
	if s, err := l.db.Recall.VectorStatus(l.t.Context()); err != nil || s.Waiting != 0 || s.Kept == 0 {
		l.t.Errorf("the vectors: %+v, %v", s, err)
	}
	if r, err := l.db.Audit.Verify(l.t.Context()); err != nil || !r.OK() {
		l.t.Errorf("the log does not verify: %+v, %v", r.Findings, err)
	}
	if r, err := l.db.Rebuild(l.t.Context()); err != nil || len(r.Different()) > 0 {
		l.t.Errorf("different after a rebuild: %v, %v", r.Different(), err)
	}
}

// members are a controller who sums up, and who condenses.
type members struct{}

func (members) Agent(_ context.Context, id org.AgentID) (org.Agent, error) {
	if id != distill.Distiller {
		return org.Agent{}, fault.New(fault.NotFound, "There is no such agent.")
	}
	return org.Agent{Card: org.Card{AgentID: id}, Profile: org.Profile{Kind: org.Checker, Enabled: true, Prompt: "You condense."}}, nil
}

func (members) Agents(context.Context) ([]org.Agent, error) {
	return []org.Agent{{Card: org.Card{AgentID: "agent:lead"}, Profile: org.Profile{Kind: org.Controller, Enabled: true}}}, nil
}

// auditors is what a person says of which the model makes a memory.
const auditors = "We met the auditors of Norddata. They want each export signed, and they come back on 14 April. " +
	"I would rather have the report in the morning than at night, and for a release we first freeze the branch, then run the soak, then tag. Nobody knows yet who pays for the hardware."

// speaking condenses what the auditors want, and sums up.
type speaking struct{}

func (speaking) Ready() bool { return true }

// Price says that the model has room for few messages beside what an agent is told.
func (speaking) Price(string, model.Job) (model.Price, bool) { return model.Price{Context: 800}, true }

func (speaking) Generate(_ context.Context, r model.Request, _ func(model.Delta)) (model.Answer, error) {
	text := "They talked about remarks."
	if r.Output != nil {
		var claims []map[string]string
		for line := range strings.Lines(r.Messages[0].Parts[0].Text) {
			if id, _, _ := strings.Cut(strings.TrimPrefix(line, "["), "]"); strings.Contains(line, "auditors of Norddata") {
				claims = append(claims, map[string]string{"type": "fact", "text": "Norddata wants each export signed.", "message": id, "quote": "They want each export signed"})
			}
		}
		raw, err := json.Marshal(map[string]any{"history_entry": "They met.", "memory_update": claims})
		if err != nil {
			return model.Answer{}, err
		}
		text = string(raw)
	}
	return model.Answer{Text: text, Provider: "fake", Model: "one", Stop: model.StopEnd, Usage: model.Usage{InputTokens: 10, OutputTokens: 5}}, nil
}

// meaning gives vectors as a file of the operator does.
type meaning struct{}

func (meaning) EmbeddingModel() string              { return model.StaticProvider + "/test" }
func (meaning) EmbeddingPrice() (model.Price, bool) { return model.Price{}, false }
func (meaning) Embeds() error                       { return nil }

func (meaning) Embed(_ context.Context, texts []string) ([][]float32, model.Answer, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = make([]float32, 8)
		for j, r := range t {
			out[i][j%8] += float32(r % 31)
		}
	}
	return out, model.Answer{}, nil
}

// kept says what there is of memories, notes and summaries, in lines that are the same whoever wrote them in which order.
func (l life) kept() string {
	l.t.Helper()
	var out []string
	for _, r := range l.records() {
		b := l.body(r)
		var quotes []string
		for _, s := range b.Sources {
			quotes = append(quotes, s.Quote+" by "+s.By)
		}
		slices.Sort(quotes)
		out = append(out, fmt.Sprintf("%s %s %q, deleted %v, merged %v, contradicts %d, of %q", b.Scope, b.Type, b.Content, r.Deleted, r.MergedInto != "", len(b.Contradicts), quotes))
	}
	for _, person := range []string{"per_1", "per_2"} {
		notes, err := l.db.Recall.Notes(l.t.Context(), person)
		if err != nil {
			l.t.Fatal(err)
		}
		for _, n := range notes {
			out = append(out, "note of "+person+": "+n.Content)
		}
	}
	for _, thread := range []string{"thr_1", "thr_2", "thr_3"} {
		c, err := l.db.Conversations.Compacted(l.t.Context(), thread, event.Newest)
		if err != nil {
			l.t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%s: %d messages are summed up by %s: %s", thread, c.Messages, c.By, c.Summary))
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// A mortal is a database whose process dies when it is told to.
type mortal struct {
	store.Backend

	mu   sync.Mutex // guards the rest
	dead bool
	// dies says whether the process dies with the next transaction, and whether after it is durable.
	dies func() (now, after bool)
}

// Transact implements [store.Backend]. The dead write nothing, and a transaction that was durable when the process died has told nobody.
func (m *mortal) Transact(ctx context.Context, fn func(store.Conn) ([]store.Statement, error), committed func()) error {
	m.mu.Lock()
	if m.dead {
		m.mu.Unlock()
		return errDead
	}
	now, after := m.dies()
	m.dead = now
	m.mu.Unlock()
	if now && !after {
		return errDead
	}
	err := m.Backend.Transact(ctx, fn, committed)
	if now && err == nil {
		return errDead
	}
	return err
}
