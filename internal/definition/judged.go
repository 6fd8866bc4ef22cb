package definition

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/common/types"

	"chela/internal/pattern"
)

var (
	payloadType = pattern.New(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+\.v[1-9][0-9]*$`)
	schemaRef   = pattern.New(`^schema://[a-z0-9_-]+/([a-z][a-z0-9_]*(?:/[a-z][a-z0-9_]*)+)@([1-9][0-9]*)$`)
)

// ValidPayloadType reports whether s names a payload, such as research.summary.v1.
func ValidPayloadType(s string) bool { return payloadType.MatchString(s) && len(s) <= 100 }

// PayloadOf is the payload type that a reference to a schema names; "" when it is none.
func PayloadOf(ref string) string {
	m := schemaRef.FindStringSubmatch(ref)
	if m == nil {
		return ""
	}
	return strings.ReplaceAll(m[1], "/", ".") + ".v" + m[2]
}

// expects is the type of an answer whose payload is named.
func (s *stepCheck) expects(own any) *types.Type {
	e, at := s.node.Expects, s.path+".expects"
	name := e.PayloadType
	switch {
	case own != nil:
		s.bad(at, "The step %s says a schema and what is expected; say one of both.", s.node.ID)
		return types.DynType
	case e.SchemaRef != "" && PayloadOf(e.SchemaRef) == "":
		s.bad(at+".schema_ref", "%q is no reference to a schema; write schema://chela/research/summary@1.", e.SchemaRef)
		return types.DynType
	case e.SchemaRef != "" && name != "" && PayloadOf(e.SchemaRef) != name:
		s.bad(at, "The payload type %s and the reference %s name different schemas.", name, e.SchemaRef)
		return types.DynType
	case name == "":
		name = PayloadOf(e.SchemaRef)
	}
	schema := map[string]any{"type": "object"}
	if name != "" {
		if !ValidPayloadType(name) {
			s.bad(at+".payload_type", "%q is no payload type; write one such as research.summary.v1.", name)
			return types.DynType
		}
		known, ok := s.payload(name)
		if !ok {
			s.bad(at, "The payload type %s is not known. Register its schema with `chela schema set %s FILE`, or take one that comes with Chela: %s.", name, name, strings.Join(Payloads(), ", "))
			return types.DynType
		}
		schema = known
	}
	if len(e.Required) > 0 {
		all := make([]any, 0, len(e.Required))
		for _, r := range e.Required {
			all = append(all, r)
		}
		schema = map[string]any{"type": "object", "allOf": []any{schema, map[string]any{"required": all}}, "properties": schema["properties"]}
		if schema["properties"] == nil {
			delete(schema, "properties")
		}
	}
	compiled, err := CompileSchema(schema)
	if err != nil {
		s.bad(at, "%s", err)
		return types.DynType
	}
	s.node.Schema = compiled
	if schema["properties"] == nil {
		return types.DynType // the fields are not known
	}
	return s.scope.schemaType(s.node.ID, schema)
}

// judged compiles the review and the contract of a step, which know its result.
func (s *stepCheck) judged(gives *types.Type) {
	n := s.node
	if n.Expects != nil && n.Kind != Agent && n.Kind != Model {
		s.bad(s.path+".expects", "Only the answer of an agent or a model is expected in a form; %s is a step of the kind %s.", n.ID, n.Kind)
	}
	if n.Step.Review == nil && len(n.Contract) == 0 {
		return
	}
	if n.Kind == Branch || n.Kind == Wait {
		s.bad(s.path, "A %s has no review and no contract; the step that it follows may have them.", n.Kind)
		return
	}
	sc, err := s.scope.with("result", gives)
	if err != nil {
		s.bad(s.path, "%s", err)
		return
	}
	if n.Step.Review != nil {
		s.review(sc)
	}
	for i, c := range n.Contract {
		n.Terms = append(n.Terms, s.check(sc, fmt.Sprintf("contract[%d]", i), c))
	}
}

// review compiles who reviews.
func (s *stepCheck) review(sc *scope) {
	n, r, at := s.node, s.node.Step.Review, s.path+".review"
	if len(r.By) == 0 || len(r.By) > 10 {
		s.bad(at, "The review of %s has %d reviewers; it has 1 to 10.", n.ID, len(r.By))
		return
	}
	if r.Quorum < 0 || r.Quorum > len(r.By) {
		s.bad(at+".quorum", "The review of %s has %d reviewers and needs %d.", n.ID, len(r.By), r.Quorum)
	}
	if r.Rework != nil && (*r.Rework < 0 || *r.Rework > 3) {
		s.bad(at+".rework", "Work is reworked at most 3 times, not %d.", *r.Rework)
	}
	if r.After < 0 {
		s.bad(at+".after", "It is escalated after 1 rework or more.")
	}
	if r.FastTrack != nil {
		s.span(at+".fast_track.time", r.FastTrack.Time)
		if r.FastTrack.USD <= 0 || r.FastTrack.Time == "" {
			s.bad(at+".fast_track", "A fast track says both usd and time.")
		}
	}
	if r.Criteria != "" {
		s.text("criteria", "review.criteria", r.Criteria, false)
	}
	all := slices.Clone(r.By)
	if r.Escalate != nil {
		all = append(all, *r.Escalate)
	}
	for i, who := range all {
		where := fmt.Sprintf("%s.by[%d]", at, i)
		if i == len(r.By) {
			where = at + ".escalate"
		}
		said := 0
		for _, one := range []string{who.Agent, who.Person, who.Role} {
			if one != "" {
				said++
			}
		}
		switch {
		case said != 1:
			s.bad(where, "A reviewer is one of agent, person and role.")
		case who.Agent != "" && i == len(r.By):
			s.bad(where, "A review is escalated to a person or a role.")
		case who.Agent != "" && n.Step.Agent != nil && who.Agent == n.Step.Agent.Name:
			s.bad(where, "The agent %s does the step %s; somebody else reviews it.", who.Agent, n.ID)
		case who.Role != "" && !slices.Contains([]string{"viewer", "editor", "admin", "owner"}, who.Role):
			s.bad(where, "The role %q is not known; there are viewer, editor, admin and owner.", who.Role)
		}
		t, err := sc.template(who.Person)
		if err != nil {
			s.bad(where, "%s", err)
			t = new(Template)
		}
		s.known(where, t.names())
		n.Eyes = append(n.Eyes, t)
	}
}

// check compiles one check of a contract.
func (s *stepCheck) check(sc *scope, field string, c Condition) Term {
	out := Term{Condition: c, Texts: make(map[string]*Template)}
	at := s.path + "." + field
	count := 0
	for _, is := range []bool{c.Holds != "", c.File != nil, c.Command != nil, c.Record != nil, c.Number != nil, c.Cites != nil, c.Verdict} {
		if is {
			count++
		}
	}
	if count != 1 {
		s.bad(at, "A check is one of holds, file, command, record, number, cites and verdict.")
		return out
	}
	text := func(name, v string, needed bool) {
		if v == "" && needed {
			s.bad(at, "The check has no %s.", name)
		}
		t, err := sc.template(v)
		if err != nil {
			s.bad(at, "%s", err)
			return
		}
		s.known(at, t.names())
		out.Texts[name] = t
	}
	switch {
	case c.Holds != "":
		out.When = s.cond(field+".holds", c.Holds, sc)
	case c.File != nil:
		text("path", c.File.Path, true)
	case c.Command != nil:
		text("run", c.Command.Run, true)
		text("dir", c.Command.Dir, false)
	case c.Record != nil:
		text("id", c.Record.ID, true)
		withRecord, err := sc.with("record", types.DynType)
		if err != nil {
			s.bad(at, "%s", err)
			return out
		}
		out.When = s.cond(field+".record.when", c.Record.When, withRecord)
	case c.Number != nil:
		out.Value = s.expr(field+".number.value", c.Number.Value, sc)
		if c.Number.Min == nil && c.Number.Max == nil {
			s.bad(at, "The number has no min and no max.")
		}
	case c.Cites != nil:
		text("text", c.Cites.Text, true)
	case s.node.Step.Review == nil:
		s.bad(at, "The contract of %s asks for a verdict, but the step has no review.", s.node.ID)
	}
	return out
}

// Title is what the check is called.
func (c Condition) Title() string {
	switch {
	case c.Name != "":
		return c.Name
	case c.Holds != "":
		return c.Holds
	case c.File != nil:
		return "the file " + c.File.Path
	case c.Command != nil:
		return c.Command.Run
	case c.Record != nil:
		return "the record " + c.Record.ID
	case c.Number != nil:
		return c.Number.Value
	case c.Cites != nil:
		return "sources"
	}
	return "the verdict of the review"
}

// ticketScope is what the contract of a ticket knows: the ticket, and result, what was said to be done.
var ticketScope = sync.OnceValues(func() (*scope, error) { //nolint:gochecknoglobals // built once, at its first use
	sc, err := newScope()
	if err == nil {
		sc, err = sc.with("ticket", types.DynType)
	}
	if err != nil {
		return nil, err
	}
	return sc.with("result", types.DynType)
})

// CompileTerm compiles a check of a ticket's contract, whose texts and expressions read ticket and result. The
// error is a sentence. A verdict needs no compiling.
func CompileTerm(c Condition) (Term, error) {
	if c.Verdict {
		return Term{Condition: c}, nil
	}
	sc, err := ticketScope()
	if err != nil {
		return Term{}, err
	}
	ch := &checker{file: new(File), ids: make(map[string]string)}
	s := &stepCheck{checker: ch, path: "contract", node: &Node{Step: Step{ID: "ticket"}, Texts: make(map[string]*Template)}, scope: sc}
	out := s.check(sc, "term", c)
	if len(ch.problems) > 0 {
		return Term{}, errors.New(ch.problems[0].Text)
	}
	return out, nil
}
