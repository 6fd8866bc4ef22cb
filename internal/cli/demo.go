package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chela/demo"
	"chela/internal/config"
	"chela/internal/daemon"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/model"
)

func (a *app) demo() *cobra.Command {
	var once bool
	var listen string
	c := &cobra.Command{
		Use: "demo", Short: "Start with a demo project on this machine", Args: cobra.NoArgs,
		Long: "Starts a daemon with a demo project in a folder of its own and prints a login link. At the first start it writes what a team of eight did in the last six weeks; the data stays. With --once it plays the main job in the terminal, with a scripted model, and ends.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if once {
				return a.demoOnce(cmd.Context())
			}
			return a.demoServe(cmd.Context(), listen)
		},
	}
	c.Flags().BoolVar(&once, "once", false, "play the main job in the terminal and end")
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:7077", "address")
	return c
}

// demoServe runs a daemon whose data stays between starts.
func (a *app) demoServe(ctx context.Context, listen string) error {
	if a.data == config.DefaultData() {
		a.data = filepath.Join(a.data, "demo")
	}
	cfg, err := config.Load(a.data)
	if err != nil {
		return err
	}
	cfg.Listen = listen
	if err := cfg.CheckListen(); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(cfg.Data, "chela.db")); errors.Is(err, fs.ErrNotExist) && cfg.Postgres == "" {
		a.printf("Writing six weeks of a team of eight: two sprints that are over and one that runs, a plan, conversations, an approval. This takes some seconds.\n")
		begin := time.Now()
		told, err := a.tell(ctx, cfg)
		if err != nil {
			return err
		}
		a.printf("%d acts in %.1f s. Everything in the demo is made up.\n", told.Acts, time.Since(begin).Seconds())
	}
	d, err := daemon.New(ctx, withScript(cfg, true), a.quiet(), daemon.Options{})
	if err != nil {
		return err
	}
	if len(cfg.Providers)+len(model.FromEnvironment(os.Getenv)) == 0 {
		a.printf("No model is configured: rules read what you paste, and answers are computed tables. The Release scribe plays from a script.\n")
	}
	a.printf("Try: chela ask -p %s --data %s %s\n", demo.Project, shellQuoted(cfg.Data), shellQuoted(demo.Question))
	return a.run(ctx, d, cfg, "/today")
}

// fill gives the demo project its people and hands its documents in.
func (a *app) fill(ctx context.Context, cl *client.Client, project string) error {
	var people []desk.ResourceBody
	if err := json.Unmarshal(demo.People, &people); err != nil {
		return err
	}
	for _, p := range people {
		if _, err := cl.CreateResource(ctx, project, p); err != nil {
			return err
		}
	}
	a.printf("== Intake: minutes.md, tickets.csv\n")
	today := demo.On(time.Now())
	_, err := a.submit(ctx, cl, project, []client.IntakeFile{{Name: "tickets.csv", Data: today.Tickets}, {Name: "minutes.md", Data: today.Minutes}}, nil)
	return err
}

// demoOnce plays the main job against a daemon of its own.
func (a *app) demoOnce(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "chela-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	script := filepath.Join(dir, "script.json")
	if err := os.WriteFile(script, demo.Script, 0o600); err != nil {
		return err
	}
	cfg := config.Config{Data: dir, Listen: "127.0.0.1:0", Node: "local", Providers: []model.Provider{{Name: "scripted", Kind: model.KindScripted, Model: "scripted", Script: script}}}
	d, err := daemon.New(ctx, cfg, slog.New(slog.NewTextHandler(io.Discard, nil)), daemon.Options{})
	if err != nil {
		return err
	}
	addr, err := d.Listen(ctx)
	if err != nil {
		return errorsJoinClose(err, d)
	}
	project, err := d.Project(ctx, demo.Project, "The demo project.")
	if err != nil {
		return errorsJoinClose(err, d)
	}
	serving, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- d.Run(serving) }()
	err = a.play(ctx, client.New("http://"+addr.String(), d.Token()), project)
	stop()
	if err = errors.Join(err, <-ended); err != nil {
		return err
	}
	a.data = dir
	r, err := a.verify(ctx, nil, "")
	if err != nil {
		return err
	}
	a.printf("\n== The log\n")
	a.report(r)
	if !r.OK() {
		return fault.New(fault.Internal, "The demo's log does not verify.")
	}
	rebuilt, err := daemon.Rebuild(ctx, cfg)
	if err != nil {
		return err
	}
	if diff := rebuilt.Different(); len(diff) > 0 {
		return fault.New(fault.Internal, "A rebuild gives other tables: %s.", strings.Join(diff, ", "))
	}
	a.printf("%d events replayed; every table is identical.\n", rebuilt.Events)
	return nil
}

// play hands the documents in, shows what came of them, talks and asks.
func (a *app) play(ctx context.Context, cl *client.Client, project string) error {
	if err := a.fill(ctx, cl, project); err != nil {
		return err
	}
	if err := a.showEvidence(ctx, cl, project); err != nil {
		return err
	}
	a.printf("\n== Chat: Create a ticket to rehearse the game day\n")
	said, err := cl.Chat(ctx, client.ChatBody{ProjectID: &project, Text: "Create a ticket to rehearse the game day", Wait: new(true)})
	if err != nil {
		return err
	}
	if err := a.outcome(said); err != nil {
		return err
	}
	a.printf("\n== Ask: %s\n", demo.Question)
	// The scripted model cannot word an answer about records it has never seen: the computed tables are the answer.
	out, err := cl.Ask(ctx, client.AskBody{ProjectID: project, Question: demo.Question, Computed: new(true)})
	if err != nil {
		return err
	}
	a.answer(out)
	return nil
}

// A sourced is a record as far as its evidence is shown.
type sourced struct {
	key, title, owner string // the key is the tracker's, else the id
	sources           []desk.Source
}

func (a *app) showEvidence(ctx context.Context, cl *client.Client, project string) error {
	threads, err := cl.ListThreads(ctx, project, client.ListThreadsQuery{})
	if err != nil {
		return err
	}
	var out []sourced
	for _, t := range threads.Items {
		out = append(out, sourced{t.ID, t.Body.Title, t.Owner, t.Body.Sources})
	}
	a.evidence("threads", out)
	tickets, err := cl.ListTickets(ctx, project, client.ListTicketsQuery{})
	if err != nil {
		return err
	}
	out = nil
	for _, t := range tickets.Items {
		out = append(out, sourced{cmp.Or(t.Body.ExternalRef, t.ID), t.Body.Title, t.Owner, t.Body.Sources})
	}
	a.evidence("tickets", out)
	return nil
}

func (a *app) evidence(kind string, all []sourced) {
	a.printf("\n== %d %s, with where they come from\n", len(all), kind)
	for _, x := range all {
		a.printf("%s  %s", x.key, x.title)
		if x.owner != "" {
			a.printf("  (%s)", x.owner)
		}
		a.printf("\n")
		for _, s := range x.sources {
			line, _, _ := strings.Cut(s.Quote, "\n")
			if s.Document != "" {
				a.printf("    %s, line %d, %s: “%s”\n", s.Document, s.Line, s.By, line)
			} else { // an agent quotes what it was shown
				a.printf("    %s: “%s”\n", s.By, line)
			}
		}
	}
}
