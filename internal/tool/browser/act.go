package browser

import (
	"fmt"

	"chela/internal/disk"
	"chela/internal/fault"
	"chela/internal/netaddr"
	"chela/internal/tool"
)

// The arguments of the tools.
type (
	// Navigate opens a page.
	Navigate struct {
		URL string `json:"url" doc:"http or https"`
	}
	// Click clicks on an element of the page in front.
	Click struct {
		Page    string `json:"page" doc:"the address of the page, as the last result said"`
		Ref     string `json:"ref" doc:"of the last browser_snapshot, such as e12"`
		Element string `json:"element" doc:"what the snapshot says there, such as button \"Save\""`
	}
	// Fill puts a text or a choice into a field of the page in front.
	Fill struct {
		Page    string  `json:"page" doc:"the address of the page, as the last result said"`
		Ref     string  `json:"ref" doc:"of the last browser_snapshot, such as e12"`
		Element string  `json:"element" doc:"what the snapshot says there, such as textbox \"Name\""`
		Value   *string `json:"value" doc:"replaces what is there; of a list the text or value of an option"`
		Submit  bool    `json:"submit,omitempty" doc:"press Enter afterwards"`
	}
	// Tabs lists and changes the tabs.
	Tabs struct {
		Action string `json:"action" enum:"list,open,focus,close"`
		Tab    string `json:"tab,omitempty" doc:"which one to focus or close"`
		URL    string `json:"url,omitempty" doc:"what to open"`
	}
	// Look takes nothing: it is about the page in front.
	Look struct{}
	// Screenshot takes a picture.
	Screenshot struct {
		Full bool `json:"full_page,omitempty" doc:"all of the page instead of what is visible"`
	}
)

var (
	_ tool.Actor = Navigate{}
	_ tool.Actor = Click{}
	_ tool.Actor = Fill{}
	_ tool.Actor = Tabs{}
)

// address is how rules about hosts see a page: as it is asked for, or as it stands.
func address(raw string) string {
	if u, err := netaddr.URL(raw); err == nil {
		return u.String()
	}
	return raw
}

// Act implements tool.Actor.
func (n Navigate) Act(disk.Folders) tool.Act {
	return tool.Act{URL: address(n.URL), Shown: "Open " + address(n.URL)}
}

// Act implements tool.Actor. That page and element are what is really there is checked
// before the click: what a person approves is what happens.
func (c Click) Act(disk.Folders) tool.Act {
	return tool.Act{URL: address(c.Page), Shown: fmt.Sprintf("Click on %s of %s", c.Element, address(c.Page))}
}

// Act implements tool.Actor.
func (f Fill) Act(disk.Folders) tool.Act {
	value, then := "", ""
	if f.Value != nil {
		value = *f.Value
	}
	if f.Submit {
		then = " and press Enter"
	}
	return tool.Act{URL: address(f.Page), Shown: fmt.Sprintf("Put %q into %s of %s%s", value, f.Element, address(f.Page), then)}
}

// Act implements tool.Actor. Only opening a tab calls the network.
func (t Tabs) Act(disk.Folders) tool.Act {
	if t.Action == "open" {
		return tool.Act{URL: address(t.URL), Shown: "Open " + address(t.URL) + " in a tab"}
	}
	return tool.Act{Risk: tool.ReadOnly}
}

// same refuses when a page is not on the site that the agent believes.
func same(believed, really string) error {
	a, err := netaddr.URL(believed)
	if err != nil {
		return fault.BadField("page", "Give the address of the page, as the last result said it.")
	}
	if b, err := netaddr.URL(really); err == nil && a.Scheme == b.Scheme && a.Host == b.Host {
		return nil
	}
	return fault.New(fault.Conflict, "The page in front is not on %s any more. Look at it with browser_snapshot.", a.Host)
}
