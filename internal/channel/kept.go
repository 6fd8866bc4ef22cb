package channel

import "sync"

// A Kept remembers so many values, and forgets for more the one whose key came first. Many may use it
// at once.
type Kept[V any] struct {
	most int

	mu    sync.Mutex // guards the rest
	m     map[string]slot[V]
	order []string // the keys of m, as they came
}

// A slot is the place of a key. It stays when the value goes, so that the order has each once.
type slot[V any] struct {
	value V
	has   bool
}

// NewKept returns one of at most so many values.
func NewKept[V any](most int) *Kept[V] { return &Kept[V]{most: most, m: make(map[string]slot[V])} }

// Get returns what is remembered of a key.
func (k *Kept[V]) Get(key string) (V, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.m[key]
	return s.value, s.has
}

// Put remembers a value.
func (k *Kept[V]) Put(key string, v V) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, placed := k.m[key]; !placed {
		if len(k.order) >= k.most {
			delete(k.m, k.order[0])
			k.order = k.order[1:]
		}
		k.order = append(k.order, key)
	}
	k.m[key] = slot[V]{v, true}
}

// Drop forgets a value.
func (k *Kept[V]) Drop(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, placed := k.m[key]; placed {
		k.m[key] = slot[V]{}
	}
}

// A ByName has something for each channel that outlives its openings in this process: what a
// platform says once may be needed by the next one.
type ByName[T any] struct {
	fresh func() T

	mu sync.Mutex // guards m
	m  map[string]T
}

// NewByName returns one that makes a channel's at its first opening.
func NewByName[T any](fresh func() T) *ByName[T] {
	return &ByName[T]{fresh: fresh, m: make(map[string]T)}
}

// Of returns what the channel of a name has.
func (b *ByName[T]) Of(name string) T {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, had := b.m[name]; !had {
		b.m[name] = b.fresh()
	}
	return b.m[name]
}
