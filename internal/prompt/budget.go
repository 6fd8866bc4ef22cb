package prompt

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxSystem is the size of the largest system prompt, in tokens as [Estimate] counts.
const MaxSystem = 3000

// MaxMemory is how much of what is remembered a prompt has at most, in bytes: a third of what a system prompt may have.
const MaxMemory = MaxSystem * bytesPerToken / 3

// bytesPerToken is the rule of thumb for English text and JSON.
const bytesPerToken = 4

// Estimate says how many tokens a text has, about: a quarter of its bytes. Nothing
// that must be exact may depend on it.
func Estimate(text string) int { return EstimateSize(len(text)) }

// EstimateSize is [Estimate] of a text of so many bytes.
func EstimateSize(bytes int) int { return (bytes + bytesPerToken - 1) / bytesPerToken }

// Trim returns the beginning of text that fits in so many tokens, by [Estimate]. When
// something is left out the result ends with a line that says how much is shown.
func Trim(text string, tokens int) string { return cut(text, tokens*bytesPerToken) }

// cut is Trim in bytes. It cuts between lines when one ends in the last quarter, and
// never inside a character.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	keep := head(text, max(n-len(note(len(text), len(text))), 0))
	if i := strings.LastIndexByte(keep, '\n'); i > len(keep)*3/4 {
		keep = keep[:i]
	}
	if keep == "" { // no room to say anything
		return head(text, max(n, 0))
	}
	return keep + note(len(keep), len(text))
}

func note(shown, of int) string { return fmt.Sprintf("\n[cut: %d of %d bytes shown]", shown, of) }

// head returns at most n bytes of s, whole characters.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// line makes one line of s, at most n bytes and an ellipsis.
func line(s string, n int) string {
	s = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s))
	if len(s) <= n {
		return s
	}
	return head(s, n) + "…"
}
