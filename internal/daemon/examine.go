package daemon

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"chela/internal/config"
	"chela/internal/fault"
	"chela/internal/guard"
	"chela/internal/guard/sandbox"
	"chela/internal/hook"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/redact"
	"chela/internal/store/postgres"
	"chela/internal/store/sqlite"
)

// An Examined is one thing that a daemon would read when it starts, and why it would refuse it.
type Examined struct {
	Name string
	Text string // what is good about it
	Err  error
}

// Examine reads what a daemon would read when it starts with cfg, and starts nothing: the database, the models, and the files beside
// chela.yaml. A database of an older schema stays as it is, and so unread.
func Examine(ctx context.Context, cfg config.Config) []Examined {
	d := &Daemon{cfg: cfg, log: slog.New(slog.DiscardHandler), secrets: new(redact.Live)}
	text, err := d.openCurrent(ctx)
	if d.db != nil {
		defer func() { _ = d.db.Close() }() // read only
	}
	out := []Examined{{"database", text, err}}
	if err := d.examineModels(ctx); err != nil {
		out = append(out, Examined{"models", "", err})
	} else if len(cfg.Failover) > 0 {
		out = append(out, Examined{"failover", "A model that cannot answer is followed by " + strings.Join(cfg.Failover, ", ") + ".", nil})
	}
	if text := sandbox.Unknown(sandbox.Backend(cfg.Sandbox.Backend)); text != "" {
		out = append(out, Examined{"sandbox", "", fault.New(fault.Invalid, "%s", text)})
	}
	if there, err := d.examineOrg(ctx); there {
		out = append(out, Examined{"organization", OrgFile + " reads.", err})
	}
	for name, parse := range map[string]func([]byte) error{
		"policy": func(raw []byte) error { _, err := guard.ParsePolicy(raw); return err },
		"hooks":  func(raw []byte) error { _, err := hook.ParseFile(raw); return err },
	} {
		file := filepath.Join(cfg.Data, name+".yaml")
		raw, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = parse(raw)
		}
		if err != nil {
			err = fault.Wrap(err, fault.Invalid, "%s: %s", file, fault.TextOf(err))
		}
		out = append(out, Examined{name, name + ".yaml reads.", err})
	}
	slices.SortStableFunc(out[1:], func(a, b Examined) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// openCurrent opens the database when its schema is the one of this program, and says how it is.
func (d *Daemon) openCurrent(ctx context.Context) (string, error) {
	file := filepath.Join(d.cfg.Data, "chela.db")
	var current bool
	var err error
	if d.cfg.Postgres != "" {
		current, err = postgres.Current(ctx, d.cfg.Postgres)
	} else if _, gone := os.Stat(file); errors.Is(gone, fs.ErrNotExist) {
		return "There is none; the first start makes it.", nil
	} else {
		current, err = sqlite.Current(file)
	}
	switch {
	case err != nil:
		return "", err
	case !current:
		return "The next start brings its schema up to date.", nil
	}
	d.db, err = OpenToRead(ctx, d.cfg)
	return "It reads, and has the schema of this program.", err
}

// examineModels says which providers or models a start would refuse. Those set while running come before those of the file.
func (d *Daemon) examineModels(ctx context.Context) error {
	d.models = d.noModels(&http.Client{}, nil)
	if d.db == nil {
		return d.models.Set(append(slices.Clone(d.cfg.Providers), model.FromEnvironment(os.Getenv)...))
	}
	d.vault = d.newVault()
	return d.loadModels(ctx)
}

// examineOrg says what a start would refuse of the organization's file, if it is there.
func (d *Daemon) examineOrg(ctx context.Context) (there bool, err error) {
	have := prompt.Defaults(func([]string) []org.Permission { return nil })
	if d.db != nil {
		kept, err := d.db.Roster.Agents(ctx)
		if err != nil {
			return true, err
		}
		for _, a := range have { // the next start adds those that came with this program
			if !slices.ContainsFunc(kept, func(k org.Agent) bool { return k.Card.AgentID == a.Card.AgentID }) {
				kept = append(kept, a)
			}
		}
		have = kept
	}
	_, there, err = d.readOrg(have)
	return there, err
}
