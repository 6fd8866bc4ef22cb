// Package netaddr tells addresses of the internet from those that lead inside: this machine, private
// networks, the metadata of clouds. networks.go refuses connections to the latter, except to those that
// the policy opens; url.go reads the address of a page.
package netaddr

import (
	"net/netip"

	"code.dny.dev/ssrf"

	"chela/internal/fault"
)

// refused names the ranges that are not the internet, for the sentence that refuses them.
// The tables of code.dny.dev/ssrf, which follow the registries of IANA, decide about the
// rest; they do not look inside addresses that carry others, which carried does.
var refused = []struct {
	prefix netip.Prefix
	what   string
}{
	{netip.MustParsePrefix("169.254.169.254/32"), metadata},
	{netip.MustParsePrefix("169.254.170.2/32"), metadata},
	{netip.MustParsePrefix("169.254.170.23/32"), metadata},
	{netip.MustParsePrefix("100.100.100.200/32"), metadata},
	{netip.MustParsePrefix("192.0.0.192/32"), metadata},
	{netip.MustParsePrefix("168.63.129.16/32"), metadata},
	{netip.MustParsePrefix("fd00:ec2::254/128"), metadata},
	{netip.MustParsePrefix("fd00:ec2::23/128"), metadata},
	{netip.MustParsePrefix("fd20:ce::254/128"), metadata},
	{netip.MustParsePrefix("fd00:42::42/128"), metadata},
	{netip.MustParsePrefix("127.0.0.0/8"), "this machine"},
	{netip.MustParsePrefix("::1/128"), "this machine"},
	{netip.MustParsePrefix("0.0.0.0/8"), "no address of a machine"},
	{netip.MustParsePrefix("::/128"), "no address of a machine"},
	{netip.MustParsePrefix("10.0.0.0/8"), "a private network"},
	{netip.MustParsePrefix("172.16.0.0/12"), "a private network"},
	{netip.MustParsePrefix("192.168.0.0/16"), "a private network"},
	{netip.MustParsePrefix("fc00::/7"), "a private network"},
	{netip.MustParsePrefix("fec0::/10"), "a private network"},
	{netip.MustParsePrefix("100.64.0.0/10"), "the network of a provider"},
	{netip.MustParsePrefix("169.254.0.0/16"), "the local link"},
	{netip.MustParsePrefix("fe80::/10"), "the local link"},
	{netip.MustParsePrefix("224.0.0.0/4"), "many machines at once"},
	{netip.MustParsePrefix("ff00::/8"), "many machines at once"},
	{netip.MustParsePrefix("255.255.255.255/32"), "many machines at once"},
	{netip.MustParsePrefix("192.0.2.0/24"), "for documentation only"},
	{netip.MustParsePrefix("198.51.100.0/24"), "for documentation only"},
	{netip.MustParsePrefix("203.0.113.0/24"), "for documentation only"},
	{netip.MustParsePrefix("2001:db8::/32"), "for documentation only"},
	{netip.MustParsePrefix("3fff::/20"), "for documentation only"},
	{netip.MustParsePrefix("198.18.0.0/15"), "for measurements only"},
	{netip.MustParsePrefix("2001:2::/48"), "for measurements only"},
	{netip.MustParsePrefix("2001::/32"), "a tunnel"},
	{netip.MustParsePrefix("2002::/16"), "a tunnel"},
	{netip.MustParsePrefix("192.88.99.0/24"), "a tunnel"},
}

var internet = ssrf.New(ssrf.WithAnyPort(), ssrf.WithAnyNetwork())

func refuse(a netip.Addr, what string) error {
	return fault.New(fault.Denied, "The address %s is %s, to which no connection is made. The owner can open it under network in the policy.", a, what)
}

const metadata = "the metadata of a cloud"

func isMetadata(a netip.Addr) bool {
	if inner, ok := carried(a); ok {
		a = inner
	}
	what, _ := notInternet(a)
	return what == metadata
}

func notInternet(a netip.Addr) (string, bool) {
	for _, r := range refused {
		if r.prefix.Contains(a) {
			return r.what, true
		}
	}
	return "reserved", internet.SafeAddr(a) != nil
}

var (
	nat64      = netip.MustParsePrefix("64:ff9b::/96")
	nat64local = netip.MustParsePrefix("64:ff9b:1::/48")
	compatible = netip.MustParsePrefix("::/96")
	translated = netip.MustParsePrefix("::ffff:0:0:0/96")
)

// carried returns the IPv4 address inside an IPv6 one.
func carried(a netip.Addr) (netip.Addr, bool) {
	if !a.Is6() {
		return a, false
	}
	b := a.As16()
	switch {
	case nat64.Contains(a), nat64local.Contains(a), translated.Contains(a):
		return netip.AddrFrom4([4]byte{b[12], b[13], b[14], b[15]}), true
	case compatible.Contains(a) && b[12] != 0:
		return netip.AddrFrom4([4]byte{b[12], b[13], b[14], b[15]}), true
	}
	return a, false
}
