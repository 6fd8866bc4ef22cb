package browser_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"
)

// TestBrowser_AsksNoHostOnItsOwn: while a page with forms and another language is open, nobody is
// asked but the page's own server. The page says itself when it was open long enough.
func TestBrowser_AsksNoHostOnItsOwn(t *testing.T) {
	t.Parallel()
	if !installed(t) {
		return
	}
	over := make(chan struct{})
	var once sync.Once
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/over" {
			once.Do(func() { close(over) })
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<html lang=fr><title>x</title><form><input type=email name=e><input type=password name=p></form>
			Bonjour tout le monde, voici un texte.<script>setTimeout(() => fetch("/over"), 8000)</script></html>`)) // the test looks at what is asked
	}))
	t.Cleanup(s.Close)
	var mu sync.Mutex
	asked := make(map[string]int)
	w := newWorld(t, policy(t, "127.0.0.0/8"), options(t))
	w.onward = func(_ context.Context, address string) error {
		mu.Lock()
		defer mu.Unlock()
		asked[address]++
		return nil
	}
	shown := w.do("browser_navigate", `{"url":%q}`, s.URL+"/")
	select {
	case <-over:
	case <-time.After(90 * time.Second):
		t.Fatal("the page did not stay open")
	}
	mu.Lock()
	defer mu.Unlock()
	own, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	for address := range asked {
		if u, err := url.Parse(address); err != nil || u.Host != own.Host {
			t.Errorf("the browser asked for %s by itself, %d times", address, asked[address])
		}
	}
	if len(asked) == 0 || len(shown.Refused) > 0 {
		t.Errorf("got %v asked and %v refused, want the page alone", asked, shown.Refused)
	}
}
