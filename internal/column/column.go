// Package column keeps values by place. A copy of many values shares what stays the same.
package column

import (
	"iter"
	"slices"
)

// PageOf is how many values a page has. A value that changes has its page copied. Values of different pages may be set at once.
const PageOf = 256

// A List has a value for each place from 0. The zero value is empty.
type List[T any] struct {
	pages []*page[T]
	n     int
	owner *owner // of the pages that may be changed
}

type page[T any] struct {
	of  *owner
	all [PageOf]T
}

// An owner tells one list from another. It is not empty, so that two have two addresses.
type owner struct{ _ byte }

// Len is one more than the last place.
func (l *List[T]) Len() int { return l.n }

// At returns the value at a place, which is not to be changed.
func (l *List[T]) At(place int) *T { return &l.pages[place/PageOf].all[place%PageOf] }

// All yields the values in the order of their places. They are not to be changed.
func (l *List[T]) All() iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		for i, p := range l.pages {
			first := i * PageOf
			for k := range p.all[:min(PageOf, l.n-first)] {
				if !yield(first+k, &p.all[k]) {
					return
				}
			}
		}
	}
}

// Grow makes room for so many places. What is new is zero.
func (l *List[T]) Grow(n int) {
	l.own()
	l.n = max(l.n, n)
	for len(l.pages)*PageOf < l.n {
		l.pages = append(l.pages, &page[T]{of: l.owner})
	}
}

// Set puts a value at a place that there is.
func (l *List[T]) Set(place int, v T) {
	l.own()
	p := l.pages[place/PageOf]
	if p.of != l.owner {
		p = &page[T]{l.owner, p.all}
		l.pages[place/PageOf] = p
	}
	p.all[place%PageOf] = v
}

func (l *List[T]) own() {
	if l.owner == nil {
		l.owner = new(owner)
	}
}

// Copy returns a list that can be changed. The one that is copied is not to be changed any more.
func (l *List[T]) Copy() List[T] { return List[T]{pages: slices.Clone(l.pages), n: l.n} }
