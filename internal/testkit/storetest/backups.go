package storetest

import (
	"bytes"
	"crypto/ed25519"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chela/internal/artifact"
	"chela/internal/backup"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/store"
)

// backedUp is a backup of a database without artifacts. While it is written between is called once.
func backedUp(t *testing.T, db *store.DB, between func()) []byte {
	t.Helper()
	var out bytes.Buffer
	var w *backup.Writer
	var held store.Held
	check(t, db.Audit.Snapshot(t.Context(), func(s *store.Snapshot) error {
		schema, err := s.Schema()
		if err != nil {
			return err
		}
		if w, err = backup.NewWriter(&out, backup.Header{Schema: schema, Version: "test", Database: db.Name(), At: time.Unix(1, 0)}); err != nil {
			return err
		}
		if between != nil {
			between()
		}
		held, err = s.Write(w)
		return err
	}))
	_, err := w.Close(backup.Manifest{Events: held.Events, Streams: held.Streams, End: held.End})
	check(t, err)
	return out.Bytes()
}

// into brings a backup back into a database, up to a number of portions; below 0 all of it.
type into struct {
	t       *testing.T
	db      *store.DB
	most    int
	r       *store.Restoring
	portion int
}

var errEnough = io.ErrShortBuffer

func (i *into) Begin(h backup.Header) (err error) {
	i.r, err = i.db.Restore(i.t.Context(), h.Schema)
	return err
}

func (i *into) File(backup.File, io.Reader) error             { return nil }
func (i *into) Artifact(artifact.Ref, int64, io.Reader) error { return nil }

func (i *into) Rows(table string, columns []string, rows [][]any) error {
	if i.portion++; i.portion-1 == i.most {
		return errEnough
	}
	return i.r.Rows(i.t.Context(), table, columns, rows)
}

func (i *into) all(raw []byte) error {
	if _, _, err := backup.Read(bytes.NewReader(raw), i); err != nil {
		return err
	}
	return i.r.End(i.t.Context())
}

// alike compares what two databases hold: their logs, the tables that follow from them, and those that do not.
func alike(t *testing.T, want, got *store.DB) {
	t.Helper()
	before, err := want.Rebuild(t.Context())
	check(t, err)
	after, err := got.Rebuild(t.Context())
	check(t, err)
	if d := after.Different(); len(d) > 0 {
		t.Errorf("what came back is not what the log gives: %v", d)
	}
	for i, s := range after.Before {
		if s != before.After[i] {
			t.Errorf("%s came back as %+v, want %+v", s.Table, s, before.After[i])
		}
	}
	for _, db := range []*store.DB{want, got} {
		r, err := db.Audit.Verify(t.Context())
		check(t, err)
		if !r.OK() {
			t.Errorf("it does not verify: %+v", r)
		}
	}
	a, b := backedUp(t, want, nil), backedUp(t, got, nil)
	if _, one, err := backup.Read(bytes.NewReader(a), &discard{}); err != nil {
		t.Error(err)
	} else if _, other, err := backup.Read(bytes.NewReader(b), &discard{}); err != nil || one != other {
		t.Errorf("a backup of what came back holds %+v, %v; want %+v", other, err, one)
	}
}

type discard struct{}

func (*discard) Begin(backup.Header) error                     { return nil }
func (*discard) File(backup.File, io.Reader) error             { return nil }
func (*discard) Rows(string, []string, [][]any) error          { return nil }
func (*discard) Artifact(artifact.Ref, int64, io.Reader) error { return nil }

