package question

import (
	"slices"
	"strings"

	"chela/internal/desk"
)

// kin reads "under a closed parent" and "whose children are all done", which no filter says: such tickets are open ones, unless the question says
// otherwise.
func (r *reader) kin(kind desk.Kind, p *Plan) {
	it := r.has("concept", "parentclosed", "childrenclosed")
	if it == nil || fieldOf(kind, "parentTicketId") == "" || p.State != "" {
		return
	}
	it.used = true
	p.State = map[string]string{"parentclosed": "parent-closed", "childrenclosed": "children-closed"}[it.value]
	if r.has("state") == nil && !strings.Contains(p.Filter, kind.Asked().Open) {
		p.Filter = strings.TrimSpace(p.Filter + openOf(kind.Asked()))
	}
}

// parentless is the condition of "stories without an epic": they have no parent.
func (r *reader) parentless(kind desk.Kind, next *item) string {
	if next.sort != "type" || !slices.Contains([]string{"EPIC", "INITIATIVE"}, next.value) || r.has("kind", string(desk.Ticket)) == nil && len(r.all("type")) < 2 {
		return ""
	}
	name := fieldOf(kind, "parentTicketId")
	if name == "" {
		return ""
	}
	next.used, next.sort = true, "stop"
	if it := r.has("verb", "serves"); it != nil { // that belong to no epic
		it.sort = "stop"
	}
	return name + ":none"
}
