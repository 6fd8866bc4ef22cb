package storetest

import (
	"errors"
	"testing"

	"chela/internal/event"
	"chela/internal/mcp"
)

// servers holds that tools of an MCP server are offered as they were accepted, and not as they became since, that
// setting a server again keeps what was accepted, and that who waits is woken.
func servers(t *testing.T, open Opener) {
	db, _ := open(t)
	changed, stop := db.MCP.Subscribe(event.ServersChanged)
	defer stop()
	at := place(event.OrgStream)
	record := func(drafts ...event.Draft) mcp.Known {
		t.Helper()
		check(t, db.MCP.Change(t.Context(), "hub", func(mcp.Known) ([]event.Draft, error) { return drafts, nil }))
		list, err := db.MCP.Servers(t.Context())
		check(t, err)
		if len(list) != 1 {
			t.Fatalf("there are %d servers, want 1", len(list))
		}
		return list[0]
	}
	see := func(help string) mcp.Seen {
		d, err := mcp.Define("search", help, nil)
		check(t, err)
		return mcp.See("hub", []mcp.Definition{d}, map[string]string{"odd": "It is odd."})
	}
	first, second := see("Finds things."), see("Finds things, and sends them on.")
	k := record(mcp.SetKind.Draft(at, mcp.Server{Name: "hub", URL: "https://hub.example/mcp"}))
	<-changed
	if len(k.Offered()) != 0 || k.URL != "https://hub.example/mcp" {
		t.Errorf("a server that is new: %+v", k)
	}
	if k = record(mcp.SeenKind.Draft(at, first)); len(k.Offered()) != 0 || len(k.Changes()) != 1 || k.Seen.LeftOut["odd"] == "" {
		t.Errorf("tools that nobody accepted: %+v", k)
	}
	if k = record(mcp.AcceptedKind.Draft(at, mcp.Accepted{Name: "hub", Digest: second.Digest})); len(k.Offered()) != 0 {
		t.Errorf("others than those that were seen are accepted: %+v", k)
	}
	if k = record(mcp.AcceptedKind.Draft(at, mcp.Accepted{Name: "hub", Digest: first.Digest})); len(k.Offered()) != 1 || len(k.Changes()) != 0 {
		t.Errorf("tools that are accepted: %+v", k)
	}
	if k = record(mcp.SeenKind.Draft(at, second)); len(k.Offered()) != 0 || len(k.Changes()) != 1 || k.Changes()[0].What != "changed" {
		t.Errorf("a tool that has changed: %+v", k)
	}
	if k = record(mcp.SeenKind.Draft(at, first), mcp.SetKind.Draft(at, mcp.Server{Name: "hub", URL: "https://hub.example/v2"})); len(k.Offered()) != 1 || k.URL != "https://hub.example/v2" {
		t.Errorf("a tool as it was accepted, at another address: %+v", k)
	}
	refused := errors.New("no")
	if err := db.MCP.Change(t.Context(), "hub", func(now mcp.Known) ([]event.Draft, error) {
		if now.URL != "https://hub.example/v2" {
			t.Errorf("a change is asked about %+v", now)
		}
		return []event.Draft{mcp.RemovedKind.Draft(at, mcp.Removed{Name: "hub"})}, refused
	}); !errors.Is(err, refused) {
		t.Errorf("a change that is refused: %v", err)
	}
	record()
	check(t, db.MCP.Change(t.Context(), "hub", func(mcp.Known) ([]event.Draft, error) {
		return []event.Draft{mcp.RemovedKind.Draft(at, mcp.Removed{Name: "hub"})}, nil
	}))
	if list, err := db.MCP.Servers(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("after it is removed: %+v, %v", list, err)
	}
}