// backupsComeBack brings what a database holds into another, while others write, and once more after it ended in the middle.
func backupsComeBack(t *testing.T, open Opener) {
	from, _ := open(t)
	seed(t, from)
	check(t, from.Credentials.Grant(t.Context(), "chela_token", org.Access{Person: "per_1", Purpose: org.APIToken, Label: "a\x01 \"b\" \\ é"}))
	check(t, from.Vault.Seal(t.Context(), func(map[string]string) (map[string]string, []event.Draft, error) {
		return map[string]string{"NAME": "sealed"}, nil, nil
	}))
	_, err := from.Log.MoveCursor(t.Context(), "hooks", 0, 3)
	check(t, err)
	said := place(event.ThreadStream("thr_2"))
	said.From = event.Party{AgentID: "agent:person/per_2", Role: "person"}
	_, err = from.Log.Append(t.Context(), noteKind.Draft(said, note{"Iñtërnâtiônàl <&> \u2028 \x00"}))
	check(t, err)
	for range 7 { // the log takes more than one portion
		_, err = from.Log.Append(t.Context(), draft("large", strings.Repeat("large ", 150_000)))
		check(t, err)
	}
	_, key, err := ed25519.GenerateKey(nil)
	check(t, err)
	_, err = from.Audit.SignHeads(t.Context(), key)
	check(t, err)
	_, err = from.Audit.Erase(t.Context(), place(event.OrgStream), "per_1", "asked for")
	check(t, err)

	var wait sync.WaitGroup
	raw := backedUp(t, from, func() { // others write
		for i := range 5 {
			wait.Go(func() {
				if _, err := from.Log.Append(t.Context(), draft(fmt.Sprint("s", i), "meanwhile")); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
	})
	got, err := store.CheckBackup(bytes.NewReader(raw))
	check(t, err)
	if n := int64(count(t, from)); got.Manifest.Events != n-5 || got.Log.Events != int(n-5) {
		t.Errorf("the backup has %d events, want the %d before the moment", got.Manifest.Events, n-5)
	}
	raw = backedUp(t, from, nil)

	to, again := open(t)
	if err := (&into{t: t, db: to, most: 5}).all(raw); err != errEnough { //nolint:errorlint // it is ours
		t.Fatal(err)
	}
	if err := to.Unfinished(t.Context()); fault.KindOf(err) != fault.Conflict || !strings.Contains(fault.TextOf(err), "chela restore") {
		t.Errorf("a database that came back in part: %v", err)
	}
	check(t, (&into{t: t, db: to, most: -1}).all(raw)) // anew
	check(t, to.Unfinished(t.Context()))
	alike(t, from, to)
	if err := (&into{t: t, db: to, most: -1}).all(raw); fault.KindOf(err) != fault.Conflict || err == nil {
		t.Errorf("into a database that is not empty: %v", err)
	}
	if p, _, err := to.Credentials.Guest(t.Context(), "chela_token"); err != nil || p.ID != "per_1" {
		t.Errorf("the token opens for %+v, %v", p, err)
	}
	if at, err := to.Log.Cursor(t.Context(), "hooks"); err != nil || at != 3 {
		t.Errorf("a reader stands at %d, %v; want 3", at, err)
	}
	check(t, to.Close())
	to, err = again()
	check(t, err)
	t.Cleanup(func() { _ = to.Close() })
	end, err := to.Log.End(t.Context())
	check(t, err)
	out, err := to.Log.Append(t.Context(), draft("org", "after"))
	check(t, err)
	if out[0].Seq <= end {
		t.Errorf("what follows stands at %d, want past %d", out[0].Seq, end)
	}
	if r, err := to.Audit.Verify(t.Context()); err != nil || !r.OK() {
		t.Errorf("then it verifies: %+v, %v", r, err)
	}
}

// oneRestore has a second restore take the database from a first, which writes nothing more.
func oneRestore(t *testing.T, open Opener) {
	from, _ := open(t)
	seed(t, from)
	raw := backedUp(t, from, nil)
	to, _ := open(t)
	first := &into{t: t, db: to, most: 0}
	if err := first.all(raw); err != errEnough { //nolint:errorlint // it is ours
		t.Fatal(err)
	}
	check(t, (&into{t: t, db: to, most: -1}).all(raw))
	if err := first.r.Rows(t.Context(), "vault", []string{"name", "value"}, [][]any{{"X", "y"}}); fault.KindOf(err) != fault.Conflict || err == nil {
		t.Errorf("the first goes on: %v", err)
	}
	if err := first.r.End(t.Context()); fault.KindOf(err) != fault.Conflict || err == nil {
		t.Errorf("the first ends: %v", err)
	}
	alike(t, from, to)
}

// rewritten is a backup as somebody wrote it anew who changed the rows of its log.
func rewritten(t *testing.T, raw []byte, change func(columns []string, rows [][]any) [][]any) []byte {
	t.Helper()
	var out bytes.Buffer
	h := &rewriting{change: change}
	head, m, err := backup.Read(bytes.NewReader(raw), &discard{})
	check(t, err)
	h.w, err = backup.NewWriter(&out, head)
	check(t, err)
	_, _, err = backup.Read(bytes.NewReader(raw), h)
	check(t, err)
	m.Events = h.events
	check(t, h.w.EndRows())
	_, err = h.w.Close(m)
	check(t, err)
	return out.Bytes()
}

type rewriting struct {
	discard
	w      *backup.Writer
	change func([]string, [][]any) [][]any
	events int64
}

func (r *rewriting) Rows(table string, columns []string, rows [][]any) error {
	if table == "" {
		rows = r.change(columns, rows)
		r.events += int64(len(rows))
	}
	if err := r.w.Table(table, columns); err != nil {
		return err
	}
	for _, row := range rows {
		if err := r.w.Row(row); err != nil {
			return err
		}
	}
	return nil
}

// changedBackups were written anew, so that all but the log itself fits.
func changedBackups(t *testing.T, open Opener) {
	db, _ := open(t)
	seed(t, db)
	_, key, err := ed25519.GenerateKey(nil)
	check(t, err)
	_, err = db.Audit.SignHeads(t.Context(), key)
	check(t, err)
	raw := backedUp(t, db, nil)
	same := func(_ []string, rows [][]any) [][]any { return rows }
	if _, err := store.CheckBackup(bytes.NewReader(rewritten(t, raw, same))); err != nil {
		t.Fatalf("written anew as it was: %v", err)
	}
	set := func(column string, value any) func([]string, [][]any) [][]any {
		return func(columns []string, rows [][]any) [][]any {
			rows[2][slices.Index(columns, column)] = value
			return rows
		}
	}
	for name, change := range map[string]func([]string, [][]any) [][]any{
		"a payload":       set("payload", `{"name":"another"}`),
		"a sender":        set("actor", "agent:person/per_9"),
		"a type":          set("type", "desk.ticket.deleted"),
		"a hash":          set("hash", make([]byte, 32)),
		"an erasure":      set("erased", int64(1)),
		"a stream":        set("stream", "org"),
		"a value of none": set("seq", "x"),
		"an order":        func(_ []string, rows [][]any) [][]any { rows[1], rows[2] = rows[2], rows[1]; return rows },
		"an event twice":  func(_ []string, rows [][]any) [][]any { return append(rows, rows[len(rows)-1]) },
		"one less":        func(_ []string, rows [][]any) [][]any { return rows[:len(rows)-1] },
		"one between":     func(_ []string, rows [][]any) [][]any { return slices.Delete(rows, 1, 2) },
		"one that rests on an artifact": func(columns []string, rows [][]any) [][]any {
			rows[2][slices.Index(columns, "payload")] = `{"ref":"artifact:` + strings.Repeat("ab", 32) + `"}`
			return rows
		},
	} {
		if _, err := store.CheckBackup(bytes.NewReader(rewritten(t, raw, change))); fault.KindOf(err) != fault.Invalid || err == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// foreignBackups are of other programs.
func foreignBackups(t *testing.T, open Opener) {
	to, _ := open(t)
	if _, err := to.Restore(t.Context(), 1<<40); fault.KindOf(err) != fault.Conflict || err == nil {
		t.Errorf("of a newer schema: %v", err)
	}
	r, err := to.Restore(t.Context(), 1)
	check(t, err)
	for name, err := range map[string]error{
		"a table that is not carried": r.Rows(t.Context(), "desk_records", []string{"id"}, [][]any{{"x"}}),
		"a column that nobody knows":  r.Rows(t.Context(), "vault", []string{"name", "value", "more"}, [][]any{{"x", "y", "z"}}),
		"a log with other columns":    r.Rows(t.Context(), "", []string{"seq"}, [][]any{{int64(1)}}),
	} {
		if fault.KindOf(err) != fault.Invalid || err == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
