package slacktest

import (
	"io"
	"math"
	"net/http"
	"strconv"

	"chela/internal/testkit/channeltest"
)

// The mishaps that Slack has; channeltest says what each is.
const (
	Fail         = channeltest.Fail
	Say          = channeltest.Say
	TooMany      = channeltest.TooMany
	CutBefore    = channeltest.CutBefore
	CutAfter     = channeltest.CutAfter
	FailAfter    = channeltest.FailAfter
	Silent       = channeltest.Silent
	TakeSilently = channeltest.TakeSilently
)

// A Mishap is one of them, and a Fault one that is to come.
type (
	Mishap = channeltest.Mishap
	Fault  = channeltest.Fault[string]
)

// The names that other addresses have among the methods.
const (
	Download = "download"
	Upload   = "upload"
	Socket   = "socket"
)

// say gives the answer to a mishap of which Slack speaks.
func say(w http.ResponseWriter, f *Fault) {
	if f.What == Say {
		write(w, no(f.Code))
		return
	}
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(f.For.Seconds()))))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusTooManyRequests)
	_, _ = io.WriteString(w, `{"ok":false,"error":"ratelimited"}`)
}
