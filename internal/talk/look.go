package talk

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"chela/internal/inbox"
	"chela/internal/run"
	"chela/internal/session"
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

// InBackground reports whether who asked for an answer did not wait for it.
func InBackground(r run.Run) (bool, error) {
	if len(r.Input) == 0 || !session.IsTurn(r.Kind) {
		return false, nil
	}
	var in session.TurnInput
	if err := json.Unmarshal(r.Input, &in); err != nil {
		return false, fmt.Errorf("read the input of %s: %w", r.ID, err)
	}
	return in.Background, nil
}
