package library

import (
	"context"
	"fmt"

	"github.com/aymanbagabas/go-udiff"

	"chela/internal/fault"
)

// Diff is what changed from one version of a workflow to another, as a unified diff; empty is nothing.
func (l *Library) Diff(ctx context.Context, slug string, from, to int) (string, error) {
	a, err := l.store.Version(ctx, slug, from)
	if err != nil {
		return "", err
	}
	b, err := l.store.Version(ctx, slug, to)
	if err != nil {
		return "", err
	}
	return udiff.Unified(fmt.Sprintf("%s, version %d", slug, from), fmt.Sprintf("%s, version %d", slug, to), a.Source, b.Source), nil
}

// DraftDiff is what is different in the draft of a workflow from the version that is deployed, 0 when none is, as a unified diff.
// Nothing is saved.
func (l *Library) DraftDiff(ctx context.Context, slug string) (deployed int, diff string, err error) {
	d, err := l.Draft(ctx, slug)
	if err != nil {
		return 0, "", err
	}
	live, err := l.store.Version(ctx, slug, 0)
	if fault.KindOf(err) == fault.NotFound && err != nil {
		return 0, "", nil
	}
	if err != nil {
		return 0, "", err
	}
	return live.Number, udiff.Unified(fmt.Sprintf("%s, version %d", slug, live.Number), slug+", draft", live.Source, d.Source), nil
}
