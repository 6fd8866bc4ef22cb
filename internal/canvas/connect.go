package canvas

import (
	"fmt"
	"slices"
	"strings"

	"chela/internal/definition"
)

// needs writes what step i of a list needs.
func (e *editor) needs(at place, i int, list []string) error {
	v := []any{}
	for _, n := range list {
		v = append(v, n)
	}
	return e.reconcile(append(slices.Clone(at.list), indexSeg(i), keySeg("needs")), v)
}

// explicit has step i of a list say what it needs, so that it stays so when the step before it is another.
func (e *editor) explicit(at place, i int) error {
	if at.all[i].Needs != nil {
		return nil
	}
	return e.needs(at, i, definition.NeedsOf(at.all, i))
}

// ends finds both ends of a connection, which are beside each other.
func (e *editor) ends(op Operation) (from string, to place, err error) {
	a, err := e.step(op.From)
	if err != nil {
		return "", to, err
	}
	if to, err = e.step(op.To); err != nil {
		return "", to, err
	}
	if a.in != to.in {
		return "", to, fmt.Errorf("%s and %s are not beside each other; a step follows one that is in the same list", op.From, op.To)
	}
	return a.step().ID, to, nil
}

// need is how a step writes that it follows another.
func need(id, outcome string) string {
	if outcome == "" {
		return id
	}
	return id + "." + outcome
}

// connect has a step follow another.
func (e *editor) connect(op Operation) error {
	id, to, err := e.ends(op)
	if err != nil {
		return err
	}
	from := to.all[slices.IndexFunc(to.all, func(s definition.Step) bool { return s.ID == id })]
	if op.Outcome != "" && op.Outcome != definition.Failed && !slices.ContainsFunc(from.Branch, func(c definition.Case) bool { return c.Case == op.Outcome }) {
		return fmt.Errorf("the step %s has no outcome %s", op.From, op.Outcome)
	}
	now := definition.NeedsOf(to.all, to.i)
	if slices.Contains(now, need(id, op.Outcome)) {
		if to.step().Needs != nil || from.Branch == nil || op.Outcome != "" {
			return fmt.Errorf("%s follows %s already", op.To, need(op.From, op.Outcome))
		}
	}
	if id == to.step().ID || reaches(to.all, to.step().ID, id) {
		return fmt.Errorf("%s would follow itself: %s comes after it", op.To, op.From)
	}
	list := slices.Clone(now)
	if to.step().Needs == nil && from.Branch != nil && op.Outcome != "" {
		// It followed the branch by its place alone, which says no case.
		list = slices.DeleteFunc(list, func(n string) bool { return n == id })
	}
	return e.needs(to, to.i, unique(append(list, need(id, op.Outcome))))
}

// reaches reports whether a step comes, directly or not, before another.
func reaches(all []definition.Step, from, to string) bool {
	seen := make(map[string]bool)
	var before func(string) bool
	before = func(id string) bool {
		if id == from {
			return true
		}
		i := slices.IndexFunc(all, func(s definition.Step) bool { return s.ID == id })
		if i < 0 || seen[id] {
			return false
		}
		seen[id] = true
		for _, n := range definition.NeedsOf(all, i) {
			if next, _ := definition.Source(n); before(next) {
				return true
			}
		}
		return false
	}
	return before(to)
}

// disconnect has a step no longer follow another.
func (e *editor) disconnect(op Operation) error {
	id, to, err := e.ends(op)
	if err != nil {
		return err
	}
	now := definition.NeedsOf(to.all, to.i)
	if !slices.Contains(now, need(id, op.Outcome)) {
		return fmt.Errorf("%s does not follow %s", op.To, need(op.From, op.Outcome))
	}
	return e.needs(to, to.i, slices.DeleteFunc(slices.Clone(now), func(n string) bool { return n == need(id, op.Outcome) }))
}

// update writes a property of a step, or of the workflow.
func (e *editor) update(op Operation) error {
	var base []seg
	if op.Node != "" {
		at, err := e.step(op.Node)
		if err != nil {
			return err
		}
		base = at.segs()
	}
	segs, err := readPath(op.Path)
	if err != nil {
		return err
	}
	if err := writable(op.Node != "", segs); err != nil {
		return err
	}
	v, err := ordered(op.Value)
	if err != nil {
		return fmt.Errorf("the value cannot be read: %w", err)
	}
	if err := keepsSteps(segs, v); op.Node != "" && err != nil {
		return err
	}
	of, _ := valueAt(e.data, base)
	if segs, err = settle(of, segs); err != nil {
		return err
	}
	full := append(base, segs...)
	if v == nil {
		if _, there := valueAt(e.data, full); !there {
			return nil
		}
		return e.remove(full)
	}
	return e.reconcile(full, v)
}

// writable says which properties other operations change.
func writable(step bool, segs []seg) error {
	switch first := segs[0].key; {
	case step && first == "id":
		return fmt.Errorf("the id of a step is changed by %s", RenameNode)
	case !step && first == "slug":
		return fmt.Errorf("the slug names the workflow and stays; begin another workflow from this file to have another slug")
	case !step && first == "steps":
		return fmt.Errorf("steps are changed by the operations of nodes; name the node")
	case step && len(segs) > 1 && (first == "loop" || first == "map") && segs[1].key == "do":
		return fmt.Errorf("the steps inside are changed by the operations of nodes; name the node")
	}
	return nil
}

// keepsSteps refuses a value that would replace the steps inside a loop or a map that has some.
func keepsSteps(segs []seg, v any) error {
	o, ok := v.(object)
	if len(segs) != 1 || segs[0].key != "loop" && segs[0].key != "map" || !ok {
		return nil
	}
	if slices.ContainsFunc(o, func(p pair) bool { return p.key == "do" }) {
		return nil
	}
	return fmt.Errorf("a %s keeps its steps: write its properties one by one, or give do as well", strings.TrimSpace(segs[0].key))
}
