package markup

import "strings"

// whatsApp is what its clients show (faq.whatsapp.com/539178204879377, "How to format your
// messages"): *bold*, _italic_, ~strike~, `inline code`, ```monospace```, "- " and "1. " for
// lists, "> " for quotes. Clients find links by themselves, so an address follows its text.
// There are no headings, tables or escapes; see slack for how marks are kept apart.
func whatsApp() *dialect {
	text := func(s spot) string { return guarded(s, "*_~", "`", loose) }
	d := starred()
	d.bullet = "- "
	d.escape = text
	d.verbatim = unfenced
	d.begin = begun("> ", "- ", "* ")
	d.link = func(label, target string) string {
		if autoLink(label, target) {
			return strings.ReplaceAll(label, "`", "%60")
		}
		return text(spot{text: label}) + " (" + target + ")"
	}
	return d
}
