package document_test

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"

	"chela/internal/document"
)

func wide(text string, big, mark bool) []byte {
	var out []byte
	if mark {
		text = "\ufeff" + text
	}
	for _, u := range utf16.Encode([]rune(text)) {
		if big {
			out = append(out, byte(u>>8), byte(u))
		} else {
			out = append(out, byte(u), byte(u>>8))
		}
	}
	return out
}

func TestFormats_EncodingsAreFoundByTheirLetters(t *testing.T) {
	t.Parallel()
	page := func(m *charmap.Charmap, text string) []byte {
		out, err := m.NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return []byte(out)
	}
	const (
		polish    = "Zgłoszenie: błąd w płatności, przyjąć zlecenie\n"
		czech     = "Příliš žluťoučký kůň úpěl ďábelské ódy\n"
		hungarian = "Árvíztűrő tükörfúrógép, újabb őszi hibák\n"
		russian   = "Ошибка при оплате, задача закрыта\n"
		german    = "Prüfung der Größe für Straße und Öl\n"
		french    = "La tâche est terminée, où ça coûte déjà très cher – naïf\n"
		spanish   = "¿Mañana? El año próximo, según la información\n"
		turkish   = "Ödeme sırasında hata, değişiklik çağrısı görüşülüyor\n"
		greek     = "Η πληρωμή απέτυχε\n"
	)
	for name, c := range map[string]struct {
		raw      []byte
		text     string
		problems int
	}{
		"Windows-1250, Polish":                  {page(charmap.Windows1250, polish), polish, 0},
		"Windows-1250, Czech":                   {page(charmap.Windows1250, czech), czech, 0},
		"Windows-1250, Hungarian":               {page(charmap.Windows1250, hungarian), hungarian, 0},
		"Windows-1251, Russian":                 {page(charmap.Windows1251, russian), russian, 0},
		"Windows-1252, German":                  {page(charmap.Windows1252, german), german, 0},
		"Windows-1252, French":                  {page(charmap.Windows1252, french), french, 0},
		"Windows-1252, Spanish":                 {page(charmap.Windows1252, spanish), spanish, 0},
		"Windows-1254, Turkish":                 {page(charmap.Windows1254, turkish), turkish, 0},
		"one letter does not tell":              {[]byte("Summary\nba\xb3a\n"), "Summary\nbała\n", 0},
		"pounds and cubes are no letters":       {[]byte("50 \xa3 for 3 m\xb3\xa0net\n"), "50 £ for 3 m³\u00a0net\n", 1},
		"signs are the same everywhere":         {[]byte("a\xa0b \x96 it\x92s\n"), "a\u00a0b – it’s\n", 0},
		"letters of no language":                {[]byte("a\xa4\xa7b \xa6\xacc\xd7d\n"), "a¤§b ¦¬c×d\n", 1},
		"UTF-8 with a mark":                     {[]byte("\ufeff" + greek), greek, 0},
		"UTF-8 with a broken character":         {[]byte(greek + "a\xffb\n"), greek + "a\ufffdb\n", 1},
		"UTF-8 cut inside a character":          {[]byte(greek[:len(greek)-2]), greek[:len(greek)-3] + "\ufffd", 1},
		"UTF-16, little end, with a mark":       {wide(russian, false, true), russian, 0},
		"UTF-16, big end, with a mark":          {wide(russian, true, true), russian, 0},
		"UTF-16, little end, without, Russian":  {wide(russian, false, false), russian, 0},
		"UTF-16, big end, without, Russian":     {wide(russian, true, false), russian, 0},
		"UTF-16, big end, without, Greek":       {wide(greek, true, false), greek, 0},
		"UTF-16, little end, without, Latin":    {wide(german, false, false), german, 0},
		"UTF-16 cut inside a character":         {wide(german, false, true)[:61], string([]rune(german)[:29]), 1},
		"a few NUL bytes are no sign of UTF-16": {[]byte("one\x00two, three and four\n"), "onetwo, three and four\n", 1},
	} {
		d, err := document.Read("a.md", c.raw, document.Limits{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		same(t, name, d.Text, c.text)
		if len(d.Problems) != c.problems {
			t.Errorf("%s: problems %v", name, d.Problems)
		}
	}
}

func TestFormats_MarkupSaysItsEncoding(t *testing.T) {
	t.Parallel()
	// Windows-1253 is none of the code pages that letters decide.
	raw, err := charmap.Windows1253.NewEncoder().String("Πληρωμή")
	if err != nil {
		t.Fatal(err)
	}
	d := read(t, "a.xml", []byte(`<?xml version="1.0" encoding="windows-1253"?><note>`+raw+`</note>`))
	same(t, "the xml", d.Text, "Πληρωμή")
	d = read(t, "a.html", []byte(`<html><head><meta http-equiv="Content-Type" content="text/html; charset=windows-1253"></head><body>`+raw+`</body></html>`))
	same(t, "the html", d.Text, "Πληρωμή")
}

const jiraHTML = `<html><head><title>Jira</title><style>td{color:red}</style></head><body>
<h1>Open <i>issues</i></h1><p>See <a href="https://jira.example.org/x">the board</a>,<br>or ask&nbsp;Ann.</p>
<ul><li>one</li><li>two<ol><li>deep</li></ol></li></ul><script>alert("<p>no</p>")</script>
<table id="issuetable"><thead><tr class="rowHeader"><th><span>Key</span></th><th>Summary</th><th colspan="2">Sprint</th></tr></thead>
<tbody><tr class="issuerow"><td><a href="https://jira.example.org/browse/A-1">A-1</a></td><td>First &amp; best</td><td>S1</td><td>S2</td></tr>
<tr><td rowspan="2">A-2</td><td><p>Two</p><p>lines</p></td><td>S3<td></tr><tr><td>below</td><td>S4</td></tr></tbody></table></body></html>`

// TestFormats_JirasColumnsHaveOneNameInEveryLanguage: a page of Jira names its own fields beside what it
// shows of them.
func TestFormats_JirasColumnsHaveOneNameInEveryLanguage(t *testing.T) {
	t.Parallel()
	d := read(t, "jira.html", []byte(`<html><body><table><tr><td colspan="9"><a href="https://jira.example.org/">Jira</a></td></tr><tr><td colspan="9"><b>2</b> zaken</td></tr></table>
<table id="issuetable"><thead><tr class="rowHeader"><th class="colHeaderLink headerrow-issuekey" data-id="issuekey"> Code </th><th class="colHeaderLink headerrow-summary" data-id="summary">Samenvatting</th>
<th class="colHeaderLink headerrow-customfield_10016" data-id="customfield_10016">Story point estimate</th><th data-id="row">Team</th></tr></thead><tbody>
<tr><td class="issuekey"><a href="https://jira.example.org/browse/A-2">A-2</a></td><td class="summary"><p><span class="parentIssue">A-1</span> Terug</p></td><td>3.0</td><td>&nbsp;</td></tr>
<tr><td class="issuekey">A-1</td><td class="summary"><p>Betalen</p></td><td></td><td>Kassa</td></tr></tbody></table></body></html>`))
	same(t, "the table", cells(d.Tables[0]), "issuekey|summary|Story point estimate|Team\nA-2|Terug|3.0|\nA-1|Betalen||Kassa")
}

func TestFormats_HTMLBecomesTablesAndMarkdown(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"issues.html", "issues.xls", "issues.xml", "issues.txt", "issues"} {
		d := read(t, name, []byte(jiraHTML))
		if d.Kind != document.HTML || len(d.Tables) != 1 || len(d.Problems) != 0 {
			t.Fatalf("%s is %s with %d tables, problems %v", name, d.Kind, len(d.Tables), d.Problems)
		}
		same(t, "the table", cells(d.Tables[0]), "Key|Summary|Sprint|\nA-1|First & best|S1|S2\nA-2|Two\n\nlines|S3|\n|below|S4|")
		same(t, "the text", d.Text, "# Open issues\n\nSee [the board](https://jira.example.org/x),\nor ask Ann.\n\n- one\n- two\n  1. deep")
	}
	layout := `<table><tr><td><h2>Left</h2></td><td><table><tr><th>Key</th><th>Title</th></tr><tr><td>A-1</td><td>x</td></tr></table></td></tr><tr><td>More</td><td>text</td></tr></table>`
	d := read(t, "layout.html", []byte(layout))
	if len(d.Tables) != 1 {
		t.Fatalf("%d tables", len(d.Tables))
	}
	same(t, "the inner table", cells(d.Tables[0]), "Key|Title\nA-1|x")
	same(t, "the layout", d.Text, "## Left\n\nMore\n\ntext")
	d = read(t, "code.html", []byte("<pre>a\n  b</pre>after"))
	same(t, "the code", d.Text, "```\na\n  b\n```\n\nafter")
	d = read(t, "report.xls", []byte("Key\tSummary\nA-1\tx\n"))
	if d.Kind != document.CSV || len(d.Tables[0].Rows) != 1 {
		t.Errorf("text that is named xls is %s", d.Kind)
	}
}

const jiraRSS = `<?xml version="1.0" encoding="UTF-8"?>
<!-- RSS generated by Jira -->
<rss version="0.92"><channel><title>Jira</title><language>en-us</language>
<item><title>[A-1] First</title><key id="1">A-1</key><summary>First &amp; best</summary>
<description>&lt;p&gt;Do &lt;b&gt;this&lt;/b&gt;&lt;/p&gt;&lt;p&gt;and that&lt;/p&gt;</description>
<assignee username="ann">Ann</assignee><labels><label>ui</label><label>web</label></labels><fixVersion>1.0</fixVersion><fixVersion>1.1</fixVersion>
<comments><comment id="7" author="bo">&lt;p&gt;Why?&lt;/p&gt;</comment><comment id="8">So.</comment></comments>
<issuelinks><issuelinktype id="1"><name>Blocks</name><outwardlinks description="blocks"><issuelink><issuekey id="2">A-2</issuekey></issuelink></outwardlinks></issuelinktype></issuelinks>
<customfields><customfield id="c1"><customfieldname>Story Points</customfieldname><customfieldvalues><customfieldvalue>5.0</customfieldvalue></customfieldvalues></customfield></customfields></item>
<item><title>[A-2] Second</title><key id="2">A-2</key><summary>Second</summary><labels></labels></item>
</channel></rss>`

func TestFormats_XMLBecomesATableOfItsRecords(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"export.xml", "export.rss", "export"} {
		d := read(t, name, []byte(jiraRSS))
		if len(d.Problems) != 0 {
			t.Errorf("problems %v", d.Problems)
		}
		same(t, "the export", cells(d.Tables[0]), "title|key|summary|description|assignee|assignee id|label|label|fixVersion|fixVersion|comment|outward issue link (Blocks)|Story Points\n"+
			"[A-1] First|A-1|First & best|Do **this**\n\nand that|Ann|ann|ui|web|1.0|1.1|"+`[{"author":"bo","text":"Why?"},{"text":"So."}]`+"|A-2|5.0\n[A-2] Second|A-2|Second||||||||||")
	}
	bare := read(t, "export", []byte("<!-- RSS generated by Jira -->\n"+jiraRSS[strings.Index(jiraRSS, "<rss"):]))
	if bare.Kind != document.XML || len(bare.Tables) != 1 {
		t.Errorf("without a declaration: %s, %d tables", bare.Kind, len(bare.Tables))
	}
	cloud := read(t, "cloud.xml", []byte(`<rss><channel><item><key>A-1</key><statusCategory id="3" key="done" colorName="green"/><assignee accountid="-1">Unassigned</assignee><reporter accountid="70:1">Ann</reporter><comments></comments>`+
		`<issuelinks><issuelinktype><name>Blocks</name><inwardlinks description="is blocked by"><issuelink><issuekey>A-2</issuekey></issuelink><issuelink><issuekey>A-3</issuekey></issuelink></inwardlinks></issuelinktype></issuelinks></item></channel></rss>`))
	same(t, "Jira Cloud", cells(cloud.Tables[0]), "key|statusCategory|assignee|assignee id|reporter|reporter id|comment|inward issue link (Blocks)|inward issue link (Blocks)\nA-1|done|Unassigned||Ann|70:1||A-2|A-3")
	d := read(t, "one.xml", []byte(`<rss><channel><item><key>A-1</key><summary>Alone</summary></item></channel></rss>`))
	same(t, "one item", cells(d.Tables[0]), "key|summary\nA-1|Alone")
	d = read(t, "own.xml", []byte(`<tasks made="today"><list><task id="1"><name>One</name><owner><mail>a@b</mail></owner><tag>x</tag><tag>y</tag></task><task id="2"><name>Two</name><due at="Monday"/></task></list></tasks>`))
	same(t, "another", cells(d.Tables[0]), "id|name|owner.mail|tag|tag|due.at\n1|One|a@b|x|y|\n2|Two||||Monday")
	d = read(t, "note.xml", []byte(`<note><p>Hello&nbsp;you</p><p>and &lt;them&gt;</p></note>`))
	if len(d.Tables) != 0 {
		t.Errorf("a text has %d tables", len(d.Tables))
	}
	same(t, "a text", strings.ReplaceAll(d.Text, "\u00a0", " "), "Hello you\nand <them>")
}

