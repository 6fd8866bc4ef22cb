package document_test

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"chela/internal/document"
	"chela/internal/fault"
)

// refused checks that a document is refused with one sentence that names it and has
// the words.
func refused(t *testing.T, name string, raw []byte, kind fault.Kind, words string) {
	t.Helper()
	d, err := document.Read(name, raw, document.Limits{})
	if err == nil {
		t.Errorf("%s was read: %d tables, text %.80q, problems %v", name, len(d.Tables), d.Text, d.Problems)
		return
	}
	if text := fault.TextOf(err); fault.KindOf(err) != kind || !strings.Contains(text, name) || !strings.Contains(text, words) {
		t.Errorf("%s: kind %v, %s", name, fault.KindOf(err), text)
	}
}

// kept checks that a damaged document gives rows or text, and one problem with the words.
func kept(t *testing.T, name string, raw []byte, rows int, text, words string) {
	t.Helper()
	d, err := document.Read(name, raw, document.Limits{})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	got := 0
	for _, tab := range d.Tables {
		got += len(tab.Rows)
	}
	if got != rows || !strings.Contains(d.Text, text) {
		t.Errorf("%s: %d rows, text %.80q", name, got, d.Text)
	}
	if len(d.Problems) != 1 || !strings.Contains(d.Problems[0].Text, words) || !strings.Contains(d.Problems[0].Text, name) {
		t.Errorf("%s: problems %v", name, d.Problems)
	}
}

func TestBad_WhatIsCutIsKeptOrRefused(t *testing.T) {
	t.Parallel()
	half := func(raw []byte) []byte { return raw[:len(raw)/2] }
	sheet := xlsxOf([]any{"Key", "Summary"}, []any{"A-1", "x"})
	refused(t, "cut.xlsx", half(sheet), fault.Invalid, "damaged or was cut")
	refused(t, "cut.docx", half(docxOf("<w:p><w:r><w:t>x</w:t></w:r></w:p>")), fault.Invalid, "damaged or was cut")
	refused(t, "cut.zip", half(zipOf(packed{"a.csv", []byte("a,b\n1,2\n")})), fault.Invalid, "damaged or was cut")
	refused(t, "cut.xls", oleOf(packed{"Workbook", issues()})[:700], fault.Invalid, "damaged or was cut")
	refused(t, "cut.png", []byte("\x89PN"), fault.Invalid, "is not a png file")
	refused(t, "cut.pdf", []byte("%PDF-1.4\n1 0 obj\n<< /Type /Cat"), fault.Invalid, "damaged or was cut")
	refused(t, "cut.xml", []byte("<rss><chan"), fault.Invalid, "line 1")
	refused(t, "cut.json", []byte(`{"issues":[{"key":`), fault.Invalid, "it ends too early")
	refused(t, "cut.eml", []byte("Received"), fault.Invalid, "is not a mail")

	kept(t, "half.json", []byte(`[{"key":"B-1","summary":"x"},{"key":`), 1, "", "breaks off after 1 records: it ends too early, at byte")
	kept(t, "odd.json", []byte(`{"issues":[{"key":"B-1"},{"key":"B-2"},{key}]}`), 2, "", "behind byte 40")
	kept(t, "half.xml", []byte(jiraRSS[:len(jiraRSS)-60]), 1, "", "breaks off after 1 records")
	kept(t, "half.html", []byte("<p>Hello</p><table><tr><td>Key</td><td>Summary</td></tr><tr><td>A-1</td><td>x"), 1, "Hello", "ends inside a table")
	kept(t, "half.docx", docxOf("<w:p><w:r><w:t>Good</w:t></w:r></w:p><w:p><w:r><w:t"), 0, "Good", "breaks off")
	kept(t, "half.csv", []byte("Key,Summary\nA-1,x\nA-2,\"never"), 1, "", "line 3")
	mail := mailOf(packed{"a.txt", []byte("hello")})
	kept(t, "half.eml", mail[:bytes.Index(mail, []byte("--IN--"))], 0, "façade", "")
	whole := pdfOf(true, "BT /F1 12 Tf 72 720 Td (First page) Tj ET", "BT /F1 12 Tf 72 720 Td (Second page) Tj ET")
	kept(t, "half.pdf", whole[:bytes.Index(whole, []byte("xref\n"))-20], 0, "First page", "damaged or was cut")
	book := issues()
	kept(t, "half.xls", oleOf(packed{"Workbook", book[:len(book)-40]}), 2, "", "Issues")
}

