package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"chela/internal/desk"
	"chela/internal/query"
	"chela/internal/question"
)

// A said is a decision, an action or a question with its thread.
type said struct {
	thread *Record
	text   string
	who    string
	date   desk.Date
	about  string // what else says what it is about
	state  string
	due    desk.Date
}

// threads returns the threads of the plan, the newest first.
func (c *computation) threads(each func(r *Record, b *desk.ThreadBody)) {
	all := slices.Clone(c.byKind[desk.Thread])
	slices.SortStableFunc(all, func(a, b *Record) int { return strings.Compare(dateOf(b), dateOf(a)) })
	for _, r := range all {
		if b, ok := r.Thing.(*desk.ThreadBody); ok && (len(c.plan.Records) == 0 || slices.Contains(c.plan.Records, r.ID)) {
			each(r, b)
		}
	}
}

func dateOf(r *Record) string {
	if b, ok := r.Thing.(*desk.ThreadBody); ok && b.Date != "" {
		return string(b.Date)
	}
	return string(desk.DateOf(r.CreatedAt))
}

// fitting keeps what has most of the plan's words, is somebody's, and of the plan's days.
func (c *computation) fitting(all []said) []said {
	words := make(map[string]bool)
	for _, w := range query.Words(c.plan.Words) {
		words[stem(w.Text)] = true
	}
	most := 0
	hits := make([]int, len(all))
	for i, x := range all {
		day := string(x.date)
		if day == "" {
			day = dateOf(x.thread)
		}
		if c.plan.State == "due" {
			day = string(x.due)
		}
		day = day[:min(len(day), 10)]
		if day == "" && c.plan.State == "due" || c.plan.From != "" && day < c.plan.From || c.plan.To != "" && day > c.plan.To || !c.theirs(x.who) {
			hits[i] = -1
			continue
		}
		seen := make(map[string]bool)
		for _, w := range query.Words(x.text + " " + x.about + " " + x.thread.Title) {
			if st := stem(w.Text); words[st] && !seen[st] {
				seen[st] = true
				hits[i]++
			}
		}
		most = max(most, hits[i])
	}
	if most > 0 && most < len(words) {
		c.partly = true
	}
	var out []said
	for i, x := range all {
		if hits[i] >= 0 && (len(words) == 0 || hits[i] > 0 && hits[i] == most) {
			out = append(out, x)
		}
	}
	return out
}

// theirs reports whether what somebody decided or promised is of whom the plan asks for.
func (c *computation) theirs(who string) bool {
	switch {
	case c.plan.Not != "" && c.says(who, c.plan.Not):
		return false
	case c.plan.Person == question.Nobody:
		return who == ""
	}
	return c.plan.Person == "" || c.says(who, c.plan.Person)
}

// says reports whether a name in a text may be that of a person: by one of the person's own names, or by that of whom it names now.
func (s *Snapshot) says(name, person string) bool {
	return question.SamePerson(name, person) || slices.ContainsFunc(s.byKind[desk.Resource], func(r *Record) bool {
		b, ok := r.Thing.(*desk.ResourceBody)
		return ok && len(b.Aliases) > 0 && b.Name == person && b.Answers(name)
	})
}

// decisions answers what was decided.
func (c *computation) decisions() {
	var all []said
	c.threads(func(r *Record, b *desk.ThreadBody) {
		for _, d := range b.Decisions {
			all = append(all, said{thread: r, text: d.Text, who: d.DecidedBy, date: d.Date, about: d.Context})
		}
	})
	c.told(c.fitting(all), len(all), "decision", []string{"Decision", "Decided by", "Date", "Thread"}, func(x said) []string {
		return []string{x.text, x.who, cmp.Or(string(x.date), dateOf(x.thread)), x.thread.Title}
	})
}

// actions answers what was agreed to be done, what is open first.
func (c *computation) actions() {
	var all []said
	today := string(desk.DateOf(c.now))
	c.threads(func(r *Record, b *desk.ThreadBody) {
		for _, a := range b.Actions {
			overdue := a.DueDate != "" && string(a.DueDate) < today
			if (c.plan.State == "done") != (a.Status == "DONE") && c.plan.State != "" || c.plan.State == "overdue" && !overdue {
				continue
			}
			all = append(all, said{thread: r, text: a.Text, who: a.Assignee, state: a.Status, due: a.DueDate})
		}
	})
	slices.SortStableFunc(all, func(a, b said) int { return strings.Compare(b.state, a.state) })
	c.told(c.fitting(all), len(all), "action", []string{"Action", "By", "Status", "Due", "Thread"}, func(x said) []string {
		return []string{x.text, cmp.Or(x.who, "nobody"), Word(x.state), string(x.due), x.thread.Title}
	})
}

// questions answers what is still asked.
func (c *computation) questions() {
	var all []said
	c.threads(func(r *Record, b *desk.ThreadBody) {
		for _, q := range b.Questions {
			all = append(all, said{thread: r, text: q})
		}
	})
	c.told(c.fitting(all), len(all), "question", []string{"Question", "Date", "Thread"}, func(x said) []string {
		return []string{x.text, dateOf(x.thread), x.thread.Title}
	})
}

// told writes what threads say as a table.
func (c *computation) told(all []said, of int, noun string, columns []string, cells func(said) []string) {
	adjective := ""
	if c.plan.State != "" {
		adjective = c.plan.State + " "
	}
	if noun == "question" {
		adjective = "open "
	}
	about := ""
	if c.plan.Words != "" {
		about = fmt.Sprintf(" about %q", c.plan.Words)
	}
	if c.plan.Person != "" {
		about += " of " + c.plan.Person
	}
	if c.plan.Not != "" {
		about += " not of " + c.plan.Not
	}
	if len(all) == 0 {
		c.out.Nothing = true
		c.out.Sentence = fmt.Sprintf("Of %s, none is%s.", counted(of, adjective+noun, adjective+noun+"s"), strings.TrimPrefix(about+c.between(), ""))
		if of == 0 {
			c.out.Sentence = fmt.Sprintf("The project's threads have no %s%ss.", adjective, noun)
		}
		return
	}
	if c.plan.Limit > 0 {
		all = all[:min(len(all), c.plan.Limit)]
	}
	t := &Table{Columns: columns, Total: len(all)}
	for _, x := range all {
		c.cite(x.thread)
		if len(t.Rows) < maxRows {
			t.Rows = append(t.Rows, Row{ID: x.thread.ID, Cells: cells(x)})
		}
	}
	c.out.Table = t
	if len(all) == 1 {
		c.out.Sentence = fmt.Sprintf("%s (%s, %s)", all[0].text, all[0].thread.Title, cmp.Or(string(all[0].date), dateOf(all[0].thread)))
	} else {
		c.out.Sentence = fmt.Sprintf("%s%s%s: %s", counted(len(all), adjective+noun, adjective+noun+"s"), about, c.between(), firstCells(t))
	}
	if c.partly {
		c.out.Sentence = fmt.Sprintf("No %s has all the words %q. The nearest: %s", noun, c.plan.Words, c.out.Sentence)
	}
}

func (c *computation) between() string {
	switch {
	case c.plan.From != "" && c.plan.To != "":
		return " from " + c.plan.From + " to " + c.plan.To
	case c.plan.From != "":
		return " since " + c.plan.From
	case c.plan.To != "":
		return " until " + c.plan.To
	}
	return ""
}
