package extract

import (
	"slices"
	"strings"
)

// A cast is who else may act in a text.
type cast struct {
	signed, greeted []castLine        // who signs a letter, and whom it greets
	writes, top     []string          // those beside words of writing, and those of the first lines
	said            map[string]int    // how often the words of names stand in the text
	offices         map[string]string // who has an office
}

// A castLine is a line with a name.
type castLine struct {
	number int
	name   string
}

// The first lines whose names are looked at, the most names of these and of who wrote a text, and how far a word of writing may be
// from a name.
const topLines, mostOfTop, mostWriters, writesWithin = 4, 4, 4, 5

// writing are words beside the name of who wrote a text down.
var writing = set(list("notes, note, minutes, mins, minuted, scribe, scribbled, protokoll, notizen, notiert, mitschrift, taken, typed, recorded, written, wrote, me, myself, ich, from, von, author, secretary, schriftführer, schriftführerin, schriftf, gez, signed, sent"))

// manyHold are roles that many have, or nobody.
var manyHold = set(list("team, notes, minutes, guest, guests, observer, observers, external, internal, remote, remotely, online, late, virtual, member, members, staff, support, others, phone, zoom, teams, it, hr, ops, sales, product, design, finance, legal, protokoll, student"))

// castOf reads a cast, once.
func (s *scanner) castOf() *cast {
	if s.cast != nil {
		return s.cast
	}
	c := &cast{offices: make(map[string]string), said: make(map[string]int)}
	s.cast = c
	lines := s.mentionLines()
	for i := range lines {
		l := &lines[i]
		if len(l.names) == 0 {
			continue
		}
		first := s.withTitle(l.pieces, l.names[0])
		switch {
		case greets[l.pieces[0].low] || l.pieces[0].low == "sehr":
			c.greeted = append(c.greeted, castLine{l.number, first})
		case l.signs():
			c.signed = append(c.signed, castLine{l.number, first})
		}
		for _, j := range l.names {
			if name := s.withTitle(l.pieces, j); l.nth < topLines && len(c.top) < mostOfTop && !slices.Contains(c.top, name) {
				c.top = append(c.top, name)
			}
			for _, w := range strings.Fields(l.pieces[j].low) {
				c.said[w]++
			}
			c.office(l.pieces, j)
		}
		for j := range l.pieces {
			if who := s.writer(l, j); who != "" && len(c.writes) < mostWriters && !slices.Contains(c.writes, who) {
				c.writes = append(c.writes, who)
			}
		}
	}
	return c
}

// signs reports a line that has a name and little more, as at the end of a letter.
func (l *mentionLine) signs() bool {
	ps := l.pieces
	return len(ps) <= 5 && len(l.names) <= 2 && ps[len(ps)-1].text != ":" &&
		(ps[0].sort == namePiece || ps[0].sort == titlePiece || strings.Contains("-–—(/~", ps[0].text)) &&
		!slices.ContainsFunc(ps, func(p piece) bool { return p.sort == numberPiece })
}

// writer is the name nearest to a word of writing.
func (s *scanner) writer(l *mentionLine, at int) string {
	if p := l.pieces[at]; p.sort != wordPiece && p.sort != titlePiece || !writing[strings.Trim(p.low, ".")] {
		return ""
	}
	best, far := -1, writesWithin
	for _, j := range l.names {
		if d := max(j-at, at-j); d < far {
			best, far = j, d
		}
	}
	if best < 0 {
		return ""
	}
	return s.withTitle(l.pieces, best)
}

// office keeps what offices stand beside a name.
func (c *cast) office(ps []piece, j int) {
	hold := func(p piece) {
		low := strings.Trim(p.low, ".")
		if _, taken := c.offices[low]; !taken && (officeWord(low) || titleWord(low) && !addresses[low] || roles[low] && !manyHold[low]) {
			c.offices[low] = ps[j].text
		}
	}
	for k := j - 1; k >= 0 && k >= j-3; k-- {
		if ps[k].sort == namePiece || ps[k].sort == markPiece && ps[k].text != ":" {
			break
		}
		hold(ps[k])
	}
	if j+1 < len(ps) && strings.Contains("(,-–—/", ps[j+1].text) {
		for k := j + 2; k < len(ps) && k <= j+5 && ps[k].sort != namePiece && !(ps[k].sort == markPiece && strings.Contains("),;", ps[k].text)); k++ {
			hold(ps[k])
		}
	}
}

