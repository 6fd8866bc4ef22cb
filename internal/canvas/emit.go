package canvas

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"chela/internal/definition"
)

// mostInline is how long a list or an object may be that is written on one line, in bytes.
const mostInline = 90

var (
	plainText = regexp.MustCompile(`^[A-Za-z_/$][^\x00-\x1f\x7f-\x{a0}\x{2028}\x{2029}\x{feff}]*$`)
	reserved  = regexp.MustCompile(`(?i)^(true|false|null|yes|no|on|off|y|n|nan|inf|\.inf|\.nan|~)$`)
	span      = regexp.MustCompile(`^[0-9]{1,9}(ms|s|m|h|d)$`)
	tight     = regexp.MustCompile(`^[A-Za-z_/][A-Za-z0-9_./ -]*$`)
)

// scalar is how a value that is neither list nor object is written on one line.
func scalar(v any, flow bool) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		s := strconv.FormatFloat(v, 'f', -1, 64)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	case string:
		fits := plainText.MatchString(v) && !strings.Contains(v, ": ") && !strings.Contains(v, " #") && !strings.HasSuffix(v, ":")
		if flow {
			fits = tight.MatchString(v)
		}
		if span.MatchString(v) {
			return v
		}
		if fits && !reserved.MatchString(v) && strings.TrimSpace(v) == v {
			return v
		}
		return quote(v)
	}
	return quote(definition.Text(v))
}

// quote writes a text in double quotes, whose escapes are those of JSON.
func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a text can be encoded
	return strings.NewReplacer("\x7f", `\x7f`, "\u0085", `\N`, "\u00a0", `\_`, "\ufeff", `\ufeff`).Replace(strings.TrimSuffix(b.String(), "\n"))
}

// inline writes a value on one line.
func inline(v any) string {
	var parts []string
	switch v := v.(type) {
	case object:
		for _, p := range v {
			parts = append(parts, scalar(p.key, true)+": "+inline(p.value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		for _, x := range v {
			parts = append(parts, inline(x))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return scalar(v, true)
}

// flat reports whether v is best written on one line: a list of short values, or a short object in a list.
func flat(v any, inList bool) bool {
	leaf := func(v any) bool {
		s, ok := v.(string)
		switch v.(type) {
		case object, []any:
			return same(settled(v), map[string]any{}) || same(settled(v), []any{})
		}
		return !ok || !strings.Contains(s, "\n")
	}
	switch v := v.(type) {
	case object:
		for _, p := range v {
			if !inList || !leaf(p.value) {
				return len(v) == 0
			}
		}
		return len(inline(v)) <= mostInline
	case []any:
		for _, x := range v {
			if !leaf(x) {
				return false
			}
		}
		return len(inline(v)) <= mostInline
	}
	return false
}

// block writes a value of a block at a column: what stands behind the key or the dash, and the lines below.
func block(v any, col int, inList bool) (head string, lines []string) {
	pad := strings.Repeat(" ", col)
	if flat(v, inList) {
		return inline(v), nil
	}
	switch v := v.(type) {
	case object:
		for _, p := range v {
			head, rest := block(p.value, col+2, false)
			line := pad + scalar(p.key, false) + ":"
			if head != "" {
				line += " " + head
			}
			lines = append(append(lines, line), rest...)
		}
		return "", lines
	case []any:
		for _, x := range v {
			lines = append(lines, item(x, col)...)
		}
		return "", lines
	case string:
		if head, ok := literalHead(v); ok {
			for l := range strings.SplitSeq(strings.TrimRight(v, "\n"), "\n") {
				if l != "" {
					l = pad + l
				}
				lines = append(lines, l)
			}
			return head, lines
		}
	}
	return scalar(v, false), nil
}

// item writes an item of a list whose dashes are at a column.
func item(v any, col int) []string {
	dash := strings.Repeat(" ", col) + "- "
	head, lines := block(v, col+2, true)
	if head != "" {
		return append([]string{dash + head}, lines...)
	}
	if len(lines) == 0 {
		return []string{strings.TrimRight(dash, " ")}
	}
	return append([]string{dash + strings.TrimLeft(lines[0], " ")}, lines[1:]...)
}

// literalHead says how a text of several lines is begun, if it can be written as a block.
func literalHead(s string) (string, bool) {
	body := strings.TrimRight(s, "\n")
	if !strings.Contains(s, "\n") || body == "" || strings.ContainsAny(body[:1], " \t\n") || strings.ContainsAny(s, "\r\t\u0085\u2028\u2029\ufeff\x00") {
		return "", false
	}
	for l := range strings.SplitSeq(body, "\n") {
		if l != strings.TrimRight(l, " ") {
			return "", false
		}
		for _, r := range l {
			if r < ' ' || r == 0x7f {
				return "", false
			}
		}
	}
	switch len(s) - len(body) {
	case 0:
		return "|-", true
	case 1:
		return "|", true
	}
	return "", false
}
