package extract_test

import (
	"strings"
	"testing"

	"chela/internal/extract"
)

// TestReadMinutes_LinesOfLooksSayNothing reads a page of Jekyll as the same page without the lines that say how it looks.
func TestReadMinutes_LinesOfLooksSayNothing(t *testing.T) {
	t.Parallel()
	m := extract.ReadMinutes("* TOC\n{:toc}\n\n{::options toc_levels=\"1..3\" /}\n# Sync\n{:.no_toc}\n\n## Budget {: .text-delta }\n{: .no_toc .text-delta }\n- Ann to send the budget\n{:.tasks}\n")
	if m.Title != "Sync" || len(m.Topics) != 2 || len(m.Actions) != 1 {
		t.Fatalf("the title is %q, topics are %v, actions are %v", m.Title, m.Topics, m.Actions)
	}
	if m.Topics[1].Title != "Budget" || m.Actions[0].Span.Line != 10 {
		t.Errorf("the topic is %q, and the action stands in line %d; want Budget, 10", m.Topics[1].Title, m.Actions[0].Span.Line)
	}
	for _, topic := range m.Topics {
		if strings.Contains(topic.Text, "{:") {
			t.Errorf("the topic %q has the text %q", topic.Title, topic.Text)
		}
	}
	if m := extract.ReadMinutes("{:toc}\n"); m.Title != "" || len(m.Topics) > 0 {
		t.Errorf("nothing but such a line: %q, %v", m.Title, m.Topics)
	}
	for text, want := range map[string]string{
		"1. Contents\n{: toc }\nHello": "\n\nHello",
		"> {:.note}\nHello":            "\nHello",
		"a {:not} line":                "a {:not} line",
		"- Ann\n{:.no_toc}":            "- Ann\n",
	} {
		if got := extract.Said(text); got != want {
			t.Errorf("Said(%q) = %q, want %q", text, got, want)
		}
	}
}
