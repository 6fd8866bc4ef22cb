package definition

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"cel.dev/cel-go/cel"
	celast "cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/ext"
	"cel.dev/cel-go/interpreter"
)

// Limits of expressions: the size of the text in characters, and what it may cost when it is computed.
// An expression of CEL always ends; the cost says when that is too late.
const (
	maxExpr  = 4096
	maxCost  = 200_000
	maxValue = 256 << 10 // bytes of what an expression gives
)

// An Expr is a compiled expression.
type Expr struct {
	source  string
	program cel.Program
	gives   *types.Type
	names   []string // variables that it reads
	shapes  *shapes
	numbers map[string]*types.Type // those of the variables in which there may be a number that is not whole
}

// Vars are what expressions read, by name. The values are settled.
type Vars map[string]any

// Eval computes the expression. The error is a sentence with the expression in it.
func (e *Expr) Eval(ctx context.Context, vars Vars) (any, error) {
	if len(e.numbers) > 0 {
		vars = maps.Clone(vars)
		for name, t := range e.numbers {
			if v, ok := vars[name]; ok {
				vars[name] = e.shapes.typed(v, t)
			}
		}
	}
	out, _, err := e.program.ContextEval(ctx, map[string]any(vars))
	return e.settled(out, err)
}

// constant computes an expression that reads nothing.
func (e *Expr) constant() (any, error) {
	out, _, err := e.program.Eval(map[string]any{})
	return e.settled(out, err)
}

// settled is what was computed, or why nothing was.
func (e *Expr) settled(out ref.Val, err error) (any, error) {
	if err != nil {
		return nil, fmt.Errorf("the expression %s cannot be computed: %s", e.source, strings.TrimSuffix(reason(err), "."))
	}
	v, err := native(out, 0)
	if err != nil {
		return nil, fmt.Errorf("the expression %s cannot be computed: %w", e.source, err)
	}
	return v, nil
}

func reason(err error) string {
	if stopped, ok := errors.AsType[interpreter.EvalCancelledError](err); ok && stopped.Cause == interpreter.CostLimitExceeded {
		return "it takes too long"
	}
	if unlike, ok := types.NoSuchOverloadErr().(error); ok && errors.Is(err, unlike) {
		return "its values have types that do not go together; make them alike with double(…), int(…) or string(…)"
	}
	return err.Error()
}

// True reports whether the condition holds. What is no truth value does not hold.
func (e *Expr) True(ctx context.Context, vars Vars) (bool, error) {
	if e == nil {
		return true, nil
	}
	v, err := e.Eval(ctx, vars)
	if err != nil {
		return false, err
	}
	yes, ok := v.(bool)
	if !ok {
		return false, fmt.Errorf("the condition %s gives %s and not true or false", e.source, Text(v))
	}
	return yes, nil
}

// kept is a whole number of which the log keeps all digits.
func kept(n int64, v ref.Val) (any, error) {
	if n > MostWhole || n < -MostWhole {
		return nil, fmt.Errorf("it gives %v, which is beyond %d: not all its digits would be kept; make a text of it with string(…)", v.Value(), int64(MostWhole))
	}
	return n, nil
}

// maxNative is how deep a value of an expression may be nested.
const maxNative = 64

// native is a value of an expression, settled.
func native(v ref.Val, depth int) (any, error) {
	if depth > maxNative {
		return nil, errors.New("its value is nested too deeply")
	}
	switch v := v.(type) {
	case types.Bool:
		return bool(v), nil
	case types.Int:
		return kept(int64(v), v)
	case types.Uint:
		return kept(int64(min(v, MostWhole+1)), v) //nolint:gosec // it is small
	case types.Double:
		return float64(v), nil
	case types.String:
		return string(v), nil
	case types.Bytes:
		return base64.StdEncoding.EncodeToString(v), nil
	case types.Null:
		return nil, nil //nolint:nilnil // null is nil
	case types.Timestamp:
		return v.UTC().Format(time.RFC3339Nano), nil
	case types.Duration:
		return v.Duration.String(), nil
	case traits.Lister:
		var out []any
		for it := v.Iterator(); it.HasNext() == types.True; {
			x, err := native(it.Next(), depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, x)
		}
		return slices.Clip(append([]any{}, out...)), nil
	case traits.Mapper:
		out := make(map[string]any)
		for it := v.Iterator(); it.HasNext() == types.True; {
			k := it.Next()
			x, err := native(v.Get(k), depth+1)
			if err != nil {
				return nil, err
			}
			out[fmt.Sprint(k.Value())] = x
		}
		return out, nil
	}
	if types.IsUnknownOrError(v) {
		return nil, fmt.Errorf("%v", v)
	}
	return nil, fmt.Errorf("a value of the type %s cannot be kept", v.Type().TypeName())
}

// base is the environment that all expressions have in common.
var base = sync.OnceValues(func() (*cel.Env, error) { //nolint:gochecknoglobals // built once, at its first use
	return cel.NewEnv(ext.Strings(), ext.Lists(), ext.Math(), ext.Sets(), cel.CrossTypeNumericComparisons(true), cel.DefaultUTCTimeZone(true),
		cel.ParserRecursionLimit(64), cel.ParserExpressionSizeLimit(maxExpr))
})

