package channel

import (
	"context"
	"fmt"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
)

// keyOf is the key of a message in the log.
func (o Options) keyOf(chat, id string) string { return "chat:" + o.Name + ":" + chat + ":" + id }

// maxSign is how long a reaction is, in bytes: names of signs of one's own are longer than signs.
const maxSign = 100

// lookBack is how many messages of a conversation are looked through for one that is known by
// nothing but its place.
const lookBack = 500

// revise records that a message was edited, deleted or reacted to by somebody we know. Nothing
// is asked and nothing decided by it. What is edited or deleted and has not come may come yet, see [early].
func (g *Gate) revise(ctx context.Context, o Options, m Message) error {
	if !o.listens(m.Address) {
		return nil
	}
	var who org.Person
	if m.Sender.ID != "" {
		p, ok, err := g.member(ctx, o, m.Sender)
		if err != nil || !ok {
			return err
		}
		who = p
	}
	if m.What != Reacted {
		g.early.keep(o, m, g.store.Log.Mint().Now()) // before it is looked for: it may come meanwhile
	}
	of, err := g.find(ctx, o, m, who)
	if err != nil || of.Message.ID == "" {
		return err
	}
	if m.What != Reacted {
		g.early.take(o, m, g.store.Log.Mint().Now())
	}
	by := who.Party()
	if who.ID == "" {
		by = run.Chela() // the platform does not say by whom
	}
	id := run.ID(g.store.Log.Mint().ID("run"))
	at := event.Place{Stream: of.Stream, Thread: of.Message.ThreadID, Run: string(id), Task: run.RootTask(id), From: by}
	if !m.At.IsZero() {
		at.Key = fmt.Sprintf("%s:%s:%s:%d", m.What, o.keyOf(m.Chat, m.ID), m.Text, m.At.UnixMicro())
	}
	if len(at.Key) > maxKey {
		at.Key = ""
	}
	var draft event.Draft
	switch m.What {
	case Edited:
		if len(m.Text) > maxEdit {
			return nil
		}
		draft = session.EditedKind.Draft(at, session.Edited{Message: of.Message.ID, Text: m.Text})
	case Deleted:
		draft = session.DeletedKind.Draft(at, session.Deleted{Message: of.Message.ID})
	default:
		draft = session.ReactedKind.Draft(at, session.Reacted{Message: of.Message.ID, Sign: OneLine(m.Text, maxSign)})
	}
	_, err = g.store.Log.Append(ctx, draft)
	return err
}

const (
	maxKey  = 500     // bytes; a longer one is left out, and the fact may be recorded twice
	maxEdit = 200_000 // bytes, as of a message
)

// find returns the event of the message that is meant: its sender's own, or one of ours; for a
// reaction also another's. Empty when there is none.
func (g *Gate) find(ctx context.Context, o Options, m Message, who org.Person) (event.Event, error) {
	id := m.ID
	if m.What == Reacted {
		id = m.ReplyTo
		delivery, _, err := g.store.Outbox.PartOf(ctx, o.Name, m.Chat, id)
		if err == nil {
			return g.store.Log.EventByID(ctx, delivery)
		}
		if fault.KindOf(err) != fault.NotFound {
			return event.Event{}, err
		}
	}
	if who.ID != "" {
		e, err := g.store.Log.ByKey(ctx, who.Party().AgentID, o.keyOf(m.Chat, id))
		if err == nil && e.Message.Type == session.HeldKind.Name { // it waited; by now it may have been said
			if said, late := g.store.Log.ByKey(ctx, who.Party().AgentID, session.HeldKey(e.Message.ID)); fault.KindOf(late) != fault.NotFound {
				return said, late
			}
		}
		if err == nil || fault.KindOf(err) != fault.NotFound {
			return e, err
		}
		if m.What != Reacted {
			return event.Event{}, nil
		}
	}
	live, err := g.store.Chats.ChatThread(ctx, session.Chat{Channel: o.Name, Chat: m.Chat, Branch: m.Branch})
	if err != nil {
		return event.Event{}, unlessMissing(err)
	}
	all, err := g.store.Conversations.LastMessages(ctx, live.ID, event.Newest, lookBack)
	if err != nil {
		return event.Event{}, err
	}
	for _, said := range all {
		if said.Via != nil && said.Via.Message == id {
			return g.store.Log.EventByID(ctx, said.ID)
		}
	}
	return event.Event{}, nil
}

func unlessMissing(err error) error {
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	return err
}
