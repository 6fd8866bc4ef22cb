package scenario

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// walk returns what lies at a path of JSON: "$.a.b", "$[0].x", "$[*].x", or "a.0.b". A
// star, or a name on a list, stands for every element.
func walk(raw json.RawMessage, path string) []json.RawMessage {
	found := []json.RawMessage{raw}
	for _, step := range segments(path) {
		var next []json.RawMessage
		for _, r := range found {
			next = append(next, below(r, step)...)
		}
		found = next
	}
	return found
}

func segments(path string) []string {
	path = strings.NewReplacer("[", ".", "]", "").Replace(strings.TrimPrefix(path, "$"))
	return strings.FieldsFunc(path, func(r rune) bool { return r == '.' })
}

func below(raw json.RawMessage, step string) []json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		if n, err := strconv.Atoi(step); err == nil {
			if n < 0 || n >= len(list) {
				return nil
			}
			return list[n : n+1]
		}
		if step == "*" {
			return list
		}
		var out []json.RawMessage
		for _, r := range list {
			out = append(out, below(r, step)...)
		}
		return out
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	if v, ok := fields[step]; ok {
		return []json.RawMessage{v}
	}
	return nil
}

// plain is a value as people write it: texts without quotes.
func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(bytes.TrimSpace(raw))
}

// same reports whether a value is the one wanted, or a list that has it.
func same(have, want json.RawMessage) bool {
	var list []json.RawMessage
	if json.Unmarshal(have, &list) == nil && !bytes.HasPrefix(bytes.TrimSpace(want), []byte("[")) {
		for _, v := range list {
			if same(v, want) {
				return true
			}
		}
		return false
	}
	return plain(have) == plain(want)
}

// flat turns an answer of ours into one whose records have their fields beside their
// ids, as such files look for them: a list is its items, a record its body.
func flat(raw json.RawMessage) json.RawMessage {
	var list struct {
		Items *[]json.RawMessage `json:"items"`
	}
	if json.Unmarshal(raw, &list) != nil || list.Items == nil {
		return flatRecord(raw)
	}
	for i, r := range *list.Items {
		(*list.Items)[i] = flatRecord(r)
	}
	return encoded(*list.Items)
}

// flatRecord also gives a record's id by the name of its kind, such as ticketId.
func flatRecord(raw json.RawMessage) json.RawMessage {
	var fields, body map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || json.Unmarshal(fields["body"], &body) != nil {
		return raw
	}
	kind := plain(fields["kind"])
	if kind == "" {
		return raw
	}
	delete(fields, "body")
	for k, v := range body {
		if _, taken := fields[k]; !taken {
			fields[k] = v
		}
	}
	fields[camel(kind)+"Id"] = fields["id"]
	for k, v := range fields {
		if other, ok := otherValues[kind+"."+k][plain(v)]; ok {
			fields[k] = encoded([]string{plain(v), other})
		}
	}
	if kind == "thread" {
		fields["projectIds"] = encoded([]json.RawMessage{fields["projectId"]})
	}
	return encoded(fields)
}

// camel writes delta_pack as deltaPack.
func camel(kind string) string {
	parts := strings.Split(kind, "_")
	for i, p := range parts {
		if i > 0 && p != "" {
			parts[i] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "")
}

// encoded writes what is known to be JSON.
func encoded(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("scenario: what was read as JSON is not written as JSON: " + err.Error())
	}
	return raw
}
