// Package daemon builds the parts and owns their lifetimes. It is the only package
// that imports all the others.
package daemon

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/artifact"
	"chela/internal/ask"
	"chela/internal/builder"
	"chela/internal/channel"
	"chela/internal/clerk"
	"chela/internal/config"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
	a2adoor "chela/internal/gateway/a2a"
	anthropicdoor "chela/internal/gateway/anthropic"
	"chela/internal/gateway/api"
	"chela/internal/gateway/clutch"
	mcpdoor "chela/internal/gateway/mcp"
	openaidoor "chela/internal/gateway/openai"
	hookdoor "chela/internal/gateway/webhook"
	wsdoor "chela/internal/gateway/ws"
	"chela/internal/hook"
	"chela/internal/inbox"
	"chela/internal/instance"
	"chela/internal/intake"
	"chela/internal/library"
	"chela/internal/mcp"
	"chela/internal/memory"
	"chela/internal/model"
	"chela/internal/model/anthropic"
	"chela/internal/model/gemini"
	"chela/internal/model/openai"
	"chela/internal/model/scripted"
	"chela/internal/redact"
	"chela/internal/router"
	"chela/internal/run"
	"chela/internal/run/cluster"
	"chela/internal/run/local"
	"chela/internal/schedule"
	"chela/internal/session"
	"chela/internal/skill"
	"chela/internal/store"
	"chela/internal/store/past"
	"chela/internal/store/postgres"
	"chela/internal/stream"
	"chela/internal/talk"
	"chela/internal/telemetry"
	"chela/internal/tool"
	"chela/internal/tool/browser"
	toolcanvas "chela/internal/tool/canvas"
	toolchat "chela/internal/tool/chat"
	tooldesk "chela/internal/tool/desk"
	"chela/internal/tool/files"
	"chela/internal/tool/git"
	toolmcp "chela/internal/tool/mcp"
	"chela/internal/tool/person"
	"chela/internal/tool/shell"
	toolskill "chela/internal/tool/skill"
	toolweb "chela/internal/tool/web"
	"chela/internal/tracker"
	"chela/internal/transcription"
	"chela/internal/turn"
	"chela/internal/vault"
	"chela/internal/vector"
	"chela/internal/webhook"
	"chela/internal/worker"
	"chela/web"
)

// A Daemon is all parts, ready to run.
type Daemon struct {
	cfg       config.Config
	opts      Options
	log       *slog.Logger
	db        *store.DB
	past      *past.Past
	asker     *ask.Asker
	figures   *api.Figures
	kept      *clerk.Cache
	speak     *talk.Talk
	inbox     *inbox.Inbox
	clock     *schedule.Clock
	schedules *schedule.Editor
	starter   *library.Starter
	router    *router.Router
	builder   *builder.Builder
	channels  *channel.Channels
	runs      *run.Engine
	models    *model.Providers
	vault     *vault.Vault
	secrets   *redact.Live
	hooks     *hook.Hooks
	key       ed25519.PrivateKey
	clerk     *clerk.Clerk
	memory    *memory.Memory
	vectors   *vector.Keeper
	browsers  *browser.Browsers
	tools     *tool.Catalog
	shelf     *library.Library
	mcp       *mcpdoor.Server
	servers   *toolmcp.Servers
	tasks     *mcp.Follower
	skills    *skill.Shelf
	handler   http.Handler
	listener  net.Listener
	secure    *secure // nil without TLS
	token     string  // the owner's, at the first start only
	lock      *os.File
	seen      *telemetry.Telemetry
	tells     *webhook.Sender
	left      chan string // conversations that somebody left
	trackers  *tracker.Syncer
}

// Version is the daemon's; the build sets it.
var Version = "dev"

// Options change how a daemon is built. The zero value is the default.
type Options struct {
	Tools func([]*tool.Tool) []*tool.Tool // what agents can call instead; nil leaves it
	Mint  *event.Mint                     // of the times and ids of what is recorded; nil is the real one
	Doors []Door                          // beside the daemon's own
	Front func(http.Handler) http.Handler // put before all doors; nil puts nothing there
	Play  func(model.Model) model.Model   // put before models that play a script; nil puts nothing there
	Beat  time.Duration                   // how often clients of MCP hear that a call is worked on; 0 is the door's own
	Hold  func() (release func())         // keeps garbage from being collected while much is read that stays; nil does not
	Pace  mcp.Pace                        // at which the tasks that agents of others were given are looked at
	Grace time.Duration                   // how long runs may work on when the daemon stops; 0 is the engine's own
}

