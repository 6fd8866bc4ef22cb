package document

import (
	"slices"
	"testing"
)

func TestHeader_IsFoundAsPeopleWriteIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		csv    string
		header []string
		rows   int
	}{
		"a title above": {"Our list,,\n,,\nID,Title,Owner\n1,One,Ann\n", []string{"ID", "Title", "Owner"}, 1},
		"what is said of the table above": {
			"Project:,Payments,,Owner:,Ann\nSprint:,7,,Date:,2026-03-05\n\nID,Title,Status,Owner,Points\nI-1,One,Open,Ann,3\nI-2,Two,Done,Joe,2\n",
			[]string{"ID", "Title", "Status", "Owner", "Points"},
			2,
		},
		"names with colons":       {"ID:,Title:,Owner:\n\n1,One,Ann\n2,Two,Joe\n", []string{"ID:", "Title:", "Owner:"}, 2},
		"a name over two columns": {"ID,Title,Dates,,Owner\n,,Start,Due,\n1,One,2026-03-01,2026-03-05,Ann\n", []string{"ID", "Title", "Start", "Due", "Owner"}, 1},
		"two names over two columns each": {
			"ID,Plan,,Actual,\n,Start,End,Start,End\n1,2026-03-01,2026-03-05,2026-03-02,2026-03-06\n",
			[]string{"ID", "Plan Start", "Plan End", "Actual Start", "Actual End"},
			1,
		},
		"a first row that lacks cells": {"ID,Title,Owner\n,One,Ann\n2,Two,Joe\n", []string{"ID", "Title", "Owner"}, 2},
		"a column without a name":      {"ID,Title,,Owner\n1,One,x,Ann\n2,Two,y,Joe\n", []string{"ID", "Title", "", "Owner"}, 2},
	} {
		d, err := Read("a.csv", []byte(c.csv), Limits{})
		if err != nil {
			t.Fatal(name, err)
		}
		if got := d.Tables[0]; !slices.Equal(got.Header, c.header) || len(got.Rows) != c.rows {
			t.Errorf("%s: the header is %q with %d rows below, not %q with %d", name, got.Header, len(got.Rows), c.header, c.rows)
		}
	}
}
