package cli

import (
	"bufio"
	"context"
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

// An asker asks what a person types, a line at a time.
type asker struct {
	*app

	in *bufio.Scanner
}

// ask asks a question; an empty answer, or none any more, is the one that is offered.
func (k asker) ask(question, otherwise string) string {
	if otherwise != "" {
		question += " [" + otherwise + "]"
	}
	k.printf("%s: ", question)
	if k.in.Scan() && strings.TrimSpace(k.in.Text()) != "" {
		return strings.TrimSpace(k.in.Text())
	}
	return otherwise
}

// askSecret asks for what a terminal does not show.
func (k asker) askSecret(question string) (string, error) {
	if !k.terminal() {
		return k.ask(question, ""), nil
	}
	text, err := k.hush(question)
	return strings.TrimSpace(text), err
}

func (a *app) setup() *cobra.Command {
	return &cobra.Command{
		Use: "setup", Aliases: []string{"onboard"}, Short: "Choose a model and create a project; the daemon must run", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			k := asker{a, bufio.NewScanner(a.in)}
			if err := k.chooseModel(cmd.Context(), cl); err != nil {
				return err
			}
			name := k.ask("Name of your first project (empty for none)", "")
			if name == "" {
				a.printf("\n")
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

// chooseModel asks for a model and sets it. Models that are there already, of the environment too, stay unless another is chosen.
func (k asker) chooseModel(ctx context.Context, cl *client.Client) error {
	have, err := cl.ListModels(ctx)
	if err != nil {
		return err
	}
	question, otherwise := "Which model? anthropic, openai, gemini, zai, compatible (Ollama, vLLM, OpenRouter …) or none", "none"
	if len(have) > 0 {
		otherwise = "keep"
		question = "Which model instead? anthropic, openai, gemini, zai, compatible (Ollama, vLLM, OpenRouter …) or keep"
		for _, m := range have {
			k.printf("Chela has the model %s of %s (from %s).\n", m.Model, m.Name, providerFrom(m.From))
		}
	}
	kind := strings.ToLower(k.ask(question, otherwise))
	switch {
	case len(have) > 0 && (kind == "keep" || kind == "none"):
		k.printf("It stays. The page Models changes it, too.\n")
		return nil
	case kind == "none":
		k.printf("Without a model, Chela works by its rules; add one later with `chela setup`.\n")
		return nil
	}
	p, err := k.provider(kind)
	if err != nil {
		return err
	}
	if _, err := cl.SetModels(ctx, []client.ProviderBody{p}); err != nil {
		return err
	}
	k.printf("The model is set. Asking it …\n")
	s, err := cl.TestModel(ctx, p.Name)
	switch {
	case err != nil:
		return err
	case s.Last != nil && s.Last.Error != "":
		k.printf("It does not answer: %s Correct it with `chela setup`, or on the page Models.\n", s.Last.Error)
	default:
		k.printf("It answers.\n")
	}
	return nil
}

// provider asks what a kind of model needs.
func (k asker) provider(kind string) (client.ProviderBody, error) {
	wanted := map[string]struct {
		kind             model.Kind
		base, key, model string
	}{
		"anthropic":  {model.KindAnthropic, "", "API key", "claude-sonnet-4-5"},
		"openai":     {model.KindOpenAI, "", "API key", "gpt-4o"},
		"gemini":     {model.KindGemini, "", "API key", "gemini-2.5-flash"},
		"zai":        {model.KindOpenAI, "https://api.z.ai/api/paas/v4", "API key", "glm-4.6"},
		"compatible": {model.KindOpenAI, "http://127.0.0.1:11434/v1", "API key (empty for none)", "llama3.1"},
	}
	w, ok := wanted[kind]
	if !ok {
		return client.ProviderBody{}, fault.BadField("model", "That is not one of the choices.", "anthropic", "openai", "gemini", "zai", "compatible", "none")
	}
	base := ""
	switch kind {
	case "zai":
		base = k.ask("Base URL (https://api.z.ai/api/coding/paas/v4 with the coding plan)", w.base)
		if of, ok := model.ZAI(base); ok {
			w.kind = of
		}
	case "compatible":
		base = k.ask("Base URL", w.base)
	}
	key, err := k.askSecret(w.key)
	if err != nil {
		return client.ProviderBody{}, err
	}
	return client.ProviderBody{Name: kind, Kind: string(w.kind), BaseURL: client.Given(base), Key: client.Given(key), Model: client.Given(k.ask("Model", w.model))}, nil
}
