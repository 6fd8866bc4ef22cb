package browser_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"chela/internal/fault"
	"chela/internal/tool/browser"
)

// eats takes 700 MB of memory and says when it has them.
const eats = `<title>eating</title><script>const all = [], bite = () => {
	const b = new Uint8Array(20 << 20); b.fill(7); all.push(b);
	if (all.length < 35) setTimeout(bite, 10); else document.title = "full";
}; bite()</script>`

// spins keeps the processor busy, beside the page.
const spins = `<title>spinning</title><script>new Worker(URL.createObjectURL(new Blob(["for (;;) {}"])))</script>`

// TestBounds_ABrowserIsBounded: one whose page takes too much is closed, with all its processes, and
// the agent is told. The twins have room: there the same pages go on.
func TestBounds_ABrowserIsBounded(t *testing.T) { //nolint:paralleltest // it counts this process's browsers
	if !browser.Bounded || !installed(t) {
		return // nothing is promised
	}
	s := serve(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/spins" {
			html(w, spins)
			return
		}
		html(w, eats)
	})
	wait := func(what string, done func() bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !done(); <-time.After(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s does not happen", what)
			}
		}
	}
	narrow := options(t)
	narrow.Memory = 500 << 20
	w := newWorld(t, policy(t, "127.0.0.1"), narrow)
	_, err := w.try("browser_navigate", `{"url":"`+s.URL+`/eats"}`)
	wait("the end of the one that eats", func() bool { return !w.browsers.Alive(w.thread) })
	if err == nil {
		_, err = w.try("browser_content", `{}`)
	}
	if fault.KindOf(err) != fault.TooLarge || !strings.Contains(fault.TextOf(err), "more than 500 MB of memory") {
		t.Errorf("it is said: %v", err)
	}
	wait("the end of its processes", func() bool { return len(processes(t)) == 0 })
	if p := w.do("browser_navigate", `{"url":%q}`, s.URL+"/spins"); p.Title != "spinning" {
		t.Errorf("afterwards: %+v", p)
	}
	w.browsers.Close()

	idle := options(t)
	idle.Processor = 3 * time.Second
	w = newWorld(t, policy(t, "127.0.0.1"), idle)
	began := time.Now()
	w.do("browser_navigate", `{"url":%q}`, s.URL+"/spins")
	wait("the end of the one that spins", func() bool { return !w.browsers.Alive(w.thread) })
	took := time.Since(began)
	if _, err := w.try("browser_snapshot", `{}`); fault.KindOf(err) != fault.TooLarge || !strings.Contains(fault.TextOf(err), "processor busy for more than 3s") {
		t.Errorf("it is said: %v", err)
	}

	wide := options(t)
	wide.Memory = 3 << 30
	w = newWorld(t, policy(t, "127.0.0.1"), wide)
	w.do("browser_navigate", `{"url":%q}`, s.URL+"/spins")
	<-time.After(took)
	w.do("browser_tabs", `{"action":"open","url":%q}`, s.URL+"/eats")
	wait("the meal", func() bool {
		p, err := w.try("browser_content", `{}`)
		if err != nil {
			t.Fatal("where there is room it is ended too: ", err)
		}
		return p.Title == "full"
	})
}
