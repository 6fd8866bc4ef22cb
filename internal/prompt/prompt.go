// Package prompt holds what agents are told and the contracts their answers keep.
// The default agents are in defaults.go, their prompts the Markdown files in agents/; contracts are JSON
// Schemas (contract.go). A system prompt is a stable prefix, the agent's prompt and
// the house rules, and then what changes from run to run; budget.go keeps it small.
package prompt

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"time"

	"chela/internal/org"
)

//go:embed agents/*.md
var files embed.FS

// rules are those of the house, which every agent is told.
var rules = sync.OnceValue(func() string { return file("rules") }) //nolint:gochecknoglobals // a file that ships

func file(name string) string {
	raw, err := files.ReadFile("agents/" + name + ".md")
	if err != nil {
		panic("prompt: " + err.Error()) // embedded, and tested
	}
	return strings.TrimSpace(string(raw))
}

// A Context is what changes from run to run. What is empty is left out.
type Context struct {
	Date     time.Time
	Project  string      // its name and id, as a line
	Thread   string      // its title
	Roster   []org.Agent // for the controller: whom it may choose
	Task     string      // what a controller asks of a specialist
	Findings string      // what rules have found already; it is marked as data
	Folders  []string    // what an agent with hands may touch, the working folder first; a line each
	Files    []File      // of its workspace, which the operator writes
	Skills   []Skill     // that it may read
}

// What the parts of a system prompt may take of MaxSystem, in bytes. The task gets
// what is left, and the findings what the task leaves.
const (
	maxCardRules = 800
	maxRoster    = 3000
	maxLine      = 200
	minTask      = 600 // kept free of the roster
)

// System returns the system prompt of an agent: at most [MaxSystem] tokens, whatever
// the agent and the context are. What does not fit is cut, and says so.
func System(a org.Agent, c Context) string {
	layers := Layers(a, c)
	texts := make([]string, len(layers))
	for i, l := range layers {
		texts[i] = l.Text
	}
	return strings.Join(texts, "")
}

// roster lists agents, one a line, in at most n bytes.
func roster(agents []org.Agent, n int) string {
	const reserve = 60 // for the line that says how many are left out
	var b strings.Builder
	for i, a := range agents {
		ids := make([]string, 0, len(a.Card.Capabilities))
		for _, x := range a.Card.Capabilities {
			ids = append(ids, x.ID)
		}
		row := fmt.Sprintf("- %s: %s (%s)\n", a.Card.AgentID.Name(), line(a.Card.Display.Desc, 120), line(strings.Join(ids, ", "), 120))
		if b.Len()+len(row)+reserve > n {
			fmt.Fprintf(&b, "- and %d more, reached by their capabilities\n", len(agents)-i)
			break
		}
		b.WriteString(row)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// findings is what rules found as data, when there is room for some of it.
func findings(text string, n int) string {
	const label, room = "what rules have found", 200
	for size := n - room; size >= room; size -= room { // a fence may be longer than usual
		if d := "\n\n" + Data(label, cut(text, size)); len(d) <= n {
			return d
		}
	}
	return ""
}

// Data marks text from outside as data. The fence is longer than any run of its
// character in the text, so the text cannot end it, and both its lines carry a mark
// that is computed from the text, so a line inside that looks like the end does not
// fit. The same text gives the same block.
func Data(label, text string) string {
	label = line(label, maxLine)
	sum := sha256.Sum256([]byte(text))
	mark := hex.EncodeToString(sum[:4])
	fence := strings.Repeat("=", max(longestRun(label, '='), longestRun(text, '='), 7)+1)
	return fmt.Sprintf("%s DATA %s: %s\n%s\n%s END OF DATA %s", fence, mark, label, text, fence, mark)
}

// DataIn is the text of the first block of [Data] in a text. ok is false when there is none whose marks fit it.
func DataIn(text string) (inner string, ok bool) {
	for head := range strings.SplitSeq(text, "\n") {
		fence, rest, found := strings.Cut(head, " DATA ")
		mark, _, named := strings.Cut(rest, ": ")
		if !found || !named || len(fence) < 8 || strings.Trim(fence, "=") != "" {
			continue
		}
		_, after, _ := strings.Cut(text, head+"\n")
		if inner, _, ok = strings.Cut(after, "\n"+fence+" END OF DATA "+mark); ok {
			sum := sha256.Sum256([]byte(inner))
			return inner, hex.EncodeToString(sum[:4]) == mark
		}
	}
	return "", false
}

// Remembered marks what is known for a question as data: it may be old, or wrong.
func Remembered(text string) string {
	return Data("what is remembered; check it before you rely on it, and name its source in square brackets", cut(text, MaxMemory))
}

func longestRun(s string, of rune) int {
	longest, run := 0, 0
	for _, r := range s {
		if r != of {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
