package browser

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"chela/internal/fault"
)

// A session is one Chromium with a profile of its own, for one conversation.
type session struct {
	turn    chan struct{} // holds one token: who has it uses the session
	proxy   *proxy
	load    time.Duration   // a page has
	root    context.Context // of Chromium and of its first tab, which nobody sees
	end     context.CancelFunc
	ended   sync.Once
	tabs    []*tab
	current string // the tab in front
	opened  int    // tabs so far
	refs    int    // elements named so far
	idle    *time.Timer
	used    time.Time
	uses    atomic.Int64
	over    atomic.Pointer[fault.Error] // why it was ended; nil when it was not for a bound
}

// A tab is one page.
type tab struct {
	name string // that the agent calls it by
	id   target.ID
	ctx  context.Context
	end  context.CancelFunc
	refs map[string]cdp.BackendNodeID // of its last snapshot
}

const startTime = 30 * time.Second

// features of Chromium that talk to others by themselves.
const features = "Translate,MediaRouter,DialMediaRouteProvider,OptimizationHints,AutofillServerCommunication,CertificateTransparencyComponentUpdater,InterestFeedContentSuggestions,NetworkTimeServiceQuerying,PreconnectToSearch,LoadingPredictor,SpareRendererForSitePerProcess"

// ownServices are the flags that name the hosts which Chromium asks by itself, as for whom it knows
// at Google. They lead nowhere; a page that a call opens may still load those hosts.
var ownServices = []string{"gaia-url", "lso-url", "google-apis-url", "oauth-account-manager-url", "google-url", "sync-url", "gcm-checkin-url", "gcm-registration-url", "trace-upload-url"}

// nowhere is the host to which they lead; the proxy refuses it and nobody is asked.
const nowhere = "nowhere.invalid"

// flags of Chromium: quiet, held, and with no way out but the proxy. Names are resolved by
// the proxy alone; what would go around it (QUIC, WebRTC over UDP, lookups ahead) is off.
func flags(path, proxy string, unsandboxed bool) []chromedp.ExecAllocatorOption {
	out := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.Headless, chromedp.DisableGPU, chromedp.NoInheritEnv,
		chromedp.WindowSize(width, height), chromedp.Flag("no-sandbox", unsandboxed),
		chromedp.ProxyServer("http://" + proxy), chromedp.Flag("proxy-bypass-list", "<-loopback>"),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"),
		chromedp.Flag("force-webrtc-ip-handling-policy", "disable_non_proxied_udp"), chromedp.Flag("webrtc-ip-handling-policy", "disable_non_proxied_udp"),
		chromedp.Flag("disable-features", features), chromedp.Flag("password-store", "basic"),
	}
	for _, name := range ownServices {
		out = append(out, chromedp.Flag(name, "https://"+nowhere))
	}
	for _, name := range []string{
		"disable-quic", "dns-prefetch-disable", "no-pings", "disable-background-networking", "disable-component-update", "disable-sync", "disable-default-apps",
		"disable-extensions", "disable-breakpad", "disable-domain-reliability", "disable-client-side-phishing-detection", "metrics-recording-only",
		"disable-dev-shm-usage", "disable-auto-reload", "deny-permission-prompts", "use-mock-keychain",
	} {
		out = append(out, chromedp.Flag(name, true))
	}
	return out
}

// open starts a session that lives as long as base.
func open(ctx, base context.Context, reach Reach, o Options) (*session, error) {
	path, err := Find(o.Path)
	if err != nil {
		return nil, err
	}
	p, err := newProxy(base, reach, o.resolver)
	if err != nil {
		return nil, err
	}
	var said output
	var contained error
	list := append(flags(path, p.address(), o.Unsandboxed), chromedp.CombinedOutput(&said), chromedp.ModifyCmdFunc(func(cmd *exec.Cmd) { contained = contain(cmd) }))
	alloc, end := chromedp.NewExecAllocator(base, append(list, o.flags...)...)
	s := &session{turn: make(chan struct{}, 1), proxy: p, load: o.load}
	quiet := func(string, ...any) {}
	s.root, s.end = chromedp.NewContext(alloc, chromedp.WithLogf(quiet), chromedp.WithErrorf(quiet))
	inner := s.end
	s.end = func() { inner(); end(); p.close() }
	limit, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	stop := context.AfterFunc(limit, inner)
	err = s.begin()
	if !stop() || err != nil {
		s.close()
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case contained != nil:
			return nil, fault.Wrap(contained, fault.Unavailable, "The browser cannot be given a folder of its own.")
		case said.has("No usable sandbox"):
			return nil, fault.Wrap(err, fault.Unavailable, "The browser's own sandbox does not work on this machine, so it is not started. Allow user namespaces, or set browser.unsandboxed in chela.yaml to run it without.")
		}
		return nil, fault.Wrap(err, fault.Unavailable, "The browser %s does not start. `chela doctor` says more.", path)
	}
	return s, nil
}

// begin starts Chromium, tells it the proxy's secret, and forbids downloads.
func (s *session) begin() error {
	if err := chromedp.Do(s.root); err != nil {
		return err
	}
	c := chromedp.FromContext(s.root)
	if err := s.introduce(c); err != nil {
		return err
	}
	_, err := cdp.Call(s.root, c.Browser, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorDeny})
	return err
}

