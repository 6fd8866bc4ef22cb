package markup

import "strings"

// telegram is the Bot API's HTML style (core.telegram.org/bots/api#html-style): b, i, s, a,
// code, pre and blockquote, everything else escaped; "All <, > and & symbols that are not a
// part of a tag or an HTML entity must be replaced". Marks may nest, code and pre hold no
// other entity, quotes do not nest (#formatting-options), so a fence ends a quote. A language
// is a class of code within pre. There are no headings, lists or tables.
func telegram() *dialect {
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace
	return &dialect{
		html:   true,
		fixed:  true,
		bold:   mark{"<b>", "</b>"},
		italic: mark{"<i>", "</i>"},
		strike: mark{"<s>", "</s>"},
		code:   mark{"<code>", "</code>"},
		fence: func(language string) mark {
			if language == "" {
				return mark{"<pre>", "</pre>"}
			}
			return mark{`<pre><code class="language-` + language + `">`, "</code></pre>"}
		},
		quote:    mark{"<blockquote>", "</blockquote>"},
		bullet:   "• ",
		newline:  "\n",
		escape:   func(s spot) string { return escape(s.text) },
		verbatim: escape,
		link: func(label, target string) string {
			if autoLink(label, target) {
				return escape(label)
			}
			return `<a href="` + escape(target) + `">` + escape(label) + "</a>"
		},
	}
}
