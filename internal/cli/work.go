package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chela/internal/daemon"
	"chela/internal/fault"
	"chela/internal/gateway/client"
)

func errorsJoinClose(err error, d *daemon.Daemon) error { return errors.Join(err, d.Close()) }

type chatOut struct {
	Thread    string `json:"threadId"`
	Run       string `json:"runId"`
	Reply     string `json:"reply"`
	State     string `json:"state"`
	Confirmed *bool  `json:"confirmed"`
	Review    string `json:"review"`
}

func (a *app) chat() *cobra.Command {
	var message, agent, thread string
	c := &cobra.Command{
		Use: "chat", Short: "Talk to the agents", Args: cobra.NoArgs,
		Long: "Talks to the agents: with -m one message, else line by line until the end of the input. `whereami`, `use project NAME` and `use thread TITLE` work without a model.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			project := ""
			if a.project != "" {
				if project, err = a.findProject(cmd.Context(), cl); err != nil {
					return err
				}
			}
			say := func(text string) error {
				in := map[string]any{"text": text, "threadId": thread, "agent": agent, "channel": "cli", "wait": true}
				if thread == "" {
					in["projectId"] = project
				}
				var out chatOut
				if err := cl.Call(cmd.Context(), "POST", "/api/chat", in, &out); err != nil {
					return err
				}
				thread = out.Thread
				return a.print(out, func() { a.reply(out) })
			}
			if message != "" {
				return say(message)
			}
			lines := bufio.NewScanner(a.in)
			for lines.Scan() {
				if text := strings.TrimSpace(lines.Text()); text != "" {
					if err := say(text); err != nil {
						return err
					}
				}
			}
			return lines.Err()
		},
	}
	a.projectFlag(c)
	c.Flags().StringVarP(&message, "message", "m", "", "one message")
	c.Flags().StringVarP(&agent, "agent", "a", "", "speak to this agent directly")
	c.Flags().StringVarP(&thread, "thread", "t", "", "go on in this thread")
	return c
}

func (a *app) reply(out chatOut) {
	a.printf("%s\n", out.Reply)
	if out.Confirmed != nil && !*out.Confirmed {
		a.printf("(not confirmed: %s)\n", out.Review)
	}
	if out.State != "" && out.State != "done" {
		a.printf("(run %s is %s; `chela why %s` says more)\n", out.Run, out.State, out.Run)
	}
}

type askOut struct {
	Answer  string `json:"answer"`
	Sources []struct {
		ID    string `json:"id"`
		Kind  string `json:"kind"`
		Title string `json:"title"`
	} `json:"sources"`
	Unsupported []struct {
		Text string `json:"text"`
		Why  string `json:"why"`
	} `json:"unsupported"`
	Notes    []string `json:"notes"`
	Computed bool     `json:"computed"`
}

func (a *app) ask() *cobra.Command {
	var asOf string
	c := a.inProject("ask QUESTION", "Ask about a project; the answer cites records", cobra.MinimumNArgs(1), func(ctx context.Context, cl *client.Client, project string, args []string) error {
		out, err := askDaemon(ctx, cl, project, strings.Join(args, " "), asOf)
		if err != nil {
			return err
		}
		return a.print(out, func() { a.answer(out) })
	})
	asOfFlag(c, &asOf)
	return c
}

func askDaemon(ctx context.Context, cl *client.Client, project, question, asOf string) (askOut, error) {
	var out askOut
	err := cl.Call(ctx, "POST", "/api/ask", map[string]string{"projectId": project, "question": question, "asOf": asOf}, &out)
	return out, err
}

func (a *app) answer(out askOut) {
	a.printf("%s\n", strings.TrimSpace(out.Answer))
	if len(out.Sources) > 0 {
		a.printf("\nSources:\n")
		for _, s := range out.Sources {
			a.printf("  %s  %s  %s\n", s.ID, s.Kind, s.Title)
		}
	}
	for _, u := range out.Unsupported {
		a.printf("Not supported by the records: %s. %s\n", u.Text, u.Why)
	}
	for _, n := range out.Notes {
		a.printf("Note: %s\n", n)
	}
}

type planOut struct {
	Markdown   string `json:"markdown"`
	Phases     int    `json:"phaseCount"`
	Milestones int    `json:"milestoneCount"`
}

func (a *app) plan() *cobra.Command {
	var asOf string
	c := a.inProject("plan", "Show a project's plan: phases, and milestones by day", cobra.NoArgs, func(ctx context.Context, cl *client.Client, project string, _ []string) error {
		var out planOut
		if err := cl.Call(ctx, "GET", "/api/projects/"+project+"/plan?asOf="+url.QueryEscape(asOf), nil, &out); err != nil {
			return err
		}
		return a.print(out, func() { a.printf("%s", out.Markdown) })
	})
	asOfFlag(c, &asOf)
	return c
}

// asOfFlag lets a command look back.
func asOfFlag(c *cobra.Command, asOf *string) {
	c.Flags().StringVar(asOf, "as-of", "", "as it was: a day (its end, UTC), an instant, an event's position or its id")
}

type changesOut struct {
	Total int       `json:"total"`
	Items []diffOut `json:"items"`
}

type diffOut struct {
	ID     string    `json:"id"`
	Kind   string    `json:"kind"`
	Title  string    `json:"title"`
	Op     string    `json:"op"`
	By     []string  `json:"by"`
	At     time.Time `json:"at"`
	Fields []struct {
		Field string          `json:"field"`
		From  json.RawMessage `json:"from,omitempty"`
		To    json.RawMessage `json:"to,omitempty"`
	} `json:"fields,omitempty"`
}

