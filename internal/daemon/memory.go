package daemon

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"chela/internal/distill"
	"chela/internal/event"
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

// maxGuides is how many granted folders an agent is told the AGENTS.md of.
const maxGuides = 4

// workspace reads the files that tell an agent who it is, from the folder agents/NAME of the data, and the AGENTS.md of granted folders,
// which is data: whoever may write there wrote it. One that is not there says nothing; one that cannot be read is said in the log, and the
// agent works without it.
func (d *Daemon) workspace(_ context.Context, id org.AgentID, folders []string) []prompt.File {
	var out []prompt.File
	read := func(folder string, names []string, add func(name, text string)) {
		unread := func(err error) {
			if err != nil && !os.IsNotExist(err) {
				d.log.Warn("read what an agent is told in a file", "agent", id, "folder", folder, "err", err)
			}
		}
		root, err := os.OpenRoot(folder)
		if err != nil {
			unread(err)
			return
		}
		defer func() { _ = root.Close() }() // read only
		for _, name := range names {
			text, err := headOf(root, name)
			if err != nil {
				unread(err)
				continue
			}
			add(name, text)
		}
	}
	read(filepath.Join(d.cfg.Data, "agents", id.Name()), prompt.WorkspaceFiles(), func(name, text string) {
		out = append(out, prompt.File{Name: name, Text: text})
	})
	for _, folder := range folders[:min(len(folders), maxGuides)] {
		read(folder, []string{"AGENTS.md"}, func(_, text string) { out = append(out, prompt.Guide(folder, text)) })
	}
	return out
}

// headOf reads the beginning of a file that lies in a folder, wherever links lead.
func headOf(root *os.Root, name string) (string, error) {
	info, err := root.Stat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() { // a pipe would never end
		return "", fmt.Errorf("%s is no file", name)
	}
	f, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // read only
	raw, err := io.ReadAll(io.LimitReader(f, maxWorkspaceFile))
	return strings.ToValidUTF8(string(raw), ""), err
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

// indexEvery is how long what is said gathers before it is indexed.
const indexEvery = 2 * time.Second

// indexSaid indexes what is said, so that it is recalled, where something begins by itself. Who looks for it sooner has it indexed.
func (d *Daemon) indexSaid(ctx context.Context) error {
	if d.cfg.NoSchedules {
		<-ctx.Done()
		return nil
	}
	grew, stop := d.db.Subscribe(event.LogGrew)
	defer stop()
	for {
		if err := d.db.Recall.IndexSaid(ctx); err != nil && ctx.Err() == nil {
			d.log.WarnContext(ctx, "what was said is not indexed yet; it is tried again", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-grew:
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(indexEvery):
		}
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
