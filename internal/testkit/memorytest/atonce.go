package memorytest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/memory"
	"chela/internal/store"
)

// pairs is how many things are written twice, each time with another source; words how many decisions each person says.
const pairs, words = 6, 4

// AtOnce has people write, say, edit, delete and be erased while memories are distilled, tidied and given vectors, all beside one another in
// an order of chance, and holds that nothing is lost that nobody took out, and that nothing is left of what was.
func AtOnce(t *testing.T, open Opener) {
	db, _ := open(t)
	w := &world{t: t, mint: event.NewMint(began)}
	l := life{w, store.New(db.Backend, store.Options{Mint: w.mint})}
	if err := errors.Join(l.makeProject(), l.hold(desk.MemoryBody{Key: "first", Content: "The first line stays."})); err != nil {
		t.Fatal(err)
	}
	file, err := l.writeFile()
	if err != nil {
		t.Fatal(err)
	}
	l.file = strings.Replace(file, "## Facts\n", "## Facts\n\n- Written by hand.\n", 1)
	seed := uint64(time.Now().UnixNano())
	work := l.writers()
	rand.New(rand.NewPCG(seed, 1)).Shuffle(len(work), func(i, j int) { work[i], work[j] = work[j], work[i] }) //nolint:gosec // an order
	const beside = 4
	var wait sync.WaitGroup
	for lane := range beside {
		wait.Go(func() {
			for i := lane; i < len(work); i += beside {
				if err := tried(work[i]); err != nil {
					t.Errorf("the order %d, step %d: %v", seed, i, err)
				}
			}
		})
	}
	wait.Wait()
	w.mint.Forward(time.Hour)
	for _, do := range []func() error{l.distil, l.tidy, func() error { return l.erase("per_2") }, l.vectors} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
	}
	l.whole(seed)
	l.sound()
}

// tried does something as what keeps memories does it: when another was first it is tried again.
func tried(do func() error) (err error) {
	for range 50 {
		if err = do(); fault.KindOf(err) != fault.Conflict || err == nil {
			return err
		}
	}
	return err
}

// writers are what happens, each thing once.
func (l life) writers() []func() error {
	rest := func(do func() error) func() error {
		return func() error {
			l.mint.Forward(31 * time.Minute)
			return do()
		}
	}
	out := []func() error{
		func() error { return l.readFile(l.file) }, func() error { return l.erase("per_2") }, l.compact, l.vectors, l.vectors,
		rest(l.distil), rest(l.distil), rest(l.distil), l.tidy, l.tidy, l.tidy,
	}
	for i := range pairs {
		text := fmt.Sprintf("Matter number %d stands in the plan.", i)
		out = append(
			out, func() error { return l.hold(desk.MemoryBody{Key: fmt.Sprint("one", i), Content: text}) },
			func() error {
				return l.hold(desk.MemoryBody{Key: fmt.Sprint("two", i), Content: strings.ToLower(text)})
			},
			func() error {
				return l.hold(desk.MemoryBody{Key: fmt.Sprint("late", i), Content: fmt.Sprintf("Banner %d was red.", i), ExpiresAt: "2026-01-01"})
			},
			func() error { return l.forgotten(i) },
		)
	}
	for i := range words {
		out = append(out, func() error {
			return l.say(fmt.Sprint("thr_", i), "per_1", fmt.Sprintf("Decision: we keep room %d for the auditors.", i), "Yes.")
		}, func() error {
			return l.say(fmt.Sprint("thr_x", i), "per_2", fmt.Sprintf("Decision: we sell Xyzzy %d.", i), "Yes.")
		})
	}
	return out
}

// forgotten keeps a memory and deletes it.
func (l life) forgotten(i int) error {
	key := fmt.Sprint("gone", i)
	if err := tried(func() error {
		return l.hold(desk.MemoryBody{Key: key, Content: fmt.Sprintf("Plugh %d is forgotten.", i)})
	}); err != nil {
		return err
	}
	for _, r := range l.records() {
		if b := l.body(r); b.Key == key {
			return tried(func() error {
				return l.do(l.project, func(w *clerk.Work) error {
					_, err := w.Remove(desk.Memory, r.ID)
					return err
				})
			})
		}
	}
	return fmt.Errorf("the memory %s is lost", key)
}

// whole holds that everything is there that nobody took out, once and with all its sources, and nothing that was taken out is found.
func (l life) whole(seed uint64) {
	l.t.Helper()
	live := make(map[string][]desk.MemoryBody) // by content
	for _, r := range l.records() {
		if !r.Deleted && r.MergedInto == "" {
			b := l.body(r)
			live[strings.ToLower(b.Content)] = append(live[strings.ToLower(b.Content)], b)
		}
	}
	want := func(content string, sources ...string) {
		have := live[strings.ToLower(content)]
		if len(have) != 1 {
			l.t.Errorf("the order %d: %q is there %d times, want once", seed, content, len(have))
			return
		}
		for _, s := range sources {
			if !strings.Contains(fmt.Sprint(have[0].Sources), s) {
				l.t.Errorf("the order %d: %q has the sources %+v, want also %s", seed, content, have[0].Sources, s)
			}
		}
	}
	want("The first line stays.", "msg_first")
	want("Written by hand.", "MEMORY.md")
	for i := range pairs {
		want(fmt.Sprintf("Matter number %d stands in the plan.", i), fmt.Sprint("msg_one", i), fmt.Sprint("msg_two", i))
	}
	for i := range words {
		want(fmt.Sprintf("we keep room %d for the auditors.", i), fmt.Sprintf("Decision: we keep room %d", i))
	}
	if kept := l.kept(); strings.Contains(kept, "Xyzzy") {
		l.t.Errorf("the order %d: what was erased is there:\n%s", seed, kept)
	}
	found := memory.New(l.db.Recall, l.mint.Now)
	for _, gone := range []string{"Xyzzy", "Plugh", "Banner"} {
		hits, err := found.Recall(l.t.Context(), memory.Reader{Person: "per_1", Project: l.project}, memory.Question{Text: gone})
		if err != nil {
			l.t.Error(err)
		}
		for _, h := range hits {
			if strings.Contains(h.Text, gone) {
				l.t.Errorf("the order %d: %q is found", seed, h.Text)
			}
		}
	}
}
