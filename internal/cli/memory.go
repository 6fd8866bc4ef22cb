package cli

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/gateway/client"
)

func (a *app) memory() *cobra.Command {
	c := &cobra.Command{Use: "memory", Short: "Find, list, keep and delete what is remembered"}
	c.AddCommand(a.memorySearch(), a.memoryList(), a.memoryKeep(), a.memoryForget(), a.memoryWrite(), a.memoryRead(), a.memoryVectors())
	return c
}

// anywhere runs what needs a client, and a project when --project names one.
func (a *app) anywhere(c *cobra.Command, run func(ctx context.Context, cl *client.Client, project string, args []string) error) *cobra.Command {
	c.RunE = func(cmd *cobra.Command, args []string) error {
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
		return run(cmd.Context(), cl, project, args)
	}
	a.projectFlag(c)
	return c
}

func (a *app) memorySearch() *cobra.Command {
	var q client.RecallQuery
	var explain bool
	c := &cobra.Command{Use: "search QUESTION", Short: "Find what is known for a question", Args: cobra.MinimumNArgs(1)}
	a.anywhere(c, func(ctx context.Context, cl *client.Client, project string, args []string) error {
		if q.Q, q.ProjectID = strings.TrimSpace(strings.Join(args, " ")), project; q.Q == "" {
			return fault.BadField("question", "Say what to look for.")
		}
		out, err := cl.Recall(ctx, q)
		if err != nil {
			return err
		}
		return a.print(out, func() { a.recalled(out, explain) })
	})
	c.Long = "Finds memories, your notes and what was said in your conversations, the best first. No model is asked. --explain prints why each was found."
	c.Example = "  chela memory search 'Why did we take PostgreSQL?' -p Payments --explain\n  chela memory search 'what was decided last week' -p Payments --scope PROJECT --type decision"
	c.Flags().BoolVar(&explain, "explain", false, "print the reasons")
	c.Flags().StringSliceVar(&q.Scope, "scope", nil, "only these: GLOBAL, PROJECT, SESSION, THREAD, AGENT, TEAM, PERSON, SAID")
	c.Flags().StringSliceVar(&q.Type, "type", nil, "only memories of these types: fact, decision, preference, procedure, question, summary")
	c.Flags().StringVar(&q.ThreadID, "thread", "", "with the memories and messages of this conversation")
	c.Flags().StringVar(&q.Agent, "agent", "", "as this agent sees it")
	c.Flags().IntVar(&q.Limit, "limit", 10, "how many at most")
	return c
}

// recalled prints what was found.
func (a *app) recalled(out client.RecallOut, explain bool) {
	for _, p := range out.Items {
		a.printf("%.2f  %s  %s", p.Score, p.Source, strings.ToLower(p.Scope))
		for _, s := range []string{p.Type, p.Speaker, p.At.Format("2006-01-02"), p.Title} {
			if s != "" {
				a.printf("  %s", s)
			}
		}
		for _, mark := range []struct {
			is   bool
			word string
		}{{p.Superseded, "superseded"}, {p.Outside, "from outside"}, {p.Weak, "weak"}} {
			if mark.is {
				a.printf("  (%s)", mark.word)
			}
		}
		a.printf("\n      %s\n", clipped(strings.Join(strings.Fields(p.Text), " "), 300))
		for _, r := range p.Reasons {
			if explain {
				a.printf("      %-10s %6.2f  %s\n", r.Part, r.Gain, r.Text)
			}
		}
	}
	if len(out.Items) == 0 {
		a.printf("Nothing is known for that.\n")
	}
}

// clipped is the beginning of a text, at most n bytes of it.
func clipped(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

func (a *app) memoryList() *cobra.Command {
	q := client.FindMemoriesQuery{}
	notes := false
	c := &cobra.Command{Use: "list", Short: "List memories, or your notes", Args: cobra.NoArgs}
	a.anywhere(c, func(ctx context.Context, cl *client.Client, project string, _ []string) error {
		if notes {
			out, err := cl.ListNotes(ctx)
			if err != nil {
				return err
			}
			return a.print(out, func() {
				for _, n := range out {
					a.printf("%s  %s\n      %s\n", n.ID, n.Key, clipped(n.Content, 300))
				}
			})
		}
		q.ProjectID = project
		out, err := cl.FindMemories(ctx, q)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			for _, r := range out.Items {
				a.printf("%s  %s  %s  %s%s\n      %s\n", r.ID, strings.ToLower(r.Body.Scope), cmp.Or(r.Body.Type, "fact"), r.Body.Key, lasts(r.Body, time.Now()), clipped(strings.Join(strings.Fields(r.Body.Content), " "), 300))
			}
			a.shown(len(out.Items), out.Total, out.Next)
		})
	})
	c.Flags().BoolVar(&notes, "notes", false, "your notes, which nobody else sees")
	c.Flags().StringVar(&q.Scope, "scope", "", "only this scope: GLOBAL, PROJECT, SESSION, THREAD, AGENT or TEAM")
	c.Flags().StringVar(&q.Query, "containing", "", "only those whose content has this part")
	c.Flags().IntVar(&q.Limit, "limit", 50, "how many at most")
	c.Flags().StringVar(&q.Cursor, "cursor", "", "go on after the page that printed this cursor")
	return c
}

