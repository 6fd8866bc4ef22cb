package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"chela/internal/fault"
)

// How long a server that is away, as when it starts again, is waited for, and how often it is tried.
const (
	patience = 10 * time.Second
	interval = 100 * time.Millisecond
)

// errCommitting marks what failed while a transaction committed: whether it did is not known.
var errCommitting = errors.New("while it committed")

// lost reports whether err says that the server is away, and not that it refused something.
func lost(err error) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch e.Code {
		case "57P01", "57P02", "57P03", "53300": // it shuts down, crashed, starts, has no connection left
			return true
		}
		return strings.HasPrefix(e.Code, "08") // of the connection
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	_, network := errors.AsType[net.Error](err)
	return connecting || network || pgconn.SafeToRetry(err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

// wait returns false when a server that is away since begin was waited for long enough.
func wait(ctx context.Context, begin time.Time) bool {
	if time.Since(begin) > patience {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(interval):
		return true
	}
}

// since returns why something failed that was tried while the server was away: the caller's time may
// have ended while it was tried once more.
func since(away, err error) error {
	if away != nil && errors.Is(err, context.DeadlineExceeded) {
		return away
	}
	return err
}

// refusals are what people can do about what a server says that answers and still does not do what it is asked, by its code.
var refusals = map[string]string{ //nolint:gochecknoglobals // a table
	"25006": "PostgreSQL takes no changes: it is a standby, or was made read-only. What is recorded can be read. Let the address name the server that writes. Nothing was changed; try it again then.",
	"28000": "PostgreSQL answers and does not let this user in. Look at the user in the address (postgres in chela.yaml, --postgres or CHELA_POSTGRES) and at the server's pg_hba.conf; a daemon reads a new address when it starts.",
	"28P01": "PostgreSQL answers and refuses the password. Put the right one into the address (postgres in chela.yaml, --postgres or CHELA_POSTGRES); a daemon reads it when it starts.",
	"3D000": "PostgreSQL answers and has no such database. Make it (createdb), or name another in the address.",
	"42501": "PostgreSQL answers, and the user of the address may not do this in that database. Let it own the database, or at least make tables in its schema.",
	"53100": "The disk of PostgreSQL is full, so nothing more can be recorded; what is recorded can be read. Free some room there. Nothing was changed; try it again then.",
	"53300": "PostgreSQL has no connection left for this daemon. Raise max_connections, or name fewer in the addresses (?pool_max_conns=12). Nothing was changed; try it again in a moment.",
}

// refused returns what the server says when it answers and refuses; ok is false when it says nothing that is known here.
func refused(err error) (out error, ok bool) {
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || refusals[e.Code] == "" {
		return nil, false
	}
	return fault.Wrap(err, fault.Unavailable, "%s", refusals[e.Code]), true
}

// unopened says why a server cannot be used at a start.
func unopened(err error) error {
	if out, ok := refused(err); ok {
		return out
	}
	return fault.Wrap(err, fault.Unavailable, "PostgreSQL cannot be reached. Is the server running, and does the address fit?")
}

// told makes what the server says into what people can act on.
func told(err error) error {
	if err == nil {
		return nil
	}
	if out, ok := refused(err); ok && !errors.Is(err, errCommitting) {
		return out
	}
	switch {
	case !lost(err):
		return err
	case errors.Is(err, errCommitting):
		return fault.Wrap(err, fault.Unavailable, "PostgreSQL went away while this was recorded, so it may be recorded or not. Look before you do it again.")
	}
	return fault.Wrap(err, fault.Unavailable, "PostgreSQL cannot be reached, or is starting again. Nothing was changed; try it again in a moment.")
}

// A readiness is whether the server takes changes, as far as the latest try has shown. A node tries each second, when it beats.
type readiness struct{ why atomic.Pointer[error] }

// note takes in how a transaction that changes something went.
func (r *readiness) note(err error) {
	e, ok := errors.AsType[*pgconn.PgError](err)
	switch {
	case err == nil:
		r.why.Store(nil)
	case ok && (e.Code == "25006" || e.Code == "53100"):
		err = told(err)
		r.why.Store(&err)
	}
}

// lacks says why nothing is recorded now.
func (r *readiness) lacks() error {
	if why := r.why.Load(); why != nil {
		return *why
	}
	return nil
}
