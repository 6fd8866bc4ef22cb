package clerk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

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
	b, err := unpack(kept.Portions())
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
	w.Time(last)
	for from := 0; from < len(ids); from += portionOf {
		for place := from; place < min(from+portionOf, len(ids)); place++ {
			w.Text(ids[place])
			e := b.slots[place]
			switch {
			case e == nil:
				w.Uint(isGone)
			case e.Kind.Erasable():
				w.Uint(isLeftOut)
			default:
				w.Uint(isThere)
				packed.Put(&w, &line{e.Kind, e.Project, e.Version, e.CreatedAt, e.UpdatedAt, e.CreatedBy, e.UpdatedBy, e.Outside})
				packed.Put(&w, e.Thing)
			}
		}
		if err := add(w.Bytes()); err != nil {
			return err
		}
		w.Reset()
		w.Time(last)
	}
	return nil
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
}

// unpack reads a book of its portions, as many at once as there are processors.
func unpack(portions iter.Seq2[string, error]) (*Book, error) {
	var some errgroup.Group
	some.SetLimit(runtime.GOMAXPROCS(0))
	var all []*portion
	var broken error
	for raw, err := range portions {
		if err != nil {
			broken = err
			break
		}
		p := new(portion)
		all = append(all, p)
		some.Go(func() error { return p.read(raw) })
	}
	if err := errors.Join(broken, some.Wait()); err != nil {
		return nil, err
	}
	b, n := &Book{places: &places{of: make(map[string]int32, len(all)*portionOf)}}, 0
	b.slots = make([]*Entry, 0, len(all)*portionOf)
	for _, p := range all {
		for _, id := range p.ids {
			b.places.of[id] = int32(n) //nolint:gosec // see [Book]
			n++
		}
		b.slots, b.places.last = append(b.slots, p.slots...), p.last
	}
	if len(b.places.of) != n {
		return nil, stash.ErrBroken
	}
	return b, nil
}

func (p *portion) read(raw string) error {
	r := packed.NewReader(raw)
	p.last, p.ids, p.slots = r.Time(), make([]string, 0, portionOf), make([]*Entry, 0, portionOf)
	entries := make([]Entry, 0, portionOf)
	for r.Err() == nil && !r.Done() {
		id, state := r.Text(), r.Uint()
		var e *Entry
		if state == isThere {
			var l line
			packed.Take(r, &l)
			t := l.Kind.Zero()
			if t == nil {
				return stash.ErrBroken
			}
			packed.Take(r, t)
			if len(entries) == cap(entries) { // which no file of ours has
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
