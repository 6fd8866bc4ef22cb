// Package webhook tells systems outside what is recorded, and hears from them what happened there. An
// [Endpoint] gets the events of its patterns in order, signed as the Standard Webhooks specification 1.0.0
// says (https://www.standardwebhooks.com); a [Sender] delivers them. An [Incoming] takes what GitHub,
// GitLab, Jira, Linear, Sentry, PagerDuty and others send; [Incoming.Read] checks who signed it and maps
// it to a [Received], which is recorded. docs/webhooks.md.
package webhook

import (
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"chela/internal/event"
	"chela/internal/fault"
)

// An Endpoint is an address outside that is told of events.
type Endpoint struct {
	ID      string      `json:"id"`
	Name    string      `json:"name" doc:"what listens there"`
	URL     string      `json:"url"`
	Events  []string    `json:"events" doc:"patterns of types of events, such as run.finished, desk.ticket.* or *"`
	Project string      `json:"project,omitempty" doc:"the id of the only project whose records it is told of; empty is all"`
	Off     bool        `json:"off,omitempty" doc:"it is told nothing; what happens meanwhile is told when it is switched on"`
	Why     string      `json:"why,omitempty" doc:"why it was switched off by itself"`
	Inside  bool        `json:"inside,omitempty" doc:"an owner granted that the address is one inside"`
	Rotated *time.Time  `json:"rotatedAt,omitempty" doc:"when its secret was changed; the one before signs, too, for a day"`
	By      event.Party `json:"by"`
}

// An Incoming is an address of ours to which a system outside sends what happened there.
type Incoming struct {
	Name    string      `json:"name" doc:"the last part of its address: /webhooks/NAME"`
	Kind    Kind        `json:"kind" enum:"github,gitlab,jira,linear,sentry,pagerduty,generic"`
	Project string      `json:"project,omitempty" doc:"the id of the project that it is about"`
	Events  []string    `json:"events,omitempty" doc:"patterns, such as github.issues.opened or sentry.*, for which the agent is asked; all when left out"`
	Agent   string      `json:"agent,omitempty" doc:"who is asked when something comes; nobody when left out"`
	Say     string      `json:"say,omitempty" doc:"what the agent is told to do with it"`
	Off     bool        `json:"off,omitempty" doc:"it takes nothing"`
	By      event.Party `json:"by" doc:"as whom the agent is asked"`
}

// A Kind is a system that sends webhooks.
type Kind string

// The kinds.
const (
	GitHub    Kind = "github"
	GitLab    Kind = "gitlab"
	Jira      Kind = "jira"
	Linear    Kind = "linear"
	Sentry    Kind = "sentry"
	PagerDuty Kind = "pagerduty"
	Generic   Kind = "generic" // signed as Standard Webhooks says
)

// Kinds lists all kinds.
func Kinds() []string {
	return []string{string(GitHub), string(GitLab), string(Jira), string(Linear), string(Sentry), string(PagerDuty), string(Generic)}
}

// The facts of this package.
var (
	EndpointSetKind     = event.Kind[Endpoint]{Name: "webhook.endpoint.set", PayloadType: "webhook.endpoint.v1"}
	EndpointRemovedKind = event.Kind[Removed]{Name: "webhook.endpoint.removed", PayloadType: "webhook.removed.v1"}
	// FailedKind records that an event was not delivered in a day and is not tried any more.
	FailedKind = event.Kind[Failed]{Name: "webhook.failed", PayloadType: "webhook.failed.v1"}
	// SentAgainKind records what came of a failed delivery that a person had sent again.
	SentAgainKind       = event.Kind[SentAgain]{Name: "webhook.sent_again", PayloadType: "webhook.sent_again.v1"}
	IncomingSetKind     = event.Kind[Incoming]{Name: "webhook.incoming.set", PayloadType: "webhook.incoming.v1"}
	IncomingRemovedKind = event.Kind[Removed]{Name: "webhook.incoming.removed", PayloadType: "webhook.removed.v1"}
	ReceivedKind        = event.Kind[Received]{Name: "webhook.received", PayloadType: "webhook.received.v1"}
)

