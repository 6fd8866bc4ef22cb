package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/query"
	"chela/internal/question"
)

// A remark is a comment on a record: one written here, or one that its tracker had.
type remark struct {
	on   *Record // nil when it is gone
	text string
	who  string
	at   time.Time // zero when its tracker did not say
}

func (m remark) day() string {
	if m.at.IsZero() {
		return ""
	}
	return m.at.UTC().Format(time.DateOnly)
}

// remarks are all comments of the project.
func (s *Snapshot) remarks(called func(string) string) (out []remark) {
	for _, r := range s.byKind[desk.Comment] {
		if b, ok := r.Thing.(*desk.CommentBody); ok {
			on, _ := s.Find(b.RecordID)
			out = append(out, remark{on, b.Text, called(r.CreatedBy), r.CreatedAt})
		}
	}
	for _, r := range s.byKind[desk.Ticket] {
		b, ok := r.Thing.(*desk.TicketBody)
		if !ok {
			continue
		}
		for _, e := range b.Evidence {
			if e.Type == "comment" {
				out = append(out, remark{r, e.Snippet, e.Author, e.Date.Time()})
			}
		}
	}
	return out
}

// commented returns whether a record has a comment that the plan asks for, or has none.
func (c *computation) commented() test {
	has, all := make(map[string]bool), c.remarks(c.called)
	if len(all) == 0 {
		c.note("The project has no comments.")
	}
	for _, m := range all {
		if m.on != nil && c.heard(m) {
			has[m.on.ID] = true
		}
	}
	want := c.plan.State == question.Commented
	return func(r *Record) bool { return has[r.ID] == want }
}

// heard reports whether a comment is of the plan's person, days and words.
func (c *computation) heard(m remark) bool {
	day := m.day()
	if (c.plan.From != "" || c.plan.To != "") && day == "" || c.plan.From != "" && day < c.plan.From || c.plan.To != "" && day > c.plan.To {
		return false
	}
	if c.plan.Person != "" && !c.says(m.who, c.plan.Person) {
		return false
	}
	if c.plan.Words == "" || c.plan.Measure != question.Comments {
		return true
	}
	have := make(map[string]bool)
	for _, w := range query.Words(m.text) {
		have[stem(w.Text)] = true
	}
	return !slices.ContainsFunc(query.Words(c.plan.Words), func(w query.Word) bool { return !have[stem(w.Text)] })
}

// comments answers who said what about records, the newest first; or how often, by record or by person.
func (c *computation) comments() error {
	all := c.remarks(c.called)
	about, err := c.commentable()
	if err != nil {
		return err
	}
	undated := 0
	fit := slices.DeleteFunc(slices.Clone(all), func(m remark) bool {
		if about != nil && (m.on == nil || !about[m.on.ID]) {
			return true
		}
		if m.at.IsZero() && (c.plan.From != "" || c.plan.To != "") {
			undated++
		}
		return !c.heard(m)
	})
	if undated > 0 {
		c.note("Of %s no day is known.", counted(undated, "more comment", "more comments"))
	}
	slices.SortStableFunc(fit, func(a, b remark) int { return b.at.Compare(a.at) })
	switch {
	case len(fit) == 0:
		c.out.Nothing = true
		c.out.Sentence = fmt.Sprintf("Of %s in the project, none is%s.", counted(len(all), "comment", "comments"), c.remarked())
		if len(all) == 0 {
			c.out.Sentence = "The project has no comments."
		}
	case c.plan.By != "":
		c.tallied(fit)
	default:
		c.showRemarks(fit)
	}
	return nil
}

// commentable are the records whose comments are asked for; nil means all.
func (c *computation) commentable() (map[string]bool, error) {
	if len(c.plan.Records) == 0 && c.plan.Kind == "" {
		return nil, nil
	}
	out := make(map[string]bool)
	for _, id := range c.plan.Records {
		out[id] = true
	}
	if len(out) > 0 {
		return out, nil
	}
	all, err := c.found(c.plan.Filter)
	for _, r := range all {
		out[r.ID] = true
	}
	return out, err
}

