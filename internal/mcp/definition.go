package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"chela/internal/event"
	"chela/internal/fault"
)

// A Definition is a tool as a server describes it: words of others, which an owner has to have seen.
type Definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema"`
	Digest      string          `json:"digest"`
}

const (
	maxName = 128
	maxHelp = 4000 // bytes of a description that are shown
)

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// Define makes the definition of a tool of a name, a description and a schema as a server gives them. The error
// says why such a tool cannot be offered.
func Define(name, description string, schema json.RawMessage) (Definition, error) {
	d := Definition{Name: name, Description: description}
	if name == "" || len(name) > maxName || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return d, fault.New(fault.Invalid, "Its name is no line of 1 to 128 bytes.")
	}
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object"}`)
	}
	if len(description)+len(schema) > MaxDefinition {
		return d, fault.New(fault.Invalid, "Its definition has more than %d KB.", MaxDefinition>>10)
	}
	canonical, err := event.Canonical(schema)
	var object map[string]json.RawMessage
	if err != nil || json.Unmarshal(canonical, &object) != nil || object == nil {
		return d, fault.New(fault.Invalid, "Its schema is no JSON object.")
	}
	if t := object["type"]; t != nil && string(t) != `"object"` {
		return d, fault.New(fault.Invalid, "Its arguments are no object.")
	}
	d.Schema = canonical
	raw, err := json.Marshal([]any{d.Name, d.Description, d.Schema})
	if err != nil {
		return d, fmt.Errorf("encode a definition: %w", err)
	}
	d.Digest = sum(raw)
	return d, nil
}

// See is what was seen of a server's tools. Two of one name, those past the most and those that cannot be offered
// are left out.
func See(name string, theirs []Definition, leftOut map[string]string) Seen {
	out := Seen{Name: name, Tools: []Definition{}, LeftOut: make(map[string]string)}
	for n, why := range leftOut {
		if len(out.LeftOut) < MaxTools {
			out.LeftOut[Line(n)] = why
		}
	}
	room, have := maxAll, make(map[string]bool)
	for _, d := range theirs {
		switch room -= len(d.Description) + len(d.Schema); {
		case have[d.Name]:
			out.LeftOut[d.Name] = "There are two of its name."
			out.Tools = slices.DeleteFunc(out.Tools, func(o Definition) bool { return o.Name == d.Name })
			continue
		case len(out.Tools) >= MaxTools || room < 0:
			out.LeftOut[d.Name] = "There are too many tools."
			continue
		}
		have[d.Name] = true
		out.Tools = append(out.Tools, d)
	}
	slices.SortFunc(out.Tools, func(a, b Definition) int { return strings.Compare(a.Name, b.Name) })
	out.Digest = all(out.Tools)
	return out
}

// Line is a text of others as a part of one line: what does not print stands as a space.
func Line(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(s, "�"))
}

// Help is a definition's description for models: what does not print is taken out, and who says it is said.
func (d Definition) Help(server string) string {
	text := strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(d.Description, "�"))
	if len(text) > maxHelp {
		text = strings.ToValidUTF8(text[:maxHelp], "") + "…"
	}
	return "Of the MCP server " + server + ", in its words: " + strings.TrimSpace(text)
}

// A Change is a definition that differs from the accepted one, or that is not accepted yet.
type Change struct {
	Name   string `json:"name"`
	What   string `json:"what" enum:"new,changed,gone"`
	Before string `json:"before,omitempty" doc:"the accepted definition, for people"`
	After  string `json:"after,omitempty" doc:"the one that was seen, for people"`
	Diff   string `json:"diff" doc:"from the one to the other, unified"`
}

// change is the change of a tool's definition, of which one may not be.
func change(name, what string, before, after string) Change {
	return Change{Name: name, What: what, Before: before, After: after, Diff: udiff.Unified("accepted", "seen", before, after)}
}

// Changes are what an owner accepts by accepting what was seen.
func (k Known) Changes() []Change {
	out := []Change{}
	before := make(map[string]Definition)
	for _, d := range k.Accepted {
		before[d.Name] = d
	}
	for _, d := range k.Seen.Tools {
		was, had := before[d.Name]
		delete(before, d.Name)
		switch {
		case !had:
			out = append(out, change(d.Name, "new", "", d.Text()))
		case was.Digest != d.Digest:
			out = append(out, change(d.Name, "changed", was.Text(), d.Text()))
		}
	}
	for _, d := range k.Accepted {
		if _, gone := before[d.Name]; gone {
			out = append(out, change(d.Name, "gone", d.Text(), ""))
		}
	}
	return out
}

// Text is a definition for people: its description and its schema in lines, in which each character that does not
// print is written out.
func (d Definition) Text() string {
	var schema bytes.Buffer
	if json.Indent(&schema, d.Schema, "", "  ") != nil {
		schema.Reset()
		schema.Write(d.Schema)
	}
	return visible(d.Description) + "\n\n" + visible(schema.String()) + "\n"
}

// visible writes out what does not print.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, "\\u{%X}", r)
	}
	return b.String()
}
