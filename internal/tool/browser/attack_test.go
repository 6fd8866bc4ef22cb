package browser_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"

	"chela/internal/fault"
	"chela/internal/guard"
	"chela/internal/testkit/dnstest"
	"chela/internal/tool"
	"chela/internal/tool/browser"
)

// names answers lookups of names: each with the list of addresses whose turn it is, the
// last from then on.
func names(t *testing.T, turn *atomic.Int32, answers map[string][][]string) *net.Resolver {
	t.Helper()
	return dnstest.Resolver(t, func(name string) []string {
		list := answers[name]
		if len(list) == 0 {
			return nil
		}
		return list[min(int(turn.Load()), len(list)-1)]
	})
}

// A hidden service lies inside: it hears connections and packets, whatever they say.
type hidden struct {
	port    string
	tcp     atomic.Int32
	packets atomic.Int32
}

// hide listens at 127.0.0.2, over TCP and UDP.
func hide(t *testing.T) *hidden {
	t.Helper()
	h := new(hidden)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.2:0")
	if err != nil {
		t.Fatal(err)
	}
	_, h.port, _ = net.SplitHostPort(l.Addr().String())
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		html(w, "<title>inside</title>the secret")
	}))
	s.Listener = l
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			h.tcp.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	u, err := new(net.ListenConfig).ListenPacket(t.Context(), "udp", "127.0.0.2:"+h.port)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = u.Close(); <-done })
	go func() {
		defer close(done)
		buf := make([]byte, 1500)
		for {
			if _, _, err := u.ReadFrom(buf); err != nil {
				return
			}
			h.packets.Add(1)
		}
	}()
	return h
}

// attacks are pages that try to get inside. Each says in its title when it is done; {inside}
// is where the service lies.
var attacks = map[string]string{
	"a fetch":         `fetch("http://{inside}/").then(r => r.text(), e => "").then(t => document.title = "done " + t)`,
	"a blind fetch":   `fetch("http://{inside}/", {mode: "no-cors", method: "POST", body: "x"}).finally(() => document.title = "done")`,
	"a WebSocket":     `const w = new WebSocket("ws://{inside}/"); w.onclose = w.onopen = () => document.title = "done"`,
	"secure sockets":  `const w = new WebSocket("wss://{inside}/"); w.onclose = w.onopen = () => document.title = "done"`,
	"an event stream": `const w = new EventSource("http://{inside}/"); w.onerror = w.onopen = () => { w.close(); document.title = "done" }`,
	"a picture":       `const i = new Image(); i.onerror = i.onload = () => document.title = "done"; i.src = "http://{inside}/"`,
	"a frame":         `const f = document.createElement("iframe"); f.onload = f.onerror = () => document.title = "done"; f.src = "http://{inside}/"; document.body.append(f)`,
	"a script":        `const s = document.createElement("script"); s.onload = s.onerror = () => document.title = "done"; s.src = "http://{inside}/"; document.body.append(s)`,
	"a beacon":        `navigator.sendBeacon("http://{inside}/", "x"); fetch("/wait").finally(() => document.title = "done")`,
	"a worker":        `const w = new Worker(URL.createObjectURL(new Blob(['fetch("http://{inside}/").finally(() => postMessage(1))']))); w.onmessage = () => document.title = "done"`,
	"a rebound name":  `fetch("http://rebound.example:{port}/").then(r => r.text(), e => "").then(t => document.title = "done " + t)`,
	"another form":    `fetch("http://2130706434:{port}/").then(r => r.text(), e => "").then(t => document.title = "done " + t)`,
	"a mapped one":    `fetch("http://[::ffff:127.0.0.2]:{port}/").then(r => r.text(), e => "").then(t => document.title = "done " + t)`,
	"a navigation":    `location = "http://{inside}/"`,
	"a refresh":       `const m = document.createElement("meta"); m.httpEquiv = "refresh"; m.content = "0;url=http://{inside}/"; document.head.append(m)`,
}

