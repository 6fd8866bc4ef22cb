package netaddr_test

import (
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/netaddr"
)

func TestURL(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://example.com":                    "https://example.com",
		" HTTP://Example.COM./a?b=c#d ":          "http://example.com/a?b=c#d",
		"http://example.com:0080/":               "http://example.com:80/",
		"https://bücher.example/":                "https://xn--bcher-kva.example/",
		"http://ｅｖｉｌ.example/":                   "http://evil.example/",
		"http://１２７。０。０。１/":                      "http://127.0.0.1/",
		"http://[::FFFF:127.0.0.1]:8080/":        "http://[::ffff:127.0.0.1]:8080/",
		"http://[0:0:0:0:0:0:0:1]/":              "http://[::1]/",
		"http://[fe80::1%25eth0]/":               "!Denied",
		"http://127.0.0.1/":                      "http://127.0.0.1/", // judged when it is dialled
		"ftp://example.com/":                     "!Invalid",
		"file:///etc/passwd":                     "!Invalid",
		"javascript:alert(1)":                    "!Invalid",
		"gopher://example.com":                   "!Invalid",
		"//example.com/":                         "!Invalid",
		"example.com":                            "!Invalid",
		"http:example.com":                       "!Invalid",
		"http:///a":                              "!Invalid",
		"http://./":                              "!Invalid",
		"http://exa mple.com/":                   "!Invalid",
		"http://example.com:0/":                  "!Invalid",
		"http://example.com:65536/":              "!Invalid",
		"http://ann@example.com/":                "!Denied",
		"http://ann:secret@example.com/":         "!Denied",
		"http://example.com@127.0.0.1/":          "!Denied",
		"http://2130706433/":                     "!Denied",
		"http://0x7f000001/":                     "!Denied",
		"http://0x7f.1/":                         "!Denied",
		"http://0177.0.0.1/":                     "!Denied",
		"http://127.1/":                          "!Denied",
		"http://127.0.0.1.1/":                    "!Denied",
		"http://a.0x/":                           "!Denied",
		"http://a/" + strings.Repeat("a", 8<<10): "!TooLarge",
	} {
		u, err := netaddr.URL(in)
		got := ""
		switch fault.KindOf(err) {
		case fault.Invalid:
			got = "!Invalid"
		case fault.Denied:
			got = "!Denied"
		case fault.TooLarge:
			got = "!TooLarge"
		default:
		}
		if err == nil {
			got = u.Scheme + "://" + u.Host + u.RequestURI()
			if u.Fragment != "" {
				got += "#" + u.Fragment
			}
			if !strings.HasSuffix(want, "/") && u.Path == "" {
				got = strings.TrimSuffix(got, "/")
			}
		}
		if got != want {
			t.Errorf("%s: got %s, want %s (%v)", in, got, want, err)
		}
	}
}

// FuzzURL: what is accepted is accepted again, unchanged, and holds what was promised.
func FuzzURL(f *testing.F) {
	for _, s := range []string{"https://example.com/a?b#c", "http://[::1%25lo]:80/", "http://0x7f.1", "http://ｅｖｉｌ。example", "http://a@b", "http://xn--a", "%", "http://[fe80::1]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := netaddr.URL(raw)
		if err != nil {
			return
		}
		if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.HasSuffix(u.Hostname(), ".") || u.Hostname() != strings.ToLower(u.Hostname()) {
			t.Errorf("%q became %+v", raw, u)
		}
		again, err := netaddr.URL(u.String())
		if len(u.String()) <= 8<<10 && (err != nil || again.Host != u.Host) {
			t.Errorf("%q became %q and then %v (%v)", raw, u, again, err)
		}
	})
}
