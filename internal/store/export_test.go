package store

import "chela/internal/clerk"

// Listing returns the statements by which a list is counted and its first page read: walked in its order, or found by
// an index and sorted. There are none when narrow rows do not answer.
func (d Desk) Listing(q clerk.Query, walk bool) (count Statement, pages []Statement) {
	l, ok := d.listing(q)
	if !ok {
		return Statement{}, nil
	}
	l.order()
	counted := l.byWords()
	sql, args := counted.counting()
	count = Statement{counted.asOf(sql), args}
	how := found
	if walk {
		how = walked
	}
	for _, p := range l.parts(nil) {
		sql, args := l.query(how, p, nil, 50)
		pages = append(pages, Statement{l.asOf(sql), args})
	}
	return count, pages
}

// Counting returns the statement by which the records that a query asks for are counted.
func (d Desk) Counting(q clerk.Query) Statement {
	where, args := d.recordFilter(q)
	return Statement{"SELECT count(*) FROM desk_records r WHERE " + where, args}
}
