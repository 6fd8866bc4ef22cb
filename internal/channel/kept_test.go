package channel

import "testing"

func TestKept(t *testing.T) {
	t.Parallel()
	k := NewKept[int](2)
	for i, key := range []string{"a", "b", "a", "c"} {
		k.Put(key, i)
		k.Drop("b")
	}
	k.Put("b", 7)
	for key, want := range map[string]int{"a": 0, "b": 7, "c": 3} {
		if got, ok := k.Get(key); got != want || ok != (want != 0) {
			t.Errorf("%s: %d, %v", key, got, ok)
		}
	}
	if len(k.m) != 2 || len(k.order) != 2 {
		t.Errorf("it has %v", k.order)
	}
}

func TestKept_ByName(t *testing.T) {
	t.Parallel()
	made := 0
	b := NewByName(func() int { made++; return made })
	if a, other, again := b.Of("a"), b.Of("b"), b.Of("a"); a != 1 || other != 2 || again != 1 {
		t.Errorf("%d, %d, %d", a, other, again)
	}
}
