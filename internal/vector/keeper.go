package vector

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"chela/internal/agent"
	"chela/internal/budget"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/memory"
	"chela/internal/meter"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/run"
)

// Models give vectors, where one is named for it.
type Models interface {
	Embed(ctx context.Context, texts []string) ([][]float32, model.Answer, error)
	EmbeddingModel() string
	EmbeddingPrice() (model.Price, bool)
	Embeds() error
}

// A Log is where what was spent is recorded.
type Log interface {
	Append(ctx context.Context, drafts ...event.Draft) ([]event.Event, error)
}

// Options of a [Keeper].
type Options struct {
	Holder string        // the name of this daemon among those that share the database
	Every  time.Duration // how often it is looked whether passages wait; 0 means 2 s
	Mint   *event.Mint
	Log    *slog.Logger // nil means slog.Default
}

// A Keeper keeps the vectors of what can be recalled.
type Keeper struct {
	store   Store
	models  Models
	budgets meter.Store
	log     Log
	opts    Options
	soon    chan struct{}

	mu      sync.Mutex // guards the rest
	problem string
	of      string        // the model that the failures were of
	again   time.Time     // before it nothing is made, after a failure
	silent  time.Time     // before it no question's vector is asked for, after a failure
	asked   []asked       // the latest questions
	spent   model.Answer  // what questions took since it was recorded
	pause   time.Duration // the last after a failure
}

// asked is a question and its vector.
type asked struct {
	model, text string
	numbers     []float32
}

