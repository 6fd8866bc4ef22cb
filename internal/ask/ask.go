// Package ask answers questions about a project from its records. A question is read to a plan in code
// (package question), the plan is computed (package answer), and that is the answer. When a model is
// configured, one call words it; each of its claims is checked again (package claim). The computed
// answer is there when the model is not.
package ask

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/agent"
	"chela/internal/answer"
	"chela/internal/chart"
	"chela/internal/claim"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/meter"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/question"
	"chela/internal/run"
)

// A Question is asked about a project.
type Question struct {
	Project  string
	Text     string
	Plan     *question.Plan // what the question is read as; nil has it read
	Computed bool           // no model is asked
	By       event.Party
	Asker    string        // the name of who asks, whose "my tickets" are; empty where no person does
	Records  clerk.Earlier // what the answer comes from; nil means the records as they are
	AsOf     string        // the moment of Records, when it is not now
	Unnamed  bool          // who asks is not told who there is
	Recalled []string      // ids of the memories that are known for it, the best first
}

// A Citation is a record that the answer rests on.
type Citation struct {
	ID    string    `json:"id"`
	Kind  desk.Kind `json:"kind"`
	Title string    `json:"title"`
}

// An Unsupported is a word of the answer that the records do not support.
type Unsupported struct {
	Text string `json:"text"`
	Why  string `json:"why"`
}

// A Reading is what a question was read as.
type Reading struct {
	Plan question.Plan `json:"plan"`
	Text string        `json:"text" doc:"the plan in words"`
}

// An Answer is what a question comes to.
type Answer struct {
	Answer      string           `json:"answer"`
	ReadAs      string           `json:"readAs" doc:"what the question was read as, in words"`
	Plan        question.Plan    `json:"plan" doc:"the same for programs; sent back, changed or not, it is computed again"`
	Others      []Reading        `json:"otherReadings" doc:"what else the question may mean"`
	Table       *answer.Table    `json:"table,omitempty" doc:"computed; each row cites its record or lists its records"`
	Sentences   []claim.Sentence `json:"sentences" doc:"of a model, with the records that each rests on and what is not supported"`
	Citations   []Citation       `json:"sources"`
	Total       int              `json:"sourcesTotal" doc:"how many records the computed answer rests on; the list has the first 100"`
	Unsupported []Unsupported    `json:"unsupported"`
	// Computed says that the answer was computed, and not worded by a model.
	Computed bool     `json:"computed"`
	Ready    bool     `json:"modelReady" doc:"a model can word the answer"`
	ReadBy   string   `json:"readBy,omitempty" doc:"the model that read the question, where rules did not read all of it"`
	Searched bool     `json:"searched" doc:"no plan fits: the answer is the best records in full text"`
	Nothing  bool     `json:"nothing" doc:"no record fits"`
	Records  int      `json:"recordsUsed"`
	Left     int      `json:"recordsLeftOut"` // did not fit into the model's budget
	Model    string   `json:"model,omitempty"`
	CostUSD  float64  `json:"costUsd,omitempty"`
	Notes    []string `json:"notes"`
	Also     []Answer `json:"also,omitempty" doc:"of several questions at once, the answers to all but the first; each is computed"`
}

// Own is the answer without those of further parts of the question.
func (a Answer) Own() string {
	own := a.Answer
	for _, more := range slices.Backward(a.Also) {
		own = strings.TrimSuffix(own, "\n"+more.Answer)
	}
	return own
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
	kept   *clerk.View[*snapshot]
	log    event.Log
	models Models
	roster agent.Roster
	past   Past   // nil: what became of records is not known
	people People // nil: people are called as they send
}

// A Past tells what became of a project's records until a moment; an empty one is now.
type Past interface {
	// Charts returns what became of tickets, and when the moment was.
	Charts(ctx context.Context, project, moment string) (chart.History, time.Time, error)
	// History returns what became of one record, oldest first.
	History(ctx context.Context, record, moment string) ([]desk.Revised, error)
}

// People are those of the organization.
type People interface {
	Persons(ctx context.Context) ([]org.Person, error)
}

// With has the asker know what became of records, and the names of those who did it.
func (a *Asker) With(past Past, people People) *Asker {
	a.past, a.people = past, people
	return a
}

// New returns an asker over records that are kept, what may be spent, and the log.
func New(c *clerk.Cache, limits meter.Store, log event.Log, m Models, roster agent.Roster) *Asker {
	return &Asker{source: c.Source(), limits: limits, kept: clerk.NewView(c, read, follow), log: log, models: m, roster: roster}
}

// Prepare reads a project for the questions that come, unless it is read as it is now.
func (a *Asker) Prepare(ctx context.Context, project string) error {
	s, err := a.kept.Get(ctx, project)
	if err == nil {
		s.Fill()
	}
	return err
}

