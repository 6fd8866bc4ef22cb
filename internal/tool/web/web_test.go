package web_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"chela/internal/disk"
	"chela/internal/fault"
	"chela/internal/guard"
	"chela/internal/netaddr"
	"chela/internal/testkit/dnstest"
	"chela/internal/tool"
	"chela/internal/tool/web"
)

// policy is one that opens networks and has rules about hosts.
func policy(t *testing.T, network string, hosts ...string) web.Reach {
	t.Helper()
	text := "version: 1\nnetwork: [" + network + "]\n"
	if len(hosts) > 0 {
		text += "rules: [{name: known, answer: allow, hosts: [" + strings.Join(hosts, ",") + "]}]\n"
	}
	p, err := guard.ParsePolicy([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return func(context.Context) (netaddr.Reach, error) { return p.Reach(), nil }
}

// page is what the tools say, of both.
type page struct {
	URL      string
	Status   int
	Type     string `json:"content_type"`
	Body     string
	Title    string
	Text     string
	Links    []struct{ Text, URL string }
	Cut      bool
	Location string
	Note     string
	from     []string
}

func call(t *testing.T, tools []*tool.Tool, name string, args map[string]string) (page, error) {
	t.Helper()
	return callAs(t, tool.Call{}, tools, name, args)
}

func callAs(t *testing.T, c tool.Call, tools []*tool.Tool, name string, args map[string]string) (page, error) {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	found, ok := tool.NewSet(tools...).Find(name)
	if !ok {
		t.Fatalf("there is no %s", name)
	}
	c.Name, c.Args = name, raw
	res, err := found.Call(t.Context(), c)
	if err != nil {
		return page{}, err
	}
	var p page
	if err := json.Unmarshal([]byte(res.Text), &p); err != nil {
		t.Fatalf("%s: %v", res.Text, err)
	}
	p.from = res.From
	return p, nil
}

func get(t *testing.T, p web.Reach, url string) (page, error) {
	t.Helper()
	return call(t, web.Tools(p), "http_get", map[string]string{"url": url})
}

// serve answers at an address of this machine; it counts who connects.
func serve(t *testing.T, address string, h http.HandlerFunc) (*httptest.Server, func() int) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	n := 0
	s := httptest.NewUnstartedServer(h)
	s.Listener = l
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			mu.Lock()
			n++
			mu.Unlock()
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s, func() int { mu.Lock(); defer mu.Unlock(); return n }
}

func says(kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write([]byte(body))
	}
}

func port(s *httptest.Server) string { return s.URL[strings.LastIndexByte(s.URL, ':')+1:] }

// TestWeb_Hole9AddressesInsideAreRefused: no form of an address leads inside. The twin with the
// grant shows that the same request would get there.
func TestWeb_Hole9AddressesInsideAreRefused(t *testing.T) {
	t.Parallel()
	s, connected := serve(t, "127.0.0.1:0", says("text/plain", "inside"))
	for _, host := range []string{
		"127.0.0.1", "127.0.0.9", "0.0.0.0", "10.0.0.1", "172.16.3.4", "192.168.1.1", "169.254.169.254", "169.254.1.1", "100.100.100.200", "100.64.0.1",
		"224.0.0.1", "255.255.255.255", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b::a9fe:a9fe]",
		"[64:ff9b:1::1]", "[fd00:ec2::254]", "[fc00::1]", "[fe80::1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]", "１２７.0.0.1", "localhost",
	} {
		for _, name := range []string{"http_get", "web_fetch"} {
			_, err := call(t, web.Tools(policy(t, "")), name, map[string]string{"url": "http://" + host + ":" + port(s) + "/"})
			if fault.KindOf(err) != fault.Denied || !strings.Contains(fault.TextOf(err), "network in the policy") {
				t.Errorf("%s of %s: %v", name, host, err)
			}
		}
	}
	for _, host := range []string{"2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[fe80::1%25lo]", "ann:secret@127.0.0.1"} {
		if _, err := get(t, policy(t, "0.0.0.0/0, '::/0'"), "http://"+host+":"+port(s)+"/"); fault.KindOf(err) != fault.Denied {
			t.Errorf("%s: %v", host, err)
		}
	}
	if n := connected(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
	for _, host := range []string{"127.0.0.1", "[::ffff:127.0.0.1]", "１２７.0.0.1", "localhost"} {
		if p, err := get(t, policy(t, "127.0.0.1"), "http://"+host+":"+port(s)+"/"); err != nil || p.Body != "inside" || p.Status != 200 {
			t.Errorf("with the grant, %s: %+v %v", host, p, err)
		}
	}
}

