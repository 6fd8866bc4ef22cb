package library

import (
	"context"
	"fmt"

	"github.com/aymanbagabas/go-udiff"
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
