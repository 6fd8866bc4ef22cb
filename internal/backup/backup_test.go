package backup

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"chela/internal/artifact"
	"chela/internal/fault"
)

// taken is a handler that keeps what it is given, up to a number of bytes.
type taken struct {
	header Header
	files  map[string]string
	execs  map[string]bool
	rows   map[string][][]any
	arts   map[artifact.Ref]string
}

func (k *taken) Begin(h Header) error {
	*k = taken{header: h, files: make(map[string]string), execs: make(map[string]bool), rows: make(map[string][][]any), arts: make(map[artifact.Ref]string)}
	return nil
}

func (k *taken) File(f File, from io.Reader) error {
	raw, err := io.ReadAll(from)
	k.files[f.Name], k.execs[f.Name] = string(raw), f.Exec
	return err
}

func (k *taken) Rows(table string, columns []string, rows [][]any) error {
	for _, r := range rows {
		if len(r) != len(columns) {
			return fmt.Errorf("%d values for %d columns", len(r), len(columns))
		}
	}
	k.rows[table] = append(k.rows[table], rows...)
	return nil
}

func (k *taken) Artifact(ref artifact.Ref, _ int64, from io.Reader) error {
	raw, err := io.ReadAll(from)
	k.arts[ref] = string(raw)
	return err
}

func refOf(text string) artifact.Ref {
	sum := sha256.Sum256([]byte(text))
	return artifact.Ref("artifact:" + hex.EncodeToString(sum[:]))
}

var odd = [][]any{ //nolint:gochecknoglobals // a table
	{int64(1), "plain", []byte{0, 255}},
	{int64(-1 << 63), "quotes \" \\ \x00\x1f\n\t\u2028 é <&>", []byte{}},
	{nil, "no UTF-8 \xff\xfe", []byte("x")},
	{int64(1<<63 - 1), "", nil},
}

// written is a backup with some of everything.
func written(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, Header{Schema: 30, Version: "v", Database: "sqlite", At: time.Unix(1_000_000, 0).UTC()})
	check(t, err)
	check(t, w.File(File{Name: "chela.yaml"}, 4, strings.NewReader("a: b")))
	check(t, w.File(File{Name: "hooks/tell", Exec: true}, 2, strings.NewReader("#!")))
	check(t, w.Table("empty", []string{"a"}))
	check(t, w.Table("vault", []string{"n", "t", "b"}))
	for _, r := range odd {
		check(t, w.Row(r))
	}
	check(t, w.Table("", []string{"seq", "payload"}))
	for i := range 3 {
		check(t, w.Row([]any{int64(i), strings.Repeat("x", portionBytes/2)}))
	}
	check(t, w.EndRows())
	check(t, w.Artifact(refOf("long"), 4, strings.NewReader("long")))
	_, err = w.Close(Manifest{Events: 3, Streams: 1, End: 2})
	check(t, err)
	return out.Bytes()
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestBackup_IsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	var got taken
	h, m, err := Read(bytes.NewReader(written(t)), &got)
	check(t, err)
	if h.Format != Format || h.Schema != 30 || m.Events != 3 || m.Rows != 4 || m.Files != 2 || m.Artifacts != 1 || m.Digest == "" {
		t.Errorf("%+v %+v", h, m)
	}
	if !reflect.DeepEqual(got.rows["vault"], odd) {
		t.Errorf("the rows are %#v, want %#v", got.rows["vault"], odd)
	}
	if len(got.rows[""]) != 3 || len(got.rows) != 2 || got.files["chela.yaml"] != "a: b" || got.execs["chela.yaml"] || !got.execs["hooks/tell"] || got.arts[refOf("long")] != "long" {
		t.Errorf("%d events, %d tables, %v %v %v", len(got.rows[""]), len(got.rows), got.files, got.execs, got.arts)
	}
}

