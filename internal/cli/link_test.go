package cli

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"chela/internal/channel"
	"chela/internal/fault"
	"chela/internal/gateway/client"
)

// TestLink_CodesAreDrawnUntilAChannelIsLinked: each once, and what went wrong between them.
func TestLink_CodesAreDrawnUntilAChannelIsLinked(t *testing.T) {
	t.Parallel()
	steps := []channel.Status{
		{State: channel.Connecting},
		{State: channel.Unlinked, Link: "2@one,aaaa"},
		{State: channel.Broken, Problem: "No phone took it."},
		{State: channel.Unlinked, Link: "2@two,bbbb", Problem: "No phone took it."},
		{State: channel.Up, Account: &channel.Account{ID: "4915", Name: "Olga"}},
	}
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := steps[min(asked, len(steps)-1)]
		asked++
		now.Name = "own"
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode([]channel.Status{now})
	}))
	defer s.Close()
	var out bytes.Buffer
	a := &app{out: &out}
	got, err := a.linked(t.Context(), client.New(s.URL, ""), "own")
	if err != nil || got.Account.Name != "Olga" {
		t.Fatalf("%+v: %v", got, err)
	}
	if n := strings.Count(out.String(), "Linked devices"); n != 2 || strings.Count(out.String(), "No phone took it.") != 1 {
		t.Errorf("%d codes were drawn:\n%s", n, out.String())
	}
	if _, err := a.linked(t.Context(), client.New(s.URL, ""), "other"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("of another: %v", err)
	}
	steps = []channel.Status{{State: channel.Elsewhere}}
	if _, err := a.linked(t.Context(), client.New(s.URL, ""), "own"); fault.KindOf(err) != fault.Conflict {
		t.Errorf("elsewhere: %v", err)
	}
}
