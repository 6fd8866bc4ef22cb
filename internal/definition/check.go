package definition

import (
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
)

// MostSlug is how long a slug may be, in bytes.
const MostSlug = 128

// ValidSlug reports whether s can name a workflow: lower-case letters, digits and hyphens.
func ValidSlug(s string) bool {
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-') {
			return false
		}
	}
	return s != "" && len(s) <= MostSlug && s[0] != '-'
}

// manifest checks what is said of the workflow as a whole.
func (c *checker) manifest() {
	f := c.file
	switch {
	case f.Slug == "":
		c.bad("", "The workflow has no slug; write one such as slug: weekly-report.")
	case !ValidSlug(f.Slug):
		c.bad("slug", "The slug %q does not fit: it is lower-case letters, digits and hyphens, at most %d.", f.Slug, MostSlug)
	}
	if strings.TrimSpace(f.Name) == "" {
		c.bad("", "The workflow has no name.")
	}
	if f.CostUSD < 0 || f.Budget.USD < 0 || f.Budget.Tokens < 0 {
		c.bad("budget", "A cost is less than 0.")
	}
	c.span("budget.time", f.Budget.Time)
	seen := make(map[string]bool)
	for i, in := range f.Inputs {
		at := fmt.Sprintf("inputs[%d]", i)
		if !identifier(in.Name) {
			c.bad(at, "The input %q has no name that expressions can read: it is lower-case letters, digits and _.", in.Name)
		}
		if seen[in.Name] {
			c.bad(at, "The input %s is there twice.", in.Name)
		}
		seen[in.Name] = true
		if !slices.Contains(Types(), string(in.Type)) {
			c.bad(at+".type", "The input %s has the type %q; there are %s.", in.Name, in.Type, strings.Join(Types(), ", "))
			continue
		}
		if in.Default != nil {
			if _, err := in.Take(in.Default); err != nil {
				c.bad(at+".default", "The default of %s does not fit: %s", in.Name, err)
			}
		}
	}
}

// span checks a time span.
func (c *checker) span(path string, d Duration) {
	if _, err := d.Parse(); err != nil {
		c.bad(path, "%s", err)
	}
}

// opening is the scope with what every step knows.
func (c *checker) opening(sc *scope) (*scope, bool) {
	fields := make(map[string]*types.Type, len(c.file.Inputs))
	for _, in := range c.file.Inputs {
		fields[in.Name] = in.Type.cel()
	}
	inputs := sc.shapes.add("inputs", fields)
	about := sc.shapes.add("run", map[string]*types.Type{"id": types.StringType, "project": types.StringType, "by": types.StringType, "started": types.StringType, "date": types.StringType})
	env, err := sc.env.Extend(cel.Variable("inputs", inputs), cel.Variable("run", about), cel.Variable("errors", types.NewMapType(types.StringType, types.StringType)))
	if err != nil {
		c.bad("inputs", "The inputs cannot be known to expressions: %s", err)
		return nil, false
	}
	return &scope{env: env, shapes: sc.shapes}, true
}

// triggers compiles what starts instances.
func (c *checker) triggers(sc *scope) []triggerExprs {
	out := make([]triggerExprs, len(c.file.Triggers))
	withEvent, err := sc.with("event", types.DynType)
	if err != nil {
		c.bad("triggers", "%s", err)
		return out
	}
	for i, t := range c.file.Triggers {
		at := fmt.Sprintf("triggers[%d]", i)
		n := 0
		for _, is := range []bool{t.Message, t.Cron != "", t.Event != nil, t.Webhook != ""} {
			if is {
				n++
			}
		}
		if n != 1 {
			c.bad(at, "A trigger is one of message, cron, event and webhook.")
		}
		if t.Event != nil {
			if t.Event.Type == "" || t.Event.Type == "*" {
				c.bad(at+".event", "An event trigger names a type, such as desk.ticket.created, or a namespace, such as desk.*.")
			}
			if t.Event.When != "" {
				out[i].when = c.condition(withEvent, at+".event.when", t.Event.When)
			}
		}
		if t.Webhook != "" && !ValidSlug(t.Webhook) {
			c.bad(at+".webhook", "The webhook %q does not fit: it is lower-case letters, digits and hyphens.", t.Webhook)
		}
		if t.Zone != "" && t.Cron == "" {
			c.bad(at+".timezone", "Only a cron trigger has a time zone.")
		}
		for _, name := range slices.Sorted(maps.Keys(t.Inputs)) {
			if !slices.ContainsFunc(c.file.Inputs, func(in Input) bool { return in.Name == name }) {
				c.bad(at+".inputs."+name, "The trigger gives %s, which is no input.", name)
			}
		}
		out[i].inputs = c.value(withEvent, at+".inputs", t.Inputs)
	}
	return out
}

// condition compiles an expression that holds or not.
func (c *checker) condition(sc *scope, path, source string) *Expr {
	e, err := sc.compile(source)
	if err == nil {
		err = e.truth()
	}
	if err != nil {
		c.bad(path, "%s", err)
		return nil
	}
	return e
}

// value compiles a free value.
func (c *checker) value(sc *scope, path string, v any) *Value {
	out, err := sc.value(v)
	if err != nil {
		c.bad(path, "%s", err)
		return nil
	}
	return out
}

