package browser_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/png"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chela/internal/artifact"
	"chela/internal/disk"
	"chela/internal/fault"
	"chela/internal/guard"
	"chela/internal/netaddr"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/tool"
	"chela/internal/tool/browser"
)

// policy is one that opens networks.
func policy(t *testing.T, network string) browser.Reach {
	t.Helper()
	p, err := guard.ParsePolicy([]byte("version: 1\nnetwork: [" + network + "]\n"))
	if err != nil {
		t.Fatal(err)
	}
	return func(context.Context) (netaddr.Reach, error) { return p.Reach(), nil }
}

// A world is browsers with a conversation.
type world struct {
	*testing.T
	browsers *browser.Browsers
	tools    *tool.Set
	arts     *artifact.Files
	thread   string
	from     []string // of the last result
	onward   tool.Onward
}

// options are those of this machine: where user namespaces are refused, Chromium runs
// without its own sandbox in these tests.
func options(t *testing.T) browser.Options {
	t.Helper()
	o := browser.Options{Path: os.Getenv("CHELA_CHROMIUM")}
	if o.Unsandboxed = unsandboxed(); o.Unsandboxed {
		t.Log("Chromium's own sandbox does not work here: it runs without it")
	}
	return o
}

// unsandboxed reports whether Chromium's own sandbox does not work on this machine.
var unsandboxed = sync.OnceValue(func() bool {
	b := browser.New(context.Background(), func(context.Context) (netaddr.Reach, error) { return netaddr.Reach{}, nil }, nil, browser.Options{Path: os.Getenv("CHELA_CHROMIUM")})
	defer b.Close()
	open, _ := tool.NewSet(b.Tools()...).Find("browser_navigate")
	_, err := open.Call(context.Background(), tool.Call{Args: json.RawMessage(`{"url":"http://127.0.0.1/"}`)}) // refused, once it runs
	return strings.Contains(fault.TextOf(err), "browser.unsandboxed")
})

// installed reports whether there is a browser. Without one the tools say how to get one,
// which is tested too.
func installed(t *testing.T) bool {
	t.Helper()
	if _, err := browser.Find(os.Getenv("CHELA_CHROMIUM")); err == nil {
		return true
	}
	if os.Getenv("CHELA_NEEDS_CHROMIUM") != "" {
		t.Fatal("these tests shall run with Chromium, which is not there; script/browser-ready installs it")
	}
	w := newWorld(t, policy(t, ""), browser.Options{Path: os.Getenv("CHELA_CHROMIUM")})
	if _, err := w.try("browser_navigate", `{"url":"http://example.com"}`); fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.TextOf(err), "browser.path") {
		t.Errorf("without a browser: %v", err)
	}
	return false
}

func newWorld(t *testing.T, p browser.Reach, o browser.Options) *world {
	t.Helper()
	arts, err := artifact.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := browser.New(t.Context(), p, arts, o)
	t.Cleanup(b.Close)
	return &world{T: t, browsers: b, tools: tool.NewSet(b.Tools()...), arts: arts, thread: "thr_1", onward: func(context.Context, string) error { return nil }}
}

// shown is what all results say.
type shown struct {
	Tab, URL, Title, Note, Snapshot, Text, Artifact string
	Status, Width, Height                           int
	Refused                                         []string `json:"not_loaded"`
	Links                                           []struct{ Text, URL string }
	Tabs                                            []struct {
		Tab, URL, Title string
		Front           bool
	}
}

func (w *world) try(name, args string) (shown, error) {
	w.Helper()
	t, ok := w.tools.Find(name)
	if !ok {
		w.Fatalf("there is no %s", name)
	}
	res, err := t.Call(w.Context(), tool.Call{Name: name, Args: json.RawMessage(args), Run: run.Run{Spec: run.Spec{Thread: w.thread}}, Onward: w.onward})
	if err != nil {
		return shown{}, err
	}
	w.from = res.From
	var out shown
	if err := json.Unmarshal([]byte(res.Text), &out); err != nil {
		w.Fatalf("%s: %v", res.Text, err)
	}
	return out, nil
}