// webRTC sends packets instead of opening connections.
const webRTC = `const c = new RTCPeerConnection({iceServers: [{urls: "stun:{inside}"}, {urls: "turn:{inside}?transport=tcp", username: "a", credential: "b"}]});
	c.createDataChannel("x"); c.createOffer().then(o => c.setLocalDescription(o)); fetch("/wait").finally(() => document.title = "done")`

// attack shows a page that attacks, waits until it is done, and says what reached the
// inside, and whether any page or result shows the secret.
func attack(t *testing.T, w *world, h *hidden, script string) (connections, sent int32, told string) {
	t.Helper()
	script = strings.NewReplacer("{inside}", "127.0.0.2:"+h.port, "{port}", h.port).Replace(script)
	s := serve(t, "127.0.0.1:0", func(out http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			select {
			case <-time.After(500 * time.Millisecond): // what is blind has this long
			case <-r.Context().Done():
			}
		}
		html(out, "<!doctype html><body><script>"+script+"</script>")
	})
	tcp, udp := h.tcp.Load(), h.packets.Load()
	p := w.do("browser_tabs", `{"action":"open","url":"http://outside.example:%s/"}`, s.URL[strings.LastIndexByte(s.URL, ':')+1:])
	tab := p.Tabs[len(p.Tabs)-1].Tab
	for deadline := time.Now().Add(20 * time.Second); ; {
		p, err := w.try("browser_content", `{}`)
		gone := err != nil || !strings.Contains(p.URL, "outside.example") || strings.HasPrefix(p.Title, "done")
		if gone || time.Now().After(deadline) {
			if !gone {
				t.Errorf("the attack does not end: %+v", p)
			}
			told = p.Title + p.Text
			break
		}
		<-time.After(20 * time.Millisecond)
	}
	w.do("browser_tabs", `{"action":"close","tab":%q}`, tab)
	return h.tcp.Load() - tcp, h.packets.Load() - udp, told
}

// TestAttack_Hole9PagesDoNotGetInside: whatever a page tries, the browser connects to no address
// that the policy does not open. The twins show that each attack works where it does.
func TestAttack_Hole9PagesDoNotGetInside(t *testing.T) {
	t.Parallel()
	if !installed(t) {
		return
	}
	h := hide(t)
	r := func() *net.Resolver {
		return names(t, new(atomic.Int32), map[string][][]string{"outside.example.": {{"127.0.0.1"}}, "rebound.example.": {{"127.0.0.2"}}})
	}
	held := newWorld(t, policy(t, "127.0.0.1"), options(t).With(r()))
	open := newWorld(t, policy(t, "127.0.0.0/8"), options(t).With(r()))
	for name, script := range attacks {
		if n, _, told := attack(t, held, h, script); n > 0 || strings.Contains(told, "the secret") {
			t.Errorf("%s: %d connections; it was told %q", name, n, told)
		}
		if n, _, _ := attack(t, open, h, script); n == 0 {
			t.Errorf("%s does not get inside where it may, so this test shows nothing", name)
		}
		for _, w := range []*world{held, open} {
			for _, left := range w.do("browser_tabs", `{"action":"list"}`).Tabs {
				w.do("browser_tabs", `{"action":"close","tab":%q}`, left.Tab)
			}
		}
	}
	if n, sent, _ := attack(t, held, h, webRTC); n > 0 || sent > 0 {
		t.Errorf("WebRTC: %d connections, %d packets", n, sent)
	}
	loose := newWorld(t, policy(t, "127.0.0.1"), options(t).With(r(), chromedp.Flag("force-webrtc-ip-handling-policy", "default"), chromedp.Flag("webrtc-ip-handling-policy", "default")))
	if _, sent, _ := attack(t, loose, h, webRTC); sent == 0 {
		t.Error("WebRTC sends no packets where it may, so this test shows nothing")
	}
}

// originOf is where an address leads; of one that names somebody the browser may still show that.
func originOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Scheme + "://" + u.Hostname()
}

