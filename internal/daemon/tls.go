package daemon

import (
	"context"
	"net"

	"chela/internal/gateway"
)

// A secure is the listener for others, which speaks TLS.
type secure struct {
	net.Listener

	shows *gateway.Certificate
}

// listenTLS opens the listener for others, if the file names one.
func (d *Daemon) listenTLS(ctx context.Context) error {
	c := d.cfg.TLS
	if c.Listen == "" {
		return nil
	}
	shows, err := gateway.OpenCertificate(c.Cert, c.Key, d.log)
	if err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Listen)
	if err != nil {
		return noListener("tls.listen", c.Listen, err)
	}
	d.secure = &secure{l, shows}
	return nil
}

// Secure is where others reach the daemon by TLS, once it listens; nil is nowhere.
func (d *Daemon) Secure() net.Addr {
	if d.secure == nil {
		return nil
	}
	return d.secure.Addr()
}

func (d *Daemon) serveTLS(ctx context.Context) error {
	if d.secure == nil {
		<-ctx.Done()
		return nil
	}
	return gateway.ServeTLS(ctx, d.secure, d.secure.shows, d.handler, d.log)
}