// TestWeb_Hole9RedirectsAreJudged: where a server leads on to is judged as if it had been asked for.
func TestWeb_Hole9RedirectsAreJudged(t *testing.T) {
	t.Parallel()
	inside, connected := serve(t, "127.0.0.2:0", says("text/plain", "inside"))
	var to string
	s, _ := serve(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) })
	for _, to = range []string{inside.URL, "http://169.254.169.254/latest/meta-data/", "http://[::ffff:127.0.0.2]:" + port(inside), "http://2130706434/", "file:///etc/passwd", "http://ann:secret@127.0.0.1/"} {
		_, err := get(t, policy(t, "127.0.0.1"), s.URL)
		if k := fault.KindOf(err); k != fault.Denied && k != fault.Invalid || !strings.HasPrefix(fault.TextOf(err), s.Listener.Addr().String()+" leads on") {
			t.Errorf("to %s: %v", to, err)
		}
		if strings.Contains(fault.TextOf(err), "secret") || strings.Contains(fault.TextOf(err), "passwd") {
			t.Errorf("what a server says is told as ours: %v", err)
		}
	}
	if n := connected(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
	to = inside.URL + "/x"
	p, err := get(t, policy(t, "127.0.0.0/8"), s.URL)
	if err != nil || p.Body != "inside" || p.URL != to {
		t.Errorf("with the grant: %+v %v", p, err)
	}
	if !slices.Equal(p.from, []string{"127.0.0.1", "127.0.0.2"}) {
		t.Errorf("it comes from %v", p.from)
	}
	seen := tool.Call{Origins: []string{"127.0.0.1", tool.FromRecords}}
	p, err = callAs(t, seen, web.Tools(policy(t, "127.0.0.0/8")), "http_get", map[string]string{"url": s.URL})
	if err != nil || p.Location != to || p.Note == "" || p.Body == "inside" {
		t.Errorf("after private data: got %+v %v, want to be told of %s", p, err, to)
	}
	p, err = get(t, policy(t, "127.0.0.0/8", "127.0.0.1"), s.URL)
	if err != nil || p.Location != to || p.Status != http.StatusFound || p.Note == "" || !slices.Equal(p.from, []string{"127.0.0.1"}) {
		t.Errorf("where the policy has rules about hosts: %+v %v", p, err)
	}
}

func TestWeb_RedirectsEnd(t *testing.T) {
	t.Parallel()
	var asked []string
	left := 0
	s, _ := serve(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, fmt.Sprint(r.Header["Referer"], r.Header["Cookie"], r.Header["Authorization"]))
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		if left--; left >= 0 {
			http.Redirect(w, r, fmt.Sprintf("/%d", left), http.StatusFound)
		}
	})
	left = 5
	if _, err := get(t, policy(t, "127.0.0.1"), s.URL); err != nil {
		t.Error(err)
	}
	left = 6
	if _, err := get(t, policy(t, "127.0.0.1"), s.URL); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.TextOf(err), "more than 5 times") {
		t.Errorf("six redirects: %v", err)
	}
	if i := slices.IndexFunc(asked, func(s string) bool { return s != "[] [] []" }); i >= 0 {
		t.Errorf("request %d told %s", i, asked[i])
	}
}

// names answers lookups with one list of addresses after another, the last for ever.
func names(t *testing.T, answers ...[]string) *net.Resolver {
	t.Helper()
	return dnstest.Resolver(t, func(string) []string {
		now := answers[0]
		if len(answers) > 1 {
			answers = answers[1:]
		}
		return now
	})
}

