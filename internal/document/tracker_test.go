package document_test

import (
	"fmt"
	"strings"
	"testing"
)

// view is a page to print of an issue, as Jira writes it.
const view = `<html><head><title>[PAY-7] Refund</title></head><body><table class="tableBorder"><tr><td colspan="2">
<h3 class="formtitle">[<a href="https://jira.example.org/browse/PAY-7">PAY-7</a>]&nbsp;<a href="https://jira.example.org/browse/PAY-7">Refund &lt;now&gt;</a>
<span class="subText">Created:&nbsp;08/Jan/26 &nbsp;Updated:&nbsp;05/Mar/26 &nbsp;Due:&nbsp;31/Mar/26</span></h3></td></tr>
<tr><td><b>Status:</b></td><td>Open</td></tr></table><table class="grid"><tr><td><b>Type:</b></td><td>Bug</td><td><b>Priority:</b></td><td><img src="x"> High</td></tr>
<tr><td><b>Issue Links:</b></td><td><table><tr><td colspan="4"><b>Blocks</b></td></tr><tr><td>is blocked by</td><td><a href="/browse/PAY-2">PAY-2</a></td><td>Pay: now</td></tr>
<tr><td colspan="4"><b>Cloners</b></td></tr><tr><td>clones</td><td><a href="/browse/PAY-3">PAY-3</a></td></tr></table></td></tr></table>
<table><tr><td id="descriptionArea"><p>It is <b>late</b>: see <a href="javascript:alert(1)">this</a>.</p><script>alert(1)</script><table><tr><td><b>Not:</b></td><td>a field</td></tr></table></td></tr></table>
<table><tr id="comment-header-1"><td>Comment by <a href="x">Ann Lee</a> <font>[ <font>10/Feb/26</font> ]</font></td></tr><tr id="comment-body-1"><td><p>On it</p></td></tr></table></body></html>`

func TestIssueView_BecomesARow(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"PAY-7.html", "PAY-7.doc", "PAY-7.xls"} {
		d := read(t, name, []byte(view))
		if len(d.Tables) != 1 || d.Text != "" || len(d.Problems) != 0 {
			t.Fatalf("%s: got %d tables, text %q, problems %v, want one table", name, len(d.Tables), d.Text, d.Problems)
		}
		same(t, name, cells(d.Tables[0]), "issue key|summary|Created|Updated|Due|url|Status|Type|Priority|inward issue link (Blocks)|outward issue link (Relates)|description|comment\n"+
			"PAY-7|Refund <now>|08/Jan/26|05/Mar/26|31/Mar/26|https://jira.example.org/browse/PAY-7|Open|Bug|High|PAY-2|PAY-3|It is **late**: see this.\n\n|          |         |\n|----------|---------|\n| **Not:** | a field ||"+
			`[{"author":"Ann Lee","date":"10/Feb/26","text":"On it"}]`)
	}
}

// board is a sheet of monday.com with two groups.
func board(rows ...[]any) [][]any {
	head := []any{"Name", "Subitems", "Owner", "Status", "Due date", "Item ID (auto generated)"}
	out := [][]any{{"Payments"}, {"This week"}, head, {"Refund", "Ask, Pay", "Ann", "Done", "2026-03-04", "71"}, {"Subitems", "Name", "Status", "Date", "Size", "Item ID (auto generated)"}, {"", "Ask", "Done", "2026-03-02", "S", "72"}, {"", "Pay", "Stuck", "", "", "73"}}
	out = append(out, []any{"Ship", "", "Bo", "", "", "74"}, []any{"", "", "", "Done: 1/2", "2026-03-04", ""}, []any{}, []any{"Later"}, head)
	return append(out, rows...)
}

func TestSections_AWorkbookOfMondayIsOneTable(t *testing.T) {
	t.Parallel()
	d := read(t, "board.xlsx", xlsxOf(board([]any{"Tell", "", "", "", "", "75"}, []any{"Bare"})...))
	same(t, "the board", cells(d.Tables[0]), "Name|Subitems|Owner|Status|Due date|Item ID (auto generated)|Group|Parent item|Size|Task type\n"+
		"Refund|Ask, Pay|Ann|Done|2026-03-04|71|This week|||\nAsk|||Done|2026-03-02|72||71|S|Subtask\nPay|||Stuck||73||71||Subtask\nShip||Bo|||74|This week|||\nTell|||||75|Later|||\nBare||||||Later|||")
	plain := read(t, "list.csv", []byte("Key,Summary\nA-1,x\nKey,Summary\nA-2,y\n"))
	same(t, "a header again", cells(plain.Tables[0]), "Key|Summary\nA-1|x\nA-2|y")
	alike := read(t, "list.csv", []byte("a,b\na,b\na,b\n"))
	if n := len(alike.Tables[0].Rows); n != 2 {
		t.Errorf("got %d rows that are all like the header, want 2", n)
	}
}

