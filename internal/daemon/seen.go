package daemon

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"chela/internal/gateway"
	"chela/internal/org"
	"chela/internal/telemetry"
)

// showOutside begins to count, and to send to a collector where there is one.
func (d *Daemon) showOutside(ctx context.Context, log *slog.Logger) (err error) {
	d.seen, err = telemetry.Start(ctx, telemetry.Options{Collector: d.cfg.Trace, Version: Version, Node: d.cfg.Node, Log: d.log, Backlog: d.backlog})
	if err == nil {
		d.log = slog.New(d.secrets.Log(d.seen.Logs(log.Handler())))
	}
	return err
}

func (d *Daemon) backlog(ctx context.Context) (telemetry.Backlog, error) {
	b, err := d.db.Cluster.Backlog(ctx)
	return telemetry.Backlog(b), err
}

// metricsDoor shows the metrics to who has a token.
func (d *Daemon) metricsDoor(h *gateway.Hall) gateway.Door {
	return gateway.Door{Path: "/metrics", Handler: h.For(org.Viewer, d.seen.Metrics.ServeHTTP)}
}

// Times of the listener for metrics.
const (
	metricsHead = 5 * time.Second
	metricsStop = time.Second
)

// serveMetrics shows the metrics on a listener of their own, to everybody who reaches it.
func (d *Daemon) serveMetrics(ctx context.Context) error {
	if d.cfg.Metrics == "" {
		<-ctx.Done()
		return nil
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", d.cfg.Metrics)
	if err != nil {
		return noListener("metrics", d.cfg.Metrics, err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", d.seen.Metrics)
	s := &http.Server{Handler: mux, ReadHeaderTimeout: metricsHead}
	stopped := context.AfterFunc(ctx, func() {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), metricsStop)
		defer cancel()
		if s.Shutdown(grace) != nil {
			_ = s.Close() // it ends in any case
		}
	})
	defer stopped()
	if err := s.Serve(l); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}
