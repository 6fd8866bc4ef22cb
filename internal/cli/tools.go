package cli

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/spf13/cobra"
)

func (a *app) tools() *cobra.Command {
	return &cobra.Command{
		Use: "tools", Short: "List what agents can call, and who may", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			var out []struct {
				Name        string   `json:"name"`
				Description string   `json:"description"`
				Risk        string   `json:"risk"`
				Agents      []string `json:"agents"`
			}
			if err := cl.Call(cmd.Context(), http.MethodGet, "/api/tools", nil, &out); err != nil {
				return err
			}
			return a.print(out, func() {
				for _, t := range out {
					a.printf("%-26s %-13s %s\n%27s%s\n", t.Name, t.Risk, t.Description, "", cmp.Or(strings.Join(t.Agents, ", "), "nobody"))
				}
			})
		},
	}
}
