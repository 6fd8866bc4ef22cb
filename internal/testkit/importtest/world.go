package importtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"chela/internal/config"
	"chela/internal/daemon"
	"chela/internal/desk"
	"chela/internal/gateway/client"
	"chela/internal/run"
)

// A World is a daemon of the suite's own.
type World struct {
	cl    *client.Client
	close func() error
}

// Open starts a daemon in this process whose data is in a folder.
func Open(ctx context.Context, dir string) (*World, error) {
	cfg := config.Config{Data: dir, Listen: "127.0.0.1:0", Node: "local", NoSchedules: true}
	d, err := daemon.New(ctx, cfg, slog.New(slog.NewTextHandler(io.Discard, nil)), daemon.Options{})
	if err != nil {
		return nil, err
	}
	addr, err := d.Listen(ctx)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	serving, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- d.Run(serving) }()
	return &World{client.New("http://"+addr.String(), d.Token()), func() error {
		stop()
		return <-ended
	}}, nil
}

// Close ends the daemon.
func (w *World) Close() error { return w.close() }

// Score imports a shape into a project of its own, exports that, and compares.
func (w *World) Score(ctx context.Context, sh Shape) (Score, error) {
	made, err := w.cl.CreateProject(ctx, desk.ProjectBody{Name: sh.Name})
	if err != nil {
		return Score{}, err
	}
	in, err := w.cl.Intake(ctx, client.IntakeBody{ProjectID: made.ID, Files: []client.IntakeFile{{Name: sh.File, Data: sh.Raw}}})
	if err != nil {
		return Score{}, err
	}
	if err := w.wait(ctx, in.Run); err != nil {
		return Score{}, fmt.Errorf("import %s: %w", sh.Name, err)
	}
	raw, err := w.cl.Open(ctx, "/api/projects/"+made.ID+"/export?format=json")
	if err != nil {
		return Score{}, err
	}
	defer func() { _ = raw.Close() }() // read to its end
	p, err := read(raw)
	return scored(sh, p), err
}

// patience is how long an import may take.
const patience = time.Minute

func (w *World) wait(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		r, err := w.cl.GetRun(ctx, id)
		if err != nil {
			return err
		}
		switch r.Run.State {
		case run.Done:
			return nil
		case run.Failed, run.Cancelled:
			return fmt.Errorf("the run is %s", r.Run.State)
		case run.Queued, run.Running, run.Waiting:
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// A project is what its export holds.
type project struct {
	tickets    map[string]desk.TicketBody // by id
	owners     map[string][]string        // by ticket
	items      map[string][]desk.Item     // of checklists, by ticket
	sprints    []desk.SprintPlanBody
	milestones []desk.MilestoneBody
}

func read(from io.Reader) (project, error) {
	type kept[B any] []struct {
		ID   string `json:"id"`
		Body B      `json:"body"`
	}
	var out struct {
		Records struct {
			Tickets    kept[desk.TicketBody]     `json:"ticket"`
			People     kept[desk.ResourceBody]   `json:"resource"`
			Shares     kept[desk.AssignmentBody] `json:"assignment"`
			Checklists kept[desk.ChecklistBody]  `json:"checklist"`
			Sprints    kept[desk.SprintPlanBody] `json:"sprint_plan"`
			Milestones kept[desk.MilestoneBody]  `json:"milestone"`
		} `json:"records"`
	}
	if err := json.NewDecoder(from).Decode(&out); err != nil {
		return project{}, fmt.Errorf("read the export: %w", err)
	}
	p := project{tickets: make(map[string]desk.TicketBody), owners: make(map[string][]string), items: make(map[string][]desk.Item)}
	for _, t := range out.Records.Tickets {
		p.tickets[t.ID] = t.Body
	}
	names := make(map[string]string)
	for _, r := range out.Records.People {
		names[r.ID] = r.Body.Name
	}
	for _, a := range out.Records.Shares {
		p.owners[a.Body.TicketID] = append(p.owners[a.Body.TicketID], names[a.Body.ResourceID])
	}
	for _, c := range out.Records.Checklists {
		for _, id := range c.Body.TicketIDs {
			p.items[id] = append(p.items[id], c.Body.Items...)
		}
	}
	for _, s := range out.Records.Sprints {
		p.sprints = append(p.sprints, s.Body)
	}
	for _, m := range out.Records.Milestones {
		p.milestones = append(p.milestones, m.Body)
	}
	return p, nil
}
