package builder

import (
	"context"

	"chela/internal/blueprint"
	"chela/internal/event"
)

// Do does the steps of a plan, without keeping how it stands.
func (b *Builder) Do(ctx context.Context, by event.Party, p blueprint.Plan) ([]Result, error) {
	w := &work{b: b, by: by, plan: p, vars: make(map[string]string), done: make(map[string]bool)}
	err := w.all(ctx, "")
	return w.results, err
}
