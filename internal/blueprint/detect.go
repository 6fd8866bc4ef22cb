package blueprint

import (
	"strings"
	"unicode"

	"chela/internal/pattern"
)

// An Intent is what somebody wants of the builder.
type Intent string

// The intents.
const (
	Build     Intent = "BUILD"
	Edit      Intent = "EDIT"
	Query     Intent = "QUERY"
	Export    Intent = "EXPORT"
	Configure Intent = "CONFIGURE"
	Unknown   Intent = "UNKNOWN"
)

// Intents lists them.
func Intents() []Intent { return []Intent{Build, Edit, Query, Export, Configure, Unknown} }

// keywords are by what each intent is known without a model, as whole words.
var keywords = []struct { //nolint:gochecknoglobals // a table
	intent Intent
	words  []string
}{
	{Build, []string{"create", "build", "add", "make", "new", "generate", "setup", "set up", "design", "construct", "implement", "deploy"}},
	{Edit, []string{"change", "modify", "update", "edit", "rename", "move", "delete", "remove", "configure", "adjust", "fix", "connect", "disconnect", "link"}},
	{Query, []string{"what", "how", "why", "which", "where", "when", "who", "show", "list", "display", "explain", "describe", "tell me", "?"}},
	{Export, []string{"export", "download", "save", "output", "generate file", "get json", "get yaml", "get markdown"}},
	{Configure, []string{"setting", "settings", "preference", "config", "configuration", "option"}},
}

// Detect says what a text wants, and how sure that is, by keywords: 0.6 and 0.1 for each, at most 0.9; the first intent wins
// a tie.
func Detect(text string) (Intent, float64) {
	flat := " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' }), " ") + " "
	best, most := Unknown, 0
	for _, k := range keywords {
		hits := 0
		for _, w := range k.words {
			if w == "?" && strings.Contains(text, "?") || strings.Contains(flat, " "+w+" ") {
				hits++
			}
		}
		if hits > most {
			best, most = k.intent, hits
		}
	}
	if most == 0 {
		return Unknown, 0.3
	}
	return best, min(0.6+0.1*float64(most), 0.9)
}

var (
	asksToBuild = pattern.New(`(?is)^\s*(?:please\s+|can you\s+|could you\s+|i want you to\s+|let'?s\s+)*(?:build|create|make|design|set up|write|draft|construct|generate)\s+(?:me\s+|us\s+)?(?:a|an|the|another)?\s*(?:new\s+)?workflow\b`)
	asksToEdit  = pattern.New(`(?is)^\s*(?:please\s+|can you\s+|could you\s+)*(?:change|modify|update|edit|adjust|extend)\s+the\s+workflow\s+["“'` + "`" + `]?([a-z0-9][a-z0-9-]*)["”'` + "`" + `]?\s*[:,]?\s*(.*)$`)
)

// Asks reports whether a message of a conversation asks to build or change a workflow; slug is the one to change.
func Asks(text string) (intent Intent, slug string) {
	if m := asksToEdit.FindStringSubmatch(text); m != nil {
		return Edit, strings.ToLower(m[1])
	}
	if asksToBuild.MatchString(text) {
		return Build, ""
	}
	return Unknown, ""
}
