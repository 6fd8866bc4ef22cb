package config

import (
	"net/netip"
	"strings"

	"chela/internal/fault"
)

// Proxies are programs before the daemon that hand requests on, such as nginx. Those that are trusted are believed for whom a request
// comes, and whether by TLS. The zero value believes nobody.
type Proxies struct {
	// Trusted are their addresses, or networks such as 10.0.0.0/24.
	Trusted []string `yaml:"trusted"`
	// Header is in which they say it: X-Forwarded-For (with X-Forwarded-Proto), which is meant when it is empty, or Forwarded.
	Header string `yaml:"header"`
}

// The headers of proxies.
const (
	XForwardedFor = "X-Forwarded-For"
	Forwarded     = "Forwarded"
)

// check refuses what is no address, and a header that proxies do not write. The header is as it is written here then.
func (p *Proxies) check() error {
	for _, text := range p.Trusted {
		if _, err := networkOf(text); err != nil {
			return err
		}
	}
	for _, known := range []string{XForwardedFor, Forwarded} {
		if strings.EqualFold(p.Header, known) {
			p.Header = known
			return nil
		}
	}
	if p.Header != "" {
		return fault.BadField("proxies.header", "Proxies do not say in it for whom a request comes.", XForwardedFor, Forwarded)
	}
	return nil
}

// Networks are the trusted addresses.
func (p *Proxies) Networks() []netip.Prefix {
	var out []netip.Prefix
	for _, text := range p.Trusted {
		if n, err := networkOf(text); err == nil { // check refuses the others
			out = append(out, n)
		}
	}
	return out
}

func networkOf(text string) (netip.Prefix, error) {
	bad := fault.New(fault.Invalid, "proxies: trusted: %q is not an address or a network; write 10.0.0.7, or 10.0.0.0/24.", text)
	if !strings.Contains(text, "/") {
		a, err := netip.ParseAddr(text)
		if err != nil || a.Zone() != "" {
			return netip.Prefix{}, bad
		}
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	n, err := netip.ParsePrefix(text)
	switch {
	case err != nil || n.Addr().Is4In6():
		return n, bad
	case n.Bits() == 0:
		return n, fault.New(fault.Invalid, "proxies: trusted: %s is everybody, and anybody may write a header. Name the addresses of the proxies alone.", text)
	}
	return n.Masked(), nil
}
