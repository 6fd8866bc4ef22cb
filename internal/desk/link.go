package desk

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"chela/internal/fault"
)

// Link is the kind of addresses worth keeping.
const Link Kind = "link"

// A LinkBody is an address worth keeping.
type LinkBody struct {
	URL          string   `json:"url"`
	Title        string   `json:"title"`
	Category     string   `json:"category,omitempty"`
	Description  string   `json:"description,omitempty"`
	Pinned       bool     `json:"pinned,omitempty"`
	BundleID     string   `json:"bundleId,omitempty"` // links of one bundle are shown together
	ThreadIDs    []string `json:"threadIds,omitempty"`
	ObjectiveIDs []string `json:"objectiveIds,omitempty"`
	PhaseIDs     []string `json:"phaseIds,omitempty"`
	Tags         []string `json:"tags,omitempty"`
	Sources      []Source `json:"sources,omitempty"`
}

// Check implements [Thing]. Only addresses that a browser opens without running
// anything are kept.
func (l *LinkBody) Check() error {
	l.URL = strings.TrimSpace(l.URL)
	if err := required("url", l.URL); err != nil {
		return err
	}
	u, err := url.Parse(l.URL)
	if err != nil || u.Host == "" || !slices.Contains([]string{"http", "https"}, u.Scheme) {
		return fault.BadField("url", "The address begins with http:// or https:// and names a host.")
	}
	if strings.TrimSpace(l.Title) == "" {
		l.Title = l.URL
	}
	return nil
}
func (l *LinkBody) identity() string { return l.URL }
func (l *LinkBody) title() string    { return l.Title }
func (l *LinkBody) status() string   { return l.Category }
func (l *LinkBody) refs() []Ref {
	return append(append(refsTo("threadIds", l.ThreadIDs), refsTo("objectiveIds", l.ObjectiveIDs)...), refsTo("phaseIds", l.PhaseIDs)...)
}

func (*LinkBody) facets() facets {
	return facets{
		kind:    Link,
		prefix:  "lnk",
		word:    "link",
		section: "LINKS",
		copied:  true,
		merged:  true,
		form: []Input{
			{Name: "title"}, {Name: "url"}, {Name: "category"}, {Name: "description"}, {Name: "pinned"}, {Name: "tags"},
		},
		asked: Asked{Columns: []string{"title", "url"}, Values: []string{"category"}},
	}
}

func (l *LinkBody) line(_ string) string {
	return fmt.Sprintf("%s %s%s %.200s", l.Title, l.URL, opt(" category=", l.Category), l.Description)
}
