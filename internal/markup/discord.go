package markup

import "strings"

// discord is the part of Markdown that its clients show (support.discord.com, "Markdown Text
// 101"): **bold**, _italic_, ~~strike~~, `code`, fences with a language, headings to the third
// level, lists, quotes that do not nest, [text](url) for http and https. There are no tables.
// A backslash escapes. Mentions (discord.com/developers/docs/reference#message-formatting)
// are found by the server wherever they stand, so they are broken even in code; the sender
// still says allowed_mentions.
func discord() *dialect {
	text := func(s spot) string { return unmentioned(guarded(s, "", "\\*_~`|<[]", escaped)) }
	return &dialect{
		fixed:     true,
		edges:     true,
		bold:      mark{"**", "**"},
		italic:    mark{"_", "_"},
		strike:    mark{"~~", "~~"},
		code:      mark{"`", "`"},
		fence:     func(language string) mark { return mark{"```" + language + "\n", "\n```"} },
		quoteLine: "> ",
		bullet:    "- ",
		newline:   "\n",
		headings:  3,
		escape:    text,
		verbatim:  func(s string) string { return unmentioned(unfenced(s)) },
		begin:     begunMarkdown,
		link: func(label, target string) string {
			switch {
			case mail(target) && autoLink(label, target):
				return text(spot{text: label})
			case mail(target):
				return text(spot{text: spelledLink(label, strings.TrimPrefix(target, "mailto:"))})
			case autoLink(label, target):
				return "<" + strings.ReplaceAll(target, "@", "%40") + ">"
			}
			return "[" + text(spot{text: label}) + "](" + strings.ReplaceAll(parenthesized(target), "@", "%40") + ")"
		},
	}
}

// unmentioned returns text with a zero-width space in what would call on people.
func unmentioned(s string) string {
	if !strings.Contains(s, "@") {
		return s
	}
	s = strings.ReplaceAll(s, "<@", "<"+zeroWidthSpace+"@")
	return strings.NewReplacer("@everyone", "@"+zeroWidthSpace+"everyone", "@here", "@"+zeroWidthSpace+"here").Replace(s)
}

// parenthesized returns an address that may stand between parentheses.
func parenthesized(target string) string {
	return strings.NewReplacer("(", "%28", ")", "%29").Replace(target)
}
