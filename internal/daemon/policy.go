package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"chela/internal/agent"
	"chela/internal/config"
	"chela/internal/disk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/guard"
	"chela/internal/netaddr"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/store"
)

// permissions implements [agent.Rules] over the policy file, what people allow for always,
// and the agents' own folders.
type permissions struct {
	file      config.File[guard.Policy] // policy.yaml
	workspace string                    // holds a folder for each agent
	db        *store.DB
	place     func(event.Party) event.Place
	programs  *programs
	log       *slog.Logger
	node      string // whose file it is

	digest string // of what was recorded last; written by begin and tell alone
}

var _ agent.Rules = (*permissions)(nil)

// newPermissions begins with the empty policy, which is not worth a record where none was recorded before.
func newPermissions(d *Daemon, runner *programs) *permissions {
	p := &permissions{
		workspace: filepath.Join(d.cfg.Data, "workspace"), db: d.db, place: d.ownPlace,
		programs: runner, digest: digestOf(nil), log: d.log, node: d.cfg.Node,
	}
	p.file = config.File[guard.Policy]{Path: filepath.Join(d.cfg.Data, "policy.yaml"), Name: "policy", Parse: guard.ParsePolicy, Changed: p.tell}
	return p
}

// File is where the policy lies.
func (p *permissions) File() string { return p.file.Path }

// Text implements [api.Policy]. Why it cannot be read is said beside it.
func (p *permissions) Text() string {
	raw, err := os.ReadFile(p.file.Path)
	if err != nil {
		return ""
	}
	return string(raw)
}

// Rules implements [agent.Rules].
func (p *permissions) Rules(ctx context.Context, id org.AgentID, project string) (agent.Permitted, error) {
	policy, err := p.Policy(ctx)
	if err != nil {
		return agent.Permitted{}, err
	}
	out := agent.Permitted{Policy: policy, Unconfined: p.programs.unconfined(), Links: links}
	if out.Allowances, err = p.db.Policy.Allowances(ctx); err != nil {
		return out, err
	}
	if project != "" {
		if out.ProjectName, err = p.db.Directory.ProjectName(ctx, project); err != nil {
			return out, err
		}
	}
	work := filepath.Join(p.workspace, id.Name())
	if err := os.MkdirAll(work, 0o700); err != nil {
		return out, fault.Wrap(err, fault.Unavailable, "The working folder %s of %s cannot be made.", work, id)
	}
	out.Folders = disk.Folders{Work: work, Grants: policy.Grants(id, project, out.ProjectName)}
	if len(out.Folders.Grants) > 0 {
		out.Folders.Start = out.Folders.Grants[0].Path
	}
	return out, nil
}

// links resolves the links of a path as far as it exists; what does not exist yet lies
// where its folder really is.
func links(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) || filepath.Dir(path) == path {
		return real, err
	}
	folder, err := links(filepath.Dir(path))
	return filepath.Join(folder, filepath.Base(path)), err
}

// Policy returns the policy as the file has it now. A missing file is an empty policy.
func (p *permissions) Policy(ctx context.Context) (guard.Policy, error) { return p.file.Now(ctx) }

// begin reads the policy, so that a start says what is wrong with it, and records what became of it while no daemon ran.
func (p *permissions) begin(ctx context.Context) error {
	told, _, err := p.db.Log.Events(ctx, 0, event.Filter{Type: guard.ReadKind.Name, Newest: true})
	if err != nil {
		return fmt.Errorf("read which policy holds: %w", err)
	}
	for _, e := range told {
		if read, _, err := guard.ReadKind.Open(e.Event); err == nil && (read.Node == p.node || read.Node == "") {
			p.digest = read.Digest
			break
		}
	}
	_, err = p.Policy(ctx)
	if fault.KindOf(err) == fault.Unavailable && err != nil { // one that can be opened [permissions.tell] has told of
		p.log.Warn("the policy cannot be opened; agents use no tool until it can", "err", err)
	}
	return nil
}

// Reach returns which addresses tools may connect to, as the file has it now.
func (p *permissions) Reach(ctx context.Context) (netaddr.Reach, error) {
	policy, err := p.Policy(ctx)
	return policy.Reach(), err
}

func digestOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// tell records which policy holds from now on, when it is another than before. The policy holds
// without the record too.
func (p *permissions) tell(ctx context.Context, raw []byte, policy guard.Policy, err error) {
	digest := digestOf(raw)
	read := guard.Read{Node: p.node, Digest: digest, Policy: policy}
	if err != nil {
		read.Error = fault.TextOf(err)
		p.log.Warn("the policy cannot be read; agents use no tool until it can", "err", read.Error)
	}
	if digest == p.digest {
		return
	}
	p.digest = digest
	if _, err := p.db.Log.Append(context.WithoutCancel(ctx), guard.ReadKind.Draft(p.place(run.Chela()), read)); err != nil {
		p.log.Warn("record which policy holds", "err", err)
	}
}
