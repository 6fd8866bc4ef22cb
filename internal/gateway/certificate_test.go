package gateway

import (
	"bytes"
	"log/slog"
	"os"
	"testing"
	"time"

	"chela/internal/fault"
	"chela/internal/testkit/tlstest"
)

// TestCertificate_ARenewedOneIsShown renews the files while they are in use: half of them, then both.
func TestCertificate_ARenewedOneIsShown(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), time.Date(2026, 11, 26, 6, 0, 0, 0, time.UTC)
	first := tlstest.Write(t, dir, now.AddDate(0, 1, 0))
	var log bytes.Buffer
	c, err := OpenCertificate(first.Cert, first.Key, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	shown := func(at time.Time) string { return c.now(at).Leaf.SerialNumber.String() }
	old, err := os.ReadFile(first.Key)
	if err != nil {
		t.Fatal(err)
	}
	second := tlstest.Write(t, dir, now.AddDate(0, 2, 0))
	renewed, err := os.ReadFile(second.Key)
	if err != nil {
		t.Fatal(err)
	}
	put := func(key []byte, at time.Time) {
		t.Helper()
		for _, file := range []string{second.Cert, second.Key} {
			if file == second.Key {
				if err := os.WriteFile(file, key, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chtimes(file, at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	at := time.Now()
	put(old, now) // the new certificate, with the key that is not its own yet
	if got := shown(at.Add(time.Minute)); got != first.Leaf.SerialNumber.String() || log.Len() == 0 {
		t.Errorf("with half of the files renewed %s is shown, want the first %s, and the log to say so: %s", got, first.Leaf.SerialNumber, log.String())
	}
	put(renewed, now.Add(time.Second))
	if got := shown(at.Add(time.Minute + lookAgain/2)); got != first.Leaf.SerialNumber.String() {
		t.Error("the files are looked at at every connection")
	}
	if got := shown(at.Add(2 * time.Minute)); got != second.Leaf.SerialNumber.String() {
		t.Errorf("with both files renewed %s is shown, want %s", got, second.Leaf.SerialNumber)
	}
}

func TestCertificate_IsRefusedAtTheStart(t *testing.T) {
	t.Parallel()
	p := tlstest.Write(t, t.TempDir(), time.Now().AddDate(0, 1, 0))
	other := tlstest.Write(t, t.TempDir(), time.Now().AddDate(0, 1, 0))
	for name, c := range map[string][2]string{"no file": {p.Cert, p.Key + ".gone"}, "another key": {p.Cert, other.Key}, "no key": {p.Cert, p.Cert}} {
		if _, err := OpenCertificate(c[0], c[1], slog.Default()); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v, want that it is refused", name, err)
		}
	}
}
