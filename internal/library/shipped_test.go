package library_test

import (
	"strings"
	"testing"

	"chela/internal/definition"
	"chela/internal/instance"
	"chela/internal/library"
)

// TestShipped_TestsHold plays the tests of every workflow that comes with Chela.
func TestShipped_TestsHold(t *testing.T) {
	t.Parallel()
	if n := len(library.Shipped()); n != 8 {
		t.Errorf("%d workflows are shipped, want 8", n)
	}
	for _, slug := range library.Shipped() {
		raw, err := library.ShippedSource(slug)
		if err != nil {
			t.Fatal(err)
		}
		c, problems := definition.ReadFile(raw)
		if problems != nil {
			t.Errorf("%s", problems.In(slug+".yaml"))
			continue
		}
		if c.Slug != slug || len(c.Tests) < 2 || len(c.Examples) == 0 || c.Description == "" {
			t.Errorf("%s has the slug %s, %d tests and %d examples", slug, c.Slug, len(c.Tests), len(c.Examples))
		}
		for _, test := range c.Tests {
			t.Run(slug+"/"+test.Name, func(t *testing.T) {
				t.Parallel()
				if got := instance.Test(t.Context(), c, test); !got.OK {
					t.Errorf("%s", strings.Join(got.Failed, "\n"))
				}
			})
		}
	}
}
