package document_test

import (
	"testing"

	"chela/internal/document"
)

// fuzz reads what wrap makes of the seeds as a file: it must not panic, and every row
// must have as many cells as its header.
func fuzz(f *testing.F, name string, wrap func([]byte) []byte, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		docs, _, err := document.ReadAll(name, wrap(raw), document.Limits{Bytes: 1 << 20, Rows: 100})
		if err != nil {
			return
		}
		for _, d := range docs {
			for _, tab := range d.Tables {
				for _, r := range tab.Rows {
					if len(r.Cells) != len(tab.Header) {
						t.Fatalf("%s: a row has %d cells, the header %d", d.Name, len(r.Cells), len(tab.Header))
					}
				}
			}
		}
	})
}

func asIs(raw []byte) []byte { return raw }

func FuzzCSV(f *testing.F) {
	fuzz(f, "a.csv", asIs, "a,b,c;;\n\"d,\"\"e\"\",f\";;\n", "\"a,b,c\"\n\"d,e,f\"", "a,b\n\"c\nd\",e\n", "a\tb\n1\t2", "\xff\xfea\x00;\x00b\x00\n\x00", "Zg\xb3oszenie;b\xb3\xb9d\n")
}

func FuzzEncoding(f *testing.F) {
	fuzz(f, "a.md", asIs, "\xef\xbb\xbfa", "\xfe\xff\x00a", "a\x00b\x00c\x00 \x00d\x00", "P\xf8\xedli\x9a", "\xce\xe9\xe8\xe1\xea\xe0", "caf\xc3\xa9 \xff")
}

func FuzzJSON(f *testing.F) {
	fuzz(f, "a.json", asIs, `[{"fields":{"a":[{"name":"x"}],"b":{"type":"doc","content":[{"text":"x"}]}}}]`, `{"data":{"nodes":[{"a":1},2]}}`, `[{"a":1},{`, `[[[{"a":`,
		`{"lists":[{"id":"l","name":"Doing"}],"members":[{"id":"m","fullName":"A"}],"cards":[{"id":"c","name":"x","idList":"l","idMembers":["m"]}],"actions":[{"type":"commentCard","data":{"text":"t","card":{"id":"c"}}}]}`,
		`{"key":"A-1","fields":{}}`, `[{"a":1}][{"b":2}]`, `{"a":1} {"b":[{"name":"x","display_value":"y"}]} [`, `{"lists":[{"id":"l"}],"checklists":[{"idCard":"c","checkItems":[{}]}],"customFields":[{"id":"f","name":"n"}],"cards":[{"id":"c","desc":"","customFieldItems":[{"idCustomField":"f","value":{"a":1}}]}]}`)
}

func FuzzXML(f *testing.F) {
	fuzz(f, "a.xml", asIs, jiraRSS, `<l><i a="1"><b/></i><i><b>x<c/></b></i></l>`, `<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>`, `<a>&nbsp;<b>`)
}

func FuzzHTML(f *testing.F) {
	fuzz(f, "a.html", asIs, jiraHTML, `<table><tr><td colspan=9 rowspan=9>a<table><tr><td>b<td>c<tr><td>d<td>e`, `<ol><li><a href="http://x"><pre>x</a></ol></pre></table></td>`)
}

func FuzzDOCX(f *testing.F) {
	fuzz(f, "a.docx", func(raw []byte) []byte { return docxOf(string(raw)) }, `<w:p><w:pPr><w:pStyle w:val="Kop2"/></w:pPr><w:r><w:t>x</w:t></w:r></w:p>`, `<w:tbl><w:tr><w:tc><w:tbl/></w:tc></w:tr></w:tbl></w:tc></w:t></w:p>`)
}

func FuzzXLSX(f *testing.F) {
	fuzz(f, "a.xlsx", asIs, string(xlsxOf([]any{"Key", "Summary"}, []any{"A-1", 2})), "PK\x03\x04[Content_Types].xml")
}

func FuzzPDF(f *testing.F) {
	page := "BT /F1 12 Tf 72 720 Td (a) Tj [(b) -300 (c)] TJ T* ET"
	fuzz(f, "a.pdf", asIs, string(pdfOf(false, page)), string(pdfOf(true, page, page)), "%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 1 0 R /Kids [1 0 R] >> endobj", "%PDF-1.5\n1 0 obj << /Type /ObjStm /N 1 /First 4 /Length 9 >> stream\n2 0 << >>\nendstream endobj")
}

func FuzzPDFContent(f *testing.F) {
	fuzz(f, "a.pdf", func(raw []byte) []byte { return pdfOf(true, string(raw)) }, "BT /F1 12 Tf 72 720 Td (a) Tj [(b) -300 (c)] TJ T* ET", "q Q Q", "[[[<<", "1 0 0 1 0 0 cm 1 0 0 1 0 0 Tm (x) ' 1 2 (x) \"", "<< /a begin dict def end")
}

func FuzzXLS(f *testing.F) {
	fuzz(f, "a.xls", func(raw []byte) []byte { return oleOf(packed{"Workbook", raw}) }, string(issues()), string(workbook()))
}

func FuzzCompoundFile(f *testing.F) {
	fuzz(f, "a.xls", asIs, string(oleOf(packed{"Workbook", issues()})), string(oleOf(packed{"EncryptedPackage", nil})))
}

func FuzzMail(f *testing.F) {
	fuzz(f, "a.eml", asIs, string(mailOf(packed{"a.csv", []byte("a,b\n1,2\n")})), plainMail+"\n\nx", plainMail+"Content-Type: multipart/mixed; boundary=a\n\n--a\n\n--a\nContent-Type: message/rfc822\n\nSubject: x\n\ny\n--a--")
}

func FuzzZip(f *testing.F) {
	fuzz(f, "a.zip", asIs, string(zipOf(packed{"a.csv", []byte("a,b\n1,2\n")}, packed{"b/c.zip", zipOf(packed{"d.md", []byte("x")})})), string(zipOf()))
}
