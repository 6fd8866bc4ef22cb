package postgres

import (
	"context"
	"errors"
	"net/url"

	"github.com/jackc/pgx/v5"

	"chela/internal/event"
	"chela/internal/fault"
)

// Fresh makes a database on the server of an address, and returns its address and a function
// that drops it. It is a copy of the database at pattern, on the same server, to which
// nobody may be connected; without a pattern it is empty.
func Fresh(ctx context.Context, server, pattern string) (address string, drop func() error, err error) {
	u, err := url.Parse(server)
	if err != nil || u.Host == "" && u.Query().Get("host") == "" {
		return "", nil, fault.New(fault.Invalid, "The address of a PostgreSQL server looks like postgres://user@host/database.")
	}
	name := "chela_" + event.NewID("fresh") //nolint:forbidigo // a database is none of its records
	create := "CREATE DATABASE " + name
	if pattern != "" {
		from, err := pgx.ParseConfig(pattern)
		if err != nil {
			return "", nil, fault.Wrap(err, fault.Invalid, "The address of the database to copy cannot be read.")
		}
		create += " TEMPLATE " + pgx.Identifier{from.Database}.Sanitize()
	}
	if err := on(ctx, server, create); err != nil {
		return "", nil, fault.Wrap(err, fault.Unavailable, "No database can be made on the PostgreSQL server. Is it running, and may the user make databases?")
	}
	u.Path = "/" + name
	return u.String(), func() error { return on(context.WithoutCancel(ctx), server, "DROP DATABASE "+name+" WITH (FORCE)") }, nil
}

func on(ctx context.Context, server, statement string) error {
	c, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	_, err = c.Exec(ctx, statement)
	return errors.Join(err, c.Close(ctx))
}