func TestProse_CellsInHTMLBecomeMarkdown(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"<div>One<br>two</div>":                           "One  \ntwo",
		"<p>a <b>b</b></p><ul><li>c</li><li>d</li></ul>":  "a **b**\n\n- c\n- d",
		"<div><img src=x onerror=alert(1)>x</div>":        "![](x)x",
		"<p>x</p><iframe src=\"https://e\"></iframe></p>": "x",
		"a < b and c > d":                                 "a < b and c > d",
		"<details>\n# A\n</details>":                      "<details>\n# A\n</details>",
		"<div>\n# Title\n\n- [ ] task\n</div>":            "<div>\n# Title\n\n- [ ] task\n</div>",
		"<div> is not closed":                             "<div> is not closed",
	} {
		d := read(t, "a.json", []byte(fmt.Sprintf(`[{"key":"A-1","body":%q},{"key":"A-2"}]`, cell)))
		if got := d.Tables[0].Rows[0].Cells[1]; got != want {
			t.Errorf("%q: got %q, want %q", cell, got, want)
		}
	}
	deep := strings.Repeat("<div>", 5000) + "x" + strings.Repeat("</div>", 5000)
	if d := read(t, "deep.csv", []byte("Key,Body\nA-1,"+deep+"\n")); d.Tables[0].Rows[0].Cells[1] != "x" {
		t.Errorf("got %.80q of a deep cell, want its word", d.Tables[0].Rows[0].Cells[1])
	}
}

func TestADF_BecomesMarkdown(t *testing.T) {
	t.Parallel()
	text := `{"type":"doc","version":1,"content":[{"type":"heading","attrs":{"level":3},"content":[{"type":"text","text":"What"}]},
		{"type":"paragraph","content":[{"type":"text","text":"See ","marks":[]},{"type":"text","text":"this","marks":[{"type":"strong"},{"type":"link","attrs":{"href":"https://e.org"}}]},{"type":"hardBreak"},{"type":"mention","attrs":{"text":"@Ann"}}]},
		{"type":"orderedList","content":[{"type":"listItem","content":[{"type":"paragraph","content":[{"type":"text","text":"one"}]},{"type":"bulletList","content":[{"type":"listItem","content":[{"type":"paragraph","content":[{"type":"text","text":"deep"}]}]}]}]}]},
		{"type":"taskList","content":[{"type":"taskItem","attrs":{"state":"DONE"},"content":[{"type":"text","text":"ask"}]},{"type":"taskItem","attrs":{"state":"TODO"},"content":[{"type":"text","text":"pay"}]}]},
		{"type":"codeBlock","attrs":{"language":"go"},"content":[{"type":"text","text":"a\n  b"}]},{"type":"panel","content":[{"type":"paragraph","content":[{"type":"text","text":"note"}]}]},
		{"type":"table","content":[{"type":"tableRow","content":[{"type":"tableHeader","content":[{"type":"paragraph","content":[{"type":"text","text":"h"}]}]}]},{"type":"tableRow","content":[{"type":"tableCell","content":[{"type":"paragraph","content":[{"type":"text","text":"c"}]}]}]}]}]}`
	d := read(t, "a.json", []byte(`[{"key":"A-1","fields":{"description":`+text+`,"comment":{"comments":[{"author":{"displayName":"Ann"},"created":"2026-03-01","body":`+text+`}]}}},{"key":"A-2"}]`))
	want := "### What\n\nSee [**this**](https://e.org)\n@Ann\n\n1. one\n  - deep\n\n- [x] ask\n- [ ] pay\n\n```go\na\n  b\n```\n\nnote\n\n| h |\n| --- |\n| c |"
	row := d.Tables[0].Rows[0].Cells
	same(t, "the description", row[1], want)
	if !strings.HasPrefix(row[2], `[{"author":"Ann","date":"2026-03-01","text":"### What`) {
		t.Errorf("got the comments %.80q, want one of Ann in Markdown", row[2])
	}
}

func FuzzIssueView(f *testing.F) {
	fuzz(f, "a.html", asIs, view, `<h3 class="formtitle">[<tr><td><b>a:</b></td><td><table><tr id="comment-body-1"><td id="descriptionArea">`)
}

func FuzzSections(f *testing.F) {
	head := "Name,Subitems,Status,Item ID (auto generated)\n"
	fuzz(f, "a.csv", asIs, "Board\nGroup\n"+head+"a,,b,1\nSubitems,Name,Status,Item ID (auto generated)\n,c,d,2\n,,sum,\nNext\n"+head+"e,,,3\n", head+"Subitems,Name\n,x\n"+head)
}

func FuzzADF(f *testing.F) {
	fuzz(f, "a.json", asIs, `[{"key":"A","d":{"type":"doc","content":[{"type":"orderedList","content":[{"type":"listItem","content":[{"type":"paragraph","content":[{"type":"text","text":"x","marks":[{"type":"link","attrs":{"href":"y"}}]}]}]}]},{"type":"table","content":[{}]},{"type":"taskList","content":[{"type":"taskItem"}]}]}}]`)
}

func FuzzProse(f *testing.F) {
	fuzz(f, "a.json", func(raw []byte) []byte {
		return []byte(fmt.Sprintf(`[{"key":"A-1","body":%q},{"key":"A-2"}]`, string(raw)))
	}, "<p>a<table><tr><td colspan=999>b</table></p>", "<div><a href='javascript:x'>y</a></div>", "<b>[[[</b>")
}