func TestFormats_JSONBecomesATableOfItsRecords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"a list":          {`[{"key":"A-1","n":1.50,"done":false,"x":null},{"key":"A-2","more":["a",2,true]}]`, "key|n|done|x|more\nA-1|1.50|false||\nA-2||||a, 2, true"},
		"Jira":            {`{"total":1,"names":[],"issues":[{"key":"A-1","fields":{"summary":"One","assignee":{"name":"ann","active":true},"labels":["x","y"],"fixVersions":[{"id":"1","name":"1.0"},{"id":"2","name":"1.1"}]}}]}`, "key|fields.summary|fields.assignee.name|fields.assignee.active|fields.labels|fields.fixVersions\nA-1|One|ann|true|x, y|1.0, 1.1"},
		"Jira's document": {`{"issues":[{"description":{"type":"doc","version":1,"content":[{"type":"paragraph","content":[{"type":"text","text":"Do "},{"type":"text","text":"it"}]},{"type":"paragraph","content":[{"type":"text","text":"now"}]}]}}]}`, "description\nDo it\n\nnow"},
		"GraphQL":         {`{"data":{"viewer":{"id":1},"issues":{"nodes":[{"identifier":"A-1"}]}}}`, "identifier\nA-1"},
		"Trello":          {`{"name":"Board","labels":[{"id":1},{"id":2},{"id":3}],"cards":[{"name":"One","idList":"l","odd":[[1],[2]]}]}`, "name|idList|odd\nOne|l|[[1],[2]]"},
		"Trello's board": {
			`{"lists":[{"id":"l","name":"Doing"}],"members":[{"id":"m","fullName":"Ann Lee"},{"id":"n","username":"bo"}],"cards":[{"id":"c","name":"One","idList":"l","idMembers":["m","n","x"]},{"id":"d","name":"Two","idList":"k"}],
			"actions":[{"type":"commentCard","date":"2026-03-02T10:00:00Z","memberCreator":{"fullName":"Bo"},"data":{"text":"second","card":{"id":"c"}}},{"type":"updateCard","data":{"card":{"id":"c"}}},
			{"type":"commentCard","date":"2026-03-01T10:00:00Z","memberCreator":{"fullName":"Ann Lee"},"data":{"text":"first","card":{"id":"c"}}}]}`,
			"id|name|idList|idMembers|List Name|Members|Comments\n" +
				`c|One|l|m, n, x|Doing|Ann Lee, bo|[{"author":"Ann Lee","date":"2026-03-01T10:00:00Z","text":"first"},{"author":"Bo","date":"2026-03-02T10:00:00Z","text":"second"}]` + "\nd|Two|k||||",
		},
		"Trello's checklists and own fields": {
			`{"lists":[{"id":"l","name":"Doing"}],"checklists":[{"idCard":"64f0c0ff0011223344556677","name":"Steps","checkItems":[{"name":"Ask","state":"complete"},{"name":"Pay","state":"incomplete"}]}],
			"customFields":[{"id":"f","name":"Points"},{"id":"g","name":"Size","options":[{"id":"o","value":{"text":"Large"}}]}],
			"cards":[{"id":"64f0c0ff0011223344556677","name":"One","desc":"Soon.","customFieldItems":[{"idCustomField":"f","value":{"number":"3"}},{"idCustomField":"g","idValue":"o","value":null},{"idCustomField":"x","value":{"text":"y"}}]}]}`,
			"id|name|desc|customFieldItems|Checklists|Created|Points|Size\n" +
				`64f0c0ff0011223344556677|One|Soon.|[{"idCustomField":"f","value":{"number":"3"}},{"idCustomField":"g","idValue":"o","value":null},{"idCustomField":"x","value":{"text":"y"}}]|[{"name":"Steps","items":[{"text":"Ask","done":true},{"text":"Pay"}]}]|2023-08-31T16:34:07Z|3|Large`,
		},
		"fields of a team":    {`{"data":[{"gid":"1","name":"One","custom_fields":[{"name":"Story Points","display_value":"3"},{"name":"Area","display_value":null}]}]}`, "gid|name|Story Points|Area\n1|One|3|"},
		"things with a state": {`[{"key":"A-1","sprints":[{"name":"S 1","state":"closed"},{"name":"S 2","state":"active"}]}]`, `key|sprints` + "\n" + `A-1|[{"name":"S 1","state":"closed"},{"name":"S 2","state":"active"}]`},
		"one issue of Jira":   {`{"key":"A-1","fields":{"summary":"One","labels":["x"],"comment":{"comments":[]},"fixVersions":[{"name":"1.0"},{"name":"1.1"}]}}`, "key|fields.summary|fields.labels|fields.comment.comments|fields.fixVersions\nA-1|One|x||1.0, 1.1"},
		"one issue of GitHub": {`{"number":7,"title":"One","labels":[{"name":"bug"},{"name":"ui"}]}`, "number|title|labels\n7|One|bug, ui"},
		"a line for each":     {`{"number":7,"title":"One","labels":[{"name":"bug"}]}` + "\n" + `{"number":8,"title":"Two"}` + "\n", "number|title|labels\n7|One|bug\n8|Two|"},
		"pages of a list":     {`[{"number":7},{"number":8}][][{"number":9}]`, "number\n7\n8\n9"},
		"a name unknown":      {`{"rows":[{"a":1},{"b":{}}]}`, "a\n1\n"},
	} {
		d := read(t, "a.json", []byte(c.text))
		if len(d.Tables) != 1 || d.Text != "" || len(d.Problems) != 0 {
			t.Errorf("%s: %d tables, text %q, problems %v", name, len(d.Tables), d.Text, d.Problems)
			continue
		}
		same(t, name, cells(d.Tables[0]), c.want)
	}
	cut := read(t, "a.jsonl", []byte(`{"number":7,"title":"One"}`+"\n"+`{"number":8,"title":"Two"}`+"\n"+`{"number":9,"ti`))
	if len(cut.Tables) != 1 || len(cut.Tables[0].Rows) != 2 || len(cut.Problems) != 1 {
		t.Errorf("a line that was cut: %d tables, problems %v", len(cut.Tables), cut.Problems)
	}
	d := read(t, "a.json", []byte(`{"name":"settings","list":[1,2]}`))
	if len(d.Tables) != 0 || d.Text == "" {
		t.Errorf("settings became %d tables and the text %q", len(d.Tables), d.Text)
	}
	d = read(t, "a.json", []byte(`[{"a":1},2,{"a":3}]`))
	if len(d.Tables[0].Rows) != 2 || len(d.Problems) != 1 {
		t.Errorf("%d rows, problems %v", len(d.Tables[0].Rows), d.Problems)
	}
}

