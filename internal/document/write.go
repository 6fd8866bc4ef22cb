package document

import (
	"fmt"
	"io"

	"github.com/xuri/excelize/v2"
)

// WriteXLSX writes tables as the sheets of a workbook. Every cell is a text: what looks
// like a formula stays one and is not run.
func WriteXLSX(w io.Writer, sheets []Table) error {
	f := excelize.NewFile()
	defer func() { _ = f.Close() }() // in memory
	for i, t := range sheets {
		if i == 0 {
			if err := f.SetSheetName("Sheet1", t.Sheet); err != nil {
				return fmt.Errorf("name the sheet %s: %w", t.Sheet, err)
			}
		} else if _, err := f.NewSheet(t.Sheet); err != nil {
			return fmt.Errorf("add the sheet %s: %w", t.Sheet, err)
		}
		if err := writeSheet(f, t); err != nil {
			return fmt.Errorf("write the sheet %s: %w", t.Sheet, err)
		}
	}
	return f.Write(w)
}

func writeSheet(f *excelize.File, t Table) error {
	s, err := f.NewStreamWriter(t.Sheet)
	if err != nil {
		return err
	}
	rows := append([]Row{{Cells: t.Header}}, t.Rows...)
	for i, r := range rows {
		cells := make([]any, len(r.Cells))
		for j, c := range r.Cells {
			cells[j] = cellText(c)
		}
		if err := s.SetRow(fmt.Sprintf("A%d", i+1), cells); err != nil {
			return err
		}
	}
	return s.Flush()
}

// cellText cuts a text to what a cell of a workbook holds, 32,767 characters.
func cellText(s string) string {
	if r := []rune(s); len(r) > excelize.TotalCellChars {
		return string(r[:excelize.TotalCellChars-1]) + "…"
	}
	return s
}