func TestBackup_OneThatIsCutOffIsRefused(t *testing.T) {
	t.Parallel()
	whole := small(t)
	for n := range whole {
		if _, _, err := Read(bytes.NewReader(whole[:n]), &taken{}); fault.KindOf(err) != fault.Invalid || err == nil {
			t.Fatalf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
	for _, more := range []string{"\x00", "x", string(whole)} {
		if _, _, err := Read(strings.NewReader(string(whole)+more), &taken{}); fault.KindOf(err) != fault.Invalid || err == nil {
			t.Errorf("%d bytes more: %v", len(more), err)
		}
	}
}

// TestBackup_WhatWasChangedIsRefused: each byte is changed; what is still read is what was written.
func TestBackup_WhatWasChangedIsRefused(t *testing.T) {
	t.Parallel()
	whole := small(t)
	_, want, err := Read(bytes.NewReader(whole), &taken{})
	check(t, err)
	for i := range whole {
		raw := bytes.Clone(whole)
		raw[i] ^= 0x10
		_, m, err := Read(bytes.NewReader(raw), &taken{})
		if err == nil && m != want || err != nil && fault.KindOf(err) != fault.Invalid && fault.KindOf(err) != fault.Conflict {
			t.Fatalf("byte %d: %+v, %v", i, m, err)
		}
	}
}

// small is a backup of little.
func small(t testing.TB) []byte {
	t.Helper()
	return packed(t, entry{headerName, `{"format":1}`}, entry{"files/policy.yaml", "rules: []"}, entry{"tables/vault/000000001", "[\"name\"]\n[\"x\"]\n"}, entry{"log/000000001", "[\"seq\"]\n[1]\n"},
		entry{artifactsDir + nameOf(refOf("a")), "a"})
}

type entry struct{ name, text string }

// packed is a backup of entries, with a manifest that fits where none is among them.
func packed(t testing.TB, in ...entry) []byte {
	t.Helper()
	d, m, own := newDigest(), Manifest{}, false
	for _, e := range in {
		sum := sha256.Sum256([]byte(e.text))
		d.add(e.name, int64(len(e.text)), sum[:])
		own = own || e.name == manifestName
		switch {
		case strings.HasPrefix(e.name, filesDir):
			m.Files++
		case strings.HasPrefix(e.name, artifactsDir):
			m.Artifacts++
		case strings.HasPrefix(e.name, logDir):
			m.Events += int64(strings.Count(e.text, "\n") - 1)
		case strings.HasPrefix(e.name, tablesDir):
			m.Rows += int64(strings.Count(e.text, "\n") - 1)
		}
	}
	m.Bytes, m.Entries, m.Digest = d.bytes, d.entries, d.sum()
	raw, err := json.Marshal(m)
	check(t, err)
	if !own {
		in = append(in, entry{manifestName, string(raw)})
	}
	return zipped(t, func(w *tar.Writer) {
		for _, e := range in {
			check(t, w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: e.name, Mode: 0o600, Size: int64(len(e.text))}))
			_, err := io.WriteString(w, e.text)
			check(t, err)
		}
	})
}

func zipped(t testing.TB, fill func(*tar.Writer)) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	fill(w)
	check(t, w.Close())
	check(t, z.Close())
	return out.Bytes()
}

