package daemon

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"chela/internal/org"
	"chela/internal/skill"
)

// makeSkills makes the shelf of what agents are taught.
func (d *Daemon) makeSkills() *skill.Shelf {
	return skill.New(skill.Parts{
		Store: d.db.Skills, Log: d.log,
		Workspace: func(id org.AgentID) fs.FS {
			return os.DirFS(filepath.Join(d.cfg.Data, "agents", id.Name(), "skills"))
		},
		Program: d.hasProgram,
		Secret: func(ctx context.Context, name string) bool {
			value, err := d.vault.Secret(ctx, name)
			return err == nil && value != ""
		},
	})
}

// hasProgram reports whether programs that agents run find one of a name.
func (d *Daemon) hasProgram(name string) bool {
	if name != filepath.Base(name) {
		return false
	}
	for _, dir := range d.cfg.Sandbox.Path {
		if _, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	_, err := exec.LookPath(name)
	return err == nil
}