// A Door opens a protocol in the hall.
type Door func(h *gateway.Hall, t *talk.Talk) gateway.Door

// Handler answers the requests that come through all doors.
func (d *Daemon) Handler() http.Handler { return d.handler }

// New opens the store and builds the parts. The caller calls Close, or Run which does.
func New(ctx context.Context, cfg config.Config, log *slog.Logger, opts Options) (_ *Daemon, err error) {
	hidden := new(redact.Live)
	d := &Daemon{cfg: cfg, opts: opts, log: slog.New(hidden.Log(log.Handler())), secrets: hidden, left: make(chan string, 64)}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close())
		}
	}()
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The folder %s cannot be made.", cfg.Data)
	}
	if d.db, err = OpenStore(ctx, cfg); err != nil {
		return nil, err
	}
	if d.lock, err = lockData(cfg.Data); err != nil {
		return nil, err
	}
	if d.key, err = NodeKey(cfg.Data); err != nil {
		return nil, err
	}
	if d.cfg.Node == "" {
		d.cfg.Node = nodeName(d.key)
	}
	if err := d.showOutside(ctx, log); err != nil {
		return nil, err
	}
	if opts.Mint == nil {
		opts.Mint = event.RealMint(hidden.JSON)
	} else {
		opts.Mint.Mask = hidden.JSON
	}
	d.db = store.New(d.db.Backend, store.Options{Mint: opts.Mint, Observe: d.seen.Metrics.Recorded})
	with, err := d.makeTools(ctx)
	if err != nil {
		return nil, err
	}
	if err := d.seed(ctx); err != nil { // default agents have the permissions that their tools need
		return nil, err
	}
	if err := d.applyOrg(ctx); err != nil {
		return nil, err
	}
	if err := with.permits.begin(ctx); err != nil {
		return nil, err
	}
	return d, d.build(ctx, with)
}

// hands are what tools work with, and the rest of the daemon, too.
type hands struct {
	arts    *artifact.Files
	runner  *programs
	permits *permissions
	out     *http.Client
}

// makeTools makes the catalogue of tools and what they work with.
func (d *Daemon) makeTools(ctx context.Context) (h hands, err error) {
	if h.arts, err = artifact.Open(d.cfg.ArtifactDir()); err != nil {
		return h, err
	}
	if d.cfg.Postgres != "" { // others may share it
		if err := h.arts.Join(d.cfg.Node); err != nil {
			d.log.Warn("the folder of artifacts takes no mark; `chela doctor` on other nodes says that it is another", "err", err)
		}
	}
	h.runner = newPrograms(ctx, d.cfg.Sandbox)
	h.permits = newPermissions(d, h.runner)
	h.out = clientOutside(h.permits.Reach)
	d.clerk, d.past, d.skills = clerk.New(d.db.Desk).Beside(d.members), past.New(d.db).With(d.stashed()), d.makeSkills()
	d.memory = memory.New(d.db.Recall, d.db.Mint().Now)
	d.browsers = browser.New(ctx, h.permits.Reach, h.arts, BrowserOptions(d.cfg.Browser, d.log))
	list := slices.Concat(files.Tools(), shell.Tools(h.runner), git.Tools(h.runner), toolweb.Tools(h.permits.Reach), d.browsers.Tools(), person.Tools(), toolchat.Tools(d.db.Chats, h.arts, files.Read), tooldesk.Tools(d.clerk, d.db.Conversations, h.arts, remembering{d.memory, d.db.Recall, d.db.Roster}), tooldesk.StatusTools(d), toolskill.Tools(d.skills, h.runner), toolcanvas.Tools(drafts{d}), d.clockTools(), faultTools())
	if d.opts.Tools != nil {
		list = d.opts.Tools(list)
	}
	d.tools = tool.NewCatalog(d.log, tool.NewSet(list...), nil)
	return h, nil
}

