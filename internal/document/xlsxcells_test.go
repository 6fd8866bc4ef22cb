package document

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
)

// bookOf is a workbook whose first sheet has some rows, as change leaves it.
func bookOf(t *testing.T, rows [][]any, change func(f *excelize.File) error) []byte {
	t.Helper()
	f := excelize.NewFile()
	for i, row := range rows {
		for j, v := range row {
			at, err := excelize.CoordinatesToCellName(j+1, i+1)
			if err == nil && v != nil {
				err = f.SetCellValue("Sheet1", at, v)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := change(f); err != nil {
		t.Fatal(err)
	}
	b, err := f.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestXLSX_ReadsWhatACellHoldsAndNotHowItIsShown(t *testing.T) {
	t.Parallel()
	day, instant := time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC), time.Date(2026, 3, 5, 9, 30, 0, 0, time.UTC)
	for _, c := range []struct {
		value  any
		id     int
		format string
		want   string
	}{
		{day, 14, "", "2026-03-05"},
		{day, 16, "", "2026-03-05"},
		{day, 17, "", "2026-03-05"},
		{instant, 22, "", "2026-03-05T09:30:00"},
		{day, 0, "dd/mm/yyyy", "2026-03-05"},
		{day, 0, `dd\.mm\.yy;@`, "2026-03-05"},
		{day, 0, `[$-407]d\.\ mmmm\ yyyy`, "2026-03-05"},
		{"5-Mar", 16, "", "5-Mar"},
		{1200.5, 1, "", "1200.5"},
		{1200.5, 3, "", "1200.5"},
		{0.5, 0, "#,##0", "0.5"},
		{0.5, 9, "", "50%"},
		{0.1 + 0.2, 1, "", "0.3"},
	} {
		raw := bookOf(t, [][]any{{"ID", "It"}, {"A-1", c.value}}, func(f *excelize.File) error {
			style := &excelize.Style{NumFmt: c.id}
			if c.format != "" {
				style.CustomNumFmt = &c.format
			}
			id, err := f.NewStyle(style)
			if err != nil {
				return err
			}
			return f.SetCellStyle("Sheet1", "B2", "B2", id)
		})
		d, err := Read("a.xlsx", raw, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Tables[0].Rows[0].Cells[1]; got != c.want {
			t.Errorf("%v in the format %d %q is read as %q, not %q", c.value, c.id, c.format, got, c.want)
		}
	}
}

func TestXLSX_RowsOfAMergedCellShareItsValue(t *testing.T) {
	t.Parallel()
	raw := bookOf(t, [][]any{{"Our list"}, {"ID", "Epic", "Title"}, {"A-1", "Cards", "One"}, {"A-2", nil, "Two"}, {"A-3", nil, "Three"}, {"A-4", nil, "Four"}}, func(f *excelize.File) error {
		if err := f.MergeCell("Sheet1", "A1", "C1"); err != nil {
			return err
		}
		return f.MergeCell("Sheet1", "B3", "B5")
	})
	d, err := Read("a.xlsx", raw, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var epics []string
	for _, r := range d.Tables[0].Rows {
		epics = append(epics, r.Cells[1])
	}
	if want := []string{"Cards", "Cards", "Cards", ""}; !slices.Equal(epics, want) {
		t.Errorf("the epics are %q, not %q", epics, want)
	}
}

func TestXLSX_SaysWhichCellsHaveNoValue(t *testing.T) {
	t.Parallel()
	raw := bookOf(t, [][]any{{"ID", "Title", "Owner"}, {"A-1", "#N/A", "#NAME?"}, {"A-2", nil, "#3"}}, func(f *excelize.File) error {
		return f.SetCellFormula("Sheet1", "B3", `A2&"x"`)
	})
	d, err := Read("a.xlsx", raw, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := d.Tables[0].Rows[0].Cells, []string{"A-1", "", ""}; !slices.Equal(got, want) {
		t.Errorf("the row is %q, not %q", got, want)
	}
	if got := d.Tables[0].Rows[1].Cells[2]; got != "#3" {
		t.Errorf("a text with a hash is read as %q", got)
	}
	told := ""
	for _, p := range d.Problems {
		told += p.String() + "\n"
	}
	for _, want := range []string{"formulas failed (2), the first with #N/A in row 2", "formulas without values (1)"} {
		if !strings.Contains(told, want) {
			t.Errorf("nothing says %q: %s", want, told)
		}
	}
}

func TestXLSX_LeavesHiddenSheetsOutAndSaysSo(t *testing.T) {
	t.Parallel()
	raw := bookOf(t, [][]any{{"Status", "Name"}, {"Open", "Ann"}}, func(f *excelize.File) error {
		if _, err := f.NewSheet("Work"); err != nil {
			return err
		}
		if err := f.SetSheetRow("Work", "A1", &[]any{"ID", "Title"}); err != nil {
			return err
		}
		if err := f.SetSheetRow("Work", "A2", &[]any{"A-1", "One"}); err != nil {
			return err
		}
		f.SetActiveSheet(1)
		return f.SetSheetVisible("Sheet1", false)
	})
	d, err := Read("a.xlsx", raw, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Tables) != 1 || d.Tables[0].Sheet != "Work" {
		t.Errorf("the tables are %v", d.Tables)
	}
	if len(d.Problems) != 1 || !strings.Contains(d.Problems[0].Text, "The sheet Sheet1 of a.xlsx is hidden") {
		t.Errorf("the problems are %v", d.Problems)
	}
}

func TestCSV_SaysHowMuchAnOpenQuoteTakes(t *testing.T) {
	t.Parallel()
	d, err := Read("a.csv", []byte("ID,Title\nA-1,One\nA-2,\"Two\nA-3,Three\nA-4,Four\n"), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Problems) != 1 || !strings.Contains(d.Problems[0].Text, "row at line 3: what stands from there to the end, line 5, was left out") {
		t.Errorf("the problems are %v", d.Problems)
	}
}
