package extract

import (
	"strings"
	"time"
)

// A heard is a sentence with what stands around it, as the scanner came by it.
type heard struct {
	text, quote   string
	who           string // whose words these are
	lead, owner   string // whose points the lines are, and whose list of actions
	meant         string // whom "she" means
	head, above   string // the heading, and the line that leads the list
	before, after string // the sentences beside it
	section       section
	bullet, deep  bool
	nth, of       int // its place among the sentences of its line
	span          Span
	topic         int
	date          time.Time // of the meeting
	sent          time.Time // of the message, that of the meeting where none is written
	inReply       bool      // a letter quotes it
}

// hear keeps the sentences of a line for the reader that weighs them.
func (s *scanner) hear(text, quote string, bullet bool, indent int) {
	if s.section == peopleSection || s.section == absentSection || text == "" {
		return
	}
	who, said, _ := s.speechIn(text)
	if who == "" {
		who, said = s.voice, text
	}
	head := ""
	if s.topic >= 0 && s.topic < len(s.out.Topics) {
		head = s.out.Topics[s.topic].Title
	}
	all := sentences(said)
	for i, one := range all {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		h := heard{
			text: one, quote: quote, who: who, lead: s.lead, owner: s.owner, meant: s.spokenOf(), head: head, above: s.above, section: s.section,
			bullet: bullet, deep: indent > 0, nth: i, of: len(all), span: s.span(quote), topic: s.topic, date: s.date, sent: s.today(), inReply: len(s.replies) > 0,
		}
		if n := len(s.heard); n > 0 {
			h.before = s.heard[n-1].text
			s.heard[n-1].after = one
		}
		s.heard = append(s.heard, h)
	}
	if strings.HasSuffix(text, ":") || !bullet {
		s.above = text
	}
}