func (w *world) do(name, format string, args ...any) shown {
	w.Helper()
	out, err := w.try(name, fmt.Sprintf(format, args...))
	if err != nil {
		w.Fatalf("%s: %v", name, err)
	}
	return out
}

// ref finds what a snapshot names.
func (w *world) ref(s shown, element string) string {
	w.Helper()
	m := regexp.MustCompile(regexp.QuoteMeta(element) + ` \[ref=(e\d+)\]`).FindStringSubmatch(s.Snapshot)
	if m == nil {
		w.Fatalf("there is no %s in\n%s", element, s.Snapshot)
	}
	return m[1]
}

// use clicks on or fills an element of the page in front.
func (w *world) use(name, element, more string) (shown, error) {
	w.Helper()
	s := w.do("browser_snapshot", `{}`)
	return w.try(name, fmt.Sprintf(`{"page":%q,"ref":%q,"element":%q%s}`, s.URL, w.ref(s, element), element, more))
}

// A site counts who comes.
type site struct {
	*httptest.Server
	mu   sync.Mutex
	asks []string
}

// serve answers at an address of this machine.
func serve(t *testing.T, address string, h http.HandlerFunc) *site {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	s := new(site)
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/favicon.ico" {
			s.mu.Lock()
			s.asks = append(s.asks, r.Method+" "+r.URL.RequestURI())
			s.mu.Unlock()
		}
		if r.Header.Get("Proxy-Authorization") != "" {
			t.Error("the proxy's secret was told to a server")
		}
		h(w, r)
	}))
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func (s *site) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asks)
}

func html(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(body))
}

const form = `<!doctype html><title>A form</title><h1>Sign up</h1>
<form action="/sent"><label>Name <input name=name value=old></label><label>Colour <select name=colour><option>red<option value=b>blue</select></label>
<label><input type=checkbox name=ok> Agree</label><label>Fixed <input readonly name=fixed></label><button>Send</button></form>
<a href="/other" target=_blank>Elsewhere</a><button onclick="alert('hm'); document.title='Alerted'">Alert</button>
<div style="height:3000px"></div><p id=made></p><script>document.getElementById("made").textContent="made by a script"</script>`

