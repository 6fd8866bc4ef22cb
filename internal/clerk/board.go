package clerk

import (
	"cmp"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"chela/internal/capacity"
	"chela/internal/chart"
	"chela/internal/column"
	"chela/internal/desk"
	"chela/internal/drift"
	"chela/internal/flow"
)

// A Board is what capacity and coverage are computed from, of one book. Nothing changes it; [Board.Follow] makes the
// board of a later book.
type Board struct {
	book       *Book
	sheet      capacity.Sheet
	tickets    placed[flow.Ticket]
	prospects  column.List[flow.Prospect] // of the tickets, by place
	objectives placed[flow.Objective]
	threads    placed[drift.Thread]
	phases     placed[flow.Phase]
	milestones placed[flow.Milestone]
	checklists placed[flow.Checklist]
	numbers    *chart.Numbers // of the tickets, by place
	loose      bool           // an assignment names somebody or a ticket that is not known
	lately     finder         // of what assignments name, while the board is made

	covered func() Coverage

	mu     sync.Mutex // guards what follows
	day    string     // of the report
	room   capacity.Report
	titles []uint64 // the keys of the titles of the tickets, in their order; nil until they are asked for
}

// A Coverage is how far each objective of a project is, and which tickets serve none.
type Coverage struct {
	Objectives []flow.Coverage
	Unmapped   []string
}

// BoardKinds lists the kinds that a board is made from.
func BoardKinds() []desk.Kind {
	return []desk.Kind{desk.Resource, desk.Ticket, desk.Assignment, desk.Objective, desk.Thread, desk.Phase, desk.Milestone, desk.Checklist}
}

// placed are records in the order of their places.
type placed[T any] struct {
	at  []int32
	all []T
}

func (p placed[T]) clone() placed[T] { return placed[T]{slices.Clone(p.at), slices.Clone(p.all)} }

// with adds records whose places come after.
func (p placed[T]) with(more placed[T]) placed[T] {
	return placed[T]{append(p.at, more.at...), append(p.all, more.all...)}
}

// set puts a record at its place, or takes it away when it is nil.
func (p *placed[T]) set(place int32, is *T) (i int, there bool) {
	i = len(p.at)
	if i > 0 && place <= p.at[i-1] {
		i, there = slices.BinarySearch(p.at, place)
	}
	switch {
	case there && is != nil:
		p.all[i] = *is
	case there:
		p.at, p.all = slices.Delete(p.at, i, i+1), slices.Delete(p.all, i, i+1)
	case is != nil:
		p.at, p.all = slices.Insert(p.at, i, place), slices.Insert(p.all, i, *is)
	}
	return i, there
}

// NewBoard returns the board of a book.
func NewBoard(b *Book) *Board {
	n := &Board{book: b, numbers: new(chart.Numbers)}
	n.grow()
	size := (b.Len()/runtime.GOMAXPROCS(0)/column.PageOf + 1) * column.PageOf // of a part, which has pages of its own
	var parts []*Board
	var all sync.WaitGroup
	tickets := b.tickets(size)
	for from := 0; from < b.Len(); from += size {
		part := &Board{book: b, sheet: n.sheet, prospects: n.prospects} // with the same pages
		part.tickets, tickets = tickets[0], tickets[1:]
		parts = append(parts, part)
		all.Go(func() {
			part.name(from, min(from+size, b.Len()))
			for i, e := range b.slots[from:min(from+size, b.Len())] {
				if e != nil {
					part.set(from+i, nil, e)
				}
			}
		})
	}
	all.Wait()
	for i, part := range parts {
		if i == 0 {
			n.tickets = part.tickets // which has room for the others behind it
		} else {
			n.tickets = n.tickets.with(part.tickets)
		}
		n.objectives, n.threads = n.objectives.with(part.objectives), n.threads.with(part.threads)
		n.phases, n.milestones, n.checklists = n.phases.with(part.phases), n.milestones.with(part.milestones), n.checklists.with(part.checklists)
		n.sheet.People, n.loose = append(n.sheet.People, part.sheet.People...), n.loose || part.loose
	}
	n.made()
	return n
}

// tickets makes room for the tickets of each so many places, one beside the other.
func (b *Book) tickets(size int) (out []placed[flow.Ticket]) {
	var counts []int
	sum := 0
	for some := range slices.Chunk(b.slots, max(size, 1)) {
		n := 0
		for _, e := range some {
			if e == nil {
				continue
			}
			if _, ok := e.Thing.(*desk.TicketBody); ok {
				n++
			}
		}
		counts, sum = append(counts, n), sum+n
	}
	room := placed[flow.Ticket]{make([]int32, sum), make([]flow.Ticket, sum)}
	for _, n := range counts {
		out = append(out, placed[flow.Ticket]{room.at[:0], room.all[:0]})
		room.at, room.all = room.at[n:], room.all[n:]
	}
	return out
}

