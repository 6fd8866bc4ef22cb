package netaddr

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"chela/internal/fault"
)

// maxURL is how long an address of a page may be.
const maxURL = 8 << 10

// URL reads the address of a page for a tool: http or https, with a host and without a
// name or password. What it returns is written one way: the host in the form that is
// looked up, so that rules about hosts and the connection mean the same.
func URL(raw string) (*url.URL, error) {
	raw = strings.TrimSpace(raw)
	if len(raw) > maxURL {
		return nil, fault.New(fault.TooLarge, "The address has %d bytes; addresses of up to %d bytes are opened.", len(raw), maxURL)
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The address cannot be read. Write it as https://example.com/page.")
	}
	u.Scheme = strings.ToLower(u.Scheme)
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fault.New(fault.Invalid, "Only addresses that begin with http:// or https:// are opened.")
	case u.User != nil:
		return nil, fault.New(fault.Denied, "The address holds a name or a password, which are not sent. Leave them out.")
	case u.Opaque != "" || u.Hostname() == "":
		return nil, fault.New(fault.Invalid, "The address names no host. Write it as https://example.com/page.")
	}
	if strings.Contains(u.Hostname(), "%") {
		return nil, fault.New(fault.Denied, "The address names a network card of this machine (%%), through which nothing is opened.")
	}
	host, err := hostOf(u.Hostname())
	if err != nil {
		return nil, err
	}
	port := u.Port()
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return nil, fault.New(fault.Invalid, "The port of the address is not a number from 1 to 65535.")
		}
		port = ":" + strconv.FormatUint(n, 10)
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	u.Host = host + port
	return u, nil
}

// hostOf returns a host as it is looked up: an address as netip writes it, a name in
// lower-case ASCII without the dot at its end.
func hostOf(host string) (string, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return a.String(), nil
	}
	name, err := idna.Lookup.ToASCII(strings.TrimSuffix(host, "."))
	if err != nil || name == "" {
		return "", fault.New(fault.Invalid, "The host of the address is no name of a machine.")
	}
	name = strings.TrimSuffix(name, ".") // a full-width dot has become one
	if again, err := idna.Lookup.ToASCII(name); err != nil || again != name || name == "" {
		return "", fault.New(fault.Invalid, "The host of the address is no name of a machine.")
	}
	if a, err := netip.ParseAddr(name); err == nil {
		return a.String(), nil // written in full-width digits
	}
	// Some resolvers read 2130706433, 0x7f.1 and 0177.0.0.1 as addresses.
	last := name[strings.LastIndexByte(name, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok && strings.Trim(hex, "0123456789abcdef") == "" || strings.Trim(last, "0123456789") == "" {
		return "", fault.New(fault.Denied, "The host of the address is a number in another form than 192.0.2.1; write it like that.")
	}
	return name, nil
}
