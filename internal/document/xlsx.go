package document

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/xuri/excelize/v2"

	"chela/internal/fault"
)

func readXLSX(d Doc, raw []byte, lim Limits) (out Doc, err error) {
	d.Kind = XLSX
	defer func() {
		if r := recover(); r != nil { // a malformed file must not end the daemon
			out, err = d, fault.New(fault.Invalid, "%s cannot be read as xlsx: the file is damaged. Export it again.", d.Name)
		}
	}()
	if err := checkZip(d.Name, raw); err != nil {
		return d, err
	}
	f, err := excelize.OpenReader(bytes.NewReader(raw), excelize.Options{UnzipSizeLimit: maxInflated, UnzipXMLSizeLimit: 64 << 20})
	if err != nil {
		return d, fault.Wrap(err, fault.Invalid, "%s cannot be read as xlsx: the file is damaged or was cut. Export it again.", d.Name)
	}
	defer func() { _ = f.Close() }() // removes its temporary files
	plainFormats(f)
	written := sheetXML(f)
	free, hidden := room{lim.Rows, maxCells}, false
	for _, sheet := range f.GetSheetList() {
		if shown, err := f.GetSheetVisible(sheet); err == nil && !shown {
			hidden = true
			d.Problems = append(d.Problems, hiddenSheet(d.Name, sheet))
			continue
		}
		rows, beyond, problem, err := sheetRows(f, sheet, &free)
		if err != nil {
			d.Problems = append(d.Problems, Problem{"sheet " + sheet, fmt.Sprintf("The sheet %s of %s cannot be read and was left out.", sheet, d.Name)})
			continue
		}
		if problem != nil {
			d.Problems = append(d.Problems, *problem)
		}
		if beyond > 0 {
			d.Problems = append(d.Problems, leftOut(d.Name+", sheet "+sheet+",", max(len(rows)-1, 0), beyond))
		}
		if len(rows) == 0 {
			continue
		}
		if n := unworked(written[sheet]); n > 0 {
			d.Problems = append(d.Problems, unworkedProblem(d.Name, sheet, n))
		}
		if p, found := withoutErrors(sheet, rows, d.Name); found {
			d.Problems = append(d.Problems, p)
		}
		t, problems := table(sheet, rows, d.Name, "row")
		fillMerged(written[sheet], t.Rows)
		d.Tables, d.Problems = append(d.Tables, t), append(d.Problems, problems...)
	}
	d.Tables = withUpdates(d.Tables)
	if len(d.Tables) == 0 {
		return d, noRows(d.Name, hidden)
	}
	return d, nil
}

// sheetRows returns the rows of a sheet that are not empty, and how many there are
// for which there is no room.
func sheetRows(f *excelize.File, sheet string, free *room) (rows []Row, beyond int, problem *Problem, err error) {
	it, err := f.Rows(sheet)
	if err != nil {
		return nil, 0, nil, err
	}
	defer func() { _ = it.Close() }() // only a temporary file
	free.header()
	for line := 1; it.Next(); line++ {
		if free.rows <= 0 {
			beyond++
			continue
		}
		cells, err := it.Columns()
		if err != nil {
			return rows, 0, &Problem{fmt.Sprintf("sheet %s, row %d", sheet, line), "The row cannot be read; what follows was left out."}, nil
		}
		row := Row{Line: line, Cells: cells[:min(len(cells), maxColumns+1)]} // one more tells that there were more
		for i, c := range row.Cells {
			row.Cells[i] = strings.TrimSuffix(c, midnight)
		}
		if filled(row.Cells) == 0 {
			continue
		}
		if !free.keep(row) {
			beyond++
			continue
		}
		rows = append(rows, row)
	}
	return rows, beyond, nil, it.Error()
}
