package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway/api"
	"chela/internal/hook"
	"chela/internal/hook/outside"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/store"
	"chela/internal/tool"
	"chela/internal/vault"
)

// HooksFile is the file in the data folder that lists hooks; their programs lie in the
// folder hooks beside it.
const HooksFile = "hooks.yaml"

// hookFile reads hooks.yaml, again when it has changed. A missing file has no hooks; while
// one cannot be read, whatever could be denied is.
type hookFile struct {
	d       *Daemon
	runner  tool.Runner
	permits *permissions

	mu    sync.Mutex // guards the rest
	stamp stamp
	file  hook.File
	subs  []hook.Subscription
	err   error
}

func newHooks(d *Daemon, r tool.Runner, p *permissions) (*hookFile, *hook.Hooks) {
	f := &hookFile{d: d, runner: r, permits: p}
	return f, hook.New(hook.Options{Source: f.subscriptions, Record: d.recordHook, Log: d.log})
}

func (f *hookFile) path() string { return filepath.Join(f.d.cfg.Data, HooksFile) }

// subscriptions returns what the file has now.
func (f *hookFile) subscriptions(context.Context) ([]hook.Subscription, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := stamp{read: true}
	if info, err := os.Stat(f.path()); err == nil {
		now.size, now.nano = info.Size(), info.ModTime().UnixNano()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Wrap(err, fault.Unavailable, "The hooks %s cannot be read.", f.path())
	}
	if now == f.stamp {
		return f.subs, f.err
	}
	raw, err := os.ReadFile(f.path())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Wrap(err, fault.Unavailable, "The hooks %s cannot be read.", f.path())
	}
	f.stamp, f.subs = now, nil
	if f.file, f.err = hook.ParseFile(raw); f.err != nil {
		f.err = fault.Wrap(f.err, fault.Invalid, "%s: %s", f.path(), fault.TextOf(f.err))
	}
	for _, e := range f.file.Hooks {
		f.subs = append(f.subs, e.Subscription(f.target(e)))
	}
	return f.subs, f.err
}

func (f *hookFile) target(e hook.Entry) hook.Target {
	if e.URL != "" {
		return outside.Service{URL: e.URL, Secret: e.Secret, Secrets: f.d.vault.Secret, Reach: f.permits.Reach}
	}
	return outside.Command{Runner: f.runner, Argv: e.Command, Folder: filepath.Join(f.d.cfg.Data, "hooks")}
}

// State implements [api.Hooks].
func (f *hookFile) State(ctx context.Context) api.HooksState {
	out := api.HooksState{File: f.path(), Points: hook.Points(), Hooks: []api.HookState{}}
	if _, err := f.subscriptions(ctx); err != nil {
		out.Error = fault.TextOf(err)
		return out
	}
	f.mu.Lock()
	hooks := slices.Clone(f.file.Hooks)
	f.mu.Unlock()
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
			return fmt.Sprintf("The program %s of the hook %s is not installed. Install it, or name another in %s; one of your own lies in %s and is named with ./ before it.", program, e.Name, f.path(), folder)
		}
		return ""
	}
	if !filepath.IsAbs(program) {
		program = filepath.Join(folder, program)
	}
	if info, err := os.Stat(program); err != nil || info.IsDir() {
		return fmt.Sprintf("The program %s of the hook %s is not there. Put it there, or correct %s.", program, e.Name, f.path())
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
		return hook.Answer{}, fault.New(fault.NotFound, "There is no hook named %q in %s.", name, f.path())
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
	a.Denied, a.Failed = d.veil.fresh(ctx, a.Denied), d.veil.fresh(ctx, a.Failed)
	if _, err := d.db.Append(ctx, hook.AnsweredKind.Draft(d.ownPlace(run.Chela()), a)); err != nil {
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

// tellHooks tells hooks what is recorded after a position, where the daemon began. Of several
// daemons one tells.
func (d *Daemon) tellHooks(ctx context.Context, after event.Seq) (err error) {
	grown, stop := d.db.Grown()
	defer stop()
	d.hooks.Tell(ctx, hook.DaemonStart, hook.Happened{Node: d.cfg.Node})
	for {
		if after, err = d.tellSince(ctx, after); err != nil && ctx.Err() == nil {
			d.log.Warn("hooks are told later", "err", err)
		}
		select {
		case <-ctx.Done():
			last := context.WithoutCancel(ctx)
			_, err := d.tellSince(last, after)
			d.hooks.Tell(last, hook.DaemonStop, hook.Happened{Node: d.cfg.Node})
			return err
		case <-grown:
		}
	}
}

// unheard is the position of hooks while there are none: they begin at the end of the log.
const unheard = event.Seq(-1)

// hookCursor is how far hooks were told.
const hookCursor = "hooks"

// tellSince tells of the events after a position, and returns up to where.
func (d *Daemon) tellSince(ctx context.Context, after event.Seq) (event.Seq, error) {
	if !d.hooks.Heard(ctx) {
		return unheard, nil
	}
	if after == unheard {
		return d.db.End(ctx)
	}
	for {
		told, err := d.db.Cursor(ctx, hookCursor)
		if err != nil {
			return after, err
		}
		// Read before the transaction, which as a writer would hide what is newest.
		batch, upTo, err := d.db.Events(ctx, max(after, told), event.Filter{})
		if err != nil {
			return after, err
		}
		end, mine := max(upTo, after, told), false
		err = d.db.Write(ctx, func(tx *store.Tx) error {
			mine = false
			tx.Hold(event.OrgStream) // another daemon waits here
			now, err := tx.Cursor(hookCursor)
			if err != nil || now != told {
				return err
			}
			mine = true
			return tx.SetCursor(hookCursor, end)
		})
		if err == nil && !mine {
			continue // another daemon has told meanwhile
		}
		if err != nil {
			return after, err
		}
		if len(batch) == 0 {
			return end, nil
		}
		for _, e := range batch {
			if at, ok := pointOf(e.Message); ok {
				d.hooks.Tell(ctx, at, hook.Happened{
					Seq: e.Seq, Type: e.Message.Type, Thread: e.Message.ThreadID, Run: e.Message.RunID, Task: e.Message.TaskID, From: e.Message.From.AgentID, Payload: e.Message.Payload,
				})
			}
		}
		after = end
	}
}