func TestBackup_WhatNobodyWroteIsRefused(t *testing.T) {
	t.Parallel()
	head, rows := entry{headerName, `{"format":1}`}, "[\"a\"]\n[1]\n"
	file := func(name string) []entry { return []entry{head, {"files/" + name, "x"}} }
	other := strings.Repeat("ab", 32)
	for name, in := range map[string][]entry{
		"nothing":                        {},
		"no header":                      {{"log/000000001", rows}},
		"a header twice":                 {head, head},
		"a header that is no JSON":       {{headerName, "{"}},
		"a form of none":                 {{headerName, `{"format":0}`}},
		"an unknown entry":               {head, {"more", "x"}},
		"an unknown folder":              {head, {"more/x", "x"}},
		"a file above the folder":        file("../x"),
		"a file deep above":              file("hooks/../../x"),
		"a file at the root":             file("/etc/passwd"),
		"a file of another disk":         file(`C:\x`),
		"a file with a backslash":        file(`hooks\x`),
		"a file with a line in its name": file("a\nb"),
		"the owner's token":              file("token"),
		"the database":                   file("chela.db"),
		"the database in large letters":  file("CHELA.DB"),
		"below the artifacts":            file("artifacts/ab/x"),
		"the mark itself":                file(Unfinished),
		"a file twice":                   append(file("x"), entry{"files/x", "y"}),
		"a file twice but for its case":  {head, {"files/X", "x"}, {"files/x", "y"}},
		"a file that is a folder, too":   {head, {"files/hooks", "x"}, {"files/hooks/y", "y"}},
		"files out of order":             {head, {"files/b", "x"}, {"files/a", "y"}},
		"a table with a wrong name":      {head, {"tables/a-b/000000001", rows}},
		"a table without a name":         {head, {"tables//000000001", rows}},
		"a table in a table":             {head, {"tables/a/b/000000001", rows}},
		"tables out of order":            {head, {"tables/b/000000001", rows}, {"tables/a/000000001", rows}},
		"a table again":                  {head, {"tables/a/000000001", rows}, {"tables/b/000000001", rows}, {"tables/a/000000002", rows}},
		"a portion that is missing":      {head, {"log/000000001", rows}, {"log/000000003", rows}},
		"a portion twice":                {head, {"log/000000001", rows}, {"log/000000001", rows}},
		"the log before a table":         {head, {"log/000000001", rows}, {"tables/a/000000001", rows}},
		"a file after the log":           {head, {"log/000000001", rows}, {"files/x", "x"}},
		"no rows":                        {head, {"log/000000001", "[\"a\"]\n"}},
		"no columns":                     {head, {"log/000000001", "[]\n[]\n"}},
		"a column twice":                 {head, {"log/000000001", "[\"a\",\"a\"]\n[1,2]\n"}},
		"a column that is SQL":           {head, {"log/000000001", "[\"a) --\"]\n[1]\n"}},
		"a value too many":               {head, {"log/000000001", "[\"a\"]\n[1,2]\n"}},
		"a value that is a part":         {head, {"log/000000001", "[\"a\"]\n[1.5]\n"}},
		"a value that is an object":      {head, {"log/000000001", "[\"a\"]\n[{}]\n"}},
		"a value that is true":           {head, {"log/000000001", "[\"a\"]\n[true]\n"}},
		"bytes that are none":            {head, {"log/000000001", "[\"a\"]\n[[\"!\"]]\n"}},
		"a row without an end":           {head, {"log/000000001", "[\"a\"]\n[1]"}},
		"an artifact with other bytes":   {head, {artifactsDir + other, "x"}},
		"an artifact with a short name":  {head, {artifactsDir + "ab", "x"}},
		"an artifact in large letters":   {head, {artifactsDir + strings.ToUpper(nameOf(refOf("a"))), "a"}},
		"an artifact twice":              {head, {artifactsDir + nameOf(refOf("a")), "a"}, {artifactsDir + nameOf(refOf("a")), "a"}},
		"a manifest of something else":   {head, {manifestName, `{"sha256":"x"}`}},
		"a manifest that is no JSON":     {head, {manifestName, `{`}},
		"a manifest alone":               {{manifestName, `{}`}},
	} {
		if _, _, err := Read(bytes.NewReader(packed(t, in...)), &taken{}); fault.KindOf(err) != fault.Invalid || err == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, _, err := Read(bytes.NewReader(packed(t, entry{headerName, `{"format":2,"version":"v9"}`})), &taken{})
	if fault.KindOf(err) != fault.Conflict || err == nil || !strings.Contains(fault.TextOf(err), "newer Chela") {
		t.Errorf("of a newer program: %v", err)
	}
}

// TestBackup_WhatIsNoFileOrTooLargeIsRefused: links, and sizes that are said of entries that hold nothing.
func TestBackup_WhatIsNoFileOrTooLargeIsRefused(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]tar.Header{
		"a link":            {Typeflag: tar.TypeSymlink, Name: "files/x", Linkname: "/etc/passwd"},
		"a hard link":       {Typeflag: tar.TypeLink, Name: "files/x", Linkname: "chela.db"},
		"a folder":          {Typeflag: tar.TypeDir, Name: "files/x/"},
		"a device":          {Typeflag: tar.TypeChar, Name: "files/x"},
		"a large file":      {Typeflag: tar.TypeReg, Name: "files/x", Size: mostFile + 1},
		"a large artifact":  {Typeflag: tar.TypeReg, Name: artifactsDir + nameOf(refOf("a")), Size: artifact.MaxSize + 1},
		"a large portion":   {Typeflag: tar.TypeReg, Name: "log/000000001", Size: mostPortion + 1},
		"a large manifest":  {Typeflag: tar.TypeReg, Name: manifestName, Size: mostText + 1},
		"an endless one":    {Typeflag: tar.TypeReg, Name: "log/000000001", Size: 1 << 60},
		"one after the end": {Typeflag: tar.TypeReg, Name: headerName, Size: 0},
	} {
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		w := tar.NewWriter(z)
		check(t, w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: headerName, Size: 12}))
		_, err := io.WriteString(w, `{"format":1}`)
		check(t, err)
		h.Mode = 0o600
		check(t, w.WriteHeader(&h))
		check(t, z.Close())
		if _, _, err := Read(&out, &taken{}); fault.KindOf(err) != fault.Invalid || err == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzRead_NeverTrusts reads files that nobody wrote: whatever it takes has a manifest that fits.
