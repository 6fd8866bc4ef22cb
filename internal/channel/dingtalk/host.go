package dingtalk

import (
	"errors"
	"net/url"
	"strings"

	"chela/internal/fault"
)

// hosts are where DingTalk is.
type hosts struct {
	api  string   // of /v1.0
	old  string   // of the interfaces before it, and of session webhooks
	base *url.URL // all that DingTalk names is reached here; nil when it is reached itself
}

// domains are those of DingTalk, and those under which it keeps files (messageFiles/download).
var domains = []string{"dingtalk.com", "dingtalk.io", "aliyuncs.com", "alicdn.com"}

// hostsOf returns where DingTalk is: here by default, at its international edition, or at
// another address that stands for all of its own.
func hostsOf(base string) (hosts, error) {
	if base == "" {
		return hosts{api: "https://api.dingtalk.com", old: "https://oapi.dingtalk.com"}, nil
	}
	u, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil || u.Host == "" {
		return hosts{}, fault.BadField("base_url", "It is an address such as https://api.dingtalk.io.")
	}
	if host := u.Hostname(); host == "api.dingtalk.com" || host == "api.dingtalk.io" {
		return hosts{api: "https://" + host, old: "https://o" + host}, nil
	}
	return hosts{api: u.String(), old: u.String(), base: u}, nil
}

var errOtherHost = errors.New("DingTalk names an address that is none of its own")

// at returns an address that DingTalk named as it is reached from here, always encrypted
// unless it is at a base of ours. It is an error when the address is not DingTalk's.
func (h hosts) at(named string) (*url.URL, error) {
	u, err := url.Parse(named)
	if err != nil {
		return nil, errOtherHost // the cause has the address in it, and that may be a secret
	}
	socket := u.Scheme == "ws" || u.Scheme == "wss"
	if !socket && u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, errOtherHost
	}
	secure := true
	switch {
	case h.base != nil:
		secure = h.base.Scheme == "https"
		if u.Host != h.base.Host {
			u.Host = h.base.Host
			u.Path, u.RawPath = h.base.Path+u.Path, ""
		}
	case !trusted(u.Hostname()):
		return nil, errOtherHost
	}
	u.Scheme = map[bool]map[bool]string{true: {true: "wss", false: "ws"}, false: {true: "https", false: "http"}}[socket][secure]
	if h.base == nil && u.Port() == "80" {
		u.Host = u.Hostname()
	}
	return u, nil
}

func trusted(host string) bool {
	host = strings.ToLower(host)
	for _, d := range domains {
		if host == d || strings.HasSuffix(host, "."+d) {
			return true
		}
	}
	return false
}
