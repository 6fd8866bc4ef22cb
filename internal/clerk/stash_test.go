package clerk_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/stash"
)

// A counted source counts how often whole projects are read.
type counted struct {
	clerk.Source
	reads int
}

func (c *counted) Each(ctx context.Context, q clerk.Query, fn func(desk.Record) error) error {
	if q.Kind == "" {
		c.reads++
	}
	return c.Source.Each(ctx, q, fn)
}

// filled makes a record of each kind that a body is known for, and some that go.
func filled(w *world) {
	w.make(desk.Resource, `{"name":"Ada"}`)
	tickets := make([]string, 5)
	for i := range tickets {
		tickets[i] = w.make(desk.Ticket, fmt.Sprintf(`{"title":"Ticket %d","labels":["a"],"storyPoints":%d.5,"sources":[{"document":"d","line":%d,"by":"person"}]}`, i, i, i))
	}
	w.patch(desk.Ticket, tickets[0], `{"owner":"Ada","dueDate":"2026-03-01"}`)
	w.make(desk.Objective, `{"outcome":"Live"}`)
	w.make(desk.Milestone, `{"name":"Beta","targetDate":"2026-05-01"}`)
	w.make(desk.Memory, `{"content":"the heron word","scope":"PROJECT"}`)
	w.make(desk.Idea, `{"title":"Later"}`)
	w.must(func(c *clerk.Work) error {
		_, err := c.Remove(desk.Ticket, tickets[1])
		if err == nil {
			err = c.Merge(desk.Ticket, tickets[2], []string{tickets[3]})
		}
		return err
	})
}

// shown are all records of a book in their order.
func shown(b *clerk.Book) (out []clerk.Entry) {
	for _, e := range b.All() {
		out = append(out, *e)
	}
	return out
}

