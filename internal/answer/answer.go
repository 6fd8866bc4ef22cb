package answer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/question"
)

// An Answer is what a plan comes to.
type Answer struct {
	Sentence string
	Table    *Table
	Sources  []string // ids of the records that it rests on, the first maxRows
	Total    int      // how many records it rests on
	Notes    []string // what the records do not have, and what else may count
	Nothing  bool     // no record fits
	Searched bool     // the answer is the best records in full text
}

// A Table is computed. Its rows are the first of Total.
type Table struct {
	Columns []string `json:"columns"`
	Rows    []Row    `json:"rows"`
	Total   int      `json:"total" doc:"how many rows there are; the table has the first 100"`
}

// A Row is one line of a table. It cites its record, or has the filter that lists its records.
type Row struct {
	ID     string   `json:"id,omitempty"`
	Filter string   `json:"filter,omitempty" doc:"lists the records behind the row, in the language of lists"`
	Cells  []string `json:"cells"`
}

// maxRows bounds the rows of a table, and the sources of an answer.
const maxRows = 100

// A computation answers one plan.
type computation struct {
	*Snapshot
	plan question.Plan
	now  time.Time
	out  Answer

	beyond Beyond
	partly bool // what minutes say has some of the plan's words, and nothing has them all
}

// Compute answers a plan at a time. The plan was checked.
func (s *Snapshot) Compute(p question.Plan, now time.Time) (Answer, error) {
	return s.ComputeWith(p, now, Beyond{})
}

// ComputeWith is Compute for a plan that may ask for what records as they stand do not say.
func (s *Snapshot) ComputeWith(p question.Plan, now time.Time, b Beyond) (Answer, error) {
	c := &computation{Snapshot: s, plan: p, now: now, beyond: b, out: Answer{Sources: []string{}, Notes: []string{}}}
	err := c.compute()
	c.undated()
	c.sprintNow()
	c.reported()
	return c.out, err
}

func (c *computation) compute() (err error) {
	p := c.plan
	switch p.State {
	case question.Items:
		c.checkItems()
		return nil
	case question.Added, question.Removed:
		return c.scope()
	case question.Stuck:
		return c.stuck()
	}
	switch p.Measure {
	case question.List:
		if p.State == "held" {
			return c.held()
		}
		err = c.list()
	case question.Count:
		if p.State == "held" {
			return c.held()
		}
		err = c.count()
	case question.Group:
		err = c.group()
	case question.Sum, question.Average, question.Median, question.Percentile:
		err = c.number()
	case question.Share:
		err = c.share()
	case question.Facts:
		c.facts()
	case question.Capacity:
		err = c.room()
	case question.Coverage:
		c.coverage()
	case question.Decisions:
		c.decisions()
	case question.Actions:
		c.actions()
	case question.Questions:
		c.questions()
	case question.Waits:
		c.waits()
	case question.Duplicates:
		c.duplicates()
	case question.Deltas:
		c.deltas()
	case question.Changes:
		err = c.changes()
	case question.Comments:
		err = c.comments()
	case question.Forecast:
		err = c.foretold()
	case question.Slips:
		err = c.slips()
	case question.Risks:
		err = c.risks()
	case question.Suggest:
		c.suggest()
	case question.Summary:
		err = c.summary()
	case question.Origin:
		c.origin()
	case question.Search:
		c.search()
	}
	return err
}

// undated notes the closed tickets of which no day is known, where the plan asks for that day: lists do not find them
// by it either.
func (c *computation) undated() {
	if c.out.Searched || !slices.Contains(c.fields(), "closedOn") || c.plan.Measure == question.Facts {
		return
	}
	closed := 0
	for _, r := range c.byKind[c.plan.Kind] {
		if t, ok := r.Thing.(*desk.TicketBody); ok && !t.Status.Open() && t.ClosedOn == "" {
			closed++
		}
	}
	if closed > 0 {
		c.note("%s by no day: closed from the beginning here, without a tracker that says when.", counted(closed, "closed ticket is counted", "closed tickets are counted"))
	}
}

