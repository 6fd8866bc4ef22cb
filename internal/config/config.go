// Package config reads the daemon's file. Flags say how to start, the file says how
// to behave; unknown keys are refused with their line.
package config

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"chela/internal/fault"
	"chela/internal/model"
	"chela/internal/pattern"
	"chela/internal/run"
	"chela/internal/yamlfile"
)

// A Config is how a daemon behaves.
type Config struct {
	// Data is the folder of this daemon: the database, artifacts, token, key.
	Data string `yaml:"-"`
	// Listen is the address of the one listener; 127.0.0.1:7077 when empty.
	Listen string `yaml:"listen"`
	// Hosts are names under which the daemon may be called, beside loopback's.
	Hosts []string `yaml:"hosts"`
	// Proxies are programs before the daemon that hand requests on.
	Proxies Proxies `yaml:"proxies"`
	// Postgres is the address of a PostgreSQL database; empty means SQLite in Data.
	Postgres string `yaml:"postgres"`
	// Artifacts is the folder of large payloads; empty means artifacts in Data. Daemons
	// that share a database share this folder too.
	Artifacts string `yaml:"artifacts"`
	// Node names this process among all that share a database; empty means a name made
	// from its key.
	Node string `yaml:"node"`
	// Lanes are the widths of the lanes that differ from the defaults.
	Lanes map[run.Lane]int `yaml:"lanes"`
	// NoSchedules makes a daemon that begins nothing by the clock; what people ask for at
	// once it does.
	NoSchedules bool `yaml:"no_schedules"`
	// Providers are the models, before those of the environment.
	Providers []model.Provider `yaml:"providers"`
	// Models are the models of agents that name none, by what they are for.
	Models model.Jobs `yaml:"models"`
	// Prices lies over our own table of models' limits, prices and defaults.
	Prices []model.Override `yaml:"prices"`
	// Failover lists the models, as provider/model, that are asked in this order when the
	// one that should answer cannot.
	Failover []string `yaml:"failover"`
	// Sandbox says how programs run in a sandbox.
	Sandbox Sandbox `yaml:"sandbox"`
	// Browser says which browser agents use.
	Browser Browser `yaml:"browser"`
	// Vault says where the key of the secrets lies.
	Vault Vault `yaml:"vault"`
	// BodyStall is how long the body of a request may stand still; 0 is ten seconds.
	BodyStall time.Duration `yaml:"-"`
	// Trace is the base URL of an OpenTelemetry collector (OTLP over HTTP); empty means
	// what OTEL_EXPORTER_OTLP_ENDPOINT says, or none.
	Trace string `yaml:"trace"`
	// Metrics is the address of a listener that shows /metrics to everybody who reaches it, such as
	// 127.0.0.1:9464; empty means only to those with a token, on the one listener.
	Metrics string `yaml:"metrics"`
	// TLS is a listener for others, beside the one of this machine.
	TLS TLS `yaml:"tls"`
}

// A TLS is a listener that speaks TLS. The zero value listens nowhere.
type TLS struct {
	// Listen is its address, such as 0.0.0.0:7443.
	Listen string `yaml:"listen"`
	// Cert and Key are the files of its certificate, with those above it, and of its key, in PEM. They are read again
	// when they change.
	Cert string `yaml:"cert"`
	Key  string `yaml:"key"`
}

// A Sandbox says how the programs of agents are kept in. The zero value holds all layers
// or runs nothing.
type Sandbox struct {
	// Backend is namespaces, bubblewrap, landlock, docker or none; empty takes the first that works.
	Backend string `yaml:"backend"`
	// LandlockSuffices accepts a weaker sandbox where no namespaces can be had.
	LandlockSuffices bool `yaml:"landlock_suffices"`
	// Unconfined runs programs without a sandbox where they cannot be held: they may do all that
	// the daemon's user may.
	Unconfined bool `yaml:"unconfined"`
	// Path lists further folders with programs.
	Path []string `yaml:"path"`
	// Env are variables that programs get beside a clean environment, such as GOMODCACHE; a
	// folder that one names is readable inside.
	Env map[string]string `yaml:"env"`
	// Image is Docker's; debian:stable-slim when empty.
	Image string `yaml:"image"`
}

// A Browser says which browser agents use. The zero value takes the Chromium or Chrome that is
// installed, held by its own sandbox.
type Browser struct {
	// Path is the program.
	Path string `yaml:"path"`
	// Unsandboxed runs it without its own sandbox, where that cannot be had.
	Unsandboxed bool `yaml:"unsandboxed"`
	// MemoryMB is how much memory it may use for one conversation; 1024 when 0.
	MemoryMB int `yaml:"memory_mb"`
	// ProcessorSeconds is how much time of the processor it may use between two calls; 120 when 0.
	ProcessorSeconds int `yaml:"processor_seconds"`
}

// A Vault says where the key of the secrets lies.
type Vault struct {
	// Key of a vault that is new: keyring, file or passphrase; empty takes the keyring where
	// there is one, else a file in Data.
	Key string `yaml:"key"`
	// PassphraseFile holds the passphrase; empty means what CHELA_VAULT_PASSPHRASE_FILE says.
	PassphraseFile string `yaml:"passphrase_file"`
}

