package conformance

import (
	"encoding/xml"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/config"
	"chela/internal/testkit/daemontest"
	"chela/internal/testkit/tlstest"
)

// h2spec is where `make conformance` builds the judge of HTTP/2.
const h2spec = "../../bin/h2spec"

// differs are the cases in which Go's server does something else than h2spec expects; docs/conformance.md says why.
var differs = map[string]string{ //nolint:gochecknoglobals // a table
	"http2/6.5.3.1":   "Sends multiple values of SETTINGS_INITIAL_WINDOW_SIZE",
	"http2/8.1.2.2.1": "Sends a HEADERS frame that contains the connection-specific header field",
	"http2/8.1.2.2.2": `Sends a HEADERS frame that contains the TE header field with any value other than "trailers"`,
}

// races says of a case that either may come first: the whole answer, or the flow control error that h2spec waits for.
const races = "http2/6.9.1.3"

// A junit is a report of h2spec.
type junit struct {
	Suites []struct {
		Package string `xml:"package,attr"`
		ID      string `xml:"id,attr"`
		Cases   []struct {
			Text    string    `xml:"classname,attr"`
			Failure *struct{} `xml:"failure"`
			Error   *struct{} `xml:"error"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

// TestHTTP2_TheListenerConforms has h2spec speak to the daemon's listener by TLS.
func TestHTTP2_TheListenerConforms(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(h2spec); err != nil {
		t.Skip("h2spec is not built; `make conformance` does that.")
	}
	p := tlstest.Write(t, t.TempDir(), time.Now().AddDate(0, 1, 0))
	d := daemontest.Run(t, daemontest.Setup{Change: func(c *config.Config) {
		c.TLS = config.TLS{Listen: "127.0.0.1:0", Cert: p.Cert, Key: p.Key}
	}})
	at, err := url.Parse(d.Secure)
	if err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(t.TempDir(), "report.xml")
	said, _ := exec.CommandContext(t.Context(), h2spec, "--tls", "--insecure", "--host", at.Hostname(), "--port", at.Port(), "--path", "/health", "--junit-report", report).CombinedOutput() // it ends badly when a case fails
	raw, err := os.ReadFile(report)
	if err != nil {
		t.Fatalf("no report: %v\n%s", err, said)
	}
	var got junit
	if err := xml.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	passed, failed := 0, make(map[string]bool)
	for _, s := range got.Suites {
		for n, c := range s.Cases {
			name := s.Package + "." + string(rune('1'+n))
			if c.Failure == nil && c.Error == nil {
				passed++
				continue
			}
			if failed[name] = true; differs[name] != c.Text && name != races {
				t.Errorf("%s fails: %s", name, c.Text)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(differs)) {
		if !failed[name] {
			t.Errorf("%s passes now: take it out of the list, and of docs/conformance.md", name)
		}
	}
	if passed+len(failed) < 145 {
		t.Errorf("%d cases were tried, want 145", passed+len(failed))
	}
	if t.Failed() {
		_, list, _ := strings.Cut(string(said), "Failures:")
		t.Log(list)
	}
}
