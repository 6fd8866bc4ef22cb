package cli

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chela/internal/agent"
	"chela/internal/config"
	"chela/internal/daemon"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/gateway/client"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/telemetry"
	"chela/internal/tool/browser"
	"chela/internal/vector"
)

func (a *app) status() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show the daemon's state", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			s, err := cl.Status(cmd.Context())
			if err != nil {
				return err
			}
			return a.print(s, func() {
				a.printf("Chela %s on %s, node %s of %d\n%d events, %d models configured\n%d runs queued, %d running, %d waiting\n%s\nThe owner's token lies in %s.\n",
					s.Version, s.Database, s.Node, len(s.Nodes), s.Events, s.Models, s.Runs["queued"], s.Runs["running"], s.Runs["waiting"], spent(s.Spend, s.SpendToday), filepath.Join(a.data, "token"))
			})
		},
	}
}

// spent says what models cost, and what of it today.
func spent(all, today agent.Spend) string {
	return fmt.Sprintf("%d model calls, %s USD, %s of it today (UTC)%s", all.Calls, atLeast(all.CostUSD, all.Unpriced), atLeast(today.CostUSD, today.Unpriced), unpriced(all.Unpriced))
}

func (a *app) why() *cobra.Command {
	return &cobra.Command{
		Use: "why RUN", Short: "Explain what a run waits for, why it did not start, or how it ended", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return a.whichRun(cmd.Context(), cl)
			}
			r, err := cl.GetRun(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return a.print(r, func() { a.printf("%s, %s: %s\n%s\n", r.Run.ID, r.Run.State, r.Run.Title, r.Why) })
		},
	}
}

// whichRun says what `chela why` wants, with the latest runs that are not done.
func (a *app) whichRun(ctx context.Context, cl *client.Client) error {
	all, err := cl.ListRuns(ctx, client.ListRunsQuery{Limit: 50})
	if err != nil {
		return err
	}
	text := "Name a run: chela why RUN."
	lines := 0
	for _, r := range all {
		if r.State == string(run.Done) || lines == 5 {
			continue
		}
		if lines++; lines == 1 {
			text += " The latest that are not done:"
		}
		text += fmt.Sprintf("\n  %s  %s  %s", r.ID, r.State, r.Title)
	}
	return usageError{fault.New(fault.Invalid, "%s", text)}
}

func (a *app) organization() *cobra.Command {
	c := &cobra.Command{Use: "org", Short: "Export the organization's agents"}
	c.AddCommand(&cobra.Command{
		Use: "export", Short: "Print org.yaml; in the data folder it applies from the next start", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			all, err := cl.ListAgents(cmd.Context())
			if err != nil {
				return err
			}
			agents := make([]org.Agent, len(all))
			for i, m := range all {
				agents[i] = org.Agent{Card: m.Card, Profile: org.Profile{
					Kind: org.Kind(m.Kind), Prompt: m.Prompt, Tools: m.Tools, Permissions: permissionsOf(m.Permissions), Budget: m.Budget, Enabled: m.Enabled, Model: m.Model,
				}}
			}
			raw, err := config.WriteOrg(config.Org{Name: "Chela", Agents: agents})
			if err != nil {
				return err
			}
			a.printf("%s", raw)
			return nil
		},
	})
	return c
}

func (a *app) login() *cobra.Command {
	return &cobra.Command{
		Use: "login", Short: "Print a one-time login link for the page", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			l, err := cl.LoginLink(cmd.Context())
			if err != nil {
				return err
			}
			url := a.url
			if raw, err := os.ReadFile(filepath.Join(a.data, addressFile)); url == "" && err == nil {
				url = "http://" + strings.TrimSpace(string(raw))
			}
			return a.print(l, func() { a.printf("%s%s\n", url, l.Path) })
		},
	}
}

// A check is one line of the doctor's.
type check struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	Text string `json:"text"`
}

