package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/store"
)

func allOrNothing(t *testing.T, open Opener) {
	db, _ := open(t)
	bad := draft("org", "x")
	bad.Message.From.AgentID = "nobody"
	if _, err := db.Log.Append(t.Context(), draft("org", "a"), bad); fault.KindOf(err) != fault.Invalid || err == nil {
		t.Fatalf("a bad draft: %v", err)
	}
	boom := errors.New("boom")
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		if _, err := tx.Append(draft("org", "b")); err != nil {
			return err
		}
		return boom
	})
	if !errors.Is(err, boom) || count(t, db) != 0 {
		t.Fatalf("%v, %d events", err, count(t, db))
	}
}

// muchOrNothing has transactions that send much before they end fail in each way, beside others that do not.
func muchOrNothing(t *testing.T, open Opener) {
	db, _ := open(t)
	const each = 150
	boom := errors.New("boom")
	ends := []func(*store.Tx) error{
		func(*store.Tx) error { return nil },
		func(*store.Tx) error { return boom },
		func(*store.Tx) error { panic("a bug") },
		func(tx *store.Tx) error {
			_, err := tx.Exec(t.Context(), "INSERT INTO nowhere (x) VALUES (?)", 1)
			return err
		},
	}
	var wait sync.WaitGroup
	for i := range 12 {
		wait.Go(func() {
			err := db.Write(t.Context(), func(tx *store.Tx) error {
				var drafts []event.Draft
				for n := range each {
					drafts = append(drafts, draft(fmt.Sprintf("s%d", i), fmt.Sprint(n)))
				}
				if _, err := tx.Append(drafts...); err != nil {
					return err
				}
				return ends[i%len(ends)](tx)
			})
			if (i%len(ends) == 0) != (err == nil) {
				t.Errorf("transaction %d: %v", i, err)
			}
		})
	}
	wait.Wait()
	if n := count(t, db); n != 3*each {
		t.Fatalf("%d events, want the %d of each of the 3 that ended well", n, each)
	}
	r, err := db.Audit.Verify(t.Context())
	check(t, err)
	if r.Events != 3*each || !r.OK() {
		t.Fatalf("verified %+v", r)
	}
}

func keysOnce(t *testing.T, open Opener) {
	db, _ := open(t)
	d := draft("org", "a")
	d.Message.IdempotencyKey = "k"
	other := d
	other.Message.From.AgentID = "agent:other"
	byID := draft("org", "b")
	byID.Message.ID = "msg_fixed"
	for range 2 {
		_, err := db.Log.Append(t.Context(), d, d, other, byID, byID)
		check(t, err)
	}
	if n := count(t, db); n != 3 {
		t.Fatalf("%d events, want 3: a key is per sender, an id for all", n)
	}
	e, err := db.Log.ByKey(t.Context(), "agent:other", "k")
	check(t, err)
	if e.Message.From.AgentID != "agent:other" {
		t.Fatalf("found %+v", e)
	}
}

func keysOnceConcurrently(t *testing.T, open Opener) {
	db, _ := open(t)
	var wait sync.WaitGroup
	var mu sync.Mutex
	recorded := 0
	for i := range 16 {
		wait.Go(func() {
			d := draft(fmt.Sprintf("thread:thr_%d", i%4), "x")
			d.Message.IdempotencyKey = "same"
			out, err := db.Log.Append(t.Context(), d)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			recorded += len(out)
		})
	}
	wait.Wait()
	if recorded != 1 || count(t, db) != 1 {
		t.Fatalf("%d said they recorded it, %d are there", recorded, count(t, db))
	}
}

func expect(t *testing.T, open Opener) {
	db, _ := open(t)
	at := func(n int64) event.Draft {
		d := draft("project:p", "x")
		d.Expect = &n
		return d
	}
	_, err := db.Log.Append(t.Context(), at(0))
	check(t, err)
	if _, err := db.Log.Append(t.Context(), at(0)); fault.KindOf(err) != fault.Conflict {
		t.Fatalf("a stale append: %v", err)
	}
	_, err = db.Log.Append(t.Context(), at(1))
	check(t, err)
}

