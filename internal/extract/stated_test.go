package extract

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestStatedIn_ReadsWhatIsSaidOfTickets(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"J-102 is blocked by J-103":                                "J-102 < J-103",
		"- J-102 (audit log) is still blocked by J-103 and J-104.": "J-102 < J-103 J-104",
		"[10:02] Joe: PAY-2 depends on PAY-3":                      "PAY-2 < PAY-3",
		"PAY-3 blocks PAY-4, PAY-5":                                "PAY-4 < PAY-3; PAY-5 < PAY-3",
		"PAY-2 ist blockiert durch PAY-3":                          "PAY-2 < PAY-3",
		"PAY-2 wird von PAY-3 blockiert.":                          "PAY-2 < PAY-3",
		"J-104 was reopened":                                       "J-104 TODO",
		"J-104 is done":                                            "J-104 DONE",
		"* J-104 is in review, Ann looks at it":                    "J-104 REVIEW",
		"J-104: in review":                                         "J-104 REVIEW",
		"J-104 - done":                                             "J-104 DONE",
		"J-104 is done and J-105 is in progress":                   "J-104 DONE; J-105 IN_PROGRESS",
		"J-104 is blocked by legal":                                "J-104 BLOCKED",
		"J-104 ist wieder offen":                                   "J-104 TODO",
		"J-104 ist erledigt.":                                      "J-104 DONE",
		"J-104 is done. It was late.":                              "J-104 DONE",

		"Is J-102 blocked by J-103?":                         "",
		"J-102 is not blocked by J-103":                      "",
		"J-102 is no longer blocked by J-103":                "",
		"J-102 was blocked by J-103":                         "",
		"J-102 is blocked by J-103 if the vendor says no":    "",
		"J-102 might be blocked by J-103":                    "",
		"J-104 is done by Friday":                            "",
		"J-104 is almost done":                               "",
		"J-104 will be done":                                 "",
		"J-104 is done, but untested":                        "",
		"J-104 should be in review":                          "",
		"J-104 is in review once Ann is back":                "",
		"the work that J-104 is done with":                   "",
		"We said that J-104 is done":                         "",
		"J-104 was discussed":                                "",
		"J-102 is blocked by J-102":                          "",
		"| J-104 | done |":                                   "",
		"> J-104 is done":                                    "",
		"J-104 ist noch nicht fertig":                        "",
		"UTF-8 is done":                                      "UTF-8 DONE", // no ticket has such a key
		"~~J-104 is done~~":                                  "",
		"J-104 is in review?":                                "",
		"J-104 is resolved when the vendor has answered":     "",
		"J-102 would be blocked by J-103, said Joe":          "",
		"J-104 is the one that is done":                      "",
		"Someone asked whether J-102 is blocked by J-103":    "",
		"J-102 is blocked by J-103 unless we drop the limit": "",
	} {
		var got []string
		for _, s := range StatedIn(line) {
			if s.Status != "" {
				got = append(got, s.Key+" "+s.Status)
			} else {
				got = append(got, s.Key+" < "+strings.Join(s.BlockedBy, " "))
			}
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
	got := StatedIn("Notes\n\n- J-104 is in review\n- J-104 is done\n")
	if len(got) != 1 || got[0].Status != "DONE" || got[0].Span != (Span{4, 4, "- J-104 is done"}) {
		t.Errorf("the last word is %+v", got)
	}
}

func TestRisksIn_ReadsWhatIsCalledOne(t *testing.T) {
	t.Parallel()
	text := "# Weekly\n\nRisk: the API limits may stop us\n**Blocker:** no access to the staging bucket (owner: Ann Lee)\nRisks: none\nBlockers: no blockers this week\n\n## Risks\n- Hugo leaves in May\n- Hugo leaves in May\n- none\n- ~~solved long ago~~\n\n## Notes\n- the risk of delay is small\n- Is that a risk?\nRisk: is it?\n```\nRisk: in code\n```\n- Risiko: der Anbieter ist langsam\n"
	var got []string
	for _, r := range RisksIn(text) {
		got = append(got, fmt.Sprintf("%d %v %s %s", r.Span.Line, r.Blocker, r.Text, r.Owner))
	}
	want := []string{"3 false the API limits may stop us ", "4 true no access to the staging bucket Ann Lee", "9 false Hugo leaves in May ", "21 false der Anbieter ist langsam "}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzStatedIn(f *testing.F) {
	f.Add("J-102 is blocked by J-103 and J-104\nRisks:\n- one two\nJ-1: done")
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Count(text, "\n") + 1
		for _, s := range StatedIn(text) {
			if s.Key == "" || s.Span.Line < 1 || s.Span.Line > lines || slices.Contains(s.BlockedBy, s.Key) {
				t.Errorf("%+v", s)
			}
		}
		for _, r := range RisksIn(text) {
			if r.Text == "" || r.Span.Line < 1 || r.Span.Line > lines {
				t.Errorf("%+v", r)
			}
		}
	})
}
