package mcp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"chela/internal/fault"
	"chela/internal/mcp"
)

// stick is a server that does one thing at a time, and never ends a call of its tool stick.
func stick() {
	const tools = `{"tools":[{"name":"stick","description":"Sticks.","inputSchema":{"type":"object"}},{"name":"say","description":"Says.","inputSchema":{"type":"object"}}]}`
	for in := json.NewDecoder(os.Stdin); ; {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name            string
				ProtocolVersion string
			}
		}
		if in.Decode(&m) != nil {
			os.Exit(0)
		}
		switch {
		case m.ID == nil:
		case m.Method == "initialize":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":"stick","version":"1"}}}`+"\n", m.ID, m.Params.ProtocolVersion)
		case m.Method == "tools/list":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, tools)
		case m.Method == "tools/call" && m.Params.Name == "say":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"It works."}]}}`+"\n", m.ID)
		case m.Method == "tools/call":
			time.Sleep(time.Hour)
		default:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"There is no such method."}}`+"\n", m.ID)
		}
	}
}

// TestServers_OneThatIsStuck: a server that is late for a call, and does not say that it is there, is left and started anew.
func TestServers_OneThatIsStuck(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.add(t, mcp.Server{Name: "box", Command: []string{os.Args[0]}, Env: map[string]string{asServer: "sticks"}, Seconds: 1})
	if _, err := r.call(t, "box__stick", `{}`); fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.TextOf(err), "did not answer within 1s") {
		t.Fatalf("got %v, want that it is late", err)
	}
	for end := time.Now().Add(deadline); ; time.Sleep(100 * time.Millisecond) {
		got, err := r.call(t, "box__say", `{}`)
		if err == nil {
			if got.Text != "It works." {
				t.Errorf("got %q", got.Text)
			}
			return
		}
		if time.Now().After(end) {
			t.Fatalf("it stays stuck: %v", err)
		}
	}
}
