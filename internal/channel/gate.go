package channel

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"chela/internal/approval"
	"chela/internal/artifact"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/inbox"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
)

// A Store is what channels read and record.
type Store struct {
	Log           Log
	Outbox        Outbox
	Platforms     Platforms
	Chats         Chats
	People        People
	Agents        Agents
	Conversations Conversations
	Questions     approval.Reader
	Runs          Runs
	Nodes         Nodes
}

// A Log is where channels record.
type Log interface {
	Mint() *event.Mint
	Append(ctx context.Context, drafts ...event.Draft) ([]event.Event, error)
	EventByID(ctx context.Context, id string) (event.Event, error)
	ByKey(ctx context.Context, sender, key string) (event.Event, error)
	event.Notifier
}

// An Outbox is what is to be sent.
type Outbox interface {
	Deliveries(ctx context.Context, f Filter) ([]Delivery, error)
	Delivery(ctx context.Context, id string) (Delivery, error)
	// Due are the deliveries of a channel that come next: of each chat the oldest that is open.
	Due(ctx context.Context, channel string) ([]Delivery, error)
	// PartOf finds a part that was sent by the platform's id; fault.NotFound when it is none of ours.
	PartOf(ctx context.Context, channel, chat, id string) (delivery string, part int, err error)
	// InDoubt reports whether a part may be in a chat of which that is not recorded: one is under way,
	// or was when a daemon died, or nobody knows what became of the attempt before the next.
	InDoubt(ctx context.Context, channel, chat string) (bool, error)
	// AnswerTo is the platform's id of the message that a run answers in a conversation, "" when
	// it came from elsewhere.
	AnswerTo(ctx context.Context, run, thread string) (string, error)
	// Draft is how things stand with a text that grows.
	Draft(ctx context.Context, run, channel string, at Address) (Draft, error)
}

// Platforms are the channels as they were set up, and who asks to be paired in them.
type Platforms interface {
	Channels(ctx context.Context) ([]Options, error)
	// PairingRequests are those whose code still counts.
	PairingRequests(ctx context.Context, now time.Time) ([]PairingRequest, error)
	// RequestPairing records a pairing request unless one of the same sender still counts or enough do.
	RequestPairing(ctx context.Context, k PairingRequest, most int, draft event.Draft) (recorded bool, err error)
	// Mark keeps where the adapter of a channel stands, see [Inbox.Mark].
	Mark(ctx context.Context, channel, mark string) error
	// MarkOf is what was marked last, "" when nothing was.
	MarkOf(ctx context.Context, channel string) (string, error)
}

// Chats are the places where conversations are held.
type Chats interface {
	// ChatThread is the open conversation that was begun or taken up last in a chat; fault.NotFound when there is none.
	ChatThread(ctx context.Context, at session.Chat) (session.Thread, error)
	// NewestOf are the newest messages of the chats of a channel, see [Inbox.Newest].
	NewestOf(ctx context.Context, channel string) ([]Newest, error)
}

// People are the members of the organization.
type People interface {
	Persons(ctx context.Context) ([]org.Person, error)
	// PersonOf returns who has an identity; a fault.NotFound when nobody does.
	PersonOf(ctx context.Context, identity string) (org.Person, error)
}

// Agents knows who can be spoken to.
type Agents interface {
	Agent(ctx context.Context, id org.AgentID) (org.Agent, error)
}

// Conversations reads what was said.
type Conversations interface {
	Session(ctx context.Context, thread string) (session.Thread, error)
	LastMessages(ctx context.Context, thread string, upTo event.Seq, limit int) ([]session.Message, error)
}

// Runs are the runs and how they end.
type Runs interface {
	Run(ctx context.Context, id run.ID) (run.Run, error)
	// Settled returns a channel that receives how a run ended or that it waits, and a function that ends it.
	Settled(id run.ID) (<-chan run.Finished, func())
}

// Nodes are the daemons that share the database, with the last beat of each.
type Nodes interface {
	Nodes(ctx context.Context) (map[string]time.Time, error)
}

// A Taker accepts messages.
type Taker interface {
	Take(ctx context.Context, m inbox.Message) (inbox.Accepted, error)
}

