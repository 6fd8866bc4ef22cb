package telegramtest

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
)

var (
	tags   = []string{"a", "b", "blockquote", "code", "del", "em", "i", "ins", "pre", "s", "span", "strike", "strong", "tg-emoji", "tg-spoiler", "u"}
	start  = regexp.MustCompile(`^<([A-Za-z][A-Za-z0-9-]*)((?:\s+[A-Za-z-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?)*)\s*>`)
	entity = regexp.MustCompile(`^&(?:lt|gt|amp|quot|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});`)
	spoils = regexp.MustCompile(`\bclass\s*=\s*["']?tg-spoiler\b`)
)

// plainHTML returns a text without its tags, or what is wrong with it, under the rules of "HTML
// style" in the documentation: only its tags, closed in order, and its four named entities.
func plainHTML(text string) (plain, wrong string) {
	var out strings.Builder
	var open []string
	for at := 0; at < len(text); {
		rest := text[at:]
		switch {
		case strings.HasPrefix(rest, "</"):
			name, _, closed := strings.Cut(rest[2:], ">")
			if !closed {
				return "", fmt.Sprintf("Unclosed end tag at byte offset %d", at)
			}
			named := strings.ToLower(strings.TrimSpace(name))
			if len(open) == 0 {
				return "", fmt.Sprintf("Unexpected end tag at byte offset %d", at)
			}
			if want := open[len(open)-1]; named != "" && named != want {
				return "", fmt.Sprintf("Unmatched end tag at byte offset %d, expected \"</%s>\", found \"</%s>\"", at, want, named)
			}
			open = open[:len(open)-1]
			at += 2 + len(name) + 1
		case rest[0] == '<':
			tag := start.FindStringSubmatch(rest)
			if tag == nil {
				return "", fmt.Sprintf("Unclosed start tag at byte offset %d", at)
			}
			name := strings.ToLower(tag[1])
			if !slices.Contains(tags, name) || name == "span" && !spoils.MatchString(tag[2]) {
				return "", fmt.Sprintf("Unsupported start tag \"%s\" at byte offset %d", name, at)
			}
			open = append(open, name)
			at += len(tag[0])
		case rest[0] == '&':
			e := entity.FindString(rest)
			if e == "" {
				e = "&"
				out.WriteByte('&')
			} else {
				out.WriteString(html.UnescapeString(e))
			}
			at += len(e)
		default:
			out.WriteByte(rest[0])
			at++
		}
	}
	if len(open) > 0 {
		return "", fmt.Sprintf("Can't find end tag corresponding to start tag \"%s\"", open[len(open)-1])
	}
	return strings.TrimSpace(out.String()), ""
}
