package config

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"chela/internal/fault"
	"chela/internal/org"
)

// WriteOrg returns o as org.yaml. [ReadOrg] gives the same agents and persons from it,
// over whatever base: every field is written.
func WriteOrg(o Org) ([]byte, error) {
	type organization struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description"`
	}
	doc := struct {
		Organization organization  `yaml:"organization"`
		Agents       []agentEntry  `yaml:"agents"`
		Persons      []personEntry `yaml:"persons"`
	}{Organization: organization{o.Name, o.Description}}
	for _, a := range o.Agents {
		if err := a.Check(); err != nil {
			return nil, fault.Wrap(err, fault.Invalid, "The agent %s cannot be written: %s", a.Card.AgentID, fault.TextOf(err))
		}
		doc.Agents = append(doc.Agents, entryOf(a))
	}
	for _, p := range o.Persons {
		doc.Persons = append(doc.Persons, personEntry{ID: p.ID, Name: p.Name, Role: string(p.Role), Enabled: p.Enabled, Identities: p.Identities})
	}
	var w yamlWriter
	w.WriteString("# The organization of Chela. Agents that are not named here stay as they are.\n")
	w.mapping(reflect.ValueOf(doc), 0)
	return w.Bytes(), nil
}

func entryOf(a org.Agent) agentEntry {
	c := a.Card
	e := agentEntry{
		Name: c.AgentID.Name(), Role: string(a.Kind), Title: c.Display.Name, Description: c.Display.Desc, Avatar: c.Display.Avatar,
		Enabled: a.Enabled, Model: a.Model, Context: string(a.Context), Prompt: a.Prompt, Tools: a.Tools, Capabilities: c.Capabilities,
		Limits: limitsEntry(c.Limits), Permissions: a.Permissions, Budget: budgetEntry(a.Budget), Security: securityEntry(c.Security),
		Strengths: c.Strengths, Rules: c.Rules, Collaborators: c.Collaborators,
		Personality: c.Personality, Memory: c.Memory, Endpoints: c.Endpoints,
	}
	for name, raw := range c.Meta {
		if e.Meta == nil {
			e.Meta = make(map[string]string)
		}
		e.Meta[name] = string(raw)
	}
	return e
}

// agent returns what the entry says; the protocol's version comes from from.
func (e agentEntry) agent(from org.Agent) org.Agent {
	a := org.Agent{
		Card: org.Card{
			V: from.Card.V, AgentID: org.AgentID("agent:" + e.Name), Display: org.Display{Name: e.Title, Desc: e.Description, Avatar: e.Avatar},
			Capabilities: e.Capabilities, Limits: org.Limits(e.Limits), Security: org.Security(e.Security),
			Strengths: e.Strengths, Rules: e.Rules, Collaborators: e.Collaborators,
			Personality: some(e.Personality), Memory: some(e.Memory), Endpoints: some(e.Endpoints),
		},
		Profile: org.Profile{
			Kind: org.Kind(e.Role), Prompt: e.Prompt, Tools: e.Tools, Model: e.Model, Context: org.Strategy(e.Context), Enabled: e.Enabled,
			Permissions: e.Permissions, Budget: org.Budget(e.Budget),
		},
	}
	for name, text := range e.Meta {
		if a.Card.Meta == nil {
			a.Card.Meta = make(map[string]json.RawMessage)
		}
		a.Card.Meta[name] = json.RawMessage(text)
	}
	return a
}

// some returns nil for a section in which nothing is said.
func some[T comparable](v *T) *T {
	var none T
	if v == nil || *v == none {
		return nil
	}
	return v
}

// A yamlWriter writes structs as YAML that every reader takes the same way: texts are
// quoted as in JSON, or literal blocks when they have several plain lines.
type yamlWriter struct{ bytes.Buffer }

func (w *yamlWriter) mapping(v reflect.Value, indent int) {
	for i := range v.NumField() {
		tag, ok := v.Type().Field(i).Tag.Lookup("yaml")
		if !ok {
			tag = v.Type().Field(i).Tag.Get("json")
		}
		name, options, _ := strings.Cut(tag, ",")
		if options == "omitempty" && v.Field(i).IsZero() {
			continue
		}
		w.pad(indent)
		w.WriteString(name + ":")
		w.value(v.Field(i), indent)
	}
}

