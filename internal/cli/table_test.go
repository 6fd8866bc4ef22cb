package cli

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestTable_DrawsColumns(t *testing.T) {
	t.Parallel()
	tab := table{
		columns: []column{{head: "Key"}, {head: "Title", gives: true}, {head: "Points", right: true, shade: func(c string) int {
			if c == "13" {
				return red
			}
			return 0
		}}},
		rows: [][]string{{"PAY-1", "Rückbuchung 支払い\nprüfen", "5"}, {"PAY-22", "A title that is longer than a narrow terminal", "13"}},
	}
	want := "Key     Title                                          Points\n" +
		"PAY-1   Rückbuchung 支払い prüfen                           5\n" +
		"PAY-22  A title that is longer than a narrow terminal      13\n"
	if got := tab.draw(0, false); got != want {
		t.Errorf("as wide as it is: got\n%swant\n%s", got, want)
	}
	narrow := tab.draw(40, true)
	for line := range strings.Lines(narrow) {
		if w := ansi.StringWidth(strings.TrimSuffix(line, "\n")); w > 40 {
			t.Errorf("a line takes %d cells, want at most 40: %q", w, line)
		}
	}
	for _, says := range []string{"…", "\x1b[31m13\x1b[m", "\x1b[90mKey\x1b[m"} {
		if !strings.Contains(narrow, says) {
			t.Errorf("narrow and coloured: got %q, want %q in it", narrow, says)
		}
	}
}

func TestTable_KeepsWhatATerminalWouldObeyOut(t *testing.T) {
	t.Parallel()
	tab := table{columns: []column{{head: "Title"}}, rows: [][]string{{"\x1b[2Jgone\x07"}}}
	if got := tab.draw(0, false); strings.ContainsAny(got, "\x1b\x07") {
		t.Errorf("got %q, want no control characters", got)
	}
}

func TestStatusWord(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]string{"TODO": "To do", "IN_PROGRESS": "In progress", "DONE": "Done", "": ""} {
		if got := statusWord(status); got != want {
			t.Errorf("%q: got %q, want %q", status, got, want)
		}
	}
}

func TestTable_IsNotPaddedWhereNoTerminalIs(t *testing.T) {
	t.Parallel()
	tab := table{
		columns: []column{{head: "Key"}, {head: "Title", gives: true}, {head: "Points", right: true}},
		rows:    [][]string{{"PAY-1", "Pay\tback\n", ""}, {"PAY-22", strings.Repeat("long ", 40), "13"}},
	}
	var out strings.Builder
	(&app{out: &out}).tabulate(tab, false)
	want := "Key\tTitle\tPoints\nPAY-1\tPay back\t\nPAY-22\t" + strings.TrimSpace(strings.Repeat("long ", 40)) + "\t13\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
