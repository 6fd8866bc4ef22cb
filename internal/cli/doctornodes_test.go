package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/artifact"
	"chela/internal/config"
	"chela/internal/gateway/client"
	"chela/internal/guard"
)

// TestDoctor_NamesFilesThatOthersMayRead gives the command that closes each.
func TestDoctor_NamesFilesThatOthersMayRead(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "Ann's data")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"token": 0o644, "node.key": 0o600, "vault.key": 0o640, "policy.yaml": 0o644} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, nil, mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, mode); err != nil { // whatever the mask is
			t.Fatal(err)
		}
	}
	got := examineFiles(dir)
	if len(got) != 2 {
		t.Fatalf("got %+v, want token and vault.key", got)
	}
	for i, name := range []string{"token", "vault.key"} {
		if c := got[i]; c.OK || !strings.HasSuffix(c.Text, "chmod 600 '"+strings.ReplaceAll(filepath.Join(dir, name), "'", `'\''`)+"'") {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if got := examineFiles(filepath.Join(dir, "nothing")); len(got) != 0 {
		t.Errorf("before the first start: %+v", got)
	}
}

// TestDoctor_NodesShareWhatTheyHaveTo names nodes whose artifacts lie elsewhere, and those that go by another policy. A node that was started
// with --artifacts is not told to set it.
func TestDoctor_NodesShareWhatTheyHaveTo(t *testing.T) {
	t.Parallel()
	one, other := strings.Repeat("1", 64), strings.Repeat("2", 64)
	for name, c := range map[string]struct {
		status client.Status
		bad    []string
	}{
		"one":                {client.Status{Nodes: []string{"a"}, NodesApart: nil}, nil},
		"two that share all": {client.Status{Nodes: []string{"a", "b"}}, nil},
		"artifacts apart":    {client.Status{Node: "a", Nodes: []string{"a", "b"}, NodesApart: []string{"b"}, Artifacts: "/srv/a"}, []string{"b does not share the folder of artifacts of a, /srv/a"}},
		"policies":           {client.Status{Nodes: []string{"a", "b", "c", "d"}, NodePolicies: map[string]string{"a": one, "b": other, "c": one, "d": guard.NoPolicy}}, []string{"a, c (that of SHA-256 111111111111…); b (that of SHA-256 222222222222…); d (none)"}},
	} {
		var bad []string
		for _, k := range examineNodes(c.status) {
			if !k.OK {
				bad = append(bad, k.Text)
			}
		}
		if len(bad) != len(c.bad) || len(bad) == 1 && !strings.Contains(bad[0], c.bad[0]) {
			t.Errorf("%s: %q, want %q", name, bad, c.bad)
		}
	}
}

func TestDoctor_NamesProxiesThatAreNotTrusted(t *testing.T) {
	t.Parallel()
	if got := examineProxies(config.Proxies{}, nil); len(got) != 0 {
		t.Errorf("without a proxy: %+v", got)
	}
	got := examineProxies(config.Proxies{Trusted: []string{"10.0.0.1"}}, []string{"127.0.0.1"})
	if len(got) != 2 || !got[0].OK || !strings.Contains(got[0].Text, "X-Forwarded-Proto is believed of 10.0.0.1") && !strings.Contains(got[0].Text, "is believed of 10.0.0.1") || got[1].OK || !strings.Contains(got[1].Text, "proxies: {trusted: [127.0.0.1]}") {
		t.Errorf("got %+v", got)
	}
}

// TestDoctor_ArtifactsThatMayNotBeReadAreNotMissing: who may not read them does not know what became of them.
func TestDoctor_ArtifactsThatMayNotBeReadAreNotMissing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files, err := artifact.Open(filepath.Join(dir, "artifacts"))
	if err != nil {
		t.Fatal(err)
	}
	ref, err := files.Put([]byte("a long result"))
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(string(ref), "artifact:")
	file := filepath.Join(dir, "artifacts", name[:2], name)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil { // a folder is not read, whoever asks
		t.Fatal(err)
	}
	recorded(t, dir, ref)
	got := make(map[string]check)
	for _, c := range (&app{data: dir}).examine(t.Context()) {
		got[c.Name] = c
	}
	if c := got["artifacts"]; c.OK || !strings.Contains(c.Text, "cannot be read") || strings.Contains(c.Text, "backup") || !got["log"].OK {
		t.Errorf("the doctor says %+v of the artifacts and %+v of the log", c, got["log"])
	}
	elsewhere := t.TempDir()
	if files, err = artifact.Open(elsewhere); err == nil {
		_, err = files.Put([]byte("a long result"))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range (&app{data: dir, artifacts: elsewhere}).examine(t.Context()) {
		if c.Name == "artifacts" && !c.OK {
			t.Errorf("with --artifacts: %+v", c)
		}
	}
}