// introduce has Chromium ask the proxy for a page of the proxy's own, and answers when the
// proxy wants the secret; Chromium remembers it for all that follows.
func (s *session) introduce(c *chromedp.Context) error {
	ctx, cancel := context.WithCancel(s.root)
	defer cancel()
	var work sync.WaitGroup
	defer work.Wait()
	err := chromedp.Listen(ctx, func(ev any) {
		switch ev := ev.(type) {
		case *fetch.EventRequestPaused:
			work.Go(func() {
				_, _ = cdp.Call(ctx, c.Target, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: ev.RequestID}) // the navigation tells
			})
		case *fetch.EventAuthRequired:
			answer := &fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseCancelAuth}
			if ev.AuthChallenge.Source == fetch.AuthChallengeSourceProxy {
				answer = &fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseProvideCredentials, Username: user, Password: s.proxy.secret}
			}
			work.Go(func() {
				_, _ = cdp.Call(ctx, c.Target, fetch.ContinueWithAuth, fetch.ContinueWithAuthParams{RequestID: ev.RequestID, AuthChallengeResponse: answer}) // the navigation tells
			})
		}
	})
	if err != nil {
		return err
	}
	yes := true
	if _, err := cdp.Call(ctx, c.Target, fetch.Enable, fetch.EnableParams{HandleAuthRequests: &yes}); err != nil {
		return err
	}
	res, err := chromedp.Run(ctx, chromedp.NavigateResponse("http://"+readyHost+"/"))
	switch {
	case err != nil:
		return err
	case res == nil || res.Status != 200:
		return errors.New("the browser does not get through its proxy")
	}
	if _, err := cdp.Call(ctx, c.Target, fetch.Disable, cdp.Empty{}); err != nil {
		return err
	}
	return chromedp.Do(ctx, chromedp.Navigate("about:blank"))
}

// close ends Chromium with all it started, and its proxy.
func (s *session) close() { s.ended.Do(s.end) }

// alive reports whether Chromium still runs.
func (s *session) alive() bool { return s.root.Err() == nil }

// within makes a context for work in a tab that ends with ctx too.
func within(ctx, tab context.Context) (context.Context, context.CancelFunc) {
	out, cancel := context.WithCancel(tab)
	stop := context.AfterFunc(ctx, cancel)
	return out, func() { stop(); cancel() }
}

// look finds out which tabs there are: pages open others, and close themselves.
func (s *session) look(ctx context.Context) error {
	c := chromedp.FromContext(s.root)
	run, cancel := within(ctx, s.root)
	defer cancel()
	infos, err := chromedp.Targets(run)
	if err != nil {
		return err
	}
	infos = slices.DeleteFunc(infos, func(i *target.Info) bool { return i.Type != "page" || i.TargetID == c.Target.TargetID })
	s.tabs = slices.DeleteFunc(s.tabs, func(t *tab) bool {
		gone := !slices.ContainsFunc(infos, func(i *target.Info) bool { return i.TargetID == t.id })
		if gone {
			t.end()
		}
		return gone
	})
	for _, i := range infos {
		if !slices.ContainsFunc(s.tabs, func(t *tab) bool { return t.id == i.TargetID }) {
			if _, err := s.attach(ctx, chromedp.WithTargetID(i.TargetID)); err != nil {
				return err
			}
		}
	}
	if len(s.tabs) > 0 && s.front() == nil {
		s.current = s.tabs[len(s.tabs)-1].name
	}
	return nil
}

// attach takes over a tab, or opens an empty one. What its page asks people is declined.
func (s *session) attach(ctx context.Context, opts ...chromedp.ContextOption) (*tab, error) {
	t := new(tab)
	t.ctx, t.end = chromedp.NewContext(s.root, opts...)
	stop := context.AfterFunc(ctx, t.end) // the tab lives longer than ctx once it is there
	if err := chromedp.Do(t.ctx); !stop() || err != nil {
		t.end()
		return nil, cmp.Or(context.Cause(ctx), err)
	}
	c := chromedp.FromContext(t.ctx)
	err := chromedp.Listen(t.ctx, func(ev any) {
		if d, ok := ev.(*page.EventJavascriptDialogOpening); ok {
			leave := d.Type == page.DialogTypeBeforeunload
			go func() { // ends with the tab
				_, _ = cdp.Call(t.ctx, c.Target, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: leave}) // it may be gone
			}()
		}
	})
	if err != nil {
		t.end()
		return nil, err
	}
	s.opened++
	t.name, t.id = strconv.Itoa(s.opened), c.Target.TargetID
	s.tabs = append(s.tabs, t)
	return t, nil
}

// front is the tab in front; nil when there is none.
func (s *session) front() *tab { return s.tab(s.current) }

func (s *session) tab(name string) *tab {
	for _, t := range s.tabs {
		if t.name == name {
			return t
		}
	}
	return nil
}

// output keeps the beginning of what Chromium says while it starts.
type output struct {
	mu  sync.Mutex // guards buf
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if room := 64<<10 - o.buf.Len(); room > 0 {
		o.buf.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}

func (o *output) has(word string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return bytes.Contains(o.buf.Bytes(), []byte(word))
}
