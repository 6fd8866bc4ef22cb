package daemon

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"chela/internal/distill"
	"chela/internal/fault"
	"chela/internal/memory"
	"chela/internal/model"
	"chela/internal/model/static"
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

// staticModel opens files that give vectors, from the folders of embeddings in the data. One that was opened stays in memory
// until another is, or its files change.
func (d *Daemon) staticModel() func(name string) (model.Embedder, error) {
	var mu sync.Mutex
	var opened *static.Model
	var of string
	return func(name string) (model.Embedder, error) {
		if err := static.Name(name); err != nil {
			return nil, err
		}
		dir := filepath.Join(d.cfg.Data, "embeddings", name)
		mu.Lock()
		defer mu.Unlock()
		at := static.Changed(dir)
		if opened != nil && of == dir+at {
			return opened, nil
		}
		m, err := static.Open(dir)
		if fault.KindOf(err) == fault.NotFound && err != nil {
			err = fault.Wrap(err, fault.Invalid, "%s", fault.TextOf(err)) // one is named, so it is missed
		}
		if err != nil {
			return nil, err
		}
		opened, of = m, dir+at
		return m, nil
	}
}

// keepVectors makes vectors of what can be recalled, where something begins by itself.
func (d *Daemon) keepVectors(ctx context.Context) error {
	if d.cfg.NoSchedules {
		<-ctx.Done()
		return nil
	}
	return d.vectors.Run(ctx)
}

// distil keeps what conversations came to, where something begins by itself.
func (d *Daemon) distil(ctx context.Context) error {
	if d.cfg.NoSchedules {
		<-ctx.Done()
		return nil
	}
	return d.keeper().Run(ctx)
}

// compact makes room in long conversations, where something begins by itself.
func (d *Daemon) compact(ctx context.Context) error {
	if d.cfg.NoSchedules {
		<-ctx.Done()
		return nil
	}
	return distill.NewCompactor(d.keeper(), d.db.Conversations, d.db.Roster).Run(ctx)
}

// keeper keeps what conversations came to.
func (d *Daemon) keeper() *distill.Keeper {
	return distill.NewKeeper(d.clerk, d.db.Desk, d.db.Conversations, d.db.Recall, d.db.Log, distill.Options{
		Log: d.log, Left: d.left, Projects: d.db.Directory.Projects, Condenser: &distill.Condenser{Models: d.models, Limits: d.db.Budgets, Roster: d.db.Roster},
	})
}
