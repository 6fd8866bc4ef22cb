// Package cli is the command line: one file per group of commands. All but serve and
// demo speak to a daemon through the same client as the tests.
package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/cli/terminal"
	"chela/internal/config"
	"chela/internal/daemon"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/gateway/client"
)

// Exit codes.
const (
	exitOK      = 0
	exitFailed  = 1 // something went wrong
	exitUsage   = 2 // the command was not understood
	exitRefused = 3 // the daemon refused: not allowed, not found, not valid
	exitAway    = 4 // no daemon, or no model
)

type app struct {
	in        io.Reader
	out       io.Writer
	err       io.Writer
	data      string
	artifacts string // where the daemon keeps its artifacts, if chela.yaml does not say it
	url       string
	token     string
	project   string
	json      bool
}

// Main runs a command and returns the exit code.
func Main(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) int {
	a := &app{in: in, out: out, err: errw}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errw)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	var fe *fault.Error
	if !errors.As(err, &fe) {
		a.complain("chela: %v\n", err)
		if errors.As(err, new(usageError)) {
			return exitUsage
		}
		return exitFailed
	}
	a.complain("chela: %s\n", fe.Text)
	switch fe.Kind {
	case fault.Unavailable:
		return exitAway
	case fault.Invalid, fault.NotFound, fault.Conflict, fault.Denied, fault.Unauthenticated, fault.TooLarge:
		return exitRefused
	case fault.Internal:
	}
	return exitFailed
}

// A usageError says that a command was not understood.
type usageError struct{ error }

// knownCommand refuses what names no command of a group.
func knownCommand(group *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("unknown command %q for %q", args[0], group.CommandPath())
	if near := group.SuggestionsFor(args[0]); len(near) > 0 {
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return errors.New(text)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use: "chela", Short: "Chela lets a software team's AI agents work as one organization.",
		SilenceUsage: true, SilenceErrors: true, Version: daemon.Version,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{flagError(err)} })
	f := root.PersistentFlags()
	f.StringVar(&a.data, "data", config.DefaultData(), "folder of the database, artifacts and token (CHELA_DATA)")
	f.StringVar(&a.url, "url", os.Getenv("CHELA_URL"), "address of the daemon (CHELA_URL); the one of --data when empty")
	f.StringVar(&a.token, "token", os.Getenv("CHELA_TOKEN"), "token (CHELA_TOKEN); the one in --data when empty")
	f.Lookup("token").DefValue = "" // the help would show the secret
	f.BoolVar(&a.json, "json", false, "print JSON")
	root.AddCommand(a.serve(), a.demo(), a.setup(), a.chat(), a.ask(), a.list(), a.search(), a.edit(), a.plan(), a.sprint(), a.forecast(), a.today(), a.chart(), a.statusReport(), a.dependencies(), a.changes(), a.undo(), a.skills(), a.comment(), a.delegate(), a.contract(), a.inbox(), a.intake(), a.importFile(), a.reconcile(), a.scenario(), a.logCommands(), a.backup(), a.restore(), a.status(), a.why(), a.doctor(), a.login(), a.invite(), a.persons(), a.keys(), a.usage(), a.webhooks(), a.trackers(), a.runCommands(), a.approvals(), a.sessions(), a.policy(), a.budgets(), a.vault(), a.hooks(), a.channels(), a.scheduleCommands(), a.workflows(), a.schemas(), a.route(), a.executionCommands(), a.organization(), a.projects(), a.tools(), a.extract(), a.agents())
	root.AddCommand(a.mcp(), a.acp())
	root.AddCommand(a.memory(), a.prompts())
	wrap(root)
	return root
}

// flagError says in words what a flag takes that was given something else.
func flagError(err error) error {
	wrong, ok := errors.AsType[*strconv.NumError](err)
	if !ok {
		return err
	}
	takes := map[string]string{"ParseInt": "a whole number", "Atoi": "a whole number", "ParseUint": "a whole number", "ParseFloat": "a number", "ParseBool": "true or false"}[wrong.Func]
	said, ok := strings.CutSuffix(err.Error(), wrong.Error())
	if !ok || takes == "" {
		return err
	}
	if errors.Is(wrong, strconv.ErrRange) {
		takes += " that is not so large"
	}
	return fmt.Errorf("%sit takes %s", said, takes)
}

// wrap marks complaints about arguments as usage errors. A command that only groups
// others prints its help, and knows the names of its own.
func wrap(c *cobra.Command) {
	args := c.Args
	if c.HasSubCommands() && !c.Runnable() {
		args, c.RunE, c.SuggestionsMinimumDistance = knownCommand, func(c *cobra.Command, _ []string) error { return c.Help() }, 2
	}
	if args == nil {
		args = cobra.NoArgs
	}
	c.Args = func(c *cobra.Command, in []string) error {
		if err := args(c, in); err != nil {
			return usageError{err}
		}
		return nil
	}
	for _, sub := range c.Commands() {
		wrap(sub)
	}
}

