package dingtalktest

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"chela/internal/testkit/channeltest"
)

// The interfaces, by their paths.
const (
	Token      = "/v1.0/oauth2/accessToken"
	Open       = "/v1.0/gateway/connections/open"
	Socket     = "/connect"
	SendPerson = "/v1.0/robot/oToMessages/batchSend"
	SendGroup  = "/v1.0/robot/groupMessages/send"
	Download   = "/v1.0/robot/messageFiles/download"
	CreateCard = "/v1.0/card/instances/createAndDeliver"
	ChangeCard = "/v1.0/card/instances"
	WriteCard  = "/v1.0/card/streaming"
	Upload     = "/media/upload"
	Session    = "/robot/sendBySession"
	Files      = "/files/" // where downloads lie
)

// The mishaps that DingTalk has; channeltest says what each is.
const (
	Fail      = channeltest.Fail
	Refuse    = channeltest.Say // DingTalk's no, with Fault.Status and Fault.Code
	TooMany   = channeltest.TooMany
	CutBefore = channeltest.CutBefore
	CutAfter  = channeltest.CutAfter
	Silent    = channeltest.Silent
	Slow      = channeltest.Slow
	Empty     = channeltest.Own // nothing is done, and the answer is an empty object
)

// A Fault is a mishap that is to come; its method is a path.
type Fault = channeltest.Fault[string]

// say gives the answer to a mishap of which DingTalk speaks.
func say(w http.ResponseWriter, f *Fault) {
	switch f.What {
	case TooMany:
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(f.For.Seconds()))))
		refusal(http.StatusTooManyRequests, "Throttling", "too many").write(w)
	case Empty:
		result(struct{}{}).write(w)
	default:
		refusal(f.Status, f.Code, "no").write(w)
	}
}

// Limit refuses messages when more than most come into a chat in a time.
func (s *Server) Limit(most int, in time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit, s.recent = channeltest.Limit{Most: most, In: in}, make(map[string][]time.Time)
}

// over reports whether a chat takes no more, and counts a message if it does. The caller holds mu.
func (s *Server) over(chat string) bool {
	recent := s.recent[chat]
	wait := s.limit.Over(&recent, time.Now())
	s.recent[chat] = recent
	return wait > 0
}
