package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chela/internal/gateway/client"
	"chela/internal/org"
)

func (a *app) invite() *cobra.Command {
	var role string
	c := &cobra.Command{
		Use: "invite NAME", Short: "Invite a person; prints a one-time token for `chela invite --accept`", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			if accept, _ := cmd.Flags().GetBool("accept"); accept {
				out, err := cl.AcceptInvite(cmd.Context(), client.AcceptBody{Token: args[0]})
				if err != nil {
					return err
				}
				return a.print(out, func() { a.printf("Your token: %s\n", out.Token) })
			}
			l, err := cl.Invite(cmd.Context(), client.InviteBody{Name: args[0], Role: role})
			if err != nil {
				return err
			}
			return a.print(l, func() {
				a.printf("%s may accept until %s with: chela invite --accept %s\n", args[0], l.Expires.Format(time.RFC3339Nano), l.Token)
			})
		},
	}
	c.Flags().StringVar(&role, "role", "editor", "owner, admin, editor or viewer")
	c.Flags().Bool("accept", false, "NAME is the invitation's token; accept it")
	return c
}

func (a *app) persons() *cobra.Command {
	c := &cobra.Command{Use: "person", Short: "List persons and their tokens; link the identities by which channels know them"}
	c.AddCommand(&cobra.Command{
		Use: "list", Short: "List persons with their roles and identities", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			all, err := cl.ListPersons(cmd.Context())
			if err != nil {
				return err
			}
			return a.print(all, func() {
				for _, p := range all {
					a.person(p)
				}
			})
		},
	})
	change := func(use, short string, do func(ctx context.Context, cl *client.Client, person, identity string) (org.Person, error)) *cobra.Command {
		return &cobra.Command{
			Use: use, Short: short, Args: cobra.ExactArgs(2),
			RunE: func(cmd *cobra.Command, args []string) error {
				cl, err := a.client()
				if err != nil {
					return err
				}
				p, err := do(cmd.Context(), cl, args[0], args[1])
				if err != nil {
					return err
				}
				return a.print(p, func() { a.person(p) })
			},
		}
	}
	c.AddCommand(change("link PERSON IDENTITY", "Link an identity such as email:ann@example.com", func(ctx context.Context, cl *client.Client, person, identity string) (org.Person, error) {
		return cl.LinkIdentity(ctx, person, client.IdentityBody{Identity: identity})
	}), change("unlink PERSON IDENTITY", "Unlink an identity", func(ctx context.Context, cl *client.Client, person, identity string) (org.Person, error) {
		return cl.UnlinkIdentity(ctx, person, client.UnlinkIdentityQuery{Identity: identity})
	}), a.tokens(), a.revoke(), a.logins())
	return c
}

func (a *app) tokens() *cobra.Command {
	return &cobra.Command{
		Use: "tokens", Short: "List your tokens and logins, or everybody's for an admin", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			all, err := cl.ListTokens(cmd.Context())
			if err != nil {
				return err
			}
			return a.print(all, func() {
				for _, t := range all {
					until := "no end"
					if !t.ExpiresAt.IsZero() {
						until = "until " + t.ExpiresAt.Format(time.RFC3339)
					}
					if !t.UsedAt.IsZero() {
						until += ", last used " + t.UsedAt.Format(time.RFC3339)
					}
					a.printf("%s  %s  %s %q, since %s, %s\n", t.ID, t.Person, t.Purpose, t.Label, t.CreatedAt.Format(time.RFC3339), until)
				}
			})
		},
	}
}

// mostLogins is how many logins are listed when nobody says otherwise.
const mostLogins = 50

func (a *app) logins() *cobra.Command {
	var most int
	c := a.asked("logins", "List who logged in, how, and from where, the newest first: your own logins, or everybody's for an admin", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		people, err := cl.ListPersons(ctx)
		if err != nil {
			return err
		}
		page, err := cl.ReadLog(ctx, client.ReadLogQuery{Type: "org.login.*", Newest: true, Limit: most})
		if err != nil {
			return err
		}
		shown := slices.DeleteFunc(page.Events, func(e client.Logged) bool { return strings.Contains(string(e.Payload), `"not_shown"`) })
		return a.print(shown, func() {
			for _, e := range shown {
				a.printf("%s  %s\n", e.At.Local().Format("2006-01-02 15:04:05"), loginLine(e, people))
			}
			if len(shown) == 0 {
				a.printf("There is no login in the log.\n")
			}
		})
	})
	c.Flags().IntVar(&most, "limit", mostLogins, "how many events of the log are looked at, at most 500")
	return c
}

// loginLine says what a fact about a login is.
func loginLine(e client.Logged, people []org.Person) string {
	var p struct {
		org.Login

		Wrong int
	}
	if json.Unmarshal(e.Payload, &p) != nil || p.Login == (org.Login{}) {
		return "It was erased."
	}
	name := func(id string) string {
		for _, known := range people {
			if known.ID == id {
				return known.Name
			}
		}
		return id
	}
	from := ""
	if p.Address != "" {
		from = " from " + p.Address
	}
	switch e.Type {
	case org.LoginRefusedKind.Name:
		return plural(p.Wrong, "wrong token") + from + "; they are slowed"
	case org.LoggedOutKind.Name:
		by := ""
		if e.From != (org.Person{ID: p.Person}).Party().AgentID {
			by = " by " + name(strings.TrimPrefix(e.From, "agent:person/"))
		}
		return name(p.Person) + ": a login was ended" + by + from
	}
	ways := map[org.Way]string{org.ByLink: "opened a login link", org.ByInvitation: "accepted an invitation", org.ByNewKey: "made a key"}
	return name(p.Person) + " " + cmp.Or(ways[p.How], string(p.How)) + from + ", token " + p.Token
}

func (a *app) revoke() *cobra.Command {
	return &cobra.Command{
		Use: "revoke TOKEN-ID", Short: "Revoke a token, a login or an invitation, by its id from `chela person tokens`", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			out, err := cl.RevokeToken(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return a.print(out, func() { a.printf("%s opens nothing any more.\n", out.Revoked) })
		},
	}
}

func (a *app) person(p org.Person) {
	state := ""
	if !p.Enabled {
		state = ", disabled"
	}
	a.printf("%s  %s, %s%s  %s\n", p.ID, p.Name, p.Role, state, strings.Join(p.Identities, " "))
}