// value writes what follows a key that stands at indent.
func (w *yamlWriter) value(v reflect.Value, indent int) {
	switch v.Kind() { //nolint:exhaustive // the entries hold nothing else
	case reflect.Pointer:
		if v.IsNil() || v.Elem().IsZero() {
			w.WriteString(" {}\n")
			return
		}
		w.value(v.Elem(), indent)
	case reflect.Struct:
		w.WriteString("\n")
		w.mapping(v, indent+1)
	case reflect.Map:
		w.table(v, indent)
	case reflect.Slice:
		w.list(v, indent)
	case reflect.String:
		w.WriteString(" " + text(v.String(), indent+1) + "\n")
	case reflect.Bool:
		w.WriteString(" " + strconv.FormatBool(v.Bool()) + "\n")
	case reflect.Int:
		w.WriteString(" " + strconv.FormatInt(v.Int(), 10) + "\n")
	case reflect.Float64:
		w.WriteString(" " + strconv.FormatFloat(v.Float(), 'f', -1, 64) + "\n")
	default:
		panic("config: org.yaml cannot hold a " + v.Kind().String()) // a bug in the entries
	}
}

func (w *yamlWriter) table(v reflect.Value, indent int) {
	if permissions, ok := v.Interface().(org.Permissions); ok {
		w.WriteString("\n")
		for _, p := range org.AllPermissions() {
			w.pad(indent + 1)
			w.WriteString(string(p) + ": " + strconv.FormatBool(permissions[p]) + "\n")
		}
		return
	}
	table, _ := v.Interface().(map[string]string) // the only other one there is
	if len(table) == 0 {
		w.WriteString(" {}\n")
		return
	}
	w.WriteString("\n")
	for _, name := range slices.Sorted(maps.Keys(table)) {
		w.pad(indent + 1)
		w.WriteString(quote(name) + ": " + text(table[name], indent+2) + "\n")
	}
}

func (w *yamlWriter) list(v reflect.Value, indent int) {
	if v.Len() == 0 {
		w.WriteString(" []\n")
		return
	}
	if v.Type().Elem().Kind() == reflect.String {
		w.WriteString(" [")
		for i := range v.Len() {
			if i > 0 {
				w.WriteString(", ")
			}
			w.WriteString(quote(v.Index(i).String()))
		}
		w.WriteString("]\n")
		return
	}
	w.WriteString("\n")
	for i := range v.Len() {
		var item yamlWriter
		item.mapping(v.Index(i), indent+2)
		w.pad(indent + 1)
		w.WriteString("- ")
		w.Write(bytes.TrimLeft(item.Bytes(), " "))
	}
}

func (w *yamlWriter) pad(indent int) { w.WriteString(strings.Repeat("  ", indent)) }

// text writes a scalar whose continuation lines, if any, stand at indent.
func text(s string, indent int) string {
	if !literal(s) {
		return quote(s)
	}
	pad := strings.Repeat("  ", indent)
	var b strings.Builder
	b.WriteString("|-")
	for l := range strings.SplitSeq(s, "\n") {
		b.WriteString("\n")
		if l != "" {
			b.WriteString(pad + l)
		}
	}
	return b.String()
}

// literal reports whether s comes back from a literal block as it is: several lines
// of printable characters, without blanks around the whole or at the end of a line.
func literal(s string) bool {
	return strings.Contains(s, "\n") && s == strings.TrimSpace(s) && !strings.Contains(s, " \n") &&
		!strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) })
}

// plain reports whether s needs no quotes: a word of letters that YAML takes for
// nothing else.
func plain(s string) bool {
	switch strings.ToLower(s) {
	case "", "null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf":
		return false
	}
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r != '_' && r != '-' && (r < '0' || r > '9')) {
			return false
		}
	}
	return true
}

// quote writes s as one word or in double quotes.
func quote(s string) string {
	if plain(s) {
		return s
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic("config: a text is always JSON: " + err.Error())
	}
	return strings.TrimSpace(b.String())
}