// found returns the records of the plan's kind for which a filter holds.
func (c *computation) found(filter string) ([]*Record, error) {
	e, err := c.plan.Where(filter, c.now)
	if err != nil {
		return nil, err
	}
	holds, stated := c.compile(c.plan.Kind, e), c.stated()
	var out []*Record
	for _, r := range c.byKind[c.plan.Kind] {
		if !c.expired(r) && holds(r) && stated(r) {
			out = append(out, r)
		}
	}
	return out, nil
}

// stated returns whether a record is in the plan's state, when that is one of tickets and objectives.
func (c *computation) stated() test {
	switch c.plan.State {
	case "unmapped":
		named := make(map[string]bool) // by an objective
		for _, o := range c.byKind[desk.Objective] {
			if b, ok := o.Thing.(*desk.ObjectiveBody); ok {
				for _, id := range b.TicketIDs {
					named[id] = true
				}
			}
		}
		return func(r *Record) bool {
			t, ok := r.Thing.(*desk.TicketBody)
			return ok && len(t.ObjectiveIDs) == 0 && !named[r.ID]
		}
	case "parent-closed":
		return func(r *Record) bool {
			t, ok := r.Thing.(*desk.TicketBody)
			if !ok || t.ParentID == "" {
				return false
			}
			parent, ok := c.Find(t.ParentID)
			return ok && !desk.TicketStatus(parent.Status).Open()
		}
	case question.Commented, question.Uncommented:
		return c.commented()
	case "children-closed":
		open, closed := c.children()
		return func(r *Record) bool { return closed[r.ID] && !open[r.ID] }
	case "serves":
		serves := make(map[*Record]bool)
		for _, o := range c.plan.Records {
			for _, r := range c.serving()[o] {
				serves[r] = true
			}
		}
		return func(r *Record) bool { return serves[r] }
	}
	return func(*Record) bool { return true }
}

// children are the tickets that are the parent of an open one, and those that are the parent of a closed one.
func (c *computation) children() (open, closed map[string]bool) {
	open, closed = make(map[string]bool), make(map[string]bool)
	for _, r := range c.byKind[desk.Ticket] {
		switch t, ok := r.Thing.(*desk.TicketBody); {
		case !ok || t.ParentID == "":
		case t.Status.Open():
			open[t.ParentID] = true
		default:
			closed[t.ParentID] = true
		}
	}
	return open, closed
}

// expired reports whether a record is a memory that no longer counts.
func (c *computation) expired(r *Record) bool { return r.Expired(c.now) }

// Expired reports whether the record is a memory that no longer counts.
func (r *Record) Expired(now time.Time) bool {
	m, ok := r.Thing.(*desk.MemoryBody)
	return ok && m.ExpiresAt != "" && m.ExpiresAt.Time().Before(now)
}

// cite adds records to the sources.
func (c *computation) cite(records ...*Record) {
	for _, r := range records {
		if slices.Contains(c.out.Sources, r.ID) {
			continue
		}
		c.out.Total++
		if len(c.out.Sources) < maxRows {
			c.out.Sources = append(c.out.Sources, r.ID)
		}
	}
}

// citeAll adds records, each of which is there once.
func (c *computation) citeAll(records []*Record) {
	c.out.Total = len(records)
	for _, r := range records[:min(len(records), maxRows)] {
		c.out.Sources = append(c.out.Sources, r.ID)
	}
}

func (c *computation) note(format string, args ...any) {
	c.out.Notes = append(c.out.Notes, fmt.Sprintf(format, args...))
}

