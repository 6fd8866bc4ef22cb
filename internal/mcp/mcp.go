// Package mcp is what the organization knows of servers of the Model Context Protocol whose tools agents use: how
// each is reached, which tools it was seen to offer, and which of them an owner has accepted. A tool is pinned by
// the digest of its definition: one that has changed is not offered until it is accepted again. A [Follower] tells
// conversations what came of tasks that agents of others were given. tool/mcp connects to the servers; gateway/mcp is the other way round, a server for clients of others.
package mcp

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/tool"
	"chela/internal/worker"
)

// A Server is how one is reached: a program of this machine, or an address. Only an owner sets one.
type Server struct {
	Name string `json:"name" doc:"1 to 16 of a to z and 0 to 9, a letter first; its tools are called NAME__TOOL"`
	// A program, which runs in the sandbox.
	Command []string `json:"command,omitempty" doc:"a program with its arguments, which speaks over its pipes and runs in the sandbox"`
	Folders []string `json:"folders,omitempty" doc:"absolute folders that the program may read"`
	Network bool     `json:"network,omitempty" doc:"the program may call out"`
	// An address.
	URL    string `json:"url,omitempty" doc:"of a server over HTTP"`
	SSE    bool   `json:"sse,omitempty" doc:"it speaks the older transport"`
	A2A    bool   `json:"a2a,omitempty" doc:"the address is that of an agent of others who speaks A2A, or of its card: it has the tools ask, task and cancel"`
	Inside bool   `json:"inside,omitempty" doc:"its address may lie inside"`
	// Neither: an agent that fetches its tasks.
	Worker *worker.About `json:"worker,omitempty" doc:"an agent elsewhere without an address, which fetches its tasks by the Clutch Protocol: it has the tools ask, task and cancel"`

	Env   map[string]string `json:"env,omitempty" doc:"variables of the program, in clear"`
	OAuth *OAuth            `json:"oauth,omitempty" doc:"as which client a login is asked for, where the server asks for one"`

	Secrets map[string]string `json:"secrets,omitempty" doc:"names of secrets of the vault, by the variable of the program, or the header, that gets the value"`

	Risk     tool.Risk            `json:"risk,omitempty" enum:"READ_ONLY,WRITE_RECORDS,NETWORK_CALLS,SEND,WRITE_FILES,EXEC_SHELL" doc:"what a call does at worst; NETWORK_CALLS when left out"`
	Risks    map[string]tool.Risk `json:"risks,omitempty" doc:"of single tools, by the server's names for them"`
	Seconds  int                  `json:"seconds,omitempty" doc:"how long a call may take; 60 when left out"`
	Disabled bool                 `json:"disabled,omitempty"`

	Elicitation bool `json:"elicitation,omitempty" doc:"it may put forms to the person for whom an agent calls it; never those that ask for secrets"`

	Share *Share `json:"share,omitempty" doc:"what of it our callers use at /mcp/servers/NAME; nothing when left out"`
}

// What a server may have.
const (
	MaxTools      = 500
	MaxDefinition = 16 << 10 // of one tool, in bytes
	maxAll        = 512 << 10
	maxEntries    = 100
	maxSeconds    = 600
	usualSeconds  = 60
)

// TimeToAsk is what a call may take at least where people can be asked during it.
const TimeToAsk = 2 * time.Minute

// Timeout is how long a call may take.
func (s Server) Timeout() time.Duration {
	if s.Seconds == 0 {
		return usualSeconds * time.Second
	}
	return time.Duration(s.Seconds) * time.Second
}

// RiskOf is the declared risk of a tool.
func (s Server) RiskOf(name string) tool.Risk {
	if r := s.Risks[name]; r != "" {
		return r
	}
	if s.Risk != "" {
		return s.Risk
	}
	return tool.NetworkCalls
}

