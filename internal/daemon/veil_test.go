package daemon

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"chela/internal/model"
)

// TestTheLogShowsNoSecrets logs a secret in every way that slog knows.
func TestTheLogShowsNoSecrets(t *testing.T) {
	t.Parallel()
	const value, key = "a secret of some kind", "key-of-a-model"
	v := new(veil)
	var plain, hidden bytes.Buffer
	for _, log := range []*slog.Logger{slog.New(slog.NewJSONHandler(&plain, nil)), slog.New(handler{slog.NewJSONHandler(&hidden, nil), v})} {
		v.values(map[string]string{"TOKEN": value, "chela/providers": "the daemon's own"})
		v.models([]model.Provider{{Name: "ours", Key: key}})
		log.With("with", value).WithGroup("g").Info("it is "+value, "text", key, "err", errors.New(value), "group", slog.GroupValue(slog.String("a", value)), "list", []string{value}, "n", 42)
	}
	if !strings.Contains(plain.String(), value) || !strings.Contains(plain.String(), key) {
		t.Fatalf("without a veil it shows nothing either: %s", plain.String())
	}
	got := hidden.String()
	if strings.Contains(got, value) || strings.Contains(got, key) || strings.Count(got, "[redacted TOKEN]") != 5 || !strings.Contains(got, "[redacted key of ours]") || !strings.Contains(got, `"n":42`) {
		t.Error(got)
	}
}
