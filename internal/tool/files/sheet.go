package files

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"chela/internal/disk"
	"chela/internal/document"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/tool"
)

// sheetIn are the parameters of excel.
type sheetIn struct {
	Operation string   `json:"operation" enum:"read,write,list_sheets"`
	FilePath  string   `json:"file_path" doc:"an .xlsx, or for reading also an .xls"`
	SheetName string   `json:"sheet_name,omitempty" doc:"the first sheet when left out"`
	Range     string   `json:"range,omitempty" doc:"such as A1:D20; for write its first cell is where data begins"`
	MaxRows   int      `json:"max_rows,omitempty" doc:"for read; 500 when left out, at most 5,000"`
	Data      [][]cell `json:"data,omitempty" doc:"for write: rows of cells; what reads as a number is written as one"`
}

var _ event.Scalar = (*cell)(nil)

// A cell is a text, or a number or truth value as a model writes it.
type cell string

// Scalar implements [event.Scalar].
func (*cell) Scalar() {}

// UnmarshalJSON implements [json.Unmarshaler].
func (c *cell) UnmarshalJSON(raw []byte) error {
	var text string
	switch {
	case string(raw) == "null":
	case raw[0] == '"':
		if err := json.Unmarshal(raw, &text); err != nil {
			return err
		}
	case raw[0] == '{' || raw[0] == '[':
		return fault.New(fault.Invalid, "A cell is a text or a number.")
	default:
		text = string(raw)
	}
	*c = cell(text)
	return nil
}

// Act implements [tool.Actor]: only writing writes.
func (in sheetIn) Act(f disk.Folders) tool.Act {
	path := f.Resolve(in.FilePath)
	act := tool.Act{Risk: tool.ReadOnly, Paths: []disk.Use{{Path: path}}, Shown: fmt.Sprintf("%s %s %s %s", in.Operation, path, in.SheetName, in.Range)}
	if in.Operation == "write" {
		act.Risk, act.Paths[0].Write = tool.WriteFiles, true
		act.Shown = fmt.Sprintf("Write %d rows to %s, sheet %q, from %q on", len(in.Data), path, in.SheetName, in.start())
	}
	return act
}

func (in sheetIn) start() string {
	first, _, _ := strings.Cut(in.Range, ":")
	if first == "" {
		return "A1"
	}
	return strings.ToUpper(strings.ReplaceAll(first, "$", ""))
}

// Preview implements [tool.Previewer]: the rows before and after, as lines of cells.
func (in sheetIn) Preview(_ context.Context, c tool.Call) (string, error) {
	if in.Operation != "write" {
		return "", nil
	}
	w, err := in.open(c.Folders)
	if err != nil {
		return "", err
	}
	defer w.close()
	before := w.text(w.sheet)
	if err := w.put(in); err != nil {
		return "", err
	}
	w.old, w.next = before, w.text(w.sheet)
	return w.diff(), nil
}

// A workbook is an .xlsx that is about to change.
type workbook struct {
	change
	*excelize.File
	sheet string
}

// open reads the workbook, or makes one when there is none.
func (in sheetIn) open(f disk.Folders) (*workbook, error) {
	if !strings.EqualFold(filepath.Ext(in.FilePath), ".xlsx") {
		return nil, fault.BadField("file_path", "Only .xlsx files are written.")
	}
	c, err := before(f, in.FilePath)
	if err != nil {
		return nil, err
	}
	w := &workbook{change: c, sheet: in.SheetName}
	if c.fresh {
		w.File = excelize.NewFile()
		if in.SheetName != "" {
			err = w.SetSheetName("Sheet1", in.SheetName)
		}
	} else {
		w.File, err = excelize.OpenReader(strings.NewReader(c.old), excelize.Options{UnzipSizeLimit: document.MaxBytes, UnzipXMLSizeLimit: document.MaxBytes})
	}
	if err != nil {
		c.close()
		return nil, fault.Wrap(err, fault.Invalid, "%s cannot be opened as a workbook: %s.", c.path, err)
	}
	if w.sheet == "" {
		w.sheet = w.GetSheetName(0)
	}
	return w, nil
}

// put writes the data into the sheet, which is added when it is not there.
func (w *workbook) put(in sheetIn) error {
	if len(in.Data) == 0 {
		return fault.BadField("data", "There is nothing to write.")
	}
	if !slices.Contains(w.GetSheetList(), w.sheet) {
		if _, err := w.NewSheet(w.sheet); err != nil {
			return fault.BadField("sheet_name", err.Error()+".")
		}
	}
	column, row, err := excelize.CellNameToCoordinates(in.start())
	if err != nil {
		return fault.BadField("range", fmt.Sprintf("%q is no cell; write for example B2 or A1:D20.", in.Range))
	}
	for i, cells := range in.Data {
		for j, text := range cells {
			at, err := excelize.CoordinatesToCellName(column+j, row+i)
			if err != nil {
				return fault.BadField("data", "It does not fit on a sheet.")
			}
			if err := w.SetCellValue(w.sheet, at, text.value()); err != nil {
				return fault.BadField("data", at+": "+err.Error()+".")
			}
		}
	}
	return nil
}

