package canvas

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"chela/internal/definition"
)

// blank is what a new step of a kind says before anybody filled it in.
func blank(kind definition.Kind) (any, bool) {
	switch kind {
	case definition.Agent:
		return object{{"task", ""}}, true
	case definition.Tool:
		return object{{"name", ""}}, true
	case definition.Model:
		return object{{"prompt", ""}, {"schema", object{{"type", "object"}, {"properties", object{}}}}}, true
	case definition.RuleKind:
		return []any{object{{"then", ""}}}, true
	case definition.Branch:
		return []any{object{{"case", "yes"}, {"when", "true"}}, object{{"case", "otherwise"}}}, true
	case definition.Loop:
		return object{{"until", "true"}, {"most", int64(3)}, {"do", []any{}}}, true
	case definition.Map:
		return object{{"over", "[]"}, {"do", []any{}}}, true
	case definition.Wait:
		return object{{"for", "1h"}}, true
	case definition.Workflow:
		return object{{"slug", ""}}, true
	case definition.Transform:
		return object{}, true
	}
	return nil, false
}

// create writes a new step.
func (e *editor) create(op *Operation) error {
	list := place{list: []seg{keySeg("steps")}, all: e.def.Steps}
	if op.In != "" {
		outer, err := e.step(op.In)
		if err != nil {
			return err
		}
		var ok bool
		if list, ok = e.inside(outer); !ok {
			return fmt.Errorf("the step %s is neither a loop nor a map, so nothing is inside it", op.In)
		}
	}
	at := len(list.all)
	if op.After != "" {
		if at = slices.IndexFunc(list.all, func(s definition.Step) bool { return s.ID == op.After }) + 1; at == 0 {
			return fmt.Errorf("there is no step %s there", op.After)
		}
	}
	step, lines, err := e.fresh(op, at > 0)
	if err != nil {
		return err
	}
	if at < len(list.all) {
		if err := e.explicit(list, at); err != nil {
			return err
		}
	}
	for _, need := range op.Needs {
		id, _ := definition.Source(need)
		if !slices.ContainsFunc(list.all, func(s definition.Step) bool { return s.ID == id }) {
			return fmt.Errorf("it follows %s, which is no step beside it", need)
		}
	}
	if err := e.insert(list.list, at, lines, step); err != nil {
		return err
	}
	path := joined(list.in, op.ID)
	e.out.Created = append(e.out.Created, path)
	if op.Position != nil {
		if err := e.parse(); err != nil {
			return err
		}
		return e.move(path, op.Position)
	}
	return nil
}

// fresh is a new step, and how it is written at a column. It chooses the id when op has none.
func (e *editor) fresh(op *Operation, follows bool) (object, func(int) []string, error) {
	given, lines, err := e.given(op)
	if err != nil {
		return nil, nil, err
	}
	step := object{{"id", op.ID}}
	for _, p := range given {
		if p.key != "id" && p.key != "needs" {
			step = append(step, p)
		}
	}
	named := slices.ContainsFunc(step, func(p pair) bool { return p.key == string(op.Kind) })
	if content, ok := blank(op.Kind); ok && !named && op.YAML == "" {
		step = append(step, pair{string(op.Kind), content})
	}
	if follows || op.Needs != nil {
		needs := []any{}
		for _, n := range op.Needs {
			needs = append(needs, n)
		}
		step = slices.Insert(step, 1, pair{"needs", needs})
	}
	slices.SortStableFunc(step, func(a, b pair) int { return slices.Index(stepKeys, a.key) - slices.Index(stepKeys, b.key) })
	if lines == nil {
		return step, func(col int) []string { return item(step, col) }, nil
	}
	// A text keeps its comments: only its id and what it needs are written anew.
	own, err := readFile("steps:\n" + strings.Join(lines(2), "\n") + "\n")
	if err != nil {
		return nil, nil, errShape
	}
	first := []seg{keySeg("steps"), indexSeg(0)}
	for _, p := range step {
		if p.key == "id" || p.key == "needs" {
			if err := own.reconcile(append(slices.Clone(first), keySeg(p.key)), p.value); err != nil {
				return nil, nil, err
			}
		}
	}
	if _, has := valueAt(own.data, append(slices.Clone(first), keySeg("needs"))); has && !follows && op.Needs == nil {
		if err := own.remove(append(slices.Clone(first), keySeg("needs"))); err != nil {
			return nil, nil, err
		}
	}
	body := strings.Split(strings.TrimSuffix(strings.TrimPrefix(own.src, "steps:\n"), "\n"), "\n")
	return step, func(col int) []string { return shifted(body, col-2) }, nil
}

