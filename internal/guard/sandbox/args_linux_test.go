package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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

func TestDockerArgs(t *testing.T) {
	work, data := t.TempDir(), t.TempDir()
	for _, f := range []string{".env", "a,b.env"} {
		if err := os.WriteFile(filepath.Join(work, f), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := &Sandbox{opts: Options{Hide: func(p string) bool { return strings.HasSuffix(p, ".env") }}}
	j := tool.Job{
		Argv: []string{"python3", tool.Scratch + "/program.py"}, Dir: work, Env: map[string]string{"A": tool.Scratch + "/x"},
		Folders: []tool.Grant{{Path: work, Write: true}, {Path: data}}, Limits: limits(tool.Limits{}, tool.Limits{}),
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

func TestBubblewrapArgs(t *testing.T) {
	o := &inside.Order{Scratch: "/tmp", Mounts: []inside.Mount{{Path: "/usr", Source: "/usr"}, {Path: "/dev/null", Source: "/dev/null", Device: true, Write: true}, {Path: "/srv", Source: "/srv", Write: true}}}
	p := &parts{hidden: []string{"/srv/.env"}, fixed: []string{"/srv/.git/hooks"}, held: []string{"/srv/.git"}}
	args := bubblewrapArgs(o, p, "/opt/chela")
	if miss := hasAll(args, "--unshare-user", "--unshare-net", "--unshare-pid", "--clearenv", "--new-session", "--die-with-parent", "--cap-drop ALL",
		"--ro-bind /usr /usr --bind /srv /srv --bind /srv/.git /srv/.git --ro-bind /srv/.git/hooks /srv/.git/hooks --ro-bind /dev/null /srv/.env",
		"--ro-bind /opt/chela /.chela --remount-ro / -- /.chela "+inside.Name); miss != "" {
		t.Errorf("%q has no %q", args, miss)
	}
	o.Network = true
	if args := bubblewrapArgs(o, p, "/opt/chela"); slices.Contains(args, "--unshare-net") {
		t.Errorf("%q", args)
	}
}