// Answers takes what a member decides; see [approval.Decider].
type Answers interface {
	Decide(ctx context.Context, by approval.Approver, a approval.Answer) error
}

// A Gate lets what members say into the log, and strangers no further than the door.
type Gate struct {
	store       Store
	inbox       Taker
	files       *artifact.Files
	answers     Answers
	transcribes func() bool
	log         *slog.Logger
	early       early

	mu    sync.Mutex // guards the rest
	chats map[session.Chat]*turn
	last  map[speaker]saying // what was said in the last seconds
}

// A turn is whose message of a chat is being taken, and how many wait.
type turn struct {
	sync.Mutex
	waits int
}

// enter lets one message of a chat in after the other, so that a conversation is begun once.
func (g *Gate) enter(at session.Chat) (leave func()) {
	g.mu.Lock()
	t := g.chats[at]
	if t == nil {
		t = new(turn)
		g.chats[at] = t
	}
	t.waits++
	g.mu.Unlock()
	t.Lock()
	return func() {
		t.Unlock()
		g.mu.Lock()
		defer g.mu.Unlock()
		if t.waits--; t.waits == 0 {
			delete(g.chats, at)
		}
	}
}

// Take implements what [Inbox.Take] promises for one channel. It returns the run that works on
// an answer, "" when none does.
func (g *Gate) Take(ctx context.Context, o Options, m Message) (run.ID, error) {
	m.Text = clean(m.Text)
	switch {
	case !m.whole():
		g.log.Warn("a message without chat, sender or id is left out", "channel", o.Name)
		return "", nil
	case m.What == Edited, m.What == Deleted, m.What == Reacted:
		return "", g.revise(ctx, o, m)
	case m.What != Said && m.What != Pressed, !o.hears(m):
		return "", nil
	}
	defer g.enter(session.Chat{Channel: o.Name, Chat: m.Chat, Branch: m.Branch})()
	who, ok, err := g.member(ctx, o, m.Sender)
	if err != nil {
		return "", err
	}
	switch {
	case !ok:
		return "", g.requestPairing(ctx, o, m)
	case m.What == Pressed:
		return "", g.press(ctx, o, m, who)
	}
	if g.echoes(o, m) {
		g.log.Info("a message that says again what was just said is left out", "channel", o.Name, "chat", m.Chat, "message", m.ID)
		return "", nil
	}
	then, revised := g.early.take(o, m, g.store.Log.Mint().Now())
	if revised && then.What == Deleted {
		g.log.Info("a message that was deleted before it came is left out", "channel", o.Name, "chat", m.Chat, "message", m.ID)
		return "", nil
	}
	id, err := g.said(ctx, o, m, who)
	if err != nil {
		g.forget(o, m)
	}
	if err == nil && !revised {
		then, revised = g.early.take(o, m, g.store.Log.Mint().Now()) // it came meanwhile
	}
	switch {
	case err == nil && revised:
		err = g.revise(ctx, o, then)
	case revised:
		g.early.keep(o, then, g.store.Log.Mint().Now()) // for when it comes again
	}
	return id, err
}

// whole reports whether a message says where it is from, in ids that can be kept.
func (m Message) whole() bool {
	if m.ID == "" || m.Chat == "" || m.Sender.ID == "" && m.What != Deleted {
		return false
	}
	for _, id := range []string{m.ID, m.Chat, m.Branch, m.Sender.ID, m.ReplyTo} {
		if clean(id) != id || len(id) > 300 {
			return false
		}
	}
	return true
}

// listens reports whether what is said there may be for us: a chat is named, or a thread in it.
func (o Options) listens(at Address) bool {
	return len(o.Chats) == 0 || slices.Contains(o.Chats, at.Chat) || at.Branch != "" && slices.Contains(o.Chats, at.Branch)
}

// hears reports whether a message is for us.
func (o Options) hears(m Message) bool {
	if !o.listens(m.Address) {
		return false
	}
	if !m.Group || m.What == Pressed {
		return true
	}
	switch o.Groups {
	case Always:
		return true
	case Never:
		return false
	case Mention, "":
	}
	return m.Called
}

// member finds who a sender is here. What the platform shows as their name says nothing.
func (g *Gate) member(ctx context.Context, o Options, s Sender) (org.Person, bool, error) {
	p, err := g.store.People.PersonOf(ctx, Identity(o.Name, s.ID))
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return org.Person{}, false, err
	}
	return p, err == nil && p.Enabled, nil
}

