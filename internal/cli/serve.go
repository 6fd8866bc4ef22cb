package cli

import (
	"context"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"chela/internal/config"
	"chela/internal/daemon"
)

func (a *app) serve() *cobra.Command {
	var listen, pg, node, artifacts, profile string
	var hosts []string
	var verbose, still bool
	c := &cobra.Command{
		Use: "serve", Short: "Run the daemon", Args: cobra.NoArgs,
		Long: "Runs the daemon until it is interrupted. It listens on loopback only, unless --listen names another address and --host the names under which it may be called. `tls` in chela.yaml adds a listener that speaks TLS.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := config.Load(a.data)
			if err != nil {
				return err
			}
			override(&cfg.Listen, listen)
			override(&cfg.Postgres, pg)
			override(&cfg.Node, node)
			override(&cfg.Artifacts, artifacts)
			cfg.Hosts = append(cfg.Hosts, hosts...)
			cfg.NoSchedules = cfg.NoSchedules || still
			if err := cfg.CheckListen(); err != nil {
				return err
			}
			collectLater()
			return profiled(profile, func() error {
				d, err := daemon.New(cmd.Context(), cfg, a.logger(verbose), daemon.Options{Hold: collector.hold})
				if err != nil {
					return err
				}
				return a.run(cmd.Context(), d, cfg, "")
			})
		},
	}
	f := c.Flags()
	f.StringVar(&listen, "listen", "", "address (default "+config.DefaultListen+")")
	f.StringVar(&pg, "postgres", os.Getenv("CHELA_POSTGRES"), "PostgreSQL database (CHELA_POSTGRES); SQLite in --data when empty")
	f.Lookup("postgres").DefValue = "" // the help would show the password
	f.StringVar(&node, "node", "", "name of this process among those that share a database")
	f.StringVar(&artifacts, "artifacts", "", "folder of large payloads, shared by all that share a database (default artifacts in --data)")
	f.StringSliceVar(&hosts, "host", nil, "name under which the daemon may be called, beside loopback's")
	f.StringVar(&profile, "profile", "", "file for where the processor's time went, written when the daemon ends (for go tool pprof)")
	f.BoolVar(&still, "no-schedules", false, "begin nothing by the clock (no_schedules in chela.yaml)")
	f.BoolVarP(&verbose, "verbose", "v", false, "log more")
	return c
}

func override(v *string, flag string) {
	if flag != "" {
		*v = flag
	}
}

// quiet logs what is wrong, so that what was printed stays in sight.
func (a *app) quiet() *slog.Logger {
	return slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

func (a *app) logger(verbose bool) *slog.Logger {
	level := slog.LevelInfo
	if verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level}))
}

// run says where the daemon listens, with a login link that leads to a view of the page, and serves
// until ctx is done. A link opens for whoever reads it, so where what is printed is kept, as in a journal, there is none but that of a demo.
func (a *app) run(ctx context.Context, d *daemon.Daemon, cfg config.Config, view string) error {
	addr, err := d.Listen(ctx)
	if err != nil {
		return errorsJoinClose(err, d)
	}
	opens := "Open it with `chela login`, which prints a link for an hour"
	if view != "" || isTerminal(a.out) {
		link, err := d.LoginLink(ctx)
		if err != nil {
			return errorsJoinClose(err, d)
		}
		if view != "" {
			link += "&to=" + url.QueryEscape(view)
		}
		opens = "Open http://" + reach(addr) + link + " (once, within the hour)"
	}
	file := filepath.Join(cfg.Data, addressFile)
	if err := os.WriteFile(file, []byte(reach(addr)+"\n"), 0o600); err != nil {
		return errorsJoinClose(err, d)
	}
	defer func() { _ = os.Remove(file) }() // another start writes its own
	a.printf("Data: %s\nChela listens on http://%s\n%s\n", cfg.Data, reach(addr), opens)
	if at := d.Secure(); at != nil {
		a.printf("Others reach it at https://%s\n", at)
	}
	collectLess()
	return d.Run(ctx)
}

// reach is an address under which this machine reaches the daemon.
func reach(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return addr.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}