// TestAttack_Hole9AddressesAreRefused: what is asked for itself, and what that leads to.
func TestAttack_Hole9AddressesAreRefused(t *testing.T) {
	t.Parallel()
	if !installed(t) {
		return
	}
	h := hide(t)
	var to atomic.Value
	s := serve(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/407" {
			w.Header().Set("Proxy-Authenticate", `Basic realm="chela"`)
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		if next, ok := to.Load().(string); ok && r.URL.Path == "/" {
			http.Redirect(w, r, next, http.StatusFound)
			return
		}
		html(w, "<title>first</title>")
	})
	port := s.URL[strings.LastIndexByte(s.URL, ':')+1:]
	second := serve(t, "127.0.0.3:"+port, func(w http.ResponseWriter, _ *http.Request) { html(w, "<title>second</title>") })
	var turn atomic.Int32 // a browser may look a name up more than once for a page
	lookups := map[string][][]string{
		"rebinding.example.": {{"127.0.0.1"}, {"127.0.0.3"}}, "mixed.example.": {{"127.0.0.3", "127.0.0.1"}},
	}
	w := newWorld(t, policy(t, "127.0.0.1"), options(t).With(names(t, &turn, lookups)))
	inside := []string{
		"http://127.0.0.2:" + h.port, "https://127.0.0.2:" + h.port, "http://169.254.169.254/latest/meta-data/", "http://[::1]:" + h.port, "http://10.0.0.1/",
		"http://[::ffff:127.0.0.2]:" + h.port, "http://[64:ff9b::7f00:2]:" + h.port,
	}
	for _, a := range inside {
		if _, err := w.try("browser_navigate", fmt.Sprintf(`{"url":%q}`, a)); fault.KindOf(err) != fault.Denied || !strings.Contains(fault.TextOf(err), "network in the policy") {
			t.Errorf("%s: %v", a, err)
		}
		to.Store(a)
		if _, err := w.try("browser_navigate", fmt.Sprintf(`{"url":%q}`, s.URL)); fault.KindOf(err) != fault.Denied || !strings.Contains(fault.TextOf(err), "network in the policy") {
			t.Errorf("led on to %s: %v", a, err)
		}
	}
	for _, a := range []string{"file:///etc/passwd", "chrome://version", "javascript:alert(1)", "data:text/html,x", "http://ann:b@127.0.0.1/", "http://0x7f.1/", "view-source:http://127.0.0.1/"} {
		if _, err := w.try("browser_navigate", fmt.Sprintf(`{"url":%q}`, a)); err == nil {
			t.Errorf("%s is opened", a)
		}
		to.Store(a)
		if p, err := w.try("browser_navigate", fmt.Sprintf(`{"url":%q}`, s.URL)); err == nil && originOf(t, p.URL) != "http://127.0.0.1" && !strings.HasPrefix(p.URL, "chrome-error:") {
			t.Errorf("led on to %s: %+v", a, p)
		}
	}
	if p, err := w.try("browser_navigate", fmt.Sprintf(`{"url":"http://rebinding.example:%s/a"}`, port)); err != nil || p.Title != "first" {
		t.Errorf("the first lookup: %+v %v", p, err)
	}
	turn.Store(1)
	if _, err := w.try("browser_navigate", fmt.Sprintf(`{"url":"http://rebinding.example:%s/b"}`, port)); fault.KindOf(err) != fault.Denied {
		t.Errorf("the second lookup: %v", err)
	}
	if p, err := w.try("browser_navigate", fmt.Sprintf(`{"url":"http://mixed.example:%s/a"}`, port)); err != nil || p.Title != "first" {
		t.Errorf("one of several: %+v %v", p, err)
	}
	if n := len(second.asked()); n != 0 || h.tcp.Load() != 0 {
		t.Errorf("inside heard %d and %d connections", n, h.tcp.Load())
	}
	// A server that plays the proxy does not make Chromium forget its secret.
	if _, err := w.try("browser_navigate", fmt.Sprintf(`{"url":%q}`, s.URL+"/407")); err == nil {
		t.Error("a server plays the proxy")
	}
	if p := w.do("browser_navigate", `{"url":%q}`, s.URL+"/a"); p.Title != "first" {
		t.Errorf("afterwards: %+v", p)
	}
}

