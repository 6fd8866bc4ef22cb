package sqlite_test

import (
	"context"
	"strings"
	"testing"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/store"
	"chela/internal/store/sqlite"
)

// TestWriter_AFullDisk: nothing that was acknowledged is lost, who writes is told which folder is
// full and what to do, reading goes on, and so does writing once there is room.
func TestWriter_AFullDisk(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	b := db.Backend.(*sqlite.Backend) //nolint:forcetypeassert // open gave it
	b.Room("/no/such/folder")         // so that its free space is not known
	limit := func(pages int64) {
		t.Helper()
		if err := db.Backend.Transact(t.Context(), func(store.Conn) ([]store.Statement, error) { return nil, b.Grows(pages) }, func() {}); err != nil {
			t.Fatal(err)
		}
	}
	limit(20)
	kept := 0
	var full error
	for full == nil {
		d := noted()
		d.Message.Payload = []byte(`{"text":"` + strings.Repeat("much ", 2000) + `"}`)
		if _, full = db.Log.Append(t.Context(), d); full == nil {
			kept++
		}
	}
	if text := fault.TextOf(full); fault.KindOf(full) != fault.Unavailable || !strings.Contains(text, "/no/such/folder is full") || !strings.Contains(text, "Free some room") {
		t.Errorf("got %q (%v), want the folder and the way out", text, fault.KindOf(full))
	}
	if err := db.Writable(); fault.TextOf(err) != fault.TextOf(full) {
		t.Errorf("the store says of itself %v, want %v", err, full)
	}
	if events, _, err := db.Log.Events(t.Context(), 0, event.Filter{Limit: 1000}); err != nil || len(events) != kept {
		t.Errorf("got %d events (%v) while it is full, want %d", len(events), err, kept)
	}
	limit(0)
	if _, err := db.Log.Append(t.Context(), noted()); err != nil {
		t.Errorf("with room again: %v", err)
	}
	if err := db.Writable(); err != nil {
		t.Errorf("with room again the store says of itself %v", err)
	}
	if r, err := db.Audit.Verify(context.WithoutCancel(t.Context())); err != nil || !r.OK() || r.Events != kept+1 {
		t.Errorf("got %+v %v, want %d events that verify", r, err, kept+1)
	}
}
