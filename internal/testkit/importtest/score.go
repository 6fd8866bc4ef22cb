package importtest

import (
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"

	"chela/internal/desk"
)

// A Score counts the facts of a shape. What was found beside them is wrong and counts as
// a fact that was not found.
type Score struct {
	Facts, Found int
	Missed       []string          // one line each
	Fields       map[string][2]int // found and all, by field
}

// Share is the share of the facts that was found again, from 0 to 1.
func (s Score) Share() float64 {
	if s.Facts == 0 {
		return 0
	}
	return float64(s.Found) / float64(s.Facts)
}

func (s *Score) fact(field string, ok bool, what string, args ...any) {
	f := s.Fields[field]
	s.Facts, f[1] = s.Facts+1, f[1]+1
	if ok {
		s.Found, f[0] = s.Found+1, f[0]+1
	} else {
		s.Missed = append(s.Missed, field+": "+fmt.Sprintf(what, args...))
	}
	s.Fields[field] = f
}

// set compares a list of facts with what was found.
func (s *Score) set(field, of string, want, got []string) {
	for _, w := range want {
		s.fact(field, slices.Contains(got, w), "%s: want %q among %q", of, w, got)
	}
	for _, g := range got {
		if !slices.Contains(want, g) {
			s.fact(field, false, "%s: got %q, want %q alone", of, g, want)
		}
	}
}

func (s *Score) one(field, of, want, got string) {
	if want != "" {
		s.fact(field, want == got, "%s: want %q, got %q", of, want, got)
	}
}

// scored compares what an export of a project holds with the facts.
func scored(sh Shape, p project) Score {
	s := Score{Fields: make(map[string][2]int)}
	keys := make(map[string]string) // by id
	byKey := make(map[string]string)
	for id, t := range p.tickets {
		keys[id], byKey[t.ExternalRef] = t.ExternalRef, id
	}
	for _, want := range sh.Tickets {
		id, is := byKey[want.Key]
		s.fact("key", is, "%s is missing", want.Key)
		s.ticket(want, id, p, keys)
		delete(byKey, want.Key)
	}
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		s.fact("key", false, "%q %q is no ticket of the file", key, p.tickets[byKey[key]].Title)
	}
	for _, want := range sh.Sprints {
		at := slices.IndexFunc(p.sprints, func(x desk.SprintPlanBody) bool { return x.Name == want.Name })
		s.fact("sprint record", at >= 0, "%s is missing", want.Name)
		got := desk.SprintPlanBody{}
		if at >= 0 {
			got = p.sprints[at]
		}
		s.one("sprint record", want.Name, want.Start, string(got.StartDate))
		s.one("sprint record", want.Name, want.End, string(got.EndDate))
		s.one("sprint record", want.Name, want.Status, string(got.Status))
		s.one("sprint record", want.Name, want.Goal, got.Goal)
	}
	for _, want := range sh.Milestones {
		at := slices.IndexFunc(p.milestones, func(x desk.MilestoneBody) bool { return x.Name == want.Name })
		s.fact("milestone record", at >= 0, "%s is missing", want.Name)
		got := desk.MilestoneBody{}
		if at >= 0 {
			got = p.milestones[at]
		}
		s.one("milestone record", want.Name, want.Due, string(got.TargetDate))
		s.one("milestone record", want.Name, want.Status, string(got.Status))
	}
	return s
}

func (s *Score) ticket(want Ticket, id string, p project, keys map[string]string) {
	t, k := p.tickets[id], want.Key
	s.fact("title", t.Title == want.Title, "%s: want %q, got %q", k, want.Title, t.Title)
	text := words(html.UnescapeString(t.Description)) // Markdown writes signs of HTML as entities
	for _, line := range want.Description {
		s.fact("description", strings.Contains(text, words(line)), "%s: want %q in %q", k, line, t.Description)
	}
	if want.Status != "" {
		s.fact("status", string(t.Status) == want.Status && string(t.Outcome) == want.Outcome, "%s: want %s %s, got %s %s", k, want.Status, want.Outcome, t.Status, t.Outcome)
	}
	s.one("type", k, want.Type, string(t.Type))
	s.one("priority", k, want.Priority, string(t.Priority))
	if len(want.Owners) > 0 || want.Unassigned {
		s.set("owner", k, want.Owners, p.owners[id])
	}
	s.one("reporter", k, want.Reporter, t.Reporter)
	s.set("labels", k, want.Labels, t.Labels)
	if want.Points != nil {
		s.fact("points", t.StoryPoints != nil && *t.StoryPoints == *want.Points, "%s: want %g, got %v", k, *want.Points, t.Points())
	}
	s.one("due", k, want.Due, string(t.DueDate))
	s.one("created", k, want.Created, day(t.CreatedOn))
	s.one("resolved", k, want.Resolved, day(t.ResolvedOn))
	s.one("sprint", k, want.Sprint, t.Sprint)
	s.set("sprint history", k, want.Earlier, t.EarlierSprints)
	if want.Milestone != "" {
		in := slices.IndexFunc(p.milestones, func(m desk.MilestoneBody) bool { return m.Name == want.Milestone && slices.Contains(m.TicketIDs, id) })
		s.fact("milestone", in >= 0, "%s: not in %q", k, want.Milestone)
	}
	s.one("parent", k, want.Parent, keys[t.ParentID])
	s.set("blocked by", k, want.BlockedBy, named(t.BlockedBy, keys))
	s.one("duplicate of", k, want.DuplicateOf, keys[t.DuplicateOf])
	s.set("related to", k, want.RelatedTo, named(t.RelatedTo, keys))
	s.said(want, id, p)
}

// said compares comments and checklists.
func (s *Score) said(want Ticket, id string, p project) {
	for _, c := range want.Comments {
		at := slices.IndexFunc(p.tickets[id].Evidence, func(e desk.Evidence) bool { return e.Type == "comment" && words(e.Snippet) == words(c.Text) })
		s.fact("comments", at >= 0, "%s: want %q", want.Key, c.Text)
		got := desk.Evidence{}
		if at >= 0 {
			got = p.tickets[id].Evidence[at]
		}
		s.one("comments", want.Key+" "+c.Text, c.Author, got.Author)
		s.one("comments", want.Key+" "+c.Text, c.Date, day(got.Date))
	}
	for _, x := range want.Checklist {
		at := slices.IndexFunc(p.items[id], func(i desk.Item) bool { return i.Text == x.Text })
		s.fact("checklist", at >= 0, "%s: want the item %q", want.Key, x.Text)
		if x.Done != nil {
			s.fact("checklist", at >= 0 && p.items[id][at].Checked == *x.Done, "%s: want %q done: %v", want.Key, x.Text, *x.Done)
		}
	}
}

func named(ids []string, keys map[string]string) (out []string) {
	for _, id := range ids {
		out = append(out, keys[id])
	}
	return out
}

// words makes texts alike that differ in white space.
func words(s string) string { return strings.Join(strings.Fields(s), " ") }

func day(d desk.Date) string { return string(d[:min(len(d), len("2026-03-01"))]) }
