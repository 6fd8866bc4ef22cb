package model_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"chela/internal/model"
)

func TestSeam_Join(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first, second, want string
		apart               bool
	}{
		"it goes on":                 {"The plan is", " to ship on Friday.", "The plan is to ship on Friday.", false},
		"inside a word":              {"The plan is to sh", "ip on Friday.", "The plan is to ship on Friday.", false},
		"inside a name":              {"Call get", "UserName() first, then stop.", "Call getUserName() first, then stop.", false},
		"it begins anew":             {"The plan is", "The plan is to ship on Friday.", "The plan is to ship on Friday.", false},
		"anew, after a blank":        {"The plan is", "\n\nThe plan is to ship.", "The plan is to ship.", false},
		"anew, in other words":       {"The plan is to ship the release on Friday and", "The plan is to ship the release after all tests.", "The plan is to ship the release after all tests.", false},
		"anew, after one word":       {"The", "The plan is to ship.", "The plan is to ship.", false},
		"it says the end again":      {"Joe owns the runbook, Ann the", "Ann the certificate.", "Joe owns the runbook, Ann the certificate.", false},
		"the last word again":        {"It is blocked", "blocked by A-7.", "It is blocked by A-7.", false},
		"a part of the last word":    {"The reviewer", "er", "The reviewerer", false},
		"another paragraph again":    {"One.\n\nThe second paragraph says that the migration waits for the database team. It", "The second paragraph says that the migration waits for the database team. It is late.", "One.\n\nThe second paragraph says that the migration waits for the database team. It is late.", false},
		"a name follows":             {"It was written by", " Ann Smith in May.", "It was written by Ann Smith in May.", false},
		"a sentence follows":         {"It is late.", "The reason is A-7, which waits.", "It is late. The reason is A-7, which waits.", false},
		"it says something else":     {"The plan is to", "Sorry, what would you like to know?", "The plan is to\n\nSorry, what would you like to know?", true},
		"a name behind a blank":      {"It was written by ", "Ann Smith in May.", "It was written by Ann Smith in May.", false},
		"a file's ending":            {"Look at main.", "go and at go.mod.", "Look at main.go and at go.mod.", false},
		"nothing":                    {"The plan is", "", "The plan is", false},
		"letters of several bytes":   {"Zürich öffnet um n", "eun Uhr früh.", "Zürich öffnet um neun Uhr früh.", false},
		"an overlap of such letters": {"计划是在星期五发布新", "在星期五发布新版本。", "计划是在星期五发布新版本。", false},
	} {
		got, whole := model.Join(c.first, c.second)
		if got != c.want || whole == c.apart {
			t.Errorf("%s: got %q, whole %v; want %q, whole %v", name, got, whole, c.want, !c.apart)
		}
	}
}

