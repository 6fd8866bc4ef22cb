package config_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chela/internal/config"
	"chela/internal/fault"
)

// edited is a file that is parsed as text, in which "bad" is an error, and what was told of it.
func edited(t *testing.T) (f *config.File[string], told *[]string, write func(text string)) {
	t.Helper()
	told = new([]string)
	f = &config.File[string]{
		Path: filepath.Join(t.TempDir(), "rules.yaml"), Name: "rules",
		Parse: func(raw []byte) (string, error) {
			if string(raw) == "bad" {
				return "", fault.New(fault.Invalid, "it is bad")
			}
			return string(raw), nil
		},
		Changed: func(_ context.Context, raw []byte, _ string, err error) {
			if err != nil {
				*told = append(*told, fault.TextOf(err))
				return
			}
			*told = append(*told, string(raw))
		},
	}
	at := time.Now()
	write = func(text string) {
		t.Helper()
		at = at.Add(time.Second) // a file system may keep coarse times
		if err := errors.Join(os.WriteFile(f.Path, []byte(text), 0o600), os.Chtimes(f.Path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	return f, told, write
}

func TestFileNow_ReadsWhatHasChanged(t *testing.T) {
	t.Parallel()
	f, told, write := edited(t)
	want := func(value, bad string) {
		t.Helper()
		got, err := f.Now(t.Context())
		if got != value || (err == nil) != (bad == "") || err != nil && fault.TextOf(err) != bad {
			t.Errorf("got %q, %v; want %q, %q", got, err, value, bad)
		}
	}
	want("", "") // it is missing
	want("", "")
	write("one")
	want("one", "")
	want("one", "")
	write("two") // of the same size
	want("two", "")
	write("bad")
	want("", f.Path+": it is bad")
	want("", f.Path+": it is bad")
	write("three")
	want("three", "")
	if err := os.Remove(f.Path); err != nil {
		t.Fatal(err)
	}
	want("", "")
	if got, want := strings.Join(*told, "|"), strings.Join([]string{"", "one", "two", f.Path + ": it is bad", "three", ""}, "|"); got != want {
		t.Errorf("told %q, want %q", got, want)
	}
}

func TestFileNow_SaysWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	f, _, write := edited(t)
	write("one")
	f.Path = filepath.Join(f.Path, "below")
	_, err := f.Now(t.Context())
	if want := "The rules " + f.Path + " cannot be read."; fault.KindOf(err) != fault.Unavailable || fault.TextOf(err) != want {
		t.Errorf("got %v, want %q", err, want)
	}
}