// lasts says when a memory ends, or ended; nothing of one that stays.
func lasts(b desk.MemoryBody, now time.Time) string {
	switch {
	case b.ExpiresAt == "":
		return ""
	case b.Expired(now):
		return "  expired " + string(desk.DateOf(b.ExpiresAt.Time().UTC()))
	}
	return "  until " + string(desk.DateOf(b.ExpiresAt.Time().UTC()))
}

func (a *app) memoryKeep() *cobra.Command {
	in := client.MemoryIn{Key: new(string), Owner: new(string), ExpiresAt: new(string)}
	var typ, scope string
	note := false
	c := &cobra.Command{Use: "keep TEXT", Short: "Remember something, for all, for a project, or for yourself", Args: cobra.MinimumNArgs(1)}
	a.anywhere(c, func(ctx context.Context, cl *client.Client, project string, args []string) error {
		if scope != "" {
			in.Scope = &scope
		}
		if typ != "" {
			in.Type = &typ
		}
		in.Content, in.ProjectID = strings.Join(args, " "), &project
		if note {
			out, err := cl.Note(ctx, client.NoteIn{Key: in.Key, Content: in.Content, Type: in.Type, Tags: in.Tags, ExpiresAt: in.ExpiresAt})
			if err != nil {
				return err
			}
			return a.print(out, func() { a.printf("Noted: %s\n", out.ID) })
		}
		out, err := cl.KeepMemory(ctx, in)
		if err != nil {
			return err
		}
		return a.print(out, func() { a.printf("Kept: %s\n", out.ID) })
	})
	c.Example = "  chela memory keep 'The staging database is restored each Monday.' -p Payments --type procedure\n  chela memory keep 'Answer me in German.' --note --type preference"
	c.Flags().BoolVar(&note, "note", false, "for yourself: nobody else sees it")
	c.Flags().StringVar(in.Key, "key", "", "names it, and replaces what was kept under it")
	c.Flags().StringVar(&typ, "type", "", "fact, decision, preference, procedure, question or summary")
	c.Flags().StringVar(&scope, "scope", "", "PROJECT with a project, else GLOBAL; also AGENT, TEAM, THREAD and SESSION")
	c.Flags().StringVar(in.Owner, "owner", "", "the agent or team that it is for")
	c.Flags().StringSliceVar(&in.Tags, "tag", nil, "tags")
	c.Flags().StringSliceVar(&in.Supersedes, "supersedes", nil, "ids of memories whose place it takes")
	c.Flags().StringVar(in.ExpiresAt, "expires", "", "a day or an instant")
	return c
}

func (a *app) memoryForget() *cobra.Command {
	c := &cobra.Command{Use: "forget ID", Short: "Delete a memory, or a note of yours", Args: cobra.ExactArgs(1)}
	a.anywhere(c, func(ctx context.Context, cl *client.Client, _ string, args []string) error {
		if strings.HasPrefix(args[0], "note_") {
			out, err := cl.ForgetNote(ctx, args[0])
			if err != nil {
				return err
			}
			return a.print(out, func() { a.printf("Forgotten: %s\n", out.ID) })
		}
		out, err := cl.ForgetMemory(ctx, args[0])
		if err != nil {
			return err
		}
		return a.print(out, func() { a.printf("Forgotten: %s\n", args[0]) })
	})
	return c
}

// erase is the command that takes a person's words out of the log.
func (a *app) erase() *cobra.Command {
	var reason string
	var sure bool
	c := &cobra.Command{
		Use: "erase PERSON", Short: "Take what a person said, asked and noted out of the log for good", Args: cobra.ExactArgs(1),
		Long:    "Takes the payloads of a person's messages, questions and notes out of the log, and makes every table again without them. It cannot be undone; the chain still verifies. Titles, summaries and memories that quote them show [erased]. What others and agents said of it stays. PERSON is an id, as `chela person list` prints it.",
		Example: "  chela log erase per_06h16vphbjgfyky4zgq66rr2t8 --yes --reason 'asked for on 3 March'",
		RunE: func(cmd *cobra.Command, args []string) error {
			if !sure {
				return fault.New(fault.Invalid, "This cannot be undone. Say --yes to do it.")
			}
			cl, err := a.client()
			if err != nil {
				return err
			}
			out, err := cl.ErasePerson(cmd.Context(), args[0], client.EraseIn{Reason: &reason})
			if err != nil {
				return err
			}
			return a.print(out, func() { a.printf("Erased the payloads of %d events.\n", out.Events) })
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why; it is recorded")
	c.Flags().BoolVar(&sure, "yes", false, "do it")
	return c
}
