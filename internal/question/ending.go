package question

import "time"

// running reads a unit as the one that is on: "the month" in "until the end of the month".
func (c *calendar) running(at int) (p period, n int) {
	s, k := c.sense(at)
	if s.sort == "stop" && k == 1 {
		at, n = at+1, 1
		s, k = c.sense(at)
	}
	if s.sort != "unit" {
		return p, 0
	}
	begin := first(c.today(), s.value)
	return period{from: begin, to: move(begin, s.value, 1)}, n + k
}

// end reads "end of the month" and "end of March" as the last day of it.
func (c *calendar) end(at, k int) (p period, n int) {
	if p, n = c.inner(at + k); n == 0 {
		p, n = c.running(at + k)
	}
	if n == 0 || !p.bounded() {
		return period{}, 0
	}
	return period{from: p.to.AddDate(0, 0, -1), to: p.to, yearless: p.yearless}, k + n
}

// ending reports whether the words at a place say "the end of".
func (c *calendar) ending(at int) bool {
	s, k := c.sense(at)
	if s.sort == "stop" {
		s, _ = c.sense(at + k)
	}
	return s.sort == "prep" && s.value == "end"
}

// nextWeek is the period a week later, when it is over.
func (p period) nextWeek(today time.Time) period {
	last := p.to
	if last.IsZero() {
		last = p.from
	}
	if last.After(today) {
		return p
	}
	if !p.from.IsZero() {
		p.from = p.from.AddDate(0, 0, 7)
	}
	if !p.to.IsZero() {
		p.to = p.to.AddDate(0, 0, 7)
	}
	return p
}
