package api_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"chela/internal/tool/browser"
)

// TestOrigin_Headers says which requests of a browser are let in, by what it says of the page.
func TestOrigin_Headers(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	for _, c := range []struct {
		name, method string
		headers      []string
		denied       bool
	}{
		{"a program", "POST", nil, false},
		{"our page", "POST", []string{"Origin", e.url, "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors"}, false},
		{"our page in an old browser", "POST", []string{"Origin", e.url}, false},
		{"another port", "POST", []string{"Origin", "http://127.0.0.1:1"}, true},
		{"another name of this machine", "POST", []string{"Origin", strings.Replace(e.url, "127.0.0.1", "localhost", 1)}, true},
		{"another scheme", "POST", []string{"Origin", "ftp" + strings.TrimPrefix(e.url, "http")}, true},
		{"no origin that can be named", "POST", []string{"Origin", "null"}, true},
		{"another port that reads", "GET", []string{"Origin", "http://127.0.0.1:1"}, true},
		{"another port, as browsers say it", "POST", []string{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "no-cors"}, true},
		{"another port that reads, as browsers say it", "GET", []string{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "no-cors"}, true},
		{"a form of another site", "POST", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, true},
		{"a link of another site", "GET", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, false},
		{"an address that was typed", "GET", []string{"Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate"}, false},
	} {
		path, body := "/api/me", ""
		if c.method == "POST" {
			path, body = "/api/chat", `{"text":"/help"}`
		}
		code, said, _ := e.send(e.owner, c.method, path, body, c.headers...)
		if (code == http.StatusForbidden) != c.denied || !c.denied && code >= 300 {
			t.Errorf("%s: %d %s, want denied: %v", c.name, code, said, c.denied)
		}
	}
}

// attack is a page that tries all by which a page sends something elsewhere.
const attack = `<!doctype html><title>waits</title><iframe name="frame"></iframe><script>
const at = %q
const form = (action, kind, name, value) => { const f = document.createElement('form'); Object.assign(f, { method: 'POST', action, enctype: kind, target: 'frame' }); const i = document.createElement('input'); Object.assign(i, { name, value }); f.append(i); document.body.append(f); f.submit() }
const body = JSON.stringify({ text: '/help' })
const tries = [
  ...['no-cors', 'cors'].flatMap((mode) => ['text/plain', 'application/json', 'application/x-www-form-urlencoded', ''].map((kind) =>
    () => fetch(at + '/api/chat', { method: 'POST', mode, credentials: 'include', body: new Blob([body], { type: kind }) }))),
  () => fetch(at + '/api/login-link', { method: 'POST', mode: 'no-cors', credentials: 'include' }),
  () => fetch(at + '/api/me', { credentials: 'include' }),
  () => fetch(at + '/api/persons/per_x', { method: 'DELETE', credentials: 'include' }),
  () => navigator.sendBeacon(at + '/api/chat', body),
  () => new Promise((r) => { const i = new Image(); i.onload = i.onerror = r; i.src = at + '/api/log/export' }),
  () => form(at + '/api/chat', 'text/plain', body.slice(0, -1) + ',"channel":"', 'api"}'),
  () => form(at + '/api/intake/upload', 'multipart/form-data', 'projectId', 'x'),
];
(async () => {
  let read = 0
  for (const t of tries) { try { const r = await t(); if (r && r.ok && r.type !== 'opaque') read++ } catch {} }
  await new Promise((r) => setTimeout(r, 500))
  document.title = 'read ' + read
})()
</script>`

// chromium returns a browser, or skips the test where there is none.
func chromium(t *testing.T) context.Context {
	t.Helper()
	path, err := browser.Find(os.Getenv("CHELA_CHROMIUM"))
	if err != nil {
		if os.Getenv("CHELA_NEEDS_CHROMIUM") != "" {
			t.Fatal("this test shall run with Chromium, which is not there; script/browser-ready installs it")
		}
		t.Skip("there is no Chromium; script/browser-ready installs it")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.Flag("no-sandbox", true))...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	return ctx
}

// TestOrigin_PageOfAnotherPort opens a page of another port beside two daemons in which the same
// browser is logged in: it changes nothing and reads nothing, and one login does not end the other.
func TestOrigin_PageOfAnotherPort(t *testing.T) {
	t.Parallel()
	ctx := chromium(t)
	e, other := newEdge(t), newEdge(t)
	login := func(e *edge) string {
		var link struct {
			Path string `json:"path"`
		}
		e.call(e.owner, http.MethodPost, "/api/login-link", nil, &link)
		return e.url + link.Path
	}
	me := func(e *edge) string {
		if err := chromedp.Do(ctx, chromedp.Navigate(e.url+"/api/me")); err != nil {
			t.Fatal(err)
		}
		said, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.body.innerText`))
		if err != nil {
			t.Fatal(err)
		}
		return said
	}
	for _, to := range []string{login(e), login(other)} {
		if err := chromedp.Do(ctx, chromedp.Navigate(to)); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range []*edge{e, other} {
		if said := me(e); !strings.Contains(said, `"name":"Owner"`) {
			t.Fatalf("one of two daemons answers %s, want the Owner", said)
		}
	}
	end := func() (n int64) {
		var page struct {
			End int64 `json:"end"`
		}
		e.call(e.owner, http.MethodGet, "/api/log?newest=true&limit=1", nil, &page)
		return page.End
	}
	tokens := func() int {
		var list []any
		e.call(e.owner, http.MethodGet, "/api/tokens", nil, &list)
		return len(list)
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, attack, e.url)
	}))
	t.Cleanup(site.Close)
	before, had := end(), tokens()
	if err := chromedp.Do(ctx, chromedp.Navigate(site.URL)); err != nil {
		t.Fatal(err)
	}
	title := "waits"
	for title == "waits" {
		select {
		case <-ctx.Done():
			t.Fatal("the page did not come to its end")
		case <-time.After(50 * time.Millisecond):
		}
		if now, err := chromedp.Run(ctx, chromedp.Title()); err == nil { // its frames come and go, and with them what is asked
			title = now
		}
	}
	if title != "read 0" {
		t.Errorf("the page of another port has %s answers, want none", strings.TrimPrefix(title, "read "))
	}
	if after, has := end(), tokens(); after != before || has != had {
		t.Errorf("the log ended at %d and then at %d, and there were %d tokens and then %d; want no change", before, after, had, has)
	}
}
