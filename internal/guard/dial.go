package guard

import (
	"net/netip"
	"strings"
	"syscall"

	"chela/internal/fault"
)

// Control returns the function for net.Dialer.Control that refuses to connect to what
// AllowAddress refuses. It is asked with the address that is dialled, after names were
// resolved: for every address of a name and for every redirect. A dialer with it must not
// also have ControlContext, which would stand in its place, and a transport with it must
// not go through a proxy, which would dial for it.
func Control(grants []netip.Prefix) func(network, address string, c syscall.RawConn) error {
	return func(network, address string, _ syscall.RawConn) error {
		if !strings.HasPrefix(network, "tcp") && !strings.HasPrefix(network, "udp") {
			return fault.New(fault.Denied, "No connection is made over %s; only tcp and udp are.", network)
		}
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return fault.Wrap(err, fault.Denied, "The address %s cannot be read, so no connection is made to it.", address)
		}
		return AllowAddress(to.Addr(), grants)
	}
}