func (a *app) changes() *cobra.Command {
	var from, to, kind string
	c := a.inProject("changes", "Show what is different between two moments, from the log", cobra.NoArgs, func(ctx context.Context, cl *client.Client, project string, _ []string) error {
		var out changesOut
		q := url.Values{"from": {from}, "to": {to}, "kind": {kind}}
		if err := cl.Call(ctx, "GET", "/api/projects/"+project+"/changes?"+q.Encode(), nil, &out); err != nil {
			return err
		}
		return a.print(out, func() { a.changed(out) })
	})
	c.Long = "Shows what became of a project's records between two moments. A moment is a day (its end, UTC), an instant, an event's position or its id."
	f := c.Flags()
	f.StringVar(&from, "from", "", "the earlier moment")
	f.StringVar(&to, "to", "", "the later moment; now when empty")
	f.StringVar(&kind, "kind", "", "only this kind of record, such as ticket")
	_ = c.MarkFlagRequired("from") // it is there
	return c
}

func (a *app) changed(out changesOut) {
	if out.Total == 0 {
		a.printf("Nothing is different.\n")
	}
	for _, d := range out.Items {
		a.printf("%s %s %s  %s%s\n", d.Op, d.Kind, d.ID, d.Title, by(d.By))
		if d.Op != "updated" {
			continue
		}
		for _, f := range d.Fields {
			a.printf("  %s: %s -> %s\n", f.Field, orNothing(f.From), orNothing(f.To))
		}
	}
}

// by names who made a change, when that is known.
func by(who []string) string {
	if who = slices.DeleteFunc(slices.Clone(who), func(s string) bool { return s == "" }); len(who) == 0 {
		return ""
	}
	return "  by " + strings.Join(who, ", ")
}

// orNothing shows a value of JSON, short.
func orNothing(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "nothing"
	}
	if r := []rune(string(raw)); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return string(raw)
}

func (a *app) intake() *cobra.Command {
	c := &cobra.Command{
		Use: "intake FILE...", Short: "Take content in: minutes, exports, notes; - reads standard input", Args: cobra.RangeArgs(1, 20),
		RunE: func(cmd *cobra.Command, args []string) error { return a.takeIn(cmd.Context(), args) },
	}
	a.projectFlag(c)
	return c
}

func (a *app) importFile() *cobra.Command {
	c := &cobra.Command{
		Use: "import FILE", Short: "Import a tracker's export", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.takeIn(cmd.Context(), args) },
	}
	a.projectFlag(c)
	return c
}

type intakeFile struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

type receipt struct {
	Intake string `json:"intakeId"`
	Run    string `json:"runId"`
	Again  bool   `json:"again"`
}

// takeIn hands files in and follows the phases.
func (a *app) takeIn(ctx context.Context, names []string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	project, err := a.findProject(ctx, cl)
	if err != nil {
		return err
	}
	var files []intakeFile
	for _, name := range names {
		raw, err := a.read(name)
		if err != nil {
			return err
		}
		base := filepath.Base(name)
		if name == "-" {
			base = "standard input.txt"
		}
		files = append(files, intakeFile{base, raw})
	}
	in, err := a.submit(ctx, cl, project, files)
	if err != nil {
		return err
	}
	return a.print(in, func() {})
}

func (a *app) read(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(a.in)
	}
	raw, err := os.ReadFile(name) //nolint:gosec // the caller names it
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "The file %s does not exist.", name)
	}
	return raw, err
}

type intakeRecord struct {
	ID   string `json:"id"`
	Body struct {
		Status  string         `json:"status"`
		Created map[string]int `json:"created"`
		Rules   bool           `json:"rulesOnly"`
		Phases  []struct {
			Name    string `json:"name"`
			Status  string `json:"status"`
			Summary string `json:"summary"`
		} `json:"phases"`
		Problems []string `json:"problems"`
	} `json:"body"`
}

// submit hands files in and waits until the intake is over, printing each phase.
func (a *app) submit(ctx context.Context, cl *client.Client, project string, files []intakeFile) (intakeRecord, error) {
	var rec intakeRecord
	var r receipt
	if err := cl.Call(ctx, "POST", "/api/intake", map[string]any{"projectId": project, "files": files}, &r); err != nil {
		return rec, err
	}
	if r.Again && !a.json {
		a.printf("The same content was taken in before as %s; nothing was added.\n", r.Intake)
	}
	shown := make(map[string]bool)
	for {
		if err := cl.Call(ctx, "GET", "/api/projects/"+project+"/intakes/"+r.Intake, nil, &rec); err != nil {
			return rec, err
		}
		for _, p := range rec.Body.Phases {
			if !shown[p.Name] && p.Status != "pending" && p.Status != "running" {
				shown[p.Name] = true
				if !a.json {
					a.printf("%-11s %-8s %s\n", p.Name, p.Status, p.Summary)
				}
			}
		}
		if rec.Body.Status == "DISPATCHED" || rec.Body.Status == "FAILED" {
			break
		}
		select {
		case <-ctx.Done():
			return rec, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	if !a.json {
		for _, p := range rec.Body.Problems {
			a.printf("problem     %s\n", p)
		}
	}
	if rec.Body.Status == "FAILED" {
		return rec, fault.New(fault.Unavailable, "The intake %s failed; what came before is kept. Hand the same content in again to go on.", r.Intake)
	}
	return rec, nil
}
