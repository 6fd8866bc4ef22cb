package session

import (
	"fmt"
	"slices"
	"strings"

	"chela/internal/event"
)

// The facts about messages that people changed afterwards, or reacted to. The log keeps what was
// said; nobody is asked again, and nothing is approved by it.
var (
	EditedKind  = event.Kind[Edited]{Name: "session.edited", PayloadType: "session.edited.v1"}
	DeletedKind = event.Kind[Deleted]{Name: "session.deleted", PayloadType: "session.deleted.v1"}
	ReactedKind = event.Kind[Reacted]{Name: "session.reacted", PayloadType: "session.reacted.v1"}
)

// Edited says what a message says now.
type Edited struct {
	Message string `json:"message"` // the id of the event that said it
	Text    string `json:"text"`
}

// Deleted says that its sender took a message back.
type Deleted struct {
	Message string `json:"message"`
}

// Reacted says what its sender thinks of a message, by a sign; an empty one takes it back.
type Reacted struct {
	Message string `json:"message"`
	Sign    string `json:"sign,omitempty"`
}

// A Reaction is what somebody thinks of a message.
type Reaction struct {
	By   string `json:"by"`
	Sign string `json:"sign"`
}

// Words is what a model is shown of a message.
func (s Said) Words() string {
	switch {
	case s.Deleted:
		return "[Its sender took this message back.]"
	case s.Edited:
		return strings.TrimSpace(s.Message + "\n[Its sender changed this message later.]\n" + TranscriptOf(s.Audio))
	}
	text := strings.TrimSpace(s.Message + "\n" + TranscriptOf(s.Audio))
	for _, f := range s.Files {
		text = strings.TrimSpace(fmt.Sprintf("%s\n[The file %s was sent, %d bytes.]", text, f.Name, f.Size))
	}
	return text
}

// Revise returns a message as it is after an edit, a deletion or a reaction, or after its audio files were
// heard.
func (s Said) Revise(e event.Event) (Said, error) {
	if p, ok, err := EditedKind.Open(e); ok || err != nil {
		s.Message, s.Edited = p.Text, true
		return s, err
	}
	if p, ok, err := ReactedKind.Open(e); ok || err != nil {
		by := e.Message.From.AgentID
		s.Reactions = slices.DeleteFunc(slices.Clone(s.Reactions), func(r Reaction) bool { return r.By == by })
		if p.Sign != "" {
			s.Reactions = append(s.Reactions, Reaction{by, p.Sign})
		}
		return s, err
	}
	if _, ok, err := TranscribedKind.Open(e); ok || err != nil {
		s.Audio = slices.Clone(s.Audio)
		for i := range s.Audio {
			s.Audio[i].Below = true
		}
		return s, err
	}
	s.Message, s.Images, s.Audio, s.Deleted = "", nil, nil, true
	return s, nil
}
