package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"chela/internal/agent"
	"chela/internal/config"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway/api"
	"chela/internal/hook"
	"chela/internal/hook/outside"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/tool"
	"chela/internal/vault"
)

// HooksFile is the file in the data folder that lists hooks; their programs lie in the
// folder hooks beside it.
const HooksFile = "hooks.yaml"

// hookFile is hooks.yaml. A missing file has no hooks; while one cannot be read, whatever could be
// denied is.
type hookFile struct {
	config.File[subscribed]
	d       *Daemon
	runner  tool.Runner
	permits *permissions
}

// subscribed is what hooks.yaml says, and the hooks that come of it.
type subscribed struct {
	file hook.File
	subs []hook.Subscription
}

func newHooks(d *Daemon, r tool.Runner, p *permissions) (*hookFile, *hook.Hooks) {
	f := &hookFile{d: d, runner: r, permits: p}
	f.File = config.File[subscribed]{Path: filepath.Join(d.cfg.Data, HooksFile), Name: "hooks", Parse: f.parse}
	return f, hook.New(hook.Options{Source: f.subscriptions, Record: d.recordHook, Log: d.log})
}

func (f *hookFile) parse(raw []byte) (subscribed, error) {
	file, err := hook.ParseFile(raw)
	out := subscribed{file: file}
	for _, e := range file.Hooks {
		out.subs = append(out.subs, e.Subscription(f.target(e)))
	}
	return out, err
}

// subscriptions returns what the file has now.
func (f *hookFile) subscriptions(ctx context.Context) ([]hook.Subscription, error) {
	now, err := f.Now(ctx)
	return now.subs, err
}

func (f *hookFile) target(e hook.Entry) hook.Target {
	if e.URL != "" {
		return outside.Service{URL: e.URL, Secret: e.Secret, Secrets: f.d.vault.Secret, Reach: f.permits.Reach}
	}
	return outside.Command{Runner: f.runner, Argv: e.Command, Folder: filepath.Join(f.d.cfg.Data, "hooks")}
}

// State implements [api.Hooks].
func (f *hookFile) State(ctx context.Context) api.HooksState {
	out := api.HooksState{File: f.Path, Points: hook.Points(), Hooks: []api.HookState{}}
	now, err := f.Now(ctx)
	if err != nil {
		out.Error = fault.TextOf(err)
		return out
	}
	hooks := slices.Clone(now.file.Hooks)
	slices.SortStableFunc(hooks, func(a, b hook.Entry) int { return a.Priority - b.Priority })
	for _, e := range hooks {
		out.Hooks = append(out.Hooks, api.HookState{Entry: e, Problem: f.problem(ctx, e)})
	}
	return out
}

// problem says what a hook lacks, and the way out.
func (f *hookFile) problem(ctx context.Context, e hook.Entry) string {
	if e.Secret != "" {
		state, err := f.d.vault.State(ctx)
		if err != nil {
			return fault.TextOf(err)
		}
		if !slices.ContainsFunc(state.Entries, func(s vault.Entry) bool { return s.Name == e.Secret }) {
			return fmt.Sprintf("The hook %s is signed with %s, which the vault does not hold; `chela vault set %s`.", e.Name, e.Secret, e.Secret)
		}
	}
	if len(e.Command) == 0 {
		return ""
	}
	folder, program := filepath.Join(f.d.cfg.Data, "hooks"), e.Command[0]
	if !strings.Contains(program, "/") {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Sprintf("The program %s of the hook %s is not installed. Install it, or name another in %s; one of your own lies in %s and is named with ./ before it.", program, e.Name, f.Path, folder)
		}
		return ""
	}
	if !filepath.IsAbs(program) {
		program = filepath.Join(folder, program)
	}
	if info, err := os.Stat(program); err != nil || info.IsDir() {
		return fmt.Sprintf("The program %s of the hook %s is not there. Put it there, or correct %s.", program, e.Name, f.Path)
	} else if info.Mode()&0o111 == 0 {
		return fmt.Sprintf("The program %s of the hook %s may not be executed; `chmod +x %s`.", program, e.Name, program)
	}
	return ""
}

// Test implements [api.Hooks].
func (f *hookFile) Test(ctx context.Context, name string, at hook.Point, data json.RawMessage) (hook.Answer, error) {
	subs, err := f.subscriptions(ctx)
	if err != nil {
		return hook.Answer{}, err
	}
	i := slices.IndexFunc(subs, func(s hook.Subscription) bool { return s.Name == name })
	if i < 0 {
		return hook.Answer{}, fault.New(fault.NotFound, "There is no hook named %q in %s.", name, f.Path)
	}
	if at == "" {
		at = subs[i].Points[0]
	}
	if len(data) == 0 {
		data = json.RawMessage("{}")
	}
	return f.d.hooks.Try(ctx, subs[i], hook.Call{Point: at, Hook: name, Data: data})
}

// recordHook records what a hook did. Things go on without the record.
func (d *Daemon) recordHook(ctx context.Context, a hook.Answered) {
	ctx = context.WithoutCancel(ctx)
	a.Denied, a.Failed = d.redacted(ctx, a.Denied), d.redacted(ctx, a.Failed)
	if _, err := d.db.Log.Append(ctx, hook.AnsweredKind.Draft(d.ownPlace(run.Chela()), a)); err != nil {
		d.log.Warn("record what a hook did", "hook", a.Hook, "err", err)
	}
}

// pointOf is where hooks are told of an event.
func pointOf(m event.Message) (hook.Point, bool) {
	at, ok := map[string]hook.Point{
		session.OpenedKind.Name: hook.SessionStart, session.ClosedKind.Name: hook.SessionEnd, run.StartedKind.Name: hook.RunStart, run.FinishedKind.Name: hook.RunEnd,
		event.TaskAccept: hook.AgentStart, event.TaskResult: hook.AgentStop, event.TaskError: hook.AgentStop, event.ToolResult: hook.AfterTool, event.ToolError: hook.AfterTool,
		"approval.requested": hook.ApprovalRequested, "approval.answered": hook.ApprovalAnswered, event.ChatSystem: hook.Notification,
	}[m.Type]
	if !agent.IsChild(m.TaskID) {
		return at, ok
	}
	switch m.Type {
	case event.TaskAccept:
		return hook.ChildStart, true
	case event.TaskResult, event.TaskError, event.TaskCancel, event.TaskTimeout:
		return hook.ChildStop, true
	}
	return at, ok
}

// teller tells hooks what is recorded.
func (d *Daemon) teller() hook.Teller {
	return hook.Teller{Hooks: d.hooks, From: d.db.Log, Node: d.cfg.Node, Point: pointOf, Log: d.log}
}
