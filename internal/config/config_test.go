package config_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chela/internal/config"
	"chela/internal/fault"
	"chela/internal/run"
)

func load(t *testing.T, yaml string) (config.Config, error) {
	t.Helper()
	dir := t.TempDir()
	if yaml != "" {
		if err := os.WriteFile(filepath.Join(dir, "chela.yaml"), []byte(yaml), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return config.Load(dir)
}

func TestConfig_WithoutAFileTheDefaultsHold(t *testing.T) {
	t.Parallel()
	c, err := load(t, "")
	if err != nil || c.Listen != config.DefaultListen || c.ArtifactDir() != filepath.Join(c.Data, "artifacts") {
		t.Errorf("%+v %v", c, err)
	}
}

// TestConfig_AFolderIsKnownByItsWholePath: hooks, skills and agents' folders are granted to programs by their paths.
func TestConfig_AFolderIsKnownByItsWholePath(t *testing.T) { //nolint:paralleltest // it changes the folder
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Load("data")
	if err != nil || c.Data != filepath.Join(here, "data") || c.ArtifactDir() != filepath.Join(here, "data", "artifacts") {
		t.Errorf("%+v %v", c, err)
	}
}

func TestConfig_TheFileIsReadStrictly(t *testing.T) {
	t.Parallel()
	c, err := load(t, "listen: 0.0.0.0:80\nhosts: [chela.example.com]\nlanes: {user: 4}\nartifacts: /srv/a\nproviders:\n  - {name: o, kind: openai, model: m, base_url: http://x}\nfailover: [o/m, o/n]\n"+
		"models: {controller: o/small, summary: o/small}\nprices:\n  - {match: m, temperature: 0, tools: false}\n")
	if err != nil || c.Lanes[run.UserLane] != 4 || c.ArtifactDir() != "/srv/a" || len(c.Providers) != 1 || len(c.Failover) != 2 || c.Models.Controller != "o/small" || c.Models.Specialist != "" || *c.Prices[0].Temperature != 0 || *c.Prices[0].Tools || c.Prices[0].In != nil {
		t.Errorf("%+v %v", c, err)
	}
	if c, err := load(t, "\ufeffhosts: [Chela.Example.com, 10.0.0.7, \"[2001:db8::7]\"]\r\n"); err != nil || !slices.Equal(c.Hosts, []string{"chela.example.com", "10.0.0.7", "2001:db8::7"}) {
		t.Errorf("a file of Windows: %+v %v", c.Hosts, err)
	}
	for name, c := range map[string]struct{ yaml, says string }{
		"an address for a host":  {"hosts: ['https://chela.example.com']\n", "hosts: \"https://chela.example.com\""},
		"a host with a port":     {"hosts: ['chela.example.com:7443']\n", "chela.example.com:7443"},
		"hosts by a star":        {"hosts: ['*.example.com']\n", "*.example.com"},
		"a host without a name":  {"hosts: ['']\n", "hosts: \"\""},
		"a proxy by its name":    {"proxies: {trusted: [proxy.example.com]}\n", "\"proxy.example.com\" is not an address"},
		"a network of nothing":   {"proxies: {trusted: [10.0.0.0/33]}\n", "10.0.0.0/33"},
		"everybody a proxy":      {"proxies: {trusted: ['0.0.0.0/0']}\n", "is everybody"},
		"everybody in IPv6":      {"proxies: {trusted: ['::/0']}\n", "is everybody"},
		"an interface":           {"proxies: {trusted: ['fe80::1%eth0']}\n", "eth0"},
		"another header":         {"proxies: {header: X-Real-IP}\n", "do not say in it"},
		"an unknown key":         {"listn: x\n", "listn"},
		"a list for a text":      {"listen: [x]\n", "listen"},
		"no YAML":                {"listen: 'x\n", "chela.yaml"},
		"no port":                {"listen: localhost\n", "host:port"},
		"TLS without its key":    {"tls: {listen: '127.0.0.1:1', cert: c.pem}\n", "cert and key"},
		"a job that is not":      {"listen: 127.0.0.1:1\nmodels:\n  controler: o/m\n", "[3:3] unknown field \"controler\""},
		"a list for a model":     {"models:\n  checker: [a]\n", "[2:12]"},
		"a price that is not":    {"prices:\n  - match: m\n    input: 2\n", "[3:5] unknown field \"input\""},
		"a price of no model":    {"prices:\n  - in: 2\n", "entry 1"},
		"a price below zero":     {"prices:\n  - {match: m, in: -1}\n", "below zero"},
		"a limit of nothing":     {"prices:\n  - {match: m, output: 0}\n", "at least 1 token"},
		"too hot":                {"prices:\n  - {match: m, temperature: 3}\n", "from 0 to 2"},
		"failover that is a map": {"failover: {a: b}\n", "failover"},
		"memory below none":      {"browser: {memory_mb: -1}\n", "memory_mb"},
		"a lane that is not":     {"lanes: {users: 4}\n", "users"},
		"a lane without a width": {"lanes: {user: 0}\n", "user"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := load(t, c.yaml); fault.KindOf(err) != fault.Invalid || err == nil || !strings.Contains(fault.TextOf(err), c.says) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestConfig_WhatTheDocsShowReads loads the lines of chela.yaml that docs/models.md shows.
func TestConfig_WhatTheDocsShowReads(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	yaml := ""
	for line := range strings.Lines(string(page)) {
		for _, key := range []string{"models: ", "failover: ", "prices: "} {
			if strings.HasPrefix(line, "    "+key) {
				yaml += line[4:]
			}
		}
	}
	c, err := load(t, yaml)
	if err != nil || c.Models.Checker != "gemini/gemini-2.5-flash" || len(c.Failover) != 2 || len(c.Prices) != 2 || *c.Prices[0].Context != 131072 || !*c.Prices[1].Images {
		t.Errorf("%+v %v", c, err)
	}
}

func TestConfig_LoopbackNeedsNoNames(t *testing.T) {
	t.Parallel()
	for _, a := range []string{"127.0.0.1:0", "localhost:80", "[::1]:80", "127.5.5.5:1"} {
		c := config.Config{Listen: a}
		if err := c.CheckListen(); err != nil {
			t.Errorf("%s: %v", a, err)
		}
	}
}

// TestConfig_WhoStartsItMayNameTheHosts: a file whose address others reach loads, for the commands and for a start that names the hosts; a
// start at which nobody does is refused.
func TestConfig_WhoStartsItMayNameTheHosts(t *testing.T) {
	t.Parallel()
	for _, yaml := range []string{"listen: 0.0.0.0:1\n", "listen: example.com:80\n", "tls: {listen: \"0.0.0.0:1\", cert: c, key: k}\n"} {
		c, err := load(t, yaml)
		if err != nil {
			t.Errorf("%s: %v", yaml, err)
		}
		if err := c.CheckListen(); err == nil || !strings.Contains(err.Error(), "--host") {
			t.Errorf("%s without hosts: %v, want that it is refused", yaml, err)
		}
		c.Hosts = []string{"Chela.Example.com"}
		if err := c.CheckListen(); err != nil || c.Hosts[0] != "chela.example.com" {
			t.Errorf("%s with a host: %v, %v", yaml, err, c.Hosts)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("listen: x:1\nlanes: {user: 2}\n")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, yaml string) {
		if err := os.WriteFile(filepath.Join(dir, "chela.yaml"), []byte(yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _ = config.Load(dir) // it does not panic
	})
}

// TestConfig_ProxiesAreAddresses reads what docs/running.md shows, and each way to write an address.
func TestConfig_ProxiesAreAddresses(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/running.md")
	if err != nil {
		t.Fatal(err)
	}
	const shown = "hosts: [chela.example.com]\nproxies: {trusted: [127.0.0.1]}\n"
	if !strings.Contains(string(page), shown) {
		t.Error("docs/running.md does not show it")
	}
	for yaml, want := range map[string]string{
		shown: "127.0.0.1/32",
		"proxies: {trusted: [10.0.0.7/24, '::ffff:10.0.0.7', 'fd00::/8'], header: forwarded}\n": "10.0.0.0/24 10.0.0.7/32 fd00::/8",
		"proxies: {}\n": "",
	} {
		c, err := load(t, yaml)
		var got []string
		for _, n := range c.Proxies.Networks() {
			got = append(got, n.String())
		}
		if err != nil || strings.Join(got, " ") != want || strings.Contains(yaml, "forwarded") != (c.Proxies.Header == config.Forwarded) {
			t.Errorf("%s: %v, header %q (%v), want %s", yaml, got, c.Proxies.Header, err, want)
		}
	}
}