// TestWeb_Hole9NamesAreJudgedWhenDialled: no lookup counts but the one that is dialled.
func TestWeb_Hole9NamesAreJudgedWhenDialled(t *testing.T) {
	t.Parallel()
	first := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/again", http.StatusFound)
		} else {
			_, _ = w.Write([]byte("first"))
		}
	}
	a, _ := serve(t, "127.0.0.1:0", first)
	b, connected := serve(t, "127.0.0.2:"+port(a), says("text/plain", "second"))
	url := "http://rebinding.example:" + port(b) + "/"
	for name, c := range map[string]struct {
		answers [][]string
		network string
		want    string // "" when refused
	}{
		"a second lookup differs":              {[][]string{{"127.0.0.1"}, {"127.0.0.2"}}, "127.0.0.1", ""},
		"a second lookup differs, granted":     {[][]string{{"127.0.0.1"}, {"127.0.0.2"}}, "127.0.0.0/8", "second"},
		"one address of several, the first":    {[][]string{{"127.0.0.2", "127.0.0.1"}}, "127.0.0.1", "first"},
		"one address of several, the last":     {[][]string{{"127.0.0.1", "127.0.0.2"}}, "127.0.0.1", "first"},
		"none of several":                      {[][]string{{"127.0.0.2", "10.0.0.1"}}, "127.0.0.1", ""},
		"the first of several when all may be": {[][]string{{"127.0.0.2"}}, "127.0.0.0/8", "second"},
	} {
		before := connected()
		p, err := call(t, web.ToolsWith(policy(t, c.network), names(t, c.answers...)), "http_get", map[string]string{"url": url})
		if c.want == "" && fault.KindOf(err) != fault.Denied || c.want != "" && (err != nil || p.Body != c.want) {
			t.Errorf("%s: %+v %v", name, p, err)
		}
		if n := connected() - before; (n > 0) != (c.want == "second") {
			t.Errorf("%s: %d connections to the second", name, n)
		}
	}
}

func TestWeb_NoProxyOfTheEnvironment(t *testing.T) { //nolint:paralleltest // it sets the environment
	proxy, connected := serve(t, "127.0.0.1:0", says("text/plain", "a proxy"))
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	if _, err := get(t, policy(t, "127.0.0.1"), "http://10.0.0.1/"); fault.KindOf(err) != fault.Denied || connected() != 0 {
		t.Errorf("%v; %d connections to the proxy", err, connected())
	}
}

func TestWeb_HTTPGet(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 20_000)
	zipped := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		chunk := make([]byte, 1<<20)
		for i := range chunk {
			chunk[i] = 'a'
		}
		for range 200 {
			if _, err := z.Write(chunk); err != nil {
				return
			}
		}
		_ = z.Close()
	}
	for name, c := range map[string]struct {
		h    http.HandlerFunc
		ok   func(page) bool
		want string
	}{
		"a status": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(503)
			_, _ = w.Write([]byte(`{"status":"DOWN"}`))
		}, func(p page) bool { return p.Status == 503 && p.Body == `{"status":"DOWN"}` && !p.Cut }, ""},
		"json":       {says("application/vnd.api+json", `{"a":1}`), func(p page) bool { return p.Body == `{"a":1}` && p.Type == "application/vnd.api+json" }, ""},
		"long":       {says("text/plain; charset=utf-8", long), func(p page) bool { return p.Body == long[:20_000] && p.Cut }, ""},
		"a bomb":     {zipped, func(p page) bool { return len(p.Body) == 10_000 && p.Cut }, ""},
		"Latin-1":    {says("text/plain; charset=iso-8859-1", "gr\xfc\xdfe"), func(p page) bool { return p.Body == "grüße" }, ""},
		"Shift JIS":  {says("text/html; charset=shift_jis", "\x93\xfa\x96{"), func(p page) bool { return p.Body == "日本" }, ""},
		"declared":   {says("text/html", "<meta charset=windows-1251>\xcf\xf0\xe8"), func(p page) bool { return strings.HasSuffix(p.Body, "При") }, ""},
		"a picture":  {says("image/png", "\x89PNG\r\n\x1a\n\x00"), func(p page) bool { return p.Body == "" && strings.Contains(p.Note, "no text: 9 bytes of image/png") }, ""},
		"false text": {says("text/plain", "a\x00b"), func(p page) bool { return p.Body == "" && p.Note != "" }, ""},
		"no type":    {says("", "plain"), func(p page) bool { return p.Body == "plain" }, ""},
		"empty":      {says("text/plain", ""), func(p page) bool { return p.Body == "" && p.Status == 200 && p.Note == "" }, ""},
	} {
		s, _ := serve(t, "127.0.0.1:0", c.h)
		if p, err := get(t, policy(t, "127.0.0.1"), s.URL); err != nil || !c.ok(p) {
			t.Errorf("%s: %.200s %v", name, fmt.Sprintf("%+v", p), err)
		}
	}
}