// maxQuestion is how long a question may be, in bytes.
const maxQuestion = 4000

// Ask answers q. At most one call of a model is made, without tools.
func (a *Asker) Ask(ctx context.Context, q Question) (Answer, error) {
	q.Text = strings.TrimSpace(q.Text)
	switch {
	case q.Text == "" && q.Plan == nil:
		return Answer{}, fault.BadField("question", "The question is empty.")
	case len(q.Text) > maxQuestion:
		return Answer{}, fault.New(fault.TooLarge, "The question has %d bytes; the limit is 4,000. Ask for one thing at once.", len(q.Text))
	}
	s, err := a.snapshot(ctx, q)
	if err != nil {
		return Answer{}, err
	}
	mint := a.source.Mint()
	now, err := a.moment(ctx, q)
	if err != nil {
		return Answer{}, err
	}
	w, err := a.compute(ctx, q, s, now)
	if err != nil {
		return Answer{}, err
	}
	var usage []event.Draft
	runID := run.ID(mint.ID("run"))
	at := event.Place{Stream: event.ProjectStream(q.Project), Thread: mint.ID("thr"), Run: string(runID), Task: run.RootTask(runID), From: q.By, Trace: run.TraceOf(ctx)}
	w.out.Ready = a.models.Ready() && len(w.out.Also) == 0
	switch {
	case q.Computed, len(w.out.Also) > 0:
	case !w.out.Ready:
		w.note(fault.TextOf(&model.Error{Reason: model.NoneConfigured}))
	default:
		if usage, err = a.word(ctx, q, w, at); err != nil {
			return Answer{}, err
		}
	}
	if q.AsOf != "" {
		w.note("The answer is from the records as of " + q.AsOf + ".")
	}
	_, err = a.log.Append(ctx, append(usage, AnsweredKind.Draft(at, Recorded{Question: q.Text, AsOf: q.AsOf, Answer: w.out}))...)
	return w.out, err
}

// A work is a question that is being answered.
type work struct {
	*snapshot
	now      time.Time
	question string
	plans    []question.Plan
	computed []answer.Answer // of the first plans
	out      Answer

	left        []string // words that the rules' reading leaves out
	unreadNotes []string // what is noted of these, and of words that were read as others
	whole       bool     // the rules read all of the question
	acts        bool     // it asks for something to be done
}

func (w *work) note(text string) { w.out.Notes = append(w.out.Notes, text) }

// maxReadings is how many readings of a question are computed.
const maxReadings = 3

// compute reads the question and computes its answer.
func (a *Asker) compute(ctx context.Context, q Question, s *snapshot, now time.Time) (*work, error) {
	if q.Plan != nil {
		if err := q.Plan.Check(now); err != nil {
			return nil, err
		}
		return a.computeReading(ctx, q, s, now, question.Reading{Plans: []question.Plan{*q.Plan}})
	}
	if both := question.Both(q.Asker, q.Text, s, now); len(both) > 0 {
		return a.computeParts(ctx, q, s, now, both)
	}
	r := question.ReadOf(q.Asker, q.Text, s, now)
	if !r.Whole() {
		if parts := question.Parts(q.Asker, q.Text, s, now); len(parts) > 0 {
			return a.computeParts(ctx, q, s, now, parts)
		}
	}
	return a.computeReading(ctx, q, s, now, r)
}

// computeParts computes the answers to several questions that are asked at once.
func (a *Asker) computeParts(ctx context.Context, q Question, s *snapshot, now time.Time, parts []question.Part) (first *work, err error) {
	var said []string
	for _, p := range parts {
		one := q
		one.Text = p.Text
		w, err := a.computeReading(ctx, one, s, now, p.Reading)
		if err != nil {
			return nil, err
		}
		said = append(said, w.out.Answer)
		if first == nil {
			first = w
		} else {
			first.out.Also = append(first.out.Also, w.out)
		}
	}
	first.question, first.out.Answer = q.Text, strings.Join(said, "\n")
	return first, nil
}

// computeReading computes the answer to a question as it was read.
func (a *Asker) computeReading(ctx context.Context, q Question, s *snapshot, now time.Time, r question.Reading) (*work, error) {
	w := &work{snapshot: s, now: now, question: q.Text, plans: r.Plans}
	w.out = Answer{Computed: true, Citations: []Citation{}, Unsupported: []Unsupported{}, Notes: []string{}, Others: []Reading{}, Sentences: []claim.Sentence{}}
	w.whole, w.acts = r.Whole(), r.Act != ""
	w.noteReading(r)
	for _, p := range w.plans[:min(len(w.plans), maxReadings)] {
		c, err := a.computePlan(ctx, q, w, p)
		if err != nil {
			return nil, err
		}
		w.computed = append(w.computed, c)
	}
	w.choose(0)
	w.recall(q.Recalled)
	return w, nil
}