func (a *app) doctor() *cobra.Command {
	c := &cobra.Command{
		Use: "doctor", Short: "Check the configuration, the daemon, the models, the schedules and the log", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list := a.examine(cmd.Context())
			bad := 0
			err := a.print(list, func() {
				for _, c := range list {
					mark := "ok  "
					if !c.OK {
						mark = "BAD "
						bad++
					}
					a.printf("%s%-14s %s\n", mark, c.Name, c.Text)
				}
			})
			if err == nil && bad > 0 {
				err = fmt.Errorf("%s failed", plural(bad, "check"))
			}
			return err
		},
	}
	a.artifactsFlag(c.Flags())
	return c
}

func (a *app) examine(ctx context.Context) []check {
	var out []check
	add := func(name string, err error, text string) {
		if err != nil {
			text = textOf(err)
		}
		out = append(out, check{name, err == nil, text})
	}
	cfg, wrong := config.Load(a.data)
	add("configuration", wrong, "chela.yaml in "+a.data+" reads.")
	override(&cfg.Postgres, os.Getenv("CHELA_POSTGRES"))
	out = append(out, examineFiles(a.data)...)
	if cfg.TLS.Listen != "" {
		text, err := examineTLS(cfg, time.Now())
		add("tls", err, text)
	}
	if cfg.Trace != "" {
		add("traces", telemetry.Check(ctx, cfg.Trace), "The collector "+cfg.Trace+" answers.")
	}
	cl, err := a.client()
	add("token", err, "The token reads.")
	var s client.Status
	if err == nil {
		s, err = cl.Status(ctx)
		add("daemon", err, fmt.Sprintf("Version %s on %s answers at %s.", s.Version, s.Database, cl.Address()))
	}
	if err != nil {
		if wrong == nil {
			if err := cfg.CheckListen(); err != nil {
				add("listen", err, "")
			}
			for _, e := range daemon.Examine(ctx, cfg) {
				add(e.Name, e.Err, e.Text)
			}
			out = append(out, examineProxies(cfg.Proxies, nil)...)
			out = append(out, a.examineUnserved(ctx, cfg)...)
		}
		return out
	}
	if len(cfg.Failover) > 0 {
		add("failover", nil, "A model that cannot answer is followed by "+strings.Join(cfg.Failover, ", ")+".")
	}
	_, err = cl.Health(ctx)
	add("database", err, "What is said can be recorded.")
	out = append(out, examineProxies(cfg.Proxies, s.DoubtedProxies)...)
	out = append(out, examineNodes(s)...)
	out = append(out, a.examineModels(ctx, cl)...)
	out = append(out, a.examineTranscription(ctx, cl)...)
	out = append(out, a.examineVectors(ctx, cl)...)
	out = append(out, a.examineAgents(ctx, cl)...)
	out = append(out, a.examineSchedules(ctx, cl, client.Value(s.NoSchedules))...)
	out = append(out, a.examinePermissions(ctx, cl)...)
	out = append(out, examineBrowser(ctx, cfg.Browser))
	out = append(out, a.examineVault(ctx, cl)...)
	out = append(out, a.examineHooks(ctx, cl)...)
	out = append(out, a.examineMCP(ctx, cl)...)
	out = append(out, a.examineSkills(ctx, cl)...)
	out = append(out, a.examineChannels(ctx, cl)...)
	out = append(out, a.examineWebhooks(ctx, cl)...)
	out = append(out, a.examineTrackers(ctx, cl)...)
	out = append(out, a.examineBudgets(ctx, cl)...)
	out = append(out, a.examineWorkflows(ctx, cl)...)
	out = append(out, a.examineContracts(ctx, cl)...)
	out = append(out, a.examineBackups(ctx, cl)...)
	r, err := cl.VerifyLog(ctx)
	out = append(out, examineLog(r, err)...)
	if _, err := exec.LookPath("psql"); err != nil && cfg.Postgres != "" {
		out = append(out, check{"psql", true, "psql is not installed; only people need it."})
	}
	return out
}

// soonOver is how long before its end a certificate is told of.
const soonOver = 14 * 24 * time.Hour

