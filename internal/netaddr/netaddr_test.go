package netaddr_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chela/internal/fault"
	"chela/internal/netaddr"
)

func TestNetaddr_OnlyTheInternetIsReached(t *testing.T) {
	t.Parallel()
	for what, list := range map[string]string{
		"":                          "1.1.1.1 8.8.8.8 93.184.216.34 172.15.255.255 172.32.0.1 100.63.255.255 100.128.0.1 11.0.0.1 9.255.255.255 192.167.1.1 192.169.0.1 198.17.255.255 198.20.0.1 223.255.255.255 126.255.255.255 128.0.0.1 169.253.1.1 169.255.1.1 2606:4700:4700::1111 2a00:1450:4001::1 ::ffff:1.1.1.1 64:ff9b::1.1.1.1 64:ff9b::808:808 2001:4860:4860::8888",
		"this machine":              "127.0.0.1 127.1.2.3 127.255.255.255 ::1 ::ffff:127.0.0.1 ::ffff:7f00:1 64:ff9b::127.0.0.1 64:ff9b:1::127.0.0.1 ::127.0.0.1 ::ffff:0:127.0.0.1",
		"no address of a machine":   "0.0.0.0 0.1.2.3 :: ::ffff:0.0.0.0 64:ff9b::0.0.0.0",
		"a private network":         "10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 192.168.255.255 fc00::1 fd12:3456::1 fec0::1 feff::1 ::ffff:10.0.0.1 ::ffff:192.168.1.1 64:ff9b::10.0.0.1 64:ff9b:1::10.0.0.1 64:ff9b:1:2::10.0.0.1 ::10.1.2.3",
		"the network of a provider": "100.64.0.1 100.127.255.255 ::ffff:100.64.0.1 64:ff9b::100.64.0.1",
		"the local link":            "169.254.0.1 169.254.255.255 fe80::1 fe80::1%eth0 febf::1 ::ffff:169.254.1.1 64:ff9b::169.254.1.1",
		"the metadata of a cloud":   "169.254.169.254 169.254.170.2 100.100.100.200 168.63.129.16 192.0.0.192 fd00:ec2::254 fd20:ce::254 fd00:ec2::254%1 ::ffff:169.254.169.254 ::ffff:a9fe:a9fe 64:ff9b::169.254.169.254 64:ff9b::a9fe:a9fe 64:ff9b:1::169.254.169.254 ::169.254.169.254",
		"many machines at once":     "224.0.0.1 239.255.255.250 255.255.255.255 ff02::1 ff0e::1 ::ffff:224.0.0.1 64:ff9b::224.0.0.1",
		"for documentation only":    "192.0.2.1 198.51.100.7 203.0.113.9 2001:db8::1 3fff::1 ::ffff:192.0.2.1",
		"for measurements only":     "198.18.0.1 198.19.255.255 2001:2::1",
		"a tunnel":                  "2002::1 2002:7f00:1::1 2002:a00:1::1 2002:808:808::1 2001::1 2001:0:4136:e378::1 192.88.99.1",
		"reserved":                  "240.0.0.1 254.1.1.1 192.0.0.1 192.31.196.1 192.52.193.1 192.175.48.1 100::1 4000::1 64:ff9b:1::8.8.8.8 ::8.8.8.8 5f00::1 2001:10::1 2001:20::1 1::1 8000::1 2620:4f:8000::1 ::ffff:0:8.8.8.8",
	} {
		for _, s := range strings.Fields(list) {
			a, err := netip.ParseAddr(s)
			if err != nil {
				t.Fatal(err)
			}
			err = netaddr.Networks(nil).Allow(a)
			if what == "" {
				if err != nil {
					t.Errorf("%s: %v", s, err)
				}
				continue
			}
			if fault.KindOf(err) != fault.Denied || !strings.Contains(fault.TextOf(err), "is "+what+",") {
				t.Errorf("%s: %v, want %q", s, err, what)
			}
		}
	}
	if fault.KindOf(netaddr.Networks(nil).Allow(netip.Addr{})) != fault.Denied {
		t.Error("no address is an address")
	}
}

