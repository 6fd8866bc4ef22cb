// Package inbox is the spine: it turns an accepted message into a run that answers
// it, or answers a command about the conversation itself. Read this file first.
package inbox

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/hook"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
)

// A Message is something a person said to us.
type Message struct {
	Thread   string // empty begins a conversation
	Begun    bool   // the thread must have a conversation already
	Run      run.ID // of the run that answers, when one is started; empty makes one up
	Project  string
	Bound    bool   // it is of a program whose key is for that project alone
	Agent    string // "agent:pm" to speak to it directly; empty for the controller
	Text     string
	Images   []string // artifact references
	Audio    []session.Audio
	From     event.Party
	Channel  string
	Chat     *session.Chat // of a platform, in which a conversation that begins is held
	Via      *session.Via  // how it came in from there
	Key      string        // of the sender, so that sending again does nothing
	Requires []string
	Prefers  []string
	Policy   *event.Policy
	Trace    *event.Trace
	Origins  []string             // where its words came from when the sender did not write them
	Kind     string               // of the run that answers, one of [session.TurnKinds]; empty is a chat
	Timeout  int                  // seconds the run may take; 0 means the engine's own limit
	Lane     run.Lane             // of the run that answers; empty is the user lane
	Client   *session.ClientTools // that the program which says it brings; it is answered by itself then

	Background bool   // who says it does not wait for the answer, and asks later how it stands
	About      string // the record on which it was said, in a comment
	Row        int    // how many messages like it, that no person said, led to it one after the other

	Queue    session.Mode // when the conversation does not say; empty is Steer
	Debounce bool         // it waits a moment for more of the same

	held       string // the event that held it until now
	transcript string // the message whose audio files it says
}

// An Accepted says what became of a message.
type Accepted struct {
	Thread  string `json:"threadId"`
	Message string `json:"messageId"`
	// Run answers the message; empty when Reply does.
	Run string `json:"runId,omitempty"`
	// Joined says that the run was under way already and takes the message in.
	Joined bool `json:"joined,omitempty"`
	// Queued says that the message waits for its turn. Run answers it then; it is empty when
	// those before it may be answered by the same.
	Queued bool `json:"queued,omitempty"`
	// Again says that the message had been accepted before.
	Again bool   `json:"again,omitempty"`
	Reply string `json:"reply,omitempty"`
}

// A Directory finds projects, threads and memories for the commands.
type Directory interface {
	ProjectByName(ctx context.Context, name string) (desk.Record, bool, error)
	Projects(ctx context.Context) ([]desk.Record, error)
	ThreadByTitle(ctx context.Context, project, title string) (desk.Record, bool, error)
	// Remembered finds memories of a project and those of all projects, the newest first; no words
	// find all.
	Remembered(ctx context.Context, project, words string, limit int) ([]desk.Record, error)
}

// Conversations reads what was said, and what waits.
type Conversations interface {
	Session(ctx context.Context, thread string) (session.Thread, error)
	Messages(ctx context.Context, thread string, after event.Seq, limit int) ([]session.Message, error)
	// Waiting are the messages that wait in a conversation, the oldest first.
	Waiting(ctx context.Context, thread string) ([]session.Waiting, error)
	// Queued are the open conversations in which messages wait; those are busy that a run answers.
	Queued(ctx context.Context) ([]session.Queue, error)
}

// A Log finds what was recorded before.
type Log interface {
	EventByID(ctx context.Context, id string) (event.Event, error)
	ByKey(ctx context.Context, sender, key string) (event.Event, error)
	event.Notifier
}

// Members knows what a sender may do, and which agents can answer.
type Members interface {
	RoleOf(ctx context.Context, from event.Party) (org.Role, error)
	Agents(ctx context.Context) ([]org.Agent, error)
}

// A Tx is what the inbox needs of a transaction beyond a run's.
type Tx interface {
	run.Tx
	Conversations() ConversationTx
}

// A ConversationTx reads conversations as a transaction sees them.
type ConversationTx interface {
	// OpenIn is a run of a thread that is not over, or "".
	OpenIn(thread string) (string, error)
	Session(thread string) (session.Thread, error)
	// Enter reads a conversation whose stream the transaction holds. It is about to append so many events to it.
	Enter(thread string, events int) (Entry, error)
	// Waiting are the messages that wait in a conversation, the oldest first.
	Waiting(thread string) ([]session.Waiting, error)
	// SaidAs is what an accepted message was said as, itself or after it waited; a fault.NotFound
	// says that it was not, or waits.
	SaidAs(thread, sender, id string) (session.Message, error)
}

