package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"chela/internal/artifact"
	"chela/internal/config"
	"chela/internal/daemon"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/store"
)

func (a *app) logCommands() *cobra.Command {
	c := &cobra.Command{Use: "log", Short: "Check, rebuild or export the log"}
	var pg string
	c.PersistentFlags().StringVar(&pg, "postgres", os.Getenv("CHELA_POSTGRES"), "PostgreSQL database (CHELA_POSTGRES)")
	c.PersistentFlags().Lookup("postgres").DefValue = "" // the help would show the password
	a.artifactsFlag(c.PersistentFlags())
	verify := &cobra.Command{
		Use: "verify [EXPORT]", Short: "Verify the hash chain of every stream; names the first tampered, missing or reordered event", Args: cobra.MaximumNArgs(1),
		Long: "Checks the log in --data, or an exported file, without a running daemon. Of --data the artifacts that events name are checked, too.",
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := a.verify(cmd.Context(), args, pg)
			if err != nil {
				return err
			}
			if err := a.print(r, func() { a.report(r) }); err != nil {
				return err
			}
			if !r.OK() {
				return fault.New(fault.Conflict, "The log does not verify.")
			}
			return unkept(r)
		},
	}
	rebuild := &cobra.Command{
		Use: "rebuild", Short: "Rebuild every projection from the log, and compare", Args: cobra.NoArgs,
		Long: "Rebuilds the tables that people see from the log. The daemon must not run.",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.rebuild(cmd.Context(), pg) },
	}
	export := &cobra.Command{
		Use: "export FILE", Short: "Export the log as lines of JSON with signed heads; - writes to standard output", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			in, err := cl.Open(cmd.Context(), "/api/log/export")
			if err != nil {
				return err
			}
			defer func() { _ = in.Close() }() // read to its end
			if args[0] == "-" {
				_, err = io.Copy(a.out, in)
				return err
			}
			f, err := os.OpenFile(args[0], os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
			if err != nil {
				return err
			}
			if _, err := io.Copy(f, in); err != nil {
				_ = f.Close() // the copy's error says more
				return err
			}
			return f.Close()
		},
	}
	c.AddCommand(verify, rebuild, export, a.erase())
	return c
}

// artifactsFlag adds the flag that says where a daemon keeps its artifacts that was started with --artifacts.
func (a *app) artifactsFlag(f *pflag.FlagSet) {
	f.StringVar(&a.artifacts, "artifacts", "", "folder of large payloads, where the daemon is started with that flag")
}

// open opens the store of --data to be read, without a daemon, and names the folder of its artifacts.
func (a *app) open(ctx context.Context, pg string) (db *store.DB, artifacts string, err error) {
	cfg, err := config.Load(a.data)
	if err != nil {
		return nil, "", err
	}
	override(&cfg.Postgres, pg)
	override(&cfg.Artifacts, a.artifacts)
	if cfg.Postgres == "" {
		if _, err := os.Stat(cfg.Data + "/chela.db"); err != nil {
			return nil, "", fault.Wrap(err, fault.NotFound, "There is no log in %s.", cfg.Data)
		}
	}
	db, err = daemon.OpenToRead(ctx, cfg)
	return db, cfg.ArtifactDir(), err
}

// examineUnserved checks the log and its artifacts without a daemon. A database that cannot be read is told of elsewhere.
func (a *app) examineUnserved(ctx context.Context, cfg config.Config) []check {
	db, folder, err := a.open(ctx, cfg.Postgres)
	if err != nil {
		return nil
	}
	defer func() { _ = db.Close() }() // read only
	return append(examineBackupsUnserved(ctx, db), examineLog(db.Audit.VerifyWith(ctx, artifact.At(folder).Get))...)
}

