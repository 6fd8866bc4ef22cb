package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"chela/internal/org"
	"chela/internal/tool"
)

// source is a source whose list a test changes. It is not safe for use beside the catalog but in a
// bubble that waits.
type source struct {
	list    []*tool.Tool
	err     error
	changed chan struct{}
}

func (s *source) Tools(context.Context) ([]*tool.Tool, error) { return s.list, s.err }
func (s *source) Changed() <-chan struct{}                    { return s.changed }

func theirs(names ...string) []*tool.Tool {
	out := make([]*tool.Tool, len(names))
	for i, n := range names {
		s := tool.Spec{Name: n, Help: "Of others.", Risk: tool.NetworkCalls, Role: org.Viewer, Everyone: true}
		out[i] = tool.StandIn(s, json.RawMessage(`{}`), nil, func(context.Context, tool.Call) (tool.Result, error) { return tool.Result{Text: n}, nil })
	}
	return out
}

// offered lists what a catalog has now.
func offered(c *tool.Catalog) string {
	var out []string
	for _, t := range c.Now().All() {
		out = append(out, t.Name)
	}
	return strings.Join(out, " ")
}

func TestCatalog_FollowsItsSources(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &source{list: theirs("list-issues", "search"), changed: make(chan struct{}, 1)}
		b := &source{err: errors.New("nobody there"), changed: make(chan struct{})}
		close(b.changed)
		c := tool.NewCatalog(slog.New(slog.DiscardHandler), set(), map[string]tool.Source{"hub": a, "box": b})
		check := func(when, want string) {
			t.Helper()
			synctest.Wait()
			if got := offered(c); got != want {
				t.Errorf("%s there are %q, want %q", when, got, want)
			}
		}
		check("before it runs", "assign read_tickets write_file")
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- c.Run(ctx) }()
		check("when a source cannot be listed", "assign hub__list_issues hub__search read_tickets write_file")
		before := c.Now()
		b.list, b.err = theirs("search"), nil
		time.Sleep(time.Minute) //nolint:forbidigo // of the bubble: it takes no time
		check("when it can be listed again", "assign box__search hub__list_issues hub__search read_tickets write_file")
		a.list = theirs("search")
		a.changed <- struct{}{}
		check("when a tool went away", "assign box__search hub__search read_tickets write_file")
		if got, want := c.Now().Missing("hub__list_issues"), "The tool hub__list_issues is not there any more: its source hub does not offer it now. Go on without it."; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if _, ok := before.Find("hub__list_issues"); !ok {
			t.Error("a set changed that somebody may work with")
		}
		a.err = errors.New("gone")
		a.changed <- struct{}{}
		check("when a source fails, what it offered stays:", "assign box__search hub__search read_tickets write_file")
		found, _ := c.Now().Find("hub__search")
		if found.Everyone || found.Untrusted != "network" || len(found.Parts) > 0 {
			t.Errorf("a tool of others is declared as %+v, want one for nobody in particular, from outside", found.Spec)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("got %v, want no error", err)
		}
	})
}

func TestCatalog_LeavesOutWhatIsNotDeclared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		list := theirs("one", "two", "three", "four", "one")
		list[1].Help, list[2].Role, list[3].Risk = "", "", "WHATEVER"
		c := tool.NewCatalog(slog.New(slog.DiscardHandler), tool.NewSet(), map[string]tool.Source{"hub": &source{list: list}})
		go func() { _ = c.Run(t.Context()) }()
		synctest.Wait()
		if got, want := offered(c), "hub__one"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestNewCatalog_Panics(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func(){
		"a name of a source": func() { tool.NewCatalog(nil, tool.NewSet(theirs("hub__x")...), nil) },
		"a prefix":           func() { tool.NewCatalog(nil, tool.NewSet(), map[string]tool.Source{"my_hub": &source{}}) },
		"a long prefix": func() {
			tool.NewCatalog(nil, tool.NewSet(), map[string]tool.Source{strings.Repeat("a", 17): &source{}})
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: got no panic, want one", name)
				}
			}()
			build()
		}()
	}
}

func TestLocalNames_Table(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("very_long_", 10)
	for _, c := range []struct{ theirs, want string }{
		{"search", "hub__search"},
		{"listOpenPRs", "hub__list_open_prs"},
		{"create-issue get_me Sheets.Read", "hub__create_issue hub__get_me hub__sheets_read"},
		{"get-me get_me", "hub__get_me_52cce4df4b hub__get_me_7815c379a8"},
		{long, "hub__very_long_very_long_very_long_very_long_very_lon_faee2af191"},
		{"読む", "hub__818417a139"},
	} {
		got := tool.LocalNames("hub", strings.Fields(c.theirs))
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: got %q, want %q", c.theirs, text, c.want)
		}
	}
}

// TestLocalNames_Properties: whatever a source calls its tools, our names fit every API of models, are
// all different, do not depend on their order, and none is taken over when another tool joins.
func TestLocalNames_Properties(t *testing.T) {
	t.Parallel()
	fits := regexp.MustCompile(`^[a-z][a-z0-9_]{1,63}$`)
	rapid.Check(t, func(t *rapid.T) {
		prefix := rapid.StringMatching(`[a-z][a-z0-9]{0,15}`).Draw(t, "prefix")
		name := rapid.OneOf(rapid.String(), rapid.StringMatching(`[aA]?[-_.]?[aB]{0,2}`), rapid.StringMatching(`[a-zA-Z_.-]{40,80}`))
		list := rapid.SliceOfNDistinct(name, 0, 12, rapid.ID[string]).Draw(t, "names")
		for _, n := range tool.LocalNames(prefix, list) { // another one tries to be what a hash makes
			if rapid.Bool().Draw(t, "imitated") {
				if n = strings.TrimPrefix(n, prefix+"__"); !slices.Contains(list, n) {
					list = append(list, n)
				}
			}
		}
		got := tool.LocalNames(prefix, list)
		of := make(map[string]string)
		for i, n := range got {
			if !fits.MatchString(n) || !strings.HasPrefix(n, prefix+"__") {
				t.Fatalf("%q is %q, want a name with the prefix %s", list[i], n, prefix)
			}
			if other, ok := of[n]; ok {
				t.Fatalf("%q and %q are both %q, want different names", other, list[i], n)
			}
			of[n] = list[i]
		}
		turned := slices.Clone(list)
		slices.Reverse(turned)
		back := tool.LocalNames(prefix, turned)
		slices.Reverse(back)
		if !slices.Equal(got, back) {
			t.Fatalf("in another order the names are %q, want %q", back, got)
		}
		if more := name.Draw(t, "more"); !slices.Contains(list, more) {
			for i, n := range tool.LocalNames(prefix, append(slices.Clone(list), more)) {
				if other, ok := of[n]; i == len(list) && ok {
					t.Fatalf("%q took the name %q of %q over", more, n, other)
				}
			}
		}
	})
}
