package schedule

import (
	"cmp"
	"fmt"
	"strings"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/run"
	"chela/internal/session"
)

// A Destination says to whom the answers of a schedule go.
type Destination string

// The destinations. Without one an answer stays in the conversation of its run.
const (
	ToConversation Destination = "CONVERSATION" // said in it, and in its chat when it is held in one
	ToChat         Destination = "CHAT"         // of a channel: said in the newest open conversation there
	ToInbox        Destination = "INBOX"        // the notifications of who made the schedule
)

// Destinations lists all values.
func Destinations() []string {
	return []string{string(ToConversation), string(ToChat), string(ToInbox)}
}

// A Delivery says where the answers of a schedule go.
type Delivery struct {
	To      Destination `json:"to"`
	Thread  string      `json:"threadId,omitempty"` // of CONVERSATION
	Channel string      `json:"channel,omitempty"`  // of CHAT, its name
	Chat    string      `json:"chat,omitempty"`     // of CHAT, the platform's id
	Branch  string      `json:"branch,omitempty"`   // of CHAT, of a thread or topic in it
}

func (d Delivery) place() session.Chat {
	return session.Chat{Channel: d.Channel, Chat: d.Chat, Branch: d.Branch}
}

// checked returns d without what its destination does not use.
func (d Delivery) checked() (Delivery, error) {
	switch d.To {
	case "":
		return Delivery{}, nil
	case ToInbox:
		return Delivery{To: d.To}, nil
	case ToConversation:
		if d.Thread == "" {
			return d, fault.BadField("deliver.threadId", "Name the conversation in which the answers are said.")
		}
		return Delivery{To: d.To, Thread: d.Thread}, nil
	case ToChat:
		if d.Channel == "" || d.Chat == "" {
			return d, fault.BadField("deliver.chat", "Name the channel and the chat to which the answers go, as `chela channel chats` lists them.")
		}
		d.Thread = ""
		return d, nil
	}
	return d, fault.BadField("deliver.to", "The destination is not known.", Destinations()...)
}

// Unreachable says why answers could not be said in a conversation, a sentence; "" when they could.
func Unreachable(live session.Thread) string {
	switch {
	case live.Removed:
		return "The conversation " + live.ID + " was removed."
	case live.Closed:
		return "The conversation " + live.ID + " is closed."
	}
	return ""
}

// A Place is where answers may be said: a conversation, or a chat in which none is held yet.
type Place struct {
	Thread string // "" when one has to be opened
	Kind   string // of the channel, of a chat
}

// find says where an answer of a schedule is said that by made. A sentence says why it is not.
func (d Delivery) find(tx Tx, by event.Party) (at Place, why string, err error) {
	role, barred, err := tx.Plan().RoleOf(by)
	switch {
	case err != nil:
		return at, "", err
	case barred != "":
		return at, barred, nil
	case d.To == ToInbox && !role.AtLeast(org.Viewer), d.To != ToInbox && !role.AtLeast(org.Editor):
		return at, "Who made the schedule may say nothing there any more; that takes the role editor.", nil
	}
	switch d.To {
	case ToConversation:
		live, err := tx.Conversations().Session(d.Thread)
		switch {
		case fault.KindOf(err) == fault.NotFound && err != nil:
			return at, "The conversation " + d.Thread + " does not exist.", nil
		case err != nil:
			return at, "", err
		}
		return Place{Thread: d.Thread}, Unreachable(live), nil
	case ToChat:
		at, ok, err := tx.Plan().Place(d.place())
		if err == nil && !ok {
			why = fmt.Sprintf("There is no chat %q on a channel %q that may be written to.", d.Chat, d.Channel)
		}
		return at, why, err
	case ToInbox:
	}
	return at, "", nil
}

// reachable refuses a delivery that could not be made now.
func (m Made) reachable(tx Tx, by event.Party) error {
	if m.Deliver.To == "" || !m.Enabled {
		return nil
	}
	if org.PersonOf(by) == "" {
		return fault.BadField("deliver.to", "Answers are delivered for a person; nobody made this schedule.")
	}
	field := map[Destination]string{ToConversation: "deliver.threadId", ToChat: "deliver.chat", ToInbox: "deliver.to"}[m.Deliver.To]
	_, why, err := m.Deliver.find(tx, by)
	if err == nil && why != "" {
		err = fault.BadField(field, why)
	}
	return err
}

