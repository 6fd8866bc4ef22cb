package document

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/xuri/excelize/v2"

	"chela/internal/fault"
	"chela/internal/pattern"
)

// What a cell holds counts, and not how its format shows it: a format may hide the year of a day, put the month first,
// or round a number.

// wholeDay is the number format that every day is read with, and midnight is what it adds to a day without a time.
const (
	wholeDay = `yyyy-mm-dd"T"hh:mm:ss`
	midnight = "T00:00:00"
)

var (
	// unrounded are the built-in formats of plain numbers.
	unrounded = []int{1, 2, 3, 4, 37, 38, 39, 40}
	// plainNumber is a format of our own making of a plain number: "#,##0.00".
	plainNumber = pattern.New(`^[#0?,. ]*0[#0?,. ]*$`)
)

// plainFormats lets the styles of a workbook show days as ISO dates, and plain numbers with all their digits. Shares
// and amounts of money stay as they are shown.
func plainFormats(f *excelize.File) {
	if f.Styles == nil || f.Styles.CellXfs == nil {
		return
	}
	own := make(map[int]string)
	if f.Styles.NumFmts != nil {
		for _, n := range f.Styles.NumFmts.NumFmt {
			own[n.NumFmtID] = n.FormatCode
		}
	}
	day, general := -1, 0
	xfs := f.Styles.CellXfs.Xf
	for i := range xfs {
		if xfs[i].NumFmtID == nil {
			continue
		}
		id := *xfs[i].NumFmtID
		code, written := own[id]
		switch {
		case showsDay(id, code, written):
			if day < 0 {
				day = dayFormat(f)
				xfs = f.Styles.CellXfs.Xf
			}
			if day >= 0 {
				xfs[i].NumFmtID = &day
			}
		case !written && slices.Contains(unrounded, id), written && plainNumber.MatchString(code):
			xfs[i].NumFmtID = &general
		}
	}
}

// dayFormat adds the number format of days to a workbook; it returns a negative number when there is no room for one.
func dayFormat(f *excelize.File) int {
	code := wholeDay
	style, err := f.NewStyle(&excelize.Style{CustomNumFmt: &code})
	if err != nil || style >= len(f.Styles.CellXfs.Xf) || f.Styles.CellXfs.Xf[style].NumFmtID == nil {
		return -1
	}
	return *f.Styles.CellXfs.Xf[style].NumFmtID
}

// showsDay reports a number format that shows a day, and not only a time.
func showsDay(id int, code string, written bool) bool {
	if !written {
		return id >= 14 && id <= 17 || id == 22 || id >= 27 && id <= 31 || id == 36 || id >= 50 && id <= 54 || id == 57 || id == 58
	}
	s := signs(code)
	return s != "general" && (strings.ContainsAny(s, "yd") || strings.Contains(s, "mmm"))
}

// emptyFormula is a cell with a formula that no program has computed; mergedCell names the corners of cells that are one.
var (
	emptyFormula = pattern.New(`<c( [^>]*)?><f[^>]*(?:/>|>[^<]*</f>)(<v></v>|<v ?/>)?</c>`)
	mergedCell   = pattern.New(`<mergeCell [^>]*?ref="([A-Z]+\d+):([A-Z]+\d+)"`)
)

// maxMerged bounds the merged cells of a sheet that are looked at.
const maxMerged = 100_000

// sheetXML returns the sheets of a workbook as they are written, by name. One that is too large to be held is not among them.
func sheetXML(f *excelize.File) map[string][]byte {
	out := make(map[string][]byte)
	content, _ := f.Pkg.Load("xl/_rels/workbook.xml.rels")
	raw, _ := content.([]byte) // without them no sheet is found
	var links struct {
		Relationship []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		}
	}
	if f.WorkBook == nil || xml.Unmarshal(raw, &links) != nil {
		return out
	}
	for _, s := range f.WorkBook.Sheets.Sheet {
		for _, l := range links.Relationship {
			if l.ID != s.ID {
				continue
			}
			at := path.Join("xl", l.Target)
			if strings.HasPrefix(l.Target, "/") {
				at = l.Target[1:]
			}
			content, _ := f.Pkg.Load(at)
			out[s.Name], _ = content.([]byte)
		}
	}
	return out
}

// unworked counts the formulas that no program has computed.
func unworked(sheet []byte) (n int) {
	if !bytes.Contains(sheet, []byte("<f")) {
		return 0
	}
	for _, m := range emptyFormula.FindAllSubmatch(sheet, -1) {
		if len(m[2]) == 0 || !bytes.Contains(m[1], []byte(`t="str"`)) { // an empty text is a value
			n++
		}
	}
	return n
}

func unworkedProblem(name, sheet string, n int) Problem {
	return Problem{"sheet " + sheet, fmt.Sprintf("%s, sheet %s, has formulas without values (%d): the program that wrote it did not compute them, so these cells are empty. Open it in a spreadsheet program, save it, and hand it in again.", name, sheet, n)}
}

// fillMerged gives the rows that share a merged cell its value, which stands in the first of them alone. Rows above the
// first, such as the header, give nothing.
func fillMerged(raw []byte, rows []Row) {
	_, behind, _ := bytes.Cut(raw, []byte("</sheetData>"))
	free := maxCells
	for _, m := range mergedCell.FindAllSubmatch(behind, maxMerged) {
		column, first, err := excelize.CellNameToCoordinates(string(m[1]))
		_, last, endErr := excelize.CellNameToCoordinates(string(m[2]))
		if err != nil || endErr != nil {
			continue
		}
		at, found := slices.BinarySearchFunc(rows, first, func(r Row, line int) int { return r.Line - line })
		if !found || column > len(rows[at].Cells) {
			continue
		}
		value := rows[at].Cells[column-1]
		for i := at + 1; i < len(rows) && rows[i].Line <= last && free > 0; i++ {
			if column <= len(rows[i].Cells) && rows[i].Cells[column-1] == "" {
				rows[i].Cells[column-1] = value
			}
			free--
		}
	}
}

// formulaErrors are what a cell shows whose formula has no value.
var formulaErrors = []string{"#N/A", "#REF!", "#NAME?", "#DIV/0!", "#VALUE!", "#NUM!", "#NULL!", "#SPILL!", "#CALC!"}

// withoutErrors empties the cells whose formulas have no value.
func withoutErrors(sheet string, rows []Row, name string) (p Problem, found bool) {
	n, first := 0, ""
	for _, r := range rows {
		for i, c := range r.Cells {
			if !strings.HasPrefix(c, "#") || !slices.Contains(formulaErrors, c) {
				continue
			}
			if n++; n == 1 {
				p.Where, first = fmt.Sprintf("sheet %s, row %d", sheet, r.Line), c
			}
			r.Cells[i] = ""
		}
	}
	if n > 0 {
		p.Text = fmt.Sprintf("%s, sheet %s, has cells whose formulas failed (%d), the first with %s in row %s; they were read as empty.", name, sheet, n, first, p.Where[strings.LastIndexByte(p.Where, ' ')+1:])
	}
	return p, n > 0
}

func hiddenSheet(name, sheet string) Problem {
	return Problem{"sheet " + sheet, fmt.Sprintf("The sheet %s of %s is hidden and was left out. Show it in the spreadsheet program and save the file to have it read.", sheet, name)}
}

// noRows says that a workbook has nothing to read.
func noRows(name string, hidden bool) error {
	if hidden {
		return fault.New(fault.Invalid, "%s holds no rows but in hidden sheets. Show the sheet in the spreadsheet program and save the file to have it read.", name)
	}
	return fault.New(fault.Invalid, "%s holds no rows.", name)
}
