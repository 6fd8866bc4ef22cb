package extract

import (
	"slices"
	"strings"
	"time"

	"chela/internal/pattern"
)

// A letter quotes what it answers. What stands there is said by whoever wrote it, on that day.

// A reply is a letter that another one quotes.
type reply struct {
	depth int    // how many ">" begin its lines; 0 where it goes on to the end
	who   string // who wrote it, "" when that is not known
	date  time.Time
	until int // the last line of its heading
}

var (
	// wroteHead leads a quote: "On 26 Nov 2026 at 10:11, Joe Martinez <joe@example.org> wrote:".
	wroteHead = pattern.New(`^(?i:on|am)\s(.{3,120}?[,\s]\s*(?:[AaPp][Mm]\s+)?)(` + namePart + `|["']?[\w.+-]+@[\w.-]+["']?)(?:\s*[<(\[][^<>]{0,80}[>)\]])?\s+(?i:wrote|writes)\s*:$`)
	schrieb   = pattern.New(`^(?i:on|am)\s(.{3,60}?)\s+(?i:schrieb)\s+(.+?)(?:\s*[<(\[][^<>]{0,80}[>)\]])?\s*:$`)
	wroteOpen = pattern.New(`^(?i:on|am)\s.{3,120}[^:.!?]$`)
	// original stands above a letter that is quoted without ">".
	original   = pattern.New(`(?i)^(?:-{2,}\s*(?:original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht)\s*-{2,}|begin forwarded message:)$`)
	replyFrom  = pattern.New(`^\*?(?:From|Von)\s*:\*?\s*"?(` + namePart + `)"?\s*(?:[<(\[].*)?$`)
	fromHeader = pattern.New(`^\*?(?:From|Von)\s*:`)
	replySent  = pattern.New(`^\*?(?i:Sent|Date|Gesendet|Datum)\s*:\*?\s*(.+)$`)
	headLine   = pattern.New(`^\*?\pL[\pL-]{1,14}\s*:`)
)

// quoteDepth is how many ">" begin a line.
func quoteDepth(line string) int {
	return strings.Count(quoted.FindString(line), ">")
}

// replied keeps whose words a line of a letter is, and reports a line that is to be left out: one that leads a quote, or
// stands in the quote of somebody who is not known.
func (s *scanner) replied() bool {
	raw := s.lines[s.at]
	if s.author == "" || strings.TrimSpace(raw) == "" {
		return false
	}
	depth, line := quoteDepth(raw), strings.TrimSpace(quoted.ReplaceAllString(raw, ""))
	for len(s.replies) > 0 && s.replies[len(s.replies)-1].depth > depth {
		s.replies = s.replies[:len(s.replies)-1]
		s.inReply()
	}
	r, ok := s.leadsReply(line, depth)
	if ok && !s.begun && r.depth == 0 { // the letter was forwarded and nothing said to it
		if s.at = r.until; s.date.IsZero() {
			s.date, s.out.Date = r.date, r.date
		}
		return true
	}
	if ok {
		s.replies = append(s.replies, r)
		s.inReply()
		s.at = r.until
		return true
	}
	return len(s.replies) > 0 && (s.replies[len(s.replies)-1].who == "" || line == "")
}

// leadsReply reads the line, or the lines, above a quote.
func (s *scanner) leadsReply(line string, depth int) (r reply, ok bool) {
	if original.MatchString(line) {
		return s.forwarded(depth)
	}
	if s.headsLetter(line, depth) {
		s.at--
		r, ok = s.forwarded(depth)
		s.at++
		return r, ok
	}
	r = reply{depth: depth + 1, until: s.at}
	if wroteOpen.MatchString(line) && s.at+1 < len(s.lines) { // the mail program broke it
		if next := strings.TrimSpace(quoted.ReplaceAllString(s.lines[s.at+1], "")); strings.HasSuffix(next, ":") && len(next) < 100 {
			line, r.until = line+" "+next, s.at+1
		}
	}
	m := matchEither(line, wroteHead, schrieb)
	if m == nil || !s.quotedBelow(r.until, r.depth) {
		return r, false
	}
	if name := strings.Trim(m[2], `"' `); nameAlone.MatchString(name) && isName(name) {
		r.who = name
	}
	r.date = s.dayOfReply(m[1])
	return r, true
}

var (
	replyTo = pattern.New(`^\*?(?i:To|An|Subject|Betreff)\s*:`)
	ruled   = pattern.New(`^[_-]{5,}$`)
)

// headsLetter reports the first header of a letter further down, as mail programs put it below an answer without a line that
// says so.
func (s *scanner) headsLetter(line string, depth int) bool {
	if !s.begun || s.at == 0 || !fromHeader.MatchString(line) {
		return false
	}
	if above := strings.TrimSpace(quoted.ReplaceAllString(s.lines[s.at-1], "")); above != "" && !ruled.MatchString(above) {
		return false
	}
	sent, to := false, false
	for _, next := range s.lines[s.at+1 : min(s.at+6, len(s.lines))] {
		if quoteDepth(next) != depth {
			break
		}
		next = strings.TrimSpace(quoted.ReplaceAllString(next, ""))
		if !headLine.MatchString(next) {
			break
		}
		sent, to = sent || replySent.MatchString(next), to || replyTo.MatchString(next)
	}
	return sent && to
}

