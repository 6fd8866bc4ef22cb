package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"chela/internal/event"
	"chela/internal/mcp"
	"chela/internal/run"
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

// projectFollowed writes which tasks are followed that agents of others were given.
func (tx *Tx) projectFollowed(e event.Event) error {
	tx.topics[event.TasksFollowed] = true
	forget := func(server, task string) error {
		const of = " WHERE thread_id = ? AND server = ? AND task = ?"
		if err := tx.do("DELETE FROM mcp_looks WHERE id IN (SELECT id FROM mcp_tasks"+of+")", e.Message.ThreadID, server, task); err != nil {
			return err
		}
		return tx.do("DELETE FROM mcp_tasks"+of, e.Message.ThreadID, server, task)
	}
	if err := open(e, mcp.SettledKind, func(s mcp.Settled) error { return forget(s.Server, s.Task) }); err != nil {
		return err
	}
	return open(e, mcp.FollowedKind, func(f mcp.Followed) error {
		if err := forget(f.Server, f.Task); err != nil {
			return err
		}
		if err := tx.do("INSERT INTO mcp_looks (id, next_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING", e.Message.ID, micros(e.At)); err != nil {
			return err
		}
		return tx.do("INSERT INTO mcp_tasks (id, thread_id, server, task, run_id, body, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
			e.Message.ID, e.Message.ThreadID, f.Server, f.Task, e.Message.RunID, string(e.Message.Payload), micros(e.At))
	})
}

// Given implements [mcp.FollowedStore].
func (m MCP) Given(ctx context.Context) ([]mcp.Given, error) {
	rows, err := m.db.Query(ctx, `SELECT t.id, t.thread_id, t.run_id, t.body, t.at, l.next_at,
		EXISTS (SELECT 1 FROM runs r WHERE r.thread_id = t.thread_id AND r.kind IN (`+turnKinds+`) AND r.ended_at = 0 AND r.state IN ('queued', 'running'))
		FROM mcp_tasks t JOIN mcp_looks l ON l.id = t.id ORDER BY t.at, t.thread_id, t.server, t.task`)
	if err != nil {
		return nil, fmt.Errorf("read the tasks of agents of others: %w", err)
	}
	return all(rows, func(scan func(...any) error) (g mcp.Given, err error) {
		var body, in string
		var at, next int64
		if err := scan(&g.ID, &g.Thread, &in, &body, &at, &next, &g.Busy); err != nil {
			return g, err
		}
		g.Run, g.At, g.Next = run.ID(in), fromMicros(at), fromMicros(next)
		if err := json.Unmarshal([]byte(body), &g.Followed); err != nil {
			return g, fmt.Errorf("decode a task of an agent of others: %w", err)
		}
		return g, nil
	})
}

// Claim implements [mcp.FollowedStore].
func (m MCP) Claim(ctx context.Context, id string, was, next time.Time) (mine bool, err error) {
	err = m.db.Write(ctx, func(tx *Tx) error {
		n, err := tx.Exec(ctx, "UPDATE mcp_looks SET next_at = ? WHERE id = ? AND next_at = ?", micros(next), id, micros(was))
		mine = n > 0
		return err
	})
	return mine && err == nil, err
}

// Following implements [mcp.FollowedTx].
func (tx *Tx) Following(thread, server, task string) (id string, err error) {
	err = tx.row("SELECT id FROM mcp_tasks WHERE thread_id = ? AND server = ? AND task = ?", []any{thread, server, task}, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return id, err
}
