package client

import "testing"

func TestNarrowed_LeavesOutWhatIsZero(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ got, want string }{
		"nothing":    {narrowed("a", "", "b", 0, "c", false, "d", []string(nil)), ""},
		"everything": {narrowed("a", "x y", "b", 3, "c", true, "d", []string{"1", "2"}), "?a=x+y&b=3&c=true&d=1%2C2"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", name, c.got, c.want)
		}
	}
}

func TestValue_OfWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	if got := Value[int](nil); got != 0 {
		t.Errorf("got %d, want 0", got)
	}
	if Given("") != nil || Value(Given("a")) != "a" {
		t.Error("a zero value is given, or another one is not")
	}
}
