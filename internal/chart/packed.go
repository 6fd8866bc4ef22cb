package chart

import (
	"time"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/packed"
)

// Form changes whenever [Journal.Pack] writes something else, or what is computed of an event becomes something else.
const Form = "journal 1"

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
	putAll(w, j.since, (*packed.Writer).Time)
	putAll(w, j.last, putFact)
	putAll(w, j.sorted, func(w *packed.Writer, s step) {
		putStamp(w, s.stamp)
		w.Time(s.on)
		w.Uint(uint64(s.ticket)) //nolint:gosec // a number of a ticket
		putFact(w, s.fact)
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

func putFact(w *packed.Writer, f fact) {
	for _, text := range []string{string(f.status), f.sprint, string(f.due), string(f.created), string(f.resolved), string(f.closed)} {
		w.Text(text)
	}
	w.Float(f.points)
	packed.Put(w, &f.objectives)
	w.Bool(f.there)
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
	j.since = takeAll(r, (*packed.Reader).Time)
	j.last = takeAll(r, takeFact)
	j.sorted = takeAll(r, func(r *packed.Reader) step {
		return step{takeStamp(r), r.Time(), int(r.Uint()), takeFact(r)} //nolint:gosec // it is checked below
	})
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

func takeFact(r *packed.Reader) fact {
	f := fact{
		status: desk.TicketStatus(r.Text()), sprint: r.Text(), due: desk.Date(r.Text()), created: desk.Date(r.Text()), resolved: desk.Date(r.Text()),
		closed: desk.Date(r.Text()), points: r.Float(),
	}
	packed.Take(r, &f.objectives)
	f.there = r.Bool()
	return f
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
	if len(j.since) != len(j.ids) || len(j.last) != len(j.ids) {
		return packed.ErrBroken
	}
	j.of, j.on = make(map[string]int, len(j.ids)), make(map[string]share, len(j.shares))
	for n, id := range j.ids {
		j.of[id] = n
	}
	j.marks = make([]mark, len(j.sorted))
	for i := range j.sorted {
		if s := &j.sorted[i]; s.ticket < 0 || !known(s.ticket) {
			return packed.ErrBroken
		}
		j.marks[i] = j.mark(&j.sorted[i])
	}
	for _, s := range j.shares {
		if !known(s.was) || !known(s.is) {
			return packed.ErrBroken
		}
		j.on[s.id] = s
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
