package talk

import (
	"context"
	"strings"

	"chela/internal/inbox"
	"chela/internal/run"
)

// Look says what became of a message so far, without waiting.
func (t *Talk) Look(ctx context.Context, acc inbox.Accepted) (Reply, error) {
	out := Reply{Accepted: acc}
	_, err := t.settle(ctx, &out, run.Finished{})
	return out, err
}

// ModelOf is the name by which programs know who works a run.
func ModelOf(r run.Run) string {
	if name, ok := strings.CutPrefix(r.Agent, "agent:"); ok {
		return AgentPrefix + name
	}
	return Controller
}