// NewKeeper returns a keeper.
func NewKeeper(s Store, m Models, budgets meter.Store, log Log, o Options) *Keeper {
	if o.Every == 0 {
		o.Every = 2 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Keeper{store: s, models: m, budgets: budgets, log: log, opts: o, soon: make(chan struct{}, 1)}
}

// Bounds of what a model is given.
const (
	batch      = 64               // passages in a call
	maxText    = 2000             // bytes of a passage
	holds      = 2 * time.Minute  // how long a daemon may be silent before another goes on
	callTime   = 90 * time.Second // for a batch
	answerTime = 1500 * time.Millisecond
	silence    = time.Minute // without vectors of questions, after a failure
	kept       = 200         // questions
	longest    = 10 * time.Minute
	recordEach = 15 * time.Minute
)

// who is charged.
const who org.AgentID = "agent:chela"

// Run works until ctx is done.
func (k *Keeper) Run(ctx context.Context) error {
	every, record := time.NewTicker(k.opts.Every), time.NewTicker(recordEach)
	defer every.Stop()
	defer record.Stop()
	for {
		k.look(ctx)
		select {
		case <-ctx.Done():
			k.recordQuestions(context.WithoutCancel(ctx))
			return nil
		case <-record.C:
			k.recordQuestions(ctx)
		case <-k.soon:
		case <-every.C:
		}
	}
}

// Soon has the keeper look at once: another model was named.
func (k *Keeper) Soon() {
	select {
	case k.soon <- struct{}{}:
	default: // it will
	}
}

// look makes what waits, and remembers why it cannot.
func (k *Keeper) look(ctx context.Context) {
	k.mu.Lock()
	k.about(k.models.EmbeddingModel())
	again := k.again
	k.mu.Unlock()
	now := k.opts.Mint.Now()
	if now.Before(again) {
		return
	}
	err := k.Pass(ctx)
	if ctx.Err() != nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil {
		k.problem, k.pause = "", 0
		return
	}
	k.problem, k.pause = fault.TextOf(err), min(max(2*k.pause, silence), longest)
	k.again = now.Add(k.pause)
	k.opts.Log.WarnContext(ctx, "no vectors are made; it is tried again", "in", k.pause, "err", err)
}

// about forgets failures that were another model's. k.mu is held.
func (k *Keeper) about(named string) {
	if k.of != named {
		k.of, k.problem, k.pause, k.again, k.silent = named, "", 0, time.Time{}, time.Time{}
	}
}

// Pass makes the vectors of all passages that wait, when no other daemon does. What was made stays when it fails.
func (k *Keeper) Pass(ctx context.Context) error {
	named := k.models.EmbeddingModel()
	have, waits, err := k.store.VectorModel(ctx)
	if err != nil || have == named && (named == "" || !waits) {
		return errors.Join(err, k.warm(ctx, named))
	}
	if named != "" {
		if err := k.models.Embeds(); err != nil {
			return err
		}
	}
	for ctx.Err() == nil {
		now := k.opts.Mint.Now()
		mine, err := k.store.HoldVectors(ctx, named, k.opts.Holder, now, now.Add(holds))
		if err != nil || !mine || named == "" {
			return err
		}
		b, err := k.store.WaitForVectors(ctx, batch)
		if err != nil {
			return err
		}
		vectors, err := k.embed(ctx, b)
		if err != nil {
			return err
		}
		if err := k.store.KeepVectors(ctx, named, b, vectors); err != nil {
			return err
		}
		if len(b.Passages) == 0 {
			return k.warm(ctx, named)
		}
	}
	return ctx.Err()
}

func (k *Keeper) warm(ctx context.Context, named string) error {
	if named == "" {
		return nil
	}
	return k.store.ReadVectors(ctx)
}

// embed asks for the vectors of a batch, within what may be spent.
func (k *Keeper) embed(ctx context.Context, b Batch) ([][]float32, error) {
	if len(b.Passages) == 0 {
		return nil, nil
	}
	texts := make([]string, len(b.Passages))
	want := budget.Want{Time: callTime}
	for i, p := range b.Passages {
		texts[i] = clipped(strings.TrimSpace(p.Title+"\n"+p.Text), maxText)
		want.In += int64(prompt.Estimate(texts[i]))
	}
	if strings.HasPrefix(k.models.EmbeddingModel(), model.StaticProvider+"/") { // nothing is asked, and nothing is spent
		vectors, _, err := k.models.Embed(ctx, texts)
		return vectors, err
	}
	if price, ok := k.models.EmbeddingPrice(); ok {
		want.USDIn = price.In
	}
	id := k.opts.Mint.ID("run")
	const step = "embed"
	var vectors [][]float32
	var a model.Answer
	err := meter.Spend(ctx, meter.Direct{Store: k.budgets, Run: run.ID(id), Payer: budget.Payer{Agent: who}}, budget.Call{Step: step, Want: want}, callTime, func(ctx context.Context, _ *budget.Grant) (err error) {
		vectors, a, err = k.models.Embed(ctx, texts)
		return err
	})
	if err != nil {
		return nil, err
	}
	return vectors, k.record(ctx, id, step, a)
}

// record records what a call took.
func (k *Keeper) record(ctx context.Context, id, step string, a model.Answer) error {
	at := event.Place{Stream: event.OrgStream, Thread: k.opts.Mint.ID("thr"), Run: id, Task: "task_" + id[len("run_"):], From: run.Chela()}
	_, err := k.log.Append(context.WithoutCancel(ctx), run.AsStep(agent.AnsweredKind.Draft(at, agent.Answered{Agent: string(who), Answer: a}), step, true))
	if err != nil {
		return fmt.Errorf("record what vectors took: %w", err)
	}
	return nil
}

func clipped(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// Question implements [memory.Vectors]. After a failure questions have none for a minute.
func (k *Keeper) Question(ctx context.Context, text string) (memory.Vector, error) {
	named := k.models.EmbeddingModel()
	if named == "" || strings.TrimSpace(text) == "" {
		return memory.Vector{}, nil
	}
	text = clipped(strings.TrimSpace(text), maxText)
	k.mu.Lock()
	k.about(named)
	i := slices.IndexFunc(k.asked, func(a asked) bool { return a.model == named && a.text == text })
	var known []float32
	if i >= 0 {
		known = k.asked[i].numbers
	}
	quiet := k.opts.Mint.Now().Before(k.silent)
	k.mu.Unlock()
	if known != nil || quiet {
		return memory.Vector{Model: named, Numbers: known}, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, answerTime, fault.New(fault.Unavailable, "%s gave no vector within %s.", named, answerTime))
	defer cancel()
	vectors, a, err := k.models.Embed(ctx, []string{text})
	k.mu.Lock()
	defer k.mu.Unlock()
	if err != nil {
		k.silent = k.opts.Mint.Now().Add(silence)
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return memory.Vector{}, err
	}
	if a.Provider != model.StaticProvider {
		k.spent.Provider, k.spent.Model, k.spent.CostKnown = a.Provider, a.Model, a.CostKnown
		k.spent.Usage.InputTokens += a.Usage.InputTokens
		k.spent.CostUSD += a.CostUSD
		k.spent.Duration += a.Duration
		k.spent.Attempts += a.Attempts
	}
	k.asked = append(k.asked[max(0, len(k.asked)-kept+1):], asked{named, text, vectors[0]})
	return memory.Vector{Model: named, Numbers: vectors[0]}, nil
}

// recordQuestions records what questions took since it was recorded.
func (k *Keeper) recordQuestions(ctx context.Context) {
	k.mu.Lock()
	a := k.spent
	k.spent = model.Answer{}
	k.mu.Unlock()
	if a.Provider == "" {
		return
	}
	a.Stop = model.StopEnd
	if err := k.record(ctx, k.opts.Mint.ID("run"), "questions", a); err != nil {
		k.opts.Log.WarnContext(ctx, "record what questions took", "err", err)
	}
}

// Status says how far the index is, and what is in the way.
func (k *Keeper) Status(ctx context.Context) (Status, error) {
	s, err := k.store.VectorStatus(ctx)
	if err != nil {
		return s, err
	}
	k.mu.Lock()
	s.Problem = k.problem
	k.mu.Unlock()
	switch named := k.models.EmbeddingModel(); {
	case named == "":
		s.Waiting = 0
	case s.Model != named: // it has made none yet
		s.Kept, s.Waiting = 0, s.Kept+s.Waiting
	}
	if err := k.models.Embeds(); fault.KindOf(err) == fault.Invalid && err != nil {
		s.Problem = fault.TextOf(err)
	} else if k.models.EmbeddingModel() == "" {
		s.Problem = ""
	}
	return s, nil
}
