package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"chela/internal/document"
	"chela/internal/fault"
	"chela/internal/netaddr"
	"chela/internal/tool"
)

const (
	loadTime  = 30 * time.Second
	begins    = 300 * time.Millisecond // in which a click begins to load a page, if it does
	width     = 1280
	height    = 800
	maxHeight = 8000    // of a picture of all of a page
	maxSource = 5 << 20 // characters of a page's source
)

// A state is what every result says.
type state struct {
	Tab     string   `json:"tab"`
	URL     string   `json:"url"`
	Title   string   `json:"title,omitempty"`
	Status  int64    `json:"status,omitempty"` // of HTTP
	Refused []string `json:"not_loaded,omitempty"`
	Note    string   `json:"note,omitempty"`
	hosts   []string
	refused []string // hosts of Refused
}

// From implements tool.Sourced: all hosts whose documents are in the page.
func (s state) From() []string { return s.hosts }

// state says what the tab in front shows.
func (s *session) state(ctx context.Context, t *tab, asked ...string) (state, error) {
	out := state{Tab: t.name}
	tree, err := cdp.Call(ctx, chromedp.FromContext(t.ctx).Target, page.GetFrameTree, cdp.Empty{})
	if err != nil {
		return out, err
	}
	out.URL = tree.FrameTree.Frame.URL + tree.FrameTree.Frame.URLFragment
	if out.Title, err = chromedp.Run(ctx, chromedp.EvaluateAsDevTools[string](`String(document.title).slice(0, 500)`)); err != nil {
		if ctx.Err() != nil {
			return out, err
		}
		out.Title = "" // a page may break its title
	}
	for _, a := range append(asked, urls(tree.FrameTree)...) {
		if u, err := url.Parse(a); err == nil && u.Hostname() != "" && u.Scheme != "chrome-error" && !slices.Contains(out.hosts, strings.ToLower(u.Hostname())) {
			out.hosts = append(out.hosts, strings.ToLower(u.Hostname()))
		}
	}
	for _, r := range s.proxy.take() {
		if !slices.Contains(out.Refused, r.text) {
			out.Refused = append(out.Refused, r.text)
		}
		out.refused = append(out.refused, r.host)
	}
	return out, nil
}

func urls(t *page.FrameTree) []string {
	out := []string{t.Frame.URL}
	for _, c := range t.ChildFrames {
		out = append(out, urls(c)...)
	}
	return out
}

// open opens an address in a tab.
func (s *session) open(ctx context.Context, t *tab, to string) (state, error) {
	run, cancel := within(ctx, t.ctx)
	defer cancel()
	limit, stop := context.WithTimeout(run, s.load)
	defer stop()
	t.refs = nil
	res, err := chromedp.Run(limit, chromedp.NavigateResponse(to))
	late := limit.Err() != nil && run.Err() == nil
	if err != nil && !late {
		return state{}, s.unloaded(err)
	}
	if res != nil && res.Headers[markHeader] == s.proxy.mark {
		return state{}, s.unloaded(errProxy)
	}
	again, done := context.WithTimeout(run, s.load)
	defer done()
	out, err := s.state(again, t, to)
	if err != nil {
		return out, s.stuck(again, run, err)
	}
	if res != nil {
		out.Status = res.Status
	} else if u, err := url.Parse(out.URL); err == nil && slices.Contains(out.refused, u.Host) { // the proxy's answer is what is shown
		return state{}, fault.Wrap(errProxy, fault.Denied, "The page is not opened. %s", out.Refused[0])
	}
	if late {
		out.Note = fmt.Sprintf("The page was still loading after %s; this is what there is of it.", s.load)
	}
	return out, nil
}

// errProxy is the cause when the proxy did not connect.
var errProxy = errors.New("the proxy did not connect")