func FuzzRead_NeverTrusts(f *testing.F) {
	plain := func(raw []byte) []byte {
		z, err := gzip.NewReader(bytes.NewReader(raw))
		check(f, err)
		out, err := io.ReadAll(z)
		check(f, err)
		return out
	}
	f.Add(plain(small(f)))
	f.Add(plain(packed(f, entry{headerName, `{"format":1}`}, entry{"files/../x", "x"})))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, raw []byte) {
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		_, err := z.Write(raw)
		check(t, err)
		check(t, z.Close())
		got := &taken{}
		_, m, err := Read(&out, got)
		if err != nil {
			return
		}
		if int64(len(got.files)) != m.Files || int64(len(got.arts)) != m.Artifacts || int64(len(got.rows[""])) != m.Events {
			t.Errorf("it took %+v of %+v", got, m)
		}
		for name := range got.files {
			if CheckName(name) != nil {
				t.Errorf("it took the file %q", name)
			}
		}
		for ref, text := range got.arts {
			if refOf(text) != ref {
				t.Errorf("it took %q as %s", text, ref)
			}
		}
	})
}

// FuzzRow_ComesBack: a row is read as it was written.
func FuzzRow_ComesBack(f *testing.F) {
	f.Add(int64(1), "text", []byte("bytes"))
	f.Add(int64(-1), "\x00\xff\"\\", []byte{})
	f.Fuzz(func(t *testing.T, n int64, text string, raw []byte) {
		want := []any{n, text, raw, nil}
		if raw == nil {
			want[2] = []byte{}
		}
		var out bytes.Buffer
		check(t, appendRow(&out, want))
		line, ok := bytes.CutSuffix(out.Bytes(), []byte("\n"))
		if !ok || bytes.ContainsRune(line, '\n') {
			t.Fatalf("%q is not one line", out.Bytes())
		}
		if got, err := readRow(line, 4); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q came back as %#v, %v", line, got, err)
		}
	})
}
