package sqlite_test

import (
	"errors"
	"strings"
	"sync"
	"syscall"
	"testing"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/store"
	"chela/internal/store/sqlite"
)

// syncs has the disk asked by fn instead, from the next commit on.
func syncs(t *testing.T, db *store.DB, fn func() error) {
	t.Helper()
	if err := inside(t, db, func(store.Conn) error {
		db.Backend.(*sqlite.Backend).Syncs(fn) //nolint:forcetypeassert // open made it
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestJournal_CommittedBeforeItIsSynced: what depends on a commit begins while the disk is at work, and nobody is
// told that it is recorded before the disk is done.
func TestJournal_CommittedBeforeItIsSynced(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	syncing, release := make(chan struct{}), make(chan struct{})
	syncs(t, db, func() error {
		close(syncing)
		<-release
		return nil
	})
	seen, done := make(chan event.Seq, 1), make(chan error)
	go func() {
		done <- db.Write(t.Context(), func(tx *store.Tx) error {
			tx.OnCommit(func() {
				end, err := db.Log.End(t.Context())
				if err != nil {
					t.Error(err)
				}
				seen <- end
			})
			_, err := tx.Append(noted())
			return err
		})
	}()
	<-syncing
	select {
	case end := <-seen:
		if end != 1 {
			t.Errorf("the log ends at %d", end)
		}
	default:
		t.Error("it is not seen while the disk is at work")
	}
	select {
	case err := <-done:
		t.Errorf("it is said to be recorded while the disk is at work: %v", err)
	default:
	}
	close(release)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// TestJournal_WhatOnlyReadsIsNotSynced: a transaction that changed nothing does not wait for the disk.
func TestJournal_WhatOnlyReadsIsNotSynced(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	n := 0
	syncs(t, db, func() error { n++; return nil })
	for _, want := range []int{0, 1, 1} {
		if err := db.Write(t.Context(), func(tx *store.Tx) error {
			if _, err := tx.Cursor("x"); err != nil || want == 0 || n == 1 {
				return err
			}
			return tx.SetCursor("x", 7)
		}); err != nil {
			t.Fatal(err)
		}
		if n != want {
			t.Errorf("%d syncs, want %d", n, want)
		}
	}
}

// TestJournal_ADiskThatFails: nobody is told that something is recorded which may not be, and nothing more is
// until the file is opened again.
func TestJournal_ADiskThatFails(t *testing.T) {
	t.Parallel()
	db, again := open(t)
	if _, err := db.Log.Append(t.Context(), noted()); err != nil || db.Writable() != nil {
		t.Fatal(err, db.Writable())
	}
	asked := 0
	syncs(t, db, func() error { asked++; return syscall.EIO })
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			_, err := db.Log.Append(t.Context(), noted())
			if fault.KindOf(err) != fault.Unavailable || !errors.Is(err, syscall.EIO) || !strings.Contains(fault.TextOf(err), "until Chela is started again") {
				t.Errorf("%v", err)
			}
		})
	}
	all.Wait()
	if err := db.Writable(); !errors.Is(err, syscall.EIO) {
		t.Errorf("the store is well: %v", err)
	}
	if asked != 1 {
		t.Errorf("the disk was asked %d times; what it says after it failed once means nothing", asked)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := again()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Log.Append(t.Context(), noted()); err != nil {
		t.Fatal(err)
	}
	if r, err := db.Audit.Verify(t.Context()); err != nil || !r.OK() {
		t.Errorf("%+v, %v", r, err)
	}
}
