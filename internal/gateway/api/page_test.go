package api

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

func get(h http.Handler, path, encoding string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil)
	r.Header.Set("Accept-Encoding", encoding)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestPage_ThePageHasANonce: every answer lets those scripts run that it itself names, and no
// others.
func TestPage_ThePageHasANonce(t *testing.T) {
	t.Parallel()
	script := strings.Repeat("export const a = 1;\n", 200)
	h := DoorsOf(Parts{Page: fstest.MapFS{
		"index.html":       {Data: []byte(`<meta property="csp-nonce" nonce="__NONCE__"><script type="module" nonce="__NONCE__" src="/assets/a-1.js"></script><meta name="chela-log" content="__LOG__">`)},
		"assets/a-1.js":    {Data: []byte(script)},
		"assets/tiny-1.js": {Data: []byte("1")},
	}})
	nonces := make(map[string]bool)
	for _, path := range []string{"/", "/runs/run_1", "/index.html", "/tickets/"} {
		w := get(h, path, "gzip")
		m := regexp.MustCompile(`^default-src 'none'; script-src 'nonce-(\w{26,})' 'strict-dynamic'; style-src 'self' 'nonce-(\w{26,})'; img-src 'self' data: blob:;`).FindStringSubmatch(w.Header().Get("Content-Security-Policy"))
		if m == nil || m[1] != m[2] {
			t.Fatalf("%s has the policy %q", path, w.Header().Get("Content-Security-Policy"))
		}
		if strings.Count(w.Body.String(), `nonce="`+m[1]+`"`) != 2 || strings.Contains(w.Body.String(), "__") || !strings.Contains(w.Body.String(), `name="chela-log" content=""`) {
			t.Errorf("%s is %s", path, w.Body)
		}
		for _, want := range []string{"object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"} {
			if !strings.Contains(w.Header().Get("Content-Security-Policy"), want) {
				t.Errorf("%s lacks %s", path, want)
			}
		}
		if strings.Contains(w.Header().Get("Content-Security-Policy"), "unsafe") || w.Header().Get("Cache-Control") != "no-store" || w.Code != http.StatusOK {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
		nonces[m[1]] = true
	}
	if len(nonces) != 4 {
		t.Errorf("a nonce came twice: %v", nonces)
	}
	if w := get(h, "/version", ""); w.Header().Get("Content-Security-Policy") != "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'" {
		t.Errorf("what is no page has the policy %q", w.Header().Get("Content-Security-Policy"))
	}
	packed := get(h, "/assets/a-1.js", "br, gzip;q=0.8")
	z, err := gzip.NewReader(packed.Body)
	if err != nil || packed.Header().Get("Content-Encoding") != "gzip" || packed.Header().Get("Vary") != "Accept-Encoding" || !strings.Contains(packed.Header().Get("Cache-Control"), "immutable") {
		t.Fatalf("%v %v", err, packed.Header())
	}
	if raw, err := io.ReadAll(z); err != nil || string(raw) != script || !strings.HasPrefix(packed.Header().Get("Content-Type"), "text/javascript") {
		t.Errorf("%v %d bytes, %v", err, len(raw), packed.Header())
	}
	for _, encoding := range []string{"", "br", "gzip;q=0"} {
		if w := get(h, "/assets/a-1.js", encoding); w.Body.String() != script || w.Header().Get("Content-Encoding") != "" {
			t.Errorf("for %q: %v", encoding, w.Header())
		}
	}
	if w := get(h, "/assets/tiny-1.js", "gzip"); w.Header().Get("Content-Encoding") != "" {
		t.Error("what gets no smaller is compressed")
	}
	if w := get(h, "/assets/gone-1.js", "gzip"); w.Code != http.StatusNotFound || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("an asset of another version: %d %v", w.Code, w.Header())
	}
	if w := get(h, "/api/nothing", ""); w.Code != http.StatusNotFound {
		t.Errorf("a route that is not there: %d", w.Code)
	}
}

func TestPage_WhoTakesGzip(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		"gzip": true, "br, GZIP": true, "br;q=1, gzip;q=0.2": true, "gzip ; q = 1": true,
		"": false, "br": false, "gzip;q=0": false, "gzip; q=0.000": false, "gzip;q=x": false, "xgzip": false, "gzip;q=-1": false,
	} {
		if got := takesGzip(header); got != want {
			t.Errorf("%q: %v", header, got)
		}
	}
}

// FuzzTakesGzip: only who names gzip gets it, whatever else the header says.
func FuzzTakesGzip(f *testing.F) {
	f.Add("br;q=1, gzip;q=0.2")
	f.Add("gzip;q=0, *")
	f.Add("gzip;q=NaN;;=,")
	f.Fuzz(func(t *testing.T, header string) {
		if takesGzip(header) && !strings.Contains(strings.ToLower(header), "gzip") {
			t.Errorf("%q is taken for gzip", header)
		}
		if takesGzip("gzip;q=0," + header) {
			t.Errorf("who refuses gzip gets it because of %q", header)
		}
	})
}
