package intake

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/extract"
)

// A compared is a field that exports tell, the columns that tell it, what is shown of it,
// and how a ticket takes it over.
type compared struct {
	name    string
	columns []string
	text    func(*desk.TicketBody) string
	take    func(into, from *desk.TicketBody, base string)
	list    func(*desk.TicketBody) []string // its items, of a field that has several
}

var comparedFields = []compared{
	{"title", []string{"title"}, func(b *desk.TicketBody) string { return b.Title }, func(into, from *desk.TicketBody, _ string) { into.Title = from.Title }, nil},
	{"status", []string{"status", "category", "resolution", "resolved", "finished", "archived"}, func(b *desk.TicketBody) string { return strings.TrimSpace(string(b.Status) + " " + string(b.Outcome)) }, func(into, from *desk.TicketBody, _ string) { into.Status, into.Outcome = from.Status, from.Outcome }, nil},
	{"priority", []string{"priority"}, func(b *desk.TicketBody) string { return string(b.Priority) }, func(into, from *desk.TicketBody, _ string) { into.Priority = from.Priority }, nil},
	{"type", []string{"type"}, func(b *desk.TicketBody) string { return string(b.Type) }, func(into, from *desk.TicketBody, _ string) { into.Type = from.Type }, nil},
	{"storyPoints", []string{"points"}, pointsOf, func(into, from *desk.TicketBody, _ string) { into.StoryPoints = from.StoryPoints }, nil},
	{"dueDate", []string{"due"}, func(b *desk.TicketBody) string { return string(b.DueDate) }, func(into, from *desk.TicketBody, _ string) { into.DueDate = from.DueDate }, nil},
	{"sprint", []string{"sprint"}, func(b *desk.TicketBody) string { return b.Sprint }, func(into, from *desk.TicketBody, _ string) { into.Sprint = from.Sprint }, nil},
	{"description", []string{"description"}, func(b *desk.TicketBody) string { return b.Description }, func(into, from *desk.TicketBody, _ string) { into.Description = from.Description }, nil},
	{"reporter", []string{"reporter"}, func(b *desk.TicketBody) string { return b.Reporter }, func(into, from *desk.TicketBody, _ string) { into.Reporter = from.Reporter }, nil},
	{"externalCreated", []string{"created"}, func(b *desk.TicketBody) string { return string(b.CreatedOn) }, func(into, from *desk.TicketBody, _ string) { into.CreatedOn = from.CreatedOn }, nil},
	{"externalResolved", []string{"resolved"}, func(b *desk.TicketBody) string { return string(b.ResolvedOn) }, func(into, from *desk.TicketBody, _ string) { into.ResolvedOn = from.ResolvedOn }, nil},
	// Lists are merged item by item.
	listField("earlierSprints", []string{"sprint"}, func(b *desk.TicketBody) *[]string { return &b.EarlierSprints }),
	listField("labels", []string{"labels", "components", "versions", "affects", "type", "resolution", "section"}, func(b *desk.TicketBody) *[]string { return &b.Labels }),
	listField("evidenceLinks", []string{"url", "request"}, func(b *desk.TicketBody) *[]string { return &b.EvidenceLinks }),
	{
		"comments",
		[]string{"comments", "relates", "duplicates", "blocks", "blocked by"},
		func(b *desk.TicketBody) string { return strconv.Itoa(len(b.Evidence)) },
		func(into, from *desk.TicketBody, base string) {
			into.Evidence = withComments(into.Evidence, from.Evidence, base)
		},
		func(b *desk.TicketBody) (out []string) {
			for _, e := range b.Evidence {
				out = append(out, evidenceItem(e))
			}
			return out
		},
	},
}

// pointsOf is a ticket's story points, "" where nobody estimated them.
func pointsOf(b *desk.TicketBody) string {
	if b.StoryPoints == nil {
		return ""
	}
	return strconv.FormatFloat(*b.StoryPoints, 'g', -1, 64)
}

// listField is a compared field that is a list of texts.
func listField(name string, columns []string, at func(*desk.TicketBody) *[]string) compared {
	return compared{
		name, columns, func(b *desk.TicketBody) string { return strings.Join(*at(b), ", ") },
		func(into, from *desk.TicketBody, base string) { *at(into) = merged(base, *at(into), *at(from)) },
		func(b *desk.TicketBody) []string { return *at(b) },
	}
}

func evidenceItem(e desk.Evidence) string { return e.Type + "\x00" + e.Author + "\x00" + e.Snippet }

// union returns a new list of a and what of b it does not have.
func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// maxComments and maxComment bound what of a tracker's comments a ticket carries, the
// latest of them; all are in the document.
const (
	maxComments = 100
	maxComment  = 2000
)

// comments are a row's comments as evidence, and what it is linked with that is no ticket of
// the project.
func comments(row extract.TicketRow, from []desk.Source, known func(ref string) bool) []desk.Evidence {
	var out []desk.Evidence
	add := func(e desk.Evidence) {
		for _, s := range from { // the snippet is the quote
			e.Sources = append(e.Sources, desk.Source{Document: s.Document, Artifact: s.Artifact, Intake: s.Intake, Line: s.Line, EndLine: s.EndLine, By: s.By})
		}
		out = append(out, e)
	}
	for _, c := range row.Comments[max(0, len(row.Comments)-maxComments):] {
		add(desk.Evidence{Type: "comment", Snippet: clipped(c.Text, maxComment), Author: c.Author, Date: moment(c.Date)})
	}
	for _, l := range row.Links {
		if !known(l.Ref) {
			add(desk.Evidence{Type: "link", Reference: l.Ref, Snippet: linkedAs[l.Kind] + " " + l.Ref})
		}
	}
	return out
}

// moment is when something was said, or the day where the source tells only that.
func moment(t time.Time) desk.Date {
	if t.IsZero() || t.Hour()+t.Minute()+t.Second() == 0 {
		return day(t)
	}
	return desk.Date(t.UTC().Format(time.RFC3339))
}

// linkedAs says how a ticket stands to another.
var linkedAs = map[extract.LinkKind]string{
	extract.Blocks: "blocks", extract.BlockedBy: "blocked by", extract.Duplicates: "duplicate of", extract.DuplicatedBy: "duplicated by", extract.Relates: "relates to",
}

// withComments returns a new list of a ticket's evidence and the comments it does not
// have and that the last import, of which base tells, did not have either; the oldest
// comments go when they are too many.
func withComments(has, said []desk.Evidence, base string) []desk.Evidence {
	had := strings.Split(base, ",")
	out := slices.Clone(has)
	n := 0
	for _, e := range has {
		if e.Type == "comment" {
			n++
		}
	}
	for _, c := range said {
		if slices.ContainsFunc(has, func(e desk.Evidence) bool { return e.Type == c.Type && e.Snippet == c.Snippet && e.Author == c.Author }) || slices.Contains(had, digest(evidenceItem(c))) {
			continue
		}
		if out, n = append(out, c), n+1; n > maxComments {
			out = slices.Delete(out, 0, 1+slices.IndexFunc(out, func(e desk.Evidence) bool { return e.Type == "comment" }))
		}
	}
	return out
}
