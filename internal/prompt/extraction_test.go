package prompt_test

import (
	"strings"
	"testing"

	"chela/internal/prompt"
)

func TestExtraction(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("words and more words ", 20_000)
	got := prompt.Extraction(nil, []prompt.Section{{"thr_1", "Weekly", long}, {"thr_2", "Retro", "We stop this."}})
	for _, want := range []string{"Extract reminders, checklists, tickets, ideas from", "Threads: thr_1, thr_2", "thr_2 Retro"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if n := prompt.Estimate(got); n > 16_000 {
		t.Errorf("%d tokens", n)
	}
	if got := prompt.Extraction([]string{"TICKETS", "IDEAS"}, nil); !strings.HasPrefix(got, "Extract tickets, ideas from") {
		t.Errorf("%q", got)
	}
	if got, all := prompt.Extraction([]string{"TICKETS", "ALL"}, nil), prompt.Extraction(nil, nil); got != all {
		t.Errorf("%q, not %q", got, all)
	}
}
