package webhook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/webhook"
)

const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=" // of these tests alone

var now = time.Unix(1_800_000_000, 0) //nolint:gochecknoglobals // never changes

func mac(body string) string {
	m := hmac.New(sha256.New, []byte(secret))
	_, _ = m.Write([]byte(body)) // never fails
	return hex.EncodeToString(m.Sum(nil))
}

// sent is a request as each system sends it.
func sent(t testing.TB, kind webhook.Kind, body string, more ...string) http.Header {
	t.Helper()
	h := http.Header{}
	switch kind {
	case webhook.GitHub:
		h.Set("X-Hub-Signature-256", "sha256="+mac(body))
		h.Set("X-Hub-Signature", "sha1=ffff") // GitHub sends the older one, too
	case webhook.GitLab:
		h.Set("X-Gitlab-Token", secret)
	case webhook.Jira:
		h.Set("X-Hub-Signature", "sha256="+mac(body))
	case webhook.Linear:
		h.Set("Linear-Signature", mac(body))
	case webhook.Sentry:
		h.Set("Sentry-Hook-Signature", mac(body))
		h.Set("Sentry-Hook-Timestamp", strconv.FormatInt(now.Unix(), 10))
	case webhook.PagerDuty:
		h.Set("X-PagerDuty-Signature", "v1=00,v1="+mac(body))
	case webhook.Generic:
		s, err := webhook.NewSigner(secret)
		if err != nil {
			t.Fatal(err)
		}
		stamp := strconv.FormatInt(now.Unix(), 10)
		h.Set(webhook.HeaderID, "msg_1")
		h.Set(webhook.HeaderTimestamp, stamp)
		h.Set(webhook.HeaderSignature, s.Sign("msg_1", stamp, []byte(body)))
	}
	for i := 0; i < len(more); i += 2 {
		h.Set(more[i], more[i+1])
	}
	return h
}

// bodies are what the systems send, shortened, in the forms of their documentation.
var bodies = []struct { //nolint:gochecknoglobals // a table
	kind    webhook.Kind
	headers []string
	body    string
	event   string
	want    webhook.Subject
}{
	{
		webhook.GitHub,
		[]string{"X-GitHub-Event", "issues", "X-GitHub-Delivery", "d1"},
		`{"action":"opened","issue":{"number":12,"title":"Login fails","body":"500","html_url":"https://github.com/a/b/issues/12","state":"open"},"repository":{"full_name":"a/b"},"sender":{"login":"ann"}}`,
		"github.issues.opened",
		webhook.Subject{What: "issue", Action: "opened", Title: "Login fails", Text: "500", URL: "https://github.com/a/b/issues/12", Key: "#12", State: "open", Repository: "a/b", Actor: "ann"},
	},
	{
		webhook.GitHub,
		[]string{"X-GitHub-Event", "pull_request"},
		`{"action":"closed","pull_request":{"number":5,"title":"Fix","merged":true,"state":"closed","html_url":"u"},"repository":{"full_name":"a/b"},"sender":{"login":"bo"}}`,
		"github.pull_request.closed",
		webhook.Subject{What: "pull request", Action: "closed", Title: "Fix", URL: "u", Key: "#5", State: "merged", Repository: "a/b", Actor: "bo"},
	},
	{
		webhook.GitHub,
		[]string{"X-GitHub-Event", "workflow_run"},
		`{"action":"completed","workflow_run":{"name":"CI","run_number":7,"conclusion":"failure","html_url":"u"}}`,
		"github.workflow_run.completed",
		webhook.Subject{What: "build", Action: "completed", Title: "CI", URL: "u", Key: "#7", State: "failure"},
	},
	{
		webhook.GitLab, nil, `{"object_kind":"merge_request","user":{"username":"ann"},"project":{"path_with_namespace":"g/p"},"object_attributes":{"iid":3,"title":"Add","state":"opened","action":"open","url":"u","description":"d"}}`,
		"gitlab.merge_request.open",
		webhook.Subject{What: "pull request", Action: "open", Title: "Add", Text: "d", URL: "u", Key: "#3", State: "opened", Repository: "g/p", Actor: "ann"},
	},
	{
		webhook.Jira, nil, `{"webhookEvent":"jira:issue_updated","user":{"displayName":"Ann"},"issue":{"key":"ENG-4","self":"u","fields":{"summary":"Slow","status":{"name":"Done"},"priority":{"name":"High"},"project":{"key":"ENG"}}}}`,
		"jira.issue_updated",
		webhook.Subject{What: "issue", Title: "Slow", URL: "u", Key: "ENG-4", State: "Done", Severity: "High", Repository: "ENG", Actor: "Ann"},
	},
	{
		webhook.Linear, nil, `{"action":"create","type":"Issue","url":"u","webhookTimestamp":1800000000000,"data":{"identifier":"LIN-9","title":"Bug","state":{"name":"Todo"},"team":{"key":"LIN"},"priorityLabel":"Urgent"},"actor":{"name":"Bo"}}`,
		"linear.issue.create",
		webhook.Subject{What: "issue", Action: "create", Title: "Bug", URL: "u", Key: "LIN-9", State: "Todo", Severity: "Urgent", Repository: "LIN", Actor: "Bo"},
	},
	{
		webhook.Sentry,
		[]string{"Sentry-Hook-Resource", "issue"},
		`{"action":"created","data":{"issue":{"title":"TypeError","culprit":"app.go","web_url":"u","shortId":"WEB-1","status":"unresolved","level":"error","project":{"slug":"web"}}},"actor":{"name":"Sentry"}}`,
		"sentry.issue.created",
		webhook.Subject{What: "error", Action: "created", Title: "TypeError", Text: "app.go", URL: "u", Key: "WEB-1", State: "unresolved", Severity: "error", Repository: "web", Actor: "Sentry"},
	},
	{
		webhook.PagerDuty, nil, `{"event":{"id":"e1","event_type":"incident.triggered","data":{"title":"DB down","number":42,"status":"triggered","urgency":"high","html_url":"u","service":{"summary":"DB"}},"agent":{"summary":"Bot"}}}`,
		"pagerduty.incident.triggered",
		webhook.Subject{What: "incident", Action: "triggered", Title: "DB down", URL: "u", Key: "#42", State: "triggered", Severity: "high", Repository: "DB", Actor: "Bot"},
	},
	{webhook.Generic, nil, `{"type":"deploy.done","data":{"title":"v2","state":"ok","url":"u"}}`, "generic.deploy.done", webhook.Subject{Title: "v2", State: "ok", URL: "u"}},
}

