package prompt_test

import (
	"strings"
	"testing"

	"chela/internal/org"
	"chela/internal/prompt"
)

// TestGuide_IsWholeData: what a folder says is data, shortened inside its marks, and left out where the marks would be cut.
func TestGuide_IsWholeData(t *testing.T) {
	t.Parallel()
	told := func(files ...prompt.File) string {
		return prompt.System(org.Agent{Profile: org.Profile{Kind: org.Specialist, Prompt: "You work."}}, prompt.Context{Files: files})
	}
	guide := prompt.Guide("/srv/pay", "Run the tests.\n"+strings.Repeat("word ", 2000))
	for range 4 {
		got := told(guide, guide, guide, guide)
		if n := strings.Count(got, "DATA"); !strings.Contains(got, "Run the tests.") || !strings.Contains(got, "[more in the file]") || strings.Count(got, "how work is done in /srv/pay") != strings.Count(got, "[more in the file]\n") || n == 0 {
			t.Errorf("a guide is cut in its marks: %s", got)
		}
	}
}
