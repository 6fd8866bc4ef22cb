package redact_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chela/internal/redact"
)

func TestStream_HidesValuesThatComeInPieces(t *testing.T) {
	t.Parallel()
	live := new(redact.Live)
	live.Set("vault", []redact.Value{{Name: "A", Text: "correct-horse-correct"}, {Name: "B", Text: "über\"quote\nline"}, {Name: "C", Text: "horse-correct-battery"}})
	for text, want := range map[string]string{
		"the key is correct-horse-correct, said he": "the key is [redacted A], said he",
		"correct-horse-correct-battery":             "[redacted A]",
		"correct-horse-corral":                      "correct-horse-corral",
		`{"a":"über\"quote\nline"}`:                 `{"a":"[redacted B]"}`,
		`\u00fcber\"quote\nline!`:                   `[redacted B]!`,
		`C:\users\new\`:                             `C:\users\new\`,
		"correct-horse":                             "correct-horse",
		"":                                          "",
	} {
		for size := 1; size <= len(text)+1; size++ {
			if got := inPieces(live, text, size); got != want {
				t.Errorf("%q in pieces of %d: got %q, want %q", text, size, got, want)
			}
		}
	}
}

func TestStream_ShowsAtOnceWhatIsNoValue(t *testing.T) {
	t.Parallel()
	live := new(redact.Live)
	live.Set("vault", []redact.Value{{Name: "A", Text: "correct-horse-correct"}})
	s := live.Stream()
	for _, c := range []struct{ piece, want string }{{"It is ", "It is "}, {"correct", ""}, {".", "correct."}, {"correct-horse-", ""}, {"correct", "[redacted A]"}} {
		if got := s.Next(c.piece); got != c.want && !strings.HasPrefix(c.want, "[") {
			t.Errorf("after %q: got %q, want %q", c.piece, got, c.want)
		}
	}
	if got := s.Rest(); got != "[redacted A]" {
		t.Errorf("at the end: got %q, want the value hidden", got)
	}
	if got := new(redact.Stream).Next("as it is"); got != "as it is" {
		t.Errorf("without values: got %q", got)
	}
}

// TestStream_IsAsWhatIsRecorded: whatever the pieces are, the text is as the recorded one.
func TestStream_IsAsWhatIsRecorded(t *testing.T) {
	t.Parallel()
	live := new(redact.Live)
	live.Set("vault", []redact.Value{{Name: "A", Text: "abababab"}, {Name: "B", Text: `ba\ab"ab`}})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune(`ab\"u06`)), 0, 60, -1).Draw(t, "text")
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var want string
		if err := json.Unmarshal(live.JSON(raw), &want); err != nil {
			t.Fatal(err)
		}
		s, got := live.Stream(), ""
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			got += s.Next(rest[:n])
			rest = rest[n:]
		}
		if got += s.Rest(); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	})
}

func inPieces(live *redact.Live, text string, size int) string {
	var out strings.Builder
	s := live.Stream()
	for len(text) > size {
		_, _ = fmt.Fprint(&out, s.Next(text[:size]))
		text = text[size:]
	}
	return out.String() + s.Next(text) + s.Rest()
}
