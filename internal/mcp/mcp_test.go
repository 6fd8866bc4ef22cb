package mcp_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/mcp"
	"chela/internal/tool"
)

// decode reads an entry as the API does.
func decode(raw []byte) (s mcp.Server, err error) {
	if err := event.DecodeStrict(raw, &s); err != nil {
		return s, err
	}
	return s, s.Check()
}

func TestServer_Check(t *testing.T) {
	t.Parallel()
	for text, field := range map[string]string{
		`{"name":"hub","url":"https://hub.example/mcp"}`:                                                       "",
		`{"name":"hub","url":"http://10.0.0.1/mcp","inside":true,"secrets":{"Authorization":"HUB"}}`:           "",
		`{"name":"box","command":["npx","server"],"secrets":{"TOKEN":"HUB"},"folders":["/src"],"risk":"SEND"}`: "",
		`{"name":"my-hub","url":"https://hub.example/mcp"}`:                                                    "name",
		`{"name":"hub"}`: "command",
		`{"name":"hub","command":["a"],"url":"https://hub.example"}`:                     "url",
		`{"name":"hub","command":[""]}`:                                                  "command",
		`{"name":"hub","url":"file:///etc/passwd"}`:                                      "url",
		`{"name":"hub","url":"https://me:secret@hub.example"}`:                           "url",
		`{"name":"hub","url":"http://hub.example","secrets":{"Authorization":"HUB"}}`:    "url",
		`{"name":"hub","url":"https://hub.example","network":true}`:                      "folders",
		`{"name":"hub","command":["a"],"inside":true}`:                                   "sse",
		`{"name":"hub","command":["a"],"folders":["src"]}`:                               "folders.0",
		`{"name":"hub","command":["a"],"env":{"A=B":"c"}}`:                               "env",
		`{"name":"hub","url":"https://hub.example","secrets":{"X-Token\r\nHost":"HUB"}}`: "env",
		`{"name":"hub","command":["a"],"risk":"HARMLESS"}`:                               "risk",
		`{"name":"hub","command":["a"],"risks":{"search":"HARMLESS"}}`:                   "risk",
		`{"name":"hub","command":["a"],"seconds":601}`:                                   "seconds",
		`{"name":"hub","command":["a"],"colour":"red"}`:                                  "colour",
		`{"name":"hub","command":["a"],"name":"box"}`:                                    "name",
	} {
		_, err := decode([]byte(text))
		if (err == nil) != (field == "") || err != nil && !strings.Contains(fault.TextOf(err), field+":") {
			t.Errorf("%s: got %v, want that it names %q", text, err, field)
		}
	}
}

// TestDefine_LeavesOut says why a tool cannot be offered.
func TestDefine_LeavesOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ tool, help, schema string }{
		"no name":             {"", "", `{}`},
		"a long name":         {strings.Repeat("a", 129), "", `{}`},
		"an escape":           {"a\x1b[31m", "", `{}`},
		"a list":              {"a", "", `[]`},
		"a list of arguments": {"a", "", `{"type":"array"}`},
		"no JSON":             {"a", "", `{"type"`},
		"too long":            {"a", strings.Repeat("x", 17<<10), `{}`},
	} {
		if d, err := mcp.Define(c.tool, c.help, json.RawMessage(c.schema)); err == nil {
			t.Errorf("%s: got %+v", name, d)
		}
	}
	d, err := mcp.Define("search", "Finds\u202e things\x00.", json.RawMessage(`{"type":"object"}`))
	if err != nil {
		t.Fatal(err)
	}
	if help := d.Help("hub"); strings.ContainsAny(help, "\u202e\x00") || !strings.Contains(help, "MCP server hub") {
		t.Errorf("models read %q", help)
	}
	if text := d.Text(); !strings.Contains(text, `\u{202E}`) || !strings.Contains(text, `\u{0}`) {
		t.Errorf("people read %q", text)
	}
}

