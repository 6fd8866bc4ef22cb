package markup

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
)

// safe returns the address as it may be a link, "" if it may not: only http, https and
// mailto lead anywhere a person expects, and only with somewhere to go. What is a mark in
// some form, or cannot be seen, is percent-encoded.
func safe(target string) string {
	u, err := url.Parse(target)
	if err != nil {
		return ""
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		if u.Host == "" {
			return ""
		}
	case "mailto":
		if u.Opaque == "" {
			return ""
		}
	default:
		return ""
	}
	var b strings.Builder
	for _, r := range target {
		if invisible(r) || strings.ContainsRune("<>\"|`\\{}", r) {
			for _, octet := range []byte(string(r)) {
				fmt.Fprintf(&b, "%%%02X", octet)
			}
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// deceives reports whether a link's text has an address in it that is not the target's.
func deceives(label, target string) bool {
	if autoLink(label, target) {
		return false
	}
	for _, word := range strings.FieldsFunc(label, invisible) {
		word = strings.Trim(word, "()[]<>{}\"'“”‘’,;:!?")
		if address(word) && !leads(word, target) {
			return true
		}
	}
	return false
}

// address reports whether a word looks like a web or mail address to a person.
func address(word string) bool {
	word = dotted(word)
	if strings.Contains(word, "://") || strings.HasPrefix(strings.ToLower(word), "www.") {
		return true
	}
	host, _, _ := strings.Cut(word, "/")
	if _, after, mail := strings.Cut(host, "@"); mail {
		host = after
	}
	host, _, _ = strings.Cut(host, ":")
	dot := strings.LastIndexByte(strings.TrimSuffix(host, "."), '.')
	if dot <= 0 {
		return false
	}
	top := strings.TrimSuffix(host, ".")[dot+1:]
	return len(top) >= 2 && strings.IndexFunc(top, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// leads reports whether a word that looks like an address names the target: the same host,
// and the same path where the word has one.
func leads(word, target string) bool {
	w, t := bare(word), bare(target)
	if w == t {
		return true
	}
	host, _, _ := strings.Cut(t, "/")
	return w == host && !strings.Contains(w, "@")
}

// bare returns an address without what people leave out.
func bare(address string) string {
	s := strings.ToLower(dotted(address))
	if decoded, err := url.PathUnescape(s); err == nil {
		s = decoded
	}
	s = strings.TrimPrefix(s, "mailto:")
	if _, after, found := strings.Cut(s, "://"); found {
		s = after
	}
	return strings.TrimRight(strings.TrimPrefix(s, "www."), "/.")
}

// dotted returns an address with the dots that browsers take for dots, and without what
// cannot be seen.
func dotted(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '。', r == '．', r == '｡':
			return '.'
		case invisible(r):
			return -1
		}
		return r
	}, s)
}

// spelledLink returns a link as text: what it says and where it leads, once if they are the
// same.
func spelledLink(label, target string) string {
	if autoLink(label, target) {
		return label
	}
	return label + " (" + target + ")"
}

// autoLink reports whether the label of a link is its address, so that a client that finds
// addresses in text leads there too.
func autoLink(label, target string) bool {
	if decoded, err := url.PathUnescape(target); err == nil && label == decoded {
		return true
	}
	return label == target || "mailto:"+label == target || "http://"+label == target
}

func mail(target string) bool { return strings.HasPrefix(target, "mailto:") }
