package intake

import (
	"slices"

	"chela/internal/desk"
	"chela/internal/document"
	"chela/internal/extract"
)

// previewOf tells what importing a roster would do.
func (s *stock) previewOf(from source, t document.Table, people extract.Roster) (TablePreview, error) {
	out := TablePreview{
		Document: from.doc.Name, Sheet: t.Sheet, Source: RosterSource, Columns: t.Header, Mapping: people.Mapping, Unread: append([]string{}, people.Unread...), Known: true,
		Differs: []Differing{}, Sample: []Sample{}, Problems: append([]string{}, people.Problems...),
	}
	known := newCrew()
	for i := range s.people {
		known.add(s.ids[i], s.people[i])
	}
	for i, m := range people.Members {
		if i < samples {
			out.Sample = append(out.Sample, Sample{Line: m.Span.Line, Title: m.Name, Role: m.Role})
		}
		at := known.of(m, people.Members)
		if at < 0 {
			out.New++
			continue
		}
		body, said := s.people[at], staff{}
		before := says(body)
		said.take(&body, m, &s.records[at])
		fields := make([]FieldChange, 0, len(said.asked)+len(said.taken))
		for _, f := range said.asked {
			fields = append(fields, FieldChange{Field: f.name, Before: f.mine, After: f.said, Conflict: true})
		}
		for _, f := range said.taken {
			fields = append(fields, FieldChange{Field: f.name, Before: f.mine, After: f.said})
		}
		out.Asked += len(said.asked)
		if slices.Equal(before, says(body)) {
			out.Same++
		} else {
			out.Changed++
		}
		if len(fields) > 0 && len(out.Differs) < listed {
			out.Differs = append(out.Differs, Differing{m.Span.Line, s.ids[at], "", body.Name, fields})
		}
	}
	return out, nil
}

// says is what a person's record says that a roster may change.
func says(b desk.ResourceBody) []string {
	return slices.Concat([]string{b.Name, b.Role, b.Email, written(b.Capacity), written(b.Availability)}, b.Skills, b.Aliases)
}
