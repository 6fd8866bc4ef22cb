package cli

import "testing"

func TestCounted_WritesThePlural(t *testing.T) {
	t.Parallel()
	if got, want := counted(map[string]int{"delta_pack": 2, "memory": 2, "ticket": 1}), "2 delta packs, 2 memories, 1 ticket"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := counted(nil); got != "no records" {
		t.Errorf("of none it says %q", got)
	}
}
