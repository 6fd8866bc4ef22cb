// Package daemontest runs a daemon in the process of a test, on a database of its own.
package daemontest

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"chela/internal/config"
	"chela/internal/daemon"
	"chela/internal/model"
	"chela/internal/testkit/openapitest"
)

// A Setup says how a daemon is. The zero value has no model, and begins nothing by the clock.
type Setup struct {
	Script  string               // of the scripted model that its agents ask, JSON; none when empty
	Change  func(*config.Config) // of what the configuration says otherwise
	Options daemon.Options
	Dir     string // its data folder; a new one when empty
}

// A Daemon runs until its test ends.
type Daemon struct {
	URL    string
	Secure string // its URL by TLS, where it listens so
	Token  string // the owner's
	Dir    string // its data folder
}

// Run runs a daemon. One that ends with an error fails the test, and so does one whose API answers what its document
// does not have.
func Run(t testing.TB, s Setup) Daemon {
	t.Helper()
	dir := s.Dir
	if dir == "" {
		dir = t.TempDir()
	}
	cfg, err := config.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Listen, cfg.NoSchedules = "127.0.0.1:0", true
	if s.Script != "" {
		file := filepath.Join(dir, "script.json")
		if err := os.WriteFile(file, []byte(s.Script), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg.Providers = []model.Provider{{Name: "scripted", Kind: model.KindScripted, Model: "scripted", Script: file}}
	}
	if s.Change != nil {
		s.Change(&cfg)
	}
	judge, err := openapitest.Shared()
	if err != nil {
		t.Fatal(err)
	}
	if s.Options.Front == nil {
		s.Options.Front = func(doors http.Handler) http.Handler {
			return judge.Handler(doors, func(what string) { t.Error(what) })
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	d, err := daemon.New(ctx, cfg, slog.New(slog.DiscardHandler), s.Options)
	if err != nil {
		t.Fatal(err)
	}
	at, err := d.Listen(ctx)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	out := Daemon{URL: "http://" + at.String(), Token: d.Token(), Dir: dir}
	if at := d.Secure(); at != nil {
		out.Secure = "https://" + at.String()
	}
	return out
}
