package hook

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"chela/internal/fault"
	"chela/internal/yamlfile"
)

// A File is hooks.yaml.
type File struct {
	Version int     `yaml:"version" json:"version"` // 1
	Hooks   []Entry `yaml:"hooks" json:"hooks"`
}

// An Entry is one hook of the file: a command or a URL.
type Entry struct {
	Name     string   `yaml:"name" json:"name"`
	Points   []Point  `yaml:"points" json:"points"`
	Tools    []string `yaml:"tools" json:"tools,omitempty"`     // before_tool: only these
	Priority int      `yaml:"priority" json:"priority"`         // the smaller the earlier
	Command  []string `yaml:"command" json:"command,omitempty"` // a program with its arguments, in the folder hooks of the data folder
	URL      string   `yaml:"url" json:"url,omitempty"`         // gets a POST
	Secret   string   `yaml:"secret" json:"secret,omitempty"`   // of the vault; signs what is sent to the URL
	// Timeout is how long it may take; 5 s.
	Timeout time.Duration `yaml:"timeout" json:"timeout,omitempty"`
	// OnFailure says what a failure means at a blocking point: deny (the default) or allow.
	OnFailure string `yaml:"on_failure" json:"on_failure,omitempty"`
}

// maxTimeout bounds the time of a hook.
const maxTimeout = time.Minute

// ParseFile reads hooks.yaml.
func ParseFile(raw []byte) (File, error) {
	f := File{Version: 1}
	raw = yamlfile.Unmarked(raw)
	if len(bytes.TrimSpace(raw)) == 0 {
		return f, nil
	}
	f.Version = 0
	if err := yaml.UnmarshalWithOptions(raw, &f, yaml.Strict()); err != nil {
		return File{}, fault.Wrap(err, fault.Invalid, "The hooks do not fit:\n%s", yaml.FormatError(err, false, true))
	}
	if f.Version != 1 {
		return File{}, fault.BadField("version", fmt.Sprintf("The hooks say version %d; this Chela reads version 1.", f.Version))
	}
	for i, e := range f.Hooks {
		if err := e.check(fmt.Sprintf("hooks.%d", i)); err != nil {
			return File{}, err
		}
	}
	return f, nil
}

func (e Entry) check(field string) error {
	for i, p := range e.Points {
		if !p.Known() {
			var all []string
			for _, d := range Points() {
				all = append(all, string(d.Point))
			}
			return fault.BadField(fmt.Sprintf("%s.points.%d", field, i), string(p)+" is not known.", all...)
		}
	}
	switch {
	case strings.TrimSpace(e.Name) == "":
		return fault.BadField(field+".name", "A hook has a name; the log names it.")
	case len(e.Points) == 0:
		return fault.BadField(field+".points", "A hook names the points at which it is called; `chela hooks list` shows them.")
	case (len(e.Command) == 0) == (e.URL == ""):
		return fault.BadField(field+".command", "A hook has either a command or a url.")
	case len(e.Command) > 0 && e.Command[0] == "":
		return fault.BadField(field+".command.0", "It names a program.")
	case e.Secret != "" && e.URL == "":
		return fault.BadField(field+".secret", "A secret signs what is sent to a url.")
	case e.Timeout < 0 || e.Timeout > maxTimeout:
		return fault.BadField(field+".timeout", "A hook may take up to one minute.")
	case e.OnFailure != "" && e.OnFailure != "deny" && e.OnFailure != "allow":
		return fault.BadField(field+".on_failure", "It is not known.", "deny", "allow")
	}
	if e.URL == "" {
		return nil
	}
	if u, err := url.Parse(e.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return fault.BadField(field+".url", "It is an address that begins with http:// or https://, without a password in it.")
	}
	return nil
}

// Subscription is the entry with its target.
func (e Entry) Subscription(t Target) Subscription {
	return Subscription{
		Name: e.Name, Points: e.Points, Tools: e.Tools, Priority: e.Priority, Timeout: e.Timeout, FailsOpen: e.OnFailure == "allow",
		Key: strings.Join(append([]string{e.URL}, e.Command...), "\x00"), Target: t,
	}
}
