package extract_test

import (
	"slices"
	"strings"
	"testing"

	"chela/internal/extract"
)

// TestTickets_RowsThatRepeatAnother holds that rows of different tickets stay so, and that what is joined, left out or called
// otherwise is said.
func TestTickets_RowsThatRepeatAnother(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		header string
		rows   []string
		want   []string // title/status/owner
		said   []string
	}{
		"titles without keys": {
			"Title,Status,Assignee",
			[]string{"Fix typo,To Do,Ann", "Fix  typo,Done,Bob", "fix typo,To Do,Cid", "Fix typo (2),To Do,Dan"},
			[]string{"Fix typo/TODO/Ann", "Fix typo (2)/DONE/Bob", "fix typo (3)/TODO/Cid", "Fix typo (2) (2)/TODO/Dan"},
			[]string{`line 2: it has the title of line 1 and no key, so it is called "Fix typo (2)"; 3 rows without a key`},
		},
		"word for word": {
			"Title,Status,Assignee",
			[]string{"Fix typo,To Do,Ann", "Fix typo,To Do,Ann"},
			[]string{"Fix typo/TODO/Ann"},
			[]string{"line 2: it says what line 1 says, and was left out."},
		},
		"keys in capital letters": {
			"Key,Title,Status,Assignee",
			[]string{"x-2,One,To Do,Ann", "X-2,Two,Done,Bob"},
			[]string{"Two/DONE/Bob"},
			[]string{"line 2: it has the key X-2, which line 1 has too; the last of them counts."},
		},
		"the same title under two keys": {
			"Key,Title,Status,Assignee",
			[]string{"x-2,One,To Do,Ann", "x-3,One,Done,Bob"},
			[]string{"One/TODO/Ann", "One/DONE/Bob"},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var rows []extract.Row
			for i, r := range c.rows {
				rows = append(rows, extract.Row{Line: i + 1, Cells: strings.Split(r, ",")})
			}
			table, ok := extract.Tickets(strings.Split(c.header, ","), rows)
			var got []string
			for _, x := range table.Tickets {
				got = append(got, x.Title+"/"+x.Status+"/"+x.Owner)
			}
			if !ok || !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
			if len(table.Problems) != len(c.said) {
				t.Fatalf("said %q", table.Problems)
			}
			for i, want := range c.said {
				if !strings.HasPrefix(table.Problems[i], want) {
					t.Errorf("said %q, want %q", table.Problems[i], want)
				}
			}
		})
	}
}