// TestAttack_TheProxyIsOfOneBrowser: without the secret there is no way through it.
func TestAttack_TheProxyIsOfOneBrowser(t *testing.T) {
	t.Parallel()
	s := serve(t, "127.0.0.1:0", func(w http.ResponseWriter, _ *http.Request) { html(w, "served") })
	p, err := browser.NewProxy(t.Context(), policy(t, "127.0.0.1"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	through := func(user *url.Userinfo) (int, string) {
		c := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: p.Address(), User: user}), DisableKeepAlives: true}}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		raw, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(raw)
	}
	for _, u := range []*url.Userinfo{nil, url.UserPassword("chela", ""), url.UserPassword("chela", "guess"), url.User(p.Secret())} {
		if status, _ := through(u); status != http.StatusProxyAuthRequired {
			t.Errorf("%s gets %d", u, status)
		}
	}
	tunnel := func(target, auth string) string {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", p.Address())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %s\r\nProxy-Authorization: Basic %s\r\n\r\n", target, target, auth)
		buf := make([]byte, 12)
		if _, err := io.ReadFull(c, buf); err != nil {
			t.Fatal(err)
		}
		return string(buf[9:])
	}
	good := base64.StdEncoding.EncodeToString([]byte("chela:" + p.Secret()))
	to := s.Listener.Addr().String()
	for _, c := range [][3]string{{to, "", "407"}, {to, base64.StdEncoding.EncodeToString([]byte("chela:x")), "407"}, {"127.0.0.2:80", good, "403"}, {"127.0.0.1", good, "502"}, {":", good, "403"}, {to, good, "200"}} {
		if got := tunnel(c[0], c[1]); got != c[2] {
			t.Errorf("CONNECT %s says %s, want %s", c[0], got, c[2])
		}
	}
	if n := len(s.asked()); n != 0 {
		t.Errorf("%d requests came through", n)
	}
	if status, body := through(url.UserPassword("chela", p.Secret())); status != 200 || body != "served" {
		t.Errorf("with the secret: %d %s", status, body)
	}
}

// TestAttack_ChromiumKnowsNothing: neither the daemon's environment nor its user.
func TestAttack_ChromiumKnowsNothing(t *testing.T) { //nolint:paralleltest // it sets the environment
	if !installed(t) {
		return
	}
	t.Setenv("CHELA_TEST_SECRET", "hush")
	s := serve(t, "127.0.0.1:0", func(w http.ResponseWriter, _ *http.Request) { html(w, "<title>a</title>") })
	o := options(t)
	w := newWorld(t, policy(t, "127.0.0.1"), o)
	w.do("browser_navigate", `{"url":%q}`, s.URL)
	found := processes(t)
	if len(found) != 1 {
		t.Fatalf("there are %v", found)
	}
	dir := strings.TrimSuffix(found[0], "/status")
	env, err := os.ReadFile(dir + "/environ")
	if err != nil || strings.Contains(string(env), "hush") || !strings.Contains(string(env), "HOME=") {
		t.Errorf("its environment is %q (%v)", env, err)
	}
	args, err := os.ReadFile(dir + "/cmdline")
	if err != nil || strings.Contains(string(args), "--remote-debugging-port") || strings.Contains(string(args), "--no-sandbox") != o.Unsandboxed {
		t.Errorf("it runs as %q (%v)", args, err)
	}
	status, err := os.ReadFile(found[0])
	if err != nil || strings.Contains(string(status), "Uid:\t0\t") {
		t.Errorf("it runs as root: %s (%v)", status, err)
	}
}

