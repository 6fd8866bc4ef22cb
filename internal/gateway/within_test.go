package gateway

import (
	"net/url"
	"strings"
	"testing"
)

func TestWithin(t *testing.T) {
	t.Parallel()
	for to, want := range map[string]string{
		"": "/", "/": "/", "/today": "/today", "/today?project=prj_1&asOf=2026-03-01": "/today?project=prj_1&asOf=2026-03-01",
		"//example.com": "/", "https://example.com/today": "/", "today": "/", "/\\example.com": "/", "/%2f/example.com": "/", "/a\r\nLocation: x": "/", "javascript:alert(1)": "/",
	} {
		if got := within(to); got != want {
			t.Errorf("%q: got %q, want %q", to, got, want)
		}
	}
}

func FuzzWithin(f *testing.F) {
	for _, s := range []string{"/today", "//x", "/\\x", "/%2fx", "/a?b=//c", "http://x/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, to string) {
		got := within(to)
		u, err := url.Parse(got)
		if err != nil || u.Host != "" || u.Scheme != "" || !strings.HasPrefix(got, "/") || strings.HasPrefix(got, "//") || strings.HasPrefix(got, "/\\") {
			t.Errorf("%q leads to %q", to, got)
		}
	})
}
