package clerk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sync/errgroup"

	"chela/internal/desk"
	"chela/internal/packed"
	"chela/internal/stash"
)

// portionOf is how many records one portion of a file has.
const portionOf = 1024

// What a file says of a record.
const (
	isGone = iota
	isThere
	isLeftOut // words of it can be erased: what is taken out of the log is in no file then, wherever that is
)

// With makes the cache keep its books in files, and begin with these. program tells one program from another.
func (s *Cache) With(files *stash.Folder, program string) *Cache {
	s.files, s.form = files, sync.OnceValue(func() string { return formOf(program) })
	return s
}

// formOf is that of all books of a program.
func formOf(program string) string {
	forms := []string{program, packed.Form(new(line))}
	for _, k := range desk.Kinds() {
		forms = append(forms, string(k), packed.Form(k.Zero()))
	}
	sum := sha256.Sum256([]byte(strings.Join(forms, "\n")))
	return hex.EncodeToString(sum[:])
}

// A line is what a file has of a record beside its id and its body.
type line struct {
	Kind                 desk.Kind
	Project              string
	Version              int64
	CreatedAt, UpdatedAt time.Time
	CreatedBy, UpdatedBy string
	Outside              bool
}

func bookOf(project string) string { return "book " + project }

// Stash keeps the books in files for the next start: those that have changed enough since they were. Unless the daemon ends, one that
// has changed since this was called last is left for the next time.
func (s *Cache) Stash(ctx context.Context, ends bool) error {
	if s.files == nil {
		return nil
	}
	s.mu.Lock()
	projects := make(map[string]*slot, len(s.slots))
	for p, k := range s.slots {
		projects[p] = k
	}
	s.mu.Unlock()
	var err error
	for p, k := range projects {
		if b, end := k.unstashed(s.files, ends); b != nil && ctx.Err() == nil {
			if bad := s.stash(ctx, p, b, end); bad != nil {
				err = errors.Join(err, bad)
				continue
			}
			k.mu.Lock()
			k.stashed = end
			k.mu.Unlock()
		}
	}
	return err
}

// unstashed returns the book when it is to be kept in a file, and up to where it is.
func (k *slot) unstashed(files *stash.Folder, ends bool) (*Book, [2]int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	quiet := k.seen == k.end
	k.seen = k.end
	if k.book == nil || !quiet && !ends || !files.Worth(k.book.Len(), k.end[0]+k.end[1]-k.stashed[0]-k.stashed[1]) {
		return nil, k.end
	}
	return k.book, k.end
}

func (s *Cache) stash(ctx context.Context, project string, b *Book, end [2]int64) error {
	h := stash.Head{Form: s.form(), Name: bookOf(project)}
	for i, p := range []string{"", project} {
		hash, err := s.source.Hash(ctx, p, end[i])
		if err != nil {
			return err
		}
		h.Marks = append(h.Marks, stash.Mark{Stream: p, At: end[i], Hash: hash})
	}
	return s.files.Keep(h, b.pack)
}

// resume begins with the book of a project that a file has. Whatever is wrong with the file, it goes, and the book is read anew.
func (s *Cache) resume(ctx context.Context, k *slot, project string) {
	if s.files == nil {
		return
	}
	b, end, err := s.stashedBook(ctx, project)
	if err != nil && ctx.Err() == nil {
		_ = s.files.Drop(bookOf(project)) // it is written again all the same
	}
	if err == nil && b != nil {
		k.book, k.end, k.stashed, k.views = b, end, end, nil
	}
}

// stashedBook returns the book of a file and up to where it is; nil when there is none.
func (s *Cache) stashedBook(ctx context.Context, project string) (*Book, [2]int64, error) {
	var end [2]int64
	kept, err := s.files.Take(s.form(), bookOf(project))
	if kept == nil || err != nil {
		return nil, end, err
	}
	defer func() { _ = kept.Close() }() // it was only read
	if len(kept.Marks) != len(end) {
		return nil, end, stash.ErrBroken
	}
	for i, p := range []string{"", project} {
		m := kept.Marks[i]
		hash, err := s.source.Hash(ctx, p, m.At)
		if err != nil {
			return nil, end, err
		}
		if m.Stream != p || m.Hash != hash {
			return nil, end, stash.ErrBroken
		}
		end[i] = m.At
	}
	portions, err := kept.Portions()
	if err != nil {
		return nil, end, err
	}
	reads := make([]func() (string, error), len(portions))
	for i, p := range portions {
		reads[i] = p.Read
	}
	b, err := unpack(reads)
	if err != nil {
		return nil, end, err
	}
	return b, end, s.readLeftOut(ctx, project, b)
}

