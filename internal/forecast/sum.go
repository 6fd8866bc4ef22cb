package forecast

import "math"

// A law says how likely it is that so many tickets are done on a day.
type law struct {
	of             []chance
	mean, variance float64
}

type chance struct {
	tickets int
	likely  float64
}

// count adds a day on which n were done.
func (l *law) count(n int) {
	for i := range l.of {
		if l.of[i].tickets == n {
			l.of[i].likely++
			return
		}
	}
	l.of = append(l.of, chance{n, 1})
}

// share makes likelihoods of the counts of so many days. Without a day none is done.
func (l *law) share(days int) {
	if days == 0 {
		l.of = []chance{{0, 1}}
		return
	}
	for i := range l.of {
		c := &l.of[i]
		c.likely /= float64(days)
		l.mean += c.likely * float64(c.tickets)
	}
	for _, c := range l.of {
		l.variance += c.likely * (float64(c.tickets) - l.mean) * (float64(c.tickets) - l.mean)
	}
}

// A sum is how many are done on several days together.
type sum interface {
	add(day law)
	// atLeast is how likely it is that n or more are done.
	atLeast(n int) float64
}

// exact is a sum of which each number up to a greatest one has its likelihood; the last is that or more.
type exact struct{ likely, next []float64 }

func newExact(most int) *exact {
	e := &exact{make([]float64, most+1), make([]float64, most+1)}
	e.likely[0] = 1
	return e
}

func (e *exact) add(day law) {
	clear(e.next)
	most := len(e.likely) - 1
	for n, p := range e.likely {
		if p == 0 {
			continue
		}
		for _, c := range day.of {
			e.next[min(most, n+c.tickets)] += p * c.likely
		}
	}
	e.likely, e.next = e.next, e.likely
}

func (e *exact) atLeast(n int) float64 {
	var out float64
	for _, p := range e.likely[min(n, len(e.likely)-1):] {
		out += p
	}
	return out
}

// normal is a sum of many days, which is nearly that.
type normal struct{ mean, variance float64 }

func (s *normal) add(day law) { s.mean, s.variance = s.mean+day.mean, s.variance+day.variance }

func (s *normal) atLeast(n int) float64 {
	if n <= 0 {
		return 1
	}
	if s.variance == 0 {
		if s.mean >= float64(n) {
			return 1
		}
		return 0
	}
	return math.Erfc((float64(n)-0.5-s.mean)/math.Sqrt(2*s.variance)) / 2
}
