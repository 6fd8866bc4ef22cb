package browser

import (
	"context"
	"net/url"
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"chela/internal/fault"
	"chela/internal/netaddr"
	"chela/internal/tool"
)

type tabOut struct {
	Tab   string `json:"tab"`
	URL   string `json:"url"`
	Title string `json:"title,omitempty"`
	Front bool   `json:"front,omitempty"`
}

type tabsOut struct {
	Tabs    []tabOut `json:"tabs"`
	Refused []string `json:"not_loaded,omitempty"`
	hosts   []string
}

// From implements tool.Sourced.
func (t tabsOut) From() []string { return t.hosts }

func (b *Browsers) tabs(ctx context.Context, c tool.Call, in Tabs) (out tabsOut, err error) {
	var to *url.URL
	about := ""
	if in.Action == "open" {
		if to, err = netaddr.URL(in.URL); err != nil {
			return out, err
		}
		about = to.String()
	}
	err = b.in(ctx, c, about, in.Action == "open", func(s *session) error {
		if err := s.look(ctx); err != nil {
			return err
		}
		t := s.tab(in.Tab)
		if t == nil && (in.Action == "focus" || in.Action == "close") {
			return fault.New(fault.NotFound, "There is no tab %q. The action list lists them.", in.Tab)
		}
		switch in.Action {
		case "open":
			if len(s.tabs) >= maxTabs {
				return fault.New(fault.TooLarge, "%d tabs are open, which is as many as may be. Close one.", len(s.tabs))
			}
			if t, err = s.attach(ctx); err != nil {
				return err
			}
			s.current = t.name
			loaded, err := s.open(ctx, t, to.String())
			if err != nil {
				return err
			}
			out.Refused, out.hosts = loaded.Refused, loaded.hosts
		case "focus":
			s.current = t.name
		case "close":
			if _, err := cdp.Call(ctx, chromedp.FromContext(s.root).Browser, target.CloseTarget, target.CloseTargetParams{TargetID: t.id}); err != nil {
				return err
			}
			t.end()
			s.tabs = slices.DeleteFunc(s.tabs, func(o *tab) bool { return o == t })
		}
		return s.list(ctx, &out)
	})
	return out, err
}

const maxTabs = 10

// list fills in what tabs there are.
func (s *session) list(ctx context.Context, out *tabsOut) error {
	if err := s.look(ctx); err != nil {
		return err
	}
	out.Tabs = []tabOut{}
	for _, t := range s.tabs {
		run, cancel := within(ctx, t.ctx)
		now, err := s.state(run, t)
		cancel()
		if err != nil {
			return err
		}
		out.Tabs = append(out.Tabs, tabOut{now.Tab, now.URL, now.Title, t.name == s.current})
		for _, h := range now.hosts {
			if !slices.Contains(out.hosts, h) {
				out.hosts = append(out.hosts, h)
			}
		}
	}
	return nil
}