// quotedBelow reports whether the next line that says something is quoted that deep.
func (s *scanner) quotedBelow(at, depth int) bool {
	for _, line := range s.lines[at+1:] {
		if strings.TrimSpace(line) != "" {
			return quoteDepth(line) >= depth
		}
	}
	return false
}

// forwarded reads the headers of a letter that goes on to the end.
func (s *scanner) forwarded(depth int) (r reply, ok bool) {
	r = reply{depth: depth, until: s.at}
	for i := s.at + 1; i < len(s.lines); i++ {
		line := strings.TrimSpace(quoted.ReplaceAllString(s.lines[i], ""))
		if line == "" && r.until == s.at {
			continue
		}
		if !headLine.MatchString(line) {
			break
		}
		r.until = i
		if m := replyFrom.FindStringSubmatch(line); m != nil && isName(m[1]) {
			r.who = m[1]
		} else if m := replySent.FindStringSubmatch(line); m != nil {
			r.date = s.dayOfReply(m[1])
		}
	}
	return r, r.until > s.at
}

// dayOfReply reads when a letter was written; a day of the week alone is the last one before the letter that quotes it.
func (s *scanner) dayOfReply(text string) time.Time {
	if d, ok := (calendar{order: s.order}).find(text); ok {
		return d
	}
	here := s.date
	if len(s.replies) > 0 {
		here = s.replies[len(s.replies)-1].date
	}
	if named := weekday.FindString(text); named != "" && !here.IsZero() {
		for back := 1; back <= 7; back++ {
			if d := here.AddDate(0, 0, -back); strings.EqualFold(d.Format("Mon"), named[:min(3, len(named))]) {
				return d
			}
		}
	}
	return time.Time{}
}

// inReply has the lines that follow be the words of the innermost letter that is quoted, or of the letter itself.
func (s *scanner) inReply() {
	if s.letter == nil {
		s.letter = &reply{who: s.voice, date: s.date}
	}
	of := *s.letter
	if len(s.replies) > 0 {
		of = s.replies[len(s.replies)-1]
	}
	s.voice, s.date = of.who, of.date
	s.subject, s.proposal, s.last = "", nil, ""
	if of.who != "" && len(s.replies) > 0 {
		s.mentioned(of.who)
	}
}

var (
	greetedAnd = pattern.New(`(?m)^(?i:hi|hello|dear|hey|hallo|liebe|lieber|moin)\s+\p{Lu}[\pL'’-]+\s+(?:and|&|und)\s+(\p{Lu}[\pL'’-]+)\b`)
	greeting   = pattern.New(`^(?i:hi|hello|dear|hey|hallo|liebe|lieber|moin)\s+(?:` + nameList + `|(?i:all|both|everyone|team|there|zusammen))\s*[,!–—-]\s*`)
	addressees = pattern.New(`(?m)^(?:To|An)\s*:\s*(.+)$`)
	// asksReader asks whoever reads a letter to do something.
	asksReader = pattern.New(`^(?i:(?:(?:and|also|so|then|und|also|could you|can you|would you|will you),? )?(?:please|pls|kindly))\s+(?i:also\s+)?((?i:` + verbs + `)\b.+?)\??$`)
	germanAsks = pattern.New(`^(?i:(?:und |also )?bitte\s+(?:schick|send|prüf|schreib|gib|geb|ruf|mach|klär|überweis|unterschreib|bestätig|meld|lies|les|leg|bereite|füll|trag|bring|stell|kümmer)\pL*\s.{6,}|(?:(?:kannst|könntest|würdest) du|(?:können|könnten|würden) sie)\s.{4,}\pL(?:en|ern|eln)\?)$`)
	// asksNothing are words behind "please" with which nobody asks for anything.
	asksNothing = pattern.New(`(?i)^(?:find (?:\pL+ ){0,6}(?:attached|enclosed|below|here)|find attached|note\b|see\b|accept\b|join\b|add me\b|contact (?:me|us) (?:with|for)|call (?:me|us) with|reply with any|(?:\S+ ){1,3}(?:if|should) (?:you|I|we|there|anything|something)\b)`)
)

// addressed are those to whom a letter is: whom it greets, or the one of its "To:".
func (s *scanner) addressed(text string) string {
	if s.reader != "" {
		if m := greetedAnd.FindStringSubmatch(text); m != nil && isName(m[1]) {
			return s.reader + ", " + m[1]
		}
		return s.reader
	}
	m := addressees.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	if all := toName.FindAllStringSubmatch(m[1], -1); len(all) == 1 && !strings.ContainsAny(m[1], ";,") {
		return all[0][1]
	}
	return ""
}

// requestIn is what a sentence of a letter asks whoever reads it to do.
func (s *scanner) requestIn(one string) (task string, ok bool) {
	if s.author == "" {
		return "", false
	}
	one = greeting.ReplaceAllString(one, "")
	if germanAsks.MatchString(one) {
		return one, true
	}
	if m := asksReader.FindStringSubmatch(one); m != nil && !asksNothing.MatchString(m[1]) {
		return m[1], true
	}
	return "", false
}

// notTheWriters reports a sentence that asks its reader for something, which its writer is not to do.
func (s *scanner) notTheWriters(h heard, owner string) bool {
	if h.who != "" || s.author == "" || owner == "" || !slices.Contains([]string{owner, s.inFull(owner)}, s.inFull(s.author)) {
		return false
	}
	_, asks := s.requestIn(h.text)
	return asks
}
