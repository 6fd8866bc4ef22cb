package document

import (
	"bytes"
	"fmt"

	"github.com/xuri/excelize/v2"

	"chela/internal/fault"
)

// maxUnzipped bounds what an xlsx file may unpack to.
const maxUnzipped = 512 << 20

func readXLSX(d Doc, raw []byte, lim Limits) (out Doc, err error) {
	d.Kind = XLSX
	defer func() {
		if r := recover(); r != nil { // a malformed file must not end the daemon
			out, err = d, fault.New(fault.Invalid, "%s cannot be read as xlsx: the file is damaged.", d.Name)
		}
	}()
	f, err := excelize.OpenReader(bytes.NewReader(raw), excelize.Options{UnzipSizeLimit: maxUnzipped, UnzipXMLSizeLimit: 64 << 20})
	if err != nil {
		return d, fault.Wrap(err, fault.Invalid, "%s cannot be read as xlsx: the file is damaged, protected by a password, or another kind of archive.", d.Name)
	}
	defer func() { _ = f.Close() }() // removes its temporary files
	left := lim.Rows
	for _, sheet := range f.GetSheetList() {
		rows, problem, err := sheetRows(f, sheet, left)
		if err != nil {
			d.Problems = append(d.Problems, Problem{"sheet " + sheet, "The sheet cannot be read and was left out."})
			continue
		}
		if problem != nil {
			d.Problems = append(d.Problems, *problem)
		}
		if len(rows) == 0 {
			continue
		}
		left -= len(rows)
		t, problems := table(sheet, rows, d.Name)
		d.Tables, d.Problems = append(d.Tables, t), append(d.Problems, problems...)
	}
	if len(d.Tables) == 0 {
		return d, fault.New(fault.Invalid, "%s holds no rows.", d.Name)
	}
	return d, nil
}

func sheetRows(f *excelize.File, sheet string, limit int) ([]Row, *Problem, error) {
	it, err := f.Rows(sheet)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = it.Close() }() // only a temporary file
	var rows []Row
	for line := 1; it.Next(); line++ {
		cells, err := it.Columns()
		if err != nil {
			return rows, &Problem{fmt.Sprintf("row %d", line), "The row cannot be read; what follows was left out."}, nil
		}
		if filled(cells) == 0 {
			continue
		}
		if len(rows) > limit {
			return rows, &Problem{fmt.Sprintf("row %d", line), fmt.Sprintf("There are more than %d rows; the rest was left out.", limit)}, nil
		}
		rows = append(rows, Row{Line: line, Cells: cells})
	}
	return rows, nil, it.Error()
}