// played opens a model that plays a script.
func (d *Daemon) played(p model.Provider, c *http.Client) (model.Model, error) {
	m, err := scripted.Open(p, c)
	if err != nil || d.opts.Play == nil {
		return m, err
	}
	return d.opts.Play(m), nil
}

// noModels is the set of providers without one; out is the client for those that were set while running.
func (d *Daemon) noModels(out *http.Client, now func() time.Time) *model.Providers {
	return model.NewProviders(map[model.Kind]model.Opener{
		model.KindAnthropic: guarded(anthropic.Open, out), model.KindOpenAI: guarded(openai.Open, out), model.KindGemini: guarded(gemini.Open, out), model.KindScripted: d.played,
	}, model.NewHTTPClient(), model.Prices(), model.Options{Jobs: d.cfg.Models, Overrides: d.cfg.Prices, Failover: d.cfg.Failover, Rotated: d.rotated, Static: d.staticModel(), Now: now})
}

func (d *Daemon) build(ctx context.Context, with hands) error {
	arts, runner, permits, out := with.arts, with.runner, with.permits, with.out
	if err := d.openVault(ctx); err != nil {
		return err
	}
	d.servers = toolmcp.New(ctx, toolmcp.Parts{
		Store: d.db.MCP, Place: d.ownPlace, Offer: d.tools.Offer, Runner: runner, Reach: permits.Reach, Secrets: d.vault.Secret, Grants: d.vault, Files: arts, Version: Version, Log: d.log,
		Workers: worker.New(d.db.Workers),
	})
	hub := new(stream.Hub)
	d.models = d.noModels(out, d.db.Mint().Now)
	d.vectors = vector.NewKeeper(d.db.Recall, d.models, d.db.Budgets, d.db.Log, vector.Options{Holder: d.cfg.Node, Mint: d.db.Mint(), Log: d.log})
	d.memory.With(d.vectors, d.log)
	if err := d.loadModels(ctx); err != nil {
		return err
	}
	hooks, called := newHooks(d, runner, permits)
	d.hooks = called
	var slots agent.Slots
	if d.cfg.Postgres != "" { // others may share it
		slots = d.db.Slots
	}
	d.runs = run.New(d.db, d.db.Runs, d.executor(), run.Options{Grace: d.opts.Grace, Log: d.log})
	agents := agent.New(d.runs, d.db, d.models, d.tools, d.db.Roster, d.db.Conversations, arts, d.db.Questions, hub, agent.Options{
		Slots: slots, Rules: permits, Budgets: d.db.Budgets, Growth: d.db.Log, Price: d.models.Price, Children: d.cfg.Lanes[run.ChildLane], Secrets: d.vault, Redact: d.redacted, Hidden: d.secrets, Hooks: d.hooks, Memory: d.memory, Skills: d.skills, Workspace: d.workspace, Records: records{d.db.Desk, d.db.People}, Log: d.log,
	})
	in := intake.New(d.runs, d.clerk, arts, agents, d.models, hub).Knowing(persons{d.db})
	d.trackers = d.makeTrackers(arts, in, out)
	flows := instance.New(agents, d.db.Workflows, d.db.Questions, d.db.People, d.db.Desk, instance.Options{Redact: d.redacted, Program: d.hasProgram, Log: d.log})
	d.shelf = library.New(d.runs, d.db, d.db.Workflows, flows, d.db.Directory.ProjectNamed)
	d.starter = library.NewStarter(d.shelf, d.db.Log, d.cfg.NoSchedules, d.log)
	d.router = router.New(d.db, router.Parts{
		Store: d.db.Workflows, Library: d.shelf, Shelf: d.db.Workflows, Members: d.db.Roster, People: d.db.People, Projects: d.db.Directory, Log: d.db.Log, Runs: d.runs, Model: d.models.Ready, Records: d.fromRecords, Say: d.log,
	})
	d.builder = builder.New(d.db, builder.Parts{
		Store: d.db.Workflows, Library: d.shelf, Shelf: d.db.Workflows, Members: d.db.Roster, People: d.db.People, Agents: agents, Tools: d.toolNames, Runs: d.runs, Model: d.models.Ready, Now: d.db.Mint().Now, Say: d.log,
	})
	turns := turn.New(agents, d.db.Roster, d.db.Conversations, turn.Options{Redact: d.redacted, Router: builder.Front{Builder: d.builder, Next: d.router}, Records: d.fromRecords, Log: d.log})
	answers := &approval.Decider{From: d.db.Questions, Runs: d.runs, Persons: d.db.People, Always: agent.Always}
	d.inbox = inbox.New(d.runs, d.db, d.db.ForInbox(), inbox.Options{Hooks: d.hooks, Answers: answers, Models: d.models, Threads: threads{d}, Slots: slots != nil, Left: d.left, Log: d.log})
	d.followTasks(agents, arts)
	transcriber := transcription.New(d.models, arts, d.db.Budgets, d.inbox, transcription.Options{Redact: d.redacted, Log: d.log})
	for kind, h := range map[string]run.Handler{
		session.ChatRun: turns.Handle, session.ExtractionRun: turns.Handle, agent.InvocationKind: agents.Invoke, intake.RunKind: in.Handle, instance.RunKind: flows.Handle, builder.RunKind: d.builder.Handle, inbox.TranscriptionKind: transcriber.Handle, tracker.RunKind: d.trackers.Handle,
	} {
		d.runs.Handle(kind, h)
	}
	d.runs.End(intake.RunKind, in.Ended)
	d.schedules = schedule.NewEditor(d.runs, d.db, nil)
	d.clock = schedule.NewClock(d.db, d.db.ForClock(), d.clerk, d.runs, d.inbox, schedule.Options{Paused: d.cfg.NoSchedules, NoModel: d.mute, Records: d.recordsByClock, Log: d.log})
	d.channels = channel.New(channel.Parts{
		Store: forChannels(d.db), Inbox: d.inbox, Files: arts, Vault: d.vault, Answers: answers, Platforms: d.platforms(), Client: &http.Client{}, Outside: out, Node: d.cfg.Node, Shared: d.cfg.Postgres != "", Transcribes: func() bool { return d.models.Transcribes() == nil }, Hub: hub, Log: d.log,
	})
	instance, err := d.instance(ctx)
	if err != nil {
		return err
	}
	hall := gateway.New(d.db.Credentials, gateway.Options{Hosts: d.cfg.Hosts, Proxies: gateway.Proxies{Trusted: d.cfg.Proxies.Networks(), Forwarded: d.cfg.Proxies.Header == config.Forwarded}, Instance: instance, Incoming: d.cfg.Data, Stall: d.cfg.BodyStall, Redact: d.secrets.Text, Answered: d.seen.Metrics.Answered, Log: d.log})
	d.speak = talk.New(talk.Parts{Store: forTalk(d.db), Inbox: d.inbox, Runs: d.runs, Tools: d.tools, Hub: hub, Models: d.models, Limits: d.db.Budgets, Files: arts, Project: d.clerk.Exists})
	d.mcp = mcpdoor.New(hall, mcpdoor.Parts{Store: forMCP(d.db), Talk: d.speak, Library: d.shelf, Answers: answers, Files: arts, Servers: d.servers, Redact: d.secrets.Text, Version: Version, Beat: d.opts.Beat, Log: d.log})
	hooked, hears := d.makeWebhooks(arts, out)
	doors := slices.Concat(openaidoor.New(hall, d.speak), anthropicdoor.New(hall, d.speak), a2adoor.New(hall, a2adoor.Parts{Store: forA2A(d.db), Talk: d.speak, Answers: answers, Version: Version}), d.mcp.Doors(), clutch.New(hall, d.speak, d.runs, forClutch(d.db)), []gateway.Door{d.metricsDoor(hall), hookdoor.New(hall, hears), wsdoor.New(hall, wsdoor.Parts{Talk: d.speak, Log: d.db.Log, Questions: d.db.Questions, Answers: answers, Runs: d.runs, Sessions: d.db.Workflows, Kinds: store.EventKinds()})})
	for _, add := range d.opts.Doors {
		doors = append(doors, add(hall, d.speak))
	}
	d.kept = clerk.NewCache(d.db.Desk).With(d.stashed())
	d.asker, d.figures = ask.New(d.kept, d.db.Budgets, d.db.Log, d.models, d.db.Roster).With(lookBack{d.past}, d.db.People), api.NewFigures(d.kept, d.db.Mint().Now)
	d.handler = hall.Open(api.New(hall, api.Parts{
		Channels: d.channels,
		Store:    forAPI(d.db), Past: lookBack{d.past}, Runs: d.runs, Inbox: d.inbox, Talk: d.speak, Library: d.shelf, Builder: d.builder, Router: d.router, Schedules: d.schedules, Paused: d.cfg.NoSchedules, Answers: answers, Clerk: d.clerk, Intake: in,
		Ask: d.asker, Figures: d.figures, Models: d.models, Tools: d.tools, Policy: permits, Sandbox: runner.report, Explain: agents.Explain, Artifacts: arts, Hub: hub, Configure: d.configure, Choose: d.choose, Vault: vaultPart{d, permits}, Hooks: hooks, Webhooks: hooked, Trackers: d.trackers, Kinds: store.EventKinds(),
		Backup: d.Backup, Memory: d.memory, Vectors: d.vectors.Status, Prompt: agents.Prompt,
		Page: web.Page(), Version: Version, Node: d.cfg.Node, Key: d.key, Log: d.log,
		MCP: d.servers, Skills: d.skills,
	}), doors...)
	if d.opts.Front != nil {
		d.handler = d.opts.Front(d.handler)
	}
	return nil
}

