package slack

import "sync"

// kept remembers so many values and no more.
type kept[V any] struct {
	most int

	mu sync.Mutex // guards m
	m  map[string]V
}

func newKept[V any](most int) *kept[V] { return &kept[V]{most: most, m: make(map[string]V)} }

func (k *kept[V]) get(key string) (V, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	v, ok := k.m[key]
	return v, ok
}

// put remembers a value; when there are too many, any other is forgotten.
func (k *kept[V]) put(key string, v V) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, had := k.m[key]; !had && len(k.m) >= k.most {
		for other := range k.m {
			delete(k.m, other)
			break
		}
	}
	k.m[key] = v
}

func (k *kept[V]) drop(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.m, key)
}
