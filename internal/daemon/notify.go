package daemon

import (
	"context"

	"chela/internal/inbox"
	"chela/internal/notify"
	"chela/internal/org"
	"chela/internal/store"
	"chela/internal/talk"
)

// tell tells people what concerns them.
func (d *Daemon) tell(ctx context.Context) error {
	return notify.NewKeeper(notify.Parts{
		Log: d.db.Log, Inbox: d.db.Notifications, Runs: d.db.Runs, Asked: d.db.Questions, Desk: d.db.Desk, People: d.db.People.Persons, Projects: d.db.Directory.Projects, Out: d.log,
		Ask: d.asked, Said: d.db.Conversations, Agents: d.members,
	}).Run(ctx)
}

// asked says to an agent what a comment on a record asks of it.
func (d *Daemon) asked(ctx context.Context, a notify.Asked) error {
	thread, err := d.speak.About(ctx, a.Record, a.Project, string(a.Agent))
	if err != nil {
		return err
	}
	_, err = d.speak.Say(ctx, talk.Message{Begins: true, Message: inbox.Message{
		From: a.By, Thread: thread, Agent: string(a.Agent), Project: a.Project, Text: a.Text, Channel: "page", Key: a.Key, Background: true, About: a.Record,
	}})
	return err
}

// members lists the agents.
func (d *Daemon) members(ctx context.Context) ([]org.AgentID, error) {
	all, err := d.db.Roster.Agents(ctx)
	out := make([]org.AgentID, 0, len(all))
	for _, a := range all {
		out = append(out, a.Card.AgentID)
	}
	return out, err
}

// persons are the people of the organization as an intake knows them.
type persons struct{ db *store.DB }

func (p persons) Persons(ctx context.Context) ([]org.Person, error) { return p.db.People.Persons(ctx) }

func (p persons) ZoneOf(ctx context.Context, person string) (string, error) {
	return p.db.Notifications.ZoneOf(ctx, person)
}
