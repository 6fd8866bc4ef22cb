// Package acp speaks the Agent Client Protocol (version 1) with an editor that starts us: a session of the editor is a conversation of
// the running daemon, a prompt is a message in it, and what its log records is shown in the editor while it comes. side.go alone knows
// the protocol's types; conversation.go is where a prompt becomes a message and ends. docs/acp.md.
package acp

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"chela/internal/fault"
	"chela/internal/gateway/client"
)

// Options say whom the editor's sessions are with.
type Options struct {
	// Daemon returns a client of the running daemon. It is asked for each call: a daemon that was started again may be elsewhere.
	Daemon func() (*client.Client, error)
	// Project is the id of the project of sessions that begin; "" is none.
	Project func(ctx context.Context, cl *client.Client) (string, error)
	Agent   string    // who answers in sessions that begin; empty lets the controller choose
	Version string    // of us
	Log     io.Writer // what is told beside the protocol
}

// An editor is what is on the other side.
type editor interface {
	// show shows what became of a conversation.
	show(id string, u update)
	// permit asks the person whether a call may be made, and returns the option that they chose; "" is none.
	permit(ctx context.Context, id string, c call, options []choice) (string, error)
	// files says what agents may do with its files.
	files() (reads, writes bool)
	// readFile reads a text file, from a line on and so many lines; 0 is the first, and all.
	readFile(ctx context.Context, id, path string, line, limit int) (string, error)
	writeFile(ctx context.Context, id, path, content string) error
}

// An update is what is new in a conversation: one of its fields.
type update struct {
	agent, person string // what they say
	call          *call
	commands      []command
	options       []option
	title         string
}

// A command is what can be said with a slash before it.
type command struct{ name, help, args string }

// An option is something that a person chooses for a conversation.
type option struct {
	id, name, help string
	now            string
	values         []value
}

type value struct{ id, name string }

// A choice is one answer to a question.
type choice struct {
	id, name string
	allows   bool
	always   bool
}

// A connection is one editor's.
type connection struct {
	Options
	editor editor
	ctx    context.Context //nolint:containedctx // the connection's own life, which requests do not outlive
	all    sync.WaitGroup

	mu   sync.Mutex // guards the rest
	open map[string]*conversation
	told bool // that MCP servers of editors are not used
}

func newConnection(ctx context.Context, o Options, e editor) *connection {
	return &connection{Options: o, editor: e, ctx: ctx, open: make(map[string]*conversation)}
}

// logf tells something beside the protocol.
func (c *connection) logf(format string, args ...any) {
	_, _ = fmt.Fprintf(c.Log, "chela: "+format+"\n", args...) // nobody reads it
}

// again is how long the daemon is left alone after it was away.
const again = time.Second

// rest waits a moment. It returns false when ctx ends.
func rest(ctx context.Context) bool {
	timer := time.NewTimer(again)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// check asks the daemon whether it knows us.
func (c *connection) check(ctx context.Context) error {
	cl, err := c.Daemon()
	if err != nil {
		return err
	}
	_, err = cl.Status(ctx)
	return withWayOut(err)
}

// withWayOut says of a token that is not known what to do about it.
func withWayOut(err error) error {
	if err == nil || fault.KindOf(err) != fault.Unauthenticated {
		return err
	}
	return fault.Wrap(err, fault.Unauthenticated, "%s Give `chela acp` the daemon's own folder with --data, or a token that it knows with --token or CHELA_TOKEN.", fault.TextOf(err))
}

// servers takes note of the MCP servers that an editor would have us use.
func (c *connection) servers(n int) {
	c.mu.Lock()
	first := n > 0 && !c.told
	c.told = c.told || first
	c.mu.Unlock()
	if first {
		c.logf("The editor names %d MCP servers. They are not used: an owner adds the servers of the organization with `chela mcp add`.", n)
	}
}

// find returns a conversation that the editor has open.
func (c *connection) find(id string) (*conversation, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := c.open[id]
	if v == nil {
		return nil, fault.New(fault.NotFound, "There is no session %s here. Begin one with session/new, or load it with session/load.", id)
	}
	return v, nil
}
