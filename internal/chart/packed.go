package chart

import (
	"math"
	"slices"
	"time"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/packed"
)

// Form changes whenever [Journal.Pack] writes something else, or what is computed of an event becomes something else.
const Form = "journal 2"

// Len is how many tickets there were.
func (j *Journal) Len() int {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return len(j.ids)
}

// Pack writes the journal, so that [Unpack] gives one that goes on as this one does.
func (j *Journal) Pack(w *packed.Writer) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.place()
	w.Int(j.end)
	for _, at := range []time.Time{j.clock, j.dated, j.newest} {
		w.Time(at)
	}
	putAll(w, j.ids, (*packed.Writer).Text)
	before := make([]fact, len(j.ids)) // of tickets, as the steps so far have them
	putAll(w, j.sorted, func(w *packed.Writer, s step) {
		putStamp(w, s.stamp)
		w.Time(s.on)
		w.Uint(uint64(s.ticket)) //nolint:gosec // a number of a ticket
		putFact(w, &s.fact, &before[s.ticket])
		before[s.ticket] = s.fact
	})
	putAll(w, j.shares, func(w *packed.Writer, s share) {
		putStamp(w, s.stamp)
		for _, text := range []string{s.id, s.ticket, s.person} {
			w.Text(text)
		}
		w.Bool(s.there)
		w.Int(int64(s.was))
		w.Int(int64(s.is))
	})
	putAll(w, j.goals, func(w *packed.Writer, g goal) {
		putStamp(w, g.stamp)
		w.Text(g.id)
		w.Text(g.outcome)
		packed.Put(w, &g.tickets)
		w.Bool(g.there)
	})
	putAll(w, j.occasions, putOccasion)
	packed.Put(w, &j.names)
}

func putAll[T any](w *packed.Writer, all []T, put func(*packed.Writer, T)) {
	w.Uint(uint64(len(all)))
	for _, one := range all {
		put(w, one)
	}
}

func putStamp(w *packed.Writer, s stamp) {
	w.Time(s.at)
	w.Int(int64(s.seq))
}

// texts are those of a fact, in the order in which they are written.
func (f *fact) texts() [6]*string {
	return [6]*string{(*string)(&f.status), &f.sprint, (*string)(&f.due), (*string)(&f.created), (*string)(&f.resolved), (*string)(&f.closed)}
}

// Which members of a fact are otherwise than before, beside its texts, which have the lower bits.
const (
	otherPoints = 1 << (6 + iota)
	otherObjectives
	otherThere
)

// putFact writes what of a ticket is otherwise than before.
func putFact(w *packed.Writer, f, before *fact) {
	is, was, other := f.texts(), before.texts(), uint64(0)
	for i := range is {
		if *is[i] != *was[i] {
			other |= 1 << i
		}
	}
	if math.Float64bits(f.points) != math.Float64bits(before.points) {
		other |= otherPoints
	}
	if !slices.Equal(f.objectives, before.objectives) {
		other |= otherObjectives
	}
	if f.there != before.there {
		other |= otherThere
	}
	w.Uint(other)
	for i := range is {
		if other&(1<<i) != 0 {
			w.Text(*is[i])
		}
	}
	if other&otherPoints != 0 {
		w.Float(f.points)
	}
	if other&otherObjectives != 0 {
		putAll(w, f.objectives, (*packed.Writer).Text)
	}
}

func putOccasion(w *packed.Writer, o occasion) {
	putStamp(w, o.stamp)
	for _, text := range []string{o.id, o.name, string(o.begin), string(o.end), string(o.due), string(o.actual)} {
		w.Text(text)
	}
	packed.Put(w, &o.created)
	w.Time(o.first)
	w.Bool(o.there)
}

// Unpack reads a journal that [Journal.Pack] wrote.
func Unpack(r *packed.Reader) (*Journal, error) {
	j := NewJournal()
	j.end = r.Int()
	j.clock, j.dated, j.newest = r.Time(), r.Time(), r.Time()
	j.ids = takeAll(r, (*packed.Reader).Text)
	j.takeSteps(r)
	j.shares = takeAll(r, func(r *packed.Reader) share {
		return share{takeStamp(r), r.Text(), r.Text(), r.Text(), r.Bool(), int(r.Int()), int(r.Int())}
	})
	j.goals = takeAll(r, func(r *packed.Reader) goal {
		g := goal{stamp: takeStamp(r), id: r.Text(), outcome: r.Text()}
		packed.Take(r, &g.tickets)
		g.there = r.Bool()
		return g
	})
	j.occasions = takeAll(r, takeOccasion)
	packed.Take(r, &j.names)
	if err := r.End(); err != nil {
		return nil, err
	}
	return j, j.index()
}

func takeAll[T any](r *packed.Reader, take func(*packed.Reader) T) []T {
	n := r.Len()
	if n == 0 {
		return nil
	}
	out := make([]T, 0, n)
	for len(out) < n && r.Err() == nil {
		out = append(out, take(r))
	}
	return out
}

func takeStamp(r *packed.Reader) stamp { return stamp{r.Time(), event.Seq(r.Int())} }

// takeSteps reads the steps, and with them how the tickets stand: those of a ticket are in the order in which they were recorded.
func (j *Journal) takeSteps(r *packed.Reader) {
	j.last, j.since = make([]fact, len(j.ids)), make([]time.Time, len(j.ids))
	n := r.Len()
	j.sorted = make([]step, 0, n)
	for len(j.sorted) < n && r.Err() == nil {
		j.sorted = j.sorted[:len(j.sorted)+1]
		s := &j.sorted[len(j.sorted)-1]
		s.stamp, s.on = takeStamp(r), r.Time()
		at := r.Uint()
		if at >= uint64(len(j.ids)) {
			r.Fail()
			break
		}
		s.ticket = int(at) //nolint:gosec // fewer than there are tickets
		takeFact(r, &j.last[at])
		j.since[at], s.fact = s.on, j.last[at]
	}
}

// takeFact reads what of a ticket is otherwise than before.
func takeFact(r *packed.Reader, f *fact) {
	other := r.Uint()
	for i, text := range f.texts() {
		if other&(1<<i) != 0 {
			*text = r.Text()
		}
	}
	if other&otherPoints != 0 {
		f.points = r.Float()
	}
	if other&otherObjectives != 0 {
		f.objectives = takeAll(r, (*packed.Reader).Text)
	}
	f.there = f.there != (other&otherThere != 0)
}

func takeOccasion(r *packed.Reader) occasion {
	o := occasion{
		stamp: takeStamp(r), id: r.Text(), name: r.Text(), begin: desk.Date(r.Text()), end: desk.Date(r.Text()), due: desk.Date(r.Text()),
		actual: desk.Date(r.Text()),
	}
	packed.Take(r, &o.created)
	o.first, o.there = r.Time(), r.Bool()
	return o
}

// index finds again by ids what was read.
func (j *Journal) index() error {
	known := func(n int) bool { return n >= -1 && n < len(j.ids) }
	j.of, j.on = make(map[string]int, len(j.ids)), nil
	for n, id := range j.ids {
		j.of[id] = n
	}
	j.marks = make([]mark, len(j.sorted))
	for i := range j.sorted {
		j.marks[i] = j.mark(&j.sorted[i])
	}
	for _, s := range j.shares {
		if !known(s.was) || !known(s.is) {
			return packed.ErrBroken
		}
	}
	for _, g := range j.goals {
		j.aims[g.id] = g
	}
	for _, o := range j.occasions {
		j.days[o.id] = o
	}
	if j.names == nil {
		j.names = make(map[string]string)
	}
	return nil
}
