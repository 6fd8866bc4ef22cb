package cli

import (
	"github.com/spf13/cobra"
)

// memoryVectors shows how far vectors are, and has another model give them.
func (a *app) memoryVectors() *cobra.Command {
	return &cobra.Command{
		Use: "vectors [MODEL|none]", Short: "Show how far vectors of memories are, or name the model that gives them", Args: cobra.MaximumNArgs(1),
		Long:    "Shows how far vectors of memories are, or names the model that gives them: PROVIDER/MODEL of a provider of the kind openai, static/NAME for a file in the folder embeddings/NAME of the data, or none. Another model's vectors are made anew.",
		Example: "  chela memory vectors openai/text-embedding-3-small\n  chela memory vectors static/potion-base-8M\n  chela memory vectors none",
		RunE: func(cmd *cobra.Command, args []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			choices, err := cl.ListModelChoices(cmd.Context())
			if err != nil {
				return err
			}
			if len(args) == 1 {
				named := choices.Named
				if named.Jobs.Embedding = args[0]; args[0] == "none" {
					named.Jobs.Embedding = ""
				}
				if choices, err = cl.ChooseModels(cmd.Context(), named); err != nil {
					return err
				}
			}
			s, err := cl.VectorStatus(cmd.Context())
			if err != nil {
				return err
			}
			return a.print(s, func() {
				if choices.Named.Jobs.Embedding == "" {
					a.printf("No model is named that gives vectors: memories are found by their words.\n")
					return
				}
				a.printf("%s gives vectors: %d passages have one, %d wait.\n", choices.Named.Jobs.Embedding, s.Kept, s.Waiting)
				if s.Problem != "" {
					a.printf("None is made now: %s\n", s.Problem)
				}
			})
		},
	}
}
