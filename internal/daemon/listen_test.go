package daemon

import (
	"net"
	"strings"
	"testing"

	"chela/internal/config"
	"chela/internal/fault"
)

// TestListen_SaysWhyNot: what is in the way of a listener is said with the way out.
func TestListen_SaysWhyNot(t *testing.T) {
	t.Parallel()
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }() // nobody calls
	for address, says := range map[string]string{
		taken.Addr().String(): "another program listens there. If it is another daemon of Chela, `chela status` shows it; else name another address with listen in chela.yaml.",
		"192.0.2.1:7077":      "this machine does not have that address",
		"127.0.0.1:99999":     "invalid port",
	} {
		d := &Daemon{cfg: config.Config{Listen: address}}
		if _, err := d.Listen(t.Context()); fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.TextOf(err), address+" cannot be listened on: ") || !strings.Contains(fault.TextOf(err), says) {
			t.Errorf("%s: %v, want %q", address, err, says)
		}
		d = &Daemon{cfg: config.Config{Metrics: address}}
		if err := d.serveMetrics(t.Context()); !strings.Contains(fault.TextOf(err), says[:min(len(says), 20)]) {
			t.Errorf("metrics at %s: %v", address, err)
		}
	}
}
