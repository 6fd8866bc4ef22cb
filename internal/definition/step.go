package definition

import (
	"fmt"
	"slices"

	"cel.dev/cel-go/common/types"
)

// A stepCheck checks one step and compiles what is in it.
type stepCheck struct {
	*checker

	path   string
	node   *Node
	scope  *scope
	before []string // the ids of steps that have ended when it begins
	depth  int
}

// compile returns the type of what the step gives.
func (s *stepCheck) compile() *types.Type {
	n := s.node
	kinds := n.Kinds()
	if len(kinds) != 1 {
		s.bad(s.path, "The step %s says %d things to do (%v); it does one of agent, tool, model, rule, branch, loop, map, wait, workflow and transform.", n.ID, len(kinds), kinds)
		return types.DynType
	}
	n.Kind = kinds[0]
	if n.Step.When != "" {
		n.When = s.cond("when", n.Step.When, s.scope)
	}
	if n.Retry.Times < 0 || n.Retry.Times > 10 {
		s.bad(s.path+".retry.times", "The step %s is tried again %d times; it may be 0 to 10.", n.ID, n.Retry.Times)
	}
	s.span(s.path+".timeout", n.Timeout)
	s.span(s.path+".retry.wait", n.Retry.Wait)
	if c := n.Compensate; c != nil {
		withOwn, err := s.scope.with(n.ID, types.DynType)
		if err == nil {
			n.Undo = s.checkedValue(withOwn, "compensate.args", c.Args, n.ID)
		}
		if c.Name == "" {
			s.bad(s.path+".compensate", "What compensates the step %s names no tool.", n.ID)
		}
	}
	gives := s.what()
	s.judged(gives)
	return gives
}

// what compiles what the step does.
func (s *stepCheck) what() *types.Type {
	n := s.node
	switch n.Kind {
	case Agent, Model, Tool:
		return s.call()
	case RuleKind, Branch:
		return s.choose()
	case Loop, Map:
		return s.body()
	case Wait:
		return s.wait()
	case Workflow:
		if !ValidSlug(n.Workflow.Slug) {
			s.bad(s.path+".workflow.slug", "The step %s names no workflow.", n.ID)
		}
		n.Args = s.checkedValue(s.scope, "workflow.inputs", n.Workflow.Inputs)
	case Transform:
		n.Args = s.checkedValue(s.scope, "transform", n.Step.Transform)
		return s.scope.gives(n.ID, n.Args)
	}
	return types.DynType
}

// call compiles a task, a question or a call of a tool.
func (s *stepCheck) call() *types.Type {
	n := s.node
	switch n.Kind { //nolint:exhaustive // the three that call
	case Agent:
		a := n.Step.Agent
		s.text("task", "agent.task", a.Task, true)
		if a.Name != "" && len(a.Requires)+len(a.Prefers) > 0 {
			s.bad(s.path+".agent", "The step %s names an agent and what one must have; say one of both.", n.ID)
		}
		if n.Expects != nil {
			return s.expects(a.Schema)
		}
		if a.Schema == nil {
			return s.scope.shapes.add(n.ID, map[string]*types.Type{"text": types.StringType, "agent": types.StringType})
		}
		return s.schema("agent.schema", a.Schema)
	case Model:
		m := n.Step.Model
		s.text("prompt", "model.prompt", m.Prompt, true)
		s.text("system", "model.system", m.System, false)
		if n.Expects != nil {
			return s.expects(m.Schema)
		}
		if m.Schema == nil {
			s.bad(s.path+".model", "The step %s has no schema: a model step answers in a form.", n.ID)
			return types.DynType
		}
		return s.schema("model.schema", m.Schema)
	}
	if n.Step.Tool.Name == "" {
		s.bad(s.path+".tool", "The step %s names no tool.", n.ID)
	}
	n.Args = s.checkedValue(s.scope, "tool.args", n.Step.Tool.Args)
	return s.scope.shapes.add(n.ID, map[string]*types.Type{"text": types.StringType, "data": types.DynType})
}

func (s *stepCheck) schema(field string, v any) *types.Type {
	compiled, err := CompileSchema(v)
	if err != nil {
		s.bad(s.path+"."+field, "%s", err)
		return types.DynType
	}
	s.node.Schema = compiled
	return s.scope.schemaType(s.node.ID, compiled.source)
}