// recall adds what is remembered to an answer that no plan fits, or that found nothing.
func (w *work) recall(ids []string) {
	if !w.out.Searched && !w.out.Nothing {
		return
	}
	for _, id := range ids[:min(len(ids), maxRecalled)] {
		r, ok := w.Find(id)
		if !ok {
			continue
		}
		if m, ok := r.Thing.(*desk.MemoryBody); ok && !m.Document() {
			w.out.Answer = strings.TrimSpace(w.out.Answer) + fmt.Sprintf("\nRemembered: %.300s", strings.Join(strings.Fields(m.Content), " "))
			w.out.Nothing = false
			w.cite(id)
		}
	}
}

// maxRecalled is how many memories are added.
const maxRecalled = 3

// noteReading says what of a question was not read as it stands.
func (w *work) noteReading(r question.Reading) {
	if r.Cut {
		w.note("The question is longer than what is read of it; its first 160 words count.")
	}
	for _, s := range r.Spelled {
		was, is, _ := strings.Cut(s, ": ")
		w.leaves(fmt.Sprintf("%q was read as %q.", was, is), nil)
	}
	for _, s := range r.Shared {
		is := "are"
		if len(s.Names) == 2 {
			is = "is"
		}
		w.note(fmt.Sprintf("%q is read as %s; %s %s called so, too.", s.Said, s.Names[0], strings.Join(s.Names[1:min(len(s.Names), 6)], ", "), is))
	}
	if r.Stranger != "" {
		w.note("No one person of this project is called " + r.Stranger + ", as you are; name the person instead.")
	}
	if r.Act != "" {
		w.note(fmt.Sprintf("Answers change nothing: %q is for the record's own page, the CLI, or an agent in the chat.", r.Act))
	}
	if r.Help {
		w.note("Ask of the records, in English or German: \"what is overdue\", \"who has room\", \"open bugs by owner\", \"what did we decide about refunds\", \"when was PAY-1 closed\". What is no such question is a search in all texts.")
	}
	if r.Costs {
		w.note("What models and agents cost is no record of the project: the pages Charts and Budgets say it, and `chela usage`.")
	}
	if len(r.Unknown) > 0 {
		w.leaves("No record has the words "+quotedList(r.Unknown)+".", r.Unknown)
	}
	if len(r.Ignored) > 0 {
		w.leaves("Not taken into account: "+quotedList(r.Ignored)+".", r.Ignored)
	}
}

// leaves notes what the rules' reading makes of the question's words, and of which words it makes nothing.
func (w *work) leaves(note string, words []string) {
	w.left, w.unreadNotes = append(w.left, words...), append(w.unreadNotes, note)
	w.note(note)
}

func quotedList(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(out, ", ")
}

// readAs says what a plan was read as, with records by their titles.
func (w *work) readAs(p question.Plan) string { return w.Labelled(p.Describe(w.now)) }

// choose makes the computed answer of one reading the answer.
func (w *work) choose(reading int) {
	c := w.computed[reading]
	w.out.Answer, w.out.Table, w.out.Total, w.out.Searched, w.out.Nothing = c.Sentence, c.Table, c.Total, c.Searched, c.Nothing
	w.out.Plan, w.out.ReadAs, w.out.Others = w.plans[reading], w.readAs(w.plans[reading]), []Reading{}
	for i, p := range w.plans[:min(len(w.plans), 6)] {
		if i != reading {
			w.out.Others = append(w.out.Others, Reading{p, w.readAs(p)})
		}
	}
	for _, n := range c.Notes {
		if !slices.Contains(w.out.Notes, n) {
			w.note(n)
		}
	}
	w.out.Citations = []Citation{}
	w.cite(c.Sources...)
}

// cite adds records to the sources, each once.
func (w *work) cite(ids ...string) {
	for _, id := range ids {
		r, ok := w.Find(id)
		if ok && !slices.ContainsFunc(w.out.Citations, func(c Citation) bool { return c.ID == id }) {
			w.out.Citations = append(w.out.Citations, Citation{ID: id, Kind: r.Kind, Title: r.Title})
		}
	}
}

// snapshot returns the project's records, kept or as they were.
func (a *Asker) snapshot(ctx context.Context, q Question) (*snapshot, error) {
	var records clerk.Store = a.source
	if q.Records != nil {
		records = q.Records
	}
	if r, err := records.Record(ctx, q.Project); err != nil || r.Kind != desk.Project || r.Deleted {
		return nil, fault.New(fault.NotFound, "The project %s does not exist.", q.Project)
	}
	if q.Records != nil {
		return a.kept.Earlier(ctx, q.Project, q.Records)
	}
	return a.kept.Get(ctx, q.Project)
}