func got(t *testing.T, c *clerk.Cache, project string) *clerk.Book {
	t.Helper()
	b, err := c.Get(t.Context(), project)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestCache_BeginsWithAFile keeps a book in a file: the next start reads that and what has changed, not the project.
func TestCache_BeginsWithAFile(t *testing.T) {
	t.Parallel()
	w, root := newWorld(t), t.TempDir()
	filled(w)
	source := &counted{Source: w.db.Desk}
	files := stash.At(root, nil)
	files.Least, files.After = 1, 1
	start := func(program string) *clerk.Cache { return clerk.NewCache(source).With(files, program) }
	same := func(what string, reads int, c *clerk.Cache) {
		t.Helper()
		source.reads = 0
		is := got(t, c, w.project)
		if source.reads != reads {
			t.Errorf("%s: the project was read %d times, want %d", what, source.reads, reads)
		}
		if want := got(t, clerk.NewCache(w.db.Desk), w.project); !reflect.DeepEqual(shown(is), shown(want)) {
			t.Errorf("%s: it begins with\n%+v\nwant\n%+v", what, shown(is), shown(want))
		}
	}
	first := start("one")
	same("without a file", 1, first)
	if err := first.Stash(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	same("what has just changed is not kept", 1, start("one"))
	if err := first.Stash(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	same("with a file", 0, start("one"))
	filled(w)
	second := start("one")
	same("with what has changed since", 0, second)
	if err := second.Stash(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	for _, path := range paths(t, root) {
		if raw, err := os.ReadFile(path); err != nil || strings.Contains(string(raw), "heron") {
			t.Errorf("%s has words that can be erased, or cannot be read: %v", path, err)
		}
	}
	same("with the next file", 0, start("one"))
	same("with a file of another program", 1, start("two"))
	if len(paths(t, root)) != 0 {
		t.Error("a file that is of no use stays")
	}
}

// TestCache_TrustsNoFile begins with files that are broken, and with one of another log: the project is read.
func TestCache_TrustsNoFile(t *testing.T) {
	t.Parallel()
	w, root := newWorld(t), t.TempDir()
	filled(w)
	files := stash.At(root, nil)
	files.Least, files.After = 1, 1
	first := clerk.NewCache(w.db.Desk).With(files, "one")
	want := got(t, first, w.project)
	for what, spoil := range map[string]func(path string) error{
		"cut off": func(path string) error { return os.Truncate(path, 300) },
		"empty":   func(path string) error { return os.Truncate(path, 0) },
	} {
		source := &counted{Source: w.db.Desk}
		if err := clerk.Stashed(t.Context(), first, w.project); err != nil {
			t.Fatal(err)
		}
		for _, p := range paths(t, root) {
			if err := spoil(p); err != nil {
				t.Fatal(what, err)
			}
		}
		is := got(t, clerk.NewCache(source).With(files, "one"), w.project)
		if !reflect.DeepEqual(shown(is), shown(want)) {
			t.Errorf("%s: it begins with\n%+v", what, shown(is))
		}
		if source.reads != 1 {
			t.Errorf("%s: the project was read %d times", what, source.reads)
		}
	}
	if err := clerk.Stashed(t.Context(), first, w.project); err != nil {
		t.Fatal(err)
	}
	other := &counted{Source: elsewhere{w.db.Desk}}
	got(t, clerk.NewCache(other).With(files, "one"), w.project)
	if other.reads != 1 {
		t.Errorf("a file of another log was trusted: the project was read %d times", other.reads)
	}
}

// An elsewhere has another log.
type elsewhere struct{ clerk.Source }

func (elsewhere) Hash(context.Context, string, int64) (string, error) { return "other", nil }

func paths(t *testing.T, root string) []string {
	t.Helper()
	out, err := filepath.Glob(filepath.Join(root, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestStash_HasAllKinds holds that each kind of record can be written.
func TestStash_HasAllKinds(t *testing.T) {
	t.Parallel()
	one, again := clerk.FormOf("one"), clerk.FormOf("one")
	if one == clerk.FormOf("two") || one != again {
		t.Error("a form is not that of the program")
	}
}

// TestUnpack_CountsBodies holds that a portion has as many bodies as it says: "ticket" stands for their number, then for their kind.
func TestUnpack_CountsBodies(t *testing.T) {
	t.Parallel()
	const whole = "\x00\x02\x00\x06ticket\x02\x00\x03abc\x01\x01\x01\x06ticket\x00\x01\x00\x05Title\x00"
	for raw, want := range map[string]bool{
		whole: true,
		strings.Replace(whole, "ticket\x02", "ticket\x00", 1):                 false, // fewer than there are
		strings.Replace(whole, "ticket\x02", "ticket\x01", 1):                 false, // less than none
		strings.Replace(whole, "ticket\x02", "ticket\x7e", 1):                 true,  // room for more
		strings.Replace(whole, "ticket\x02", "ticket\xfe\xff\xff\xff\x0f", 1): false,
		strings.Replace(whole, "ticket\x02", "tackit\x02", 1):                 false,
	} {
		b, err := clerk.Unpacked(raw)
		if (err == nil) != want {
			t.Errorf("%q: %v", raw, err)
		}
		if err != nil {
			continue
		}
		e, ok := b.Find("abc")
		if !ok || desk.Title(e.Thing) != "Title" {
			t.Errorf("%q: %+v", raw, e)
		}
	}
}

// TestFinder_FindsAsABookDoes looks records up in any order, also ones that are not there.
func TestFinder_FindsAsABookDoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	filled(w)
	b := got(t, clerk.NewCache(w.db.Desk), w.project)
	ids := []string{"", "nobody"}
	for _, e := range b.All() {
		ids = append(ids, e.ID)
	}
	person, ticket := clerk.Finder(b)
	for i := range 20 * len(ids) {
		id := ids[(i+i*i/7)%len(ids)]
		if one, other, want := person(id), ticket(id), b.Place(id); one != want || other != want {
			t.Errorf("%q is at %d and %d, want %d", id, one, other, want)
		}
	}
}

// FuzzUnpack_NeverTrusts reads portions that nobody wrote: a book, or an error.
func FuzzUnpack_NeverTrusts(f *testing.F) {
	f.Add([]byte{0, 1, 0, 3, 'a', 'b', 'c', 0})
	f.Add([]byte{0, 1, 0, 3, 'a', 'b', 'c', 2})
	f.Add([]byte("\x00\x02\x00\x06ticket\x02\x00\x03abc\x01\x01\x01\x06ticket\x00\x01\x00\x05Title\x00"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		b, err := clerk.Unpacked(string(raw))
		if err != nil {
			return
		}
		if err := clerk.Packed(b, func([]byte) error { return nil }); err != nil {
			t.Error(err)
		}
		clerk.NewBoard(b)
	})
}
