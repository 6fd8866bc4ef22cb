package cli

import (
	"bufio"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/model"
)

func textOf(err error) string {
	var fe *fault.Error
	if errors.As(err, &fe) {
		return fe.Text
	}
	return err.Error()
}

func (a *app) setup() *cobra.Command {
	return &cobra.Command{
		Use: "setup", Aliases: []string{"onboard"}, Short: "Choose a model and create a project; the daemon must run", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			in := bufio.NewScanner(a.in)
			ask := func(question, otherwise string) string {
				if otherwise != "" {
					question += " [" + otherwise + "]"
				}
				a.printf("%s: ", question)
				if in.Scan() && strings.TrimSpace(in.Text()) != "" {
					return strings.TrimSpace(in.Text())
				}
				return otherwise
			}
			kind := strings.ToLower(ask("Which model? anthropic, openai, gemini, zai, compatible (Ollama, vLLM, OpenRouter …) or none", "none"))
			if kind != "none" {
				p, err := provider(kind, ask)
				if err != nil {
					return err
				}
				if _, err := cl.SetModels(cmd.Context(), []client.ProviderBody{p}); err != nil {
					return err
				}
				s, err := cl.TestModel(cmd.Context(), p.Name)
				switch {
				case err != nil:
					return err
				case s.Last != nil && s.Last.Error != "":
					a.printf("The model is set, but it does not answer: %s Correct it with `chela setup`, or on the page Models.\n", s.Last.Error)
				default:
					a.printf("The model is set, and answers.\n")
				}
			} else {
				a.printf("Without a model, Chela works by its rules; add one later with `chela setup`.\n")
			}
			name := ask("Name of your first project (empty for none)", "")
			if name == "" {
				return nil
			}
			if _, err := cl.CreateProject(cmd.Context(), desk.ProjectBody{Name: name}); err != nil {
				return err
			}
			a.printf("The project %s is there. Next: chela intake FILE --project %q\n", name, name)
			return nil
		},
	}
}

func provider(kind string, ask func(string, string) string) (client.ProviderBody, error) {
	made := func(name string, kind model.Kind, base, key, of string) client.ProviderBody {
		return client.ProviderBody{Name: name, Kind: string(kind), BaseURL: client.Given(base), Key: client.Given(key), Model: client.Given(of)}
	}
	switch kind {
	case "anthropic":
		return made(kind, model.KindAnthropic, "", ask("API key", ""), ask("Model", "claude-sonnet-4-5")), nil
	case "openai":
		return made(kind, model.KindOpenAI, "", ask("API key", ""), ask("Model", "gpt-4o")), nil
	case "gemini":
		return made(kind, model.KindGemini, "", ask("API key", ""), ask("Model", "gemini-2.5-flash")), nil
	case "zai":
		base := ask("Base URL (https://api.z.ai/api/coding/paas/v4 with the coding plan)", "https://api.z.ai/api/paas/v4")
		of, ok := model.ZAI(base)
		if !ok {
			of = model.KindOpenAI
		}
		return made(kind, of, base, ask("API key", ""), ask("Model", "glm-4.6")), nil
	case "compatible":
		return made(kind, model.KindOpenAI, ask("Base URL", "http://127.0.0.1:11434/v1"), ask("API key (empty for none)", ""), ask("Model", "llama3.1")), nil
	}
	return client.ProviderBody{}, fault.BadField("model", "That is not one of the choices.", "anthropic", "openai", "gemini", "zai", "compatible", "none")
}