func TestBrowser_ABrowserSession(t *testing.T) {
	t.Parallel()
	if !installed(t) {
		return
	}
	s := serve(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/sent":
			html(w, "<title>Sent</title>Thank you, "+r.URL.Query().Get("name"))
		case "/other":
			html(w, "<title>Other</title>Another page")
		case "/missing":
			w.WriteHeader(http.StatusNotFound)
			html(w, "<title>Missing</title>")
		case "/file":
			w.Header().Set("Content-Disposition", "attachment; filename=a.bin")
			_, _ = w.Write([]byte("bytes"))
		default:
			html(w, form)
		}
	})
	w := newWorld(t, policy(t, "127.0.0.1"), options(t))
	for _, name := range []string{"browser_snapshot", "browser_content", "browser_screenshot"} {
		if _, err := w.try(name, `{}`); fault.KindOf(err) != fault.NotFound {
			t.Errorf("%s without a page: %v", name, err)
		}
	}
	p := w.do("browser_navigate", `{"url":%q}`, s.URL)
	if p.Title != "A form" || p.Status != 200 || p.URL != s.URL+"/" || !slices.Equal(w.from, []string{"127.0.0.1"}) {
		t.Errorf("%+v from %v", p, w.from)
	}
	if p = w.do("browser_content", `{}`); !strings.Contains(p.Text, "made by a script") {
		t.Errorf("content: %+v", p)
	}
	p = w.do("browser_snapshot", `{}`)
	for _, want := range []string{`- heading "Sign up" [level=1]`, `textbox "Name" [ref=e1]: old`, `combobox "Colour" [ref=`, `option "blue" [ref=`, `checkbox "Agree"`, `button "Send"`, `made by a script`} {
		if !strings.Contains(p.Snapshot, want) {
			t.Errorf("there is no %s in\n%s", want, p.Snapshot)
		}
	}
	w.pictures()
	for _, c := range []struct{ element, more, want string }{
		{`textbox "Name"`, `,"value":"Ann \"A\" <b>"`, ""},
		{`combobox "Colour"`, `,"value":"blue"`, ""},
		{`combobox "Colour"`, `,"value":"green"`, "no such option"},
		{`textbox "Fixed"`, `,"value":"x"`, "cannot be changed"},
		{`checkbox "Agree"`, `,"value":"on"`, "takes no text"},
	} {
		if _, err := w.use("browser_fill", c.element, c.more); c.want == "" && err != nil || c.want != "" && !strings.Contains(fault.TextOf(err), c.want) {
			t.Errorf("fill %s: %v", c.element, err)
		}
	}
	for _, element := range []string{`checkbox "Agree"`, `button "Alert"`} {
		if _, err := w.use("browser_click", element, ""); err != nil {
			t.Errorf("click %s: %v", element, err)
		}
	}
	if p = w.do("browser_snapshot", `{}`); p.Title != "Alerted" || !strings.Contains(p.Snapshot, "[checked=true]") {
		t.Errorf("after the dialog: %+v", p)
	}
	if p, err := w.use("browser_click", `button "Send"`, ""); err != nil || p.Title != "Sent" || !strings.Contains(p.URL, "name=Ann+%22A%22+%3Cb%3E&colour=b&ok=on") {
		t.Errorf("sent: %+v %v", p, err)
	}
	if p = w.do("browser_navigate", `{"url":%q}`, s.URL+"/missing"); p.Status != http.StatusNotFound || p.Title != "Missing" {
		t.Errorf("missing: %+v", p)
	}
	if _, err := w.try("browser_navigate", fmt.Sprintf(`{"url":%q}`, s.URL+"/file")); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.TextOf(err), "download") {
		t.Errorf("a download: %v", err)
	}
	w.severalTabs(s)
	w.elsewhere(s)
}

func (w *world) pictures() {
	w.Helper()
	for _, c := range []struct {
		args   string
		height int
	}{{`{}`, 700}, {`{"full_page":true}`, 3000}} {
		p := w.do("browser_screenshot", "%s", c.args)
		raw, err := w.arts.Get(artifact.Ref(p.Artifact))
		if err != nil {
			w.Fatal(err)
		}
		if img, err := png.DecodeConfig(bytes.NewReader(raw)); err != nil || img.Height != p.Height || p.Height < c.height-200 || p.Width < 1000 {
			w.Errorf("%s: %+v %+v %v", c.args, p, img, err)
		}
	}
}

// severalTabs: pages open tabs, and so do agents.
func (w *world) severalTabs(s *site) {
	w.Helper()
	w.do("browser_navigate", `{"url":%q}`, s.URL)
	p, err := w.use("browser_click", `link "Elsewhere"`, "")
	if err != nil || p.Title != "A form" || !strings.Contains(p.Note, "It opened the tab 2") {
		w.Fatalf("a link into another tab: %+v %v", p, err)
	}
	if p = w.do("browser_tabs", `{"action":"focus","tab":"2"}`); len(p.Tabs) != 2 || !p.Tabs[1].Front || p.Tabs[1].Title != "Other" {
		w.Errorf("focus: %+v", p)
	}
	if p = w.do("browser_content", `{}`); p.Title != "Other" || p.Tab != "2" {
		w.Errorf("in front is %+v", p)
	}
	if p = w.do("browser_tabs", `{"action":"open","url":%q}`, s.URL+"/sent"); len(p.Tabs) != 3 || !p.Tabs[2].Front {
		w.Errorf("open: %+v", p)
	}
	for _, n := range []string{"2", "3"} {
		p = w.do("browser_tabs", `{"action":"close","tab":%q}`, n)
	}
	if len(p.Tabs) != 1 || !p.Tabs[0].Front {
		w.Errorf("close: %+v", p)
	}
	if _, err := w.try("browser_tabs", `{"action":"focus","tab":"2"}`); fault.KindOf(err) != fault.NotFound {
		w.Errorf("a tab that is closed: %v", err)
	}
}