// TestKnown_OffersWhatIsAccepted holds for whatever a server says and an owner accepts: a tool is offered when, and
// only when, it was last seen exactly as an owner accepted it, and what is not is named as a change.
func TestKnown_OffersWhatIsAccepted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var k mcp.Known
		accepted, now := map[string]string{}, map[string]string{} // tool → help
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "accepts") {
				k.Accepted, accepted = k.Seen.Tools, maps.Clone(now)
			} else {
				now = rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c"}), rapid.SampledFrom([]string{"x", "y"}), 0, 3).Draw(t, "tools")
				var defs []mcp.Definition
				for name, help := range now {
					d, err := mcp.Define(name, help, nil)
					if err != nil {
						t.Fatal(err)
					}
					defs = append(defs, d)
				}
				k.Seen = mcp.See("hub", defs, nil)
			}
			k.Disabled = rapid.Bool().Draw(t, "disabled")
			offered := make(map[string]bool)
			for _, d := range k.Offered() {
				offered[d.Name] = true
			}
			changes := make(map[string]string)
			for _, c := range k.Changes() {
				changes[c.Name] = c.What
			}
			for _, name := range []string{"a", "b", "c"} {
				help, there := now[name]
				was, had := accepted[name]
				if want := there && had && help == was && !k.Disabled; offered[name] != want {
					t.Fatalf("%s is offered: %v, want %v", name, offered[name], want)
				}
				want := ""
				switch {
				case there && !had:
					want = "new"
				case there && help != was:
					want = "changed"
				case !there && had:
					want = "gone"
				}
				if changes[name] != want {
					t.Fatalf("%s is %q, want %q", name, changes[name], want)
				}
			}
		}
	})
}

// TestSee_Bounds leaves out what is too much, and both of two that have one name.
func TestSee_Bounds(t *testing.T) {
	t.Parallel()
	var many []mcp.Definition
	for _, name := range []string{"a", "b", "a"} {
		d, err := mcp.Define(name, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		many = append(many, d)
	}
	if s := mcp.See("hub", many, nil); len(s.Tools) != 1 || s.Tools[0].Name != "b" || s.LeftOut["a"] == "" {
		t.Errorf("got %+v", s)
	}
	many = nil
	for n := range 60 {
		d, err := mcp.Define("t"+strings.Repeat("x", n), strings.Repeat("long ", 3000), nil)
		if err != nil {
			t.Fatal(err)
		}
		many = append(many, d)
	}
	if s := mcp.See("hub", many, nil); len(s.Tools) >= 60 || len(s.LeftOut) == 0 {
		t.Errorf("%d tools are kept", len(s.Tools))
	}
}

// FuzzDefine makes a definition whose digest stands for all of it.
func FuzzDefine(f *testing.F) {
	f.Add("search", "Finds.", []byte(`{"type":"object","properties":{"q":{"type":"string"}}}`))
	f.Add("a\u202e", "\x00", []byte(`{"a":`))
	f.Fuzz(func(t *testing.T, name, help string, schema []byte) {
		d, err := mcp.Define(name, help, schema)
		if err != nil {
			return
		}
		if other, err := mcp.Define(name, help+".", schema); err == nil && other.Digest == d.Digest {
			t.Error("another description has the same digest")
		}
		if !json.Valid(d.Schema) || strings.ContainsAny(d.Text(), "\x00\x1b\u202e") {
			t.Errorf("got %q", d.Text())
		}
	})
}

// FuzzServer takes an entry that holds, or says what is wrong with it.
func FuzzServer(f *testing.F) {
	f.Add([]byte(`{"name":"hub","url":"https://hub.example/mcp","risks":{"a":"SEND"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := decode(raw)
		if err == nil && (!tool.IsPrefix(s.Name) || (s.URL == "") == (len(s.Command) == 0)) {
			t.Errorf("got %+v", s)
		}
	})
}
