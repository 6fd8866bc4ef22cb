// Package scenario plays scenario files: each against a daemon of its own, through
// its API, with a scripted model and a clock that moves on from step to step, so that a
// file gives the same log whenever it is played. Files that were written for another
// system are read too; names.go maps what goes by
// another name there.
package scenario

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"chela/internal/config"
	"chela/internal/daemon"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/store/postgres"
)

// A Check is one thing that held or did not.
type Check struct {
	OK   bool   `json:"ok"`
	Text string `json:"text"`
}

// A Result is what came of a scenario.
type Result struct {
	Name   string        `json:"name"`
	Checks []Check       `json:"checks"`
	Log    string        `json:"log,omitempty"` // a digest of all events: two plays of a file have the same
	Took   time.Duration `json:"-"`
}

// OK reports whether everything held.
func (r Result) OK() bool {
	for _, c := range r.Checks {
		if !c.OK {
			return false
		}
	}
	return len(r.Checks) > 0
}

// A player plays one scenario.
type player struct {
	http     *http.Client
	base     string
	token    string
	folder   string // of the scenario's file
	data     string // of the daemon
	file     File
	project  string
	thread   string
	captured map[string]string
	mint     *event.Mint
	mocks    mocks
	out      *Result
}

// Options are how scenarios are played. The zero value is one at a time, on SQLite.
type Options struct {
	Parallel int
	Postgres string // a server on which each scenario has a database of its own while it plays

	pattern string // a database on it that is up to date and empty, for each to begin as a copy
}

// prepare makes the pattern of the databases on PostgreSQL, so that each schema is made once
// for all scenarios, and returns what drops it.
func (o *Options) prepare(ctx context.Context) (drop func() error, err error) {
	if o.Postgres == "" {
		return func() error { return nil }, nil
	}
	o.pattern, drop, err = postgres.Fresh(ctx, o.Postgres, "")
	if err != nil {
		return nil, err
	}
	if err := daemon.Migrate(ctx, o.pattern); err != nil {
		return nil, errors.Join(err, drop())
	}
	return drop, nil
}

// Play plays a scenario; what goes wrong is a check that did not hold.
func Play(ctx context.Context, name string, f File, o Options) Result {
	r, begin := Result{Name: filepath.Base(name)}, time.Now()
	r.fail(play(ctx, name, f, o, &r))
	r.Took = time.Since(begin)
	return r
}

// fail adds a check that did not hold, unless err is nil.
func (r *Result) fail(err error) {
	if err == nil {
		return
	}
	text := fault.TextOf(err)
	if whole := err.Error(); !strings.Contains(whole, text) || len(whole) > len(text) {
		text += " (" + whole + ")"
	}
	r.Checks = append(r.Checks, Check{false, text})
}

func play(ctx context.Context, name string, f File, o Options, r *Result) (err error) {
	start, err := f.start()
	if err != nil {
		return err
	}
	dir := folder()
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	p := &player{http: &http.Client{}, folder: filepath.Dir(name), data: dir, file: f, captured: make(map[string]string), mint: event.NewMint(start), out: r}
	if err := p.script(ctx, Step{}); err != nil {
		return err
	}
	cfg := config.Config{Data: dir, Listen: "127.0.0.1:0", Node: "local", NoSchedules: true, Providers: []model.Provider{{Name: "scripted", Kind: model.KindScripted, Model: "scripted", Script: p.scriptFile()}}}
	if o.Postgres != "" {
		address, drop, err := postgres.Fresh(ctx, o.Postgres, o.pattern)
		if err != nil {
			return err
		}
		defer func() { r.fail(drop()) }()
		cfg.Postgres = address
	}
	d, err := daemon.New(ctx, cfg, slog.New(slog.NewTextHandler(io.Discard, nil)), daemon.Options{Tools: p.mocks.over(f), Mint: p.mint})
	if err != nil {
		return err
	}
	addr, err := d.Listen(ctx)
	if err != nil {
		return errors.Join(err, d.Close())
	}
	p.base, p.token = "http://"+addr.String(), d.Token()
	if p.project, err = d.Project(ctx, f.title(name), f.Description); err != nil {
		return errors.Join(err, d.Close())
	}
	serving, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- d.Run(serving) }()
	if err = p.ready(ctx); err == nil {
		err = p.steps(ctx)
	}
	if err == nil {
		r.Log, err = p.digest(ctx)
	}
	p.http.CloseIdleConnections()
	stop()
	if err = errors.Join(err, <-ended); err != nil {
		return err
	}
	rebuilt, err := daemon.Rebuild(ctx, cfg)
	p.check(err == nil && len(rebuilt.Different()) == 0, "the log rebuilds to identical tables %v", rebuilt.Different())
	return err
}

