package postgres

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// settings are what connections ask of the server, each unless the address says otherwise.
var settings = []struct{ name, value string }{ //nolint:gochecknoglobals // a table
	// What lists and searches ask takes tens of milliseconds, and compiling it, for which the server's estimates of them are a reason, up
	// to two seconds.
	{"jit", "off"},
	// A process that stands still inside a transaction, as when its machine sleeps or is cut off, holds locks for which all others wait. When
	// nobody is there to end its connections ([Backend.Disconnect]) the server does. Those that are well pause for some tens of milliseconds.
	{"idle_in_transaction_session_timeout", "10s"},
}

// stoodStill is what the server says of a connection that it has ended so.
const stoodStill = "25P03"

// nameSetting is the setting by which a connection says whose it is.
const nameSetting = "application_name"

// mostNamed is how much of an operator's name for the connections is kept; the server keeps 63 bytes of the whole.
const mostNamed = 32

// processName is a name for the connections of this process which no other has, after the operator's.
func processName(said string) string {
	if said == "" {
		said = "chela"
	}
	return strings.ToValidUTF8(said[:min(len(said), mostNamed)], "") + " " + rand.Text()
}

// settle makes the settings of a connection that its address, whose parameters said are, leaves open, and says whose it is.
func settle(ctx context.Context, c *pgx.Conn, process string, said map[string]string) error {
	if _, err := c.Exec(ctx, "SELECT set_config($1, $2, false)", nameSetting, process); err != nil {
		return err
	}
	for _, s := range settings {
		if _, ok := said[s.name]; ok {
			continue
		}
		if _, err := c.Exec(ctx, "SELECT set_config($1, $2, false)", s.name, s.value); err != nil {
			return err
		}
	}
	return nil
}

// Process implements [store.Backend].
func (b *Backend) Process() string { return b.process }

// Disconnect implements [store.Backend]. A role may end connections of its own.
func (b *Backend) Disconnect(ctx context.Context, process string) error {
	if process == "" || process == b.process {
		return nil
	}
	_, err := b.pool.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE application_name = $1 AND datname = current_database() AND usename = current_user`, process)
	if err != nil {
		return fmt.Errorf("end the connections of %s: %w", process, told(err))
	}
	return nil
}
