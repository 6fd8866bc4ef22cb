package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"chela/internal/fault"
)

// MaxBody bounds what is taken, in bytes. GitHub sends up to 25 MB, and cuts what is longer.
const MaxBody = 25 << 20

// A Received is what a system outside says happened there. All of it is data from outside.
type Received struct {
	Incoming string `json:"incoming" doc:"the name of the webhook"`
	Kind     Kind   `json:"kind"`
	Delivery string `json:"delivery" doc:"the sender's id of it"`
	Event    string `json:"event" doc:"such as github.issues.opened"`
	Known    bool   `json:"known" doc:"it was mapped; what is not is kept all the same"`
	Subject
	Body string `json:"body" doc:"the artifact with what was sent"`
	Size int    `json:"size" doc:"bytes"`

	key string // by which the same one that comes again is known
}

// Key is by what the same delivery that comes again is known: the digest of what was signed. The ids in the
// headers of most senders are not signed.
func (r Received) Key() string { return "webhook/" + r.Incoming + "/" + r.key }

// A Subject is what an event outside is about, as far as its sender says.
type Subject struct {
	What       string `json:"what,omitempty" doc:"issue, pull request, comment, push, build, error, incident, release, project"`
	Action     string `json:"action,omitempty"`
	Title      string `json:"title,omitempty"`
	Text       string `json:"text,omitempty"`
	URL        string `json:"url,omitempty"`
	Key        string `json:"key,omitempty" doc:"the sender's name of it, such as ENG-12 or #12"`
	State      string `json:"state,omitempty"`
	Severity   string `json:"severity,omitempty"`
	Repository string `json:"repository,omitempty" doc:"or the project there"`
	Actor      string `json:"actor,omitempty"`
}

// Read checks that a request is signed with the secret and comes in time, and maps its body, which has
// been received whole. A fault.Unauthenticated says that it is not signed, a fault.Invalid that it is not
// JSON. What is not known is mapped to the kind's own name of it, with Known false.
func (in Incoming) Read(h http.Header, body []byte, secret string, now time.Time) (Received, error) {
	r := Received{Incoming: in.Name, Kind: in.Kind, Size: len(body)}
	if err := in.signed(h, body, secret, now); err != nil {
		return r, err
	}
	var root any
	if err := json.Unmarshal(body, &root); err != nil {
		return r, fault.Wrap(err, fault.Invalid, "What was sent is no JSON. Set the content type of the webhook to application/json there.")
	}
	m, _ := root.(map[string]any)
	f := fields{m}
	r.Delivery, r.key = f.delivery(in.Kind, h), digest(body)
	if in.Kind == Generic {
		r.key = r.Delivery // it is signed
	}
	name := ""
	switch in.Kind {
	case GitHub:
		name, r.Subject, r.Known = f.github(h.Get("X-GitHub-Event"))
	case GitLab:
		name, r.Subject, r.Known = f.gitlab()
	case Jira:
		name, r.Subject, r.Known = f.jira()
	case Linear:
		name, r.Subject, r.Known = f.linear()
	case Sentry:
		name, r.Subject, r.Known = f.sentry(h.Get("Sentry-Hook-Resource"))
	case PagerDuty:
		name, r.Subject, r.Known = f.pagerduty()
	case Generic:
		name, r.Subject, r.Known = f.generic()
	}
	r.Event = string(in.Kind) + "." + word(name)
	r.Subject.cut()
	return r, nil
}

// word is a name as part of a type of events.
func word(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r == ':', r == ' ', r == '/':
			return '_'
		}
		return -1
	}, s)
	if s = strings.Trim(s, "._-"); s == "" {
		return "other"
	}
	return s[:min(len(s), 80)]
}

// most are how many characters are kept of a field; the artifact has all of it.
const (
	mostField = 300
	mostText  = 4000
)

func (s *Subject) cut() {
	for _, f := range []*string{&s.What, &s.Action, &s.Title, &s.URL, &s.Key, &s.State, &s.Severity, &s.Repository, &s.Actor} {
		*f = clip(*f, mostField)
	}
	s.Text = clip(s.Text, mostText)
}

