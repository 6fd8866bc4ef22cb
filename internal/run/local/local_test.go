package local_test

import (
	"log/slog"
	"testing"

	"chela/internal/run"
	"chela/internal/run/local"
	"chela/internal/store/sqlite"
	"chela/internal/testkit/runtest"
	"chela/internal/testkit/sqlitetest"
)

func Test(t *testing.T) {
	t.Parallel()
	runtest.Test(t, false, func(t *testing.T) runtest.Fixture {
		db, err := sqlite.Open(t.Context(), sqlitetest.Path(t))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() }) // its file goes with the test
		return runtest.Fixture{
			Store:  runtest.Store{Runs: db.Runs, Log: db.Log},
			Engine: func(by run.Executor, o run.Options) *run.Engine { return run.New(db, db.Runs, by, o) },
			Executor: func(_ string, lanes run.Lanes) run.Executor {
				return local.New(db.Queue, lanes, slog.New(slog.DiscardHandler))
			},
		}
	})
}
