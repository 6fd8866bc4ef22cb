package inbox

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
	"chela/internal/session"
)

// TranscriptionKind is the kind of run that transcribes the audio files of a message; the package
// transcription handles it. It has a thread of its own, so that it holds up nobody in the
// conversation.
const TranscriptionKind = "transcription"

// A Transcription is what such a run is started with.
type Transcription struct {
	Thread  string          `json:"thread"`     // of the conversation
	Message string          `json:"message_id"` // of the event that took the message
	Audio   []session.Audio `json:"audio"`
	Via     *session.Via    `json:"via,omitempty"`
	Channel string          `json:"channel,omitempty"`
	Queue   session.Mode    `json:"queue,omitempty"` // when the conversation does not say
}

// title is what a run or a conversation is called that begins with m: when it says nothing itself,
// by what is said in its audio files.
func (m Message) title() string {
	if session.Wordless(m.Text) {
		for _, s := range m.Audio {
			if s.Text != "" {
				return session.TitleOf(s.Text)
			}
		}
	}
	if m.Text == "" && len(m.Audio) > 0 {
		return session.TitleOf(m.Audio[0].Name)
	}
	return session.TitleOf(m.Text)
}

// awaitsTranscript reports whether a message waits until its audio files are transcribed.
func (n incoming) awaitsTranscript() bool {
	return n.held == "" && session.AwaitsTranscript(n.Text, n.Audio)
}

// transcriptionOf is where the run that transcribes a message is recorded.
func transcriptionOf(mint *event.Mint, m Message) event.Place {
	id, thread := run.ID(mint.ID("run")), mint.ID("thr")
	return event.Place{Stream: event.ThreadStream(thread), Thread: thread, Run: string(id), Task: run.RootTask(id), From: m.From, To: []event.Party{run.Chela()}, Trace: m.Trace}
}

// transcribe starts the run that transcribes the audio files of a message, beside its answer.
func (in *Inbox) transcribe(b *run.Batch, n incoming, project, message string) error {
	if n.transcription.Run == "" {
		return nil
	}
	input, err := json.Marshal(Transcription{n.Thread, message, n.Audio, n.Via, n.Channel, n.Queue})
	if err != nil {
		return fmt.Errorf("encode input: %w", err)
	}
	title := "Transcribe " + n.Audio[0].Name
	return b.Start(run.Spec{
		ID: run.ID(n.transcription.Run), Thread: n.transcription.Thread, Project: project, Kind: TranscriptionKind, Lane: run.TranscriptionLane, Title: title, Input: input, By: n.From, Trace: n.Trace,
	}, run.RequestKind.Draft(n.transcription, run.TaskRequest{Title: title}))
}

// Transcribed records what became of the audio files of a message, once, and has the agents know: in the
// message, if it waits, else in one of its own from the same sender. A message that was taken back
// or dropped meanwhile is not answered.
func (in *Inbox) Transcribed(ctx context.Context, by run.Run, t Transcription, audio []session.Audio) error {
	m := Message{Thread: t.Thread, Begun: true, Text: session.TranscriptOf(audio), From: by.By, Via: t.Via, Queue: t.Queue, Trace: by.Trace, transcript: t.Message}
	n, err := received(in.runs.Mint(), m, nil)
	if err != nil {
		return err
	}
	if n, err = in.heeding(ctx, n); err != nil {
		return err
	}
	at := event.Place{Stream: event.ThreadStream(t.Thread), Thread: t.Thread, Run: string(by.ID), Task: run.RootTask(by.ID), From: run.Chela(), Trace: by.Trace, Key: "transcribed:" + t.Message}
	return in.write(ctx, func(b *run.Batch, tx Tx) error {
		tx.Hold(event.ThreadStream(t.Thread))
		held, err := tx.Conversations().Waiting(t.Thread)
		if err != nil {
			return err
		}
		p := session.Transcribed{Message: t.Message, Audio: audio}
		if !slices.ContainsFunc(held, func(w session.Waiting) bool { return w.ID == t.Message }) {
			said, err := tx.Conversations().SaidAs(t.Thread, by.By.AgentID, t.Message)
			if err != nil && fault.KindOf(err) != fault.NotFound {
				return err
			}
			live, lost := tx.Conversations().Session(t.Thread)
			if lost != nil {
				return lost
			}
			if err == nil && !said.Deleted && !live.Closed {
				p.Said = said.ID
			}
		}
		recorded, err := b.Append(session.TranscribedKind.Draft(at, p))
		if err != nil || len(recorded) == 0 || p.Said == "" {
			return err
		}
		_, err = in.take(b, tx, n)
		return err
	})
}
