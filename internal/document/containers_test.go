package document_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"chela/internal/document"
)

const plainMail = "From: =?UTF-8?Q?Zo=C3=AB?= <zoe@example.org>\r\nTo: team@example.org\r\nSubject: =?iso-8859-1?Q?Caf=E9?=\r\nDate: Mon, 2 Nov 2026 10:00:00 +0100\r\n"

// mailOf is a mail with a plain and an html text and attachments.
func mailOf(files ...packed) []byte {
	var b strings.Builder
	b.WriteString(plainMail + "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=OUT\r\n\r\n")
	b.WriteString("--OUT\r\nContent-Type: multipart/alternative; boundary=IN\r\n\r\n")
	b.WriteString("--IN\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nSee the fa=E7ade, it is =\r\nlong.\r\n")
	b.WriteString("--IN\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>See the <b>html</b></p>\r\n--IN--\r\n")
	for _, f := range files {
		fmt.Fprintf(&b, "--OUT\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=\"%s\"\r\nContent-Transfer-Encoding: base64\r\n\r\n%s\r\n", f.name, base64.StdEncoding.EncodeToString(f.raw))
	}
	return []byte(b.String() + "--OUT--\r\n")
}

const mailText = "Subject: Café\nFrom: Zoë <zoe@example.org>\nTo: team@example.org\nDate: Mon, 2 Nov 2026 10:00:00 +0100\n\n"

func names(docs []document.Doc) string {
	var out []string
	for _, d := range docs {
		out = append(out, string(d.Kind)+" "+d.Name)
	}
	return strings.Join(out, "\n")
}

func TestContainers_MailsAreReadWithTheirAttachments(t *testing.T) {
	t.Parallel()
	docs, problems, err := document.ReadAll("m.eml", mailOf(packed{"a.csv", []byte("Key,Summary\nA-1,x\n")}, packed{"odd.exe", []byte("MZ")}), document.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the documents", names(docs), "eml m.eml\ncsv m.eml/a.csv")
	same(t, "the mail", docs[0].Text, mailText+"See the façade, it is long.")
	if len(problems) != 1 || problems[0].Where != "m.eml/odd.exe" {
		t.Errorf("problems %v", problems)
	}
	d := read(t, "m.eml", []byte(plainMail+"Content-Type: text/html\r\n\r\n<h2>Hi</h2><table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>"))
	same(t, "an html mail", d.Text, mailText+"## Hi\n\n| a | b |\n| --- | --- |\n| 1 | 2 |")
	one := read(t, "m.eml", mailOf(packed{"a.csv", []byte("Key,Summary\nA-1,x\n")}))
	if one.Kind != document.Mail || len(one.Tables) != 1 || one.Tables[0].Sheet != "a.csv" || !strings.HasPrefix(one.Text, "Subject:") {
		t.Errorf("read as one document: %+v", one)
	}
}

func TestContainers_ArchivesAreReadMemberByMember(t *testing.T) {
	t.Parallel()
	inner := zipOf(packed{"b.md", []byte("# B")}, packed{"deepest.zip", zipOf(packed{"c.md", []byte("c")})})
	raw := zipOf(packed{"sub/a.csv", []byte("Key,Summary\nA-1,x\nA-2\n")}, packed{"inner.zip", inner}, packed{"m.eml", mailOf(packed{"t.txt", []byte("hello")})},
		packed{"book.xlsx", xlsxOf([]any{"Key", "Summary"}, []any{"A-1", "x"})}, packed{"__MACOSX/x", []byte("x")}, packed{"p.png", []byte("\x89PNG\r\n\x1a\n")}, packed{"empty.csv", nil})
	docs, problems, err := document.ReadAll("e.zip", raw, document.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the documents", names(docs), "csv e.zip/sub/a.csv\nmarkdown e.zip/inner.zip/b.md\neml e.zip/m.eml\ntext e.zip/m.eml/t.txt\nxlsx e.zip/book.xlsx\nimage e.zip/p.png")
	var where []string
	for _, p := range problems {
		where = append(where, p.Where)
	}
	same(t, "the problems", strings.Join(where, "\n"), "e.zip/inner.zip/deepest.zip\ne.zip/empty.csv")
	d := read(t, "e.zip", raw)
	if d.Kind != document.Zip || len(d.Tables) != 2 || d.Tables[0].Sheet != "sub/a.csv" || d.Tables[1].Sheet != "book.xlsx/Sheet1" || !strings.HasPrefix(d.Text, "# inner.zip/b.md\n\n# B\n\n# m.eml") {
		t.Errorf("read as one document: %s, %d tables, %q", d.Kind, len(d.Tables), d.Text)
	}
	docs, problems, err = document.ReadAll("a.csv", []byte("Key,Summary\nA-1,x\n"), document.Limits{})
	if err != nil || len(docs) != 1 || len(problems) != 0 || docs[0].Name != "a.csv" {
		t.Errorf("a plain file: %v, %v, %v", docs, problems, err)
	}
}

func TestContainers_ArchivesAreBounded(t *testing.T) {
	t.Parallel()
	var many []packed
	for i := range 250 {
		many = append(many, packed{fmt.Sprintf("%d.txt", i), []byte("x")})
	}
	docs, problems, err := document.ReadAll("many.zip", zipOf(many...), document.Limits{})
	if err != nil || len(docs) != 200 || len(problems) != 1 {
		t.Errorf("%d documents, problems %v, %v", len(docs), problems, err)
	}
	rows := []byte("Key,Summary\n" + strings.Repeat("A-1,x\n", 8))
	docs, problems, err = document.ReadAll("rows.zip", zipOf(packed{"a.csv", rows}, packed{"b.csv", rows}, packed{"c.csv", rows}), document.Limits{Rows: 10})
	if err != nil || len(docs) != 2 || len(docs[1].Problems) != 1 || len(docs[1].Tables[0].Rows) != 2 || len(problems) != 1 {
		t.Errorf("%s, problems %v, %v", names(docs), problems, err)
	}
	text := []byte(strings.Repeat("one line of many\n", 240))
	docs, problems, err = document.ReadAll("bytes.zip", zipOf(packed{"a.txt", text}, packed{"b.txt", text}, packed{"c.txt", text}, packed{"d.txt", text}, packed{"e.txt", text}), document.Limits{Bytes: 4500})
	if err != nil || len(docs) != 4 || len(problems) != 1 || !strings.Contains(problems[0].Text, "more than 1680 bytes") {
		t.Errorf("%s, problems %v, %v", names(docs), problems, err)
	}
}