// Follow returns the board of a book that has changed since.
func (b *Board) Follow(book *Book, changed []Changed) *Board {
	n := &Board{
		book: book, numbers: b.numbers, loose: b.loose, tickets: b.tickets.clone(), prospects: b.prospects.Copy(),
		titles: b.copiedTitles(), objectives: b.objectives.clone(), threads: b.threads.clone(),
		phases: b.phases.clone(), milestones: b.milestones.clone(), checklists: b.checklists.clone(),
		sheet: capacity.Sheet{People: slices.Clone(b.sheet.People), IDs: b.sheet.IDs, Tickets: b.sheet.Tickets.Copy(), Shares: b.sheet.Shares.Copy(), Numbers: b.sheet.Numbers},
	}
	n.name(n.grow(), book.Len())
	for _, c := range changed {
		n.set(c.Place, c.Was, c.Is)
	}
	n.made()
	return n
}

// made completes a board of which all records are set.
func (b *Board) made() {
	b.join()
	b.lately = finder{}
	if b.sheet.Numbers == nil {
		b.sheet.Number()
	}
	b.covered = sync.OnceValue(func() (out Coverage) {
		out.Objectives, out.Unmapped = flow.Coverages(b.objectives.all, b.tickets.all)
		return out
	})
}

// grow makes room for all places of the book, and says from where it is new.
func (b *Board) grow() (from int) {
	from = len(b.sheet.IDs)
	to := b.book.Len()
	b.sheet.IDs = append(b.sheet.IDs, make([]string, to-from)...)
	b.sheet.Tickets.Grow(to)
	b.sheet.Shares.Grow(to)
	b.prospects.Grow(to)
	return from
}

// name sets the ids at some new places. What has an id keeps it, so that boards share the list of them.
func (b *Board) name(from, to int) {
	size := 0
	for _, e := range b.book.slots[from:to] {
		if e != nil {
			size += len(e.ID)
		}
	}
	var all strings.Builder // one beside the other, so that going through all of them is fast
	all.Grow(size)
	for i := from; i < to; i++ {
		if e := b.book.slots[i]; e != nil {
			at := all.Len()
			all.WriteString(e.ID)
			b.sheet.IDs[i] = all.String()[at:]
		}
	}
}

// set takes over what became of the record at a place.
func (b *Board) set(at int, was, is *Entry) {
	place := int32(at) //nolint:gosec // see [Book]
	e := cmp.Or(is, was)
	if is != nil && was == nil && b.sheet.IDs[at] == "" {
		b.sheet.IDs = slices.Clone(b.sheet.IDs) // it was gone when others began to share them
		b.sheet.IDs[at] = is.ID
	}
	if t, ok := e.Thing.(*desk.TicketBody); ok {
		b.ticket(place, t, is != nil)
	}
	if o, ok := e.Thing.(*desk.ObjectiveBody); ok {
		var one *flow.Objective
		if is != nil {
			one = &flow.Objective{ID: e.ID, ObjectiveBody: *o}
		}
		b.objectives.set(place, one)
	}
	if t, ok := e.Thing.(*desk.ThreadBody); ok {
		var one *drift.Thread
		if is != nil {
			one = &drift.Thread{ID: e.ID, ThreadBody: *t}
		}
		b.threads.set(place, one)
	}
	b.plan(place, e, is != nil)
	if p, ok := e.Thing.(*desk.ResourceBody); ok {
		b.person(place, e.ID, p, is != nil)
	}
	if a, ok := e.Thing.(*desk.AssignmentBody); ok {
		var one capacity.Joined
		if is != nil {
			one = b.joined(a)
		}
		b.sheet.Shares.Set(at, one)
	}
}

// plan puts a phase, a milestone or a checklist at its place, or takes it away.
func (b *Board) plan(place int32, e *Entry, there bool) {
	if t, ok := e.Thing.(*desk.PhaseBody); ok {
		put(&b.phases, place, flow.Phase{ID: e.ID, PhaseBody: *t}, there)
	}
	if t, ok := e.Thing.(*desk.MilestoneBody); ok {
		put(&b.milestones, place, flow.Milestone{ID: e.ID, MilestoneBody: *t}, there)
	}
	if t, ok := e.Thing.(*desk.ChecklistBody); ok {
		put(&b.checklists, place, flow.Checklist{ID: e.ID, ChecklistBody: *t}, there)
	}
}

