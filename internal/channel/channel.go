// Package channel carries conversations to and from chat platforms. A platform's folder
// (channel/telegram, …) speaks one protocol and nothing else. What is the same for all of them
// is here: who may speak ([Gate]), which conversation a message belongs to, and the ledger of
// what is sent ([Outbox]).
package channel

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"chela/internal/markup"
)

// A Kind names a platform.
type Kind string

// The platforms.
const (
	Telegram Kind = "telegram"
)

// A Platform is what a kind of channel needs and how it is opened.
type Platform struct {
	Kind     Kind
	Secrets  []Need // kept in the vault
	Settings []Need
	Open     func(Config) (Adapter, error)
}

// A Need is a value that a channel is configured with.
type Need struct {
	Name     string `json:"name"`
	Help     string `json:"help"` // a sentence: what it is and where one gets it
	Optional bool   `json:"optional,omitempty"`
	Called   bool   `json:"-"` // it is an address that we call
}

// A Config is what a channel is opened with.
type Config struct {
	Options
	Secrets map[string]string // by the name of the [Need]
	Client  *http.Client
	Log     *slog.Logger
}

// An Adapter is one account on one platform. Its methods are called by many at once.
type Adapter interface {
	// Check asks the platform who we are there. A fault.Denied says that the platform does
	// not know the credentials.
	Check(ctx context.Context) (Account, error)
	// Run receives until ctx is done: it hands every message to in, in the order of its
	// chat, and tells the platform that it has one only after [Inbox.Take] returned nil; what
	// Take refused comes again. It returns nil when ctx is done, and an error when the
	// connection broke or could not be made; the caller comes back after a while.
	Run(ctx context.Context, in Inbox) error
	// Send sends one part and returns the platform's id of it. A [*Refusal] says that the
	// platform took nothing; any other error leaves open whether it did.
	Send(ctx context.Context, o Out) (id string, err error)
	// Shape is how texts are written and cut for the platform, and how fast they may come.
	Shape() Shape
}

// A Typer shows that an answer is on its way. The platform forgets it after some seconds.
type Typer interface {
	Typing(ctx context.Context, to Address) error
}

// An Editor can change what it has sent.
type Editor interface {
	// Edit has the part id say what o says; of o, ReplyTo and File do not count. Errors are as
	// for [Adapter.Send].
	Edit(ctx context.Context, id string, o Out) error
}

// A Reader can show people that their message was read.
type Reader interface {
	Read(ctx context.Context, at Address, id string) error
}

// A Listener receives by HTTP what the platform sends to the channel's address. Whoever
// sends is not known before the listener has checked the signature; it reads no more of the
// body than the platform can send. in is as for [Adapter.Run].
type Listener interface {
	Listen(w http.ResponseWriter, r *http.Request, in Inbox)
}

// A Linker joins an account by a code that somebody shows to the platform's app.
type Linker interface {
	// Link returns nil once the account is joined, at once where it is. Until then it calls show
	// with each code; one counts until the next comes or Link returns. It returns an error when
	// there are no more codes, and when ctx is done.
	Link(ctx context.Context, show func(code string)) error
}

// An Inbox takes what a platform delivers.
type Inbox interface {
	// Take puts a message into the log. When it returns nil the message is there, now or from
	// an earlier delivery, or it is nothing that we take.
	Take(ctx context.Context, m Message) error
	// Receive puts into the log what became of a part that we sent; errors as for Take. It may
	// wait for the record of the part, so an adapter notes for itself first what it was told.
	Receive(ctx context.Context, r Receipt) error
	// Newest is the newest message of each chat that is in the log, also from earlier lives: what
	// the platform has after it may not have come. It is at most a few hundred, the newest first.
	Newest(ctx context.Context) ([]Newest, error)
	// Mark keeps where the adapter stands on the platform, for its next life: a text of its own.
	Mark(ctx context.Context, mark string) error
	// Marked is what was marked last, also in an earlier life; "" when nothing was.
	Marked(ctx context.Context) (string, error)
	// Up says that the connection stands.
	Up()
}

// Newest is the newest message of a chat that was taken.
type Newest struct {
	Address
	ID    string // the platform's
	Group bool   // others are in the chat
}

