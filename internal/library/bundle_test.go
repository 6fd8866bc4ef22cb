package library_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/library"
)

// a is a file of a bundle.
type a struct {
	name, body string
	mode       fs.FileMode
}

func bundle(t *testing.T, files ...a) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate}
		h.SetMode(f.mode | 0o600)
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = w.Write([]byte(f.body))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadBundle_ShowsWhatItNeeds(t *testing.T) {
	t.Parallel()
	raw, err := library.ShippedSource("code-change")
	if err != nil {
		t.Fatal(err)
	}
	got, problems, err := library.ReadBundle(bundle(t, a{name: "workflow.yaml", body: string(raw)}, a{name: "system.json", body: `{"tools":[]}`}))
	if err != nil || problems != nil {
		t.Fatal(err, problems)
	}
	if !slices.Equal(got.Tools, []string{"add_comment", "shell_exec", "update_ticket"}) || !slices.Equal(got.Agents, []string{"reviewer"}) || !slices.Equal(got.Requires, []string{"skill:code"}) || len(got.Commands) != 1 {
		t.Errorf("it needs %+v", got.Manifest)
	}
}

func TestReadBundle_RefusesTricks(t *testing.T) {
	t.Parallel()
	good := a{name: "workflow.yaml", body: "slug: a\nname: A\nsteps: [{id: a, transform: 1}]\n"}
	for name, c := range map[string]struct {
		raw  []byte
		want string
	}{
		"no zip":                {[]byte("PK nothing"), "is no zip file"},
		"dots":                  {bundle(t, good, a{name: "../workflow.yaml"}), "leads out of it"},
		"dots inside":           {bundle(t, good, a{name: "agents/../../x"}), "leads out of it"},
		"absolute":              {bundle(t, good, a{name: "/etc/passwd"}), "leads out of it"},
		"backslash":             {bundle(t, good, a{name: `agents\x`}), "leads out of it"},
		"a link":                {bundle(t, good, a{name: "agents/x.json", body: "/etc/passwd", mode: fs.ModeSymlink}), "is a link"},
		"twice":                 {bundle(t, good, a{name: "Workflow.yaml"}), "twice"},
		"a program":             {bundle(t, good, a{name: "run.sh"}), "is no part of one"},
		"a bomb":                {bundle(t, good, a{name: "agents/x.json", body: strings.Repeat("a", 1<<20)}), "unpacks to more than"},
		"a schema of another":   {bundle(t, good, a{name: "schemas/invoice.total.v1.json", body: `{"type":"object"}`}), "does not expect"},
		"a schema that is none": {bundle(t, good, a{name: "schemas/invoice.total.v1.json", body: `{"type":"array"}`}), "its schema has"},
		"a type that comes":     {bundle(t, good, a{name: "schemas/code.output.v1.json", body: `{"type":"object"}`}), "comes with Chela"},
		"no type":               {bundle(t, good, a{name: "schemas/sub/x.json", body: `{"type":"object"}`}), "no payload type"},
		"no schema":             {bundle(t, good, a{name: "schemas/run.sh"}), "is no schema"},
		"a later format":        {bundle(t, good, a{name: "system.json", body: `{"format":"chela-workflow/9"}`}), "this Chela reads chela-workflow/1"},
		"a cut manifest":        {bundle(t, good, a{name: "system.json", body: `{"format":`}), "The system.json of the bundle cannot be read"},
		"without file":          {bundle(t, a{name: "system.json"}), "holds no workflow.yaml"},
		"large":                 {make([]byte, library.MaxBundle+1), "the limit is"},
	} {
		_, _, err := library.ReadBundle(c.raw)
		if err == nil || !strings.Contains(fault.TextOf(err), c.want) {
			t.Errorf("%s: %v, want %q in it", name, err, c.want)
		}
	}
}

func FuzzReadBundle(f *testing.F) {
	f.Add([]byte("PK\x05\x06"))
	for _, files := range []map[string]string{
		{"workflow.yaml": "slug: a\nname: A\nsteps: [{id: a, transform: 1}]\n"},
		{"workflow.yaml": totals, "schemas/invoice.total.v1.json": `{"type":"object","properties":{"total":{"type":"number"}}}`},
	} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for name, text := range files {
			if w, err := z.Create(name); err == nil {
				_, _ = w.Write([]byte(text))
			}
		}
		_ = z.Close()
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, problems, err := library.ReadBundle(raw)
		if err == nil && problems == nil && got.Slug == "" {
			t.Error("a bundle without a slug was read")
		}
		for name, schema := range got.Schemas {
			if err == nil && problems == nil && !json.Valid(schema) {
				t.Errorf("the schema of %s is no JSON: %s", name, schema)
			}
		}
	})
}
