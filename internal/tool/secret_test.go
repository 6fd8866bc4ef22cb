package tool_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"chela/internal/tool"
)

// TestSecret_SecretsDoNotShow prints, logs and encodes a call with a secret in every way.
func TestSecret_SecretsDoNotShow(t *testing.T) {
	t.Parallel()
	c := tool.Call{Name: "x", Secrets: map[string]tool.Secret{"TOKEN": "hunter22"}}
	var b bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&b, nil))
	log.Info("a call", "secrets", c.Secrets, "secret", c.Secrets["TOKEN"])
	raw, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{fmt.Sprint(c), fmt.Sprintf("%+v", c), fmt.Sprintf("%#v", c), fmt.Sprintf("%q", c.Secrets), string(raw), b.String()} {
		if strings.Contains(text, "hunter22") || !strings.Contains(text, "TOKEN") {
			t.Errorf("it shows: %s", text)
		}
	}
	if c.Secrets["TOKEN"].Reveal() != "hunter22" {
		t.Error("it is not given to what asked")
	}
}
