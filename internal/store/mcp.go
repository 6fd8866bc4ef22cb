package store

import (
	"context"
	"encoding/json"
	"fmt"

	"chela/internal/event"
	"chela/internal/mcp"
)

// An MCP is the servers of others whose tools agents use.
type MCP struct{ base }

// projectMCP writes how servers are reached, what they were seen to offer, and what of it is accepted.
func (tx *Tx) projectMCP(e event.Event) error {
	tx.topics[event.ServersChanged] = true
	if err := open(e, mcp.SetKind, func(s mcp.Server) error {
		return tx.do("INSERT INTO mcp_servers (name, body, seen, seen_digest, accepted, seq) VALUES (?, ?, '{}', '', '{}', ?) ON CONFLICT (name) DO UPDATE SET body = excluded.body, seq = excluded.seq",
			s.Name, string(e.Message.Payload), int64(e.Seq))
	}); err != nil {
		return err
	}
	if err := open(e, mcp.SeenKind, func(s mcp.Seen) error {
		return tx.do("UPDATE mcp_servers SET seen = ?, seen_digest = ?, seq = ? WHERE name = ?", string(e.Message.Payload), s.Digest, int64(e.Seq), s.Name)
	}); err != nil {
		return err
	}
	if err := open(e, mcp.AcceptedKind, func(a mcp.Accepted) error {
		return tx.do("UPDATE mcp_servers SET accepted = seen, seq = ? WHERE name = ? AND seen_digest = ?", int64(e.Seq), a.Name, a.Digest)
	}); err != nil {
		return err
	}
	return open(e, mcp.RemovedKind, func(r mcp.Removed) error { return tx.do("DELETE FROM mcp_servers WHERE name = ?", r.Name) })
}

// Servers returns the servers, by name.
func (m MCP) Servers(ctx context.Context) ([]mcp.Known, error) {
	return m.servers(func(query string, args ...any) (Rows, error) { return m.db.Query(ctx, query, args...) }, "ORDER BY name")
}

// servers reads those that rest selects.
func (m MCP) servers(query func(string, ...any) (Rows, error), rest string, args ...any) ([]mcp.Known, error) {
	rows, err := query("SELECT body, seen, accepted FROM mcp_servers "+rest, args...)
	if err != nil {
		return nil, fmt.Errorf("read MCP servers: %w", err)
	}
	return all(rows, func(scan func(...any) error) (k mcp.Known, err error) {
		var body, seen, accepted string
		if err := scan(&body, &seen, &accepted); err != nil {
			return k, err
		}
		var was mcp.Seen
		for _, p := range []struct {
			raw string
			out any
		}{{body, &k.Server}, {seen, &k.Seen}, {accepted, &was}} {
			if err := json.Unmarshal([]byte(p.raw), p.out); err != nil {
				return k, fmt.Errorf("decode an MCP server: %w", err)
			}
		}
		k.Accepted = was.Tools
		return k, nil
	})
}

// Change records what fn drafts of a server as it is; one that is not there has no name.
func (m MCP) Change(ctx context.Context, name string, fn func(mcp.Known) ([]event.Draft, error)) error {
	return changeOne(ctx, m.db, func(tx *Tx) ([]mcp.Known, error) { return m.servers(tx.query, "WHERE name = ?", name) }, mcp.Known{}, fn)
}