// folder is where a new data folder may be. Names of all are of one length: agents are told their working folder, and the
// tokens of what they are told are in the log.
func folder() string { return filepath.Join(os.TempDir(), "chela-scenario-"+rand.Text()) }

func (p *player) check(ok bool, format string, args ...any) {
	p.out.Checks = append(p.out.Checks, Check{ok, fmt.Sprintf(format, args...)})
}

// ready waits until the daemon has said that it is there, which stands in the log too, and
// prepares it.
func (p *player) ready(ctx context.Context) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		log, err := p.log(ctx, 0)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(log, func(e entry) bool { return e.Type == org.HeartbeatKind.Name }) {
			return p.allow(ctx)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// digest sums up the log: the hash of an event covers all of it.
func (p *player) digest(ctx context.Context) (string, error) {
	log, err := p.log(ctx, 0)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, e := range log {
		_, _ = fmt.Fprintln(h, e.Seq, e.Hash) // a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// perStep is how far the clock moves on before each step.
const perStep = time.Minute

// maxStep bounds a step that does not say how long it may take.
const maxStep = time.Minute

func (p *player) steps(ctx context.Context) error {
	limit := maxStep
	if p.file.Defaults.MaxWaitMS > 0 {
		limit = time.Duration(p.file.Defaults.MaxWaitMS) * time.Millisecond
	}
	for i, s := range p.file.Steps {
		p.mint.Forward(perStep)
		name := fmt.Sprintf("step %d", i+1)
		for _, n := range []string{s.Description, s.Name} {
			if n != "" {
				name = n
			}
		}
		within, cancel := context.WithTimeoutCause(ctx, limit, fault.New(fault.Unavailable, "It took longer than %s; maxWaitMs in the defaults sets another limit.", limit))
		err := p.step(within, name, s)
		if err != nil && context.Cause(within) != nil && ctx.Err() == nil {
			err = context.Cause(within)
		}
		cancel()
		if err != nil {
			return fault.Wrap(err, fault.KindOf(err), "%s: %s", name, fault.TextOf(err))
		}
	}
	return nil
}

// step plays one step and checks what came of it.
func (p *player) step(ctx context.Context, name string, s Step) error {
	var status struct {
		End int64 `json:"log_end"`
	}
	if err := p.read(ctx, "/api/status", &status); err != nil {
		return err
	}
	before, err := p.counts(ctx, s)
	if err != nil {
		return err
	}
	if err := p.script(ctx, s); err != nil {
		return err
	}
	p.mocks.set(s.Mocks)
	out, err := p.act(ctx, s)
	if err != nil {
		return err
	}
	if p.file.SchemaVersion == 1 {
		p.version1(name, s, out)
	}
	if s.Expects == nil {
		p.check(true, "%s", name)
		return nil
	}
	return p.expect(ctx, moment{name: name, step: s, out: out, after: status.End, before: before})
}

// version1 checks what the first version of the format checks: that the answer came.
func (p *player) version1(name string, s Step, out outcome) {
	p.check(out.State == "done" || out.State == "", "%s: the run is %s, expected done (%s)", name, out.State, out.Reply)
	for _, r := range s.Replies {
		if r.Agent != "controller" && r.Agent != "reviewer" {
			p.check(strings.TrimSpace(out.Reply) != "", "%s: %s answered %q", name, r.Agent, out.Reply)
			return
		}
	}
}

// counts returns how many records of each kind there are, when the step asks.
func (p *player) counts(ctx context.Context, s Step) (map[string]int, error) {
	out := make(map[string]int)
	if s.Expects == nil || len(s.Expects.Differences) == 0 {
		return out, nil
	}
	return out, p.read(ctx, "/api/projects/"+p.project+"/counts", &out)
}

// read gets an address and decodes the answer.
func (p *player) read(ctx context.Context, url string, into any) error {
	raw, err := p.get(ctx, url)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("read %s: %w", url, err)
	}
	return nil
}

func (p *player) get(ctx context.Context, url string) (json.RawMessage, error) {
	return p.call(ctx, "GET", url, nil)
}
