package cli

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

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
				var out map[string]any
				if err := cl.Call(cmd.Context(), "POST", "/api/persons/accept", map[string]string{"token": args[0]}, &out); err != nil {
					return err
				}
				return a.print(out, func() { a.printf("Your token: %v\n", out["token"]) })
			}
			var l linkOut
			if err := cl.Call(cmd.Context(), "POST", "/api/persons/invite", map[string]string{"name": args[0], "role": role}, &l); err != nil {
				return err
			}
			return a.print(l, func() {
				a.printf("%s may accept until %s with: chela invite --accept %s\n", args[0], l.Expires, l.Token)
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
			var all []org.Person
			if err := cl.Call(cmd.Context(), http.MethodGet, "/api/persons", nil, &all); err != nil {
				return err
			}
			return a.print(all, func() {
				for _, p := range all {
					a.person(p)
				}
			})
		},
	})
	change := func(use, short, method string) *cobra.Command {
		return &cobra.Command{
			Use: use, Short: short, Args: cobra.ExactArgs(2),
			RunE: func(cmd *cobra.Command, args []string) error {
				cl, err := a.client()
				if err != nil {
					return err
				}
				path, in := "/api/persons/"+url.PathEscape(args[0])+"/identities", any(map[string]string{"identity": args[1]})
				if method == http.MethodDelete {
					path, in = path+"?identity="+url.QueryEscape(args[1]), nil
				}
				var p org.Person
				if err := cl.Call(cmd.Context(), method, path, in, &p); err != nil {
					return err
				}
				return a.print(p, func() { a.person(p) })
			},
		}
	}
	c.AddCommand(change("link PERSON IDENTITY", "Link an identity such as email:ann@example.com", http.MethodPost),
		change("unlink PERSON IDENTITY", "Unlink an identity", http.MethodDelete), a.tokens(), a.revoke())
	return c
}

// tokenOut is a token as the API describes it.
type tokenOut struct {
	ID      string     `json:"id"`
	Person  string     `json:"person,omitempty"`
	Purpose string     `json:"purpose"`
	Role    string     `json:"role,omitempty"`
	Label   string     `json:"label"`
	Created time.Time  `json:"created_at"`
	Expires *time.Time `json:"expires_at,omitempty"`
}

func (a *app) tokens() *cobra.Command {
	return &cobra.Command{
		Use: "tokens", Short: "List what opens for whom: your tokens and logins; for an admin everybody's", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			var all []tokenOut
			if err := cl.Call(cmd.Context(), http.MethodGet, "/api/tokens", nil, &all); err != nil {
				return err
			}
			return a.print(all, func() {
				for _, t := range all {
					until := "no end"
					if t.Expires != nil {
						until = "until " + t.Expires.Format(time.RFC3339)
					}
					a.printf("%s  %s  %s %q, since %s, %s\n", t.ID, t.Person, t.Purpose, t.Label, t.Created.Format(time.RFC3339), until)
				}
			})
		},
	}
}

func (a *app) revoke() *cobra.Command {
	return &cobra.Command{
		Use: "revoke TOKEN-ID", Short: "Revoke a token, a login or an invitation, by its id from `chela person tokens`", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			var out struct {
				Revoked string `json:"revoked"`
			}
			if err := cl.Call(cmd.Context(), http.MethodDelete, "/api/tokens/"+url.PathEscape(args[0]), nil, &out); err != nil {
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