func TestWeb_NobodyThere(t *testing.T) {
	t.Parallel()
	s, _ := serve(t, "127.0.0.1:0", says("text/plain", ""))
	s.Close()
	if _, err := get(t, policy(t, "127.0.0.1"), s.URL); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("nobody listens: %v", err)
	}
	if _, err := call(t, web.ToolsWith(policy(t, ""), names(t, nil)), "http_get", map[string]string{"url": "http://nobody.example"}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("no such name: %v", err)
	}
	tls := httptest.NewUnstartedServer(says("text/plain", "secret"))
	tls.Config.ErrorLog = log.New(io.Discard, "", 0)
	tls.StartTLS()
	t.Cleanup(tls.Close)
	if _, err := get(t, policy(t, "127.0.0.1"), tls.URL); fault.KindOf(err) != fault.Denied || !strings.Contains(fault.TextOf(err), "certificate") {
		t.Errorf("a certificate of nobody: %v", err)
	}
	broken := func(context.Context) (netaddr.Reach, error) {
		return netaddr.Reach{}, fault.New(fault.Invalid, "It is broken.")
	}
	if _, err := get(t, broken, "http://example.com/"); fault.TextOf(err) != "It is broken." {
		t.Errorf("a policy that cannot be read: %v", err)
	}
}

const article = `<!doctype html><html><head><title>The title</title><style>p{}</style></head><body>
<nav><a href="/home">Home</a> <a href="javascript:alert(1)">Bad</a> <a href="/home#x">Again</a></nav>
<script>document.write("scripted")</script>
<article><h1>A heading</h1>%s<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
<p>See <a href="more?x=1">the <b>rest</b></a>.</p></article><footer>Imprint</footer></body></html>`

func TestWeb_Fetch(t *testing.T) {
	t.Parallel()
	long := fmt.Sprintf(article, strings.Repeat("<p>A paragraph of this article, which has some length, and commas, so that it is found.</p>", 20))
	deep := strings.Repeat("<div>", 200_000) + "deep down"
	s, _ := serve(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/short":
			says("text/html", "<title>Short</title><p>Only this.</p>")(w, r)
		case "/deep":
			says("text/html", deep)(w, r)
		case "/rows.csv":
			says("application/octet-stream", "a,b\n1,2\n")(w, r)
		case "/mail":
			says("message/rfc822", "From: ann@example.com\r\nSubject: Hello\r\nContent-Type: text/plain\r\n\r\nThe words.\r\n")(w, r)
		case "/big":
			says("application/pdf", "%PDF-1.4\n\x00"+strings.Repeat("x", 6<<20))(w, r)
		case "/bin":
			says("application/octet-stream", "\x00\x01\x02")(w, r)
		default:
			says("text/html; charset=utf-8", long)(w, r)
		}
	})
	fetch := func(path, mode string) (page, error) {
		args := map[string]string{"url": s.URL + path}
		if mode != "" {
			args["extract_mode"] = mode
		}
		return call(t, web.Tools(policy(t, "127.0.0.1")), "web_fetch", args)
	}
	p, err := fetch("/a/b", "")
	if err != nil || p.Title != "The title" || !strings.Contains(p.Text, "A paragraph") || !strings.Contains(p.Text, "[the **rest**]("+s.URL+"/a/more?x=1)") || !strings.Contains(p.Text, "| 1") {
		t.Errorf("%+v %v", p, err)
	}
	if strings.Contains(p.Text, "scripted") || strings.Contains(p.Text, "Imprint") {
		t.Errorf("it is not the readable part: %s", p.Text)
	}
	if len(p.Links) != 2 || p.Links[0].URL != s.URL+"/home" || p.Links[1].Text != "the rest" {
		t.Errorf("links %+v", p.Links)
	}
	if p, err = fetch("/a/b", "raw"); err != nil || p.Text != long || p.Title != "" {
		t.Errorf("raw: %.100s %v", p.Text, err)
	}
	for path, want := range map[string]string{"/short": "Only this.", "/deep": "deep down", "/rows.csv": "1,2", "/mail": "The words."} {
		if p, err := fetch(path, ""); err != nil || !strings.Contains(p.Text, want) {
			t.Errorf("%s: %.300s %v", path, fmt.Sprintf("%+v", p), err)
		}
	}
	if _, err := fetch("/big", ""); fault.KindOf(err) != fault.TooLarge {
		t.Errorf("a large document: %v", err)
	}
	if p, err := fetch("/bin", ""); err != nil || p.Text != "" || !strings.Contains(p.Note, "no text") {
		t.Errorf("binary: %+v %v", p, err)
	}
	if _, err := fetch("/", "all"); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a mode that is not known: %v", err)
	}
}

