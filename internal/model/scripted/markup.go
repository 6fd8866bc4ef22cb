package scripted

import (
	"encoding/json"
	"strings"

	"chela/internal/pattern"
)

// The markup in which scripts of other systems write tool calls. A script is the only
// place where it means anything: what a real model writes as text stays text. The four
// spellings are tried in this order, and the first that gives a call wins.
var (
	wrapped  = pattern.New(`(?s)<tool_call>(.*?)</tool_call>`)
	pairs    = pattern.New(`(?s)<name>\s*([\w.-]+)\s*</name>\s*<args>(.*?)</args>`)
	opening  = pattern.New(`<([a-z][a-z0-9_]*)>\s*\{`)
	argument = pattern.New(`(?s)^\s*<(\w+)>`)
)

// Split takes the calls that a text writes as markup out of it and returns what is left.
func Split(text string) (said string, calls []Call) {
	for _, spelling := range []func(string) (string, []Call){wrappedCalls, namedCalls, elementCalls, fieldCalls} {
		if rest, calls := spelling(text); len(calls) > 0 {
			return strings.TrimSpace(rest), calls
		}
	}
	return text, nil
}

// wrappedCalls reads <tool_call>{"name": …, "args": {…}}</tool_call>.
func wrappedCalls(text string) (string, []Call) {
	return cut(text, wrapped, func(m []string) (Call, bool) {
		var c Call
		if json.Unmarshal([]byte(m[1]), &c) != nil || c.Name == "" {
			return c, false
		}
		if len(c.Args) == 0 {
			c.Args = json.RawMessage("{}")
		}
		return c, isObject(c.Args)
	})
}

// namedCalls reads <name>…</name><args>{…}</args>.
func namedCalls(text string) (string, []Call) {
	return cut(text, pairs, func(m []string) (Call, bool) {
		args := strings.TrimSpace(m[2])
		if args == "" {
			args = "{}"
		}
		return Call{m[1], json.RawMessage(args)}, isObject([]byte(args))
	})
}

// fieldCalls reads <name>…</name><args><key>value</key>…</args>. A value that is a JSON
// list or object is one; every other is a text.
func fieldCalls(text string) (string, []Call) {
	return cut(text, pairs, func(m []string) (Call, bool) {
		args := make(map[string]json.RawMessage)
		left := m[2]
		for strings.TrimSpace(left) != "" {
			key := argument.FindStringSubmatch(left)
			if key == nil {
				return Call{}, false
			}
			value, rest, closed := strings.Cut(left[len(key[0]):], "</"+key[1]+">")
			if !closed {
				return Call{}, false
			}
			args[key[1]], left = fieldValue(value), rest
		}
		raw, err := json.Marshal(args)
		return Call{m[1], raw}, err == nil
	})
}

func fieldValue(value string) json.RawMessage {
	v := strings.TrimSpace(value)
	if (strings.HasPrefix(v, "[") || strings.HasPrefix(v, "{")) && json.Valid([]byte(v)) {
		return json.RawMessage(v)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return raw
}

// elementCalls reads <tool>{…}</tool>, where the element's name is the tool's.
func elementCalls(text string) (string, []Call) {
	if pairs.MatchString(text) {
		return text, nil // elements in there are fields
	}
	var calls []Call
	var rest strings.Builder
	for {
		at := opening.FindStringSubmatchIndex(text)
		if at == nil {
			return rest.String() + text, calls
		}
		name, body := text[at[2]:at[3]], at[1]-1
		args, after, closed := strings.Cut(text[body:], "</"+name+">")
		if !closed || name == "tool_call" || !isObject([]byte(args)) {
			rest.WriteString(text[:body])
			text = text[body:]
			continue
		}
		rest.WriteString(text[:at[0]])
		calls = append(calls, Call{name, json.RawMessage(strings.TrimSpace(args))})
		text = after
	}
}

// cut takes what the expression finds, and read takes for a call, out of the text.
func cut(text string, re *pattern.Pattern, read func([]string) (Call, bool)) (string, []Call) {
	var calls []Call
	rest := re.ReplaceAllStringFunc(text, func(found string) string {
		c, ok := read(re.FindStringSubmatch(found))
		if !ok {
			return found
		}
		calls = append(calls, c)
		return ""
	})
	return rest, calls
}

func isObject(raw []byte) bool {
	return strings.HasPrefix(strings.TrimSpace(string(raw)), "{") && json.Valid(raw)
}