// choose compiles rules and cases.
func (s *stepCheck) choose() *types.Type {
	n := s.node
	if n.Kind == RuleKind {
		gives := types.DynType
		for i, r := range n.Step.Rule {
			at := fmt.Sprintf("rule[%d]", i)
			c := Choice{Then: s.checkedValue(s.scope, at+".then", r.Then)}
			if r.When != "" {
				c.When = s.cond(at+".when", r.When, s.scope)
			} else if i < len(n.Step.Rule)-1 {
				s.bad(s.path+"."+at, "The rule %d of %s has no condition, so those after it never count.", i+1, n.ID)
			}
			n.Rules = append(n.Rules, c)
			t := s.scope.gives(n.ID, c.Then)
			switch {
			case i == 0:
				gives = t
			case gives.Kind() == types.StructKind || !gives.IsEquivalentType(t):
				gives = types.DynType
			}
		}
		return gives
	}
	seen := make(map[string]bool)
	for i, b := range n.Step.Branch {
		at := fmt.Sprintf("branch[%d]", i)
		if !identifier(b.Case) || b.Case == Failed || seen[b.Case] {
			s.bad(s.path+"."+at, "The case %q of %s does not fit: each has a name of its own, other than %s.", b.Case, n.ID, Failed)
		}
		seen[b.Case] = true
		c := Choice{Case: b.Case}
		if b.When != "" {
			c.When = s.cond(at+".when", b.When, s.scope)
		} else if i < len(n.Step.Branch)-1 {
			s.bad(s.path+"."+at, "The case %s of %s has no condition, so those after it never count.", b.Case, n.ID)
		}
		n.Rules = append(n.Rules, c)
	}
	return s.scope.shapes.add(n.ID, map[string]*types.Type{"case": types.StringType})
}

// body compiles a loop or a map.
func (s *stepCheck) body() *types.Type {
	n := s.node
	if n.Kind == Map {
		m := n.Step.Map
		n.Over = s.expr("map.over", m.Over, s.scope)
		if n.Over != nil && n.Over.gives.Kind() != types.ListKind && n.Over.gives.Kind() != types.DynKind {
			s.bad(s.path+".map.over", "The map %s goes over %s, which is no list.", n.ID, m.Over)
		}
		if m.Parallel < 0 || m.Parallel > 32 || m.Most < 0 || m.Most > 1000 {
			s.bad(s.path+".map", "The map %s does at most 32 items at once and 1000 in all.", n.ID)
		}
		n.Body, _ = s.inside("map.do", m.Do, "item", "index")
		return s.scope.shapes.add(n.ID, map[string]*types.Type{"results": types.NewListType(types.DynType), "count": types.IntType})
	}
	l := n.Step.Loop
	if l.Most < 1 || l.Most > 100 {
		s.bad(s.path+".loop.most", "The loop %s says that it has at most %d rounds; it is 1 to 100.", n.ID, l.Most)
	}
	var within *scope
	n.Body, within = s.inside("loop.do", l.Do, "last", "round")
	if within == nil {
		return types.DynType
	}
	s.before = append(s.before, ids(l.Do)...)
	if n.Until = s.cond("loop.until", l.Until, within); l.Until == "" {
		s.bad(s.path+".loop", "The loop %s says not until when.", n.ID)
	}
	return s.scope.shapes.add(n.ID, map[string]*types.Type{"rounds": types.IntType, "last": types.DynType, "reached": types.BoolType})
}

func ids(steps []Step) []string {
	var out []string
	for _, s := range steps {
		out = append(out, s.ID)
	}
	return out
}

// inside compiles the steps inside a step, which know a value and a number more.
func (s *stepCheck) inside(field string, steps []Step, value, number string) (*Graph, *scope) {
	sc, err := s.scope.with(value, types.DynType)
	if err == nil {
		sc, err = sc.with(number, types.IntType)
	}
	if err != nil {
		s.bad(s.path+"."+field, "%s", err)
		return nil, nil
	}
	return s.graph(s.path+"."+field, s.node.Path+".", steps, sc, s.before, s.depth+1)
}

