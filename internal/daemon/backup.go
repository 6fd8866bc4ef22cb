package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"chela/internal/artifact"
	"chela/internal/backup"
	"chela/internal/config"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/run"
	"chela/internal/store"
)

// Backup writes a backup of everything that the organization is, as it is now, and records that it did. Others go on meanwhile. The key
// of the vault is in it only with vaultKey.
func (d *Daemon) Backup(ctx context.Context, by event.Party, vaultKey bool, w io.Writer) (backup.Manifest, error) {
	m, err := d.writeBackup(ctx, vaultKey, w)
	if err != nil {
		return m, err
	}
	// It is whole also when that cannot be recorded, as on a full disk.
	made := backup.Made{Events: m.Events, End: m.End, Artifacts: m.Artifacts, Missing: m.Missing, Digest: m.Digest, VaultKey: vaultKey}
	if _, err := d.db.Log.Append(context.WithoutCancel(ctx), backup.MadeKind.Draft(d.ownPlace(by), made)); err != nil {
		d.log.Warn("record that a backup was made", "err", err)
	}
	return m, nil
}

// BackupUnserved is as [Daemon.Backup] of a data folder on which no daemon works.
func BackupUnserved(ctx context.Context, cfg config.Config, log *slog.Logger, vaultKey bool, w io.Writer) (_ backup.Manifest, err error) {
	lock, err := lockData(cfg.Data)
	if err != nil {
		return backup.Manifest{}, err
	}
	defer func() { _ = lock.Close() }() // ends with the process at the latest
	d := &Daemon{cfg: cfg, log: log}
	if d.db, err = OpenStore(ctx, cfg); err != nil {
		return backup.Manifest{}, err
	}
	defer func() { err = errors.Join(err, d.db.Close()) }()
	return d.Backup(ctx, run.Chela(), vaultKey, w)
}

// Served reports whether a daemon works on a data folder.
func Served(data string) bool {
	if _, err := os.Stat(filepath.Join(data, lockFile)); err != nil {
		return false
	}
	lock, err := lockData(data)
	if err == nil {
		_ = lock.Close() // it was only tried
	}
	return err != nil
}

func (d *Daemon) writeBackup(ctx context.Context, vaultKey bool, out io.Writer) (backup.Manifest, error) {
	files, err := d.filesKept(ctx, vaultKey)
	if err != nil {
		return backup.Manifest{}, err
	}
	var w *backup.Writer
	var held store.Held
	err = d.db.Audit.Snapshot(ctx, func(s *store.Snapshot) error {
		schema, err := s.Schema()
		if err != nil {
			return err
		}
		h := backup.Header{Schema: schema, Version: Version, Database: d.db.Name(), Node: d.cfg.Node, At: d.db.Mint().Now().UTC(), VaultKey: files[backup.VaultKeyFile].raw != nil}
		if w, err = backup.NewWriter(out, h); err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(files)) {
			f := files[name]
			if err := w.File(backup.File{Name: name, Exec: f.exec}, int64(len(f.raw)), bytes.NewReader(f.raw)); err != nil {
				return err
			}
		}
		held, err = s.Write(w)
		return err
	})
	if err != nil {
		return backup.Manifest{}, err
	}
	missing, err := addArtifacts(ctx, w, artifact.At(d.cfg.ArtifactDir()), held)
	if err != nil {
		return backup.Manifest{}, err
	}
	return w.Close(backup.Manifest{Events: held.Events, Streams: held.Streams, End: held.End, Missing: missing})
}

// addArtifacts adds the artifacts that events mention, and returns how many of those are missing that they rest on.
func addArtifacts(ctx context.Context, w *backup.Writer, files *artifact.Files, held store.Held) (missing int64, err error) {
	for _, s := range held.Sorted() {
		if ctx.Err() != nil {
			return missing, context.Cause(ctx)
		}
		in, size, err := files.Open(s.Ref())
		switch {
		case err == nil:
		case fault.KindOf(err) == fault.Unavailable: // it is there, and cannot be read
			return missing, err
		default:
			if held.Artifacts[s] {
				missing++
			}
			continue
		}
		err = errors.Join(w.Artifact(s.Ref(), size, in), in.Close())
		if err != nil {
			return missing, err
		}
	}
	return missing, nil
}

// A keptFile is a file of the data folder that goes into a backup.
type keptFile struct {
	raw  []byte
	exec bool
}

// mostKept bounds one file of the data folder that goes into a backup, in bytes.
const mostKept = 64 << 20

// filesKept are the files of the data folder that say how a daemon is, by their names.
func (d *Daemon) filesKept(ctx context.Context, vaultKey bool) (map[string]keptFile, error) {
	out := make(map[string]keptFile)
	root := os.DirFS(d.cfg.Data)
	names := []string{backup.SettingsFile, "policy.yaml", HooksFile, OrgFile, backup.NodeKeyFile}
	if vaultKey {
		names = append(names, backup.VaultKeyFile)
	}
	more, err := d.promptsNamed(ctx)
	if err != nil {
		return nil, err
	}
	for _, dir := range []string{"hooks", "agents"} {
		err := fs.WalkDir(root, dir, func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() {
				names = append(names, path)
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fault.Wrap(err, fault.Unavailable, "The folder %s cannot be read for the backup.", filepath.Join(d.cfg.Data, dir))
		}
	}
	for _, name := range append(names, more...) {
		info, err := fs.Stat(root, name)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
			continue
		}
		if err == nil && info.Size() > mostKept {
			return nil, fault.New(fault.TooLarge, "The file %s has %d bytes; a backup takes files up to %d. Move it out of the data folder.", filepath.Join(d.cfg.Data, name), info.Size(), mostKept)
		}
		var raw []byte
		if err == nil {
			raw, err = fs.ReadFile(root, name)
		}
		if err != nil {
			return nil, fault.Wrap(err, fault.Unavailable, "The file %s cannot be read for the backup.", filepath.Join(d.cfg.Data, name))
		}
		if err := backup.CheckName(name); err != nil {
			return nil, fault.New(fault.Invalid, "The file %q in the data folder has a name that no backup can hold. Give it a plain one.", name)
		}
		out[name] = keptFile{append([]byte{}, raw...), info.Mode()&0o100 != 0}
	}
	return out, nil
}

// promptsNamed are the files that the organization's file names.
func (d *Daemon) promptsNamed(ctx context.Context) ([]string, error) {
	raw, err := os.ReadFile(filepath.Join(d.cfg.Data, OrgFile))
	if err != nil {
		return nil, nil //nolint:nilerr // it names none; that it cannot be read is said where it is read itself
	}
	have, err := d.db.Roster.Agents(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the agents: %w", err)
	}
	have = append(have, prompt.Defaults(func([]string) []org.Permission { return nil })...)
	seen := &noting{FS: os.DirFS(d.cfg.Data)}
	_, _ = config.ReadOrg(raw, have, seen) // what is wrong with it, its next reader says
	return seen.names, nil
}

// noting notes the files that are opened.
type noting struct {
	fs.FS
	names []string
}

func (n *noting) Open(name string) (fs.File, error) {
	n.names = append(n.names, name)
	return n.FS.Open(name)
}
