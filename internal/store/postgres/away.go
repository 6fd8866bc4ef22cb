package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
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

// told makes what the server says into what people can act on.
func told(err error) error {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*pgconn.PgError](err)
	switch {
	case ok && e.Code == "53100":
		return fault.Wrap(err, fault.Unavailable, "The disk of PostgreSQL is full, so nothing more can be recorded; what is recorded can be read. Free some room there. Nothing was changed; try it again then.")
	case !lost(err):
		return err
	case errors.Is(err, errCommitting):
		return fault.Wrap(err, fault.Unavailable, "PostgreSQL went away while this was recorded, so it may be recorded or not. Look before you do it again.")
	}
	return fault.Wrap(err, fault.Unavailable, "PostgreSQL cannot be reached, or is starting again. Nothing was changed; try it again in a moment.")
}
