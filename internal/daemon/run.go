package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"syscall"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/findings"
	"chela/internal/gateway"
	"chela/internal/tracker"
)

// Listen opens the listener, so that the address is known before [Daemon.Run].
func (d *Daemon) Listen(ctx context.Context) (net.Addr, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", d.cfg.Listen)
	if err != nil {
		return nil, noListener("listen", d.cfg.Listen, err)
	}
	d.listener = l
	return l.Addr(), d.listenTLS(ctx)
}

// noListener says why an address cannot be listened on, and the way out. key is what chela.yaml calls it.
func noListener(key, address string, err error) error {
	way := "Name another with " + key + " in chela.yaml."
	why := err.Error()
	if sys, ok := errors.AsType[syscall.Errno](err); ok {
		why = sys.Error()
	}
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		why, way = "another program listens there", "If it is another daemon of Chela, `chela status` shows it; else name another address with "+key+" in chela.yaml."
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		why, way = "this machine does not have that address", "Name one that it has, or 0.0.0.0 for all, with "+key+" in chela.yaml."
	case errors.Is(err, syscall.EACCES):
		why, way = "ports below 1024 are for the administrator", "Name a higher one with "+key+" in chela.yaml."
	}
	return fault.Wrap(err, fault.Unavailable, "The address %s cannot be listened on: %s. %s", address, why, way)
}

// A part is something that runs until its context is done.
type part struct {
	name string
	run  func(context.Context) error
}

// Run starts every part, waits for ctx or the first failure, stops them in reverse
// order, edges first, and closes the daemon.
func (d *Daemon) Run(ctx context.Context) error {
	if d.listener == nil {
		if _, err := d.Listen(ctx); err != nil {
			return errors.Join(err, d.Close())
		}
	}
	began, err := d.db.Log.End(context.WithoutCancel(ctx))
	if err != nil {
		return errors.Join(err, d.Close())
	}
	d.log.Info("serving", "node", d.cfg.Node, "database", d.db.Name(), "address", d.listener.Addr().String())
	err = runParts(ctx, d.log, []part{
		{"follow", d.db.Follow},
		{"sign", d.sign},
		{"tools", d.tools.Run},
		{"mcp servers", d.servers.Run},
		{"tasks of others", d.tasks.Run},
		{"skills", d.skills.Run},
		{"hooks", func(ctx context.Context) error { return d.teller().Run(ctx, began) }},
		{"runs", d.runs.Run},
		{"queue", d.inbox.Run},
		{"clock", d.clock.Run},
		{"workflows", d.starter.Run},
		{"router", d.router.Run},
		{"findings", d.keep},
		{"distill", d.distil},
		{"compact", d.compact},
		{"recall", d.indexSaid},
		{"vectors", d.keepVectors},
		{"prepare", d.prepare},
		{"notifications", d.tell},
		{"channels", d.channels.Run},
		{"heartbeat", d.heartbeat},
		{"webhooks", d.tells.Run},
		{"trackers", d.watch},
		{"metrics", d.serveMetrics},
		{"http", d.serve},
		{"https", d.serveTLS},
		{"mcp", d.mcp.Run},
	})
	return errors.Join(err, d.Close())
}

// keep keeps what rules find about projects true, where something begins by itself.
func (d *Daemon) keep(ctx context.Context) error {
	if d.cfg.NoSchedules {
		<-ctx.Done()
		return nil
	}
	return findings.NewKeeper(d.clerk, d.db.Log, d.db.Directory, findings.Options{Kept: d.figures, Log: d.log}).Run(ctx)
}

// watch looks at the trackers that are read live, where something begins by itself.
func (d *Daemon) watch(ctx context.Context) error {
	if d.cfg.NoSchedules {
		<-ctx.Done()
		return nil
	}
	return tracker.Watcher{Syncer: d.trackers}.Run(ctx)
}

func (d *Daemon) serve(ctx context.Context) error {
	return gateway.Serve(ctx, d.listener, d.handler)
}

// signEvery is how often the heads of all streams are signed when the log has grown.
const signEvery = 10 * time.Minute

func (d *Daemon) sign(ctx context.Context) error {
	t := time.NewTicker(signEvery)
	defer t.Stop()
	last := event.Seq(-1)
	for {
		end, err := d.db.Log.End(ctx)
		if err == nil && end != last && ctx.Err() == nil {
			if _, err = d.db.Audit.SignHeads(ctx, d.key); err == nil {
				last = end
			}
		}
		if err != nil && ctx.Err() == nil {
			d.log.Warn("sign the heads of the log", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
	}
}

func runParts(ctx context.Context, log *slog.Logger, parts []part) error {
	failed := make(chan error, len(parts))
	stops := make([]func(), len(parts))
	for i, p := range parts {
		partCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		done := make(chan struct{})
		stops[i] = func() { cancel(); <-done; log.Debug("stopped", "part", p.name) }
		go func() {
			defer close(done)
			if err := p.run(partCtx); err != nil && !errors.Is(err, context.Canceled) {
				failed <- fmt.Errorf("%s: %w", p.name, err)
			}
		}()
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	for i := len(stops) - 1; i >= 0; i-- {
		stops[i]()
	}
	return err
}

// Close closes what New opened.
func (d *Daemon) Close() error {
	var err error
	if d.servers != nil {
		d.servers.Close()
		d.servers = nil
	}
	if d.browsers != nil {
		d.browsers.Close()
		d.browsers = nil
	}
	if d.seen != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second) //nolint:forbidigo // everything else has ended
		err = d.seen.Stop(ctx)
		cancel()
		d.seen = nil
	}
	if d.db != nil {
		err = errors.Join(err, d.db.Close())
		d.db = nil
	}
	if d.lock != nil {
		err = errors.Join(err, d.lock.Close())
		d.lock = nil
	}
	return err
}
