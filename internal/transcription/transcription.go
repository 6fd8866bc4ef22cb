// Package transcription transcribes the audio files that people send. Each message with audio files has a
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
	Transcribe(ctx context.Context, s model.Audio) (model.Answer, error)
	TranscriptionPrice() (model.Price, bool)
}

// Files are where audio files are kept.
type Files interface {
	Get(ref artifact.Ref) ([]byte, error)
}

// Budgets say what may be spent.
type Budgets = meter.Store

// A Conversation takes what was transcribed.
type Conversation interface {
	// Vet asks the hooks about what somebody says.
	Vet(ctx context.Context, m inbox.Message) (inbox.Message, error)
	Transcribed(ctx context.Context, by run.Run, t inbox.Transcription, audio []session.Audio) error
}

// Options of a [Transcriber]. The zero value is the default.
type Options struct {
	CallTimeout time.Duration // of one audio file; 0 means 3 minutes
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
	heard := make([]session.Audio, len(in.Audio))
	var good int
	for i, file := range in.Audio {
		var err error
		if heard[i], err = t.transcript(ctx, s, in, fmt.Sprintf("transcribe/%d", i), file); err != nil {
			return run.Outcome{}, err
		}
		if heard[i].Text != "" {
			good++
		}
	}
	if err := t.conv.Transcribed(ctx, s.Run, in, heard); err != nil {
		return run.Outcome{}, err
	}
	if good == 0 {
		why := heard[0].Why
		return run.Outcome{State: run.Failed, Reason: why, Drafts: []event.Draft{run.ErrorKind.Draft(s.Place(run.Chela()), run.TaskError{Code: "NOT_TRANSCRIBED", Message: why})}}, nil
	}
	summary := fmt.Sprintf("%d of %d audio files were transcribed.", good, len(heard))
	return run.Outcome{State: run.Done, Drafts: []event.Draft{run.ResultKind.Draft(s.Place(run.Chela()), run.TaskResult{Success: true, Summary: summary})}}, nil
}

// transcript returns an audio file with what is said in it, or why that is not known. An error says that
// somebody ended the work.
func (t *Transcriber) transcript(ctx context.Context, s *run.Segment, in inbox.Transcription, key string, audio session.Audio) (session.Audio, error) {
	a, why, err := t.answer(ctx, s, key, audio)
	if err != nil {
		return audio, err
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
				return audio, stopped
			}
			why = t.told(ctx, s, err)
		}
	}
	if audio.Model = a.Provider + "/" + a.Model; a.Model == "" {
		audio.Model = ""
	}
	if audio.Why = why; why == "" {
		audio.Text = cut(text)
	}
	return audio, nil
}

// cut makes a transcript as long as it may be.
func cut(text string) string {
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + "…"
}

// answer is the recorded answer of the step, or a fresh one, which is recorded; or why there is none.
func (t *Transcriber) answer(ctx context.Context, s *run.Segment, key string, audio session.Audio) (a model.Answer, why string, err error) {
	if r := s.Recorded(key); r.Done {
		got, ok, err := agent.AnsweredKind.Open(r.Event)
		if err != nil || !ok {
			return a, "", fmt.Errorf("read step %s: %w", key, err)
		}
		return got.Answer, "", nil
	}
	a, err = t.ask(ctx, s, key, audio)
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
	t.opts.Log.Warn("an audio file was not transcribed", "run", s.Run.ID, "err", err)
	return t.opts.Redact(ctx, fault.TextOf(err))
}

// ask has the model transcribe an audio file, within what may be spent.
func (t *Transcriber) ask(ctx context.Context, s *run.Segment, key string, audio session.Audio) (model.Answer, error) {
	raw, err := t.files.Get(artifact.Ref(audio.Ref))
	if err != nil {
		return model.Answer{}, err
	}
	purse := meter.Direct{Store: t.budgets, Run: s.Run.ID, Payer: budget.Payer{Project: s.Run.Project, Agent: org.AgentID(run.Chela().AgentID), Key: s.Run.By.Key}}
	var a model.Answer
	err = meter.Spend(ctx, purse, budget.Call{Step: key, Want: t.wantOf(len(raw))}, t.opts.CallTimeout, func(ctx context.Context, _ *budget.Grant) (err error) {
		fault.Point("before model call")
		ctx, end := run.Span(ctx, "transcribe", attribute.String("gen_ai.operation.name", "transcribe"), attribute.Int("chela.audio.bytes", len(raw)))
		a, err = t.models.Transcribe(ctx, model.Audio{Name: audio.Name, Type: audio.Type, Data: raw})
		end(err, attribute.String("gen_ai.provider.name", a.Provider), attribute.String("gen_ai.response.model", a.Model))
		fault.Point("after model call")
		return err
	})
	return a, err
}

// What an audio file comes to, about: voice notes have this many bytes in a second, and models count this
// many tokens of it.
const (
	bytesASecond  = 2000
	tokensASecond = 32
)

// wantOf is what transcribing an audio file of so many bytes may take.
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