// TestWeb_Acts: rules about hosts see the host that will be asked.
func TestWeb_Acts(t *testing.T) {
	t.Parallel()
	for _, w := range web.Tools(policy(t, "")) {
		a, err := w.Amounts([]byte(`{"url":"HTTP://ＥＶＩＬ.Example./x"}`), disk.Folders{})
		if err != nil || a.URL != "http://evil.example/x" || !strings.HasSuffix(a.Shown, a.URL) {
			t.Errorf("%s: %+v %v", w.Name, a, err)
		}
		if w.Risk != tool.NetworkCalls || !w.Repeatable || w.Untrusted != "network" {
			t.Errorf("%+v", w.Spec)
		}
		if _, err := w.Amounts([]byte(`{"URL":"http://a"}`), disk.Folders{}); err == nil {
			t.Errorf("%s takes arguments in capitals", w.Name)
		}
		if !bytes.Contains(w.Schema, []byte(`"required":["url"]`)) {
			t.Errorf("%s", w.Schema)
		}
	}
}

// TestWeb_ASecretGoesWhereItWasAskedToGo: as the header that was named, to the server that was
// named, and to none that this leads on to, be it and back.
func TestWeb_ASecretGoesWhereItWasAskedToGo(t *testing.T) {
	t.Parallel()
	const value = "s3cret-value-0123"
	var mu sync.Mutex
	seen := map[string]string{}
	listen := func(who, address string, lead map[string]string) *httptest.Server {
		s, _ := serve(t, address, func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			seen[who+r.URL.Path] = r.Header.Get("Authorization") + r.Header.Get("X-Api-Key")
			to := lead[r.URL.Path]
			mu.Unlock()
			if to != "" {
				http.Redirect(w, r, to, http.StatusFound)
			}
		})
		return s
	}
	away := map[string]string{}
	there := map[string]string{"/near": "/end"}
	a, b := listen("a", "127.0.0.1:0", there), listen("b", "127.0.0.1:0", away) // of one host, and two servers
	mu.Lock()
	there["/far"], there["/round"], away["/round"] = b.URL+"/end", b.URL+"/round", a.URL+"/back"
	mu.Unlock()
	tools := web.Tools(policy(t, "127.0.0.0/8"))
	ask := func(name string, args map[string]string, given string) error {
		clear(seen)
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		found, _ := tool.NewSet(tools...).Find(name)
		c := tool.Call{Name: name, Args: raw}
		if given != "" {
			c.Secrets = map[string]tool.Secret{"TOKEN": tool.Secret(given)}
		}
		c.Name, c.Args = name, raw
		res, err := found.Call(t.Context(), c)
		if strings.Contains(res.Text, value) || strings.Contains(fmt.Sprint(err), value) {
			t.Errorf("%s %v holds the value", res.Text, err)
		}
		return err
	}
	for _, name := range []string{"http_get", "web_fetch"} {
		for _, c := range []struct {
			path, header, given string
			want                map[string]string
		}{
			{"/", "", value, map[string]string{"a/": "Bearer " + value}},
			{"/", "", value + "\n", map[string]string{"a/": "Bearer " + value}},
			{"/", "authorization", "Basic " + value, map[string]string{"a/": "Basic " + value}},
			{"/", "x-api-key", value, map[string]string{"a/": value}},
			{"/near", "", value, map[string]string{"a/near": "Bearer " + value, "a/end": "Bearer " + value}},
			{"/far", "", value, map[string]string{"a/far": "Bearer " + value, "b/end": ""}},
			{"/far", "X-Api-Key", value, map[string]string{"a/far": value, "b/end": ""}},
			{"/round", "X-Api-Key", value, map[string]string{"a/round": value, "b/round": "", "a/back": ""}},
		} {
			err := ask(name, map[string]string{"url": a.URL + c.path, "secret": "TOKEN", "header": c.header}, c.given)
			if err != nil || fmt.Sprint(seen) != fmt.Sprint(c.want) {
				t.Errorf("%s %+v: %v %v", name, c, seen, err)
			}
		}
		for _, c := range []struct{ secret, header, given, want string }{
			{"", "X-Api-Key", "", "secret names none"},
			{"TOKEN", "", "", "was not given"},
			{"TOKEN", "Host", value, "of this name"},
			{"TOKEN", "X: a", value, "of this name"},
			{"TOKEN", "", value + "\r\nX: a", "several lines"},
		} {
			err := ask(name, map[string]string{"url": a.URL, "secret": c.secret, "header": c.header}, c.given)
			if !strings.Contains(fault.TextOf(err), c.want) || len(seen) > 0 {
				t.Errorf("%s %+v: %v %v", name, c, seen, err)
			}
		}
	}
}
