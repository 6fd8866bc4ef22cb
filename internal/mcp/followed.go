package mcp

import (
	"encoding/json"
	"fmt"
	"time"

	"chela/internal/event"
	"chela/internal/pattern"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/tool"
)

// The facts about tasks that agents of others were given and that go on.
var (
	// FollowedKind records that a call left a task going on. It lies in the conversation that hears what comes of it.
	FollowedKind = event.Kind[Followed]{Name: "mcp.task.followed", PayloadType: "mcp.followed.v1"}
	// SettledKind records that a conversation knows what came of a task, or why it will not hear that.
	SettledKind = event.Kind[Settled]{Name: "mcp.task.settled", PayloadType: "mcp.settled.v1"}
)

// Followed is a task that an agent of others was given and that goes on.
type Followed struct {
	Server  string        `json:"server"`
	URL     string        `json:"url"`              // where the server was
	Task    string        `json:"task"`             // its id of it
	Tool    string        `json:"tool"`             // of ours, by which it was left going on
	Giver   string        `json:"giver"`            // the agent of ours that called it
	Agent   string        `json:"agent,omitempty"`  // the one that hears of it; the conversation's when empty
	By      event.Party   `json:"by"`               // for whom
	Policy  *event.Policy `json:"policy,omitempty"` // of the message that asked
	Project string        `json:"project,omitempty"`
	Lane    run.Lane      `json:"lane,omitempty"`
	Row     int           `json:"row,omitempty"` // how many tasks one after the other led to it since somebody said something
	Trace   *event.Trace  `json:"trace,omitempty"`
}

// Settled says what a conversation knows of a task.
type Settled struct {
	Server string `json:"server"`
	Task   string `json:"task"`
	State  string `json:"state,omitempty"` // as the agent of others says; empty when it is not known
	Why    string `json:"why,omitempty"`   // why the task is not followed any more, a sentence
}

// A Given is a task that is followed.
type Given struct {
	Followed
	ID     string // of the event that says so
	Thread string
	Run    run.ID // in which it was given
	At     time.Time
	Next   time.Time // before which nobody looks at it
	Busy   bool      // an agent works in the conversation
}

// A Standing is how a task stands.
type Standing struct {
	State  string      // in which it ended or asks for something; empty while it goes on
	Over   string      // why it cannot be looked at any more, a sentence
	Result tool.Result // what came of it
}

// plainID is an id that can stand in a sentence of ours.
var plainID = pattern.New(`^[A-Za-z0-9._:/+=@-]{1,200}$`)

// Follows drafts that a call leaves a task going on at a server; agent hears what comes of it, the conversation's own when empty. ok is false when nobody can be told of it: the call belongs to no conversation, or the
// id is none that can be shown.
func Follows(server Server, task, agent string, c tool.Call) (d event.Draft, ok bool, err error) {
	if !session.IsTurn(c.Run.Kind) || !plainID.MatchString(task) {
		return d, false, nil
	}
	var in session.TurnInput
	if len(c.Run.Input) > 0 {
		if err := json.Unmarshal(c.Run.Input, &in); err != nil {
			return d, false, fmt.Errorf("read the run's input: %w", err)
		}
	}
	at := c.Place
	at.Key = c.Key + "/followed"
	return FollowedKind.Draft(at, Followed{
		Server: server.Name, URL: server.URL, Task: task, Tool: c.Name, Giver: string(c.Agent), Agent: agent, By: c.Run.By, Policy: in.Policy, Project: c.Run.Project, Lane: c.Run.Lane, Row: in.Row, Trace: at.Trace,
	}), true, nil
}

// Settles drafts that the conversation of a call knows by its result what came of a task.
func Settles(server Server, task, state string, c tool.Call) (d event.Draft, ok bool) {
	if !session.IsTurn(c.Run.Kind) || !plainID.MatchString(task) {
		return d, false
	}
	at := c.Place
	at.Key = c.Key + "/settled"
	return SettledKind.Draft(at, Settled{Server: server.Name, Task: task, State: state}), true
}

// LookAt returns the tool by which a server is asked about a task that it was given, or why it cannot be asked, a sentence.
func (k Known) LookAt(g Given) (look Definition, why string) {
	switch {
	case k.Disabled:
		return look, fmt.Sprintf("The server %s is disabled.", g.Server)
	case !k.Agent() || k.URL != g.URL:
		return look, fmt.Sprintf("The server %s has another address since.", g.Server)
	}
	named := make(map[string]Definition)
	for _, d := range k.Offered() {
		named[g.Server+"__"+d.Name] = d
	}
	look, can := named[g.Server+"__"+LookTool]
	if _, gave := named[g.Tool]; !can || !gave {
		why = fmt.Sprintf("What the agent %s says of itself is not accepted any more. An owner looks at it with `chela mcp inspect %s`.", g.Server, g.Server)
	}
	return look, why
}

// LookTool is the tool of an agent of others that tells how a task stands.
const LookTool = "task"