// Host is where a server over HTTP is; "" for a program.
func (s Server) Host() string {
	u, err := url.Parse(s.URL)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// Check reports the first thing wrong with a server, as a fault that names the field.
func (s Server) Check() error {
	switch {
	case !tool.IsPrefix(s.Name):
		return fault.BadField("name", "A server is called by 1 to 16 of a to z and 0 to 9, a letter first.")
	case s.Worker != nil:
		return s.checkWorker()
	case len(s.Command) == 0 && s.URL == "":
		return fault.BadField("command", "A server is a program (command), an address (url), or a worker.")
	case len(s.Command) > 0 && s.URL != "":
		return fault.BadField("url", "A server is a program or an address, not both.")
	case s.URL != "" && (len(s.Folders) > 0 || s.Network || len(s.Env) > 0):
		return fault.BadField("folders", "Folders, network and env are a program's.")
	case len(s.Command) > 0 && (s.SSE || s.Inside || s.A2A):
		return fault.BadField("sse", "sse, a2a and inside are an address's.")
	case s.A2A && (s.SSE || s.OAuth != nil || s.Elicitation || s.Share != nil):
		return fault.BadField("a2a", "An agent that speaks A2A has no older transport, no login, no forms, and is not shared.")
	case s.Seconds < 0 || s.Seconds > maxSeconds:
		return fault.BadField("seconds", "A call takes up to 600 seconds; leave it out for 60.")
	case len(s.Env)+len(s.Secrets)+len(s.Folders)+len(s.Command) > maxEntries || len(s.Risks) > MaxTools:
		return fault.BadField("env", "These are too many.")
	}
	return s.checkParts()
}

// Agent reports whether the server stands for an agent elsewhere.
func (s Server) Agent() bool { return s.A2A || s.Worker != nil }

// checkWorker reports the first thing wrong with a server that stands for a worker.
func (s Server) checkWorker() error {
	if len(s.Command)+len(s.Folders)+len(s.Env)+len(s.Secrets) > 0 || s.URL != "" || s.Network || s.SSE || s.A2A || s.Inside || s.OAuth != nil || s.Elicitation || s.Share != nil {
		return fault.BadField("worker", "A worker fetches its tasks: it has no program, no address, no secrets and no login, puts no forms, and is not shared.")
	}
	if err := s.Worker.Check(); err != nil {
		return err
	}
	if s.Seconds < 0 || s.Seconds > maxSeconds || len(s.Risks) > MaxTools {
		return fault.BadField("seconds", "A call takes up to 600 seconds; leave it out for 60.")
	}
	return s.checkParts()
}

// checkParts reports the first thing wrong with what servers of all sorts have.
func (s Server) checkParts() error {
	if len(s.Command) > 0 && s.Command[0] == "" {
		return fault.BadField("command", "The program is not named.")
	}
	if err := s.checkURL(); err != nil {
		return err
	}
	if err := s.checkOAuth(); err != nil {
		return err
	}
	if err := s.Share.check(); err != nil {
		return err
	}
	for _, k := range append(slices.Collect(maps.Values(s.Risks)), s.Risk) {
		if k != "" && !slices.Contains(tool.Risks(), k) {
			return fault.BadField("risk", "The risk is not known.", risks()...)
		}
	}
	for i, f := range s.Folders {
		if !strings.HasPrefix(f, "/") {
			return fault.BadField(fmt.Sprintf("folders.%d", i), "A folder is named from the root.")
		}
	}
	for _, n := range slices.Concat(slices.Collect(maps.Keys(s.Env)), slices.Collect(maps.Keys(s.Secrets)), slices.Collect(maps.Values(s.Secrets))) {
		if n == "" || strings.ContainsAny(n, "=\x00\r\n: ") {
			return fault.BadField("env", fmt.Sprintf("%q is no name of a variable, a header or a secret.", n))
		}
	}
	return nil
}

func (s Server) checkURL() error {
	if s.URL == "" {
		return nil
	}
	u, err := url.Parse(s.URL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "":
		return fault.BadField("url", "It is an address that begins with https:// or http://, without a name and a password.")
	case u.Scheme == "http" && len(s.Secrets) > 0 && !s.Inside:
		return fault.BadField("url", "Secrets are sent over https, or to an address inside.")
	}
	return nil
}

func risks() []string {
	var out []string
	for _, r := range tool.Risks() {
		out = append(out, string(r))
	}
	return out
}

// The facts of this package.
var (
	SetKind      = event.Kind[Server]{Name: "mcp.server.set", PayloadType: "mcp.server.v1"}
	RemovedKind  = event.Kind[Removed]{Name: "mcp.server.removed", PayloadType: "mcp.removed.v1"}
	SeenKind     = event.Kind[Seen]{Name: "mcp.tools.seen", PayloadType: "mcp.seen.v1"}
	AcceptedKind = event.Kind[Accepted]{Name: "mcp.tools.accepted", PayloadType: "mcp.accepted.v1"}
)

// Removed records that a server is not used any more.
type Removed struct {
	Name string `json:"name"`
}

// Seen records which tools a server was seen to offer, when they were others before.
type Seen struct {
	Name   string       `json:"name"`
	Digest string       `json:"digest"` // of all of them
	Tools  []Definition `json:"tools"`
	// LeftOut says of tools that cannot be offered why not.
	LeftOut map[string]string `json:"left_out,omitempty"`
}

// Accepted records that an owner accepts the tools that were seen.
type Accepted struct {
	Name   string `json:"name"`
	Digest string `json:"digest"` // of what was seen
}

// A Known is a server with what is known of its tools.
type Known struct {
	Server
	Seen     Seen         `json:"seen" doc:"what it offered last"`
	Accepted []Definition `json:"accepted,omitempty" doc:"what an owner accepted"`
}

// A State is a server with how it is doing.
type State struct {
	Known
	Changes   []Change   `json:"changes" doc:"what is not accepted yet; it is not offered"`
	Connected bool       `json:"connected" doc:"on the daemon that answers"`
	Failures  int        `json:"failures,omitempty" doc:"in a row"`
	Problem   string     `json:"problem,omitempty" doc:"why it failed last"`
	Login     bool       `json:"login,omitempty" doc:"it asks for a login, which an owner gives it"`
	Retry     *time.Time `json:"retryAt,omitempty" doc:"when it is tried again"`
}

// Offered are the tools that agents may be given: accepted as they were last seen.
func (k Known) Offered() []Definition {
	if k.Disabled {
		return nil
	}
	var out []Definition
	for _, d := range k.Seen.Tools {
		if k.AcceptedAs(d) {
			out = append(out, d)
		}
	}
	return out
}

// AcceptedAs reports whether a definition was accepted as it is.
func (k Known) AcceptedAs(d Definition) bool {
	return slices.ContainsFunc(k.Accepted, func(a Definition) bool { return a.Name == d.Name && a.Digest == d.Digest })
}

// all is the digest of definitions, whatever their order.
func all(defs []Definition) string {
	var lines []string
	for _, d := range defs {
		lines = append(lines, d.Name+" "+d.Digest)
	}
	slices.Sort(lines)
	return sum([]byte(strings.Join(lines, "\n")))
}