// elsewhere: what a person approved is what is clicked on, or nothing.
func (w *world) elsewhere(s *site) {
	w.Helper()
	w.do("browser_navigate", `{"url":%q}`, s.URL)
	p := w.do("browser_snapshot", `{}`)
	send := w.ref(p, `button "Send"`)
	before := len(s.asked())
	for name, c := range map[string]struct {
		page, ref, element string
		kind               fault.Kind
	}{
		"another element": {p.URL, send, `button "Cancel"`, fault.Conflict},
		"another page":    {"https://example.com/", send, `button "Send"`, fault.Conflict},
		"no page":         {"here", send, `button "Send"`, fault.Invalid},
		"no such ref":     {p.URL, "e9999", `button "Send"`, fault.NotFound},
	} {
		if _, err := w.try("browser_click", fmt.Sprintf(`{"page":%q,"ref":%q,"element":%q}`, c.page, c.ref, c.element)); fault.KindOf(err) != c.kind {
			w.Errorf("%s: %v", name, err)
		}
	}
	w.do("browser_navigate", `{"url":%q}`, s.URL)
	if _, err := w.try("browser_click", fmt.Sprintf(`{"page":%q,"ref":%q,"element":"button \"Send\""}`, p.URL, send)); fault.KindOf(err) != fault.NotFound {
		w.Errorf("a ref of a page that has gone: %v", err)
	}
	if n := len(s.asked()); n != before+1 {
		w.Errorf("the site was asked %v", s.asked()[before:])
	}
}

func TestBrowser_SessionsEnd(t *testing.T) { //nolint:paralleltest // it counts this process's browsers
	if !installed(t) {
		return
	}
	s := serve(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1"})
		html(w, "<title>"+r.Header.Get("Cookie")+"</title>")
	})
	o := options(t)
	o.Most = 1
	w := newWorld(t, policy(t, "127.0.0.1"), o)
	w.do("browser_navigate", `{"url":%q}`, s.URL)
	if p := w.do("browser_navigate", `{"url":%q}`, s.URL); p.Title != "seen=1" {
		t.Errorf("a session keeps cookies: %+v", p)
	}
	w.thread = "thr_2"
	if p := w.do("browser_navigate", `{"url":%q}`, s.URL); p.Title != "" {
		t.Errorf("another conversation has its cookies: %+v", p)
	}
	if n := w.browsers.Open(); n != 1 {
		t.Errorf("%d sessions are open where one may be", n)
	}
	w.thread = "thr_1"
	if _, err := w.try("browser_snapshot", `{}`); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a session that had to go: %v", err)
	}
	w.browsers.Close()
	if left := processes(t); len(left) > 0 {
		t.Errorf("there are left: %v", left)
	}
	if _, err := w.try("browser_navigate", fmt.Sprintf(`{"url":%q}`, s.URL)); fault.KindOf(err) != fault.NotFound {
		t.Errorf("after the end: %v", err)
	}
	o.Idle = 100 * time.Millisecond
	w = newWorld(t, policy(t, "127.0.0.1"), o)
	w.do("browser_navigate", `{"url":%q}`, s.URL)
	for deadline := time.Now().Add(20 * time.Second); w.browsers.Open() > 0; {
		if time.Now().After(deadline) {
			t.Fatal("an unused session is not closed")
		}
		<-time.After(10 * time.Millisecond)
	}
	w.browsers.Rested()
	if left := processes(t); len(left) > 0 {
		t.Errorf("there are left: %v", left)
	}
}

// processes are those of Chromium with a profile of ours, started by this process.
func processes(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range found {
		raw, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended
		}
		if strings.Contains(string(raw), fmt.Sprintf("\nPPid:\t%d\n", os.Getpid())) && strings.HasPrefix(string(raw), "Name:\tchrom") {
			out = append(out, f)
		}
	}
	return out
}

