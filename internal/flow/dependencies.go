package flow

import (
	"slices"

	"chela/internal/desk"
)

// A Dependent is an open ticket that waits for open ones, or that open ones wait for.
type Dependent struct {
	TicketID string            `json:"ticketId"`
	Ref      string            `json:"externalRef,omitempty"`
	Title    string            `json:"title"`
	Status   desk.TicketStatus `json:"status"`
	WaitsFor []string          `json:"waitsFor" doc:"open tickets that block it, in the order it names them"`
	HoldsUp  []string          `json:"holdsUp" doc:"open tickets that it blocks"`
	Step     int               `json:"step" doc:"0: nothing open is in its way, so it can begin; else one more than the latest of those that block it from outside its circle"`
	Circle   bool              `json:"circle" doc:"it waits for itself, by way of others"`
}

// Dependencies are the open tickets that depend on each other, by step, then as the
// tickets were given.
type Dependencies struct {
	Tickets []Dependent `json:"tickets"`
	Circles [][]string  `json:"circles" doc:"tickets that wait for each other, so that none can begin"`
	Longest []string    `json:"longest" doc:"the longest chain of tickets of which each waits for the one before; it takes the shortest way through a circle"`
}

// Depend computes what waits for what among the tickets that are not done. Blockers that
// are done or gone block nothing. Tickets that wait for each other share a step, the first
// after what they wait for besides; none of them is in step 0.
func Depend(all []Ticket) Dependencies {
	g := newGraph(all)
	out := Dependencies{Tickets: []Dependent{}, Circles: [][]string{}, Longest: g.longest()}
	for i, t := range g.open {
		if len(g.waits[i]) == 0 && len(g.holds[i]) == 0 {
			continue
		}
		out.Tickets = append(out.Tickets, Dependent{
			TicketID: t.ID, Ref: t.ExternalRef, Title: t.Title, Status: t.Status,
			WaitsFor: g.ids(g.waits[i]), HoldsUp: g.ids(g.holds[i]), Step: g.step[g.group[i]], Circle: g.circular[g.group[i]],
		})
	}
	slices.SortStableFunc(out.Tickets, func(a, b Dependent) int { return a.Step - b.Step })
	for i, members := range g.groups {
		if g.circular[i] {
			slices.Sort(members)
			out.Circles = append(out.Circles, g.ids(members))
		}
	}
	return out
}

// A graph is the open tickets with what they wait for, by their index, in groups that wait
// for each other (strongly connected components; Tarjan 1972). A group's number is greater
// than those of the groups that it waits for.
type graph struct {
	open         []Ticket
	waits, holds [][]int
	group        []int // of a ticket
	groups       [][]int
	step         []int  // of a group
	circular     []bool // of a group
}

func newGraph(all []Ticket) *graph {
	g := &graph{}
	blocks := make(map[string]bool) // what an open ticket names as in its way
	for _, t := range all {
		if len(t.BlockedBy) > 0 && t.Status.Open() {
			for _, id := range t.BlockedBy {
				blocks[id] = true
			}
		}
	}
	if len(blocks) == 0 {
		return g
	}
	at := make(map[string]int)
	for _, t := range all {
		if (len(t.BlockedBy) > 0 || blocks[t.ID]) && t.Status.Open() {
			at[t.ID] = len(g.open)
			g.open = append(g.open, t)
		}
	}
	g.waits, g.holds = make([][]int, len(g.open)), make([][]int, len(g.open))
	for i, t := range g.open {
		for _, id := range t.BlockedBy {
			if b, ok := at[id]; ok && !slices.Contains(g.waits[i], b) {
				g.waits[i] = append(g.waits[i], b)
				g.holds[b] = append(g.holds[b], i)
			}
		}
	}
	g.connect()
	g.rank()
	return g
}

// connect finds the groups. It keeps its own stack: a chain may be as long as the project.
func (g *graph) connect() {
	const unseen = -1
	n := len(g.open)
	index, low, next := make([]int, n), make([]int, n), make([]int, n)
	g.group = make([]int, n)
	for i := range n {
		index[i], g.group[i] = unseen, unseen
	}
	var path, waiting []int
	seen := 0
	enter := func(v int) {
		index[v], low[v] = seen, seen
		seen++
		path, waiting = append(path, v), append(waiting, v)
	}
	leave := func(v int) {
		path = path[:len(path)-1]
		if len(path) > 0 {
			low[path[len(path)-1]] = min(low[path[len(path)-1]], low[v])
		}
		if low[v] != index[v] {
			return
		}
		from := slices.Index(waiting, v)
		for _, w := range waiting[from:] {
			g.group[w] = len(g.groups)
		}
		g.groups = append(g.groups, slices.Clone(waiting[from:]))
		waiting = waiting[:from]
	}
	for start := range n {
		if index[start] != unseen {
			continue
		}
		for enter(start); len(path) > 0; {
			v := path[len(path)-1]
			if next[v] == len(g.waits[v]) {
				leave(v)
				continue
			}
			w := g.waits[v][next[v]]
			next[v]++
			switch {
			case index[w] == unseen:
				enter(w)
			case g.group[w] == unseen:
				low[v] = min(low[v], index[w])
			}
		}
	}
}

// rank gives each group its step; those it waits for come before it.
func (g *graph) rank() {
	n := len(g.groups)
	g.step, g.circular = make([]int, n), make([]bool, n)
	for i, members := range g.groups {
		g.circular[i] = len(members) > 1
		for _, v := range members {
			for _, w := range g.waits[v] {
				switch of := g.group[w]; {
				case of == i:
					g.circular[i] = true
				case g.step[of]+1 > g.step[i]:
					g.step[i] = g.step[of] + 1
				}
			}
		}
		if g.circular[i] {
			g.step[i] = max(g.step[i], 1)
		}
	}
}

// longest returns the longest chain; none when nothing waits for another. A circle is entered
// at the ticket that has the longest chain before it, and left by the shortest way.
func (g *graph) longest() []string {
	length, before := make([]int, len(g.open)), make([]int, len(g.open))
	last := -1
	for i, members := range g.groups {
		for _, v := range members {
			length[v], before[v] = 1, -1
			for _, w := range g.waits[v] {
				if g.group[w] != i && length[w]+1 > length[v] {
					length[v], before[v] = length[w]+1, w
				}
			}
		}
		if len(members) > 1 {
			g.through(members, length, before)
		}
		for _, v := range members {
			if length[v] > 1 && (last < 0 || length[v] > length[last]) {
				last = v
			}
		}
	}
	out := []string{}
	for v := last; v >= 0; v = before[v] {
		out = append(out, g.open[v].ID)
	}
	slices.Reverse(out)
	return out
}

// through gives the members of a circle the chains that enter it where the longest does.
func (g *graph) through(members, length, before []int) {
	entry := members[0]
	for _, v := range members {
		if length[v] > length[entry] || (length[v] == length[entry] && v < entry) {
			entry = v
		}
	}
	seen := map[int]bool{entry: true}
	for reached := []int{entry}; len(reached) > 0; reached = reached[1:] {
		v := reached[0]
		for _, u := range g.holds[v] {
			if g.group[u] == g.group[entry] && !seen[u] {
				seen[u] = true
				length[u], before[u] = length[v]+1, v
				reached = append(reached, u)
			}
		}
	}
}

func (g *graph) ids(of []int) []string {
	out := make([]string, 0, len(of))
	for _, i := range of {
		out = append(out, g.open[i].ID)
	}
	return out
}