// around adds those whom what stands around the sentence names.
func (c *choosing) around(at int) {
	s, h := c.s, c.h
	c.add(h.who, "speaks", nowhere)
	c.add(h.lead, "leads", nowhere)
	c.add(h.owner, "list", nowhere)
	c.add(h.meant, "meant", nowhere)
	c.add(s.author, "author", nowhere)
	c.add(s.reader, "reader", nowhere)
	if above := strings.TrimRight(h.above, ": "); nameAlone.MatchString(above) && isName(above) {
		c.add(above, "above", nowhere)
	}
	if nameAlone.MatchString(h.head) && isName(h.head) {
		c.add(h.head, "head", nowhere)
	}
	if before, behind, ok := strings.Cut(h.quote, h.text); ok {
		c.nearest(before, "line", true)
		c.nearest(behind, "rest", false)
	}
	for back := 1; back <= 2 && at-back >= 0; back++ {
		role := "before" + bucket(back, 1)
		c.nearest(s.heard[at-back].text, role, true)
		if who := s.heard[at-back].who; who != h.who {
			c.add(who, "spoke", nowhere)
		}
	}
}

// How many sentences away somebody else speaks.
const spokeWithin, answersWithin = 12, 8

// talk adds who else spoke last, and who answers.
func (c *choosing) talk(at int) {
	s, h := c.s, c.h
	for i := at - 1; i >= max(0, at-spokeWithin); i-- {
		if who := s.heard[i].who; who != "" && !s.samePerson(who, h.who) {
			c.add(who, "spoke last", nowhere)
			break
		}
	}
	for i := at + 1; i < min(len(s.heard), at+answersWithin); i++ {
		if who := s.heard[i].who; who != "" && !s.samePerson(who, h.who) {
			c.add(who, "answers", nowhere)
			break
		}
	}
}

// cast adds those of the text: whom a letter greets and who signs it, who wrote the notes, and those of its first lines.
func (c *choosing) cast() {
	s, h := c.s, c.h
	o := s.castOf()
	for _, l := range slices.Backward(o.greeted) {
		if l.number < h.span.EndLine {
			c.add(l.name, "greeted", nowhere)
			break
		}
	}
	if i := slices.IndexFunc(o.signed, func(l castLine) bool { return l.number >= h.span.EndLine }); i >= 0 {
		c.add(o.signed[i].name, "signs", nowhere)
		if i == len(o.signed)-1 && o.signed[i].number >= len(s.lines)-4 {
			c.add(o.signed[i].name, "signs last", nowhere)
		}
	}
	for i := len(o.signed) - 1; i >= 0; i-- {
		if o.signed[i].number < h.span.Line-1 {
			c.add(o.signed[i].name, "signed above", nowhere)
			break
		}
	}
	for i, who := range o.top {
		c.add(who, "top"+bucket(i, 0, 1), nowhere)
	}
	for i, who := range o.writes {
		c.add(who, "writes"+bucket(i, 0), nowhere)
	}
	if len(s.out.Attendees) == 2 && s.author != "" {
		for _, a := range s.out.Attendees {
			if !s.samePerson(a.Name, s.author) {
				c.add(a.Name, "other", nowhere)
			}
		}
	}
}

// offices adds those who have an office that the sentence names.
func (c *choosing) offices() {
	o := c.s.castOf()
	for i, p := range c.pieces {
		if p.sort == markPiece || p.sort == numberPiece {
			continue
		}
		name := o.offices[strings.Trim(p.low, ".")]
		if name != "" && (i+1 >= len(c.pieces) || c.pieces[i+1].sort != namePiece) {
			c.add(name, "office", place{i, i + 1})
		}
	}
}

// nearest adds the first and the last whom a text beside the sentence names.
func (c *choosing) nearest(text, role string, last bool) {
	var names []string
	ps := c.s.peopleIn(text)
	for i, p := range ps {
		if p.sort == namePiece {
			names = append(names, c.s.withTitle(ps, i))
		}
	}
	if len(names) == 0 {
		return
	}
	c.add(names[0], role+" first", nowhere)
	if last {
		c.add(names[len(names)-1], role+" last", nowhere)
	}
}
