package intake

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/document"
	"chela/internal/extract"
)

// Rosters, and the teams that texts list, say who is there and how much they can do. People are merged as tickets are: what only the
// source changed is taken, and where a person wrote something else, a person decides.

// RosterSource is the source of a table of people.
const RosterSource extract.Source = "roster"

// A roll is a table of people.
type roll struct {
	extract.Roster
	sheet string
}

// rosterOf reads a table as a roster, unless somebody said which of its columns are a ticket's.
func rosterOf(t document.Table, p desk.ProjectBody, mapping map[string]string) (extract.Roster, bool) {
	if len(fitting(t.Header, mapping)) > 0 || rememberedFor(p, t.Header) != nil {
		return extract.Roster{}, false
	}
	rows := make([]extract.Row, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = extract.Row(row)
	}
	return extract.ReadRoster(t.Header, rows)
}

// roster notes a table of the document that is a roster, and tells what of it could not be read.
func (r *recorder) roster(t document.Table) (bool, error) {
	project, err := r.w.Get(desk.Project, r.p.s.Run.Project)
	if err != nil {
		return false, err
	}
	body, err := desk.Open[desk.ProjectBody](project)
	if err != nil {
		return false, err
	}
	read, ok := rosterOf(t, body, r.p.mapping)
	if !ok {
		return false, nil
	}
	for _, x := range read.Problems {
		r.problem(strings.TrimSuffix(r.src.doc.Name+sheet(t.Sheet), ",") + ", " + x)
	}
	r.rolls = append(r.rolls, roll{read, t.Sheet})
	return true, nil
}

// enrolled records what a roster says.
func (r *recorder) enrolled(ctx context.Context, t *roll, made map[string]int) error {
	r.asked = nil
	for some := range slices.Chunk(t.Members, portion) {
		if err := r.each(ctx, made, func(r *recorder) error { return r.enrol(some, t.Members) }); err != nil {
			return err
		}
	}
	if len(r.asked) == 0 {
		return nil
	}
	return r.each(ctx, made, func(r *recorder) error {
		return r.answerable(&export{TicketTable: extract.TicketTable{Source: RosterSource}, sheet: t.sheet}, "people")
	})
}

// teamed makes people of those whom a text lists, or brings them up to date.
func (r *recorder) teamed() error {
	if r.team = extract.Team(r.src.notes()); len(r.team) == 0 {
		return nil
	}
	for i, m := range r.team {
		if full := r.attending(m.Name); full != "" {
			r.team[i].Name = full
		}
	}
	r.asked = nil
	if err := r.enrol(r.team, r.team); err != nil {
		return err
	}
	return r.answerable(&export{TicketTable: extract.TicketTable{Source: RosterSource}}, "people")
}

// attending is the one who attends with a first name, in full; "" when there is none, or several.
func (r *recorder) attending(first string) (full string) {
	for _, a := range r.m.Attendees {
		if firstOf(a.Name, first) {
			if full != "" {
				return ""
			}
			full = a.Name
		}
	}
	return full
}

// enrol makes people of some members of a list, or brings them up to date.
func (r *recorder) enrol(members, list []extract.Member) error {
	all, err := r.w.List(clerk.Query{Kind: desk.Resource, Limit: clerk.All})
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Values(r.people)) { // those whom this work makes are not listed
		if !slices.ContainsFunc(all, func(x desk.Record) bool { return x.ID == id }) {
			rec, err := r.w.Get(desk.Resource, id)
			if err != nil {
				return err
			}
			all = append(all, rec)
		}
	}
	known, err := callNames(all)
	if err != nil {
		return err
	}
	for _, m := range members {
		if err := r.member(known, list, m); err != nil {
			return fmt.Errorf("line %d: %w", m.Span.Line, err)
		}
	}
	return nil
}

// A crew is whom names mean in a project.
type crew struct {
	ids    []string
	bodies []desk.ResourceBody
	by     map[string]int // by each name that somebody goes by
}

func newCrew() *crew { return &crew{by: make(map[string]int)} }

func callNames(all []desk.Record) (*crew, error) {
	out := newCrew()
	for _, rec := range all {
		b, err := desk.Open[desk.ResourceBody](rec)
		if err != nil {
			return nil, err
		}
		if !rec.Deleted && rec.MergedInto == "" {
			out.add(rec.ID, b)
		}
	}
	return out, nil
}

func folded(name string) string { return desk.Identity(&desk.ResourceBody{Name: name}) }

func (n *crew) add(id string, b desk.ResourceBody) {
	at := len(n.ids)
	n.ids, n.bodies = append(n.ids, id), append(n.bodies, b)
	for _, name := range append([]string{b.Name, b.Email}, b.Aliases...) {
		if key := folded(name); key != "" {
			if _, is := n.by[key]; !is {
				n.by[key] = at
			}
		}
	}
}

