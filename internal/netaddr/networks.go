package netaddr

import (
	"net/netip"
	"slices"
	"strings"
	"syscall"

	"chela/internal/fault"
)

// A Reach says which addresses tools may connect to.
type Reach struct {
	Networks
	// ByHost says that the policy has rules about hosts. Then a tool does not go on by itself to a
	// host that they were not asked about.
	ByHost bool
}

// Networks are those inside that the policy opens.
type Networks []netip.Prefix

// Parse reads a network, or an address by itself.
func Parse(text string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	return netip.ParsePrefix(text)
}

// Allow refuses an address that is not one of the internet: this machine, networks that are private
// or local, the metadata of clouds, many machines at once, tunnels, what is reserved. Of an address
// that carries an IPv4 one (mapped, compatible, NAT64), the one inside is judged too.
//
// The networks open what they hold. One of IPv4 opens the addresses that carry its addresses too. The
// metadata of clouds, which hold keys, are opened only by a network of that one address.
func (n Networks) Allow(a netip.Addr) error {
	if !a.IsValid() {
		return fault.New(fault.Denied, "There is no address to connect to.")
	}
	bare := a.WithZone("").Unmap()
	inner, carries := carried(bare)
	if n.hold(bare) || carries && n.hold(inner) {
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

// Control refuses to connect to what Allow refuses; it is for net.Dialer.Control. The dialer calls it
// with each address that it dials, after it resolved names: for every address of a name and for every
// redirect. A dialer with it must not also have ControlContext, which would stand in its place, and a
// transport with it must not go through a proxy, which would dial for it.
func (n Networks) Control(network, address string, _ syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") && !strings.HasPrefix(network, "udp") {
		return fault.New(fault.Denied, "No connection is made over %s; only tcp and udp are.", network)
	}
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fault.Wrap(err, fault.Denied, "The address %s cannot be read, so no connection is made to it.", address)
	}
	return n.Allow(to.Addr())
}

func (n Networks) hold(a netip.Addr) bool {
	return slices.ContainsFunc(n, func(p netip.Prefix) bool {
		if b := p.Addr(); b.Is4In6() && p.Bits() >= 96 {
			p = netip.PrefixFrom(b.Unmap(), p.Bits()-96)
		}
		return p.Contains(a) && (p.IsSingleIP() || !isMetadata(a))
	})
}