// put sets a record at its place, or takes it away.
func put[T any](p *placed[T], place int32, is T, there bool) {
	if there {
		p.set(place, &is)
	} else {
		p.set(place, nil)
	}
}

// ticket puts a ticket at its place, or takes it away.
func (b *Board) ticket(place int32, t *desk.TicketBody, there bool) {
	var fact capacity.Fact
	var prospect flow.Prospect
	var one *flow.Ticket
	if there {
		fact, prospect, one = capacity.FactOf(t), flow.ProspectOf(t), &flow.Ticket{ID: b.sheet.IDs[place], TicketBody: t}
	}
	b.sheet.Tickets.Set(int(place), fact)
	b.prospects.Set(int(place), prospect)
	switch i, was := b.tickets.set(place, one); {
	case b.titles == nil:
	case was && there:
		b.titles[i] = drift.TitleKey(t.Title)
	case was:
		b.titles = slices.Delete(b.titles, i, i+1)
	case there:
		b.titles = slices.Insert(b.titles, i, drift.TitleKey(t.Title))
	}
}

// copiedTitles returns a copy of the keys of titles, nil when nobody has asked for them.
func (b *Board) copiedTitles() []uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.titles)
}

// titleKeys returns the keys of the titles of the tickets.
func (b *Board) titleKeys() []uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.titles == nil {
		b.titles = make([]uint64, len(b.tickets.all))
		for i, t := range b.tickets.all {
			b.titles[i] = drift.TitleKey(t.Title)
		}
	}
	return b.titles
}

// Desk is the board as the rules for drift read it, at a time.
func (b *Board) Desk(now time.Time) drift.Desk {
	d := drift.Desk{
		Tickets: make([]capacity.Ticket, len(b.tickets.all)), Objectives: b.objectives.all, Plan: b.Plan(), People: make([]capacity.Person, len(b.sheet.People)), Threads: b.threads.all, Now: now,
		Kept: &drift.Kept{Report: b.sheet.Allocated(), Touched: func(i int) time.Time { return b.book.slots[b.tickets.at[i]].UpdatedAt }, Titles: b.titleKeys()},
	}
	for i, t := range b.tickets.all {
		d.Tickets[i] = capacity.Ticket(t)
	}
	for i, p := range b.sheet.People {
		d.People[i] = p.Person
	}
	if len(b.threads.all) > 0 { // whose actions are compared with who has what
		for place, p := range b.Held() {
			d.Shares = append(d.Shares, capacity.Share{ResourceID: b.sheet.People[p].ID, TicketID: b.sheet.IDs[place]})
		}
	}
	return d
}

// Touched is when a ticket was changed last.
func (b *Board) Touched() (last time.Time) {
	for _, place := range b.tickets.at {
		if at := b.book.slots[place].UpdatedAt; at.After(last) {
			last = at
		}
	}
	return last
}

// person puts a person at their place, or takes them away.
func (b *Board) person(place int32, id string, t *desk.ResourceBody, there bool) {
	i, found := slices.BinarySearchFunc(b.sheet.People, place, func(p capacity.Placed, place int32) int { return cmp.Compare(p.Place, place) })
	p := capacity.Placed{Person: capacity.Person{ID: id, ResourceBody: *t}, Place: place}
	b.sheet.Numbers = nil // they are counted again
	switch {
	case found && there:
		b.sheet.People[i] = p
	case found:
		b.sheet.People = slices.Delete(b.sheet.People, i, i+1)
	case there:
		b.sheet.People = slices.Insert(b.sheet.People, i, p)
	}
}

func (b *Board) joined(t *desk.AssignmentBody) capacity.Joined {
	j := capacity.Joined{There: true, Person: b.lately.person(b.book, t.ResourceID), Ticket: b.lately.ticket(b.book, t.TicketID), Percent: t.Percent}
	b.loose = b.loose || j.Person < 0 || j.Ticket < 0
	return j
}

// join looks again for what assignments name that was not known.
func (b *Board) join() {
	if !b.loose {
		return
	}
	b.loose = false
	for i, x := range b.sheet.Shares.All() {
		if !x.There || x.Person >= 0 && x.Ticket >= 0 {
			continue
		}
		if t, ok := b.book.slots[i].Thing.(*desk.AssignmentBody); ok {
			b.sheet.Shares.Set(i, b.joined(t))
		}
	}
}

