package gateway

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"chela/internal/fault"
)

// lookAgain is how often the files of a certificate are looked at, at most.
const lookAgain = 10 * time.Second

// A Certificate is what a listener of TLS shows. Its files are read again when they have changed, so that one that is
// renewed is shown without a restart. Safe for concurrent use.
type Certificate struct {
	cert, key string // files
	log       *slog.Logger

	mu     sync.Mutex // guards the rest
	pair   *tls.Certificate
	stamp  [2]time.Time // when the files had changed last, as they were read
	looked time.Time
}

// OpenCertificate reads a certificate with those above it, and its key, from files in PEM.
func OpenCertificate(cert, key string, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{cert: cert, key: key, log: log}
	if err := c.read(time.Now()); err != nil {
		return nil, err
	}
	return c, nil
}

// Leaf is the certificate itself, without those above it.
func (c *Certificate) Leaf() *x509.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pair.Leaf
}

// Config is how a listener speaks TLS with the certificate.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		return c.now(time.Now()), nil
	}}
}

// now returns the certificate as its files are. One that cannot be read is logged, and the one before it stays.
func (c *Certificate) now(at time.Time) *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at.Sub(c.looked) >= lookAgain {
		if err := c.read(at); err != nil {
			c.log.Warn("a certificate cannot be read again; the one before it is shown", "err", err)
		}
	}
	return c.pair
}

// read reads the files if they have changed. The caller holds mu, or has the only one.
func (c *Certificate) read(at time.Time) error {
	c.looked = at
	var stamp [2]time.Time
	for i, file := range []string{c.cert, c.key} {
		info, err := os.Stat(file)
		if err != nil {
			return unread(file, err)
		}
		stamp[i] = info.ModTime()
	}
	if c.pair != nil && stamp == c.stamp {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		return unread(of.Path, err)
	}
	if err != nil {
		return fault.Wrap(err, fault.Invalid, "tls: %s and %s are not a certificate and its key in PEM: %v.", c.cert, c.key, err)
	}
	c.pair, c.stamp = &pair, stamp
	return nil
}

// unread says why a file of a certificate cannot be read, and the way out.
func unread(file string, err error) error {
	why := err
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		why = of.Err
	}
	way := "Name a certificate and its key in PEM (cert and key of tls in chela.yaml)."
	if errors.Is(err, fs.ErrPermission) {
		way = "Let the daemon's user read it."
	}
	return fault.Wrap(err, fault.Invalid, "tls: the file %s cannot be read: %v. %s", file, why, way)
}
