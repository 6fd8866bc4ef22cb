package prompt

import (
	"fmt"
	"strings"
)

// A Section is a text of the project's with its id and title.
type Section struct{ ID, Title, Text string }

// extractionRoom is how much of the threads stands in what it is asked, in tokens.
const extractionRoom = 15_000

// Extraction is what the thread extractor is asked: to look through threads for things of
// some types, for all when there are none. What does not fit is cut.
func Extraction(types []string, threads []Section) string {
	what := strings.ToLower(strings.Join(types, ", "))
	if what == "" || strings.Contains(what, "all") {
		what = "reminders, checklists, tickets, ideas"
	}
	ids := make([]string, len(threads))
	var content strings.Builder
	left := extractionRoom
	for i, t := range threads {
		ids[i] = t.ID
		text := Trim(t.Text, left)
		left = max(left-Estimate(text), 0)
		fmt.Fprintf(&content, "\n\n%s", Data(t.ID+" "+t.Title, text))
	}
	return "Extract " + what + " from these threads, and nothing else. Read their messages too.\nThreads: " + strings.Join(ids, ", ") + content.String()
}