// remarked says which comments the plan asks for.
func (c *computation) remarked() (out string) {
	for i, id := range c.plan.Records {
		if r, ok := c.Find(id); ok && i < 3 {
			out += " on " + label(r)
		}
	}
	if c.plan.Kind != "" {
		out += " on " + question.Plural(c.plan.Kind) + c.which()
	}
	if c.plan.Person != "" {
		out += " by " + c.plan.Person
	}
	if c.plan.Words != "" {
		out += fmt.Sprintf(" with %q", c.plan.Words)
	}
	return out + c.between()
}

// showRemarks shows comments with their words.
func (c *computation) showRemarks(all []remark) {
	total := len(all)
	if c.plan.Limit > 0 {
		all = all[:min(total, c.plan.Limit)]
	}
	t := &Table{Columns: []string{"On", "Day", "Who", "Comment"}, Total: len(all)}
	for i, m := range all {
		on, at := "", ""
		if m.on != nil {
			c.cite(m.on)
			on, at = label(m.on), m.on.ID
		}
		if i < maxRows {
			t.Rows = append(t.Rows, Row{ID: at, Cells: []string{on, m.day(), cmp.Or(m.who, "not recorded"), clip(m.text, 400)}})
		}
	}
	c.out.Table = t
	first := all[0]
	said := fmt.Sprintf("%s on %s: %q", cmp.Or(first.who, "Somebody who is not recorded"), cmp.Or(first.day(), "a day that is not recorded"), clip(first.text, 200))
	if first.on != nil && len(c.plan.Records) != 1 {
		said = fmt.Sprintf("%s, %s", label(first.on), said)
	}
	if total == 1 || c.plan.Limit == 1 {
		c.out.Sentence = fmt.Sprintf("%s. %s%s.", said, counted(total, "comment", "comments"), c.remarked())
		return
	}
	c.out.Sentence = fmt.Sprintf("%s%s, the newest of them: %s.", counted(total, "comment", "comments"), c.remarked(), said)
}

// tallied counts comments by the record that they are on, or by who wrote them.
func (c *computation) tallied(all []remark) {
	n, last, name := make(map[string]int), make(map[string]string), make(map[string]string)
	var keys []string
	for _, m := range all {
		key := cmp.Or(m.who, "not recorded")
		word := key
		if c.plan.ByRecord() {
			if m.on == nil {
				continue
			}
			key, word = m.on.ID, label(m.on)
		}
		if n[key] == 0 {
			keys, last[key], name[key] = append(keys, key), m.day(), word
		}
		n[key]++
	}
	slices.SortStableFunc(keys, func(a, b string) int { return n[b] - n[a] })
	column := "Who"
	if c.plan.ByRecord() {
		column = "Record"
	}
	t := &Table{Columns: []string{column, "Comments", "Last"}, Total: len(keys)}
	var said []string
	for i, k := range keys {
		row := Row{Cells: []string{name[k], thousands(n[k]), last[k]}}
		if c.plan.ByRecord() {
			row.ID = k
			if r, ok := c.Find(k); ok {
				c.cite(r)
			}
		}
		if i < maxRows {
			t.Rows = append(t.Rows, row)
		}
		if i < 3 {
			said = append(said, fmt.Sprintf("%s (%s)", name[k], thousands(n[k])))
		}
	}
	if !c.plan.ByRecord() {
		for _, m := range all {
			if m.on != nil {
				c.cite(m.on)
			}
		}
	}
	if len(keys) == 0 {
		c.out.Nothing, c.out.Sentence = true, "The records that the comments are on are gone."
		return
	}
	c.out.Table = t
	ties := 0
	for _, k := range keys {
		if n[k] == n[keys[0]] {
			ties++
		}
	}
	if ties > 1 {
		c.out.Sentence = fmt.Sprintf("%s%s. Most, %s each, have %s.", counted(len(all), "comment", "comments"), c.remarked(), thousands(n[keys[0]]), andMore(leaders(keys, name, min(ties, 5)), ties))
		return
	}
	c.out.Sentence = fmt.Sprintf("%s%s. Most: %s.", counted(len(all), "comment", "comments"), c.remarked(), strings.Join(said, ", "))
}

// leaders are the words of the first n keys.
func leaders(keys []string, word map[string]string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = word[keys[i]]
	}
	return out
}
