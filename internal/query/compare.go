package query

import "slices"

// Compares reports whether a number compares with that of v.
func (v Value) Compares(op Op, number float64) bool {
	switch op {
	case Less:
		return number < v.Number
	case AtMost:
		return number <= v.Number
	case More:
		return number > v.Number
	case AtLeast:
		return number >= v.Number
	case Is, Contains:
	}
	return number == v.Number
}

// Within compares with what a time means, which is not a point: > is after all of it, which ends before to. All three are written
// so that their order is that of time.
func (op Op) Within(value, from, to string) bool {
	switch op {
	case More:
		return value >= to
	case AtLeast:
		return value >= from
	case Less:
		return value < from
	case AtMost:
		return value < to
	case Is, Contains:
	}
	return value >= from && value < to
}

// Fitting returns the values of a closed set that a comparison with v lets through.
func (e Term) Fitting(v Value) []string {
	at := slices.Index(e.Field.Allowed, v.Text)
	if at < 0 {
		return nil
	}
	switch e.Op {
	case Less:
		return e.Field.Allowed[:at]
	case AtMost:
		return e.Field.Allowed[:at+1]
	case More:
		return e.Field.Allowed[at+1:]
	case AtLeast:
		return e.Field.Allowed[at:]
	case Is, Contains:
	}
	return e.Field.Allowed[at : at+1]
}
