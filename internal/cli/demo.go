package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"chela/demo"
	"chela/internal/config"
	"chela/internal/daemon"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/model"
)

func (a *app) demo() *cobra.Command {
	var once bool
	var listen string
	c := &cobra.Command{
		Use: "demo", Short: "Start with a demo project on this machine", Args: cobra.NoArgs,
		Long: "Starts a daemon with a demo project in a folder of its own and prints a login link. With --once it plays the main job in the terminal, with a scripted model, and ends.",
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
	d, err := daemon.New(ctx, cfg, a.logger(false), daemon.Options{})
	if err != nil {
		return err
	}
	project, err := d.Project(ctx, demo.Project, "The demo project. Everything in it is made up.")
	if err != nil {
		return errorsJoinClose(err, d)
	}
	if len(cfg.Providers)+len(model.FromEnvironment(os.Getenv)) == 0 {
		a.printf("No model is configured: rules read what you paste, and answers are computed tables.\n")
	}
	a.printf("The project %s takes in its minutes and its tracker's export at the first start. Ask: %s\n", demo.Project, demo.Question)
	return a.run(ctx, d, cfg, func(ctx context.Context, address string) error {
		if d.Token() == "" { // not the first start
			return nil
		}
		return a.fill(ctx, client.New("http://"+address, d.Token()), project)
	})
}

// fill gives the demo project its people and hands its documents in.
func (a *app) fill(ctx context.Context, cl *client.Client, project string) error {
	var people []json.RawMessage
	if err := json.Unmarshal(demo.People, &people); err != nil {
		return err
	}
	for _, p := range people {
		if err := cl.Call(ctx, "POST", "/api/projects/"+project+"/resources", p, nil); err != nil {
			return err
		}
	}
	a.printf("== Intake: minutes.md, tickets.csv\n")
	_, err := a.submit(ctx, cl, project, []intakeFile{{"tickets.csv", demo.Tickets}, {"minutes.md", demo.Minutes}}, nil)
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
	var said chatOut
	if err := cl.Call(ctx, "POST", "/api/chat", map[string]any{"projectId": project, "text": "Create a ticket to rehearse the game day", "wait": true}, &said); err != nil {
		return err
	}
	if err := a.outcome(said); err != nil {
		return err
	}
	a.printf("\n== Ask: %s\n", demo.Question)
	// The scripted model cannot word an answer about records it has never seen, so the
	// demo asks as without a model: the computed tables are the answer.
	if err := cl.Call(ctx, "PUT", "/api/models", []string{}, nil); err != nil {
		return err
	}
	out, err := askDaemon(ctx, cl, project, demo.Question, "")
	if err != nil {
		return err
	}
	a.answer(out)
	return nil
}

type sourced struct {
	Items []struct {
		ID    string `json:"id"`
		Owner string `json:"owner"`
		Body  struct {
			Title   string `json:"title"`
			Status  string `json:"status"`
			Sources []struct {
				Document string `json:"document"`
				Line     int    `json:"line"`
				Quote    string `json:"quote"`
				By       string `json:"by"`
			} `json:"sources"`
		} `json:"body"`
	} `json:"items"`
}

func (a *app) showEvidence(ctx context.Context, cl *client.Client, project string) error {
	for _, kind := range []string{"threads", "tickets"} {
		var l sourced
		if err := cl.Call(ctx, "GET", "/api/projects/"+project+"/"+kind, nil, &l); err != nil {
			return err
		}
		a.printf("\n== %d %s, with where they come from\n", len(l.Items), kind)
		for _, x := range l.Items {
			a.printf("%s  %s", x.ID, x.Body.Title)
			if x.Owner != "" {
				a.printf("  (%s)", x.Owner)
			}
			a.printf("\n")
			for _, s := range x.Body.Sources {
				line, _, _ := strings.Cut(s.Quote, "\n")
				a.printf("    %s, line %d, %s: “%s”\n", s.Document, s.Line, s.By, line)
			}
		}
	}
	return nil
}
