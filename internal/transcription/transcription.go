// Package transcription transcribes the sounds that people send. Each message with sounds has a
// run of its own ([Transcriber.Handle]), so that a transcription that a crash cut off is made
// again, and one that is recorded is not. What comes of it is the inbox's: see
// inbox.Transcribed.
package transcription

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"chela/internal/agent"
	"chela/internal/artifact"
	"chela/internal/budget"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/inbox"
	"chela/internal/meter"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
)

// Models transcribe.
type Models interface {
	Transcribe(ctx context.Context, s model.Sound) (model.Answer, error)
	TranscriptionPrice() (model.Price, bool)
}

// Files are where sounds are kept.
type Files interface {
	Get(ref artifact.Ref) ([]byte, error)
}

// Budgets say what may be spent.
type Budgets = meter.Store

// A Conversation takes what was transcribed.
type Conversation interface {
	// Vet asks the hooks about what somebody says.
	Vet(ctx context.Context, m inbox.Message) (inbox.Message, error)
	Transcribed(ctx context.Context, by run.Run, t inbox.Transcription, sounds []session.Sound) error
}

// Options of a [Transcriber]. The zero value is the default.
type Options struct {
	CallTimeout time.Duration // of one sound; 0 means 3 minutes
	// Redact takes secrets out of what is told of a failure; nil leaves all.
	Redact func(ctx context.Context, text string) string
	Log    *slog.Logger // nil means slog.Default
}

// A Transcriber has models transcribe.
type Transcriber struct {
	models  Models
	files   Files
	budgets Budgets
	conv    Conversation
	opts    Options
}

