package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"chela/internal/config"
	"chela/internal/daemon"
	"chela/internal/fault"
	"chela/internal/store"
)

func (a *app) backup() *cobra.Command {
	var pg string
	var key, replace bool
	c := &cobra.Command{
		Use: "backup FILE", Short: "Write everything that the organization is into one file; - writes to standard output", Args: cobra.ExactArgs(1),
		Long: `Writes one file with the log as it was recorded, the artifacts that it names, the vault as it is sealed, what opens for people and
programs, the node's key, and the settings, policy, hooks and skills of the data folder, all as of one moment, and proves the file
before it gets its name. The daemon goes on meanwhile; where none works on --data, the folder is read. Only an owner may.

The vault's key is not in it, unless --vault-key says so: keep that apart. ` + "`chela restore`" + ` brings the file back, into SQLite or PostgreSQL.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.makeBackup(cmd.Context(), args[0], source{pg, key}, replace)
		},
	}
	f := c.Flags()
	f.StringVar(&pg, "postgres", os.Getenv("CHELA_POSTGRES"), "PostgreSQL database (CHELA_POSTGRES), where no daemon works on --data")
	f.Lookup("postgres").DefValue = "" // the help would show the password
	a.artifactsFlag(f)
	f.BoolVar(&key, "vault-key", false, "put vault.key into the file, too: whoever has the file can then open every secret")
	f.BoolVar(&replace, "replace", false, "write over a file that is there, once the new one is whole")
	c.AddCommand(&cobra.Command{
		Use: "verify FILE", Short: "Read a backup whole and prove it: nothing changed or cut off, the chain of every stream, each artifact", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := os.Open(args[0])
			if err != nil {
				return fault.Wrap(err, fault.NotFound, "The file %s cannot be read.", args[0])
			}
			defer func() { _ = f.Close() }() // read only
			got, err := store.CheckBackup(f)
			if err != nil {
				return err
			}
			return a.print(got, func() { a.printf("%s is whole: %s\n", args[0], holds(got)) })
		},
	})
	return c
}

// source is what a backup is made of.
type source struct {
	pg       string
	vaultKey bool
}

// holds says what a backup holds.
func holds(c store.Checked) string {
	m := c.Manifest
	text := fmt.Sprintf("made on %s from %s by Chela %s, with %d events in %d streams, %s and %s.",
		c.Header.At.Format("2006-01-02 15:04:05 MST"), c.Header.Database, c.Header.Version, m.Events, m.Streams, plural(int(m.Artifacts), "artifact"), plural(int(m.Files), "file"))
	if m.Missing > 0 {
		text += fmt.Sprintf(" %d artifacts that the log names were missing or damaged where it was made.", m.Missing)
	}
	if c.Header.VaultKey {
		text += " The vault's key is in it: keep it as you keep the secrets."
	}
	return text
}

// write writes a backup to w: by the daemon, or of the data folder where no daemon works on it.
func (a *app) write(ctx context.Context, from source, w io.Writer) error {
	if a.url == "" && !daemon.Served(a.data) {
		cfg, err := config.Load(a.data)
		if err != nil {
			return err
		}
		override(&cfg.Postgres, from.pg)
		override(&cfg.Artifacts, a.artifacts)
		if _, err := os.Stat(filepath.Join(cfg.Data, "chela.db")); cfg.Postgres == "" && err != nil {
			return fault.Wrap(err, fault.NotFound, "There is nothing to back up in %s: no daemon works on it, and it holds no chela.db.", cfg.Data)
		}
		_, err = daemon.BackupUnserved(ctx, cfg, a.quiet(), from.vaultKey, w)
		return err
	}
	cl, err := a.client()
	if err != nil {
		return err
	}
	in, err := cl.Backup(ctx, from.vaultKey)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // read to its end, or cut
	if _, err := io.Copy(w, in); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The backup was cut off: the daemon at %s went away, or could not go on. `chela doctor` looks why.", cl.Address())
	}
	return nil
}

func (a *app) makeBackup(ctx context.Context, file string, from source, replace bool) error {
	if file == "-" {
		return a.write(ctx, from, a.out)
	}
	if _, err := os.Lstat(file); err == nil && !replace {
		return fault.New(fault.Conflict, "The file %s is there already. Name another, or write over it with --replace.", file)
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".part-*") // for its owner alone
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "No file can be written in %s.", filepath.Dir(file))
	}
	got, err := a.writeProven(ctx, from, tmp)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = giveName(tmp.Name(), file, replace)
	}
	if err != nil {
		_ = os.Remove(tmp.Name()) // the error says more
		if full := fault.FullDisk(err, filepath.Dir(file)); full != nil {
			return full
		}
		return err
	}
	return a.print(got, func() {
		a.printf("%s: %s\n", file, holds(got))
		if !got.Header.VaultKey {
			a.printf("The vault's key is not in it: keep vault.key, or what else opens the vault, apart from it. %s brings it back.\n", "`chela restore`")
		}
	})
}

// giveName gives a whole file its name.
func giveName(tmp, file string, replace bool) error {
	if replace {
		return os.Rename(tmp, file)
	}
	if err := os.Link(tmp, file); err == nil {
		return os.Remove(tmp)
	} else if errors.Is(err, fs.ErrExist) {
		return fault.Wrap(err, fault.Conflict, "The file %s is there already. Name another, or write over it with --replace.", file)
	}
	return os.Rename(tmp, file) // a file system without links
}

// writeProven writes a backup to a file and proves it while it comes.
func (a *app) writeProven(ctx context.Context, from source, to io.Writer) (store.Checked, error) {
	read, pipe := io.Pipe()
	type outcome struct {
		store.Checked
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		got, err := store.CheckBackup(read)
		if err == nil {
			_, err = io.Copy(io.Discard, read)
		}
		_ = read.CloseWithError(errors.Join(err, errUnproven)) // never fails
		done <- outcome{got, err}
	}()
	err := a.write(ctx, from, io.MultiWriter(to, pipe))
	_ = pipe.CloseWithError(err) // never fails; nil is its end
	out := <-done
	if err != nil && !errors.Is(err, errUnproven) {
		return out.Checked, err
	}
	return out.Checked, out.err
}

var errUnproven = errors.New("what was written does not prove")

func (a *app) restore() *cobra.Command {
	var pg string
	c := &cobra.Command{
		Use: "restore FILE --data NEW_FOLDER", Short: "Bring a backup back into an empty data folder, and SQLite or an empty PostgreSQL database", Args: cobra.ExactArgs(1),
		Long: `Proves the whole file, then brings it back: the log as it was, with the same ids, times, positions and hashes, the tables that follow
from it, the artifacts, the vault as it is sealed, what opens for people and programs, and the files of the data folder. The folder has to
be empty, and so has the database. What is interrupted begins anew when it is run again; no daemon starts on it before. A backup from
SQLite comes back into PostgreSQL with --postgres, and one from PostgreSQL into SQLite without: that is the move from one to the other.

What comes back is the same organization, with the same chats, schedules and keys. Stop the source for good before the copy serves.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("data") && os.Getenv("CHELA_DATA") == "" {
				return usageError{fault.New(fault.Invalid, "Name the folder to bring it back into: chela restore FILE --data NEW_FOLDER.")}
			}
			data, err := filepath.Abs(a.data)
			if err != nil {
				return fault.Wrap(err, fault.Invalid, "The folder %s cannot be found from here.", a.data)
			}
			got, err := daemon.Restore(cmd.Context(), config.Config{Data: data, Postgres: pg, Artifacts: a.artifacts}, args[0])
			if err != nil {
				return err
			}
			return a.print(got, func() { a.restored(got, pg != "") })
		},
	}
	f := c.Flags()
	f.StringVar(&pg, "postgres", os.Getenv("CHELA_POSTGRES"), "empty PostgreSQL database (CHELA_POSTGRES); SQLite in --data when empty")
	f.Lookup("postgres").DefValue = "" // the help would show the password
	f.StringVar(&a.artifacts, "artifacts", "", "folder of large payloads, where the daemon will be started with that flag (default artifacts in --data)")
	return c
}

func (a *app) restored(got daemon.Restored, postgres bool) {
	start := "chela serve --data " + got.Data
	if postgres {
		start += " --postgres URL"
	}
	if a.artifacts != "" {
		start += " --artifacts " + a.artifacts
	}
	a.printf("It is back: %s\n", holds(got.Checked))
	for _, n := range got.Notes {
		a.printf("%s\n", n)
	}
	a.printf("Stop the source for good, then start this one: %s\n", start)
}
