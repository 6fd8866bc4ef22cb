package agent

import (
	"context"

	"chela/internal/fault"
	"chela/internal/tool"
)

// Secrets give the values of secrets to calls that were granted them.
type Secrets interface {
	Secret(ctx context.Context, name string) (string, error)
}

// secretsOf fetches the secrets that a permitted call asked for.
func (g *Runner) secretsOf(ctx context.Context, names []string) (map[string]tool.Secret, error) {
	if len(names) == 0 {
		return nil, nil
	}
	if g.opts.Secrets == nil {
		return nil, fault.New(fault.Unavailable, "There is no vault here, so no secret can be given.")
	}
	out := make(map[string]tool.Secret, len(names))
	for _, name := range names {
		value, err := g.opts.Secrets.Secret(ctx, name)
		if err != nil {
			return nil, err
		}
		out[name] = tool.Secret(value)
	}
	return out, nil
}
