package markup

import "strings"

// slack is mrkdwn (docs.slack.dev/messaging/formatting-message-text): *bold*, _italic_,
// ~strike~, `code`, fences without a language, > for a quote on each line, <url|text> for
// links ("Linking to URLs"), and &, <, > as entities ("Escaping text"), which makes the
// mentions <@U…>, <!here> and <#C…> in a model's text harmless. There are no headings and no
// tables, and lists are "mimicked". Marks hold at the edges of words only and cannot be
// escaped, so a zero-width space parts them from what they must not touch.
func slack() *dialect {
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace
	text := func(s spot) string { return escape(guarded(s, "*_~", "`", loose)) }
	d := starred()
	d.bullet = "• "
	d.escape = text
	d.verbatim = func(s string) string { return escape(unfenced(s)) }
	d.begin = begun("&gt;")
	d.link = func(label, target string) string {
		if label == target {
			return "<" + escape(target) + ">"
		}
		return "<" + escape(target) + "|" + text(spot{text: label}) + ">"
	}
	return d
}

// starred is what Slack and WhatsApp have in common: one star is bold, and a mark holds at the
// edges of words only.
func starred() *dialect {
	return &dialect{
		fixed:     true,
		edges:     true,
		bold:      mark{"*", "*"},
		italic:    mark{"_", "_"},
		strike:    mark{"~", "~"},
		code:      mark{"`", "`"},
		fence:     func(string) mark { return mark{"```\n", "\n```"} },
		quoteLine: "> ",
		newline:   "\n",
	}
}
