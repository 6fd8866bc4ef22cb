package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chela/internal/approval"
	"chela/internal/gateway/client"
)

func (a *app) approvals() *cobra.Command {
	c := &cobra.Command{Use: "approval", Short: "List and answer approvals"}
	c.AddCommand(a.approvalList(), a.approvalShow(), a.approvalAnswer("approve", "Let the calls be made, or send a form as --set fills it in"),
		a.approvalAnswer("always", "Let them be made, and do not ask again about exactly these commands in this folder"),
		a.approvalAnswer("deny", "Deny the calls, or decline a form; --note tells the agent why"), a.approvalAnswer("", "Give one of the question's choices"))
	return c
}

func (a *app) approvalList() *cobra.Command {
	var every bool
	c := a.asked("list", "List approvals that wait for an answer", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		q := client.ListApprovalsQuery{Limit: 200, Status: string(approval.Pending)}
		if every {
			q.Status = ""
		}
		out, err := cl.ListApprovals(ctx, q)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			for _, q := range out {
				a.printf("%s  %-8s %s\n", q.ID, q.Status, q.Question)
			}
			if len(out) == 0 {
				a.printf("Nothing waits for an answer.\n")
			}
		})
	})
	c.Flags().BoolVar(&every, "all", false, "also what was answered and what lapsed")
	return c
}

func (a *app) approvalShow() *cobra.Command {
	return a.asked("show QUESTION", "Show an approval with the exact action", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		q, err := cl.GetApproval(ctx, args[0])
		if err != nil {
			return err
		}
		return a.print(q, func() { a.show(q) })
	})
}

// answerable says how a question that asks about no call is answered; "" when it needs no answer any more.
func answerable(q approval.Approval) string {
	if q.Status != approval.Pending {
		return ""
	}
	until := ""
	if !q.Until.IsZero() {
		until = " until " + q.Until.Local().Format(time.DateTime)
	}
	return fmt.Sprintf("to be answered%s with one of: %s\n", until, strings.Join(q.Choices, ", "))
}

func (a *app) show(q approval.Approval) {
	a.printf("%s, %s: %s\n", q.ID, q.Status, q.Question)
	if q.Answer != nil {
		a.printf("Answered: %s %s\n", q.Answer.Choice, q.Answer.Note)
	}
	if q.Note != "" {
		a.printf("A hook notes: %s\n", q.Note)
	}
	if len(q.Calls) == 0 {
		a.printf("%s %s\n", q.Tool, q.Detail)
	}
	for _, c := range q.Calls {
		a.printf("\n%s  %s (%s) in %s\n  %s\n  %s\n", c.Call, c.Tool, c.Risk, cmp.Or(c.Folder, "-"), c.Shown, c.Why)
		for _, n := range c.Notes {
			a.printf("  ! %s\n", n)
		}
		if c.Diff != "" {
			a.printf("%s\n", c.Diff)
		}
		if c.Shape != "" {
			a.printf("  always would allow: %s\n", c.Shape)
		}
	}
	if q.Digest == "" {
		a.printf("%s", answerable(q))
	}
	if q.Digest != "" {
		a.printf("\ndigest %s\nto be answered until %s by the role %s\n", q.Digest, q.Until.Local().Format(time.DateTime), q.Role)
	}
}

// approvalAnswer answers with a choice; "" takes it as an argument.
func (a *app) approvalAnswer(choice, short string) *cobra.Command {
	in := client.AnswerBody{Choice: choice}
	var note, digest string
	var set []string
	use, args := choice+" QUESTION", cobra.ExactArgs(1)
	if choice == "" {
		use, args = "answer QUESTION CHOICE", cobra.ExactArgs(2)
	}
	c := a.asked(use, short, args, func(ctx context.Context, cl *client.Client, args []string) error {
		q, err := cl.GetApproval(ctx, args[0])
		if err != nil {
			return err
		}
		if !a.json {
			a.show(q)
		}
		if choice == "" {
			in.Choice = args[1]
		}
		if q.Kind == approval.Elicitation {
			if in, err = filling(q, in, set); err != nil {
				return err
			}
		}
		in.Note, in.Digest = client.Given(note), client.Given(cmp.Or(digest, q.Digest))
		out, err := cl.AnswerApproval(ctx, args[0], in)
		if err != nil {
			return err
		}
		return a.print(out, func() { a.printf("Done.\n") })
	})
	c.Flags().StringVar(&note, "note", "", "why; the agent is told it with a denial, and a verdict is passed with it alone")
	c.Flags().StringVar(&digest, "digest", "", "the digest of what you looked at (chela approval show); the question as it stands now when empty")
	c.Flags().StringArrayVar(&set, "set", nil, "FIELD=VALUE, what is filled in of a form")
	c.Flags().StringSliceVar(&in.Calls, "call", nil, "only these calls of the question; the others are denied")
	return c
}

// filling is an answer to a form of a server.
func filling(q approval.Approval, in client.AnswerBody, set []string) (client.AnswerBody, error) {
	switch in.Choice {
	case approval.Approve:
		in.Choice = approval.Accept
	case approval.Refuse:
		in.Choice = approval.Decline
	}
	if len(set) == 0 || q.Form == nil {
		return in, nil
	}
	var err error
	in.Values, err = q.Form.Set(set...)
	return in, err
}