// unloaded says why a page could not be opened, in a sentence of ours.
func (s *session) unloaded(err error) error {
	if refused := s.proxy.take(); len(refused) > 0 {
		return fault.Wrap(err, fault.Denied, "The page is not opened. %s", refused[0].text)
	}
	var load *chromedp.LoadError
	if errors.As(err, &load) && load.ErrorText == "net::ERR_ABORTED" {
		return fault.Wrap(err, fault.Invalid, "There is no page: it is a file to download, which the browser does not. web_fetch reads documents.")
	}
	if errors.As(err, &load) && strings.HasPrefix(load.ErrorText, "net::ERR_CERT") {
		return fault.Wrap(err, fault.Denied, "The page is not opened: its certificate is not trusted (%s).", load.ErrorText)
	}
	if errors.As(err, &load) || errors.Is(err, errProxy) {
		return fault.Wrap(err, fault.Unavailable, "The page cannot be loaded: the host is not known or does not answer.")
	}
	return err
}

func (b *Browsers) navigate(ctx context.Context, c tool.Call, in Navigate) (out state, err error) {
	u, err := netaddr.URL(in.URL)
	if err != nil {
		return out, err
	}
	err = b.in(ctx, c, u.String(), true, func(s *session) error {
		t := s.front()
		if t == nil {
			if t, err = s.attach(ctx); err != nil {
				return err
			}
			s.current = t.name
		}
		out, err = s.open(ctx, t, u.String())
		return err
	})
	return out, err
}

// stuck ends the session when the time of a page was up although the call had time left:
// its scripts may never let go.
func (s *session) stuck(limit, call context.Context, err error) error {
	if err != nil && limit.Err() != nil && call.Err() == nil {
		s.close()
	}
	return err
}

// shown uses the tab in front of a session that is there.
func (b *Browsers) shown(ctx context.Context, c tool.Call, about string, use func(context.Context, *session, *tab) error) error {
	return b.in(ctx, c, about, false, func(s *session) error {
		if err := s.look(ctx); err != nil {
			return err
		}
		t := s.front()
		if t == nil {
			return fault.New(fault.NotFound, "No tab is open. browser_navigate opens one.")
		}
		run, cancel := within(ctx, t.ctx)
		defer cancel()
		limit, stop := context.WithTimeout(run, s.load)
		defer stop()
		return s.stuck(limit, run, use(limit, s, t))
	})
}

type contentOut struct {
	state
	Text  string          `json:"text"`
	Links []document.Link `json:"links,omitempty"`
}

func (b *Browsers) content(ctx context.Context, c tool.Call, _ Look) (out contentOut, err error) {
	err = b.shown(ctx, c, "", func(ctx context.Context, s *session, t *tab) error {
		source, err := chromedp.Run(ctx, chromedp.EvaluateAsDevTools[string](fmt.Sprintf("document.documentElement.outerHTML.slice(0, %d)", maxSource)))
		if err != nil {
			return err
		}
		if out.state, err = s.state(ctx, t); err != nil {
			return err
		}
		base, err := url.Parse(out.URL)
		if err != nil {
			base = new(url.URL)
		}
		p, err := document.ReadPage([]byte(source), "text/html; charset=utf-8", base)
		out.Text, out.Links = p.Text, p.Links
		return err
	})
	return out, err
}

type pictureOut struct {
	state
	Artifact string `json:"artifact"` // a PNG
	Width    int    `json:"width"`
	Height   int    `json:"height"`
	Bytes    int    `json:"bytes"`
	shows    []string
}

// Shows implements tool.Shower.
func (p pictureOut) Shows() []string { return p.shows }

func (b *Browsers) screenshot(ctx context.Context, c tool.Call, in Screenshot) (out pictureOut, err error) {
	err = b.shown(ctx, c, "", func(ctx context.Context, s *session, t *tab) error {
		session := chromedp.FromContext(t.ctx).Target
		var how page.CaptureScreenshotParams
		if in.Full {
			m, err := cdp.Call(ctx, session, page.GetLayoutMetrics, cdp.Empty{})
			if err != nil {
				return err
			}
			beyond := true
			how.CaptureBeyondViewport = &beyond
			how.Clip = &page.Viewport{Width: min(m.CSSContentSize.Width, 2*width), Height: min(m.CSSContentSize.Height, maxHeight), Scale: 1}
		}
		shot, err := cdp.Call(ctx, session, page.CaptureScreenshot, how)
		if err != nil {
			return err
		}
		size, err := png.DecodeConfig(bytes.NewReader(shot.Data))
		if err != nil {
			return err
		}
		ref, err := b.keep.Put(shot.Data)
		if err != nil {
			return err
		}
		out.Artifact, out.Width, out.Height, out.Bytes = string(ref), size.Width, size.Height, len(shot.Data)
		if out.state, err = s.state(ctx, t); err != nil {
			return err
		}
		out.Note = "People can look at the picture, and so can you if your model sees pictures; what is on the page as text says browser_snapshot."
		return b.show(&out, shot.Data)
	})
	return out, err
}

