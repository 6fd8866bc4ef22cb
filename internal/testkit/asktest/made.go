package asktest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"chela/internal/answer"
	"chela/internal/desk"
	"chela/internal/question"
)

var (
	statuses   = []string{"to do", "in progress", "in review", "done", "blocked"}
	priorities = []string{"low", "medium", "high", "critical"}
)

// statusWord is a status as sentences have it.
func statusWord(s string) string {
	if s == "Review" {
		return "in review"
	}
	return strings.ToLower(s)
}

// tickets makes sentences about tickets.
func (m *maker) tickets() {
	list := "Which tickets are there?"
	c, err := m.s.Compute(question.Read(list, m.s, Now()).Plans[0], Now())
	if err != nil || c.Table == nil {
		return
	}
	var people, titles []string
	for _, row := range c.Table.Rows {
		r, ok := m.s.Find(row.ID)
		if !ok {
			continue
		}
		m.keys = append(m.keys, r.Key)
		titles = append(titles, r.Title)
		for _, o := range r.Owners {
			if !slices.Contains(people, o) {
				people = append(people, o)
			}
		}
	}
	for i, row := range c.Table.Rows {
		if i >= 44 {
			break
		}
		if r, ok := m.s.Find(row.ID); ok {
			m.ticket(i, r, people, titles)
		}
	}
}

// ticket makes one sentence about a ticket; which, its place in the list decides.
func (m *maker) ticket(i int, r *answer.Record, people, _ []string) {
	status, priority := statusWord(m.field(r, "status")), strings.ToLower(m.field(r, "priority"))
	key := slot{"key", r.Key, m.other(m.keys, r.Key), ""}
	st := slot{"status", status, m.other(statuses, status), ""}
	pr := slot{"priority", priority, m.other(priorities, priority), ""}
	due, created, resolved := m.field(r, "due"), m.field(r, "created"), m.field(r, "resolved")
	if t, ok := r.Thing.(*desk.TicketBody); ok {
		created = string(t.CreatedOn)
	}
	q := "What about " + r.Key + "?"
	ids := []string{r.ID}
	owner := ""
	if len(r.Owners) > 0 {
		owner = r.Owners[0]
	}
	switch {
	case i%11 == 0 && owner != "":
		m.say(q, ids, slot{"person", owner, m.other(people, owner), ""}, " works on ", r.Title, ", which is ", st, ".")
	case i%11 == 1 && due != "":
		m.say(q, ids, key, " is due on ", m.day(due), ".")
	case i%11 == 2 && resolved != "":
		days := int(desk.Date(resolved).Time().Sub(desk.Date(created).Time()).Hours() / 24)
		m.say(q, ids, r.Title, " was created on ", m.day(created), " and took ", m.number("derived", strconv.Itoa(days), false), " days.")
	case i%11 == 3 && due != "":
		m.say(q, ids, r.Title, " is due ", m.relative(due), ".")
	case i%11 == 4:
		m.say(q, ids, "The status of ", key, " is ", st, ", its priority is ", pr, ".")
	case i%11 == 5 && m.points(r) != "":
		m.say(q, ids, r.Title, " has ", m.number("number", m.points(r), true), " story points.")
	case i%11 == 6 && status == "done":
		m.say(q, ids, r.Key, " is ", slot{"negation", "", "not ", "done"}, "done.")
	case i%11 == 6:
		m.say(q, ids, r.Key, " is ", slot{"negation", "not ", "", "done"}, "done.")
	case i%11 == 7 && owner != "":
		m.say(q, ids, r.Title, " is assigned to ", slot{"stranger", owner, "Quentin Blake", "Quentin"}, ".")
	case i%11 == 8 && m.field(r, "reporter") != "":
		m.say(q, ids, r.Key, " was reported by ", slot{"person", m.field(r, "reporter"), m.other(append(slices.Clone(people), "Lena Vogt", "Nina Falk"), m.field(r, "reporter"), owner), ""}, ".")
	case i%11 == 9:
		m.say(q, ids, "It is about ", r.Title, ", which is ", st, slot{"citation", "", "tkt_9999zzzzzzzzzzzzzzzzzzzzzz", "tkt_9999zzzzzzzzzzzzzzzzzzzzzz"}, ".")
	default:
		m.say(q, ids, "Created on ", m.day(created), ", ", r.Key, " has ", pr, " priority", ".")
	}
}

func (m *maker) points(r *answer.Record) string {
	if t, ok := r.Thing.(*desk.TicketBody); ok && t.StoryPoints != nil {
		return strconv.FormatFloat(*t.StoryPoints, 'f', -1, 64)
	}
	return ""
}

// tables makes sentences about computed tables.
func (m *maker) tables() {
	for _, q := range []string{
		"How many open tickets does each person have?", "Open tickets by priority", "tickets by status", "Who has the most capacity?", "How well are the objectives covered?",
		"What is overdue?", "What share of the tickets is done?", "Which tickets are in progress?", "How many tickets were resolved per month?", "average resolution time of a ticket", "Open critical tickets",
		"How many story points does each person have?", "Which open tickets are unassigned?",
	} {
		p := question.Read(q, m.s, Now()).Plans[0]
		c, err := m.s.Compute(p, Now())
		if err != nil || c.Table == nil || len(c.Table.Rows) < 2 {
			continue
		}
		switch p.Measure {
		case question.Group:
			m.groups(q, p, c)
		case question.Capacity:
			m.capacity(q, c)
		case question.Coverage:
			m.coverage(q, c)
		case question.List, question.Count:
			m.listed(q, c)
		case question.Share:
			m.shares(q, c)
		default:
			if at := strings.IndexByte(c.Sentence, ' '); at > 0 {
				n := m.number("derived", c.Sentence[:at], false)
				m.say(q, nil, "On average, a ticket takes ", n, " days.")
				m.say(q, nil, "It took ", n, " days on average to resolve a ticket.")
			}
		}
	}
}