// Report is who has room on the day of a time. Loads without shares of time are estimated.
func (b *Board) Report(now time.Time) capacity.Report {
	b.mu.Lock()
	defer b.mu.Unlock()
	if day := string(desk.DateOf(now)); b.day != day {
		b.day, b.room = day, b.sheet.Report(now)
	}
	return b.room
}

// Likely returns the people who are likely the same.
func (b *Board) Likely() []capacity.Alike {
	people := make([]capacity.Person, 0, len(b.sheet.People))
	for _, p := range b.sheet.People {
		people = append(people, p.Person)
	}
	return capacity.Likely(people)
}

// Suggest proposes people for unassigned open tickets.
func (b *Board) Suggest(r capacity.Report, limit int) []capacity.Suggestion {
	return capacity.Suggest(r, func(yield func(capacity.Ticket) bool) {
		for _, t := range b.tickets.all {
			if !yield(capacity.Ticket(t)) {
				return
			}
		}
	}, limit)
}

// Tickets returns the tickets. They are not to be changed.
func (b *Board) Tickets() []flow.Ticket { return b.tickets.all }

// Plan returns the phases, milestones and checklists, in the order of their creation. They are not to be changed.
func (b *Board) Plan() flow.Plan {
	return flow.Plan{Phases: b.phases.all, Milestones: b.milestones.all, Checklists: b.checklists.all}
}

// Delays returns what of the plan is late or will be; see [flow.Plan.Delays].
func (b *Board) Delays(now time.Time) []flow.Delay {
	return b.Plan().Delays(b.objectives.all, b.tickets.all, now)
}

// Objectives returns the objectives. They are not to be changed.
func (b *Board) Objectives() []flow.Objective { return b.objectives.all }

// Names returns what people are called, by their ids.
func (b *Board) Names() map[string]string {
	out := make(map[string]string, len(b.sheet.People))
	for _, p := range b.sheet.People {
		out[p.ID] = p.Name
	}
	return out
}

// Find returns a record that the board is made from, among others.
func (b *Board) Find(id string) (*Entry, bool) { return b.book.Find(id) }

// Coverage is how far the objectives are. It is not to be changed.
func (b *Board) Coverage() Coverage { return b.covered() }

// Owners yields who has which ticket, both of which are there, in the order of the assignments.
func (b *Board) Owners() iter.Seq2[*Entry, *capacity.Person] {
	return func(yield func(ticket *Entry, p *capacity.Person) bool) {
		for place, n := range b.Held() {
			if !yield(b.book.slots[place], b.Person(n)) {
				return
			}
		}
	}
}

// Held yields the places of tickets that somebody has, who is there, in the order of the assignments, and which [Board.Person] that is.
func (b *Board) Held() iter.Seq2[int, int] {
	return func(yield func(place, person int) bool) {
		for _, x := range b.sheet.Shares.All() {
			if n, ok := b.sheet.Held(x); ok && !yield(int(x.Ticket), n) {
				return
			}
		}
	}
}

// People is how many there are.
func (b *Board) People() int { return len(b.sheet.People) }

// Person returns one of the people, by their number in the order of creation.
func (b *Board) Person(n int) *capacity.Person { return &b.sheet.People[n].Person }

// Places is one more than the last place.
func (b *Board) Places() int { return len(b.sheet.IDs) }

// Place is that of a record, -1 for one that was never there.
func (b *Board) Place(id string) int { return int(b.book.Place(id)) }

// ID is that of the record at a place.
func (b *Board) ID(place int) string { return b.sheet.IDs[place] }

// Prospect says how the ticket at a place stands.
func (b *Board) Prospect(place int) *flow.Prospect { return b.prospects.At(place) }

// FinishedAt is when the ticket at a place was finished; zero when it is not done.
func (b *Board) FinishedAt(place int, p *chart.Pace) time.Time {
	return p.FinishedAt(b.numbers, place, b.sheet.IDs[place])
}

// Slips returns the first of the open tickets that are late or will be, and how many there are of each cause; see
// [flow.Slips].
func (b *Board) Slips(p *chart.Pace, now time.Time, most int) ([]flow.Slip, map[flow.Cause]int) {
	begun := func(place int) time.Time { return p.Begun(b.numbers, place, b.sheet.IDs[place]) }
	first, counts := flow.Slips(b.prospects.All(), begun, p.Usual, now, most)
	out := make([]flow.Slip, 0, len(first))
	for _, s := range first {
		e := b.book.slots[s.At]
		if t, ok := e.Thing.(*desk.TicketBody); ok {
			out = append(out, s.Of(flow.Ticket{ID: e.ID, TicketBody: t}))
		}
	}
	return out, counts
}