// readLeftOut reads the records of a book that no file has. What was made since comes with what has changed.
func (s *Cache) readLeftOut(ctx context.Context, project string, b *Book) error {
	for _, kind := range desk.Kinds() {
		if !kind.Erasable() {
			continue
		}
		err := s.source.Each(ctx, Query{Project: project, Shared: kind.Shared(), Kind: kind, Gone: true}, func(r desk.Record) error {
			place := b.Place(r.ID)
			if place < 0 || gone(r) {
				return nil
			}
			e, err := bookEntry(r)
			b.slots[place] = &e
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// pack writes the book in portions.
func (b *Book) pack(add func([]byte) error) error {
	ids, last := b.places.ids(len(b.slots))
	var w packed.Writer
	for from := 0; from < len(ids); from += portionOf {
		to := min(from+portionOf, len(ids))
		w.Reset()
		w.Time(last)
		counts := make(map[string]int)
		for _, e := range b.slots[from:to] {
			if stateOf(e) == isThere {
				counts[string(e.Kind)]++
			}
		}
		packed.Put(&w, &counts)
		for place := from; place < to; place++ {
			e := b.slots[place]
			state := stateOf(e)
			w.Text(ids[place])
			if w.Uint(state); state == isThere {
				packed.Put(&w, &line{e.Kind, e.Project, e.Version, e.CreatedAt, e.UpdatedAt, e.CreatedBy, e.UpdatedBy, e.Outside})
				packed.Put(&w, e.Thing)
			}
		}
		if err := add(w.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// stateOf is what a file says of an entry.
func stateOf(e *Entry) uint64 {
	switch {
	case e == nil:
		return isGone
	case e.Kind.Erasable():
		return isLeftOut
	}
	return isThere
}

// ids are those of the first places, and when the youngest record was created.
func (p *places) ids(n int) (ids []string, last time.Time) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	ids = make([]string, n)
	for id, place := range p.of {
		if int(place) < n {
			ids[place] = id
		}
	}
	return ids, p.last
}

// A portion is some of a book.
type portion struct {
	ids   []string
	slots []*Entry
	last  time.Time
	ready chan struct{} // closed when it was read
}

// unpack reads a book of its portions, as many at once as there are processors.
func unpack(portions []func() (string, error)) (*Book, error) {
	var some errgroup.Group
	some.SetLimit(runtime.GOMAXPROCS(0))
	all := make([]*portion, len(portions))
	for i := range all {
		all[i] = &portion{ready: make(chan struct{})}
	}
	go func() {
		for i, p := range all {
			some.Go(func() error {
				defer close(p.ready)
				raw, err := portions[i]()
				if err != nil {
					return err
				}
				return p.read(raw)
			})
		}
	}()
	b, n := &Book{places: &places{of: make(map[string]int32, len(all)*portionOf)}}, 0
	b.slots = make([]*Entry, 0, len(all)*portionOf)
	for _, p := range all { // while others are read
		<-p.ready
		for _, id := range p.ids {
			b.places.of[id] = int32(n) //nolint:gosec // see [Book]
			n++
		}
		b.slots, b.places.last = append(b.slots, p.slots...), p.last
	}
	if err := some.Wait(); err != nil {
		return nil, err
	}
	if len(b.places.of) != n {
		return nil, stash.ErrBroken
	}
	return b, nil
}

// A bodies has room for the bodies of one kind in a portion, one beside the other.
type bodies struct {
	kind  desk.Kind
	taker packed.Taker
	list  reflect.Value
	n     int
}

// bodiesOf makes the room that a portion says it needs.
func bodiesOf(counts map[string]int) ([]bodies, int, error) {
	out, sum := make([]bodies, 0, len(counts)), 0
	for k, n := range counts {
		t := desk.Kind(k).Zero()
		if sum += n; t == nil || n < 0 || n > portionOf || sum > portionOf {
			return nil, 0, stash.ErrBroken
		}
		of := reflect.TypeOf(t).Elem()
		list := reflect.MakeSlice(reflect.SliceOf(of), n, n)
		out = append(out, bodies{desk.Kind(k), packed.TakerOf(t), list, 0})
	}
	return out, sum, nil
}

// body reads a body of a kind.
func body(all []bodies, k desk.Kind, r *packed.Reader) desk.Thing {
	for i := range all {
		if b := &all[i]; b.kind == k && b.n < b.list.Len() {
			at := b.list.Index(b.n).Addr()
			b.n++
			b.taker.Take(r, at.UnsafePointer())
			t, _ := at.Interface().(desk.Thing) // see bodiesOf
			return t
		}
	}
	r.Fail()
	return nil
}

var lines = sync.OnceValue(func() packed.Taker { return packed.TakerOf(new(line)) })

func (p *portion) read(raw string) error {
	r := packed.NewReader(raw)
	p.last, p.ids, p.slots = r.Time(), make([]string, 0, portionOf), make([]*Entry, 0, portionOf)
	var counts map[string]int
	packed.Take(r, &counts)
	rooms, sum, err := bodiesOf(counts)
	if err != nil {
		return err
	}
	entries := make([]Entry, 0, sum)
	lines, l := lines(), new(line)
	for r.Err() == nil && !r.Done() {
		id, state := r.Text(), r.Uint()
		var e *Entry
		if state == isThere {
			*l = line{}
			lines.Take(r, unsafe.Pointer(l))
			t := body(rooms, l.Kind, r)
			if t == nil || len(entries) == cap(entries) { // which no file of ours has
				return stash.ErrBroken
			}
			entries = append(entries, Entry{desk.Record{ID: id, Kind: l.Kind, Project: l.Project, Version: l.Version, CreatedAt: l.CreatedAt, UpdatedAt: l.UpdatedAt, CreatedBy: l.CreatedBy, UpdatedBy: l.UpdatedBy, Outside: l.Outside}, t})
			e = &entries[len(entries)-1]
		}
		p.ids, p.slots = append(p.ids, id), append(p.slots, e)
	}
	p.ids, p.slots = slices.Clip(p.ids), slices.Clip(p.slots)
	return r.End()
}