// An Entry is a conversation as a transaction finds it.
type Entry struct {
	Conversation session.Thread
	Begun        bool              // there is such a conversation
	Busy         string            // the run that answers it, queued or running; "" is none
	Held         []session.Waiting // messages that wait in it, the oldest first
}

// An Inbox takes messages.
type Inbox struct {
	runs    *run.Engine
	write   func(ctx context.Context, fn func(*run.Batch, Tx) error) error
	records Store
	opts    Options
}

// A Store is what an inbox looks up.
type Store struct {
	Directory     Directory
	Conversations Conversations
	Log           Log
	Members       Members
	Runs          Runs
	Questions     Questions
	Spending      Spending
}

// Options are what only some messages need. Without Answers nothing is approved or denied, and
// without Models none is chosen.
type Options struct {
	Hooks   *hook.Hooks
	Answers Answers
	Models  Models
	Threads Threads       // nil begins none
	Slots   bool          // several nodes share the database, where slots with agents are counted: a run takes one with its message
	Left    chan<- string // is told of conversations that somebody left by /new, when it has room; nil is nobody
	Log     *slog.Logger  // nil means slog.Default
}

// Threads begins threads in the desk.
type Threads interface {
	BeginThread(ctx context.Context, by event.Party, project, title string) (desk.Record, error)
}

func (o Options) log() *slog.Logger {
	if o.Log == nil {
		return slog.Default()
	}
	return o.Log
}

// New returns an inbox over the engine's own store.
func New[T Tx](runs *run.Engine, db run.Writer[T], s Store, o Options) *Inbox {
	write := func(ctx context.Context, fn func(*run.Batch, Tx) error) error {
		return run.Write(ctx, runs, db, func(b *run.Batch, tx T) error { return fn(b, tx) })
	}
	return &Inbox{runs, write, s, o}
}

// maxText bounds one message, in bytes.
const maxText = 200_000

// Take accepts a message. When it returns, the message and what follows from it are
// on disk; the answer comes through the log.
func (in *Inbox) Take(ctx context.Context, m Message) (Accepted, error) {
	m.Text = strings.TrimSpace(m.Text)
	switch {
	case m.Text == "" && len(m.Images) == 0 && len(m.Audio) == 0:
		return Accepted{}, fault.BadField("text", "The message is empty.")
	case len(m.Text) > maxText:
		return Accepted{}, fault.New(fault.TooLarge, "The message has %d bytes; the limit is %d. Hand long texts in as an intake.", len(m.Text), maxText)
	}
	m, err := in.Vet(ctx, m)
	if err != nil {
		return Accepted{}, err
	}
	if m.Trace == nil {
		m.Trace = run.TraceOf(ctx)
	}
	answer, err := in.command(ctx, &m)
	if errors.Is(err, errAgain) {
		return in.again(ctx, m)
	}
	if err != nil {
		return Accepted{}, err
	}
	n, err := received(in.runs.Mint(), m, answer)
	if err != nil {
		return Accepted{}, err
	}
	if n, err = in.heeding(ctx, n); err != nil {
		return Accepted{}, err
	}
	var out Accepted
	err = in.write(ctx, func(b *run.Batch, tx Tx) (err error) {
		out, err = in.take(b, tx, n)
		return err
	})
	if errors.Is(err, errAgain) {
		return in.again(ctx, m)
	}
	return out, err
}

// Vet asks the hooks about a message and returns it as they leave it; a fault.Denied or
// fault.Invalid says why it may not be said. [Inbox.Take] does so itself, whoever calls
// [Inbox.Begin] does it before, outside the transaction.
func (in *Inbox) Vet(ctx context.Context, m Message) (Message, error) {
	said, err := hook.Ask(ctx, in.opts.Hooks, hook.Prompt, "", "", hook.Said{Thread: m.Thread, Project: m.Project, From: m.From.AgentID, Channel: m.Channel, Text: m.Text})
	if err != nil {
		return m, err
	}
	if m.Text = strings.TrimSpace(said.Text); m.Text == "" && len(m.Images) == 0 && len(m.Audio) == 0 || len(m.Text) > maxText {
		return m, fault.New(fault.Invalid, "A hook made a text of %d bytes of the message, which is no message.", len(m.Text))
	}
	return m, nil
}