// given reads what op says of a new step, and settles its id and kind.
func (e *editor) given(op *Operation) (object, func(int) []string, error) {
	var given object
	var lines func(int) []string
	switch {
	case op.YAML != "" && (op.Properties != nil || op.Kind != ""):
		return nil, nil, errors.New("a new node is given as yaml, or by kind and properties")
	case op.YAML != "":
		text := strings.Split(strings.TrimRight(Clean(op.YAML), "\n"), "\n")
		read, err := readFile("steps:\n" + strings.Join(asItem(text), "\n") + "\n")
		if err != nil {
			return nil, nil, fmt.Errorf("the text of the node cannot be read: %w", err)
		}
		steps, _ := valueAt(read.data, []seg{keySeg("steps")})
		list, _ := steps.([]any)
		if len(list) != 1 {
			return nil, nil, errors.New("the text of a node is one step")
		}
		var ok bool
		if given, ok = sorted(list[0]).(object); !ok {
			return nil, nil, errors.New("the text of a node is one step, such as {id: write, agent: {task: …}}")
		}
		lines = func(col int) []string { return shifted(asItem(text), col-2) }
	default:
		v, err := ordered(op.Properties)
		if err != nil {
			return nil, nil, fmt.Errorf("the properties cannot be read: %w", err)
		}
		var ok bool
		if given, ok = v.(object); !ok && v != nil {
			return nil, nil, errors.New("the properties are an object, such as {agent: {task: …}}")
		}
		if _, known := blank(op.Kind); !known && op.Kind != "" {
			return nil, nil, fmt.Errorf("there is no kind %s", op.Kind)
		}
	}
	kind := op.Kind
	for _, p := range given {
		if _, known := blank(definition.Kind(p.key)); known && kind == "" {
			kind = definition.Kind(p.key)
		}
		if p.key == "id" && op.ID == "" {
			op.ID, _ = p.value.(string)
		}
	}
	if kind == "" {
		return nil, nil, errors.New("a new node has a kind: agent, tool, model, rule, branch, loop, map, wait, workflow or transform")
	}
	if op.YAML == "" {
		op.Kind = kind
	}
	return given, lines, e.identify(op, kind)
}

// identify chooses an id that is free, or says why the one that op has is not.
func (e *editor) identify(op *Operation, kind definition.Kind) error {
	taken := e.taken()
	if op.ID == "" {
		op.ID = string(kind) + "_step"
		for n := 2; taken[op.ID]; n++ {
			op.ID = fmt.Sprintf("%s_step_%d", kind, n)
		}
	}
	return free(op.ID, taken)
}

func free(id string, taken map[string]bool) error {
	switch {
	case !definition.ValidID(id):
		return fmt.Errorf("%q cannot be an id: it is lower-case letters, digits and _, begins with a letter, and means nothing else in expressions", id)
	case taken[id]:
		return fmt.Errorf("there is a step %s already", id)
	}
	return nil
}

// asItem is the text of a step as the only item of a list in column 2.
func asItem(text []string) []string {
	dash := false
	depth := -1
	for _, l := range text {
		trimmed := strings.TrimLeft(l, " ")
		if trimmed == "" || trimmed[0] == '#' {
			continue
		}
		depth, dash = len(l)-len(trimmed), trimmed == "-" || strings.HasPrefix(trimmed, "- ")
		break
	}
	if dash {
		return shifted(text, 2-depth)
	}
	out := shifted(text, 4-max(depth, 0))
	for i, l := range out {
		if trimmed := strings.TrimLeft(l, " "); trimmed != "" && trimmed[0] != '#' {
			out[i] = "  - " + trimmed
			break
		}
	}
	return out
}

// shifted is lines further in, or further out, by columns.
func shifted(lines []string, by int) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		trimmed := strings.TrimLeft(l, " ")
		if trimmed != "" {
			l = strings.Repeat(" ", max(0, len(l)-len(trimmed)+by)) + trimmed
		}
		out[i] = l
	}
	return out
}

// drop deletes a step with what is inside it. What needed it needs what it needed.
func (e *editor) drop(op Operation) error {
	at, err := e.step(op.Node)
	if err != nil {
		return err
	}
	path, bridge := at.path(), definition.NeedsOf(at.all, at.i)
	if at.i+1 < len(at.all) && at.all[at.i+1].Needs == nil && !(at.step().Needs == nil && at.step().Branch == nil) {
		if err := e.explicit(at, at.i+1); err != nil {
			return err
		}
		if err := e.parse(); err != nil {
			return err
		}
		if at, err = e.step(op.Node); err != nil {
			return err
		}
	}
	for i, s := range at.all {
		if i == at.i || s.Needs == nil {
			continue
		}
		needs, changed := []string{}, false
		for _, n := range *s.Needs {
			if id, outcome := definition.Source(n); id != at.step().ID {
				needs = append(needs, n)
				continue
			} else if outcome != "" {
				e.out.Notes = append(e.out.Notes, fmt.Sprintf("%s followed only %s; it follows what came before that now.", s.ID, n))
			}
			changed, needs = true, append(needs, bridge...)
		}
		if changed {
			if err := e.needs(at, i, unique(needs)); err != nil {
				return err
			}
		}
	}
	if err := e.remove(at.segs()); err != nil {
		return err
	}
	for p := range e.layout {
		if p == path || strings.HasPrefix(p, path+".") {
			delete(e.layout, p)
		}
	}
	return e.forget(path)
}

// unique is a list with each text once.
func unique(list []string) []string {
	out := []string{}
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// forget takes out of the tests what they say of a step that is gone.
func (e *editor) forget(path string) error {
	return e.eachTested(func(segs []seg, p string) error {
		if p == path || strings.HasPrefix(p, path+".") {
			return e.remove(segs)
		}
		return nil
	})
}

// eachTested calls fn for all that tests say of steps, with the path of each.
func (e *editor) eachTested(fn func(segs []seg, path string) error) error {
	for i, t := range e.def.Tests {
		for _, m := range []struct {
			at     []seg
			values map[string]any
		}{
			{[]seg{keySeg("given")}, t.Given}, {[]seg{keySeg("reviews")}, t.Reviews}, {[]seg{keySeg("evidence")}, t.Evidence}, {[]seg{keySeg("expect"), keySeg("steps")}, t.Expect.Steps},
		} {
			for p := range m.values {
				segs := append(append([]seg{keySeg("tests"), indexSeg(i)}, m.at...), keySeg(p))
				if err := fn(segs, p); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
