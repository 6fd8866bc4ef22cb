package gateway_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"chela/internal/config"
	"chela/internal/gateway/client"
	"chela/internal/testkit/daemontest"
	"chela/internal/testkit/tlstest"
)

// secured runs a daemon that listens by TLS too, and returns a client that trusts it.
func secured(t *testing.T) (daemontest.Daemon, *http.Transport) {
	t.Helper()
	p := tlstest.Write(t, t.TempDir(), time.Now().AddDate(0, 1, 0))
	d := daemontest.Run(t, daemontest.Setup{Change: func(c *config.Config) {
		c.TLS, c.BodyStall = config.TLS{Listen: "127.0.0.1:0", Cert: p.Cert, Key: p.Key}, 100*time.Millisecond
	}})
	roots := x509.NewCertPool()
	roots.AddCert(p.Leaf)
	by := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	t.Cleanup(by.CloseIdleConnections)
	return d, by
}

// TestTLS_AnswersByHTTP2 asks, follows a stream, and sends a body that stands still.
func TestTLS_AnswersByHTTP2(t *testing.T) {
	t.Parallel()
	d, by := secured(t)
	ask := func(method, path string, body io.Reader) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, d.Secure+path, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+d.Token)
		r.Header.Set("Content-Type", "application/json")
		res, err := by.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = res.Body.Close() })
		return res
	}
	if res := ask(http.MethodGet, "/api/status", nil); res.StatusCode != http.StatusOK || res.ProtoMajor != 2 { //nolint:bodyclose // ask closes it
		t.Errorf("%s by %s, want 200 by HTTP/2.0", res.Status, res.Proto)
	}
	follows := bufio.NewReader(ask(http.MethodGet, "/api/events?after=0", nil).Body) //nolint:bodyclose // ask closes it
	for line, err := follows.ReadString('\n'); !strings.HasPrefix(line, "data: "); line, err = follows.ReadString('\n') {
		if err != nil {
			t.Fatalf("the stream of events ended before one came: %v", err)
		}
	}
	held, write := io.Pipe()
	t.Cleanup(func() { _ = write.Close() })
	go func() { _, _ = io.WriteString(write, `{"text":`) }()                                         // and nothing more
	if res := ask(http.MethodPost, "/api/chat", held); res.StatusCode != http.StatusRequestTimeout { //nolint:bodyclose // ask closes it
		t.Errorf("a body that stands still is answered %s, want 408", res.Status)
	}
}

// TestTLS_ALoginIsForTLSAlone logs in: the cookie goes back by TLS alone.
func TestTLS_ALoginIsForTLSAlone(t *testing.T) {
	t.Parallel()
	d, by := secured(t)
	link, err := client.New(d.URL, d.Token).LoginLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.Secure+link.Path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := by.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if got := res.Cookies(); len(got) != 1 || !got[0].Secure || !got[0].HttpOnly {
		t.Errorf("%s sets the cookies %v, want one that is Secure", res.Status, got)
	}
	old := &tls.Config{RootCAs: by.TLSClientConfig.RootCAs, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	c, err := (&tls.Dialer{Config: old}).DialContext(t.Context(), "tcp", strings.TrimPrefix(d.Secure, "https://"))
	if err == nil {
		_ = c.Close()
		t.Error("TLS 1.1 is spoken")
	}
}
