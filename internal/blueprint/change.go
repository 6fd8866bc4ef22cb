package blueprint

import (
	"slices"
	"strconv"
	"strings"

	"chela/internal/canvas"
	"chela/internal/fault"
	"chela/internal/pattern"
)

var (
	adds     = pattern.New(`(?i)^(?:add|append)s?\s+(?:a\s+step\s+(?:that|which|to)\s+|a\s+step\s*:?\s*)?(.+)$`)
	removes  = pattern.New(`(?i)^(?:delete|remove|drop)s?\s+(?:the\s+)?(?:step\s+|node\s+)?["“']?(.+?)["”']?$`)
	connects = pattern.New(`(?i)^(?:connect|link)s?\s+["“']?(.+?)["”']?\s+(?:to|with)\s+["“']?(.+?)["”']?$`)
)

// FromChange plans a change of a draft from a text of simple forms: add a step that …, delete the step …, connect … to …,
// rename the step … to …, set timeout of … to 5m.
// What it does not understand is in Unread; when that is all, it is a fault.Invalid that says the forms.
func FromChange(text, slug string, g canvas.Graph, known Known) (Plan, error) {
	p := Plan{Version: "1.0", Workflow: slug, Context: Context{Intent: text, Nodes: []string{}}}
	for _, n := range g.Nodes {
		p.Context.Nodes = append(p.Context.Nodes, n.Path)
	}
	r := &reader{known: known, plan: &p, ids: make(map[string]bool)}
	for _, n := range g.Nodes {
		r.ids[n.ID] = true
	}
	tail := ends(g)
	for _, clause := range clauses(text) {
		switch {
		case isUpdate(clause):
			s, ok := r.update(clause, g)
			if !ok {
				p.Unread = append(p.Unread, clause)
				continue
			}
			p.Steps = append(p.Steps, s)
		case connects.MatchString(clause):
			m := connects.FindStringSubmatch(clause)
			from, to := node(g, m[1]), node(g, m[2])
			if from == "" || to == "" {
				p.Unread = append(p.Unread, clause)
				continue
			}
			p.Steps = append(p.Steps, Step{ID: "connect_" + strconv.Itoa(len(p.Steps)), Name: upper(clause), Action: ConnectNodes, SourceID: from, TargetID: to, DependsOn: r.before()})
		case removes.MatchString(clause):
			path := node(g, removes.FindStringSubmatch(clause)[1])
			if path == "" {
				p.Unread = append(p.Unread, clause)
				continue
			}
			p.Steps = append(p.Steps, Step{ID: "delete_" + strconv.Itoa(len(p.Steps)), Name: upper(clause), Action: DeleteNode, NodeID: path, DependsOn: r.before()})
			tail = slices.DeleteFunc(tail, func(t string) bool { return t == path })
		default:
			tail = r.append(clause, tail)
		}
	}
	if len(p.Steps) == 0 {
		return p, fault.New(fault.Invalid, "No change of that was understood. Write: add a step that asks AGENT to …, delete the step …, connect … to …, rename the step … to …, set timeout of … to 5m.")
	}
	for i := range p.Steps {
		p.Steps[i].Order = i + 1
	}
	p.Metadata = Metadata{Name: "Change of " + slug, Complexity: complexity(len(p.Steps)), Estimated: len(p.Steps)}
	return p, nil
}

// before is the step before the next one, on which it depends.
func (r *reader) before() []string {
	if n := len(r.plan.Steps); n > 0 {
		return []string{r.plan.Steps[n-1].ID}
	}
	return nil
}

// append reads a clause as a step behind the last ones; it returns what is last then.
func (r *reader) append(clause string, tail []string) []string {
	what := clause
	if m := adds.FindStringSubmatch(clause); m != nil {
		what = m[1]
	}
	s, ok := r.step(what)
	if !ok {
		r.plan.Unread = append(r.plan.Unread, clause)
		return tail
	}
	r.create(s)
	made := r.plan.Steps[len(r.plan.Steps)-1]
	path := "${" + made.Output.Node + "}"
	for _, t := range tail {
		after := append(r.before(), made.ID)
		if m := variable.FindStringSubmatch(t); m != nil {
			after = append(after, "create_"+m[1])
		}
		r.plan.Steps = append(r.plan.Steps, Step{
			ID: "connect_" + strconv.Itoa(len(r.plan.Steps)), Name: made.Output.Node + " follows " + t, Action: ConnectNodes, SourceID: t, TargetID: path, DependsOn: after,
		})
	}
	return []string{path}
}

// ends are the steps that nothing follows, at the top.
func ends(g canvas.Graph) []string {
	var out []string
	for _, n := range g.Nodes {
		if n.In == "" && n.Kind != "branch" && !slices.ContainsFunc(g.Edges, func(e canvas.Edge) bool { return e.From == n.Path }) {
			out = append(out, n.Path)
		}
	}
	return out
}

// node is the path of the node of a name: its path, id or title; "" when there is none.
func node(g canvas.Graph, name string) string {
	name = strings.TrimSpace(name)
	for _, n := range g.Nodes {
		if strings.EqualFold(n.Path, name) || strings.EqualFold(n.ID, Identifier(name)) || strings.EqualFold(n.Title, name) {
			return n.Path
		}
	}
	return ""
}
