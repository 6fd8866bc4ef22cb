package session

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/event"
)

// TranscribedKind records what became of the audio files of a message: of each what is said in it, or
// why that is not known.
var TranscribedKind = event.Kind[Transcribed]{Name: "session.transcribed", PayloadType: "session.transcribed.v1"}

// Transcribed is the payload of session.transcribed.
type Transcribed struct {
	Message string `json:"message"` // the id of the event that took the message
	// Said is the id of the event that said it, when it could not wait: then a message of its own
	// says what is in the audio files.
	Said  string  `json:"said,omitempty"`
	Audio []Audio `json:"audio"`
}

// An Audio is an audio file that came with a message. While Text and Why are empty it is being
// transcribed.
type Audio struct {
	File
	Text  string `json:"text,omitempty" doc:"what is said in it"`
	Why   string `json:"why,omitempty" doc:"why that is not known"`
	Model string `json:"model,omitempty" doc:"that transcribed it"`
	Below bool   `json:"below,omitempty" doc:"a message of its own says what is in it"`
}

// Settled reports whether it is known what became of the audio file.
func (s Audio) Settled() bool { return s.Text != "" || s.Why != "" }

// Words is what a model is shown of the audio file.
func (s Audio) Words() string {
	switch {
	case s.Text != "":
		return fmt.Sprintf("[Transcript of %s: %s]", s.Name, s.Text)
	case s.Why != "":
		return fmt.Sprintf("[The audio file %s (%s, %d bytes) is kept as %s. It could not be transcribed: %s Say so when it matters.]", s.Name, s.Type, s.Size, s.Ref, s.Why)
	}
	return fmt.Sprintf("[The audio file %s (%s, %d bytes) came with this message and is kept as %s. It is being transcribed: what is said in it follows when it is ready.]", s.Name, s.Type, s.Size, s.Ref)
}

// TranscriptOf is what a message says whose audio files were transcribed after it was said.
func TranscriptOf(audio []Audio) string {
	var lines []string
	for _, s := range audio {
		lines = append(lines, s.Words())
	}
	return strings.Join(lines, "\n")
}

// patience is how long a message that only its audio files say something in waits for what is in them.
const patience = 20 * time.Second

// AwaitsTranscript reports whether a message is to wait until its audio files are transcribed: nothing else in it says
// anything but lines in brackets, which platforms put beside what people wrote.
func AwaitsTranscript(text string, audio []Audio) bool {
	return slices.ContainsFunc(audio, func(s Audio) bool { return !s.Settled() }) && Wordless(text)
}

// Wordless reports whether a text has nothing but such lines.
func Wordless(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && (!strings.HasPrefix(line, "[") || !strings.HasSuffix(line, "]")) {
			return false
		}
	}
	return true
}

// Until is how long such a message waits that comes now.
func Until(now time.Time) time.Time { return now.Add(patience) }
