package bench

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite" // the bare driver

	"chela/internal/event"
	"chela/internal/store"
	"chela/internal/store/postgres"
	"chela/internal/store/sqlite"
	"chela/internal/testkit/pgtest"
)

type note struct {
	Text string `json:"text"`
}

var noteKind = event.Kind[note]{Name: "log.note", PayloadType: "log.note.v1"}

// appends measures single appends beside single inserts of the same bytes through the
// bare driver at the same durability.
func appends(b *testing.B, db string) {
	b.Helper()
	text := strings.Repeat("x", 200)
	log, bare := openLog(b, db, report{}.world(b, db)), openBare(b, db)
	defer func() { _ = log.Close() }()  // a report
	defer func() { _ = bare.Close() }() // a report
	var ids atomic.Int64
	for _, c := range levels {
		calls := map[int]int{1: 1000, 16: 4000, 128: 8000}[c]
		floor := drive(b, c, calls, func(int, int) error {
			_, err := bare.ExecContext(b.Context(), insertBare(db), ids.Add(1), text)
			return err
		})
		ours := drive(b, c, calls, func(loop, _ int) error {
			at := event.Place{Stream: fmt.Sprintf("s%d", loop), Thread: "thr_1", Run: "run_1", Task: "task_1", From: event.Party{AgentID: "agent:bench"}}
			_, err := log.Log.Append(b.Context(), noteKind.Draft(at, note{text}))
			return err
		})
		line(fmt.Sprintf("%s appends, %d writers", db, c), ours.rate, "1/s", floor.rate)
	}
}

// openLog opens the log of a world.
func openLog(b *testing.B, db string, w world) *store.DB {
	b.Helper()
	var s *store.DB
	var err error
	if db == "sqlite" {
		s, err = sqlite.Open(b.Context(), filepath.Join(w.data, "chela.db"))
	} else {
		s, err = postgres.Open(b.Context(), w.postgres)
	}
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func insertBare(db string) string {
	if db == "postgres" {
		return "INSERT INTO bare (id, body) VALUES ($1, $2)"
	}
	return "INSERT INTO bare (id, body) VALUES (?, ?)"
}

func openBare(b *testing.B, db string) *sql.DB {
	b.Helper()
	var s *sql.DB
	if db == "sqlite" {
		var err error
		s, err = sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "bare.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(10000)")
		if err != nil {
			b.Fatal(err)
		}
		s.SetMaxOpenConns(1)
	} else {
		pool, err := pgxpool.New(b.Context(), pgtest.URL(b))
		if err != nil {
			b.Fatal(err)
		}
		pool.Config().MaxConns = 24
		b.Cleanup(pool.Close)
		s = stdlib.OpenDBFromPool(pool)
	}
	if _, err := s.ExecContext(b.Context(), "CREATE TABLE bare (id BIGINT PRIMARY KEY, body TEXT NOT NULL)"); err != nil {
		b.Fatal(err)
	}
	return s
}
