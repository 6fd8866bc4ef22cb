// Package tracker reads the trackers of teams live. A [Tracker] says where one is, which of its projects becomes which
// of ours, and how often it is read. A [Source] gives the issues that changed, in pages and in the form in which the
// tracker itself exports them; a [Syncer] hands them to the intake, which imports them as it does a newer export. Each
// sync is a run; a [Watcher] begins one when a tracker has something new. docs/trackers.md.
package tracker

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/pattern"
	"chela/internal/run"
)

// RunKind is the kind of run that plays a sync.
const RunKind = "tracker"

// A Kind is a system that keeps issues.
type Kind string

// The kinds.
const (
	GitHub Kind = "github"
	Jira   Kind = "jira"
	GitLab Kind = "gitlab"
	Linear Kind = "linear"
)

// Kinds lists all kinds.
func Kinds() []string {
	return []string{string(GitHub), string(Jira), string(GitLab), string(Linear)}
}

// How often a tracker is read.
const (
	Seldom  = 24 * 60 // minutes
	Usual   = 15
	Often   = 1
	maxName = 40
)

// A Tracker is a project of a system outside that is read live.
type Tracker struct {
	Name    string      `json:"name" doc:"what it is called here: small letters, digits and hyphens"`
	Kind    Kind        `json:"kind" enum:"github,jira,gitlab,linear"`
	Address string      `json:"address" doc:"of its API, such as https://api.github.com or https://acme.atlassian.net"`
	Scope   string      `json:"scope" doc:"what of it is read: owner/repository of GitHub, the key of a project of Jira, group/project of GitLab, the key of a team of Linear"`
	Project string      `json:"projectId" doc:"the project of ours whose tickets it brings"`
	Secret  string      `json:"secret,omitempty" doc:"the name of the token in the vault; left out where the tracker shows its issues to everybody"`
	Every   int         `json:"everyMinutes" doc:"how often it is looked at"`
	Off     bool        `json:"off,omitempty" doc:"it is read only when somebody asks"`
	Inside  bool        `json:"inside,omitempty" doc:"an owner granted that the address is one inside"`
	Thread  string      `json:"threadId" doc:"in which its syncs lie, one after the other"`
	Afresh  bool        `json:"afresh,omitempty" doc:"all of it is read by the next sync"`
	By      event.Party `json:"by"`
}

// Removed names a tracker.
type Removed struct {
	Name string `json:"name"`
}

// A Cursor says what of a tracker was read: all that changed before From, and of what changed since, the versions of
// issues that Seen names.
type Cursor struct {
	From time.Time `json:"from,omitzero"`
	Seen []string  `json:"seen,omitempty"`
}

// Synced records what a sync brought, and up to where the tracker was read with it.
type Synced struct {
	Name   string         `json:"name"`
	Cursor Cursor         `json:"cursor"`
	Issues int            `json:"issues" doc:"that had changed"`
	More   bool           `json:"more,omitempty" doc:"the tracker has more, which the next sync reads"`
	Intake string         `json:"intakeId,omitempty" doc:"that took them in; none when nothing had changed"`
	Run    string         `json:"importRunId,omitempty" doc:"the run of the intake, which can be undone"`
	New    map[string]int `json:"created,omitempty" doc:"records by kind"`
	Moved  map[string]int `json:"changed,omitempty"`
	Left   []string       `json:"problems,omitempty" doc:"what could not be read of it"`
}

// Failed records that a tracker could not be read.
type Failed struct {
	Name string `json:"name"`
	Why  string `json:"why"`
	Row  int    `json:"row" doc:"how many times in a row"`
}

// The facts of this package.
var (
	ConfiguredKind = event.Kind[Tracker]{Name: "tracker.configured", PayloadType: "tracker.configured.v1"}
	RemovedKind    = event.Kind[Removed]{Name: "tracker.removed", PayloadType: "tracker.removed.v1"}
	SyncedKind     = event.Kind[Synced]{Name: "tracker.synced", PayloadType: "tracker.synced.v1"}
	FailedKind     = event.Kind[Failed]{Name: "tracker.failed", PayloadType: "tracker.failed.v1"}
)