// Begin accepts a message that no command can be inside a transaction of the caller's:
// the clock's, which records with it what the message is for.
func (in *Inbox) Begin(b *run.Batch, tx Tx, m Message) (Accepted, error) {
	n, err := received(b.Mint(), m, nil)
	if err != nil {
		return Accepted{}, err
	}
	return in.take(b, tx, n)
}

// errAgain undoes what a message began that turns out to be recorded already.
var errAgain = errors.New("the message is recorded already")

// incoming is a message with what is known before the transaction begins.
type incoming struct {
	Message
	answer        *reply       // of a command
	mode          session.Mode // what becomes of it where somebody works; empty is Steer
	heeds         bool         // the conversation says so
	mayStop       bool         // and its sender may have the work stopped
	at            event.Place
	said          event.Draft
	slots         map[string]int // how many slots agents have, where they are counted
	transcription event.Place    // of the run that transcribes its audio files; none without a run
}

func received(mint *event.Mint, m Message, answer *reply) (incoming, error) {
	if m.Run == "" {
		m.Run = run.ID(mint.ID("run"))
	}
	if m.Thread == "" {
		m.Thread = mint.ID("thr")
	}
	n := incoming{Message: m, answer: answer}
	n.at = event.Place{Stream: event.ThreadStream(m.Thread), Thread: m.Thread, Run: string(m.Run), Task: run.RootTask(m.Run), From: m.From, Trace: m.Trace}
	said := session.SaidKind.Draft(keyed(n.at, m.Key), session.Said{Message: m.Text, Images: m.Images, Audio: m.Audio, Transcript: m.transcript, Command: answer != nil, Via: m.Via, Key: m.From.Key, Held: m.held, Origins: m.Origins, About: m.About})
	said.Message.Requires, said.Message.Prefers = m.Requires, m.Prefers
	if m.Policy != nil {
		said.Message.Security = &event.Security{Policy: m.Policy}
	}
	if len(m.Audio) > 0 && m.held == "" && answer == nil {
		n.transcription = transcriptionOf(mint, m)
	}
	var err error
	n.said, err = said.Seal(mint, mint.Now())
	return n, err
}

// take records the message and starts, joins, holds or answers.
func (in *Inbox) take(b *run.Batch, tx Tx, n incoming) (Accepted, error) {
	found, err := enter(tx, n.Thread)
	if err != nil {
		return Accepted{}, err
	}
	busy, held, live := found.Busy, found.Held, found.Conversation
	out := Accepted{Thread: n.Thread}
	var drafts []event.Draft
	switch {
	case !found.Begun && n.Begun:
		return out, fault.New(fault.NotFound, "The conversation %s does not exist.", n.Thread)
	case !found.Begun:
		live = session.Thread{ID: n.Thread, Project: n.Project, Agent: n.Agent}
		opened := session.Opened{Project: n.Project, Agent: n.Agent, Channel: n.Channel, Title: n.title(), Person: n.From.AgentID, Chat: n.Chat}
		if live.Title = opened.Title; n.answer != nil || n.awaitsTranscript() {
			opened.Title = "" // the first that is said to an agent names it
		}
		drafts = append(drafts, session.OpenedKind.Draft(n.at, opened))
	case n.Chat != nil && (live.Chat == nil || *live.Chat != *n.Chat): // it goes on where it is spoken in
		drafts = append(drafts, session.ChangedKind.Draft(n.at, session.Changed{Chat: n.Chat}))
	}
	if live.Removed {
		return out, removed(n.Thread, fault.Conflict)
	}
	if live.Closed {
		return out, closed(n.Thread)
	}
	n.mode = n.modeIn(live)
	if n.holds(busy, held) {
		if _, err := b.Append(drafts...); err != nil {
			return out, err
		}
		if out.Queued = true; n.mode == session.Followup || len(held) == 0 {
			out.Run = string(n.Run)
		} else {
			out.Reply = "The message waits, and is answered with those before it."
		}
		return out, in.hold(b, n, live.Project, busy, held, &out)
	}
	return in.say(b, tx, n, live, drafts, busy)
}

