package document_test

import (
	"testing"

	"chela/internal/document"
)

func TestSniff_ChatsAndActionsAreNoExports(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]document.Kind{
		"11/24/26, 6:02 PM - Messages are encrypted\n11/24/26, 6:03 PM - Rob: hello\n11/24/26, 6:04 PM - Nina: hi\n":          document.Text,
		"[24/11/2026, 18:02:11] Nina: hello\n\u200e[24/11/2026, 6:03:01\u202fPM] Rob: hi\n[24/11/2026, 18:04:02] Nina: bye\n": document.Text,
		"2026-11-24 10:00,Rob,hello\n2026-11-24 10:01,Nina,hi\n2026-11-24 10:02,Rob,bye\n":                                    document.CSV,
		"Time,Who,What\n11/24/26 10:00 AM,Nina,hi\n11/24/26 10:02 AM,Rob,bye\n":                                               document.CSV,
		"| Action | Who | When |\n|---|---|---|\n| Add retries | Sam | EOD Friday |\n| Call them | Ann | 12/05 |\n":           document.Markdown,
		"| Key | Summary | Status |\n|---|---|---|\n| A-1 | Add retries | open |\n| A-2 | Call them | done |\n":               document.CSV,
	} {
		if got := document.Sniff(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestRead_TheRulerOfATableIsNoRow(t *testing.T) {
	t.Parallel()
	doc, err := document.Read("a.txt", []byte("| Key | Summary | Status |\n|---|---|---|\n| A-1 | Add retries | open |\n| A-2 | Call them | done |\n"), document.Limits{})
	if err != nil || len(doc.Tables) != 1 || len(doc.Tables[0].Rows) != 2 {
		t.Errorf("%+v, %v", doc, err)
	}
}