// TestJoin_AnyCut cuts a text anywhere behind its first words and has it continued in each of the ways that models have.
func TestJoin_AnyCut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zäöü]{4,9}`), 8, 40).Draw(t, "words")
		for i := range words {
			words[i] = fmt.Sprintf("%s%d", words[i], i) // each is another
		}
		text := strings.Join(words, " ")
		runes := []rune(text)
		cut := rapid.IntRange(8, len(runes)-1).Draw(t, "cut")
		first, rest := string(runes[:cut]), string(runes[cut:])
		back := rapid.IntRange(0, strings.Count(first, " ")).Draw(t, "back")
		from := 0
		for range strings.Count(first, " ") - back + 1 {
			from += strings.IndexByte(text[from:]+" ", ' ') + 1
		}
		for name, second := range map[string]string{"on": rest, "anew": text} {
			if got, whole := model.Join(first, second); got != text || !whole {
				t.Fatalf("%s after %q: got %q, want %q", name, first, got, text)
			}
		}
		if again := text[min(from, len(text)):]; from < len(first)-12 {
			if got, _ := model.Join(first, again); got != text {
				t.Fatalf("after %q it says again %q: got %q, want %q", first, again, got, text)
			}
		}
	})
}

// TestRetry_AnyBreak breaks a stream after each event, in each way, and has the second attempt be
// whole, empty, anew, an overlap, something else, broken or refused. Whoever watches sees what is
// recorded, and an answer that is not whole says so.
func TestRetry_AnyBreak(t *testing.T) {
	t.Parallel()
	words := []string{"The plan ", "is to ", "ship the ", "release on ", "Friday, after ", "all tests."}
	text := strings.Join(words, "")
	for name, w := range vendors() {
		said := func(breaks bool, end string, texts ...string) reply {
			r := reply{status: http.StatusOK, body: begin, breaks: breaks}
			for _, s := range texts {
				r.body += w.text(s)
			}
			r.body += end
			return r
		}
		for n := 1; n <= len(words); n++ {
			first := strings.Join(words[:n], "")
			for how, second := range map[string]reply{
				"whole":          said(false, w.end, words[n:]...),
				"anew":           said(false, w.end, words...),
				"an overlap":     said(false, w.end, words[n-1:]...),
				"empty":          said(false, w.end),
				"a blank":        said(false, w.end, " "),
				"something else": said(false, w.end, "Sorry, what ", "would you like to know?"),
				"broken":         said(true, "", words[n:]...),
				"broken anew":    said(true, "", words[:max(1, n-1)]...),
				"closed":         said(false, "", words[n:]...),
				"refused":        {status: http.StatusUnauthorized, body: `{"error":{"type":"authentication_error","message":"x"}}`},
				"failed":         {status: http.StatusInternalServerError},
			} {
				for _, breaks := range []bool{true, false} {
					m, _, _ := provider(t, w.open, said(breaks, "", words[:n]...), second)
					shown := ""
					a, err := m.Generate(t.Context(), model.Request{Model: "m"}, func(d model.Delta) {
						if d.Anew {
							shown = ""
						}
						shown += d.Text
					})
					if err != nil {
						t.Fatalf("%s, %d events, then %s: %v", name, n, how, err)
					}
					if a.Stop != model.StopBroken && a.Text != text && (n < len(words) || how != "something else") { // a whole sentence may be followed by any
						t.Errorf("%s, %d events, then %s: got %q as whole", name, n, how, a.Text)
					}
					if a.Stop == model.StopBroken && (how == "whole" || how == "anew" || how == "an overlap") && n < len(words) {
						t.Errorf("%s, %d events, then %s: got %q as broken, want it whole", name, n, how, a.Text)
					}
					if !strings.HasPrefix(a.Text, first) && how != "broken anew" {
						t.Errorf("%s, %d events, then %s: got %q, which lost the beginning", name, n, how, a.Text)
					}
					if strings.TrimSpace(shown) != strings.TrimSpace(a.Text) {
						t.Errorf("%s, %d events, then %s: shown %q, recorded %q", name, n, how, shown, a.Text)
					}
					if strings.Count(a.Text, "The plan") != 1 {
						t.Errorf("%s, %d events, then %s: got %q, which begins twice", name, n, how, a.Text)
					}
				}
			}
		}
	}
}

// TestPost_AnIdleStreamIsCut: a stream that stalls after some text is cut after the idle timeout and
// asked again; one that only takes long to begin is not.
func TestPost_AnIdleStreamIsCut(t *testing.T) {
	t.Parallel()
	for name, w := range vendors() {
		synctest.Test(t, func(t *testing.T) {
			stalls := func(body string, before time.Duration) reply {
				return reply{status: http.StatusOK, body: body, stall: true, wait: before}
			}
			begins := time.Now()
			m, bodies, _ := provider(t, w.open, stalls(begin+w.text("One, "), 5*time.Minute), reply{status: http.StatusOK, body: begin + w.text("two.") + w.end})
			a, err := m.Generate(t.Context(), model.Request{Model: "m", Idle: 30 * time.Second}, func(model.Delta) {})
			if err != nil || a.Text != "One, two." || !a.Resumed || len(*bodies) != 2 {
				t.Errorf("%s: got %+v %v after %d calls, want it resumed", name, a, err, len(*bodies))
			}
			if took := time.Since(begins); took != 5*time.Minute+30*time.Second {
				t.Errorf("%s: it took %s, want 5m30s", name, took)
			}
			m, _, _ = provider(t, w.open, stalls(begin+w.text("One, "), 0))
			a, err = m.Generate(t.Context(), model.Request{Model: "m", Idle: 30 * time.Second}, func(model.Delta) {})
			if err != nil || a.Stop != model.StopBroken {
				t.Errorf("%s: twice: got %+v %v, want it broken", name, a, err)
			}
		})
	}
}
