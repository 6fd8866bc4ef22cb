package daemon

import (
	"context"

	"chela/internal/event"
	"chela/internal/inbox"
	"chela/internal/notify"
	"chela/internal/org"
	"chela/internal/talk"
)

// tell tells people what concerns them.
func (d *Daemon) tell(ctx context.Context) error {
	return notify.NewKeeper(notify.Parts{
		Log: d.db.Log, Inbox: d.db.Notifications, Runs: d.db.Runs, Asked: d.db.Questions, Desk: d.db.Desk, People: d.db.People.Persons, Projects: d.db.Directory.Projects, Out: d.log,
		Ask: func(ctx context.Context, by event.Party, agent org.AgentID, project, text, key string) error {
			_, err := d.speak.Say(ctx, talk.Message{Message: inbox.Message{From: by, Agent: string(agent), Project: project, Text: text, Channel: "page", Key: key, Background: true}})
			return err
		},
		Agents: d.members,
	}).Run(ctx)
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
