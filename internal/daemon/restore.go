package daemon

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"chela/internal/artifact"
	"chela/internal/backup"
	"chela/internal/config"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/store"
	"chela/internal/store/postgres"
	"chela/internal/store/sqlite"
	"chela/internal/vault"
)

// Restored says what came back.
type Restored struct {
	store.Checked
	Data  string   `json:"data"`
	Notes []string `json:"notes"` // what is left to do, a sentence or two each
}

// Restore brings a backup back into an empty data folder, and the empty database that cfg names. The whole file is proven before anything
// is written. What ends before its time is begun anew by the next; no daemon starts on it until then.
func Restore(ctx context.Context, cfg config.Config, file string) (Restored, error) {
	in, err := os.Open(file)
	if err != nil {
		return Restored{}, fault.Wrap(err, fault.NotFound, "The file %s cannot be read.", file)
	}
	defer func() { _ = in.Close() }() // read only
	checked, err := store.CheckBackup(in)
	out := Restored{Checked: checked, Data: cfg.Data, Notes: []string{}}
	if err != nil {
		return out, err
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return out, fault.Wrap(err, fault.Unavailable, "The file %s cannot be read twice, which it has to be. Copy it to a disk.", file)
	}
	if err := checkFolder(cfg.Data); err != nil {
		return out, err
	}
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return out, fault.Wrap(err, fault.Unavailable, "The folder %s cannot be made.", cfg.Data)
	}
	lock, err := lockData(cfg.Data)
	if err != nil {
		return out, err
	}
	defer func() { _ = lock.Close() }() // ends with the process at the latest
	if whole(ctx, cfg) {                // it lacked its last step
		return out, finishFolder(cfg.Data)
	}
	again, err := markFolder(cfg.Data)
	if err != nil {
		return out, err
	}
	r := &restoring{ctx: ctx, cfg: cfg, out: &out}
	if err := r.all(in); err != nil {
		if !r.begun && !again { // nothing was written
			err = errors.Join(err, os.Remove(filepath.Join(cfg.Data, backup.Unfinished)))
		}
		return out, err
	}
	return out, finishFolder(cfg.Data)
}

// checkFolder refuses a data folder in which there is something, unless that is of a restore that did not end.
func checkFolder(data string) error {
	list, err := os.ReadDir(data)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The folder %s cannot be read.", data)
	}
	if slices.ContainsFunc(list, func(e fs.DirEntry) bool { return e.Name() == backup.Unfinished }) {
		return nil
	}
	for _, e := range list {
		if e.Name() != lockFile {
			return fault.New(fault.Conflict, "The folder %s is not empty: it has %s. A backup is brought back into an empty one alone: name another with --data.", data, e.Name())
		}
	}
	return nil
}

// markFolder marks the data folder as not whole. Where a restore did not end, it removes what that has left, and again is true.
func markFolder(data string) (again bool, err error) {
	if unfinished(data) != nil {
		return true, clearFolder(data)
	}
	if err := checkFolder(data); err != nil {
		return false, err
	}
	return false, writeSynced(filepath.Join(data, backup.Unfinished), nil, 0o600)
}

// whole reports whether a restore into a folder ended but for the mark there: the database knows that it has all. A daemon with another
// folder may have gone on with it.
func whole(ctx context.Context, cfg config.Config) bool {
	raw, err := os.ReadFile(filepath.Join(cfg.Data, backup.Unfinished))
	if err != nil {
		return false
	}
	mark, err := strconv.ParseInt(strings.TrimSpace(string(raw)), 10, 64)
	if err != nil {
		return false
	}
	db, err := openRestored(ctx, cfg)
	if err != nil {
		return false
	}
	ok, err := db.RestoredBy(ctx, event.Seq(mark))
	return errors.Join(err, db.Close()) == nil && ok
}

// openRestored opens the database that a backup is brought back into.
func openRestored(ctx context.Context, cfg config.Config) (*store.DB, error) {
	if cfg.Postgres != "" {
		return postgres.Open(ctx, cfg.Postgres)
	}
	return sqlite.Open(ctx, filepath.Join(cfg.Data, databaseFile))
}

// clearFolder removes what a restore that did not end has left.
func clearFolder(data string) error {
	list, err := os.ReadDir(data)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The folder %s cannot be read.", data)
	}
	for _, e := range list {
		if e.Name() != backup.Unfinished && e.Name() != lockFile {
			err = errors.Join(err, os.RemoveAll(filepath.Join(data, e.Name())))
		}
	}
	return err
}

// finishFolder takes the mark away, when all that was written is on disk.
func finishFolder(data string) error {
	fault.Point("restore has its database")
	if err := syncFolder(data); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(data, backup.Unfinished)); err != nil {
		return fault.Wrap(err, fault.Unavailable, "All came back, but the mark %s stays in the folder. Remove it.", backup.Unfinished)
	}
	return syncFolder(data)
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func writeSynced(path string, raw []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, mode)
	if err == nil {
		_, err = f.Write(raw)
		err = errors.Join(err, f.Sync(), f.Close())
	}
	if err == nil {
		err = syncFolder(filepath.Dir(path))
	}
	if full := fault.FullDisk(err, filepath.Dir(path)); full != nil {
		return full
	}
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The file %s cannot be written.", path)
	}
	return nil
}

