package memory

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
)

// The facts about notes. They lie in the stream of their person.
var (
	NotedKind     = event.Kind[Note]{Name: "memory.noted", PayloadType: "memory.note.v1"}
	ForgottenKind = event.Kind[Forgotten]{Name: "memory.forgotten", PayloadType: "memory.note.v1"}
)

// A Note is what is remembered of one person, for them alone. Noted again, it takes the place of what it said.
type Note struct {
	ID        string        `json:"id"`
	Key       string        `json:"key"`
	Content   string        `json:"content"`
	Type      string        `json:"type,omitempty"`
	Tags      []string      `json:"tags,omitempty"`
	ExpiresAt desk.Date     `json:"expiresAt,omitempty"`
	Sources   []desk.Source `json:"sources,omitempty"`
	Outside   bool          `json:"outside,omitempty"` // who wrote it had seen what came from outside
	At        time.Time     `json:"at,omitzero"`       // when it was noted
}

// A Forgotten is the tombstone of a note.
type Forgotten struct {
	ID string `json:"id"`
}

// Check fills in the key and reports the first bad field of a note that is made now.
func (n *Note) Check(now time.Time) error {
	b := desk.MemoryBody{Scope: desk.ForAll, Key: n.Key, Content: n.Content, Type: n.Type, ExpiresAt: n.ExpiresAt}
	if err := b.Check(); err != nil {
		return err
	}
	if err := desk.Alive(&b, now); err != nil {
		return err
	}
	n.Key, n.Content = b.Key, strings.TrimSpace(n.Content)
	if len(n.Content) > maxNote {
		return fault.BadField("content", fmt.Sprintf("A note has at most %d bytes.", maxNote))
	}
	return nil
}

// maxNote is the size of the longest note, in bytes.
const maxNote = 8000

// Place is where the facts about a person's notes lie: at, in their stream.
func Place(at event.Place, person string) event.Place {
	at.Stream = event.PersonStream(person)
	return at
}

// Named is the id of the note of a key, or of a new one.
func Named(have []Note, key string, mint *event.Mint) string {
	for _, n := range have {
		if n.Key == key {
			return n.ID
		}
	}
	return mint.ID("note")
}

// notShown stands where a payload is another person's.
var notShown = json.RawMessage(`{"not_shown":"a note of somebody else"}`)

// Shown is an event as a person may see it, wherever events are shown: the notes of others are not.
func Shown(person string, e event.Event) event.Event {
	if whose := event.PersonOfStream(e.Stream); whose != "" && whose != person && strings.HasPrefix(e.Message.Type, "memory.") {
		e.Message.Payload = notShown
	}
	return e
}
