package notify

import (
	"context"
	"fmt"
	"slices"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/pattern"
)

// Asked is what a person said about a record to an agent that they mention.
type Asked struct {
	By      event.Party
	Agent   org.AgentID
	Project string
	Record  string
	Text    string
	Key     string // sent again under it, it does nothing
}

// ask hands what a person said about a record to the agents that they mention. What agents say to each
// other they say in their conversations.
func (k *Keeper) ask(ctx context.Context, e event.Event, known Known) error {
	c, ok, err := desk.ChangeOf(e)
	if err != nil || !ok || c.Kind != desk.Comment || personOf(known.People, e.Message.From.AgentID) == "" {
		return err
	}
	b, err := bodyOf[desk.CommentBody](c)
	if err != nil {
		return err
	}
	for _, id := range Mentioned(b.Text, known.People, known.Agents) {
		if !slices.Contains(known.Agents, org.AgentID(id)) {
			continue
		}
		text, err := question(known.Record, b.Text)
		if err != nil {
			return err
		}
		asked := Asked{By: e.Message.From, Agent: org.AgentID(id), Project: c.Project, Record: known.Record.ID, Text: text, Key: "mention/" + c.ID + "/" + id}
		err = k.Ask(ctx, asked)
		if err != nil && fault.KindOf(err) != fault.Internal { // it is tried again for nothing
			err = k.refused(ctx, e, asked, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// key is how trackers call tickets. What else stands there may be anybody's words, which are not the person's.
var key = pattern.New(`^[A-Za-z][A-Za-z0-9_]{0,15}-[0-9]{1,9}$`)

// question is what an agent is asked that a comment mentions. Its first line, which is what the conversation is called, is the person's own, behind a
// ticket's key. Tools that it names are shown to the agent.
func question(about desk.Record, said string) (string, error) {
	thing, err := desk.Decode(about)
	if err != nil {
		return "", err
	}
	called := about.Kind.Word()
	if t, ok := thing.(*desk.TicketBody); ok && key.MatchString(t.ExternalRef) {
		called = t.ExternalRef
	}
	return fmt.Sprintf("%s: %s\n\nThis was said in a comment on the %s [%s]. read_tickets and read_threads read one whole by its id, read_comments what was said about it. What you answer here is put there as your comment, once you end.",
		called, said, about.Kind.Word(), about.ID), nil
}
