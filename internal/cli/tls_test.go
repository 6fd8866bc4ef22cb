package cli

import (
	"strings"
	"testing"
	"time"

	"chela/internal/config"
	"chela/internal/testkit/tlstest"
)

func TestDoctor_SaysWhatIsWrongWithTheCertificate(t *testing.T) {
	t.Parallel()
	now := time.Now()
	p := tlstest.Write(t, t.TempDir(), now.AddDate(0, 1, 0), "chela.example.com")
	for name, c := range map[string]struct {
		host string
		key  string
		at   time.Time
		says string
	}{
		"one that lasts":       {"chela.example.com", p.Key, now, "lasts until"},
		"one that ends soon":   {"chela.example.com", p.Key, now.AddDate(0, 0, 25), "Renew it"},
		"one of another host":  {"other.example.com", p.Key, now, "not for the host other.example.com"},
		"one without its file": {"chela.example.com", p.Key + ".gone", now, "cannot be read"},
	} {
		text, err := examineTLS(config.Config{Hosts: []string{c.host}, TLS: config.TLS{Listen: "0.0.0.0:7443", Cert: p.Cert, Key: c.key}}, c.at)
		if err != nil {
			text = textOf(err)
		}
		if !strings.Contains(text, c.says) || (err == nil) != (name == "one that lasts") {
			t.Errorf("%s: %q, %v; want that it says %q", name, text, err, c.says)
		}
	}
}
