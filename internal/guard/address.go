package guard

import (
	"net/netip"
	"slices"

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

// Address refuses an address that is not one of the internet: this machine, networks that
// are private or local, the metadata of clouds, many machines at once, tunnels, what is
// reserved. Of an address that carries an IPv4 one (mapped, compatible, NAT64), the one
// inside is judged too.
func Address(a netip.Addr) error { return AllowAddress(a, nil) }

// AllowAddress is Address, but grants open what they hold. A grant of an IPv4 range opens
// the addresses that carry its addresses too. The metadata of clouds, which hold keys, are
// opened only by a grant of that one address.
func AllowAddress(a netip.Addr, grants []netip.Prefix) error {
	if !a.IsValid() {
		return fault.New(fault.Denied, "There is no address to connect to.")
	}
	bare := a.WithZone("").Unmap()
	inner, carries := carried(bare)
	if granted(bare, grants) || carries && granted(inner, grants) {
		return nil
	}
	if carries {
		if what, bad := notInternet(inner); bad {
			return refuse(a, what)
		}
		if nat64.Contains(bare) {
			return nil // a machine without IPv4 reaches the internet like this; of a local prefix this is not sure
		}
	}
	if what, bad := notInternet(bare); bad {
		return refuse(a, what)
	}
	return nil
}

func refuse(a netip.Addr, what string) error {
	return fault.New(fault.Denied, "The address %s is %s, to which no connection is made. The owner can open it under network in the policy.", a, what)
}

func granted(a netip.Addr, grants []netip.Prefix) bool {
	return slices.ContainsFunc(grants, func(p netip.Prefix) bool {
		if b := p.Addr(); b.Is4In6() && p.Bits() >= 96 {
			p = netip.PrefixFrom(b.Unmap(), p.Bits()-96)
		}
		return p.Contains(a) && (p.IsSingleIP() || !isMetadata(a))
	})
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
