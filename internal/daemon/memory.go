package daemon

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"chela/internal/distill"
	"chela/internal/memory"
	"chela/internal/org"
	"chela/internal/prompt"
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

// maxWorkspaceFile is how much of a file of a workspace is read, in bytes.
const maxWorkspaceFile = 20_000

// workspace reads the files that tell an agent who it is, from the folder agents/NAME of the data. One that is not there
// says nothing; one that cannot be read is said in the log, and the agent works without it.
func (d *Daemon) workspace(_ context.Context, id org.AgentID) []prompt.File {
	var out []prompt.File
	for _, name := range prompt.WorkspaceFiles() {
		raw, err := os.ReadFile(filepath.Join(d.cfg.Data, "agents", id.Name(), name))
		if err != nil {
			if !os.IsNotExist(err) {
				d.log.Warn("read a file of an agent's workspace", "agent", id, "file", name, "err", err)
			}
			continue
		}
		out = append(out, prompt.File{Name: name, Text: strings.ToValidUTF8(string(raw[:min(len(raw), maxWorkspaceFile)]), "")})
	}
	return out
}

// distil keeps what conversations came to, where something begins by itself.
func (d *Daemon) distil(ctx context.Context) error {
	if d.cfg.NoSchedules {
		<-ctx.Done()
		return nil
	}
	return distill.NewKeeper(d.clerk, d.db.Desk, d.db.Conversations, d.db.Recall, d.db.Log, distill.Options{
		Log: d.log, Left: d.left, Condenser: &distill.Condenser{Models: d.models, Limits: d.db.Budgets, Roster: d.db.Roster},
	}).Run(ctx)
}