// unfinished refuses a data folder into which a backup was brought back in part.
func unfinished(data string) error {
	if _, err := os.Stat(filepath.Join(data, backup.Unfinished)); err == nil {
		return fault.New(fault.Conflict, "A backup was being brought back into %s and is not there whole. Run `chela restore` again, with the same file and --data; it begins anew.", data)
	}
	return nil
}

// restoring implements [backup.Handler].
type restoring struct {
	ctx   context.Context //nolint:containedctx // a restore lives inside one call
	cfg   config.Config
	out   *Restored
	db    *store.DB
	into  *store.Restoring
	files *artifact.Files
	begun bool // something was written
}

func (r *restoring) all(in io.Reader) (err error) {
	r.begun = r.cfg.Postgres == ""
	if r.db, err = openRestored(r.ctx, r.cfg); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.db.Close()) }()
	_, m, err := backup.Read(in, r)
	if err == nil && m.Digest != r.out.Manifest.Digest {
		err = fault.New(fault.Conflict, "The file of the backup was changed while it was read. Run `chela restore` again.")
	}
	if err != nil {
		return err
	}
	if err := r.settle(); err != nil {
		return err
	}
	fault.Point("restore is about to end")
	return r.into.End(r.ctx)
}

// Begin implements [backup.Handler].
func (r *restoring) Begin(h backup.Header) (err error) {
	if r.into, err = r.db.Restore(r.ctx, h.Schema); err != nil {
		return err
	}
	r.begun = true
	mark := strconv.FormatInt(int64(r.into.Mark()), 10) + "\n"
	if err := writeSynced(filepath.Join(r.cfg.Data, backup.Unfinished), []byte(mark), 0o600); err != nil {
		return err
	}
	r.files, err = artifact.Open(r.cfg.ArtifactDir())
	return err
}

// File implements [backup.Handler].
func (r *restoring) File(f backup.File, from io.Reader) error {
	fault.Point("restore of an entry")
	raw, err := io.ReadAll(from)
	if err != nil {
		return err
	}
	path := filepath.Join(r.cfg.Data, filepath.FromSlash(f.Name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The folder %s cannot be made.", filepath.Dir(path))
	}
	mode := fs.FileMode(0o600)
	if f.Exec {
		mode = 0o700
	}
	return writeSynced(path, raw, mode)
}

// Rows implements [backup.Handler].
func (r *restoring) Rows(table string, columns []string, rows [][]any) error {
	fault.Point("restore of an entry")
	return r.into.Rows(r.ctx, table, columns, rows)
}

// Artifact implements [backup.Handler].
func (r *restoring) Artifact(ref artifact.Ref, _ int64, from io.Reader) error {
	fault.Point("restore of an entry")
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	return r.files.Keep(ref, from)
}

// settle has the settings not lead to what the source works with, and notes what is left to do.
func (r *restoring) settle() error {
	note := func(format string, args ...any) {
		r.out.Notes = append(r.out.Notes, fault.New(fault.Invalid, format, args...).Text)
	}
	file := filepath.Join(r.cfg.Data, backup.SettingsFile)
	raw, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		text, keys := withoutPlaces(string(raw))
		if len(keys) > 0 {
			if err := writeSynced(file, []byte(text), 0o600); err != nil {
				return err
			}
			note("In %s these settings of the source are comments now: %s. They named the database or the folder that the source works with.", file, strings.Join(keys, ", "))
		}
		if c, err := config.Load(r.cfg.Data); err != nil || c.Postgres != "" || c.Artifacts != "" {
			aside := file + ".backup"
			if err := os.Rename(file, aside); err != nil {
				return err
			}
			note("The settings of the source do not fit here and lie in %s: look through them, and name the file chela.yaml.", aside)
		}
	}
	rows, err := r.db.Vault.Sealed(r.ctx)
	if err != nil {
		return err
	}
	switch source := vault.SourceIn(rows); {
	case source == vault.File && !r.out.Header.VaultKey:
		note("The vault came back sealed, and its key is not in the backup: copy %s of the source into %s. Until then no secret opens, so no model, channel or webhook that needs one works.", vault.KeyFile, r.cfg.Data)
	case source == vault.Keyring:
		note("The vault came back sealed. Its key lies in the keyring of the user who ran the source: start Chela as that user, on that machine.")
	case source == vault.Passphrase:
		note("The vault came back sealed; it opens with the passphrase of the source.")
	}
	return nil
}

// withoutPlaces makes comments of the settings that name where the source keeps its records, and returns which those are.
func withoutPlaces(text string) (string, []string) {
	var keys []string
	var out strings.Builder
	within := false
	for line := range strings.Lines(text) {
		if c := line[0]; c != ' ' && c != '\t' && c != '#' && c != '\n' && c != '\r' && c != '-' {
			key, _, _ := strings.Cut(line, ":")
			key = strings.Trim(strings.TrimSpace(key), `"'`)
			if within = key == "postgres" || key == "artifacts"; within {
				keys = append(keys, key)
			}
		}
		if within {
			out.WriteString("# ")
		}
		out.WriteString(line)
	}
	return out.String(), keys
}