// A scope is what is known at a place of a workflow: variables and their types.
type scope struct {
	env    *cel.Env
	shapes *shapes
}

// shapes are the types of objects whose fields are known, by name.
type shapes struct {
	types.Provider

	fields map[string]map[string]*types.Type
}

// FindStructType implements [types.Provider].
func (s *shapes) FindStructType(name string) (*types.Type, bool) {
	if _, ok := s.fields[name]; ok {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return s.Provider.FindStructType(name)
}

// FindStructFieldNames implements [types.Provider].
func (s *shapes) FindStructFieldNames(name string) ([]string, bool) {
	fields, ok := s.fields[name]
	if !ok {
		return s.Provider.FindStructFieldNames(name)
	}
	var out []string
	for f := range fields {
		out = append(out, f)
	}
	slices.Sort(out)
	return out, true
}

// FindStructFieldType implements [types.Provider]. A field that a value does not have is null.
func (s *shapes) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	fields, ok := s.fields[name]
	if !ok {
		return s.Provider.FindStructFieldType(name, field)
	}
	t, ok := fields[field]
	if !ok {
		return nil, false
	}
	return &types.FieldType{
		Type:    t,
		IsSet:   func(target any) bool { m, _ := target.(map[string]any); return m[field] != nil },
		GetFrom: func(target any) (any, error) { m, _ := target.(map[string]any); return m[field], nil },
	}, true
}

// add names the type of an object with those fields.
func (s *shapes) add(name string, fields map[string]*types.Type) *types.Type {
	s.fields[name] = fields
	return types.NewObjectType(name)
}

func newScope() (*scope, error) {
	env, err := base()
	if err != nil {
		return nil, err
	}
	s := &shapes{Provider: env.CELTypeProvider(), fields: make(map[string]map[string]*types.Type)}
	env, err = env.Extend(cel.CustomTypeProvider(s))
	return &scope{env: env, shapes: s}, err
}

// with is the scope with one more variable.
func (s *scope) with(name string, t *types.Type) (*scope, error) {
	env, err := s.env.Extend(cel.Variable(name, t))
	return &scope{env: env, shapes: s.shapes}, err
}

// compile compiles an expression; the error is a sentence's middle.
func (s *scope) compile(source string) (*Expr, error) {
	if len(source) > maxExpr {
		return nil, fmt.Errorf("the expression has %d characters; it may have %d", len(source), maxExpr)
	}
	ast, issues := s.env.Compile(source)
	if issues != nil && issues.Err() != nil {
		return nil, fmt.Errorf("the expression %s does not fit: %s", source, issueText(issues.Errors()))
	}
	program, err := s.env.Program(ast, cel.CostLimit(maxCost), cel.InterruptCheckFrequency(100))
	if err != nil {
		return nil, fmt.Errorf("the expression %s does not fit: %w", source, err)
	}
	e := &Expr{source: source, program: program, gives: ast.OutputType(), shapes: s.shapes, numbers: make(map[string]*types.Type)}
	for _, x := range celast.MatchDescendants(celast.NavigateAST(ast.NativeRep()), celast.KindMatcher(celast.IdentKind)) {
		if name := x.AsIdent(); !bound(x) && !slices.Contains(e.names, name) {
			e.names = append(e.names, name)
			if s.shapes.fractions(x.Type()) {
				e.numbers[name] = x.Type()
			}
		}
	}
	return e, nil
}

// bound says whether a name is the variable of a macro around it, as x in list.all(x, x > 0), and so no step or input of that name.
func bound(x celast.NavigableExpr) bool {
	name := x.AsIdent()
	for {
		within, ok := x.Parent()
		if !ok {
			return false
		}
		if within.Kind() == celast.ComprehensionKind {
			c := within.AsComprehension()
			if x.ID() != c.IterRange().ID() && (name == c.IterVar() || name == c.IterVar2() || name == c.AccuVar()) {
				return true
			}
		}
		x = within
	}
}

func issueText(all []*cel.Error) string {
	if len(all) == 0 {
		return "it cannot be read"
	}
	text := strings.TrimSpace(strings.SplitN(all[0].Message, "\n", 2)[0])
	for _, cut := range []string{" (in container '')"} {
		text = strings.TrimSuffix(text, cut)
	}
	return text
}

// truth says why an expression is no condition.
func (e *Expr) truth() error {
	if k := e.gives.Kind(); k != types.BoolKind && k != types.DynKind {
		return fmt.Errorf("the condition %s gives %s and not true or false", e.source, typeName(e.gives))
	}
	return nil
}

func typeName(t *types.Type) string {
	switch t.Kind() { //nolint:exhaustive // the default names the rest
	case types.StringKind:
		return "a text"
	case types.IntKind, types.UintKind:
		return "a whole number"
	case types.DoubleKind:
		return "a number"
	case types.BoolKind:
		return "true or false"
	case types.ListKind:
		return "a list"
	case types.TimestampKind:
		return "a time"
	case types.NullTypeKind:
		return "nothing"
	}
	return "an object"
}