// groups makes sentences about counts.
func (m *maker) groups(q string, p question.Plan, c answer.Answer) {
	rows := slices.DeleteFunc(slices.Clone(c.Table.Rows), func(r answer.Row) bool {
		return r.Cells[0] == "Unassigned" || r.Cells[1] == "0" || r.Cells[0] == "None"
	})
	people := p.By == "owner"
	noun := " tickets"
	if p.Of != "" {
		noun = " story points"
	}
	for i := 0; i+1 < len(rows) && i < 10; i++ {
		a, b := rows[i], rows[i+1]
		var ids []string
		if people {
			ids = []string{a.ID, b.ID}
		}
		x, _ := strconv.Atoi(a.Cells[1])
		y, _ := strconv.Atoi(b.Cells[1])
		switch {
		case !people && p.Per != "":
			m.say(q, nil, "In "+a.Cells[0]+", ", m.number("number", a.Cells[1], false), " tickets were resolved.")
		case !people:
			m.say(q, nil, m.number("number", a.Cells[1], true), " tickets are ", statusWord(a.Cells[0]), map[bool]string{true: " priority"}[p.By == "priority"], ".")
		case i%3 == 0 && x != y:
			m.say(q, ids, a.Cells[0], " has ", slot{"swapped", a.Cells[1], b.Cells[1], ""}, noun, ", ", b.Cells[0], " has ", m.number("number", b.Cells[1], true), ".")
		case i%3 == 1:
			m.say(q, ids, a.Cells[0], " and ", b.Cells[0], " together have ", m.number("derived", strconv.Itoa(x+y), false), noun, ".")
		case x > y:
			m.say(q, ids, a.Cells[0], " has ", m.number("derived", strconv.Itoa(x-y), false), " more", noun, " than ", b.Cells[0], ".")
		}
	}
	if people && rows[0].Cells[1] != rows[len(rows)-1].Cells[1] && p.Sort == "" {
		m.say(q, nil, slot{"person", rows[0].Cells[0], rows[len(rows)-1].Cells[0], ""}, " has the most", noun, ".")
	}
}

// capacity makes sentences about hours.
func (m *maker) capacity(q string, c answer.Answer) {
	rows := c.Table.Rows
	for i, r := range rows[:min(len(rows), 8)] {
		last := rows[len(rows)-1-i]
		switch {
		case i%2 == 0:
			m.say(q, []string{r.ID}, r.Cells[0], " has ", m.number("number", r.Cells[3], false), " of ", m.number("number", r.Cells[2], false), " hours free.")
		case r.Cells[2] != last.Cells[2]:
			m.say(q, []string{r.ID, last.ID}, r.Cells[0], " works ", slot{"swapped", r.Cells[2], last.Cells[2], ""}, " hours a week and ", last.Cells[0], " works ", last.Cells[2], " hours.")
		}
		load := strings.ToLower(r.Cells[7])
		m.say(q, []string{r.ID}, r.Cells[0], " is ", slot{"status", load, m.other([]string{"overloaded", "idle", "underutilized"}, load), ""}, " with ", m.number("number", r.Cells[5], true), " open tickets.")
	}
}

// coverage makes sentences about objectives.
func (m *maker) coverage(q string, c answer.Answer) {
	for _, r := range c.Table.Rows {
		if r.Cells[6] == "0" {
			continue
		}
		m.say(q, []string{r.ID}, r.Cells[0], " is covered to ", m.number("number", strings.TrimSuffix(r.Cells[2], " %"), false), " %, with ", m.number("number", r.Cells[3], true), " tickets done.")
	}
}

// listed makes sentences about a list as a whole.
func (m *maker) listed(q string, c answer.Answer) {
	n := strconv.Itoa(c.Table.Total)
	m.say(q, nil, "There are ", m.number("number", n, false), " such tickets.")
	m.say(q, nil, m.number("number", n, true), " tickets fit.")
	decided, done := 0, 0
	for _, row := range c.Table.Rows {
		if r, ok := m.s.Find(row.ID); ok {
			decided++
			if is, _ := m.s.Is(r, "done", Now()); is {
				done++
			}
		}
	}
	if done == 0 && decided > 0 {
		m.say(q, nil, slot{"quantity", "None of them is", "All of them are", "done"}, " done.")
		m.say(q, nil, "All of them are ", slot{"quantity", "open", "done", ""}, ".")
		m.say(q, nil, "Not a single one is closed: all are ", slot{"quantity", "open", "closed", ""}, ".")
		m.say(q, nil, "Most of these tickets are ", slot{"quantity", "open", "done", ""}, ".")
	}
}

// shares makes sentences about percentages.
func (m *maker) shares(q string, c answer.Answer) {
	percent, _, _ := strings.Cut(c.Sentence, " %")
	m.say(q, nil, m.number("derived", percent, false), " % of the tickets are done.")
	m.say(q, nil, "About ", m.number("derived", fmt.Sprintf("%.0f", mustFloat(percent)), false), " percent is done: ", m.number("number", strconv.Itoa(c.Total), false), " tickets.")
}

func mustFloat(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return v
}