// which is what the plan's filter asks for, in words: ": open, unassigned", or nothing.
func (c *computation) which() string {
	var parts []string
	if e, err := c.plan.Where(c.plan.Filter, c.now); err == nil {
		parts = question.Conditions(c.plan.Kind, e)
	}
	switch c.plan.State {
	case "unmapped":
		parts = append(parts, "serving no objective")
	case "parent-closed":
		parts = append(parts, "whose parent is closed")
	case question.Commented:
		parts = append(parts, "with a comment"+c.between())
	case question.Uncommented:
		parts = append(parts, "without a comment"+c.between())
	case "children-closed":
		parts = append(parts, "whose children are all closed")
	case "serves":
		for _, id := range c.plan.Records {
			if r, ok := c.Find(id); ok {
				parts = append(parts, "serving "+r.Title)
			}
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return c.Labelled(": " + strings.Join(parts, ", "))
}

var recordID = regexp.MustCompile(`\b[a-z]{3}_[0-9a-z]{12,}\b`)

// Labelled is a text in which records stand by their titles and keys, and not by their ids.
func (s *Snapshot) Labelled(text string) string {
	return recordID.ReplaceAllStringFunc(text, func(id string) string {
		if r, ok := s.Find(id); ok {
			return label(r)
		}
		return id
	})
}

func (c *computation) nouns(n int) string {
	one := c.plan.Kind.Word()
	if c.plan.Kind == desk.Resource {
		one = "person"
	}
	return counted(n, one, question.Plural(c.plan.Kind))
}

// none says that no record fits, and what the records lack that the question is about.
func (c *computation) none() {
	c.out.Nothing = true
	of := len(c.byKind[c.plan.Kind])
	c.out.Sentence = fmt.Sprintf("0 of %s%s.", c.nouns(of), c.which())
	if of == 0 {
		c.out.Sentence = fmt.Sprintf("The project has no %s.", question.Plural(c.plan.Kind))
	}
	c.lacking()
}

// lacking notes the fields of the plan that no record of the kind has.
func (c *computation) lacking() {
	for _, name := range c.fields() {
		if len(c.byKind[c.plan.Kind]) == 0 || c.anyHas(name) || name == "externalCreated" && (c.plan.By == name || strings.TrimPrefix(c.plan.Sort, "-") == name) {
			continue
		}
		if name == "owner" {
			c.note("No %s has an owner; %s.", c.plan.Kind.Word(), c.unassigned())
			continue
		}
		c.note("No %s has the field %s in this project.", c.plan.Kind.Word(), question.FieldWord(name))
	}
}

func (c *computation) unassigned() string {
	open := 0
	for _, r := range c.byKind[desk.Ticket] {
		if desk.TicketStatus(r.Status).Open() {
			open++
		}
	}
	return counted(open, "open ticket is unassigned", "open tickets are unassigned")
}

func (c *computation) search() {
	hits := c.Ranked(c.plan.Words, 10)
	c.out.Searched = true
	defer c.keyless()
	if len(hits) == 0 {
		c.out.Nothing = true
		if strings.TrimSpace(c.plan.Words) == "" {
			c.out.Sentence = "The question has no word to look for. Ask for a kind of records, a person or a title."
			return
		}
		c.out.Sentence = fmt.Sprintf("No record has the words %q. This was a search in all texts.", c.plan.Words)
		return
	}
	t := &Table{Columns: []string{"Record", "Kind", "Quote"}}
	for _, r := range hits {
		t.Rows = append(t.Rows, Row{ID: r.ID, Cells: []string{r.Title, Word(strings.ToUpper(string(r.Kind))), c.quote(r)}})
		c.cite(r)
	}
	t.Total = len(t.Rows)
	c.out.Table = t
	c.out.Sentence = fmt.Sprintf("This is a search for %q, not a computed answer. The best record is %s: “%s”", c.plan.Words, label(hits[0]), t.Rows[0].Cells[2])
}

// likeKey matches a word that has the shape of a tracker's key.
var likeKey = regexp.MustCompile(`^[a-z][a-z0-9]{1,9}-\d{1,7}$`)

// keyless says before what a search has found which keys of the question no record has.
func (c *computation) keyless() {
	var missing []string
	for _, w := range strings.Fields(c.plan.Words) {
		if likeKey.MatchString(w) && len(c.Key(w)) == 0 {
			missing = append(missing, strings.ToUpper(w))
		}
	}
	if len(missing) > 0 {
		c.out.Sentence = fmt.Sprintf("No record has the key %s. %s", strings.Join(missing, ", "), c.out.Sentence)
	}
}

// label is a record's title, with its key.
func label(r *Record) string {
	if r.Key != "" {
		return r.Title + " (" + r.Key + ")"
	}
	return r.Title
}