// examineLog says whether the log verifies, and whether the artifacts that it names are there.
func examineLog(r event.Report, err error) []check {
	switch {
	case err != nil && r.Events > 0 && r.OK():
		return []check{{"log", true, fmt.Sprintf("%d events verify.", r.Events)}, {"artifacts", false, textOf(err)}}
	case err != nil:
		return []check{{"log", false, textOf(err)}}
	case !r.OK():
		return []check{{"log", false, "The log does not verify. `chela log verify` names where."}}
	}
	out := []check{{"log", true, fmt.Sprintf("%d events verify.", r.Events)}}
	if err := unkept(r); err != nil {
		return append(out, check{"artifacts", false, textOf(err) + " `chela log verify` names them."})
	}
	if r.Artifacts > 0 {
		out = append(out, check{"artifacts", true, fmt.Sprintf("All %d that events name are there.", r.Artifacts)})
	}
	return out
}

func (a *app) verify(ctx context.Context, args []string, pg string) (event.Report, error) {
	if len(args) == 1 {
		f, err := os.Open(args[0])
		if err != nil {
			return event.Report{}, fault.Wrap(err, fault.NotFound, "The file %s cannot be read.", args[0])
		}
		defer func() { _ = f.Close() }() // read only
		r, err := store.VerifyExport(f)
		if err != nil {
			return r, fault.Wrap(err, fault.Invalid, "%s cannot be checked: %s.", args[0], err)
		}
		return r, nil
	}
	db, folder, err := a.open(ctx, pg)
	if err != nil {
		return event.Report{}, err
	}
	defer func() { _ = db.Close() }() // read only
	return db.Audit.VerifyWith(ctx, artifact.At(folder).Get)
}

func (a *app) report(r event.Report) {
	for _, f := range r.Findings {
		a.printf("%s, event %d %s: %s\n", f.Stream, f.StreamSeq, f.ID, f.Text)
	}
	if r.OK() {
		a.printf("The log verifies: %d events in %d streams.\n", r.Events, r.Streams)
	}
	for _, f := range r.Missing {
		a.printf("%s, event %d %s: %s\n", f.Stream, f.StreamSeq, f.ID, f.Text)
	}
	if r.Artifacts > 0 && len(r.Missing) == 0 {
		a.printf("All %d artifacts that it names are there.\n", r.Artifacts)
	}
	if len(r.Erased) > 0 {
		a.printf("Payloads taken out on demand: %s\n", strings.Join(r.Erased, ", "))
	}
	if r.Unproven {
		a.printf("There are no signed heads: events cut off at a stream's end would not show.\n")
	} else {
		a.printf("Heads signed at %s.\n", r.HeadsAt.Format("2006-01-02 15:04:05 MST"))
	}
}

// unkept says how many of the artifacts that the log names are missing, if any is.
func unkept(r event.Report) error {
	if len(r.Missing) == 0 {
		return nil
	}
	return fault.New(fault.NotFound, "%d of %d artifacts that the log names are missing or damaged: files, pictures and long results. Bring the artifacts folder back from a backup, as it belongs to the database, or name it with --artifacts where the daemon is started with that.",
		len(r.Missing), r.Artifacts)
}

func (a *app) rebuild(ctx context.Context, pg string) error {
	cfg, err := config.Load(a.data)
	if err != nil {
		return err
	}
	override(&cfg.Postgres, pg)
	r, err := daemon.Rebuild(ctx, cfg)
	if err != nil {
		return err
	}
	if err := a.print(r, func() {
		for i, s := range r.After {
			same := "identical"
			if r.Before[i] != s {
				same = "different"
			}
			a.printf("%-18s %7d rows  %s  %s\n", s.Table, s.Rows, s.Digest[:12], same)
		}
		a.printf("%d events replayed.\n", r.Events)
	}); err != nil {
		return err
	}
	if d := r.Different(); len(d) > 0 {
		return fault.New(fault.Conflict, "These tables were not as the log gives them, and are now: %s.", strings.Join(d, ", "))
	}
	return nil
}