// show has a model look at a picture. One that no model takes is left to people.
func (b *Browsers) show(out *pictureOut, raw []byte) error {
	seen, err := forModels(raw)
	if fault.KindOf(err) == fault.TooLarge {
		out.Note = fault.TextOf(err) + " People can look at it; browser_snapshot says what is on the page."
		return nil
	}
	if err != nil {
		return err
	}
	ref, err := b.keep.Put(seen)
	out.shows = []string{string(ref)}
	return err
}

// element finds the element that a snapshot named, on the site and with the text that the
// agent believes.
func (s *session) element(ctx context.Context, t *tab, onPage, ref, believed string) (cdp.BackendNodeID, error) {
	now, err := s.state(ctx, t)
	if err != nil {
		return 0, err
	}
	if err := same(onPage, now.URL); err != nil {
		return 0, err
	}
	id, ok := t.refs[ref]
	if !ok {
		return 0, fault.New(fault.NotFound, "The last snapshot names no %s. Take one with browser_snapshot.", ref)
	}
	really, err := describe(ctx, chromedp.FromContext(t.ctx).Target, id)
	if err != nil {
		return 0, fault.Wrap(err, fault.Conflict, "%s is not on the page any more. Take a new browser_snapshot.", ref)
	}
	if really != strings.TrimSpace(believed) {
		return 0, fault.New(fault.Conflict, "%s is not what element says. Take a new browser_snapshot, and give element exactly as it stands there before [ref=…].", ref)
	}
	return id, nil
}

func (b *Browsers) click(ctx context.Context, c tool.Call, in Click) (out state, err error) {
	err = b.shown(ctx, c, in.Page, func(ctx context.Context, s *session, t *tab) error {
		id, err := s.element(ctx, t, in.Page, in.Ref, in.Element)
		if err != nil {
			return err
		}
		out, err = s.settle(ctx, t, func(session cdp.Session) error { return press(ctx, session, id) })
		return err
	})
	return out, err
}

// press clicks in the middle of an element.
func press(ctx context.Context, session cdp.Session, id cdp.BackendNodeID) error {
	hidden := func(err error) error {
		return fault.Wrap(err, fault.Conflict, "It cannot be clicked: it is not visible. Take a new browser_snapshot.")
	}
	if _, err := cdp.Call(ctx, session, dom.ScrollIntoViewIfNeeded, dom.ScrollIntoViewIfNeededParams{BackendNodeID: id}); err != nil {
		return hidden(err)
	}
	quads, err := cdp.Call(ctx, session, dom.GetContentQuads, dom.GetContentQuadsParams{BackendNodeID: id})
	if err != nil || len(quads.Quads) == 0 || len(quads.Quads[0]) != 8 {
		return hidden(err)
	}
	q := quads.Quads[0]
	at := input.DispatchMouseEventParams{X: (q[0] + q[2] + q[4] + q[6]) / 4, Y: (q[1] + q[3] + q[5] + q[7]) / 4}
	for _, step := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMouseMoved, input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		at.Type = step
		if step != input.DispatchMouseEventTypeMouseMoved {
			at.Button, at.ClickCount = input.MouseButtonLeft, 1
		}
		if _, err := cdp.Call(ctx, session, input.DispatchMouseEvent, at); err != nil {
			return err
		}
	}
	return nil
}

