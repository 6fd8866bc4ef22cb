package pattern_test

import (
	"regexp"
	"sync"
	"testing"

	"chela/internal/pattern"
)

var date = pattern.New(`(\d+)-(\d+)`)

func TestPattern_APatternIsTheExpression(t *testing.T) {
	t.Parallel()
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if m := date.FindStringSubmatch("on 11-21"); len(m) != 3 || m[1] != "11" || m[2] != "21" {
				t.Errorf("%v", m)
			}
		})
	}
	wait.Wait()
	if got, want := date.ReplaceAllString("1-2 3-4", "$2/$1"), regexp.MustCompile(`(\d+)-(\d+)`).ReplaceAllString("1-2 3-4", "$2/$1"); got != want {
		t.Errorf("%q is not %q", got, want)
	}
}

func TestPattern_AWrongPatternPanicsWhenUsed(t *testing.T) {
	t.Parallel()
	p := pattern.New(`(`)
	defer func() {
		if recover() == nil {
			t.Error("nothing was said")
		}
	}()
	p.MatchString("x")
}
