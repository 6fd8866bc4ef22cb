package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/disk"
	"chela/internal/guard/sandbox/inside"
	"chela/internal/tool"
)

// hasAll reports the first of want, each some arguments in a row, that is not in args.
func hasAll(args []string, want ...string) string {
	line := " " + strings.Join(args, " ") + " "
	for _, w := range want {
		if !strings.Contains(line, " "+w+" ") {
			return w
		}
	}
	return ""
}

func TestArgs_DockerArgs(t *testing.T) {
	t.Parallel()
	work, data := t.TempDir(), t.TempDir()
	for _, f := range []string{".env", "a,b.env"} {
		if err := os.WriteFile(filepath.Join(work, f), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := &Sandbox{opts: Options{Hide: func(p string) bool { return strings.HasSuffix(p, ".env") }}}
	j := tool.Job{
		Argv: []string{"python3", tool.Scratch + "/program.py"}, Dir: work, Env: map[string]string{"A": tool.Scratch + "/x"},
		Folders: []disk.Grant{{Path: work, Write: true}, {Path: data}}, Limits: limits(tool.Limits{}, tool.Limits{}),
	}
	p, err := s.look(j.Folders)
	if err != nil {
		t.Fatal(err)
	}
	args := s.dockerArgs(j, p, "name", "/host/scratch")
	if miss := hasAll(args, "run --rm --interactive --init --name name", "--read-only", "--cap-drop ALL", "--security-opt no-new-privileges",
		"--network none", "--memory 2147483648 --memory-swap 2147483648", "--pids-limit 256",
		"type=bind,source=/host/scratch,destination=/tmp", "type=bind,source="+work+",destination="+work,
		"type=bind,source="+data+",destination="+data+",readonly", "type=bind,source=/dev/null,destination="+work+"/.env,readonly",
		`type=bind,source=/dev/null,"destination=`+work+`/a,b.env",readonly`,
		"--env A=/tmp/x", "--workdir "+work+" debian:stable-slim python3 /tmp/program.py"); miss != "" {
		t.Errorf("%q has no %q", args, miss)
	}
	j.Network = true
	s.opts.Image = "ours"
	if args := s.dockerArgs(j, p, "name", "/host/scratch"); slices.Contains(args, "none") || !slices.Contains(args, "ours") {
		t.Errorf("%q", args)
	}
}

func TestArgs_BubblewrapArgs(t *testing.T) {
	t.Parallel()
	o := &inside.Order{Scratch: "/tmp", Mounts: []inside.Mount{{Path: "/usr", Source: "/usr"}, {Path: "/dev/null", Source: "/dev/null", Device: true, Write: true}, {Path: "/srv", Source: "/srv", Write: true}}}
	secret := filepath.Join(t.TempDir(), ".env")
	if err := os.WriteFile(secret, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := &parts{hidden: []string{secret}, fixed: []string{"/srv/.git/hooks"}, held: []string{"/srv/.git"}}
	args, err := bubblewrapArgs(o, p, "/opt/chela")
	if err != nil {
		t.Fatal(err)
	}
	if miss := hasAll(args, "--unshare-user", "--unshare-net", "--unshare-pid", "--clearenv", "--new-session", "--die-with-parent", "--cap-drop ALL",
		"--ro-bind /usr /usr --bind /srv /srv --bind /srv/.git /srv/.git --ro-bind /srv/.git/hooks /srv/.git/hooks --ro-bind /dev/null "+secret,
		"--ro-bind /opt/chela /.chela --remount-ro / -- /.chela "+inside.Name); miss != "" {
		t.Errorf("%q has no %q", args, miss)
	}
	o.Network = true
	if args, err := bubblewrapArgs(o, p, "/opt/chela"); err != nil || slices.Contains(args, "--unshare-net") {
		t.Errorf("%q", args)
	}
}

// TestArgs_Sweep: bwrap makes what it should cover where that has just been moved away; that,
// and nothing else, is removed.
func TestArgs_Sweep(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	if err := errors.Join(os.Mkdir(work+"/was", 0o755), os.WriteFile(work+"/was/.env", nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	began := time.Now().Add(time.Hour) // of what there is, nothing was made later
	hidden := []string{work + "/was/.env", work + "/made/sub/.env", work + "/moved/.env"}
	folders := []disk.Grant{{Path: work, Write: true}}
	sweep(folders, hidden, began)
	if _, err := os.Stat(hidden[0]); err != nil {
		t.Fatal(err)
	}
	began = time.Now().Add(-time.Minute)
	if err := errors.Join(os.MkdirAll(work+"/made/sub", 0o755), os.WriteFile(hidden[1], nil, 0o444), os.MkdirAll(work+"/moved", 0o755), os.WriteFile(hidden[2], []byte("KEY"), 0o600)); err != nil {
		t.Fatal(err)
	}
	sweep(folders, hidden[1:], began)
	for path, want := range map[string]bool{work + "/made": false, hidden[2]: true, work: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}
