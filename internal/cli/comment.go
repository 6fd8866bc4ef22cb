package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/query"
)

func (a *app) comment() *cobra.Command {
	c := a.inProject("comment RECORD [TEXT…]", "Say something about a record, or list what was said", cobra.MinimumNArgs(1), func(ctx context.Context, cl *client.Client, project string, args []string) error {
		id, err := recordNamed(ctx, cl, project, args[0])
		if err != nil {
			return err
		}
		text := strings.TrimSpace(strings.Join(args[1:], " "))
		if text == "" && len(args) > 1 {
			return fault.New(fault.Invalid, "The comment is empty: say something behind the record, or nothing to list what was said.")
		}
		if text != "" {
			out, err := cl.CreateComment(ctx, project, desk.CommentBody{RecordID: id, Text: text})
			if err != nil {
				return err
			}
			return a.print(out, func() { a.printf("Said: %s\n", out.ID) })
		}
		all, err := cl.ListComments(ctx, project, client.ListCommentsQuery{RefersTo: id, Limit: 500})
		if err != nil {
			return err
		}
		names, err := senders(ctx, cl)
		if err != nil && fault.KindOf(err) != fault.Denied { // a key of one project is not told who there is
			return err
		}
		return a.print(all, func() {
			for _, r := range all.Items {
				a.printf("%s  %s\n  %s\n", r.CreatedAt.Format("2006-01-02 15:04"), cmp.Or(names[r.CreatedBy], strings.TrimPrefix(r.CreatedBy, "agent:")), strings.ReplaceAll(r.Body.Text, "\n", "\n  "))
			}
			if len(all.Items) == 0 {
				a.printf("Nobody has said anything about it.\n")
			}
		})
	})
	c.Long = "Says something about a record, which is named by its id or, a ticket, by its key. @NAME mentions a person or an agent. Without a text, what was said is listed."
	c.Example = "  chela comment PAY-202 '@Dana is this still blocked?'"
	return c
}

// recordNamed returns the id of the record that a person names by its id, or of the ticket that they
// name by its key.
func recordNamed(ctx context.Context, cl *client.Client, project, name string) (string, error) {
	if prefix, _, ok := strings.Cut(name, "_"); ok {
		for _, k := range desk.Kinds() {
			if k.Prefix() == prefix {
				return name, nil
			}
		}
	}
	out, err := cl.ListTickets(ctx, project, client.ListTicketsQuery{Filter: "externalRef:" + query.Quoted(name), Limit: 2})
	if err != nil {
		return "", err
	}
	if len(out.Items) != 1 {
		return "", fault.New(fault.NotFound, "%d tickets have the key %q. Name the record by its id; chela list and chela search print it.", len(out.Items), name)
	}
	return out.Items[0].ID, nil
}
