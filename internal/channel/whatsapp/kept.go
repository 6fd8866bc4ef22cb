package whatsapp

import "sync"

// kept remembers so many values, and forgets for more the one whose key came first.
type kept[V any] struct {
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

func newKept[V any](most int) *kept[V] { return &kept[V]{most: most, m: make(map[string]slot[V])} }

func (k *kept[V]) get(key string) (V, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.m[key]
	return s.value, s.has
}

func (k *kept[V]) put(key string, v V) {
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

// drop forgets a value.
func (k *kept[V]) drop(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, placed := k.m[key]; placed {
		k.m[key] = slot[V]{}
	}
}
