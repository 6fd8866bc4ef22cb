package yamlfile_test

import (
	"errors"
	"strings"
	"testing"

	"chela/internal/yamlfile"
)

var usual = yamlfile.Limits{Indent: 40, Nest: 16} //nolint:gochecknoglobals // never changes

// TestRead_NamesTheLine holds that what is refused is named with its line.
func TestRead_NamesTheLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]yamlfile.Problem{
		"a: 1\nb: &x 2\n":                           {Line: 2, Text: "anchors, aliases"},
		"a: 1\nb: !!str 2\n":                        {Line: 2, Text: "anchors, aliases"},
		"a:\n  " + strings.Repeat("[", 20) + "\n":   {Line: 2, Text: "nested too deeply"},
		"a: 1\n" + strings.Repeat(" ", 50) + "b: 2": {Line: 2, Text: "nested too deeply"},
		"a: 1\na: 2\n":                              {Line: 2, Text: "already defined"},
		"a: [1\n":                                   {Line: 1, Text: ""},
	} {
		_, err := yamlfile.Read([]byte(text), usual)
		p, ok := errors.AsType[*yamlfile.Problem](err)
		if !ok || p.Line != want.Line || !strings.Contains(p.Text, want.Text) {
			t.Errorf("%q: got %+v (%v), want line %d and %q", text, p, err, want.Line, want.Text)
		}
	}
}

// TestRead_TakesAByteOrderMark: what editors of Windows write before a file belongs to no key of it.
func TestRead_TakesAByteOrderMark(t *testing.T) {
	t.Parallel()
	f, err := yamlfile.Read([]byte("\ufeffa: 1\r\n"), usual)
	if err != nil {
		t.Fatal(err)
	}
	var into struct {
		A int `yaml:"a"`
	}
	if err := yamlfile.Decode(f.Docs[0].Body, &into); err != nil || into.A != 1 {
		t.Errorf("got %+v (%v)", into, err)
	}
}

// TestDecode_IsStrict holds that a key that is not known and a value that does not fit are named.
func TestDecode_IsStrict(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"a: 1\nb: 2\n": `the key "b" is not known here`, "a: x\n": "it takes a whole number", "a: 3\n": ""} {
		f, err := yamlfile.Read([]byte(text), usual)
		if err != nil {
			t.Fatal(err)
		}
		var into struct {
			A int `yaml:"a"`
		}
		err = yamlfile.Decode(f.Docs[0].Body, &into)
		if want == "" && (err != nil || into.A != 3) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: got %v and %d, want %q", text, err, into.A, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"a: 1", "a: [1, {b: c}]", "- - - x", "a: &b c", "? x", "{{{{", "---\na: 1\n---\nb: 2"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		file, err := yamlfile.Read(raw, usual)
		if err != nil {
			if _, ok := errors.AsType[*yamlfile.Problem](err); !ok {
				t.Errorf("%q: %v is no problem", raw, err)
			}
			return
		}
		for _, d := range file.Docs {
			if yamlfile.Empty(d) {
				continue
			}
			var into any
			_ = yamlfile.Decode(d.Body, &into) // an error is an answer
		}
	})
}