// client returns a client of the daemon.
func (a *app) client() (*client.Client, error) {
	token := a.token
	if token == "" {
		raw, err := os.ReadFile(filepath.Join(a.data, daemon.TokenFile))
		if err != nil {
			return nil, fault.Wrap(err, fault.Unauthenticated, "There is no token in %s. Start the daemon once with `chela serve`, or give --token.", a.data)
		}
		token = strings.TrimSpace(string(raw))
	}
	address := a.url
	if address == "" {
		cfg, err := config.Load(a.data)
		if err != nil {
			return nil, err
		}
		address = "http://" + cfg.Listen
		if raw, err := os.ReadFile(filepath.Join(a.data, addressFile)); err == nil {
			address = "http://" + strings.TrimSpace(string(raw))
		}
	}
	return client.New(address, token), nil
}

// addressFile says where the running daemon listens.
const addressFile = "address"

// printf prints text, in which what others wrote can do nothing to a terminal.
func (a *app) printf(format string, args ...any) {
	_, _ = io.WriteString(a.out, terminal.Clean(fmt.Sprintf(format, args...))) // the terminal is gone
}

// complain prints an error or a remark beside the output.
func (a *app) complain(format string, args ...any) {
	_, _ = io.WriteString(a.err, terminal.Clean(fmt.Sprintf(format, args...))) // the terminal is gone
}

// print prints v as JSON, or as text does.
func (a *app) print(v any, text func()) error {
	if !a.json {
		text()
		return nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := a.out.Write(terminal.CleanJSON(b.Bytes()))
	return err
}

// projectFlag adds --project and returns how to find the project it names.
func (a *app) projectFlag(c *cobra.Command) {
	c.Flags().StringVarP(&a.project, "project", "p", os.Getenv("CHELA_PROJECT"), "project, by name or id (CHELA_PROJECT); the only one when empty")
}

// listProjects returns all projects, archived ones and templates too.
func listProjects(ctx context.Context, c *client.Client) (client.ListOfProjectBody, error) {
	var all client.ListOfProjectBody
	for q := (client.ListProjectsQuery{Limit: 500}); ; {
		page, err := c.ListProjects(ctx, q)
		if err != nil {
			return all, err
		}
		all.Items, all.Total = append(all.Items, page.Items...), page.Total
		if q.Cursor = page.Next; q.Cursor == "" {
			return all, nil
		}
	}
}

// findProject returns the id of the project that --project names.
func (a *app) findProject(ctx context.Context, c *client.Client) (string, error) {
	all, err := listProjects(ctx, c)
	if err != nil {
		return "", err
	}
	return a.chosen(all.Items)
}

// chosen returns the id of the project that --project names among all, or of the only active one.
func (a *app) chosen(all []client.RecordOfProjectBody) (string, error) {
	var names, active []string
	for _, p := range all {
		if strings.EqualFold(p.Body.Name, a.project) || p.ID == a.project {
			return p.ID, nil
		}
		if p.Body.Status == desk.ProjectActive {
			names, active = append(names, p.Body.Name), append(active, p.ID)
		}
	}
	switch {
	case a.project != "":
		return "", fault.New(fault.NotFound, "There is no project named %q. %s", a.project, thereAre(names))
	case len(active) == 1:
		return active[0], nil
	case len(active) == 0:
		return "", fault.New(fault.Invalid, "This is done in a project. %s", thereAre(names))
	}
	return "", fault.New(fault.Invalid, "Name the project with --project. %s", thereAre(names))
}

// mostNames is how many projects an error names.
const mostNames = 10

// thereAre says which projects can be named, by the names of the active ones.
func thereAre(names []string) string {
	switch {
	case len(names) == 0:
		return "There is no active project; `chela project create NAME` makes one."
	case len(names) > mostNames:
		return fmt.Sprintf("There are: %s and %d more; `chela project list` shows them.", strings.Join(names[:mostNames], ", "), len(names)-mostNames)
	}
	return "There are: " + strings.Join(names, ", ") + "."
}

// inProject is a command about one project.
func (a *app) inProject(use, short string, args cobra.PositionalArgs, run func(ctx context.Context, cl *client.Client, project string, args []string) error) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short, Args: args,
		RunE: func(cmd *cobra.Command, args []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			project, err := a.findProject(cmd.Context(), cl)
			if err != nil {
				return err
			}
			return run(cmd.Context(), cl, project, args)
		},
	}
	a.projectFlag(c)
	return c
}
