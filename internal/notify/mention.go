package notify

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"chela/internal/org"
)

// Mentioned lists the ids of the persons and agents that a text names by @NAME: by the whole name, by
// the first name when nobody else has it, by what stands before the @ of an e-mail address, or by an
// agent's name. Case does not count. What stands in code is no mention.
func Mentioned(text string, people []org.Person, agents []org.AgentID) []string {
	names := called(people, agents)
	var out []string
	seen := make(map[string]bool)
	for _, part := range outsideCode(text) {
		low := strings.ToLower(part)
		for at := 0; ; {
			i := strings.IndexByte(low[at:], '@')
			if i < 0 {
				break
			}
			at += i + 1
			if before, _ := utf8.DecodeLastRuneInString(low[:at-1]); inName(before) {
				continue // an address
			}
			if id := longest(low[at:], names); id != "" && !seen[id] {
				seen[id] = true
				out = append(out, id)
			}
		}
	}
	return out
}

// called are the names by which somebody may be mentioned, in small letters. A name of two people is
// nobody's.
func called(people []org.Person, agents []org.AgentID) map[string]string {
	out := make(map[string]string)
	add := func(name, id string) {
		name = strings.ToLower(strings.TrimSpace(name))
		if name == "" {
			return
		}
		if other, ok := out[name]; ok && other != id {
			id = ""
		}
		out[name] = id
	}
	for _, p := range people {
		if !p.Enabled {
			continue
		}
		add(p.Name, p.ID)
		if first, _, ok := strings.Cut(p.Name, " "); ok {
			add(first, p.ID)
		}
		for _, identity := range p.Identities {
			if mail, ok := strings.CutPrefix(identity, "email:"); ok {
				local, _, _ := strings.Cut(mail, "@")
				add(local, p.ID)
			}
		}
	}
	for _, a := range agents {
		add(a.Name(), string(a))
	}
	return out
}

// longest returns who is called by the longest name that a text begins with.
func longest(text string, names map[string]string) (id string) {
	best := 0
	for name, who := range names {
		if len(name) <= best || !strings.HasPrefix(text, name) {
			continue
		}
		if after, _ := utf8.DecodeRuneInString(text[len(name):]); inName(after) {
			continue
		}
		best, id = len(name), who
	}
	return id
}

func inName(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// outsideCode are the parts of a Markdown text that are not between backticks.
func outsideCode(text string) []string {
	var out []string
	for i, part := range strings.Split(text, "`") {
		if i%2 == 0 {
			out = append(out, part)
		}
	}
	return out
}
