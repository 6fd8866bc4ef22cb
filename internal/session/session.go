// Package session holds conversations: who speaks in which thread, what was said,
// and how much of it a model is shown. Messages are events; [Thread] and [Message]
// are how people see them. What was learnt in a thread lies in desk.
package session

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"chela/internal/event"
	"chela/internal/fault"
)

// The facts of this package.
var (
	OpenedKind  = event.Kind[Opened]{Name: "session.opened", PayloadType: "session.opened.v1"}
	ChangedKind = event.Kind[Changed]{Name: "session.changed", PayloadType: "session.changed.v1"}
	// ClosedKind and ReopenedKind record that nothing more is said in a conversation, and that it
	// goes on.
	ClosedKind   = event.Kind[Moved]{Name: "session.closed", PayloadType: "session.closed.v1"}
	ReopenedKind = event.Kind[Moved]{Name: "session.reopened", PayloadType: "session.reopened.v1"}
	// RemovedKind and RestoredKind record that a conversation is shown nowhere any more and closed with that, and that it is
	// again as it was.
	RemovedKind  = event.Kind[Moved]{Name: "session.removed", PayloadType: "session.removed.v1"}
	RestoredKind = event.Kind[Moved]{Name: "session.restored", PayloadType: "session.restored.v1"}
	// ReadKind records how far its sender has read a conversation; it lies in that person's stream.
	ReadKind = event.Kind[Read]{Name: "session.read", PayloadType: "session.read.v1"}

	SaidKind   = event.Kind[Said]{Name: event.ChatMessage}
	NoticeKind = event.Kind[Notice]{Name: event.ChatSystem}
)

// Opened records that a conversation began.
type Opened struct {
	Project    string    `json:"project,omitempty"`
	Agent      string    `json:"agent,omitempty"` // spoken to directly, without a controller
	Channel    string    `json:"channel"`         // "page", "api", …
	Title      string    `json:"title"`
	Person     string    `json:"person"`
	ForkedFrom string    `json:"forked_from,omitempty"` // a thread whose messages up to ForkedSeq come before this one's
	ForkedSeq  event.Seq `json:"forked_seq,omitempty"`
	Chat       *Chat     `json:"chat,omitempty"` // of a platform, in which it is held
}

// A Chat is where on a chat platform a conversation is held.
type Chat struct {
	Channel string `json:"channel"`          // the name of the configured one
	Chat    string `json:"chat"`             // the platform's id
	Branch  string `json:"branch,omitempty"` // of a thread or topic in it
}

// Via is how a message came in from a chat platform.
type Via struct {
	Message string `json:"message"` // the platform's id, in its chat
	Sender  string `json:"sender"`  // the platform's id of who said it
	Name    string `json:"name,omitempty"`
	ReplyTo string `json:"reply_to,omitempty"` // the platform's id of the message that it answers
	Group   bool   `json:"group,omitempty"`    // others are in the chat
}

// Changed records what is different from now on; nil fields stay.
type Changed struct {
	Project *string `json:"project,omitempty"`
	Agent   *string `json:"agent,omitempty"`
	Title   *string `json:"title,omitempty"`
	Model   *string `json:"model,omitempty"` // that all calls of this conversation ask; empty for each agent's own
	Queue   *Mode   `json:"queue,omitempty"` // what becomes of messages that come while an agent works; empty for the channel's
	Chat    *Chat   `json:"chat,omitempty"`  // of a platform, in which it goes on
}

// Moved records that a conversation was closed or removed, or goes on.
type Moved struct {
	Reason string `json:"reason,omitempty"`
}

// Read records that everything up to a message was read.
type Read struct {
	Thread string    `json:"thread"`
	Seq    event.Seq `json:"seq"`
}

// Said is the payload of chat.message.
type Said struct {
	Message string   `json:"message"`
	Images  []string `json:"images,omitempty"` // artifact references
	Files   []File   `json:"files,omitempty"`  // that an agent sends with it
	Audio   []Audio  `json:"audio,omitempty"`  // that came with it
	// Transcript is the id of the message whose audio files it says.
	Transcript string `json:"transcript,omitempty"`
	// Confirmed is false on an answer that its last review refused, with the
	// reviewer's reason in Review.
	Confirmed *bool  `json:"confirmed,omitempty"`
	Review    string `json:"review,omitempty"`
	// Command says that it was answered without a model; no model is shown it.
	Command bool `json:"command,omitempty"`
	// Broken says that the answer's stream broke and this is what came of it.
	Broken bool `json:"broken,omitempty"`
	// Origins names where the data came from that the agent had seen when it said this.
	Origins []string `json:"origins,omitempty"`
	Via     *Via     `json:"via,omitempty"`
	// Edited, Deleted and Reactions are what became of it since.
	Edited    bool       `json:"edited,omitempty"`
	Deleted   bool       `json:"deleted,omitempty"`
	Reactions []Reaction `json:"reactions,omitempty"`
	// Key is the id of the key by which a program sent it.
	Key string `json:"key,omitempty"`
	// Held is the id of the event that held it until its turn came.
	Held string `json:"held,omitempty"`
	// About is the record on which it was said, in a comment.
	About string `json:"about,omitempty"`
}

