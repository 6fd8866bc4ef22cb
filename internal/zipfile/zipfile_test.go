package zipfile_test

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"chela/internal/zipfile"
)

var small = zipfile.Limits{What: "parcel", Packed: 1 << 16, Unpacked: 1 << 12, File: 1 << 11, Files: 3} //nolint:gochecknoglobals // a table

func TestWrite_IsReadAgain(t *testing.T) {
	t.Parallel()
	want := map[string][]byte{"a.txt": []byte("one"), "b/c.txt": {}}
	raw, err := zipfile.Write(want)
	if err != nil {
		t.Fatal(err)
	}
	again, err := zipfile.Write(want)
	if err != nil || !bytes.Equal(raw, again) {
		t.Errorf("the same files give other bytes: %v", err)
	}
	got, err := zipfile.Read(raw, small)
	if err != nil || !maps.EqualFunc(got, want, bytes.Equal) {
		t.Errorf("got %q, want %q: %v", got, want, err)
	}
}

func TestRead_KeepsItsLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string][]byte
		want  string
	}{
		"many":    {map[string][]byte{"a": nil, "b": nil, "c": nil, "d": nil}, "holds 4 files; the limit is 3"},
		"a file":  {map[string][]byte{"a": make([]byte, 1<<11+1)}, `"a" of the parcel unpacks to more than 2048`},
		"all":     {map[string][]byte{"a": make([]byte, 2000), "b": make([]byte, 2000), "c": make([]byte, 2000)}, "unpacks to more than 96 bytes"},
		"outside": {map[string][]byte{"../a": nil}, "leads out of it"},
		"twice":   {map[string][]byte{"a": nil, "A": nil}, "twice"},
	} {
		raw, err := zipfile.Write(c.files)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := zipfile.Read(raw, small); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	if _, err := zipfile.Read([]byte("no zip"), small); err == nil || !strings.Contains(err.Error(), "is no zip file") {
		t.Errorf("no zip: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	raw, err := zipfile.Write(map[string][]byte{"a.txt": []byte("one")})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte("PK"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := zipfile.Read(raw, small)
		size := 0
		for _, b := range got {
			size += len(b)
		}
		if err != nil && got != nil || size > small.Unpacked || len(got) > small.Files {
			t.Errorf("%d files of %d bytes, %v", len(got), size, err)
		}
	})
}
