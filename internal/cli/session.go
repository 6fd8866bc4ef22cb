package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chela/internal/gateway/client"
	"chela/internal/session"
)

func (a *app) sessions() *cobra.Command {
	c := &cobra.Command{Use: "session", Short: "List, rename, export, close, remove and bring back conversations"}
	c.AddCommand(a.sessionList(), a.sessionRename(), a.sessionExport(), a.sessionMove("close", "End a conversation; what is said to it is refused until it is reopened", (*client.Client).CloseSession),
		a.sessionMove("reopen", "Let a closed conversation go on", (*client.Client).ReopenSession),
		a.sessionRemove(), a.sessionMove("restore", "Bring a removed conversation back", (*client.Client).RestoreSession))
	return c
}

func (a *app) sessionList() *cobra.Command {
	return a.asked("list", "List conversations, latest first", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		out, err := cl.ListConversations(ctx, client.ListConversationsQuery{})
		if err != nil {
			return err
		}
		return a.print(out, func() {
			for _, s := range out {
				a.printf("%s  %-6s %s  %s\n", s.ID, standing(s.Thread), s.UpdatedAt.Local().Format(time.DateTime), session.TitleOf(oneLine(s.Title)))
			}
			if len(out) == 0 {
				a.printf("There are none.\n")
			}
		})
	})
}

func standing(s session.Thread) string {
	if s.Closed {
		return "closed"
	}
	return "open"
}

func (a *app) sessionMove(word, short string, move func(cl *client.Client, ctx context.Context, id string) (session.Thread, error)) *cobra.Command {
	return a.asked(word+" CONVERSATION", short, cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		out, err := move(cl, ctx, args[0])
		if err != nil {
			return err
		}
		return a.print(out, func() { a.printf("%s is %s.\n", out.ID, standing(out)) })
	})
}

func (a *app) sessionRemove() *cobra.Command {
	return a.asked("remove CONVERSATION", "Remove a conversation: it is listed and found no more until it is restored", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		if err := cl.RemoveSession(ctx, args[0]); err != nil {
			return err
		}
		a.printf("%s is removed. Bring it back with: chela session restore %s\n", args[0], args[0])
		return nil
	})
}

func (a *app) sessionRename() *cobra.Command {
	return a.asked("rename CONVERSATION TITLE…", "Rename a conversation", cobra.MinimumNArgs(2), func(ctx context.Context, cl *client.Client, args []string) error {
		out, err := cl.RenameSession(ctx, args[0], client.RenameBody{Title: strings.Join(args[1:], " ")})
		if err != nil {
			return err
		}
		return a.print(out, func() { a.printf("%s is called %q now.\n", out.ID, out.Title) })
	})
}

func (a *app) sessionExport() *cobra.Command {
	var file string
	c := a.asked("export CONVERSATION", "Write a conversation with all that was said in it as Markdown, or with --json as JSON", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		out, err := cl.ExportSession(ctx, args[0], client.ExportSessionQuery{Format: "json"})
		if err != nil {
			return err
		}
		if file != "" && !a.json {
			return writeFile(file, strings.NewReader(out.Markdown()))
		}
		return a.print(out, func() { a.printf("%s", out.Markdown()) })
	})
	c.Flags().StringVarP(&file, "output", "o", "", "file to write Markdown to; the terminal when empty")
	return c
}