func TestBad_WhatIsProtectedIsRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"locked.xlsx", "locked.docx"} {
		refused(t, name, oleOf(packed{"EncryptionInfo", []byte("x")}, packed{"EncryptedPackage", []byte("x")}), fault.Invalid, "protected by a password")
	}
	locked := workbook()
	at := bytes.Index(locked, rec(0x41e, uint16(170))[:2])
	locked = append(bytes.Clone(locked[:at]), append(rec(0x2f, uint16(1)), locked[at:]...)...)
	refused(t, "locked.xls", oleOf(packed{"Workbook", locked}), fault.Invalid, "protected by a password")
	refused(t, "locked.pdf", pdfWith("/Encrypt << /Filter /Standard >>", "<< /Type /Catalog >>"), fault.Invalid, "protected by a password")

	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateRaw(&zip.FileHeader{Name: "secret.csv", Method: zip.Store, Flags: 1, CompressedSize64: 3, UncompressedSize64: 3})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write([]byte("xyz"))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	refused(t, "locked.zip", b.Bytes(), fault.Invalid, "protected by a password")
}

func TestBad_WhatIsOfAnotherFormatIsRefused(t *testing.T) {
	t.Parallel()
	refused(t, "a.doc", oleOf(packed{"WordDocument", []byte("x")}), fault.Invalid, "docx")
	refused(t, "a.msg", oleOf(packed{"__properties_version1.0", []byte("x")}), fault.Invalid, "eml")
	refused(t, "a.xls", oleOf(packed{"Book", []byte("x")}), fault.Invalid, "Excel 97")
	refused(t, "b.xls", []byte("just words\nand words\n"), fault.Invalid, "not an xls file")
	refused(t, "a.pptx", zipOf(packed{"[Content_Types].xml", []byte("x")}, packed{"ppt/slide1.xml", []byte("x")}), fault.Invalid, "does not read")
	refused(t, "b.xml", []byte(`<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"/>`), fault.Invalid, "Excel 2003")
	refused(t, "photo.csv", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00"), fault.Invalid, "is a picture")
	refused(t, "text.pdf", []byte("hello"), fault.Invalid, "not a pdf file")
	refused(t, "text.docx", []byte("hello"), fault.Invalid, "not a docx file")
	refused(t, "empty.zip", zipOf(), fault.Invalid, "holds no files")
	refused(t, "none.html", []byte("<html><script>x</script></html>"), fault.Invalid, "holds no text")
	refused(t, "none.docx", docxOf(""), fault.Invalid, "holds no text")
	refused(t, "none.pdf", pdfOf(false, "0 0 10 10 re f"), fault.Invalid, "may be pictures")
	binary := append([]byte{0, 1, 2, 3, 0xff}, make([]byte, 400)...)
	for _, ext := range []string{"csv", "tsv", "md", "txt", "json", "xml", "html", "xls", "xlsx", "docx", "pdf", "png"} {
		refused(t, "binary."+ext, binary, fault.Invalid, "")
	}
	refused(t, "binary.eml", binary, fault.Invalid, "not a mail")
}

func TestBad_NULBytesAreLeftOut(t *testing.T) {
	t.Parallel()
	kept(t, "nul.html", []byte("<p>one\x00two</p>"), 0, "one", "NUL")
	kept(t, "nul.md", []byte("one\x00two"), 0, "onetwo", "byte 3")
	kept(t, "nul.json", []byte("[{\"a\":1},{\"a\":\"\x00\"}]"), 1, "", "behind byte 14")
	kept(t, "nul.xml", []byte("<l><i a='1'/><i a='2'/><i a='\x00'/></l>"), 2, "", "line 1")
	kept(t, "nul.eml", []byte(plainMail+"\r\none\x00two"), 0, "onetwo", "NUL")
}

func TestBad_BombsAreRefused(t *testing.T) {
	t.Parallel()
	zeros := make([]byte, 40<<20)
	refused(t, "bomb.zip", zipOf(packed{"a.csv", zeros}), fault.Invalid, "made to do harm")
	refused(t, "bomb.xlsx", zipOf(packed{"[Content_Types].xml", []byte("x")}, packed{"xl/workbook.xml", zeros}), fault.TooLarge, "made to do harm")
	refused(t, "bomb.docx", zipOf(packed{"[Content_Types].xml", []byte("x")}, packed{"word/document.xml", zeros}), fault.TooLarge, "made to do harm")

	// A member that says that it is small is stopped when it is not.
	liar := zipOf(packed{"a.csv", zeros})
	at := bytes.Index(liar, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(liar[at+24:], 10)
	refused(t, "liar.zip", liar, fault.Invalid, "damaged")

	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write(zeros)
	_ = z.Close()
	refused(t, "bomb.pdf", pdfWith("", "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", "<< /Type /Page /Contents 4 0 R >>",
		"<< /Filter /FlateDecode /Length "+strconv.Itoa(b.Len())+" >>\nstream\n"+b.String()+"\nendstream"), fault.Invalid, "no text")
	round := "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 9999999 /Parent 2 0 R >>"
	refused(t, "round.pdf", pdfWith("", "<< /Type /Catalog /Pages 2 0 R >>", round), fault.Invalid, "damaged")

	entities := `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><x><i>&b;</i><i>&b;</i></x>`
	refused(t, "entities.xml", []byte(entities), fault.Invalid, "refuses")
	refused(t, "outside.xml", []byte(`<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>`), fault.Invalid, "refuses")
	refused(t, "unknown.xml", []byte(`<x><i>&a;</i></x>`), fault.Invalid, "line 1")
	refused(t, "entities.docx", zipOf(packed{"[Content_Types].xml", []byte("x")}, packed{"word/document.xml", []byte(entities)}), fault.Invalid, "refuses")
	refused(t, "large.csv", make([]byte, 200<<20), fault.TooLarge, "the limit is 67108864")
}

func TestBad_DeepNestingIsBounded(t *testing.T) {
	t.Parallel()
	const deep = 300_000
	refused(t, "deep.json", []byte(strings.Repeat("[", deep)), fault.Invalid, "200 deep")
	kept(t, "deeper.json", []byte(`[{"a":1},{"a":`+strings.Repeat(`{"a":`, deep)), 1, "", "200 deep")
	refused(t, "deep.xml", []byte(strings.Repeat("<a>", deep)), fault.Invalid, "200 deep")
	kept(t, "deeper.xml", []byte("<l><i a='1'/><i a='2'/><i>"+strings.Repeat("<a>", deep)), 2, "", "200 deep")
	refused(t, "deep.docx", docxOf(strings.Repeat("<w:tbl><w:tr><w:tc>", deep)), fault.Invalid, "damaged")
	for _, tag := range []string{"<div>", "<ul><li>", "<table><tr><td>", "<b>", "<a href=http://x>"} {
		d := read(t, "deep.html", []byte(strings.Repeat(tag, 20_000)+"words"))
		if !strings.Contains(d.Text, "words") {
			t.Errorf("%s: the text is lost: %.80q", tag, d.Text)
		}
	}
	refused(t, "deep.pdf", []byte("%PDF-1.4\n1 0 obj\n"+strings.Repeat("[", deep)+"endobj\n2 0 obj\n<< /Type /Catalog /Pages 1 0 R >>\nendobj\n%%EOF"), fault.Invalid, "damaged")
	var parts strings.Builder
	for i := range 50 {
		fmt.Fprintf(&parts, "Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n", i, i)
	}
	kept(t, "deep.eml", []byte(plainMail+parts.String()+"\r\nx"), 0, "Subject", "more than 10 deep")
}

func TestBad_RowsBeyondTheLimitAreCounted(t *testing.T) {
	t.Parallel()
	const rows, limit = 200_000, 1000
	var csv, json, xml, html bytes.Buffer
	csv.WriteString("Key,Summary\n")
	json.WriteString("[")
	xml.WriteString("<l>")
	html.WriteString("<table><tr><th>Key</th><th>Summary</th></tr>")
	csv.WriteString(strings.Repeat("A-1,x\n", 1_000_000))
	for i := range rows {
		if i > 0 {
			json.WriteString(",")
		}
		json.WriteString(`{"k":"A-1"}`)
		xml.WriteString("<i k='A-1'/>")
		html.WriteString("<tr><td>A-1<td>x")
	}
	json.WriteString("]")
	xml.WriteString("</l>")
	html.WriteString("</table>")
	var few [][]any
	for range 1501 {
		few = append(few, []any{"Key", "Summary"})
	}
	var old [][]byte
	for i := range 1501 {
		old = append(old, rec(0x27e, uint16(i), uint16(0), uint16(0), uint32(1<<2|2)), rec(0x27e, uint16(i), uint16(1), uint16(0), uint32(1<<2|2)))
	}
	for name, c := range map[string]struct {
		raw  []byte
		left int
	}{
		"a.csv": {csv.Bytes(), 1_000_000 - limit}, "a.json": {json.Bytes(), rows - limit}, "a.xml": {xml.Bytes(), rows - limit}, "a.html": {html.Bytes(), rows - limit},
		"a.xlsx": {xlsxOf(few...), 500}, "a.xls": {oleOf(packed{"Workbook", workbook(old...)}), 500},
	} {
		d, err := document.Read(name, c.raw, document.Limits{Rows: limit})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(d.Tables[0].Rows) != limit || len(d.Problems) != 1 || !strings.Contains(d.Problems[0].Text, fmt.Sprintf(", %d were left out", c.left)) {
			t.Errorf("%s: %d rows, problems %v", name, len(d.Tables[0].Rows), d.Problems)
		}
	}
}

// TestBad_WideTablesAreBounded has a header of many columns above many short rows, which
// would be padded.
func TestBad_WideTablesAreBounded(t *testing.T) {
	t.Parallel()
	raw := strings.Repeat("a,", 100_000) + "b\n" + strings.Repeat("x,y\n", 100_000)
	d := read(t, "wide.csv", []byte(raw))
	if n := len(d.Tables[0].Header) * len(d.Tables[0].Rows); n > 10_000_000 || len(d.Problems) != 2 {
		t.Errorf("%d cells, problems %v", n, d.Problems)
	}
	var last [][]any
	for range 1000 {
		last = append(last, append(make([]any, 16_000), "x"))
	}
	refused(t, "wide.xlsx", xlsxOf(last...), fault.Invalid, "holds no rows")
	spans := "<table><tr><td>a<td>b" + strings.Repeat("<tr><td>x<td colspan=200>y<td colspan=200>z", 40_000) + "</table>"
	d = read(t, "wide.html", []byte(spans))
	if n := len(d.Tables[0].Header) * len(d.Tables[0].Rows); n > 10_000_000 || len(d.Problems) != 1 {
		t.Errorf("%d cells, problems %v", n, d.Problems)
	}
	var b strings.Builder
	b.WriteString("<l><i>" + strings.Repeat("<c>x</c>", 5000) + "</i>")
	for i := range 10_000 {
		fmt.Fprintf(&b, "<i><f%d>x</f%d></i>", i, i)
	}
	d = read(t, "wide.xml", []byte(b.String()+"</l>"))
	if n := len(d.Tables[0].Header) * len(d.Tables[0].Rows); n > 10_000_000 || len(d.Problems) != 1 {
		t.Errorf("%d cells, problems %v", n, d.Problems)
	}
}

// What is kept of a table that is too long is what the file says, empty and quoted cells too.
func TestBad_KeptRowsAreWhole(t *testing.T) {
	t.Parallel()
	raw := "Key,Summary,Labels\nA-1,\"a, \"\"b\"\"\",\nA-2,,x\nA-3,left,out\n"
	d, err := document.Read("rows.csv", []byte(raw), document.Limits{Rows: 2})
	if err != nil || len(d.Problems) != 1 || !strings.Contains(d.Problems[0].Text, "2 were kept, 1 were left out") {
		t.Fatalf("%+v %v", d.Problems, err)
	}
	want := []document.Row{{Line: 2, Cells: []string{"A-1", `a, "b"`, ""}}, {Line: 3, Cells: []string{"A-2", "", "x"}}}
	if !reflect.DeepEqual(d.Tables[0].Rows, want) {
		t.Errorf("%+v", d.Tables[0].Rows)
	}
}
