// Package dnstest is a name server for tests of what is dialled: it says whatever a test has
// it say, and that may change from one lookup to the next.
package dnstest

import (
	"context"
	"net"
	"net/netip"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// Resolver asks a server on loopback, which ends with the test. answer gives the IPv4
// addresses of a name that ends with a dot; it is called for one lookup at a time.
func Resolver(t testing.TB, answer func(name string) []string) *net.Resolver {
	t.Helper()
	l, err := new(net.ListenConfig).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = l.Close(); <-done })
	go func() {
		defer close(done)
		serve(l, answer)
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", l.LocalAddr().String())
	}}
}

func serve(l net.PacketConn, answer func(name string) []string) {
	buf := make([]byte, 1500)
	for {
		n, from, err := l.ReadFrom(buf)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
			continue
		}
		m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
		if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
			for _, a := range answer(q.Name.String()) {
				m.Answers = append(m.Answers, dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}, Body: &dnsmessage.AResource{A: netip.MustParseAddr(a).As4()}})
			}
		}
		if raw, err := m.Pack(); err == nil {
			_, _ = l.WriteTo(raw, from)
		}
	}
}