// examineTLS says how long the certificate lasts and for which hosts it is, or what is wrong with it.
func examineTLS(cfg config.Config, now time.Time) (string, error) {
	c, err := gateway.OpenCertificate(cfg.TLS.Cert, cfg.TLS.Key, slog.New(slog.DiscardHandler))
	if err != nil {
		return "", err
	}
	leaf := c.Leaf()
	ends := leaf.NotAfter.Local().Format("2006-01-02 15:04")
	if leaf.NotAfter.Sub(now) < soonOver {
		return "", fault.New(fault.Invalid, "The certificate %s ends on %s. Renew it; the daemon shows the new one by itself.", cfg.TLS.Cert, ends)
	}
	for _, host := range cfg.Hosts {
		if err := leaf.VerifyHostname(host); err != nil {
			return "", fault.Wrap(err, fault.Invalid, "The certificate %s is not for the host %s, which chela.yaml names.", cfg.TLS.Cert, host)
		}
	}
	return fmt.Sprintf("%s speaks TLS; its certificate lasts until %s.", cfg.TLS.Listen, ends), nil
}

// examineTranscription says which model transcribes audio files, or why none does although one is named.
func (a *app) examineTranscription(ctx context.Context, cl *client.Client) []check {
	c, err := cl.ListModelChoices(ctx)
	switch {
	case err != nil:
		return []check{{"transcription", false, textOf(err)}}
	case c.TranscriptionProblem != "":
		return []check{{"transcription", false, c.TranscriptionProblem}}
	case c.Named.Jobs.Transcription != "":
		return []check{{"transcription", true, c.Named.Jobs.Transcription + " writes down what people say in audio files."}}
	}
	return nil
}

// examineVectors says how far the vectors of memories are, or why none are made although a model is named for it.
func (a *app) examineVectors(ctx context.Context, cl *client.Client) []check {
	c, err := cl.ListModelChoices(ctx)
	if err == nil && c.Named.Jobs.Embedding == "" {
		return nil
	}
	var s vector.Status
	if err == nil {
		s, err = cl.VectorStatus(ctx)
	}
	switch {
	case err != nil:
		return []check{{"vectors", false, textOf(err)}}
	case s.Problem != "":
		return []check{{"vectors", false, fmt.Sprintf("%s %d passages wait; memories are found by words alone until then.", s.Problem, s.Waiting)}}
	}
	return []check{{"vectors", true, fmt.Sprintf("%s gives vectors of %d numbers; %d passages have one, %d wait.", s.Model, s.Dims, s.Kept, s.Waiting)}}
}

// examineBrowser says which browser agents use. None is no fault unless the file names one.
func examineBrowser(ctx context.Context, cfg config.Browser) check {
	text, err := browser.Examine(ctx, daemon.BrowserOptions(cfg, nil))
	if err == nil {
		return check{"browser", true, text}
	}
	_, missing := browser.Find(cfg.Path)
	return check{"browser", missing != nil && cfg.Path == "", textOf(err)}
}

func (a *app) examineModels(ctx context.Context, cl *client.Client) []check {
	models, err := cl.ListModels(ctx)
	if err != nil {
		return []check{{"models", false, textOf(err)}}
	}
	if len(models) == 0 {
		return []check{{"models", true, "None is configured: what rules can do works, answers are computed tables. `chela setup` adds one."}}
	}
	var out []check
	for _, m := range models {
		text := fmt.Sprintf("%s (%s), model %s, from %s", m.Name, m.Kind, m.Model, providerFrom(m.From))
		if !m.HasKey && (m.Kind == model.KindAnthropic || m.Kind == model.KindGemini) {
			out = append(out, check{"model", false, text + ": it has no key."})
			continue
		}
		out = append(out, check{"model", true, text + "."})
		for _, c := range m.Cooling {
			out = append(out, check{"model", false, fmt.Sprintf("%s is not asked until %s (%s): %s", c.Model, c.Until.Local().Format("15:04 on 2006-01-02"), c.Reason, c.Error)})
		}
	}
	return out
}

// providerFrom names the place in which a provider is set.
func providerFrom(from string) string {
	switch from {
	case "file":
		return "chela.yaml"
	case "environment", "settings":
		return "the " + from
	}
	return from
}

// permissionsOf returns the permissions that the API says an agent has.
func permissionsOf(said map[string]bool) org.Permissions {
	var has []org.Permission
	for name, yes := range said {
		if yes {
			has = append(has, org.Permission(name))
		}
	}
	return org.PermissionsOf(has...)
}