// An Account is who we are on a platform.
type Account struct {
	ID   string `json:"id"`
	Name string `json:"name"` // by which people mention us
}

// An Address is where in a platform something is said.
type Address struct {
	Chat   string `json:"chat"`             // the platform's id
	Branch string `json:"branch,omitempty"` // of a thread or topic in it
}

// A Sender is who said something, as the platform knows them.
type Sender struct {
	ID   string // never changes; what people are known by
	Name string // as the platform shows it; anybody may take it
}

// What happened, as far as it matters to us.
type What string

// The kinds of messages. Only [Said] and [Pressed] ask or decide anything: who edits, deletes,
// reacts to or forwards a text approves nothing.
const (
	Said    What = "said"
	Edited  What = "edited"  // ID is of what was edited, Text is new
	Deleted What = "deleted" // ID is of what was deleted; a platform may not say by whom
	Reacted What = "reacted" // to ReplyTo, with the sign Text; none is left when Text is empty
	Pressed What = "pressed" // a button of ours
)

// A Message is what came in.
type Message struct {
	Address
	ID      string // the platform's, of the message within its chat, or of the press or reaction
	What    What
	Sender  Sender
	Group   bool   // others are in the chat
	Called  bool   // it mentions us or replies to us; always so where nobody else is
	Text    string // without our name
	ReplyTo string // the platform's id of what it answers
	Media   []Media
	Press   string // what our button carries
	At      time.Time
}

// Media is a file in a message. Open fetches it.
type Media struct {
	Name string
	Type string // media type; "" when the platform does not say
	Size int64  // bytes; 0 when the platform does not say
	// Transcribed says that the message's text has what is said in it, as the platform heard it.
	Transcribed bool
	Open        func(ctx context.Context) (io.ReadCloser, error)
}

// A Receipt says what became of a part that the platform had taken.
type Receipt struct {
	Chat string
	ID   string // the platform's, as [Adapter.Send] returned it
	Fate Fate
	Why  string // the platform's words when it was lost
	At   time.Time
}

// Fate is what became of a part.
type Fate string

// The fates.
const (
	Taken   Fate = "taken"   // the platform has it, which nobody needs to be told
	Arrived Fate = "arrived" // at the device of whom it is for
	Seen    Fate = "seen"    // by whom it is for
	Lost    Fate = "lost"    // the platform took it and could not deliver it
)

// Out is what is sent: one part of a text, in the platform's form.
type Out struct {
	Address
	Text    string
	File    *File    // Text stands under it and may be empty
	Growing bool     // more of the text comes by [Editor.Edit]; false in the last edit
	ReplyTo string   // the platform's id of what it answers
	Buttons []Button // under the last part
	Key     string   // the same for each attempt at the same part
	Doubt   bool     // nobody knows whether an earlier attempt arrived, of this daemon or another
}

// A File is a file that is sent.
type File struct {
	Name string
	Type string // media type
	Raw  []byte
}

// A Button is something to press under a text.
type Button struct {
	Text  string
	Press string // comes back in [Message.Press], at most 64 bytes
}

// A Refusal is a platform's no to something that it was asked to send.
type Refusal struct {
	Text  string        // the platform's words
	After time.Duration // when it may be asked again; 0 when it does not say
	Final bool          // asking again is no use
}

func (r *Refusal) Error() string { return r.Text }

// A Shape is how texts are made for a platform, and how fast they may come.
type Shape struct {
	Form     markup.Form
	Limits   markup.Limits // none at all is for a platform that takes our Markdown as it is
	Chat     time.Duration // between two parts in one chat
	All      time.Duration // between two parts of the channel
	Edit     time.Duration // between two edits of one part, for an [Editor]
	Editable time.Duration // how long after it was sent a part takes edits; 0 is for ever
	Tells    bool          // another attempt at a part that is there ([Out.Doubt]) makes no second one
}

// parts is a text as it is sent.
func (s Shape) parts(text string) []string {
	if s.Limits.Max > 0 {
		return markup.Parts(text, s.Form, s.Limits)
	}
	if text == "" {
		return nil
	}
	return []string{text}
}
