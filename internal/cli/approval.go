package cli

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"chela/internal/gateway/client"
)

// A question is an approval as the API gives it.
type question struct {
	ID       string    `json:"id"`
	Run      string    `json:"run"`
	Sort     string    `json:"sort"`
	Question string    `json:"question"`
	Tool     string    `json:"tool,omitempty"`
	Detail   string    `json:"detail,omitempty"`
	Note     string    `json:"note,omitempty"`
	Choices  []string  `json:"choices"`
	Digest   string    `json:"digest,omitempty"`
	Until    time.Time `json:"until,omitzero"`
	Role     string    `json:"role,omitempty"`
	Status   string    `json:"status"`
	Answer   *struct {
		Choice string `json:"choice"`
		Note   string `json:"note,omitempty"`
	} `json:"answer,omitempty"`
	Calls []struct {
		Call   string   `json:"call"`
		Agent  string   `json:"agent"`
		Tool   string   `json:"tool"`
		Risk   string   `json:"risk"`
		Folder string   `json:"folder,omitempty"`
		Shown  string   `json:"shown,omitempty"`
		Diff   string   `json:"diff,omitempty"`
		Notes  []string `json:"notes,omitempty"`
		Why    string   `json:"why"`
		Shape  string   `json:"shape,omitempty"`
	} `json:"calls,omitempty"`
}

func (a *app) approvals() *cobra.Command {
	c := &cobra.Command{Use: "approval", Short: "See and answer what runs ask people"}
	c.AddCommand(a.approvalList(), a.approvalShow(), a.approvalAnswer("approve", "Let the calls be made"),
		a.approvalAnswer("always", "Let them be made, and do not ask again about exactly these commands in this folder"),
		a.approvalAnswer("deny", "Deny the calls; --note tells the agent why"), a.approvalAnswer("", "Give one of the question's choices"))
	return c
}

func (a *app) approvalList() *cobra.Command {
	var every bool
	c := a.asked("list", "List what waits for an answer", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		path := "/api/approvals?limit=200"
		if !every {
			path += "&status=pending"
		}
		var out []question
		if err := cl.Call(ctx, http.MethodGet, path, nil, &out); err != nil {
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
	return a.asked("show QUESTION", "Show exactly what would be done", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		var q question
		if err := cl.Call(ctx, http.MethodGet, "/api/approvals/"+url.PathEscape(args[0]), nil, &q); err != nil {
			return err
		}
		return a.print(q, func() { a.show(q) })
	})
}

func (a *app) show(q question) {
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
	if q.Digest != "" {
		a.printf("\ndigest %s\nto be answered until %s by the role %s\n", q.Digest, q.Until.Local().Format(time.DateTime), q.Role)
	}
}

// approvalAnswer answers with a choice; "" takes it as an argument.
func (a *app) approvalAnswer(choice, short string) *cobra.Command {
	in := struct {
		Choice string   `json:"choice"`
		Note   string   `json:"note,omitempty"`
		Digest string   `json:"digest,omitempty"`
		Calls  []string `json:"calls,omitempty"`
	}{Choice: choice}
	use, args := choice+" QUESTION", cobra.ExactArgs(1)
	if choice == "" {
		use, args = "answer QUESTION CHOICE", cobra.ExactArgs(2)
	}
	c := a.asked(use, short, args, func(ctx context.Context, cl *client.Client, args []string) error {
		var q question
		path := "/api/approvals/" + url.PathEscape(args[0])
		if err := cl.Call(ctx, http.MethodGet, path, nil, &q); err != nil {
			return err
		}
		if !a.json {
			a.show(q)
		}
		if choice == "" {
			in.Choice = args[1]
		}
		in.Digest = cmp.Or(in.Digest, q.Digest)
		return a.call(ctx, path, in)
	})
	c.Flags().StringVar(&in.Note, "note", "", "why; the agent is told it with a denial")
	c.Flags().StringVar(&in.Digest, "digest", "", "the digest of what you looked at (chela approval show); the question as it stands now when empty")
	c.Flags().StringSliceVar(&in.Calls, "call", nil, "only these calls of the question; the others are denied")
	return c
}