// of is whom a member of a list is, -1 for somebody new: who goes by the name or the address, else the only one whose first name or short name
// it is; and the only one who has only the first name so far, where the list names nobody else so.
func (n *crew) of(m extract.Member, list []extract.Member) int {
	for _, name := range append([]string{m.Email, m.Name}, m.Aliases...) {
		if at, is := n.by[folded(name)]; is && folded(name) != "" {
			return at
		}
	}
	first, rest, _ := strings.Cut(m.Name, " ")
	only := func(fits func(name string) bool) int {
		found := -1
		for i := range n.bodies {
			if fits(n.bodies[i].Name) {
				if found >= 0 {
					return -1
				}
				found = i
			}
		}
		return found
	}
	if rest == "" {
		if at := only(func(name string) bool { return firstOf(name, first) }); at >= 0 {
			return at
		}
		return only(func(name string) bool { return strings.Contains(name, " ") && extract.ShortFor(name, first) })
	}
	if at := only(func(name string) bool {
		given, family, _ := strings.Cut(name, " ")
		return strings.EqualFold(family, rest) && (extract.ShortFor(given, first) || extract.ShortFor(first, given))
	}); at >= 0 {
		return at
	}
	namesake := func(o extract.Member) bool {
		return !strings.EqualFold(o.Name, m.Name) && (strings.EqualFold(o.Name, first) || firstOf(o.Name, first))
	}
	if slices.ContainsFunc(list, namesake) || only(func(name string) bool { return firstOf(name, first) }) >= 0 {
		return -1
	}
	return only(func(name string) bool { return strings.EqualFold(name, first) })
}

// firstOf reports a name of two words or more that begins with a first name.
func firstOf(name, first string) bool {
	given, _, more := strings.Cut(name, " ")
	return more && strings.EqualFold(given, first)
}

// member makes or brings up to date one person.
func (r *recorder) member(known *crew, list []extract.Member, m extract.Member) error {
	from := r.source("people", m.Span)
	at := known.of(m, list)
	if at < 0 {
		body := &desk.ResourceBody{Name: m.Name, Aliases: m.Aliases, Sources: from}
		var no staff
		no.take(body, m, nil)
		rec, err := clerk.Add(r.w, desk.Resource, body)
		if err != nil {
			return err
		}
		known.add(rec.ID, *body)
		r.people[strings.ToLower(m.Name)] = rec.ID
		_, err = r.tally(rec, true)
		return err
	}
	rec, err := r.w.Get(desk.Resource, known.ids[at])
	if err != nil {
		return err
	}
	isNew, err := r.tally(rec, false)
	if err != nil {
		return err
	}
	var said staff
	var body desk.ResourceBody
	rec2, err := clerk.Edit(r.w, desk.Resource, rec.ID, func(b *desk.ResourceBody) {
		before := says(*b)
		if said.take(b, m, &rec); !isNew && !slices.Equal(before, says(*b)) {
			b.Sources = append(slices.Clone(b.Sources), from...)
		}
		body = *b
	})
	if err != nil {
		return err
	}
	known.add(rec.ID, body)
	r.people[strings.ToLower(m.Name)] = rec.ID
	r.tell(rec2, body.Name, said.taken)
	for _, f := range said.asked {
		set, err := json.Marshal(map[string]json.RawMessage{f.name: f.raw()})
		if err != nil {
			return fmt.Errorf("encode what the roster says: %w", err)
		}
		if err := r.askOne(rec2, body.Name, FieldChange{Field: f.name, Before: f.mine, After: f.said, set: string(set)}); err != nil {
			return err
		}
	}
	return nil
}

// raw is what is said of a field, as JSON.
func (f member) raw() json.RawMessage {
	if f.name == "capacity" || f.name == "availability" {
		return json.RawMessage(f.said)
	}
	return json.RawMessage(strconv.Quote(f.said))
}

// A staff is what a roster changes of a person, and of what a person has to decide.
type staff struct {
	asked, taken []member
}

// take takes over what a roster says of somebody. was is the record, nil of a new one. What is as it comes when nothing is said counts as
// written by nobody, where no person made the record.
func (s *staff) take(b *desk.ResourceBody, m extract.Member, was *desk.Record) {
	b.Imported = cloned(b.Imported)
	byHand := was != nil && (!was.Outside || strings.HasPrefix(was.CreatedBy, "agent:person/"))
	mine := func(field, value, usual string) string {
		if value == usual && b.Imported[field] == "" && !byHand {
			return ""
		}
		return value
	}
	s.asked, s.taken = adopted(b.Imported, was == nil || free(*was), []member{
		{"role", mine("role", b.Role, "ENGINEER"), m.Role, func(v string) { b.Role = v }},
		{"capacity", mine("capacity", written(b.Capacity), "40"), written(m.Capacity), func(string) { b.Capacity = m.Capacity }},
		{"availability", mine("availability", written(b.Availability), "1"), written(m.Availability), func(string) { b.Availability = m.Availability }},
		{"email", b.Email, m.Email, func(v string) { b.Email = v }},
	})
	if len(m.Skills) > 0 {
		now := alike(m.Skills, b.Skills)
		b.Skills, b.Imported["skills"] = merged(b.Imported["skills"], b.Skills, now), digests(now)
	}
	names := m.Aliases
	if !b.Answers(m.Name) && !b.First(m.Name) {
		if short := !strings.Contains(b.Name, " "); short && !byHand && firstOf(m.Name, b.Name) { // "Ann", who is Ann Lee
			b.Name, names = m.Name, append(slices.Clone(names), b.Name)
		} else {
			names = append(slices.Clone(names), m.Name)
		}
	}
	for _, name := range names {
		if !b.Answers(name) {
			b.Aliases = append(slices.Clone(b.Aliases), name)
		}
	}
	if len(b.Imported) == 0 {
		b.Imported = nil
	}
}

// alike are skills as the person's list writes those that it has.
func alike(said, mine []string) []string {
	out := slices.Clone(said)
	for i, x := range out {
		if at := slices.IndexFunc(mine, func(m string) bool { return strings.EqualFold(m, x) }); at >= 0 {
			out[i] = mine[at]
		}
	}
	return out
}

// written is an amount as a text, "" where nothing is said.
func written(f *float64) string {
	if f == nil {
		return ""
	}
	return strconv.FormatFloat(*f, 'g', -1, 64)
}