// DefaultListen is where a daemon listens unless told otherwise.
const DefaultListen = "127.0.0.1:7077"

// DefaultData is the folder of everything unless told otherwise.
func DefaultData() string {
	if dir := os.Getenv("CHELA_DATA"); dir != "" {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ".chela"
	}
	return filepath.Join(home, ".chela")
}

// Load reads chela.yaml in the data folder; a missing file means the defaults.
func Load(data string) (Config, error) {
	c := Config{}
	data, err := filepath.Abs(data) // programs are given folders of it, which they know by whole paths alone
	if err != nil {
		return c, fault.Wrap(err, fault.Invalid, "The folder %s cannot be found from here.", data)
	}
	file := filepath.Join(data, "chela.yaml")
	raw, err := os.ReadFile(file) //nolint:gosec // the operator's own folder
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return c, fault.Wrap(err, fault.Invalid, "The file %s cannot be read.", file)
	default:
		if err := yaml.UnmarshalWithOptions(yamlfile.Unmarked(raw), &c, yaml.Strict()); err != nil {
			return c, fault.Wrap(err, fault.Invalid, "The file %s does not fit:\n%s", file, yaml.FormatError(err, false, true))
		}
	}
	c.Data = data
	return c, c.fill()
}

// ArtifactDir is the folder of large payloads.
func (c *Config) ArtifactDir() string {
	if c.Artifacts != "" {
		return c.Artifacts
	}
	return filepath.Join(c.Data, "artifacts")
}

func (c *Config) fill() error {
	if c.Listen == "" {
		c.Listen = DefaultListen
	}
	if c.Trace == "" {
		c.Trace = os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT")
	}
	if c.Vault.PassphraseFile == "" {
		c.Vault.PassphraseFile = os.Getenv("CHELA_VAULT_PASSPHRASE_FILE")
	}
	if !slices.Contains([]string{"", "keyring", "file", "passphrase"}, c.Vault.Key) {
		return fault.BadField("vault.key", "It is not known.", "keyring", "file", "passphrase")
	}
	if c.Browser.MemoryMB < 0 || c.Browser.ProcessorSeconds < 0 {
		return fault.New(fault.Invalid, "browser: memory_mb and processor_seconds are numbers above 0; leave them out for 1024 and 120.")
	}
	for l, n := range c.Lanes {
		if _, ok := run.DefaultLanes()[l]; !ok || n < 1 {
			return fault.New(fault.Invalid, "lanes: %s: %d is not a lane with a width; the lanes are user, schedule, child and transcription, at least 1 wide.", l, n)
		}
	}
	for i, o := range c.Prices {
		if err := o.Check(); err != nil {
			return fault.Wrap(err, fault.Invalid, "prices: entry %d does not fit. %s", i+1, fault.TextOf(err))
		}
	}
	return c.checkAddresses()
}

var hostName = pattern.New(`^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$`)

// CheckListen refuses what [Load] does, and an address that others reach unless the file or whoever starts the daemon names the hosts
// under which it is meant to be called. Every request is authenticated in any
// case; naming the hosts is how an operator says that others shall reach it.
func (c *Config) CheckListen() error {
	if err := c.checkAddresses(); err != nil {
		return err
	}
	if err := c.checkNamed("listen", c.Listen); err != nil || c.TLS == (TLS{}) {
		return err
	}
	return c.checkNamed("tls.listen", c.TLS.Listen)
}

// checkAddresses refuses hosts that no request can name, and what is no address.
func (c *Config) checkAddresses() error {
	if err := c.checkHosts(); err != nil {
		return err
	}
	if err := c.Proxies.check(); err != nil {
		return err
	}
	if err := checkAddress("listen", c.Listen); err != nil || c.TLS == (TLS{}) {
		return err
	}
	if c.TLS.Listen == "" || c.TLS.Cert == "" || c.TLS.Key == "" {
		return fault.New(fault.Invalid, "tls: A listener needs listen, cert and key: its address, and the files of a certificate and its key.")
	}
	return checkAddress("tls.listen", c.TLS.Listen)
}

// checkHosts has each host as requests name it, in small letters, and refuses what no request can name.
func (c *Config) checkHosts() error {
	hosts := make([]string, 0, len(c.Hosts))
	for _, h := range c.Hosts {
		name := strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(h, "["), "]"), "."))
		if net.ParseIP(name) == nil && !hostName.MatchString(name) {
			return fault.New(fault.Invalid, "hosts: %q is no name of a host. Write it without a scheme, a port and a star, such as chela.example.com.", h)
		}
		hosts = append(hosts, name)
	}
	c.Hosts = hosts
	return nil
}

func checkAddress(key, address string) error {
	if _, _, err := net.SplitHostPort(address); err != nil {
		return fault.New(fault.Invalid, "%s: %q is not an address; write host:port.", key, address)
	}
	return nil
}

func (c *Config) checkNamed(key, address string) error {
	host, _, _ := net.SplitHostPort(address) // it is an address
	if ip := net.ParseIP(strings.Trim(host, "[]")); host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	if len(c.Hosts) == 0 {
		return fault.New(fault.Invalid, "%s: %s can be reached by others. Name the hosts under which it may be called (hosts: [chela.example.com] in chela.yaml, or --host) to allow that.", key, address)
	}
	return nil
}