// wait compiles what is waited for.
func (s *stepCheck) wait() *types.Type {
	n := s.node
	w := n.Step.Wait
	count := 0
	for _, is := range []bool{w.For != "", w.Until != "", w.Event != nil, w.Person != nil} {
		if is {
			count++
		}
	}
	if count != 1 {
		s.bad(s.path+".wait", "The step %s waits for one of: for, until, event, person.", n.ID)
		return types.DynType
	}
	s.span(s.path+".wait.for", w.For)
	switch {
	case w.Event != nil:
		if w.Event.Type == "" || w.Event.Type == "*" {
			s.bad(s.path+".wait.event", "The step %s waits for an event of no type.", n.ID)
		}
		if w.Event.When != "" {
			withEvent, err := s.scope.with("event", types.DynType)
			if err == nil {
				n.Until = s.cond("wait.event.when", w.Event.When, withEvent)
			}
		}
		return s.scope.shapes.add(n.ID, map[string]*types.Type{"event": types.DynType})
	case w.Person != nil:
		return s.person(w.Person)
	case w.Until != "":
		n.At = s.until(w.Until)
	}
	return s.scope.shapes.add(n.ID, map[string]*types.Type{"at": types.StringType})
}

func (s *stepCheck) person(p *PersonWait) *types.Type {
	n := s.node
	s.text("ask", "wait.person.ask", p.Ask, true)
	s.text("detail", "wait.person.detail", p.Detail, false)
	if !slices.Contains([]string{"", "viewer", "editor", "admin", "owner"}, p.Role) {
		s.bad(s.path+".wait.person.role", "The role %q is not known; there are viewer, editor, admin and owner.", p.Role)
	}
	for i, list := range [][]string{p.Only, p.Except} {
		for j, text := range list {
			field := []string{"only", "except"}[i]
			t, err := s.scope.template(text)
			if err != nil {
				s.bad(fmt.Sprintf("%s.wait.person.%s[%d]", s.path, field, j), "%s", err)
				continue
			}
			s.known(s.path+".wait.person."+field, t.names())
			if i == 0 {
				n.Only = append(n.Only, t)
			} else {
				n.Except = append(n.Except, t)
			}
		}
	}
	for i, c := range p.Choices {
		if c == "" || len(c) > 60 || c == "expired" {
			s.bad(fmt.Sprintf("%s.wait.person.choices[%d]", s.path, i), "The choice %q of %s does not fit.", c, n.ID)
		}
	}
	return s.scope.shapes.add(n.ID, map[string]*types.Type{"choice": types.StringType, "note": types.StringType, "by": types.StringType})
}

// text compiles a text of the step.
func (s *stepCheck) text(name, field, text string, needed bool) {
	if text == "" {
		if needed {
			s.bad(s.path, "The step %s has no %s.", s.node.ID, name)
		}
		return
	}
	t, err := s.scope.template(text)
	if err != nil {
		s.bad(s.path+"."+field, "%s", err)
		return
	}
	s.known(s.path+"."+field, t.names())
	s.node.Texts[name] = t
}

func (s *stepCheck) checkedValue(sc *scope, field string, v any, also ...string) *Value {
	out := s.value(sc, s.path+"."+field, v)
	s.known(s.path+"."+field, out.names(), also...)
	return out
}

func (s *stepCheck) expr(field, source string, sc *scope) *Expr {
	if source == "" {
		s.bad(s.path, "The step %s has no %s.", s.node.ID, field)
		return nil
	}
	e, err := sc.compile(unwrapped(source))
	if err != nil {
		s.bad(s.path+"."+field, "%s", err)
		return nil
	}
	s.known(s.path+"."+field, e.names)
	return e
}

// unwrapped lets an expression be written as ${…} where only an expression may be.
func unwrapped(source string) string {
	if len(source) > 3 && source[:2] == "${" {
		if inner, rest, err := CutExpression(source[2:]); err == nil && rest == "" {
			return inner
		}
	}
	return source
}

func (s *stepCheck) cond(field, source string, sc *scope) *Expr {
	if source == "" {
		return nil
	}
	e := s.condition(sc, s.path+"."+field, unwrapped(source))
	if e != nil {
		s.known(s.path+"."+field, e.names)
	}
	return e
}

// known says which of the variables are steps that have not ended when the step begins.
func (s *stepCheck) known(path string, names []string, also ...string) {
	for _, name := range names {
		if s.ids[name] != "" && !slices.Contains(s.before, name) && !slices.Contains(also, name) {
			s.bad(path, "The step %s reads %s, which need not have ended before it; name it in needs.", s.node.ID, name)
		}
	}
}
