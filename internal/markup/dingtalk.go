package markup

// dingTalk is the Markdown of robots' messages and cards
// (open.dingtalk.com/document/orgapp/message-type, "markdown"): headings, quotes, **bold**,
// *italic*, [text](url), images, lists, and a line break of two spaces before the newline.
// That list is all that is documented: no strikethrough, code, fences, tables or escapes. So
// code is text whose indentation is kept by no-break spaces, the cells of a table are
// divided by bars, an image is a link, and a character that could be a mark has the backslash
// that Markdown gives it.
func dingTalk() *dialect {
	text := func(s spot) string { return guarded(s, "*_", "`<[]", escaped) }
	return &dialect{
		edges:     true,
		bold:      mark{"**", "**"},
		italic:    mark{"*", "*"},
		quoteLine: "> ",
		bullet:    "- ",
		newline:   "  \n",
		headings:  6,
		escape:    text,
		verbatim:  func(s string) string { return s },
		begin:     begunMarkdown,
		link: func(label, target string) string {
			return "[" + text(spot{text: label}) + "](" + parenthesized(target) + ")"
		},
	}
}