// tests checks that tests name steps that are there.
func (c *checker) tests(g *Graph) {
	paths := make(map[string]bool)
	g.Walk(func(n *Node) { paths[n.Path] = true })
	for i, t := range c.file.Tests {
		at := fmt.Sprintf("tests[%d]", i)
		if t.Name == "" {
			c.bad(at, "A test has no name.")
		}
		for _, m := range []struct {
			field  string
			values map[string]any
		}{{"given", t.Given}, {"reviews", t.Reviews}, {"evidence", t.Evidence}, {"expect.steps", t.Expect.Steps}} {
			for _, p := range slices.Sorted(maps.Keys(m.values)) {
				if !paths[p] {
					c.bad(at+"."+m.field+"."+p, "The test %s names the step %s, which is not there.", t.Name, p)
				}
			}
		}
		if !slices.Contains([]string{"", "done", "failed", "unproven"}, t.Expect.State) {
			c.bad(at+".expect.state", "The test %s expects the state %q; there are done, failed and unproven.", t.Name, t.Expect.State)
		}
	}
}

// Take reads a value for the input; the error is a sentence.
func (in Input) Take(v any) (any, error) {
	v, err := in.typed(Settled(v))
	if err != nil {
		return nil, err
	}
	if len(in.Enum) > 0 && !slices.ContainsFunc(in.Enum, func(x any) bool { return Text(x) == Text(v) }) {
		var all []string
		for _, x := range in.Enum {
			all = append(all, Text(x))
		}
		return nil, fmt.Errorf("%s is none of %s", Text(v), strings.Join(all, ", "))
	}
	return v, nil
}

func (in Input) typed(v any) (any, error) {
	switch in.Type {
	case Integer:
		return whole(v)
	case Number:
		if n, ok := v.(int64); ok {
			return float64(n), nil
		}
		if f, ok := v.(float64); ok {
			return f, nil
		}
		if text, ok := v.(string); ok && long(text) {
			return strconv.ParseFloat(text, 64)
		}
		return nil, fmt.Errorf("%s is no number", quoted(v))
	case Boolean:
		if b, ok := v.(bool); ok {
			return b, nil
		}
		return nil, fmt.Errorf("%s is neither true nor false", quoted(v))
	case List:
		if l, ok := v.([]any); ok {
			return Kept(l), nil
		}
		return nil, fmt.Errorf("%s is no list", quoted(v))
	case Object:
		if m, ok := v.(map[string]any); ok {
			return Kept(m), nil
		}
		return nil, fmt.Errorf("%s is no object", quoted(v))
	case String, Long, Date, Time, Person, Project, Ticket, URL:
	}
	return in.text(v)
}

// MostWhole is the greatest whole number, and its negative the least, of which the log keeps all digits.
const MostWhole = 1<<53 - 1

// whole reads a whole number.
func whole(v any) (any, error) {
	var n int64
	switch x := v.(type) {
	case int64:
		n = x
	case float64:
		if x != math.Trunc(x) {
			return nil, fmt.Errorf("%s is no whole number", Text(v))
		}
		n = MostWhole + 1
		if math.Abs(x) <= MostWhole {
			n = int64(x)
		}
	case string:
		if !long(x) {
			return nil, fmt.Errorf("%s is no whole number", quoted(v))
		}
		n = MostWhole + 1
	default:
		return nil, fmt.Errorf("%s is no whole number", quoted(v))
	}
	if n > MostWhole || n < -MostWhole {
		return nil, fmt.Errorf("%s is beyond %d: not all its digits would be kept; use an input of the type string", Text(v), int64(MostWhole))
	}
	return n, nil
}

// quoted is a value as a sentence shows it: a text in quotes.
func quoted(v any) string {
	if s, ok := v.(string); ok {
		return strconv.Quote(s)
	}
	return Text(v)
}

// text reads what is written as a text.
func (in Input) text(v any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, fmt.Errorf("%s is no text", Text(v))
	}
	switch in.Type { //nolint:exhaustive // the rest is any text
	case Date:
		if _, err := time.Parse(time.DateOnly, s); err != nil {
			return nil, fmt.Errorf("%q is no date; write 2026-03-01", s)
		}
	case Time:
		if _, err := time.Parse(time.RFC3339, s); err != nil {
			return nil, fmt.Errorf("%q is no time; write 2026-03-01T09:00:00Z", s)
		}
	case URL:
		if u, err := url.Parse(s); err != nil || u.Scheme == "" || u.Host == "" {
			return nil, fmt.Errorf("%q is no address; write https://…", s)
		}
	}
	return s, nil
}

// TakeInputs reads the inputs of an instance: values by name, defaults for what is left out, null for
// what is not required. The error names the first that does not fit.
func (d *Definition) TakeInputs(given map[string]any) (map[string]any, string, error) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.ContainsFunc(d.Inputs, func(in Input) bool { return in.Name == name }) {
			return nil, name, fmt.Errorf("the workflow %s has no input %s", d.Slug, name)
		}
	}
	out := make(map[string]any, len(d.Inputs))
	for _, in := range d.Inputs {
		v, ok := given[in.Name]
		if !ok || v == nil || v == "" && in.Type != String && in.Type != Long {
			if in.Default == nil && in.Required {
				return nil, in.Name, fmt.Errorf("the input %s is missing%s", in.Name, strings.TrimSuffix(": "+in.Description, ": "))
			}
			v = in.Default
		}
		if v != nil {
			var err error
			if v, err = in.Take(v); err != nil {
				return nil, in.Name, fmt.Errorf("the input %s does not fit: %w", in.Name, err)
			}
		}
		out[in.Name] = v
	}
	return out, "", nil
}