// say records a message, and starts, joins or answers.
func (in *Inbox) say(b *run.Batch, tx Tx, n incoming, live session.Thread, drafts []event.Draft, busy string) (Accepted, error) {
	out := Accepted{Thread: n.Thread}
	recorded, err := b.Append(append(drafts, n.said)...)
	if err != nil {
		return out, err
	}
	if len(recorded) == len(drafts) {
		return out, errAgain
	}
	out.Message = recorded[len(recorded)-1].Message.ID
	if n.answer != nil {
		return out, in.answer(b, n.at, n.answer, &out)
	}
	if err := in.transcribe(b, n, live.Project, out.Message); err != nil {
		return out, err
	}
	if live.Title == "" {
		named := n.title()
		if _, err := b.Append(session.ChangedKind.Draft(n.at, session.Changed{Title: &named})); err != nil {
			return out, err
		}
	}
	if busy != "" && n.mode == session.Interrupt {
		if err := b.Cancel(run.ID(busy), n.From, "A new message stopped it."); err != nil {
			return out, err
		}
		busy = ""
	}
	if busy != "" {
		out.Run, out.Joined = busy, true
		return out, nil
	}
	out.Run = string(n.Run)
	return out, in.start(b, n, live, out.Message)
}

func closed(thread string) error {
	return fault.New(fault.Conflict, "The conversation %s is closed. Reopen it with `chela session reopen %s`, or say it in a new one.", thread, thread)
}

func keyed(at event.Place, key string) event.Place {
	at.Key = key
	return at
}

// start queues the run that answers.
func (in *Inbox) start(b *run.Batch, m incoming, live session.Thread, message string) error {
	input, err := json.Marshal(session.TurnInput{Message: message, Policy: m.Policy, Requires: m.Requires, Prefers: m.Prefers, Client: m.Client, Background: m.Background, Row: m.Row, About: m.About})
	if err != nil {
		return fmt.Errorf("encode input: %w", err)
	}
	agent := m.Agent
	if agent == "" {
		agent = live.Agent
	}
	to := event.Party{AgentID: "agent:controller"}
	if agent != "" {
		to.AgentID = agent
	}
	at := m.at
	at.To = []event.Party{to}
	request := run.RequestKind.Draft(at, run.TaskRequest{Title: m.title()})
	if err := b.Start(run.Spec{
		ID: m.Run, Thread: at.Thread, Project: live.Project, Kind: cmp.Or(m.Kind, session.ChatRun), Lane: m.Lane, Agent: agent, Title: m.title(), Input: input, By: m.From, Timeout: m.Timeout, Trace: at.Trace,
	}, request); err != nil || m.slots[agent] == 0 {
		return err
	}
	return b.Claims().AssignSlot(m.Run, agent, m.slots[agent])
}

// answer records what a command says, and what it changes.
func (in *Inbox) answer(b *run.Batch, at event.Place, r *reply, out *Accepted) error {
	at.From = run.Chela()
	out.Reply = r.text
	drafts := []event.Draft{session.NoticeKind.Draft(at, session.Notice{Message: r.text})}
	if r.changed != (session.Changed{}) {
		drafts = append(drafts, session.ChangedKind.Draft(at, r.changed))
	}
	_, err := b.Append(drafts...)
	return err
}

// again finds what became of a message that was accepted before.
func (in *Inbox) again(ctx context.Context, m Message) (Accepted, error) {
	e, err := in.records.Log.ByKey(ctx, m.From.AgentID, m.Key)
	if err != nil {
		return Accepted{}, err
	}
	out := Accepted{Thread: e.Message.ThreadID, Message: e.Message.ID, Run: e.Message.RunID, Again: true}
	out.Queued = e.Message.Type == session.HeldKind.Name
	said, ok, err := session.SaidKind.Open(e)
	if err != nil || !ok || !said.Command {
		return out, err
	}
	out.Run = "" // a command's answer is recorded with it
	after, err := in.records.Conversations.Messages(ctx, out.Thread, e.Seq, 1)
	if err == nil && len(after) == 1 {
		out.Reply = after[0].Message
	}
	return out, err
}
