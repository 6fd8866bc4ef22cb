package question

import (
	"slices"

	"chela/internal/desk"
)

// versus reads a comparison of several people or values by how many records they have: "who has more bugs, Dana or Joe", "compare bugs and
// stories".
func (r *reader) versus(kind desk.Kind, p *Plan) bool {
	more, it := r.has("versus"), r.has("measure", "compare")
	if it == nil {
		it = more
	}
	if it == nil || r.has("by") != nil || r.has("measure", "average", "median", "percentile", "share") != nil {
		return false
	}
	by := ""
	if len(r.all("person")) > 1 {
		by = kind.Asked().Who
	} else if more == nil || r.marks("than") || r.has("or") != nil {
		by = r.alike(kind)
	}
	if by == "" {
		return false
	}
	r.severally()
	for _, x := range append(r.all("or"), it) {
		x.used = true
	}
	p.Measure, p.By = Group, by
	if more != nil {
		more.used = true
		p.Sort = map[string]string{"more": "-count", "fewer": "count"}[more.value]
	}
	return true
}

// severally says of a comparison of several numbers that but the first one is left out: "compare Dana and Joe: open tickets, points, overdue".
func (r *reader) severally() {
	if r.has("measure", "compare") == nil {
		return
	}
	first := true
	for i := range r.items {
		it := &r.items[i]
		if it.not || it.sort != "state" && (it.sort != "concept" || it.value != "overdue" && it.value != "blocked") && (it.sort != "field" || it.value != "storyPoints") {
			continue
		}
		if next := r.after(it); !first && (next == nil || next.sort != "kind" && next.sort != "type") {
			r.lost = append(r.lost, r.raw(it))
		}
		first = false
	}
}

// alike returns the field of which a question names several values.
func (r *reader) alike(kind desk.Kind) string {
	count := make(map[string]int)
	for i := range r.items {
		it := &r.items[i]
		field := ""
		switch it.sort {
		case "type", "value":
			field = setField(kind, it.value)
		case "named":
			for _, name := range kind.Asked().Values { // the first that it may be, as in its condition
				if field == "" && slices.ContainsFunc(it.values, func(v Value) bool { return v.Kind == kind && v.Field == name }) {
					field = name
				}
			}
		}
		if field == "" || it.not {
			continue
		}
		if count[field]++; count[field] == 2 {
			return field
		}
	}
	return ""
}