func TestFormats_WordBecomesMarkdown(t *testing.T) {
	t.Parallel()
	p := func(props, text string) string {
		return `<w:p><w:pPr>` + props + `</w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
	}
	item := `<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>`
	d := read(t, "minutes.docx", docxOf(p(`<w:pStyle w:val="Title"/>`, "Minutes")+p(`<w:pStyle w:val="Kop2"/>`, "Actions")+
		`<w:p><w:r><w:t>We </w:t></w:r><w:del><w:r><w:delText>never </w:delText></w:r></w:del><w:r><w:t xml:space="preserve">met.</w:t><w:br/><w:t>Then left.</w:t></w:r></w:p>`+
		p(item, "one")+p(strings.Replace(item, `"0"`, `"1"`, 1), "deeper")+
		`<w:tbl><w:tr><w:tc>`+p("", "Who")+`</w:tc><w:tc>`+p("", "What")+`</w:tc></w:tr><w:tr><w:tc>`+p("", "Ann")+`</w:tc><w:tc>`+p("", "a|b")+p("", "c")+`</w:tc></w:tr></w:tbl>`+p("", "End")))
	same(t, "the text", d.Text, "# Minutes\n\n## Actions\n\nWe met.\nThen left.\n\n- one\n  - deeper\n\n| Who | What |\n| --- | --- |\n| Ann | a\\|b c |\n\nEnd")
	if d.Kind != document.DOCX || len(d.Problems) != 0 {
		t.Errorf("%s, problems %v", d.Kind, d.Problems)
	}
}

func TestFormats_PDFBecomesText(t *testing.T) {
	t.Parallel()
	one := "BT /F1 12 Tf 72 720 Td (Minutes of today) Tj 0 -14 Td (Ann writes the) Tj 120 0 Td [(re) 10 (port) -400 (now)] TJ 0 -40 Td (Caf\\351) Tj ET"
	for _, flate := range []bool{false, true} {
		d := read(t, "a.pdf", pdfOf(flate, one, "BT /F1 12 Tf 72 720 Td (Second page) Tj ET"))
		same(t, "the text", d.Text, "Minutes of today\nAnn writes the report now\n\nCafé\n\nSecond page")
		if d.Kind != document.PDF || len(d.Problems) != 0 {
			t.Errorf("%s, problems %v", d.Kind, d.Problems)
		}
	}
	// The characters of an embedded font, and objects inside a stream.
	characters := "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfchar <0001> <0416> endbfchar endcmap end"
	content := "BT /F1 12 Tf 10 10 Td [<0001>] TJ 0 -12 Td [<00010001>] TJ ET"
	inside := "2 0 3 44 << /Type /Pages /Count 1 /Kids [3 0 R] >>      << /Type /Page /Parent 2 0 R /Contents 5 0 R /Resources << /Font << /F1 6 0 R >> >> >>"
	first := strings.Index(inside, "<<")
	d := read(t, "a.pdf", pdfWith("",
		"<< /Type /Catalog /Pages 2 0 R >>", "null", "null",
		"<< /Type /ObjStm /N 2 /First "+strconv.Itoa(first)+" /Length "+strconv.Itoa(len(inside))+" >>\nstream\n"+inside+"\nendstream",
		"<< /Length "+strconv.Itoa(len(content))+" >>\nstream\n"+content+"\nendstream",
		"<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode 7 0 R >>",
		"<< /Length "+strconv.Itoa(len(characters))+" >>\nstream\n"+characters+"\nendstream"))
	same(t, "the text", d.Text, "Ж\nЖЖ")
}

func TestFormats_XLSBecomesTables(t *testing.T) {
	t.Parallel()
	d := read(t, "old.xls", oleOf(packed{"Workbook", issues()}))
	if d.Kind != document.XLS || len(d.Problems) != 0 || d.Tables[0].Sheet != "Issues" {
		t.Errorf("%s, sheet %s, problems %v", d.Kind, d.Tables[0].Sheet, d.Problems)
	}
	same(t, "the sheet", cells(d.Tables[0]), "Key|Owner|Due|Points|Sum\nsplit|Zoë|2021-09-30|3.5|8\nA-2||2021-09-30|5|text")
}

func TestFormats_PicturesAreAttachments(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string]string{
		"a.png": "\x89PNG\r\n\x1a\n\x00\x00", "a.jpg": "\xff\xd8\xff\xe0\x00\x10JFIF", "a.jpeg": "\xff\xd8\xff\xdb", "a.gif": "GIF89a\x01\x00", "a.webp": "RIFF\x10\x00\x00\x00WEBPVP8 ", "pasted": "\x89PNG\r\n\x1a\n",
	} {
		d := read(t, name, []byte(raw))
		if d.Kind != document.Image || d.Text != "" || len(d.Tables)+len(d.Problems) != 0 {
			t.Errorf("%s: %+v", name, d)
		}
	}
}