// A State is a tracker as it stands.
type State struct {
	Tracker
	Cursor   Cursor     `json:"-"`
	Last     *Synced    `json:"last,omitempty" doc:"what the last sync brought that found something new"`
	SyncedAt *time.Time `json:"syncedAt,omitempty"`
	Failures int        `json:"failures,omitempty" doc:"in a row"`
	Problem  string     `json:"problem,omitempty" doc:"why it could not be read the last time"`
	FailedAt *time.Time `json:"failedAt,omitempty"`
	NextAt   *time.Time `json:"nextAt,omitempty" doc:"when it is looked at next"`
	Check    string     `json:"-"` // the validator of the last answer
	Since    event.Seq  `json:"-"` // of the event that set it
}

// Host is the host of the address.
func (t Tracker) Host() string {
	u, err := url.Parse(t.Address)
	if err != nil {
		return ""
	}
	return u.Host
}

// interval is how long a tracker is left alone.
func (t Tracker) interval() time.Duration { return time.Duration(t.Every) * time.Minute }

// A form is how the scope of a kind is written, the usual address, and what to say of another.
type form struct {
	scope   *pattern.Pattern
	say     string
	address string
}

// forms holds what a scope may be: it becomes a part of an address, or of a question that is put to the tracker.
var forms = map[Kind]form{
	GitHub: {pattern.New(`^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})/[A-Za-z0-9._-]{1,100}$`), "a repository, such as acme/web", "https://api.github.com"},
	Jira:   {pattern.New(`^[A-Z][A-Z0-9_]{0,40}$`), "the key of a project, such as PAY", ""},
	GitLab: {pattern.New(`^[A-Za-z0-9_][A-Za-z0-9_./-]{1,250}$`), "a project with its group, such as acme/web", "https://gitlab.com"},
	Linear: {pattern.New(`^[A-Z][A-Z0-9]{0,20}$`), "the key of a team, such as ENG", "https://api.linear.app"},
}

// Check reports the first thing wrong with a tracker, and fills in what is usual.
func (t *Tracker) Check() error {
	t.Address, t.Scope = strings.TrimRight(strings.TrimSpace(t.Address), "/"), strings.TrimSpace(t.Scope)
	if t.Every == 0 {
		t.Every = Usual
	}
	if t.Name == "" || len(t.Name) > maxName || strings.Trim(t.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return fault.BadField("name", "The name has up to 40 small letters, digits and hyphens.")
	}
	f, ok := forms[t.Kind]
	if !ok {
		return fault.BadField("kind", "The kind is not known.", Kinds()...)
	}
	if t.Address == "" {
		t.Address = f.address
	}
	if t.Address == "" {
		return fault.BadField("address", "Say where it is, such as https://acme.atlassian.net.")
	}
	u, err := url.Parse(t.Address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || len(t.Address) > 1000 || u.Scheme != "http" && u.Scheme != "https" {
		return fault.BadField("address", "The address is one such as https://acme.atlassian.net, without a name, a password or a question mark.")
	}
	if u.Scheme == "http" && t.Secret != "" && !t.Inside {
		return fault.BadField("address", "A token is sent by https:// only, unless an owner opens an address inside.")
	}
	if parts := strings.Split(t.Scope, "/"); !f.scope.MatchString(t.Scope) || slices.Contains(parts, "..") || slices.Contains(parts, ".") || slices.Contains(parts, "") {
		return fault.BadField("scope", "Say what of it is read: "+f.say+".")
	}
	if t.Project == "" {
		return fault.BadField("projectId", "Name the project whose tickets it brings.")
	}
	if t.Every < Often || t.Every > Seldom {
		return fault.BadField("everyMinutes", "It is looked at every 1 to 1440 minutes.")
	}
	return nil
}

// elsewhere reports whether another place is read than before, so that what was read of the other says nothing.
func (t Tracker) elsewhere(was Tracker) bool {
	return t.Kind != was.Kind || t.Address != was.Address || t.Scope != was.Scope || t.Project != was.Project
}

// place is where facts about a tracker lie that no run brings forth.
func place(mint *event.Mint, by event.Party) event.Place {
	id := mint.ID("run")
	return event.Place{Stream: event.OrgStream, Thread: mint.ID("thr"), Run: id, Task: run.RootTask(run.ID(id)), From: by}
}