// said hands a member's message to the agents.
func (g *Gate) said(ctx context.Context, o Options, m Message, who org.Person) (run.ID, error) {
	chat := session.Chat{Channel: o.Name, Chat: m.Chat, Branch: m.Branch}
	in := inbox.Message{
		Project: o.Project, Text: m.Text, From: who.Party(), Channel: string(o.Kind), Chat: &chat,
		Via: &session.Via{Message: m.ID, Sender: m.Sender.ID, Name: OneLine(m.Sender.Name, 80), ReplyTo: m.ReplyTo, Group: m.Group},
		Key: o.keyOf(m.Chat, m.ID), Queue: o.Queue, Debounce: true,
	}
	live, err := g.store.Chats.ChatThread(ctx, chat)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return "", err
	}
	if in.Thread = live.ID; live.ID == "" {
		in.Agent = o.Agent
	}
	came, err := g.media(ctx, m.Media)
	if err != nil {
		return "", err
	}
	in.Images, in.Audio = came.images, came.audio
	if len(came.notes) > 0 {
		in.Text = strings.TrimSpace(in.Text + "\n\n" + strings.Join(came.notes, "\n"))
	}
	out, err := g.inbox.Take(ctx, in)
	if out.Again {
		out.Run = ""
	}
	return run.ID(out.Run), g.settled(ctx, o, m, who, live.ID, err)
}

// settled decides what a refusal means: what another try would not mend is told to the one
// who said it, and the platform is not asked to say it again.
func (g *Gate) settled(ctx context.Context, o Options, m Message, who org.Person, thread string, err error) error {
	var f *fault.Error
	if err == nil || !errors.As(err, &f) {
		return err
	}
	switch f.Kind {
	case fault.Invalid, fault.TooLarge, fault.Denied, fault.NotFound, fault.Conflict:
	default:
		return err
	}
	g.log.Warn("a message is not taken", "channel", o.Name, "chat", m.Chat, "message", m.ID, "err", fault.TextOf(err))
	at := placeOn(g.store.Log.Mint(), "", run.Chela())
	var drafts []event.Draft
	if thread != "" {
		at.Thread = thread
	}
	at.Stream = event.ThreadStream(at.Thread)
	if thread == "" {
		drafts = append(drafts, session.OpenedKind.Draft(at, session.Opened{
			Project: o.Project, Agent: o.Agent, Channel: string(o.Kind), Person: who.Party().AgentID, Chat: &session.Chat{Channel: o.Name, Chat: m.Chat, Branch: m.Branch},
		}))
	}
	at.Key = "refused:" + o.Name + ":" + m.Chat + ":" + m.ID
	_, err = g.store.Log.Append(ctx, append(drafts, session.NoticeKind.Draft(at, session.Notice{Message: refusalOf(f)}))...)
	return err
}

// refusalOf is a refusal as people in a chat read it: they filled in no field that could be named.
func refusalOf(f *fault.Error) string {
	if len(f.Fields) == 1 {
		return strings.TrimPrefix(f.Text, f.Fields[0].Name+": ")
	}
	return f.Text
}

// press answers a question with a button. Only what the button itself carries counts. A press that
// comes again, or is made twice, is no news to anybody.
func (g *Gate) press(ctx context.Context, o Options, m Message, who org.Person) error {
	choice, id, ok := strings.Cut(m.Press, ":")
	if !ok {
		return nil
	}
	asked, err := g.store.Questions.Approval(ctx, id)
	if err == nil {
		if asked.Decided(who.Party(), choice) {
			return nil
		}
		err = g.answers.Decide(ctx, approval.Approver{Party: who.Party(), Role: who.Role}, approval.Answer{ID: id, Choice: choice, Digest: asked.Digest})
	}
	chat := session.Chat{Channel: o.Name, Chat: m.Chat, Branch: m.Branch}
	live, lost := g.store.Chats.ChatThread(ctx, chat)
	if lost != nil && fault.KindOf(lost) != fault.NotFound {
		return lost
	}
	return g.settled(ctx, o, m, who, live.ID, err)
}