// TestIncomingRead_MapsWhatEachSystemSends holds the mapping of each kind, and that a body that was changed on its way,
// a wrong secret and none are refused.
func TestIncomingRead_MapsWhatEachSystemSends(t *testing.T) {
	t.Parallel()
	for _, b := range bodies {
		in := webhook.Incoming{Name: "x", Kind: b.kind}
		h := sent(t, b.kind, b.body, b.headers...)
		got, err := in.Read(h, []byte(b.body), secret, now)
		if err != nil || got.Event != b.event || !got.Known || got.Subject != b.want {
			t.Errorf("%s is read as %q %+v (known: %t, %v), want %q %+v", b.kind, got.Event, got.Subject, got.Known, err, b.event, b.want)
		}
		for name, try := range map[string]func() error{
			"another secret": func() error { _, err := in.Read(h, []byte(b.body), secret+"x", now); return err },
			"no secret":      func() error { _, err := in.Read(h, []byte(b.body), "", now); return err },
			"no signature":   func() error { return in.Promises(http.Header{}) },
			"a changed body": func() error {
				if b.kind == webhook.GitLab { // it sends the secret itself
					return fault.New(fault.Unauthenticated, "")
				}
				_, err := in.Read(h, []byte(b.body+" "), secret, now)
				return err
			},
		} {
			if err := try(); err == nil || fault.KindOf(err) != fault.Unauthenticated && fault.KindOf(err) != fault.Invalid {
				t.Errorf("%s with %s: %v, want that it is refused", b.kind, name, err)
			}
		}
	}
}

// TestIncomingRead_RefusesRecordings holds that what says when it was signed is not taken later.
func TestIncomingRead_RefusesRecordings(t *testing.T) {
	t.Parallel()
	for _, b := range bodies {
		if b.kind != webhook.Linear && b.kind != webhook.Sentry && b.kind != webhook.Generic {
			continue
		}
		h := sent(t, b.kind, b.body, b.headers...)
		for _, off := range []time.Duration{-6 * time.Minute, 6 * time.Minute} {
			if _, err := (webhook.Incoming{Kind: b.kind}).Read(h, []byte(b.body), secret, now.Add(off)); fault.KindOf(err) != fault.Unauthenticated {
				t.Errorf("%s %s later: %v", b.kind, off, err)
			}
		}
	}
}

// TestIncomingRead_KeepsWhatIsNotKnown holds that what nobody here knows is kept under its own name, and that what comes
// again has the same key.
func TestIncomingRead_KeepsWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	for _, kind := range webhook.Kinds() {
		in := webhook.Incoming{Name: "x", Kind: webhook.Kind(kind)}
		body := `{"brand":"new","webhookTimestamp":1800000000000}`
		h := sent(t, in.Kind, body, "X-GitHub-Event", "brand new/thing")
		a, err := in.Read(h, []byte(body), secret, now)
		if err != nil || a.Known || a.Event == "" {
			t.Errorf("%s: %+v %v", kind, a, err)
		}
		if b, err := in.Read(h, []byte(body), secret, now); err != nil || a.Key() != b.Key() || len(a.Key()) < 10 {
			t.Errorf("%s comes again under %q, first under %q (%v)", kind, b.Key(), a.Key(), err)
		}
	}
}

func FuzzIncomingRead(f *testing.F) {
	for _, b := range bodies {
		f.Add(string(b.kind), b.body)
	}
	f.Add("github", `[1]`)
	f.Add("sentry", `{"data":[{}]}`)
	f.Fuzz(func(t *testing.T, kind, body string) {
		in := webhook.Incoming{Name: "x", Kind: webhook.Kind(kind)}
		got, err := in.Read(sent(t, in.Kind, body, "X-GitHub-Event", body, "Sentry-Hook-Resource", "issue"), []byte(body), secret, now)
		if err != nil {
			return
		}
		if e := (webhook.Endpoint{Name: "x", URL: "https://a", Events: []string{got.Event}}); e.Check() != nil {
			t.Errorf("%q is read as the event %q, which no pattern can name", body, got.Event)
		}
		if len(got.Told()) > 40_000 {
			t.Errorf("%d bytes are told", len(got.Told()))
		}
		_ = fmt.Sprint(got)
	})
}

// TestEndpointWants_NothingOfOnePerson holds that no pattern reaches what is a person's own, nor events about webhooks.
func TestEndpointWants_NothingOfOnePerson(t *testing.T) {
	t.Parallel()
	e := webhook.Endpoint{Events: []string{"*", "memory.noted"}}
	for kind, stream := range map[string]string{"memory.noted": event.PersonStream("per_1"), "webhook.failed": event.OrgStream} {
		if e.Wants(event.Event{Stream: stream, Message: event.Message{Type: kind}}) {
			t.Errorf("it is told of %s", kind)
		}
	}
	if !e.Wants(event.Event{Stream: event.OrgStream, Message: event.Message{Type: "run.finished"}}) {
		t.Error("it is told of no run")
	}
}
