package extract_test

import (
	"slices"
	"strings"
	"testing"

	"chela/internal/extract"
)

// TestAlignedTickets reads a board as a terminal shows it, with notes around it, and refuses texts that are none.
func TestAlignedTickets(t *testing.T) {
	t.Parallel()
	text := strings.Join([]string{
		"Good morning, here is the board as of today.",
		"",
		"KEY       STATUS        OWNER      PTS  SUMMARY",
		"--------  ------------  ---------  ---  -----------------------",
		"L-1       In Progress   Ann Lee      5  Login für Händler",
		"L-2       Done                       3  Audit log",
		"L-13      To Do         Bo              A title that is apart",
		"",
		"Action: Ann to call the bank by Friday.",
	}, "\n")
	header, rows, ok := extract.AlignedTickets(text)
	if !ok || strings.Join(header, "|") != "KEY|STATUS|OWNER|PTS|SUMMARY" {
		t.Fatalf("header %q, %v", header, ok)
	}
	table, ok := extract.Tickets(header, rows)
	if !ok {
		t.Fatal("they are no tickets")
	}
	var got []string
	for _, x := range table.Tickets {
		got = append(got, strings.Join([]string{x.Ref, x.Title, x.Status, x.Owner}, "|"))
		if line := strings.Split(text, "\n")[x.Span.Line-1]; !strings.HasPrefix(line, x.Ref) {
			t.Errorf("%s does not stand in %q", x.Ref, line)
		}
	}
	want := []string{"L-1|Login für Händler|IN_PROGRESS|Ann Lee", "L-2|Audit log|DONE|", "L-13|A title that is apart|TODO|Bo"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	around := extract.AroundAligned(text)
	if m := extract.ReadMinutes(around); len(m.Actions) != 1 || m.Actions[0].Span.Line != 9 || strings.Contains(around, "KEY") || !strings.Contains(around, "Good morning") {
		t.Errorf("around it is %q with %d actions", around, len(m.Actions))
	}
	for _, none := range []string{
		"", "KEY  STATUS  SUMMARY\nL-1  Done  One", // one row
		"Name  Role  Team\nAnn  QA  A\nBo  PM  B",             // no keys
		"We met  in the  hall\nL-1  was  late\nL-2  was  not", // the head names no columns of tickets
		"L-1  Done  One\nL-2  Done  Two\nL-3  Done  Three",    // no head
	} {
		if _, _, ok := extract.AlignedTickets(none); ok {
			t.Errorf("%q lists tickets", none)
		}
		if got := extract.AroundAligned(none); got != none {
			t.Errorf("%q became %q", none, got)
		}
	}
}

func FuzzAlignedTickets(f *testing.F) {
	f.Add("KEY  STATUS  SUMMARY\nL-1  Done  One\nL-2  Open  Two\tThree")
	f.Fuzz(func(t *testing.T, text string) {
		header, rows, ok := extract.AlignedTickets(text)
		if ok != (len(rows) > 0) {
			t.Fatalf("%d rows, %v", len(rows), ok)
		}
		for _, r := range rows {
			if len(r.Cells) != len(header) || r.Line < 1 || r.Line > strings.Count(text, "\n")+1 {
				t.Fatalf("row %+v of header %q", r, header)
			}
		}
		if around := extract.AroundAligned(text); strings.Count(around, "\n") != strings.Count(text, "\n") {
			t.Fatal("it has other lines")
		}
	})
}