// New returns a transcriber that tells c what was said.
func New(m Models, f Files, b Budgets, c Conversation, o Options) *Transcriber {
	o.CallTimeout = cmp.Or(o.CallTimeout, 3*time.Minute)
	if o.Redact == nil {
		o.Redact = func(_ context.Context, text string) string { return text }
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Transcriber{models: m, files: f, budgets: b, conv: c, opts: o}
}

// longest is how much of a transcript is told, in bytes. All of it is in the log.
const longest = 50_000

// Handle is the [run.Handler] of transcriptions.
func (t *Transcriber) Handle(ctx context.Context, s *run.Segment) (run.Outcome, error) {
	var in inbox.Transcription
	if err := json.Unmarshal(s.Run.Input, &in); err != nil {
		return run.Outcome{}, fmt.Errorf("read the run's input: %w", err)
	}
	sounds := make([]session.Sound, len(in.Sounds))
	var good int
	for i, sound := range in.Sounds {
		var err error
		if sounds[i], err = t.sound(ctx, s, in, fmt.Sprintf("transcribe/%d", i), sound); err != nil {
			return run.Outcome{}, err
		}
		if sounds[i].Text != "" {
			good++
		}
	}
	if err := t.conv.Transcribed(ctx, s.Run, in, sounds); err != nil {
		return run.Outcome{}, err
	}
	if good == 0 {
		why := sounds[0].Why
		return run.Outcome{State: run.Failed, Reason: why, Drafts: []event.Draft{run.ErrorKind.Draft(s.Place(run.Chela()), run.TaskError{Code: "NOT_TRANSCRIBED", Message: why})}}, nil
	}
	summary := fmt.Sprintf("%d of %d sounds were transcribed.", good, len(sounds))
	return run.Outcome{State: run.Done, Drafts: []event.Draft{run.ResultKind.Draft(s.Place(run.Chela()), run.TaskResult{Success: true, Summary: summary})}}, nil
}

// sound returns a sound with what is said in it, or why that is not known. An error says that
// somebody ended the work.
func (t *Transcriber) sound(ctx context.Context, s *run.Segment, in inbox.Transcription, key string, sound session.Sound) (session.Sound, error) {
	a, why, err := t.answer(ctx, s, key, sound)
	if err != nil {
		return sound, err
	}
	text := strings.TrimSpace(a.Text)
	if why == "" && text == "" {
		why = "nothing that is said in it can be understood."
	}
	if why == "" {
		var vetted inbox.Message
		vetted, err = t.conv.Vet(ctx, inbox.Message{Thread: in.Thread, Project: s.Run.Project, From: s.Run.By, Channel: in.Channel, Text: text})
		if text = vetted.Text; err != nil {
			if stopped := context.Cause(ctx); stopped != nil {
				return sound, stopped
			}
			why = t.told(ctx, s, err)
		}
	}
	if sound.Model = a.Provider + "/" + a.Model; a.Model == "" {
		sound.Model = ""
	}
	if sound.Why = why; why == "" {
		sound.Text = cut(text)
	}
	return sound, nil
}

// cut makes a transcript as long as it may be.
func cut(text string) string {
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + "…"
}

// answer is the recorded answer of the step, or a fresh one, which is recorded; or why there is none.
func (t *Transcriber) answer(ctx context.Context, s *run.Segment, key string, sound session.Sound) (a model.Answer, why string, err error) {
	if r := s.Recorded(key); r.Done {
		got, ok, err := agent.AnsweredKind.Open(r.Event)
		if err != nil || !ok {
			return a, "", fmt.Errorf("read step %s: %w", key, err)
		}
		return got.Answer, "", nil
	}
	a, err = t.ask(ctx, s, key, sound)
	if err != nil {
		if stopped := context.Cause(ctx); stopped != nil {
			return a, "", stopped
		}
		return a, t.told(ctx, s, err), nil
	}
	a.Text = strings.ReplaceAll(strings.ToValidUTF8(a.Text, "\uFFFD"), "\x00", "")
	a.Parts = []model.Part{{Text: a.Text}}
	at := s.Place(run.Chela())
	_, err = s.Append(ctx, run.AsStep(agent.AnsweredKind.Draft(at, agent.Answered{Agent: at.From.AgentID, Answer: a}), key, true))
	return a, "", err
}

// told is why something failed, for people.
func (t *Transcriber) told(ctx context.Context, s *run.Segment, err error) string {
	t.opts.Log.Warn("a sound was not transcribed", "run", s.Run.ID, "err", err)
	return t.opts.Redact(ctx, fault.TextOf(err))
}

// ask has the model transcribe a sound, within what may be spent.
func (t *Transcriber) ask(ctx context.Context, s *run.Segment, key string, sound session.Sound) (model.Answer, error) {
	raw, err := t.files.Get(artifact.Ref(sound.Ref))
	if err != nil {
		return model.Answer{}, err
	}
	purse := meter.Direct{Store: t.budgets, Run: s.Run.ID, Project: s.Run.Project, Agent: org.AgentID(run.Chela().AgentID)}
	var a model.Answer
	err = meter.Spend(ctx, purse, budget.Call{Step: key, Want: t.wantOf(len(raw))}, t.opts.CallTimeout, func(ctx context.Context, _ *budget.Grant) (err error) {
		fault.Point("before model call")
		ctx, end := run.Span(ctx, "transcribe", attribute.String("gen_ai.operation.name", "transcribe"), attribute.Int("chela.sound.bytes", len(raw)))
		a, err = t.models.Transcribe(ctx, model.Sound{Name: sound.Name, Type: sound.Type, Data: raw})
		end(err, attribute.String("gen_ai.provider.name", a.Provider), attribute.String("gen_ai.response.model", a.Model))
		fault.Point("after model call")
		return err
	})
	return a, err
}

// What a sound comes to, about: voice notes have this many bytes in a second, and models count this
// many tokens of it.
const (
	bytesASecond  = 2000
	tokensASecond = 32
)

// wantOf is what transcribing a sound of so many bytes may take.
func (t *Transcriber) wantOf(size int) budget.Want {
	seconds := float64(size) / bytesASecond
	want := budget.Want{Time: t.opts.CallTimeout}
	price, ok := t.models.TranscriptionPrice()
	if ok && price.Minute > 0 {
		want.USD = seconds / 60 * price.Minute
	} else {
		want.In, want.Out = int64(seconds*tokensASecond), int64(seconds*tokensASecond/4)
	}
	if ok && !price.Unpriced {
		want.USDIn, want.USDOut = price.In, price.Out
	}
	return want
}
