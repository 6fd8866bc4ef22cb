package api

import (
	"context"
	"net"
	"net/netip"
	"time"

	"chela/internal/fault"
	"chela/internal/netaddr"
	"chela/internal/org"
)

// resolveFor is how long it is waited for the addresses of a name.
const resolveFor = 5 * time.Second

// mayReach refuses addresses inside that the asker has the daemon call. An owner grants them by
// setting them, and inside is true then; so does the policy, by its network. A name is looked at
// again whenever it is called, so one that cannot be resolved now is taken.
func (a *api) mayReach(ctx context.Context, field string, addresses ...string) (inside bool, err error) {
	if person(ctx).Role == org.Owner {
		return true, nil
	}
	p, err := a.Policy.Policy(ctx)
	if err != nil {
		return false, err
	}
	for _, raw := range addresses {
		u, err := netaddr.URL(raw)
		if err != nil {
			return false, fault.BadField(field, fault.TextOf(err))
		}
		for _, at := range resolved(ctx, u.Hostname()) {
			if err := p.Reach().Allow(at); err != nil {
				return false, fault.Wrap(err, fault.Denied, "%s: %s is an address inside. An owner can set it, or list it under network in the policy.", field, u.Host)
			}
		}
	}
	return false, nil
}

func resolved(ctx context.Context, host string) []netip.Addr {
	if at, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{at}
	}
	ctx, cancel := context.WithTimeout(ctx, resolveFor)
	defer cancel()
	found, _ := net.DefaultResolver.LookupNetIP(ctx, "ip", host) // what cannot be resolved is not called
	return found
}
