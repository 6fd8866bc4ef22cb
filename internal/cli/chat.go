package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"chela/internal/cli/terminal"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/model"
	"chela/internal/talk"
)

const chatHelp = `Talks to the agents.

In a terminal it is a conversation: answers show as they are written, / lists commands, Alt-Enter or a backslash at the end
begins a line, the path of a file that is pasted goes with the message, y and n answer what is asked, and Ctrl-C stops what
works; twice within two seconds it leaves. /sessions lists the conversations to go on with.

With -m, or when the input is no terminal, one message is said: that of -m, and after it what the input holds. The answer
alone goes to the standard output. Exit codes: 1 the run failed, 3 it was refused or waits for an answer, 4 there is no daemon.

Commands such as /help, /status and /stop need no model. Lines that begin with a space are not kept in the history.`

// latest resumes the conversation that was used last.
const latest = "latest"

// A talk is what the flags of chat say.
type talkFlags struct{ message, agent, thread, resume string }

func (a *app) chat() *cobra.Command {
	var t talkFlags
	c := &cobra.Command{
		Use: "chat", Short: "Talk to the agents", Long: chatHelp, Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 1 && t.resume == latest:
				t.resume = args[0]
			case len(args) == 1:
				return usageError{fmt.Errorf("unknown argument %q: a message is said with -m", args[0])}
			}
			return a.talk(cmd.Context(), t)
		},
	}
	a.projectFlag(c)
	f := c.Flags()
	f.StringVarP(&t.message, "message", "m", "", "one message")
	f.StringVarP(&t.agent, "agent", "a", "", "speak to this agent directly")
	f.StringVarP(&t.thread, "thread", "t", "", "go on in this thread")
	f.StringVar(&t.resume, "resume", "", "go on with a conversation, the last one when none is named")
	f.Lookup("resume").NoOptDefVal = latest
	return c
}

func (a *app) talk(ctx context.Context, t talkFlags) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	project := ""
	if a.project != "" {
		if project, err = a.findProject(ctx, cl); err != nil {
			return err
		}
	}
	if t.resume != "" {
		if t.thread, err = resumed(ctx, cl, project, t.resume); err != nil {
			return err
		}
	}
	if t.message == "" && !a.json && isTerminal(a.in) && isTerminal(a.out) {
		return a.converse(ctx, cl, project, t)
	}
	if !isTerminal(a.in) || t.message == "" {
		rest, err := io.ReadAll(a.in)
		if err != nil {
			return fmt.Errorf("read the message: %w", err)
		}
		t.message = strings.TrimSpace(t.message + "\n\n" + strings.TrimSpace(string(rest)))
	}
	if t.message == "" {
		return usageError{errors.New("nothing to say: write it after -m, or to the standard input")}
	}
	return a.sayOnce(ctx, cl, project, t)
}

func isTerminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// resumed is the conversation to go on with.
func resumed(ctx context.Context, cl *client.Client, project, thread string) (string, error) {
	if thread != latest {
		return thread, nil
	}
	all, err := cl.ListConversations(ctx, client.ListConversationsQuery{Project: project, Limit: 1})
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "", fault.New(fault.NotFound, "There is no conversation to go on with yet. `chela chat` begins one.")
	}
	return all[0].ID, nil
}

func (a *app) converse(ctx context.Context, cl *client.Client, project string, t talkFlags) error {
	var history *terminal.History
	path, err := terminal.HistoryPath()
	if err == nil {
		history, err = terminal.OpenHistory(path)
	}
	if err != nil { // one can talk without
		a.complain("chela: %s\n", fault.TextOf(err))
		history = nil
	}
	opening, err := a.opening(ctx, cl, project, t.agent)
	if err != nil {
		return err
	}
	return terminal.Run(ctx, terminal.Options{Daemon: cl, Project: project, Agent: t.agent, Thread: t.thread, History: history, Opening: opening, In: a.in, Out: a.out})
}

// opening says where one is, who answers, and three hints.
func (a *app) opening(ctx context.Context, cl *client.Client, project, agent string) ([]string, error) {
	where := "No project; -p names one"
	if project != "" {
		all, err := listProjects(ctx, cl)
		if err != nil {
			return nil, err
		}
		for _, p := range all.Items {
			if p.ID == project {
				where = "Project " + p.Body.Name
			}
		}
	}
	who := "the controller chooses the agent"
	if agent != "" {
		who = "agent " + agent
	}
	choices, err := cl.ListModelChoices(ctx)
	if err != nil {
		return nil, err
	}
	with := "no model: `chela setup` adds one"
	for _, c := range choices.Jobs {
		if c.Job == model.Specializing {
			with = "model " + c.Provider + "/" + c.Model
		}
	}
	return []string{
		where + " · " + who + " · " + with,
		"/ lists commands. Ctrl-C stops what works; twice, it leaves. Paste the path of a file to attach it.",
	}, nil
}

// sayOnce says one message and prints the answer alone.
func (a *app) sayOnce(ctx context.Context, cl *client.Client, project string, t talkFlags) error {
	in := client.ChatBody{Text: t.message, ThreadID: &t.thread, Agent: &t.agent, Wait: new(true)}
	if t.thread == "" {
		in.ProjectID = &project
	}
	out, err := cl.Chat(ctx, in)
	if err != nil {
		return err
	}
	if a.json {
		if err := a.print(out, nil); err != nil {
			return err
		}
	}
	err = a.outcome(out)
	if _, unread := cl.ReadConversation(ctx, out.Thread, client.ReadBody{}); unread != nil { // what was printed was read
		a.complain("chela: the conversation stays unread: %s\n", fault.TextOf(unread))
	}
	return err
}

// outcome prints the answer; whatever else became of the message is an error.
func (a *app) outcome(out talk.Reply) error {
	switch out.State {
	case "", "done":
	case "waiting":
		return fault.New(fault.Conflict, "The run %s waits: %s `chela why %s` says more, and `chela approval list` what it asks.", out.Run, out.Reply, out.Run)
	default:
		return fmt.Errorf("the run %s is %s: %s", out.Run, out.State, out.Reply)
	}
	if !a.json {
		a.printf("%s\n", out.Reply)
	}
	if out.Confirmed != nil && !*out.Confirmed {
		a.complain("chela: not confirmed: %s\n", out.Review)
	}
	return nil
}
