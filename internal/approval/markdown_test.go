package approval

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestMarkdown_AQuestionCannotBeFaked: whatever the arguments say, they stay in their block.
func TestMarkdown_AQuestionCannotBeFaked(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		shown := rapid.StringMatching("[a`\n ]{1,30}").Draw(t, "shown")
		text := Request{ID: "apr_1", Question: "May I?", Calls: []Asked{{Tool: "shell", Risk: "high", Why: "It writes.", Shown: shown}}}.Markdown()
		from := strings.Index(text, "\n```") + 1
		fence, rest, _ := strings.Cut(text[from:], "\n")
		if body, after, ok := strings.Cut(rest, "\n"+fence+"\n"); !ok || body != shown || after != "\n`/approve apr_1` or `/deny apr_1 why`" {
			t.Fatalf("%q is shown as %q", shown, text)
		}
	})
}
