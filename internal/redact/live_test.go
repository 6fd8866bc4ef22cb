package redact_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"chela/internal/redact"
)

func TestLiveLog_ShowsNoSecrets(t *testing.T) {
	t.Parallel()
	const value, key = "a secret of some kind", "key-of-a-model"
	live := new(redact.Live)
	var plain, hidden bytes.Buffer
	for _, log := range []*slog.Logger{slog.New(slog.NewJSONHandler(&plain, nil)), slog.New(live.Log(slog.NewJSONHandler(&hidden, nil)))} {
		live.Set("vault", []redact.Value{{Name: "TOKEN", Text: value}})
		live.Set("models", []redact.Value{{Name: "key of ours", Text: key}})
		log.With("with", value).WithGroup("g").Info("it is "+value, "text", key, "err", errors.New(value), "group", slog.GroupValue(slog.String("a", value)), "list", []string{value}, "n", 42)
	}
	if !strings.Contains(plain.String(), value) || !strings.Contains(plain.String(), key) {
		t.Fatalf("without a redactor the log shows nothing either: %s", plain.String())
	}
	got := hidden.String()
	if strings.Contains(got, value) || strings.Contains(got, key) || strings.Count(got, "[redacted TOKEN]") != 5 || !strings.Contains(got, "[redacted key of ours]") || !strings.Contains(got, `"n":42`) {
		t.Errorf("got %s, want 5 times [redacted TOKEN] and once [redacted key of ours]", got)
	}
}

func TestLiveSet_ReplacesTheValuesOfOneSource(t *testing.T) {
	t.Parallel()
	live := new(redact.Live)
	const text = "first-value second-value"
	if got := live.Text(text); got != text {
		t.Errorf("without values: got %q, want %q", got, text)
	}
	live.Set("a", []redact.Value{{Name: "one", Text: "first-value"}})
	live.Set("b", []redact.Value{{Name: "two", Text: "second-value"}})
	if got, want := live.Text(text), "[redacted one] [redacted two]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	live.Set("a", nil)
	if got, want := string(live.JSON([]byte(`"`+text+`"`))), `"first-value [redacted two]"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
