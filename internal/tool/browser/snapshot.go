package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"chela/internal/tool"
)

const (
	maxLines = 1500 // of a snapshot
	maxDeep  = 200  // elements inside each other that are looked at
	maxName  = 300  // characters of a name or a value
)

// named are the roles of elements that can be clicked on or filled.
var named = map[string]bool{
	"button": true, "link": true, "textbox": true, "searchbox": true, "checkbox": true, "radio": true, "combobox": true, "listbox": true, "option": true,
	"menuitem": true, "menuitemcheckbox": true, "menuitemradio": true, "tab": true, "switch": true, "slider": true, "spinbutton": true, "treeitem": true,
	"DisclosureTriangle": true, "ColorWell": true, "Date": true, "DateTime": true, "InputTime": true,
}

// silent are the roles of elements that say nothing themselves.
var silent = map[string]bool{"none": true, "generic": true, "InlineTextBox": true, "LineBreak": true, "ListMarker": true, "RootWebArea": true, "presentation": true}

type snapshotOut struct {
	state
	Snapshot string `json:"snapshot"`
}

func (b *Browsers) snapshot(ctx context.Context, c tool.Call, _ Look) (out snapshotOut, err error) {
	err = b.shown(ctx, c, "", func(ctx context.Context, s *session, t *tab) error {
		target := chromedp.FromContext(t.ctx).Target
		tree, err := cdp.Call(ctx, target, page.GetFrameTree, cdp.Empty{})
		if err != nil {
			return err
		}
		o := outline{refs: make(map[string]cdp.BackendNodeID), next: s.refs}
		if err := o.frames(ctx, target, tree.FrameTree, true); err != nil {
			return err
		}
		t.refs, s.refs = o.refs, o.next
		out.Snapshot = o.text()
		out.state, err = s.state(ctx, t)
		return err
	})
	return out, err
}

// An outline is a page as its accessibility tree tells it.
type outline struct {
	lines []string
	refs  map[string]cdp.BackendNodeID
	next  int
	cut   bool
}

func (o *outline) text() string {
	text := strings.Join(o.lines, "\n")
	if o.cut {
		text += fmt.Sprintf("\n(The page has more; this is the first %d lines.)", maxLines)
	}
	return text
}

// frames outlines a frame and those in it. Frames of other sites live in other processes,
// of which only the address is told.
func (o *outline) frames(ctx context.Context, s cdp.Session, t *page.FrameTree, top bool) error {
	res, err := cdp.Call(ctx, s, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{FrameID: t.Frame.ID})
	switch {
	case err != nil && top:
		return err
	case err != nil:
		o.line(0, "frame of another site: "+short(t.Frame.URL))
		return nil
	case !top:
		o.line(0, "frame "+short(t.Frame.URL)+":")
	}
	o.add(res.Nodes)
	for _, c := range t.ChildFrames {
		if err := o.frames(ctx, s, c, false); err != nil {
			return err
		}
	}
	return nil
}

func (o *outline) line(deep int, text string) {
	if len(o.lines) >= maxLines {
		o.cut = true
		return
	}
	o.lines = append(o.lines, strings.Repeat("  ", deep)+text)
}

// add outlines one tree; its first node is the root.
func (o *outline) add(nodes []*accessibility.Node) {
	byID := make(map[accessibility.NodeID]*accessibility.Node, len(nodes))
	for _, n := range nodes {
		if n != nil {
			byID[n.NodeID] = n
		}
	}
	seen := make(map[accessibility.NodeID]bool)
	var visit func(n *accessibility.Node, deep, indent int, above string)
	visit = func(n *accessibility.Node, deep, indent int, above string) {
		if n == nil || seen[n.NodeID] || deep > maxDeep || o.cut {
			return
		}
		seen[n.NodeID] = true
		what, name := about(n)
		role := valueOf(n.Role)
		switch {
		case n.Ignored || silent[role]:
		case role == "StaticText":
			if name != "" && name != above {
				o.line(indent, "text: "+name)
			}
			return
		default:
			line := "- " + what
			if named[role] && n.BackendDOMNodeID != 0 {
				o.next++
				ref := fmt.Sprintf("e%d", o.next)
				o.refs[ref] = n.BackendDOMNodeID
				line += " [ref=" + ref + "]"
			}
			o.line(indent, line+details(n))
			indent, above = indent+1, name
		}
		for _, id := range n.ChildIDs {
			visit(byID[id], deep+1, indent, above)
		}
	}
	if len(nodes) > 0 {
		visit(nodes[0], 0, 0, "")
	}
}

// about says what an element is, as a snapshot and the argument element have it.
func about(n *accessibility.Node) (what, name string) {
	name = short(valueOf(n.Name))
	if name == "" {
		return valueOf(n.Role), ""
	}
	return fmt.Sprintf("%s %q", valueOf(n.Role), name), name
}

// details are what an element holds, and its state.
func details(n *accessibility.Node) string {
	var b strings.Builder
	for _, p := range n.Properties {
		if p == nil || p.Value == nil {
			continue
		}
		v := valueOf(p.Value)
		switch p.Name { //nolint:exhaustive // the others say little
		case accessibility.PropertyNameChecked, accessibility.PropertyNameSelected, accessibility.PropertyNameDisabled, accessibility.PropertyNameExpanded,
			accessibility.PropertyNameRequired, accessibility.PropertyNamePressed:
			if v == "true" || v == "mixed" || v == "false" && p.Name == accessibility.PropertyNameExpanded {
				fmt.Fprintf(&b, " [%s=%s]", p.Name, v)
			}
		case accessibility.PropertyNameLevel:
			fmt.Fprintf(&b, " [level=%s]", short(v))
		}
	}
	if v := short(valueOf(n.Value)); v != "" {
		fmt.Fprintf(&b, ": %s", v)
	}
	return b.String()
}

// valueOf is the text of a value, whatever its type.
func valueOf(v *accessibility.Value) string {
	if v == nil || len(v.Value) == 0 {
		return ""
	}
	var text string
	if json.Unmarshal(v.Value, &text) == nil {
		return text
	}
	return string(v.Value)
}

// short is a text on one line, of bounded length.
func short(text string) string {
	r := []rune(strings.Join(strings.Fields(text), " "))
	if len(r) > maxName {
		r = append(r[:maxName], '…')
	}
	return string(r)
}

// describe says what an element is now.
func describe(ctx context.Context, s cdp.Session, id cdp.BackendNodeID) (string, error) {
	no := false
	res, err := cdp.Call(ctx, s, accessibility.GetPartialAXTree, accessibility.GetPartialAXTreeParams{BackendNodeID: id, FetchRelatives: &no})
	if err != nil {
		return "", err
	}
	for _, n := range res.Nodes {
		if n.BackendDOMNodeID == id && !n.Ignored {
			what, _ := about(n)
			return what, nil
		}
	}
	return "", errors.New("it is hidden")
}
