package memorytest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/store"
)

// A job is what a process does with memories when it lives.
type job struct {
	name  string
	do    func(life) error
	least int // transactions that it has
}

// jobs are done in this order by each process, from the first on: what is done already changes nothing.
var jobs = []job{ //nolint:gochecknoglobals // a table
	{"import", func(l life) error { return l.readFile(l.file) }, 1},
	{"distil", life.distil, 3},
	{"compact", life.compact, 2},
	{"tidy", life.tidy, 1},
	{"vectors", life.vectors, 4},
	{"erase", func(l life) error { return l.erase("per_2") }, 1},
	{"vectors", life.vectors, 4},
}

// mostOf is how many transactions of one job are killed at: a conversation that a model reads has as many.
const mostOf = 4

// plays is how many there are with deaths. In each a job is killed twice at most: of the third try of a model's call its last comes.
const plays = 4

// Killed does the jobs undisturbed, and with a process that dies once after each transaction, and compares. With before it dies once before
// each, too: what is durable then is what is after the one before it.
func Killed(t *testing.T, open Opener, before bool) {
	whole, _ := play(t, open, plays)
	deaths, each := make(map[string]int), 1
	if before {
		each = 2
	}
	for nth := range plays {
		if !before && nth%2 == 0 {
			continue
		}
		killed, died := play(t, open, nth)
		for j, n := range died {
			deaths[j] += n
		}
		if whole != killed {
			t.Errorf("what is kept is not the same when the process is killed.\nwhole:\n%s\nkilled, play %d:\n%s", whole, nth, killed)
		}
	}
	for _, j := range jobs {
		if n := deaths[j.name]; n < each*j.least {
			t.Errorf("the process died %d times in %s, want %d or more: at each transaction", n, j.name, each*j.least)
		}
	}
	for _, want := range []string{
		`"Written by hand."`, `"Changed by hand."`, `"Norddata wants each export signed."`, "PostgreSQL for the ledger", "note of per_1: I like short reports", "messages are summed up by model:fake/one", "[erased]",
	} {
		if !strings.Contains(whole, want) {
			t.Errorf("%s is lost:\n%s", want, whole)
		}
	}
	if strings.Contains(whole, "Xyzzy") {
		t.Errorf("what was erased is there:\n%s", whole)
	}
}

// play does the jobs in as many lives as that takes, and returns what is kept at the end, and how often each job was killed: at the nth
// of each [plays] points.
func play(t *testing.T, open Opener, nth int) (kept string, deaths map[string]int) {
	t.Helper()
	db, again := open(t)
	w := &world{t: t, mint: event.NewMint(began)}
	l := life{w, store.New(db.Backend, store.Options{Mint: w.mint})}
	if err := l.found(); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	w.mint.Forward(time.Hour)
	killed := make(map[string]bool)
	deaths = make(map[string]int)
	for lives := 1; ; lives++ {
		if lives > 40 {
			t.Fatal("the jobs do not come to an end")
		}
		opened, err := again()
		if err != nil {
			t.Fatal(err)
		}
		name, n := "", 0
		m := &mortal{Backend: opened.Backend, dies: func() (now, after bool) {
			n++
			for i, after := range []bool{false, true} {
				if at := fmt.Sprint(name, n, after); n <= mostOf && (2*n+i)%plays == nth && !killed[at] {
					killed[at] = true
					deaths[name]++
					return true, after
				}
			}
			return false, false
		}}
		l := life{w, store.New(m, store.Options{Mint: w.mint})}
		for _, j := range jobs {
			name, n = j.name, 0
			if err := j.do(l); err != nil && !(m.dead && errors.Is(err, errDead)) {
				t.Fatalf("%s: %v", j.name, err)
			}
			if m.dead {
				break
			}
		}
		if !m.dead {
			kept = l.kept()
			l.sound()
		}
		if err := opened.Close(); err != nil {
			t.Fatal(err)
		}
		if !m.dead {
			return kept, deaths
		}
		w.mint.Forward(11 * time.Minute) // a try of another process counts as dead then
	}
}

// found is what there is before the first death: three conversations that rest, memories, and an edited file.
func (l life) found() error {
	if err := l.makeProject(); err != nil {
		return err
	}
	for key, text := range map[string]string{"c": "The export job is due in June.", "old": "Thursday is for reviews.", "gone": "Nobody needs this line."} {
		if err := l.hold(desk.MemoryBody{Key: key, Content: text}); err != nil {
			return err
		}
	}
	if err := errors.Join(
		l.hold(desk.MemoryBody{Key: "a", Content: "The export job is due in May."}), l.hold(desk.MemoryBody{Key: "b", Content: "the export job is due in may"}),
		l.hold(desk.MemoryBody{Key: "h", Content: "The old banner was red.", ExpiresAt: "2026-01-01"}),
	); err != nil {
		return err
	}
	file, err := l.writeFile()
	if err != nil {
		return err
	}
	for line := range strings.Lines(file) {
		switch {
		case strings.Contains(line, "Nobody needs this line."):
		case strings.HasPrefix(line, "## Facts"):
			l.file += line + "\n- Written by hand.\n"
		default:
			l.file += strings.Replace(line, "Thursday is for reviews.", "Changed by hand.", 1)
		}
	}
	var remarks []string
	for i := range 24 {
		remarks = append(remarks, fmt.Sprintf("Remark %d is short, and says little of what somebody wants.", i))
	}
	return errors.Join(
		l.say("thr_1", "per_1", "Decision: we use PostgreSQL for the ledger.", "Yes.", auditors, "Good.", "Remember that I like short reports.", "Noted."),
		l.say("thr_2", "per_2", "Decision: we buy Xyzzy for the team.", "Yes."),
		l.say("thr_3", "per_1", remarks...),
	)
}
