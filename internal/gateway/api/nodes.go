package api

import (
	"context"
	"maps"
	"slices"
	"time"

	"chela/internal/event"
	"chela/internal/guard"
)

// nodes says which daemons share the database, which of them keep their artifacts elsewhere, and, where they differ, by which
// policy each goes.
func (a *api) nodes(ctx context.Context, out *Status) error {
	all, err := a.Store.Cluster.Nodes(ctx)
	if err != nil {
		return err
	}
	all[a.Node] = time.Time{}
	out.Nodes = slices.Sorted(maps.Keys(all))
	if len(out.Nodes) == 1 {
		return nil
	}
	for _, n := range out.Nodes {
		if n != a.Node && !a.Artifacts.Joined(n) {
			out.Apart = append(out.Apart, n)
		}
	}
	read, _, err := a.Store.Log.Events(ctx, 0, event.Filter{Type: guard.ReadKind.Name, Newest: true, Limit: 500})
	if err != nil {
		return err
	}
	policies := make(map[string]string)
	for _, e := range read {
		p, _, err := guard.ReadKind.Open(e.Event)
		if err != nil {
			continue // of a later version
		}
		for _, n := range out.Nodes {
			if _, known := policies[n]; !known && (p.Node == n || p.Node == "") {
				policies[n] = p.Digest
			}
		}
	}
	for _, n := range out.Nodes {
		if policies[n] == "" {
			policies[n] = guard.NoPolicy
		}
		if policies[n] != policies[out.Nodes[0]] {
			out.Policies = policies
		}
	}
	return nil
}