// FuzzOutline: any tree, however broken, becomes lines, and refs that are all different.
func FuzzOutline(f *testing.F) {
	f.Add("1button\x00a\x002\n2link\x00b\x001", 3)
	f.Add("1StaticText\x00x\x001,1", 0)
	f.Fuzz(func(t *testing.T, text string, backend int) {
		var nodes []*accessibility.Node
		for i, line := range strings.Split(text, "\n") {
			part := append(strings.SplitN(line, "\x00", 3), "", "", "")
			n := &accessibility.Node{BackendDOMNodeID: cdp.BackendNodeID(backend + i)}
			if len(part[0]) > 0 {
				n.NodeID = accessibility.NodeID(part[0][:1])
				n.Role = &accessibility.Value{Value: []byte(`"` + part[0][1:] + `"`)}
			}
			n.Name = &accessibility.Value{Value: []byte(part[1])}
			for _, id := range strings.Split(part[2], ",") {
				n.ChildIDs = append(n.ChildIDs, accessibility.NodeID(id))
			}
			nodes = append(nodes, n, nil)
		}
		out, refs := browser.Outline(nodes)
		if n := strings.Count(out, "\n"); n > 1501 {
			t.Errorf("%d lines", n)
		}
		seen := make(map[cdp.BackendNodeID]bool)
		for r, id := range refs {
			if seen[id] || !strings.Contains(out, "[ref="+r+"]") {
				t.Errorf("%s is %d in\n%s", r, id, out)
			}
			seen[id] = true
		}
	})
}

// ruled is where pages may lead and load from by a policy.
func ruled(t *testing.T, w *world, page string, rules string) tool.Onward {
	t.Helper()
	p, err := guard.ParsePolicy([]byte("version: 1\nrules:\n" + rules))
	if err != nil {
		t.Fatal(err)
	}
	found, _ := w.tools.Find("browser_navigate")
	return func(_ context.Context, address string) error {
		d := guard.Onward(guard.Request{Tool: found.Spec, Act: tool.Act{URL: page}, Policy: p}, address)
		if d.Verdict != guard.Allow {
			return fault.New(fault.Denied, "%s", d.Text)
		}
		return nil
	}
}

// TestAttack_RulesAboutHostsHoldForAllThatAPageLoads: every attack on an address inside is one on a
// host that a rule denies as well, with that address open. The twins have no such rule.
func TestAttack_RulesAboutHostsHoldForAllThatAPageLoads(t *testing.T) {
	t.Parallel()
	if !installed(t) {
		return
	}
	h := hide(t)
	r := func() *net.Resolver {
		return names(t, new(atomic.Int32), map[string][][]string{"outside.example.": {{"127.0.0.1"}}, "denied.example.": {{"127.0.0.2"}}})
	}
	held := newWorld(t, policy(t, "127.0.0.0/8"), options(t).With(r()))
	held.onward = ruled(t, held, "http://outside.example/", `  - {name: closed, answer: deny, hosts: [denied.example]}`)
	open := newWorld(t, policy(t, "127.0.0.0/8"), options(t).With(r()))
	open.onward = ruled(t, open, "http://outside.example/", `  - {name: closed, answer: deny, hosts: [other.example]}`)
	for name, script := range attacks {
		if !strings.Contains(script, "{inside}") {
			continue // about addresses
		}
		for _, host := range []string{"denied.example", "Denied.Example."} {
			script := strings.ReplaceAll(script, "{inside}", host+":"+h.port)
			if n, _, told := attack(t, held, h, script); n > 0 || strings.Contains(told, "the secret") {
				t.Errorf("%s of %s: %d connections; it was told %q", name, host, n, told)
			}
			if n, _, _ := attack(t, open, h, script); n == 0 {
				t.Errorf("%s of %s does not get there where it may, so this test shows nothing", name, host)
			}
		}
		for _, w := range []*world{held, open} {
			for _, left := range w.do("browser_tabs", `{"action":"list"}`).Tabs {
				w.do("browser_tabs", `{"action":"close","tab":%q}`, left.Tab)
			}
		}
	}
	_, err := held.try("browser_navigate", `{"url":"http://denied.example:`+h.port+`/"}`)
	if fault.KindOf(err) != fault.Denied || !strings.Contains(fault.TextOf(err), `rule "closed" denies denied.example`) {
		t.Errorf("a page itself: %v", err)
	}
}
