package document_test

import (
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"chela/internal/document"
)

// TestPage_PagesThatWouldTakeForever are read all the same, within a moment: each of these took
// hours or all memory before it was bounded.
func TestPage_PagesThatWouldTakeForever(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]string{
		"brackets": strings.Repeat("*_`[", 1_250_000),
		"spans":    "<table><tr><td>a<td>b<tr>" + strings.Repeat("<td colspan=1000 rowspan=60000>a", 10_000),
		"wide":     "<table><tr>" + strings.Repeat("<td>a", 20_000) + strings.Repeat("<tr><td>b", 20_000),
		"deep":     strings.Repeat("<div>", 500_000) + "a",
	} {
		start := time.Now()
		p, err := document.ReadPage([]byte(s), "text/html", &url.URL{Scheme: "https", Host: "example.com"})
		if took := time.Since(start); err != nil || took > 10*time.Second || !strings.Contains(p.Text, "a") && name != "brackets" || p.Text == "" {
			t.Errorf("%s took %s: %d bytes, %v", name, took, len(p.Text), err)
		}
	}
}

// FuzzReadPage: any bytes become text, its links lead to the web, and nothing breaks.
func FuzzReadPage(f *testing.F) {
	for _, s := range []string{
		"", "<title>a</title><p>b", "<a href='//x/y'>z</a>", strings.Repeat("<b><table><tr><td>", 300), "<meta charset=utf-16>\x00a", "<svg><title>x</title></svg>",
		"<article>" + strings.Repeat("<p>A sentence, with a comma, and some more words.</p>", 10) + "</article>", "<pre><code>```\n</code></pre>", "<base href='http://[::1'>",
	} {
		f.Add([]byte(s), "text/html")
	}
	f.Add([]byte("\x93\xfa"), "text/html; charset=shift_jis")
	f.Fuzz(func(t *testing.T, raw []byte, kind string) {
		p, err := document.ReadPage(raw, kind, &url.URL{Scheme: "https", Host: "example.com", Path: "/a"})
		if err != nil {
			return
		}
		if !utf8.ValidString(p.Text) || !utf8.ValidString(p.Title) {
			t.Errorf("%q became %q", raw, p.Text)
		}
		for _, l := range p.Links {
			if !strings.HasPrefix(l.URL, "http://") && !strings.HasPrefix(l.URL, "https://") {
				t.Errorf("a link leads to %q", l.URL)
			}
		}
	})
}