func TestNetaddr_AGrantOpensWhatItHolds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		grant string
		opens string
		not   string
	}{
		"loopback":      {"127.0.0.0/8", "127.0.0.1 ::ffff:127.0.0.1 64:ff9b::127.0.0.1", "::1 10.0.0.1 169.254.169.254"},
		"loopback v6":   {"::1/128", "::1", "127.0.0.1"},
		"mapped grant":  {"::ffff:10.0.0.0/104", "10.0.0.1 ::ffff:10.0.0.1", "11.0.0.1/x 127.0.0.1"},
		"link":          {"169.254.0.0/16", "169.254.1.1", "169.254.169.254 64:ff9b::169.254.169.254 ::ffff:169.254.169.254"},
		"everything":    {"0.0.0.0/0", "10.0.0.1 127.0.0.1", "169.254.169.254 100.100.100.200 ::1"},
		"everything v6": {"::/0", "::1 fe80::1 fe80::1%eth0", "fd00:ec2::254 64:ff9b::169.254.169.254"},
		"metadata":      {"169.254.169.254/32", "169.254.169.254 ::ffff:169.254.169.254 64:ff9b::169.254.169.254", "169.254.170.2"},
	} {
		t.Run(name, func(t *testing.T) {
			grants := netaddr.Networks{netip.MustParsePrefix(c.grant)}
			for _, s := range strings.Fields(c.opens) {
				if err := grants.Allow(netip.MustParseAddr(s)); err != nil {
					t.Errorf("%s: %v", s, err)
				}
				if netaddr.Networks(nil).Allow(netip.MustParseAddr(s)) == nil {
					t.Errorf("%s is open without the grant", s)
				}
			}
			for _, s := range strings.Fields(c.not) {
				a, err := netip.ParseAddr(s)
				if err == nil && grants.Allow(a) == nil {
					t.Errorf("%s is open", s)
				}
			}
		})
	}
}

// TestNetaddr_NoFormOfAPrivateAddressGetsThrough tries every way in which an address can be written
// into another.
func TestNetaddr_NoFormOfAPrivateAddressGetsThrough(t *testing.T) {
	t.Parallel()
	bad := []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"),
		netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("224.0.0.0/3"),
	}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(bad).Draw(t, "range")
		b := p.Addr().As4()
		host := rapid.Uint32().Draw(t, "host") >> p.Bits()
		for i := range 4 {
			b[i] |= byte(host >> (24 - 8*i))
		}
		v4 := netip.AddrFrom4(b)
		forms := []netip.Addr{v4, netip.AddrFrom16(v4.As16())}
		for _, prefix := range []string{"64:ff9b::", "64:ff9b:1::", "64:ff9b:1:ffff::", "::ffff:0:0:0", "::"} {
			f := netip.MustParseAddr(prefix).As16()
			copy(f[12:], b[:])
			forms = append(forms, netip.AddrFrom16(f))
		}
		six := [16]byte{0x20, 0x02, b[0], b[1], b[2], b[3]}
		forms = append(forms, netip.AddrFrom16(six))
		for _, f := range forms {
			if netaddr.Networks(nil).Allow(f) == nil {
				t.Errorf("%s is reached as %s", v4, f)
			}
		}
	})
}

// TestNetaddr_Hole9AddressIsCheckedWhenDialled shows what a check before the dial misses: names that
// lead to this machine, and redirects.
func TestNetaddr_Hole9AddressIsCheckedWhenDialled(t *testing.T) {
	t.Parallel()
	inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "secret") }))
	defer inside.Close()
	port := inside.URL[strings.LastIndex(inside.URL, ":"):]
	outside := httptest.NewServer(http.RedirectHandler("http://[::ffff:127.0.0.1]"+port, http.StatusFound))
	defer outside.Close()
	get := func(url string, control *net.Dialer) (string, error) {
		c := &http.Client{Transport: &http.Transport{DialContext: control.DialContext}}
		req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.Do(req)
		if err != nil {
			return "", err
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		return string(body), err
	}
	guarded := &net.Dialer{Control: netaddr.Networks(nil).Control}
	for _, url := range []string{inside.URL, "http://localhost" + port, outside.URL} {
		if body, err := get(url, guarded); fault.KindOf(err) != fault.Denied {
			t.Errorf("%s: %q, %v", url, body, err)
		}
		if body, err := get(url, &net.Dialer{}); err != nil || body != "secret" {
			t.Errorf("without the guard %s says %q, %v: the test shows nothing", url, body, err)
		}
		if body, err := get(url, &net.Dialer{Control: netaddr.Networks{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}.Control}); err != nil || body != "secret" {
			t.Errorf("granted, %s says %q, %v", url, body, err)
		}
	}
	// The redirect alone: the first address is granted, the second is not.
	first := netip.MustParseAddrPort(strings.TrimPrefix(outside.URL, "http://")).Addr()
	if err := (netaddr.Networks{netip.PrefixFrom(first, 32)}).Control("tcp4", "10.0.0.1:80", nil); fault.KindOf(err) != fault.Denied {
		t.Errorf("%v", err)
	}
	for _, c := range [][2]string{{"unix", "/run/docker.sock"}, {"ip4:1", "1.1.1.1"}, {"tcp", "localhost:80"}, {"tcp4", "1.1.1.1"}, {"tcp", ""}} {
		if err := netaddr.Networks(nil).Control(c[0], c[1], nil); fault.KindOf(err) != fault.Denied {
			t.Errorf("%v: %v", c, err)
		}
	}
	if err := netaddr.Networks(nil).Control("tcp4", "1.1.1.1:443", nil); err != nil {
		t.Error(err)
	}
}