// DecodeSaid reads what was said as the log has it. Most messages are nothing but their words, and a conversation is read in each of
// its turns: those words are cut out.
func DecodeSaid(raw string) (s Said, err error) {
	if words, ok := strings.CutPrefix(raw, `{"message":"`); ok {
		if words, ok = strings.CutSuffix(words, `"}`); ok && !strings.ContainsFunc(words, escaped) && utf8.ValidString(words) {
			return Said{Message: words}, nil
		}
	}
	err = json.Unmarshal([]byte(raw), &s)
	return s, err
}

// escaped reports whether JSON writes a character otherwise than it is.
func escaped(r rune) bool { return r == '"' || r == '\\' || r < ' ' }

// A File is a file that goes with a message.
type File struct {
	Ref  string `json:"ref" doc:"the artifact"`
	Name string `json:"name"`
	Type string `json:"type" doc:"media type"`
	Size int    `json:"size" doc:"bytes"`
}

// Notice is the payload of chat.system.
type Notice struct {
	Message string `json:"message"`
}

// A Role says who spoke.
type Role string

// The roles of a message.
const (
	FromPerson Role = "person"
	FromAgent  Role = "agent"
	FromSystem Role = "system"
	// Commanded is what a person said about the conversation itself.
	Commanded Role = "command"
)

// A Thread is a conversation as people see it.
type Thread struct {
	ID         string    `json:"id"`
	Project    string    `json:"project,omitempty"`
	Agent      string    `json:"agent,omitempty"`
	Model      string    `json:"model,omitempty" doc:"that all calls of this conversation ask; each agent's own when empty"`
	Queue      Mode      `json:"queue,omitempty" doc:"what becomes of messages that come while an agent works; as the channel says when empty, else steer"`
	Channel    string    `json:"channel"`
	Title      string    `json:"title"`
	Person     string    `json:"person"`
	ForkedFrom string    `json:"forked_from,omitempty"`
	ForkedSeq  event.Seq `json:"forked_seq,omitempty"`
	Messages   int       `json:"messages"`
	Chat       *Chat     `json:"chat,omitempty"`    // of a platform, in which it is held
	Closed     bool      `json:"closed,omitempty"`  // nothing is said in it until it is reopened
	Removed    bool      `json:"removed,omitempty"` // it is shown nowhere until it is restored
	CreatedAt  time.Time `json:"created_at"`
	UpdatedAt  time.Time `json:"updated_at"`
}

// A View is a conversation as one person sees it. Unread counts what others said since; a
// conversation that somebody else began counts from the first time that it was read.
type View struct {
	Thread
	Read   event.Seq `json:"read" doc:"the position up to which it was read; 0 for never"`
	Unread int       `json:"unread" doc:"messages of others past that"`
}

// A Message is one thing said.
type Message struct {
	Seq    event.Seq `json:"seq"`
	ID     string    `json:"id"`
	Thread string    `json:"thread"`
	Run    string    `json:"run"`
	Role   Role      `json:"role"`
	Actor  string    `json:"actor"`
	Said             // a system notice has only Message
	At     time.Time `json:"at"`
}

// By is who said the message, with the key of the program that said it for them.
func (m Message) By() event.Party {
	return event.Party{AgentID: m.Actor, Role: "person", Key: m.Key}
}

// mostTitle is how many characters a title that is given has at most.
const mostTitle = 200

// CheckTitle returns a title as it is kept, without blanks around it, or says that it is none.
func CheckTitle(title string) (string, error) {
	title = strings.TrimSpace(title)
	if n := utf8.RuneCountInString(title); n == 0 || n > mostTitle || strings.ContainsAny(title, "\r\n\u2028\u2029") {
		return "", fault.BadField("title", "A conversation is called by one line of 1 to 200 characters.")
	}
	return title, nil
}

// TitleOf is the first line of a text, short: what a conversation that begins with it is called.
func TitleOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if r := []rune(line); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return line
}