// put replaces what a field holds. It says in a word what became of it.
const put = `function(value) {
	if (this.disabled || this.readOnly) return "locked";
	if (this instanceof HTMLSelectElement) {
		const found = [...this.options].find(o => o.value === value || o.text.trim() === value.trim());
		if (!found) return "no option";
		this.value = found.value;
	} else if (this instanceof HTMLInputElement && ["checkbox", "radio", "button", "submit", "reset", "file", "image"].includes(this.type)) {
		return "no text";
	} else if (this instanceof HTMLInputElement || this instanceof HTMLTextAreaElement) {
		const type = this instanceof HTMLInputElement ? HTMLInputElement : HTMLTextAreaElement;
		this.focus();
		Object.getOwnPropertyDescriptor(type.prototype, "value").set.call(this, value);
	} else if (this.isContentEditable) {
		this.focus();
		this.textContent = value;
	} else {
		return "no text";
	}
	this.dispatchEvent(new Event("input", { bubbles: true }));
	this.dispatchEvent(new Event("change", { bubbles: true }));
	return "done";
}`

func (b *Browsers) fill(ctx context.Context, c tool.Call, in Fill) (out state, err error) {
	value, err := json.Marshal(in.Value)
	if err != nil {
		return out, err
	}
	err = b.shown(ctx, c, in.Page, func(ctx context.Context, s *session, t *tab) error {
		id, err := s.element(ctx, t, in.Page, in.Ref, in.Element)
		if err != nil {
			return err
		}
		out, err = s.settle(ctx, t, func(session cdp.Session) error {
			if err := write(ctx, session, id, value); err != nil || !in.Submit {
				return err
			}
			return chromedp.Do(ctx, chromedp.KeyEvent("\r"))
		})
		return err
	})
	return out, err
}

func write(ctx context.Context, session cdp.Session, id cdp.BackendNodeID, value []byte) error {
	node, err := cdp.Call(ctx, session, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: id})
	if err != nil {
		return err
	}
	yes := true
	res, err := cdp.Call(ctx, session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: put, ObjectID: node.Object.ObjectID, ReturnByValue: &yes, UserGesture: &yes, Arguments: []*runtime.CallArgument{{Value: value}},
	})
	if err != nil {
		return err
	}
	switch string(res.Result.Value) {
	case `"done"`:
		return nil
	case `"locked"`:
		return fault.New(fault.Conflict, "The field cannot be changed.")
	case `"no option"`:
		return fault.New(fault.NotFound, "The list has no such option. browser_snapshot shows those that it has.")
	case `"no text"`:
		return fault.New(fault.Invalid, "It takes no text. Click on it with browser_click.")
	}
	return errors.New("the page broke while a field was filled")
}

// settle does something to a page and waits for the page that it loads, if it loads one.
func (s *session) settle(ctx context.Context, t *tab, do func(cdp.Session) error) (state, error) {
	session := chromedp.FromContext(t.ctx).Target
	tree, err := cdp.Call(ctx, session, page.GetFrameTree, cdp.Empty{})
	if err != nil {
		return state{}, err
	}
	listen, cancel := context.WithCancel(ctx)
	defer cancel()
	started, stopped := make(chan struct{}, 1), make(chan struct{}, 1) // one is enough
	tell := func(to chan struct{}) {
		select {
		case to <- struct{}{}:
		default:
		}
	}
	err = chromedp.Listen(listen, func(ev any) {
		switch ev := ev.(type) {
		case *page.EventFrameStartedLoading:
			if ev.FrameID == tree.FrameTree.Frame.ID {
				tell(started)
			}
		case *page.EventFrameStoppedLoading:
			if ev.FrameID == tree.FrameTree.Frame.ID {
				tell(stopped)
			}
		}
	})
	if err != nil {
		return state{}, err
	}
	tabs := len(s.tabs)
	if err := do(session); err != nil {
		return state{}, err
	}
	patience := time.NewTimer(begins)
	defer patience.Stop()
	select {
	case <-started:
		select {
		case <-stopped:
		case <-ctx.Done():
		}
	case <-patience.C:
	case <-ctx.Done():
	}
	after, done := context.WithTimeout(context.WithoutCancel(ctx), s.load)
	defer done()
	if err := s.look(after); err != nil {
		return state{}, err
	}
	if s.tab(t.name) == nil {
		return state{Tab: t.name, Note: "The tab closed itself. browser_tabs lists those that are left."}, nil
	}
	out, err := s.state(after, t)
	if len(s.tabs) > tabs && err == nil {
		out.Note = fmt.Sprintf("It opened the tab %s; browser_tabs brings it to the front.", s.tabs[len(s.tabs)-1].name)
	}
	return out, err
}
