package extract

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"chela/internal/pattern"
)

// Notes without headings often number their topics, or list the pages that they are about.

var (
	numberedTopic = pattern.New(`^(\d{1,2})[.)]?\s+(\D.{2,200})$`)
	titled        = pattern.New(`^([^:.?!]{3,80}?)(?::|\s[–—-])\s+(.+)$`)
	pagesHead     = pattern.New(`(?i)^(?:(?:linked |related |relevant )?(?:confluence|wiki|notion)(?: pages?| docs?| documents?| links?)?|pages|(?:linked |related )pages)\s*:?$`)
)

// outline finds the topics that a text without headings numbers: each line's title.
func (s *scanner) outline() {
	var at []int
	next := 1
	for i := s.top; i < len(s.lines); i++ {
		line := strings.TrimRight(s.lines[i], " \t\r")
		trimmed := strings.TrimSpace(line)
		if headingPattern.MatchString(trimmed) || boldLine.MatchString(trimmed) || i+1 < len(s.lines) && trimmed != "" && isRule(s.lines[i+1]) {
			return
		}
		m := numberedTopic.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[1]) // digits, by the pattern
		if n == 0 && next == 1 && len(at) == 0 {
			next = 0
		}
		if n != next {
			return
		}
		at = append(at, i)
		next++
	}
	if len(at) < 2 || s.leadsIn(at[0]) {
		return
	}
	topics := make(map[int]string)
	for n, i := range at {
		m := numberedTopic.FindStringSubmatch(strings.TrimRight(s.lines[i], " \t\r"))
		title := m[2]
		end := len(s.lines)
		if n+1 < len(at) {
			end = at[n+1]
		}
		if t := titled.FindStringSubmatch(title); t != nil && len(strings.Fields(t[1])) <= 8 && len(strings.Fields(t[2])) >= 4 {
			title = t[1]
		} else if !s.deeper(i+1, end) || strings.ContainsAny(title[len(title)-1:], ".?!") {
			return
		}
		topics[i] = strings.TrimRight(clean(title), ":")
	}
	s.numberedTopics = topics
}

// leadsIn reports whether a list stands below a line that says what it lists.
func (s *scanner) leadsIn(at int) bool {
	for i := at - 1; i >= 0; i-- {
		if line := strings.TrimSpace(s.lines[i]); line != "" {
			return sectionOf(line) != plainSection || strings.HasSuffix(line, ":") && at-i == 1 && !strings.Contains(strings.ToLower(line), "topic") && !strings.Contains(strings.ToLower(line), "agenda")
		}
	}
	return false
}

// deeper reports whether something stands between two lines that belongs to the first.
func (s *scanner) deeper(from, to int) bool {
	for _, line := range s.lines[from:to] {
		if line = strings.TrimRight(line, " \t\r"); line == "" {
			continue
		}
		first, _ := utf8.DecodeRuneInString(line)
		if indentOf(line) > 0 || bulletPattern.MatchString(line) || from > 0 && !unicode.IsLower(first) {
			return true
		}
	}
	return false
}

// numberedHeading begins a numbered topic, and leaves what its line says beside the title.
func (s *scanner) numberedHeading(raw, trimmed string) (rest string, ok bool) {
	title, ok := s.numberedTopics[s.at]
	if !ok {
		return "", false
	}
	s.heading(title, numberedLevel, trimmed)
	s.out.Topics[s.topic].Numbered = true
	s.begun = true
	m := numberedTopic.FindStringSubmatch(strings.TrimRight(raw, " \t\r"))
	if m == nil {
		return "", true
	}
	if t := titled.FindStringSubmatch(m[2]); t != nil && strings.TrimRight(clean(t[1]), ":") == title {
		rest = t[2]
	}
	return rest, true
}

// numberedLevel is the level of topics that are numbered, and of pages that are listed.
const numberedLevel = 6

// page reads an item of a list of pages, which is a topic of its own.
func (s *scanner) page(text, quote string) {
	title := strings.TrimSpace(linkPattern.ReplaceAllString(text, "$1"))
	if at := planCut.FindStringSubmatchIndex(title); at != nil && at[0] > 2 {
		title = title[:at[0]]
	}
	if t := titled.FindStringSubmatch(title); t != nil {
		title = t[1]
	}
	title = strings.Trim(title, ` .:"'“”-–—(`)
	if len(strings.Fields(title)) == 0 || len(title) > 120 {
		return
	}
	s.closeTopics(numberedLevel, s.from)
	s.out.Topics = append(s.out.Topics, Topic{Title: title, Level: numberedLevel, Page: true, Date: s.date, Span: s.span(quote)})
	s.topic = len(s.out.Topics) - 1
	s.open = append(s.open, s.topic)
}