// deliver says the answer of an execution where its schedule says, with the end of it in one transaction, so once. how then tells where, or why
// not, and who is told.
func deliver(b *run.Batch, tx Tx, e Execution, how *Ended) error {
	d := e.Deliver
	maker := e.tells()
	if how.Result != Success {
		unwanted := how.Result == Fail && how.RetryAt.IsZero() || how.Result == Skipped
		if maker != nil && unwanted && (d.To != "" || e.Once) {
			how.Tells = maker
		}
		return nil
	}
	if d.To == "" {
		return nil
	}
	kept := func(why string) {
		how.Reason, how.Kept, how.Tells = "The answer was not delivered: "+why, true, maker
	}
	at, why, err := d.find(tx, e.Maker)
	if err != nil {
		return err
	}
	if why != "" {
		kept(why)
		return nil
	}
	r, err := b.Runs().Run(e.Run)
	if err != nil {
		return err
	}
	m, err := tx.Plan().Answer(r.Thread, e.Run)
	switch {
	case err != nil:
		return err
	case strings.TrimSpace(m.Message) == "" && len(m.Files) == 0:
		kept("The agent answered nothing.")
		return nil
	case d.To == ToInbox:
		how.Delivered, how.Tells = string(ToInbox), maker
		return nil
	}
	how.Delivered, err = sayThere(b, tx, e, at, m)
	return err
}

// tells is the person who made the schedule of e, and what they are told of it; nil when it was nobody.
func (e Execution) tells() *Tells {
	person := org.PersonOf(e.Maker)
	if person == "" {
		return nil
	}
	return &Tells{person, cmp.Or(session.TitleOf(e.Message), "What the clock asks "+e.Agent.Name()), e.Agent, e.Project}
}

// sayThere says an answer in a conversation, which it opens where none is held in the chat, and returns it.
func sayThere(b *run.Batch, tx Tx, e Execution, to Place, m session.Message) (thread string, err error) {
	var drafts []event.Draft
	if to.Thread == "" {
		to.Thread = b.Mint().ID("thr")
		chat := e.Deliver.place()
		drafts = append(drafts, session.OpenedKind.Draft(spoken(b, e, to.Thread), session.Opened{
			Project: e.Project, Agent: string(e.Agent), Channel: to.Kind, Title: session.TitleOf(m.Message), Person: e.Maker.AgentID, Chat: &chat,
		}))
	}
	at := spoken(b, e, to.Thread)
	at.Key = "execution/" + string(e.ID) + "/delivered"
	tx.Hold(at.Stream)
	said := session.Said{Message: m.Message, Files: m.Files, Confirmed: m.Confirmed, Review: m.Review, Origins: m.Origins}
	_, err = b.Append(append(drafts, session.SaidKind.Draft(at, said))...)
	return to.Thread, err
}

// spoken is where what the agent of an execution says in a conversation belongs.
func spoken(b *run.Batch, e Execution, thread string) event.Place {
	at := orgPlace(b.Mint(), event.Party{AgentID: string(e.Agent), Role: "agent"})
	at.Stream, at.Thread, at.Run, at.Task = event.ThreadStream(thread), thread, string(e.Run), run.RootTask(e.Run)
	return at
}

// asks is the text of a schedule that has one of its own.
func (e Execution) asks() string {
	if e.Message == "" {
		return prompt.Scheduled(e.Agent)
	}
	return prompt.ByClock(e.Message, e.Deliver.To != "")
}

// maxSummary bounds what is kept of an answer, in characters.
const maxSummary = 500

// summary returns what an agent answered in a run, cut short.
func summary(b *run.Batch, tx Tx, id run.ID) (string, error) {
	r, err := b.Runs().Run(id)
	if err != nil {
		return "", err
	}
	said, err := tx.Plan().Answer(r.Thread, id)
	text := []rune(said.Message)
	if len(text) > maxSummary {
		text = append(text[:maxSummary-1], '…')
	}
	return string(text), err
}