func clip(s string, most int) string {
	s = strings.ToValidUTF8(strings.TrimSpace(s), "")
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

func unsigned() error {
	return fault.New(fault.Unauthenticated, "The signature is not ours. The secret there and here are not the same.")
}

// signatures are the headers in which each kind signs.
var signatures = map[Kind]string{ //nolint:gochecknoglobals // a table
	GitHub: "X-Hub-Signature-256", GitLab: "X-Gitlab-Token", Jira: "X-Hub-Signature", Linear: "Linear-Signature",
	Sentry: "Sentry-Hook-Signature", PagerDuty: "X-PagerDuty-Signature", Generic: HeaderSignature,
}

// Promises refuses a request before its body is read when it is not signed at all.
func (in Incoming) Promises(h http.Header) error {
	name := signatures[in.Kind]
	if h.Get(name) == "" {
		return fault.New(fault.Unauthenticated, "The header %s is missing: set the secret of the webhook there.", name)
	}
	return nil
}

// signed refuses what the secret did not sign, in the way of the sender.
func (in Incoming) signed(h http.Header, body []byte, secret string, now time.Time) error {
	switch in.Kind {
	case GitHub:
		return hexSigned(strings.TrimPrefix(h.Get("X-Hub-Signature-256"), "sha256="), body, secret)
	case Jira:
		return hexSigned(strings.TrimPrefix(h.Get("X-Hub-Signature"), "sha256="), body, secret)
	case GitLab:
		if !hmac.Equal([]byte(h.Get("X-Gitlab-Token")), []byte(secret)) {
			return unsigned()
		}
		return nil
	case Linear:
		if err := hexSigned(h.Get("Linear-Signature"), body, secret); err != nil {
			return err
		}
		var said struct {
			At int64 `json:"webhookTimestamp"`
		}
		_ = json.Unmarshal(body, &said) // a body without it is too old
		return recent(time.UnixMilli(said.At), now)
	case Sentry:
		if err := hexSigned(h.Get("Sentry-Hook-Signature"), body, secret); err != nil {
			return err
		}
		if at, err := strconv.ParseInt(h.Get("Sentry-Hook-Timestamp"), 10, 64); err == nil {
			return recent(time.Unix(at, 0), now)
		}
		return nil
	case PagerDuty:
		for one := range strings.SplitSeq(h.Get("X-PagerDuty-Signature"), ",") {
			if v1, ok := strings.CutPrefix(strings.TrimSpace(one), "v1="); ok && hexSigned(v1, body, secret) == nil {
				return nil
			}
		}
		return unsigned()
	case Generic:
		id, stamp := h.Get(HeaderID), h.Get(HeaderTimestamp)
		if err := Timely(id, stamp, now); err != nil {
			return err
		}
		s, err := NewSigner(secret)
		if err != nil {
			return err
		}
		if !s.Signed(h.Get(HeaderSignature), id, stamp, body) {
			return unsigned()
		}
		return nil
	}
	return fault.New(fault.Internal, "The webhook %s is of a kind that is not known.", in.Name)
}

// hexSigned refuses a body whose HMAC-SHA256 by the secret is not the one given in hexadecimal digits.
func hexSigned(given string, body []byte, secret string) error {
	m := hmac.New(sha256.New, []byte(secret))
	_, _ = m.Write(body) // never fails
	got, err := hex.DecodeString(given)
	if err != nil || secret == "" || !hmac.Equal(got, m.Sum(nil)) {
		return unsigned()
	}
	return nil
}

// delivery is the sender's id of a request.
func (f fields) delivery(k Kind, h http.Header) string {
	id := ""
	switch k {
	case GitHub:
		id = h.Get("X-GitHub-Delivery")
	case GitLab:
		id = h.Get("X-Gitlab-Event-UUID")
	case Jira:
		id = h.Get("X-Atlassian-Webhook-Identifier")
	case Linear:
		id = h.Get("Linear-Delivery")
	case Sentry:
		id = h.Get("Request-ID")
	case PagerDuty:
		id = f.text("event", "id")
	case Generic:
		id = h.Get(HeaderID)
	}
	return clip(id, mostField)
}

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