// TestBrowser_WithoutABrowser: the tools and the doctor say the way out.
func TestBrowser_WithoutABrowser(t *testing.T) { //nolint:paralleltest // it sets the environment
	t.Setenv("PATH", t.TempDir())
	for path, want := range map[string]string{"": "install Chromium", "/nowhere/chromium": "browser.path names /nowhere/chromium"} {
		o := browser.Options{Path: path}
		if _, err := browser.Examine(t.Context(), o); !strings.Contains(fault.TextOf(err), want) {
			t.Errorf("the doctor says of %q: %v", path, err)
		}
		if _, err := newWorld(t, policy(t, ""), o).try("browser_navigate", `{"url":"http://example.com"}`); !strings.Contains(fault.TextOf(err), want) {
			t.Errorf("the tool says of %q: %v", path, err)
		}
	}
}

// TestBrowser_Acts: what guard decides about, and what a person is shown.
func TestBrowser_Acts(t *testing.T) {
	t.Parallel()
	b := browser.New(t.Context(), policy(t, ""), nil, browser.Options{})
	t.Cleanup(b.Close)
	set := tool.NewSet(b.Tools()...)
	for _, c := range []struct {
		name, args string
		want       tool.Act
	}{
		{"browser_navigate", `{"url":"HTTP://Example.COM./a"}`, tool.Act{URL: "http://example.com/a", Shown: "Open http://example.com/a"}},
		{"browser_click", `{"page":"https://example.com/a","ref":"e1","element":"button \"Pay\""}`, tool.Act{URL: "https://example.com/a", Shown: `Click on button "Pay" of https://example.com/a`}},
		{"browser_fill", `{"page":"https://example.com/","ref":"e1","element":"textbox","value":"a","submit":true}`, tool.Act{URL: "https://example.com/", Shown: `Put "a" into textbox of https://example.com/ and press Enter`}},
		{"browser_tabs", `{"action":"list"}`, tool.Act{Risk: tool.ReadOnly}},
		{"browser_tabs", `{"action":"open","url":"http://example.com"}`, tool.Act{URL: "http://example.com", Shown: "Open http://example.com in a tab"}},
		{"browser_snapshot", `{}`, tool.Act{}},
	} {
		found, _ := set.Find(c.name)
		if got, err := found.Amounts(json.RawMessage(c.args), disk.Folders{}); err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s %s: %+v %v", c.name, c.args, got, err)
		}
		sends := c.name == "browser_click" || c.name == "browser_fill"
		if !found.Alone || found.Untrusted != "network" || found.Permission != org.Browser || found.Repeatable == sends {
			t.Errorf("%+v", found.Spec)
		}
	}
}

// TestBrowser_APageThatNeverLetsGo costs its session, and nothing else.
func TestBrowser_APageThatNeverLetsGo(t *testing.T) {
	t.Parallel()
	if !installed(t) {
		return
	}
	s := serve(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/slow":
			html(w, "<title>Slow</title><p>Here<script src=/never></script>")
		case "/never":
			<-r.Context().Done()
		case "/busy":
			html(w, "<title>Busy</title><script>setTimeout(() => { for (;;); }, 100)</script>")
		default:
			html(w, "<title>Fine</title>")
		}
	})
	w := newWorld(t, policy(t, "127.0.0.1"), options(t).Loading(3*time.Second))
	if p := w.do("browser_navigate", `{"url":%q}`, s.URL+"/slow"); p.Title != "Slow" || !strings.Contains(p.Note, "still loading") {
		t.Errorf("a page that does not load whole: %+v", p)
	}
	_, err := w.try("browser_navigate", fmt.Sprintf(`{"url":%q}`, s.URL+"/busy"))
	if err == nil {
		_, err = w.try("browser_snapshot", `{}`)
		for deadline := time.Now().Add(10 * time.Second); err == nil && time.Now().Before(deadline); {
			_, err = w.try("browser_snapshot", `{}`)
		}
	}
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.TextOf(err), "was closed") || w.browsers.Open() != 0 {
		t.Errorf("a page that never lets go: %v; %d sessions", err, w.browsers.Open())
	}
	if p := w.do("browser_navigate", `{"url":%q}`, s.URL); p.Title != "Fine" {
		t.Errorf("afterwards: %+v", p)
	}
}
