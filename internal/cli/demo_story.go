package cli

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"chela/demo"
	"chela/internal/config"
	"chela/internal/fault"
	"chela/internal/model"
	"chela/internal/story"
)

// demoScript is the provider that plays the agents of the demo. It answers those alone that name it,
// but while the story is told.
func demoScript(data string, reserved bool) model.Provider {
	return model.Provider{Name: "demo", Kind: model.KindScripted, Model: "script", Script: filepath.Join(data, "script.json"), Reserved: reserved}
}

// withScript is a configuration whose scripted model has a price, so that the demo's costs can be seen.
func withScript(cfg config.Config, reserved bool) config.Config {
	in, out, longest := 3.0, 15.0, 1000
	cfg.Providers = append(cfg.Providers, demoScript(cfg.Data, reserved))
	cfg.Prices = append(cfg.Prices, model.Override{Match: "script", In: &in, Out: &out, Output: &longest})
	return cfg
}

// tell writes the story of the demo into a new data folder.
func (a *app) tell(ctx context.Context, cfg config.Config) (story.Told, error) {
	s, err := story.Read(demo.Story)
	if err != nil {
		return story.Told{}, err
	}
	workspace := filepath.Join(cfg.Data, "workspace", "release-scribe")
	if err := os.MkdirAll(workspace, 0o700); err != nil {
		return story.Told{}, fault.Wrap(err, fault.Unavailable, "The folder %s cannot be made.", workspace)
	}
	for name, raw := range map[string][]byte{
		demoScript(cfg.Data, false).Script:     demo.Script,
		filepath.Join(workspace, "runbook.md"): demo.Runbook,
		filepath.Join(cfg.Data, "policy.yaml"): demo.Policy,
	} {
		if err := os.WriteFile(name, raw, 0o600); err != nil {
			return story.Told{}, fault.Wrap(err, fault.Unavailable, "The file %s cannot be written.", name)
		}
	}
	told := config.Config{Data: cfg.Data, Node: cfg.Node}
	return story.Tell(ctx, s, demo.Files, withScript(told, false), time.Now())
}
