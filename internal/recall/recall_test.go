package recall_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/recall"
)

// asked is a Wednesday.
var asked = time.Date(2026, 3, 11, 15, 0, 0, 0, time.UTC)

func TestPeriods_OfTexts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"We met yesterday.":                        "2026-03-10..2026-03-11",
		"It broke last week":                       "2026-03-02..2026-03-09",
		"two days ago it worked":                   "2026-03-09..2026-03-10",
		"Released on 8 May 2023 at noon":           "2023-05-08..2023-05-09",
		"Released on May 8th, 2023":                "2023-05-08..2023-05-09",
		"the 8th of May":                           "2026-05-08..2026-05-09",
		"What happened last spring?":               "2025-03-01..2025-06-01",
		"in summer 2024 we moved":                  "2024-06-01..2024-09-01",
		"On Monday we ship":                        "2026-03-09..2026-03-10",
		"next Friday":                              "2026-03-13..2026-03-14",
		"since 2026-02-03":                         "2026-02-03..2026-02-04",
		"budget of 2026-02":                        "2026-02-01..2026-03-01",
		"in March it may rain":                     "2026-03-01..2026-04-01",
		"vor zwei Tagen":                           "2026-03-09..2026-03-10",
		"letzte Woche war Messe":                   "2026-03-02..2026-03-09",
		"the last 3 days":                          "2026-03-08..2026-03-12",
		"they march and may fall over":             "",
		"in 2 weeks, 9999 days":                    "2026-03-22..2026-03-29",
		"last night":                               "2026-03-10..2026-03-11",
		"Q: 31 February 2026 is no day, but 2026?": "2026-03-03..2026-03-04",
	} {
		got := ""
		for i, p := range recall.Periods(text, asked) {
			if i == 0 {
				got = p.From.Format(time.DateOnly) + ".." + p.To.Format(time.DateOnly)
			}
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestTerms_AreStems(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"She went to the painters and bought three paintings": "go paint buy 3 paint",
		"Die Rechnungen wurden geprüft":                       "rechnung gepruft",
		"of the and":                                          "",
		"Caroline's children didn't run":                      "carolin child run",
		"漢字です":                                                "漢 字 で す",
	} {
		if got := strings.Join(recall.Terms(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// said are passages of one session each for the first word of their ids.
func said(lines ...string) []recall.Passage {
	var out []recall.Passage
	for i, l := range lines {
		id, rest, _ := strings.Cut(l, " ")
		who, text, _ := strings.Cut(rest, ": ")
		session, _, _ := strings.Cut(id, "/")
		out = append(out, recall.Passage{ID: id, Session: session, At: asked.AddDate(0, 0, i-len(lines)), Speaker: who, Text: text})
	}
	return out
}

var talk = []string{
	"a/1 Ann: How was the trip?",
	"a/2 Bob: Wonderful, we hiked up to the waterfall.",
	"a/3 Ann: I adopted a puppy meanwhile.",
	"b/1 Bob: The release is out since this morning.",
	"b/2 Ann: Which database did you take in the end?",
	"b/3 Bob: Postgres. Nobody argued.",
	"c/1 Ann: I moved to Lisbon for the new job.",
	"c/2 Bob: And the puppy?",
	"c/3 Ann: He came with me, of course.",
	"d/1 Bob: The standup is at nine.",
	"d/2 Ann: I know, I know.",
}

func TestRank_FindsByEachPart(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]struct{ id, part string }{
		"Where did Ann relocate?":                   {"c/1", "word"},
		"Which database do we use?":                 {"b/3", "near"},
		"What pets does Ann have?":                  {"a/3", "class"},
		"Who takes Postgres?":                       {"b/3", "word"},
		"What happened two days ago at the standup": {"d/1", "date"},
	} {
		var o recall.Options
		got := o.NewIndex(said(talk...), nil, recall.Stats{}).Rank(o.Read(question, asked), 3)
		if len(got.Passages) == 0 {
			t.Errorf("%q: found nothing, want %s", question, want.id)
			continue
		}
		i := slices.IndexFunc(got.Passages, func(h recall.Hit) bool { return h.ID == want.id })
		if i < 0 || i > 1 {
			t.Errorf("%q: got %v, want %s among the first two", question, got.Passages, want.id)
			continue
		}
		if !slices.ContainsFunc(got.Passages[i].Reasons, func(r recall.Reason) bool { return r.Part == want.part }) {
			t.Errorf("%q: got the reasons %v, want one of %s", question, got.Passages[i].Reasons, want.part)
		}
	}
}

func TestRank_PrefersWhatHolds(t *testing.T) {
	t.Parallel()
	passages := said("a/1 Ann: The deadline of the export is in May.", "b/1 Ann: The deadline of the export is in June.", "c/1 Bob: Lunch?", "d/1 Ann: It rains.")
	var o recall.Options
	q := o.Read("What is the current deadline of the export?", asked)
	if got := o.NewIndex(passages, nil, recall.Stats{}).Rank(q, 2); got.Passages[0].ID != "b/1" {
		t.Errorf("got %v first, want the later one", got.Passages)
	}
	passages[1].Superseded = true
	if got := o.NewIndex(passages, nil, recall.Stats{}).Rank(q, 2); got.Passages[0].ID != "a/1" {
		t.Errorf("got %v first, want the one that nothing superseded", got.Passages)
	}
}

func TestRank_KeepsNoiseApart(t *testing.T) {
	t.Parallel()
	var o recall.Options
	x := o.NewIndex(said(talk...), nil, recall.Stats{})
	for _, h := range x.Rank(o.Read("Which know submarine sailed under the glacier?", asked), 5).Passages {
		if !h.Weak {
			t.Errorf("got %v, want weak hits alone", h)
		}
	}
	if got := x.Rank(o.Read("", asked), 5); len(got.Passages)+len(got.Sessions) != 0 {
		t.Errorf("an empty question found %v", got)
	}
}

// TestRank_IsTheSame holds that the order of maps does not show.
func TestRank_IsTheSame(t *testing.T) {
	t.Parallel()
	var o recall.Options
	x := o.NewIndex(said(talk...), nil, recall.Stats{})
	first := ""
	for range 20 {
		got := fmt.Sprint(x.Rank(o.Read("How is the puppy that Ann adopted in Lisbon?", asked), 10))
		if first == "" {
			first = got
		}
		if got != first {
			t.Fatalf("got\n%s\nand before\n%s", got, first)
		}
	}
}

func FuzzRank_AnyText(f *testing.F) {
	f.Add("Where did Ann go last week?", "I moved to Lisbon 3 days ago.")
	f.Add("\xff\xfe", "")
	f.Add("2026-02-31 12 of May in 9999 years", "vor 1000 Jahren")
	f.Fuzz(func(t *testing.T, question, text string) {
		var o recall.Options
		passages := append(said(talk...), recall.Passage{ID: "x", Session: "x", At: asked, Text: text})
		got := o.NewIndex(passages, nil, recall.Stats{}).Rank(o.Read(question, asked), 5)
		if len(got.Passages) > 5 || len(got.Sessions) > 5 {
			t.Errorf("got %d passages and %d sessions, want at most 5", len(got.Passages), len(got.Sessions))
		}
		for _, h := range append(got.Passages, got.Sessions...) {
			if !(h.Score >= 0 && h.Score <= 1) {
				t.Errorf("%s has the score %v", h.ID, h.Score)
			}
		}
	})
}
