package markup

import (
	"strings"
	"unicode/utf8"
)

// page is a message while it fills.
type page struct {
	size int
	last *line
	base int // indentation of its first line, which the others do without
}

// packer fills messages with units.
type packer struct {
	*dialect
	limits Limits
	parts  []string
	page
	b     strings.Builder
	shown bool // something other than a repeated head is to be seen
}

// with returns the page after a line. A line of more text than a message holds is not
// written to be measured.
func (p *packer) with(pg page, l *line) page {
	if pg.last == nil {
		pg.base = l.indent
	}
	if p.long(l) {
		return page{size: p.limits.Max + 1, last: l, base: pg.base}
	}
	pg.size += p.measure(p.between(pg.last, l, pg.base), p.limits.Unit) + p.measure(p.written(l), p.limits.Unit)
	pg.last = l
	return pg
}

func (p *packer) long(l *line) bool {
	n := 0
	for _, s := range l.spans {
		if len(s.text) > utf8.UTFMax*p.limits.Max { // a long rest is not counted anew for each part
			return true
		}
		if n += p.limits.Unit.count(s.text); n > p.limits.Max {
			return true
		}
	}
	return false
}

func (p *packer) full(pg page) bool {
	return pg.size+p.measure(p.between(pg.last, nil, 0), p.limits.Unit) > p.limits.Max
}

// fits returns whether a page can take all of a unit.
func (p *packer) fits(pg page, u *unit) bool {
	for l := range u.lines() {
		if pg = p.with(pg, l); pg.size > p.limits.Max {
			return false
		}
	}
	return !p.full(pg)
}

// fresh returns an empty page for a line: a row has the head of its table above it, unless
// that leaves no room for a row that could be whole, or little room for one that cannot.
func (p *packer) fresh(l *line) (page, []*line) {
	var pg page
	for _, h := range l.head {
		pg = p.with(pg, h)
	}
	if l.head == nil || !p.full(p.with(pg, l)) {
		return pg, l.head
	}
	if p.full(p.with(page{}, l)) && pg.size <= p.limits.Max/2 {
		return pg, l.head
	}
	return page{}, nil
}

func (p *packer) add(l *line) {
	if p.last == nil {
		_, heads := p.fresh(l)
		for _, h := range heads {
			p.write(h)
		}
	}
	p.write(l)
	p.shown = p.shown || l.shows()
}

func (p *packer) write(l *line) {
	next := p.with(p.page, l)
	p.b.WriteString(p.between(p.last, l, next.base))
	p.b.WriteString(p.written(l))
	p.page = next
}

func (p *packer) flush() {
	if p.shown {
		p.parts = append(p.parts, p.b.String()+p.between(p.last, nil, 0))
	}
	p.b.Reset()
	p.page, p.shown = page{}, false
}

// place puts a unit on this page if it fits, on the next if it fits there, and otherwise
// what it consists of.
func (p *packer) place(u *unit) {
	first := u.first()
	if first == nil {
		return
	}
	here := p.page
	blankPage, _ := p.fresh(first)
	if here.last == nil {
		here = blankPage
	}
	whole := p.fits(here, u)
	if !whole && p.last != nil && (p.fits(blankPage, u) || u.keep && p.size > p.limits.Max*3/4) {
		p.flush()
		whole = p.fits(blankPage, u)
	}
	switch {
	case whole:
		for l := range u.lines() {
			p.add(l)
		}
	case u.line != nil:
		p.cut(u.line)
	default:
		for _, k := range u.split() {
			p.place(k)
		}
	}
}

// cut spreads a line that no page can hold over pages.
func (p *packer) cut(l *line) {
	for {
		at := p.page
		if at.last == nil {
			at, _ = p.fresh(l)
		}
		if !p.full(p.with(at, l)) {
			p.add(l)
			return
		}
		head, rest := p.divide(at, l)
		switch {
		case head != nil:
			p.add(head)
			l = rest
		case p.last == nil:
			spell(l)
			continue
		}
		p.flush()
	}
}

// spell makes text of the link that a line begins with.
func spell(l *line) {
	s := &l.spans[0]
	s.text, s.link, l.body = spelledLink(s.text, s.link), "", ""
}