// value is a number when the text is one as people write it; a text stays a text, also one
// that looks like a formula.
func (c cell) value() any {
	text := string(c)
	if n, err := strconv.ParseFloat(text, 64); err == nil && strconv.FormatFloat(n, 'f', -1, 64) == text && len(text) < 15 {
		return n
	}
	return text
}

func (w *workbook) text(sheet string) string {
	rows, err := w.GetRows(sheet)
	if err != nil {
		return "" // it is not there yet
	}
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(strings.Join(r, "\t") + "\n")
	}
	return b.String()
}

type sheetOut struct {
	File     string      `json:"file"`
	Sheet    string      `json:"sheet,omitempty"`
	RowCount int         `json:"rowCount,omitempty"` // of the sheet, or of what was written
	Data     [][]string  `json:"data,omitempty"`
	Sheets   []sheetName `json:"sheets,omitempty"`
	Note     string      `json:"note,omitempty"`
}

type sheetName struct {
	Name     string `json:"name"`
	RowCount int    `json:"rowCount"`
	Index    int    `json:"index"`
}

func excel(_ context.Context, c tool.Call, in sheetIn) (sheetOut, error) {
	if in.Operation == "write" {
		return in.write(c)
	}
	path, raw, err := Read(c.Folders, in.FilePath)
	if err != nil {
		return sheetOut{}, err
	}
	doc, err := document.Read(filepath.Base(path), raw, document.Limits{})
	if err != nil {
		return sheetOut{}, err
	}
	out := sheetOut{File: path}
	for i, t := range doc.Tables {
		out.Sheets = append(out.Sheets, sheetName{t.Sheet, len(t.Rows) + 1, i})
	}
	if in.Operation == "list_sheets" {
		return out, nil
	}
	return in.read(doc, out)
}

func (in sheetIn) read(doc document.Doc, out sheetOut) (sheetOut, error) {
	most := 500
	if in.MaxRows != 0 {
		most = in.MaxRows
	}
	if most < 1 || most > 5000 {
		return out, fault.BadField("max_rows", "It is between 1 and 5,000.")
	}
	i := 0
	if in.SheetName != "" {
		i = slices.IndexFunc(doc.Tables, func(t document.Table) bool { return strings.EqualFold(t.Sheet, in.SheetName) })
	}
	if i < 0 || i >= len(doc.Tables) {
		var names []string
		for _, s := range out.Sheets {
			names = append(names, s.Name)
		}
		return out, fault.BadField("sheet_name", "There is no such sheet.", names...)
	}
	t := doc.Tables[i]
	out.Sheet, out.Sheets, out.RowCount = t.Sheet, nil, len(t.Rows)+1
	rows := [][]string{t.Header}
	for _, r := range t.Rows {
		rows = append(rows, r.Cells)
	}
	rows, err := in.cut(rows)
	if len(rows) > most {
		rows, out.Note = rows[:most], fmt.Sprintf("These are the first %d of %d rows; name a range or max_rows for more.", most, len(rows))
	}
	out.Data = rows
	return out, err
}

// cut returns the cells of the range.
func (in sheetIn) cut(rows [][]string) ([][]string, error) {
	if in.Range == "" {
		return rows, nil
	}
	first, last, pair := strings.Cut(strings.ToUpper(strings.ReplaceAll(in.Range, "$", "")), ":")
	if !pair {
		last = first
	}
	left, top, err := excelize.CellNameToCoordinates(first)
	right, bottom, err2 := excelize.CellNameToCoordinates(last)
	if err != nil || err2 != nil || right < left || bottom < top {
		return nil, fault.BadField("range", fmt.Sprintf("%q is no range; write for example A1:D20.", in.Range))
	}
	out := [][]string{}
	for _, r := range rows[min(top-1, len(rows)):min(bottom, len(rows))] {
		out = append(out, r[min(left-1, len(r)):min(right, len(r))])
	}
	return out, nil
}

func (in sheetIn) write(c tool.Call) (sheetOut, error) {
	w, err := in.open(c.Folders)
	if err != nil {
		return sheetOut{}, err
	}
	defer w.close()
	if err := w.put(in); err != nil {
		return sheetOut{}, err
	}
	var b bytes.Buffer
	if err := w.Write(&b); err != nil {
		return sheetOut{}, fmt.Errorf("write a workbook: %w", err)
	}
	w.next = b.String()
	return sheetOut{File: w.path, Sheet: w.sheet, RowCount: len(in.Data)}, w.write(c.Changes)
}