// Removed names an endpoint by its id, or an incoming webhook by its name.
type Removed struct {
	ID string `json:"id"`
}

// A Failed is an event that an endpoint did not take.
type Failed struct {
	ID       string    `json:"id"`
	Endpoint string    `json:"endpoint"`
	Seq      event.Seq `json:"seq" doc:"of the event"`
	Type     string    `json:"type" doc:"of the event"`
	Why      string    `json:"why"`
	Attempts int       `json:"attempts"`
}

// A Failure is a [Failed] as it stands.
type Failure struct {
	Failed
	At     time.Time  `json:"at"`
	SentAt *time.Time `json:"sentAt,omitempty" doc:"when it was sent again"`
}

// SentAgain says what came of a failed delivery.
type SentAgain struct {
	ID  string `json:"id"` // of the failure
	Why string `json:"why,omitempty"`
}

// namespace is that of this package's own events. Endpoints are not told of them: a failure would make
// another.
const namespace = "webhook."

// Bounds of what people set.
const (
	maxName     = 100
	maxPatterns = 50
	maxURL      = 2000
	maxSay      = 4000
)

// Check reports the first thing wrong with an endpoint.
func (e Endpoint) Check() error {
	if n := utf8.RuneCountInString(e.Name); n == 0 || n > maxName || strings.ContainsFunc(e.Name, unicode.IsControl) {
		return fault.BadField("name", "Say what listens there, in one line of at most 100 characters.")
	}
	u, err := url.Parse(e.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || len(e.URL) > maxURL {
		return fault.BadField("url", "The url is an address such as https://ci.example.com/chela, without a name and password.")
	}
	if len(e.Events) == 0 {
		return fault.BadField("events", "Name at least one pattern, such as run.finished, desk.ticket.* or *.")
	}
	return checkPatterns(e.Events)
}

// Check reports the first thing wrong with an incoming webhook.
func (in Incoming) Check() error {
	if in.Name == "" || len(in.Name) > 60 || strings.Trim(in.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return fault.BadField("name", "The name has up to 60 small letters, digits and hyphens; it is part of the address.")
	}
	if !slices.Contains(Kinds(), string(in.Kind)) {
		return fault.BadField("kind", "The kind is not known.", Kinds()...)
	}
	if utf8.RuneCountInString(in.Say) > maxSay {
		return fault.BadField("say", "What the agent is told has at most 4,000 characters.")
	}
	if in.Say != "" && in.Agent == "" {
		return fault.BadField("agent", "Name the agent that is told this.")
	}
	return checkPatterns(in.Events)
}

func checkPatterns(patterns []string) error {
	if len(patterns) > maxPatterns {
		return fault.BadField("events", "There are at most 50 patterns.")
	}
	for _, p := range patterns {
		stem := strings.TrimSuffix(p, "*")
		if p == "" || strings.Trim(stem, "abcdefghijklmnopqrstuvwxyz0123456789._-") != "" {
			return fault.BadField("events", "The pattern "+p+" is a type of events such as run.finished, or the beginning of one and a *.")
		}
	}
	return nil
}

// matches reports whether one of the patterns fits a type of events.
func matches(patterns []string, kind string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		stem, open := strings.CutSuffix(p, "*")
		return p == kind || open && strings.HasPrefix(kind, stem)
	})
}

// Wants reports whether the endpoint is told of an event. What lies in a person's own stream is theirs.
func (e Endpoint) Wants(of event.Event) bool {
	if strings.HasPrefix(of.Message.Type, namespace) || event.PersonOfStream(of.Stream) != "" || e.Project != "" && of.Stream != event.ProjectStream(e.Project) {
		return false
	}
	return matches(e.Events, of.Message.Type)
}

// tests are what systems send to try a webhook, such as when it is set up there. Nothing has happened then.
var tests = []string{"github.ping", "pagerduty.pagey.ping"}

// Asks reports whether the agent is asked about what came; about a test only where it is named.
func (in Incoming) Asks(r Received) bool {
	if in.Agent == "" || slices.Contains(tests, r.Event) && !slices.Contains(in.Events, r.Event) {
		return false
	}
	return len(in.Events) == 0 || matches(in.Events, r.Event)
}