func chained(t *testing.T, open Opener) {
	db, _ := open(t)
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for j := range 10 {
				if _, err := db.Log.Append(t.Context(), draft(fmt.Sprintf("s%d", (i+j)%3), "x"), draft("s9", "y")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	r, err := db.Audit.Verify(t.Context())
	check(t, err)
	if !r.OK() || r.Events != 160 || r.Streams != 4 {
		t.Fatalf("%+v", r)
	}
}

// tampering holds that a change of any column of an event is found, and which event it is of.
func tampering(t *testing.T, open Opener) {
	changes := map[string]string{
		"payload": `UPDATE log_events SET payload = '{"text":"changed"}' WHERE stream = 's' AND stream_seq = 2`,
		"extra":   `UPDATE log_events SET extra = replace(extra, '"role":"person"', '"role":"system"') WHERE stream = 's' AND stream_seq = 2`,
		"place":   `UPDATE log_events SET stream_seq = 7 WHERE stream = 's' AND stream_seq = 2`,
		"missing": `DELETE FROM log_events WHERE stream = 's' AND stream_seq = 2`,
	}
	for _, c := range []string{"id", "type", "domain", "payload_type", "thread_id", "run_id", "task_id", "parent_task_id", "actor", "idempotency_key"} {
		changes[c] = `UPDATE log_events SET ` + c + ` = ` + c + ` || 'x' WHERE stream = 's' AND stream_seq = 2`
	}
	for _, c := range []string{"payload_digest", "prev_hash", "hash"} {
		changes[c] = `UPDATE log_events SET ` + c + ` = (SELECT x.` + c + ` FROM log_events x WHERE x.stream = 's' AND x.stream_seq = 3) WHERE stream = 's' AND stream_seq = 2`
	}
	for name, sql := range changes {
		t.Run(name, func(t *testing.T) {
			db, _ := open(t)
			for _, d := range []event.Draft{draft("s", "1"), whole("s"), draft("s", "3"), draft("s", "4")} {
				_, err := db.Log.Append(t.Context(), d)
				check(t, err)
			}
			check(t, db.Write(t.Context(), func(tx *store.Tx) error {
				n, err := tx.Exec(t.Context(), sql)
				if n != 1 {
					t.Errorf("%d rows were changed", n)
				}
				return err
			}))
			r, err := db.Audit.Verify(t.Context())
			check(t, err)
			if len(r.Findings) != 1 || r.Findings[0].Stream != "s" {
				t.Fatalf("%+v", r)
			}
			if want := int64(2); name != "missing" && name != "place" && r.Findings[0].StreamSeq != want {
				t.Errorf("names event %d, want %d", r.Findings[0].StreamSeq, want)
			}
		})
	}
}

func failAlone(t *testing.T, open Opener) {
	db, _ := open(t)
	var wait sync.WaitGroup
	for i := range 40 {
		wait.Go(func() {
			err := db.Write(t.Context(), func(tx *store.Tx) error {
				if _, err := tx.Append(draft(fmt.Sprintf("s%d", i), "x")); err != nil {
					return err
				}
				if i%4 == 0 {
					panic("a bug")
				}
				if i%4 == 1 {
					return errors.New("refused")
				}
				return nil
			})
			if (i%4 < 2) != (err != nil) {
				t.Errorf("writer %d: %v", i, err)
			}
		})
	}
	wait.Wait()
	if n := count(t, db); n != 20 {
		t.Fatalf("%d events, want those of the 20 that succeeded", n)
	}
}

// lateCommit has a transaction that took its positions first commit last. A reader
// that remembers the highest position it saw (the naive way) would miss it.
func lateCommit(t *testing.T, open Opener) {
	db, _ := open(t)
	if db.Name() == "sqlite" {
		return // one writer: positions are taken and committed in one order
	}
	appended, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- db.Write(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Append(draft("late", "first taken"))
			close(appended)
			<-release
			return err
		})
	}()
	<-appended
	_, err := db.Log.Append(t.Context(), draft("early", "second taken"))
	check(t, err)
	var naive int64
	rows, err := db.Query(t.Context(), "SELECT max(seq) FROM log_events")
	check(t, err)
	for rows.Next() {
		check(t, rows.Scan(&naive))
	}
	check(t, rows.Close())
	seen, cursor, err := db.Log.Events(t.Context(), 0, event.Filter{})
	check(t, err)
	if len(seen) != 0 {
		t.Fatalf("the reader passed a position that is still open: %v", seen)
	}
	close(release)
	check(t, <-done)
	rest, _, err := db.Log.Events(t.Context(), cursor, event.Filter{})
	check(t, err)
	if len(rest) != 2 || rest[0].Stream != "late" {
		t.Fatalf("the reader found %d events after the late commit, want both in order", len(rest))
	}
	missed, _, err := db.Log.Events(t.Context(), event.Seq(naive), event.Filter{})
	check(t, err)
	if len(missed) != 0 {
		t.Fatal("the naive cursor was expected to have passed the late event")
	}
}

// seenWhileWriting reads what was recorded before a transaction began that is still open.
func seenWhileWriting(t *testing.T, open Opener) {
	db, _ := open(t)
	if db.Name() == "sqlite" {
		return // one writer: readers wait for nobody
	}
	for range 2 { // the log's first event, too
		_, err := db.Log.Append(t.Context(), draft("early", "recorded"))
		check(t, err)
		before, _, err := db.Log.Events(t.Context(), 0, event.Filter{})
		check(t, err)
		appended, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			done <- db.Write(t.Context(), func(tx *store.Tx) error {
				_, err := tx.Append(draft("late", "not yet"))
				close(appended)
				<-release
				return err
			})
		}()
		<-appended
		seen, _, err := db.Log.Events(t.Context(), 0, event.Filter{})
		check(t, err)
		if len(before) == 0 || len(seen) != len(before) {
			t.Errorf("%d events were there, and %d are while somebody writes", len(before), len(seen))
		}
		close(release)
		check(t, <-done)
	}
}

func durable(t *testing.T, open Opener) {
	db, again := open(t)
	_, err := db.Log.Append(t.Context(), draft("org", "kept"))
	check(t, err)
	check(t, db.Close())
	db, err = again()
	check(t, err)
	if count(t, db) != 1 {
		t.Fatal("the event is gone")
	}
	check(t, db.Close())
}
