// Package markup turns what an agent writes (CommonMark with GitHub's tables, strikethrough
// and task lists) into what a chat platform shows, cut to what it takes in one message.
//
// The one idea: a document becomes lines of styled spans before anything is written for a
// platform. A cut falls between lines or inside a span, never in markup, and each part is
// written from its own lines, so it is complete by itself. Start at Parts; a platform's
// rules are in the file with its name.
package markup

// Form is how a platform writes formatted text.
type Form int

// The forms. Each is documented with its platform's own words in the file of its name.
const (
	Plain Form = iota
	TelegramHTML
	SlackMrkdwn
	DiscordMarkdown
	WhatsApp
	DingTalkMarkdown
)

// Parts writes a Markdown document in a form, cut into messages within the limits. No part
// is empty or over the limit, each is valid by itself, and together they show all of the
// document: only white space at a cut is lost, and only the head of a table is shown again.
// A document that shows nothing has no parts.
//
// A cut falls between blocks where it can; a heading stays with what follows it. Only what
// does not fit into a message of its own is cut inside: between items, rows and lines, then
// after a sentence, after a word, and last between two characters as people see them. A link
// is never cut; one that does not fit is spelled out as its text and address.
//
// Raw HTML is text. A line break in the source is one in the message: people press Enter to
// see a new line in a chat.
func Parts(markdown string, form Form, l Limits) []string {
	l.Max = max(l.Max, Minimum)
	d := form.dialect()
	p := packer{dialect: d, limits: l}
	for _, u := range document(markdown, d) {
		p.place(u)
	}
	p.flush()
	return p.parts
}

// dialect returns the rules of a form; a form that is not one of the constants is Plain.
func (f Form) dialect() *dialect {
	switch f {
	case TelegramHTML:
		return telegram()
	case SlackMrkdwn:
		return slack()
	case DiscordMarkdown:
		return discord()
	case WhatsApp:
		return whatsApp()
	case DingTalkMarkdown:
		return dingTalk()
	case Plain:
	}
	return plain()
}