// instance tells one organization's daemons from another's: it comes from the log's first event, and where no other daemon
// has this log, from its folder, as demos of one minute begin alike.
func (d *Daemon) instance(ctx context.Context) (string, error) {
	first, _, err := d.db.Log.Events(ctx, 0, event.Filter{Limit: 1})
	if err != nil || len(first) == 0 {
		return "", err
	}
	seed := first[0].Hash
	if d.cfg.Postgres == "" {
		folder, err := filepath.Abs(d.cfg.Data)
		if err != nil {
			return "", fault.Wrap(err, fault.Unavailable, "The folder %s cannot be named.", d.cfg.Data)
		}
		seed += folder
	}
	sum := sha256.Sum256([]byte(seed))
	return hex.EncodeToString(sum[:6]), nil
}

// mute says why no agent can work.
func (d *Daemon) mute() string {
	if d.models.Ready() {
		return ""
	}
	return "No model is configured, so no agent can work. `chela setup` adds one."
}

// executor returns what decides who works which run: this process alone on SQLite,
// all that share the database on PostgreSQL.
func (d *Daemon) executor() run.Executor {
	if d.cfg.Postgres == "" {
		return local.New(d.db.Queue, d.cfg.Lanes, d.log)
	}
	return cluster.New(forNodes(d.db), d.cfg.Node, cluster.Options{Lanes: d.cfg.Lanes, Log: d.log})
}

// Migrate brings the PostgreSQL database at url up to date and records nothing in it.
func Migrate(ctx context.Context, url string) error {
	db, err := postgres.Open(ctx, url)
	if err != nil {
		return err
	}
	return db.Close()
}

// rotated records that another model was asked. The call goes on without the record: it
// says what happened to a service, and nothing builds on it.
func (d *Daemon) rotated(ctx context.Context, r model.Rotated) {
	d.log.Warn("another model is asked", "from", r.From, "to", r.To, "reason", r.Reason, "until", r.Until)
	at := d.ownPlace(run.Chela())
	if _, err := d.db.Log.Append(context.WithoutCancel(ctx), model.RotatedKind.Draft(at, r)); err != nil {
		d.log.Warn("record that another model is asked", "err", err)
	}
}

// ownPlace is where a fact of the organization belongs that no run brings forth.
func (d *Daemon) ownPlace(by event.Party) event.Place {
	id := d.db.Mint().ID("run")
	return event.Place{Stream: event.OrgStream, Thread: d.db.Mint().ID("thr"), Run: id, Task: "task_" + id[len("run_"):], From: by}
}

// Token returns the owner's token when this start made it.
func (d *Daemon) Token() string { return d.token }
