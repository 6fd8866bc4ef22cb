package daemon

import (
	"context"

	"chela/internal/memory"
	"chela/internal/org"
	"chela/internal/store"
)

// remembering is what agents' tools remember with.
type remembering struct {
	*memory.Memory
	notes  store.Recall
	roster store.Roster
}

// Notes returns a person's notes.
func (r remembering) Notes(ctx context.Context, person string) ([]memory.Note, error) {
	return r.notes.Notes(ctx, person)
}

// Teams returns the teams of an agent.
func (r remembering) Teams(ctx context.Context, id org.AgentID) ([]string, error) {
	a, err := r.roster.Agent(ctx, id)
	return a.Card.Teams(), err
}
