package files_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"chela/internal/disk"
	"chela/internal/fault"
	"chela/internal/tool"
	"chela/internal/tool/files"
)

// A desk is a granted folder "home/repo", one that may only be read "home/docs", and what
// lies beside them.
type desk struct {
	t    *testing.T
	home string
	f    disk.Folders
	set  *tool.Set
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, home: home, set: tool.NewSet(files.Tools()...)}
	for name, text := range map[string]string{
		"repo/main.go": "package main\n\nfunc main() {\n\tprintln(1)\n}\n", "repo/sub/a.txt": "TODO one\ntwo\n", "repo/.env": "TOKEN=hunter2\n",
		"repo/node_modules/x/index.js": "// TODO never\n", "repo/logo.png": "\x89PNG\r\n\x1a\n\x00\x00", "docs/readme.md": "# Read\n", "secret.txt": "outside\n",
	} {
		d.write(name, text)
	}
	d.f = disk.Folders{Work: filepath.Join(home, "repo"), Grants: []disk.Grant{{Path: filepath.Join(home, "docs")}}}
	return d
}

func (d *desk) write(name, text string) {
	d.t.Helper()
	path := filepath.Join(d.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) read(name string) string {
	raw, err := os.ReadFile(filepath.Join(d.home, name))
	if err != nil {
		return "!" + filepath.Base(name)
	}
	return string(raw)
}

func (d *desk) call(name string, args map[string]any) (string, error) {
	d.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		d.t.Fatal(err)
	}
	t, ok := d.set.Find(name)
	if !ok {
		d.t.Fatalf("no tool %s", name)
	}
	r, err := t.Call(d.t.Context(), tool.Call{Args: raw, Folders: d.f})
	return r.Text, err
}

func TestFiles_Reading(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for name, c := range map[string]struct {
		tool string
		args map[string]any
		want []string
		not  string
	}{
		"a file":              {"read_file", map[string]any{"path": "main.go"}, []string{`package main\n`, `"lines":5`}, ""},
		"a part":              {"read_file", map[string]any{"path": "main.go", "offset": 3, "limit": 1}, []string{`"content":"func main() {\n"`, `"from_line":3`}, "package"},
		"past the end":        {"read_file", map[string]any{"path": "main.go", "offset": 99}, []string{`"content":""`}, "package"},
		"a granted folder":    {"read_file", map[string]any{"path": filepath.Join(d.home, "docs/readme.md")}, []string{"# Read"}, ""},
		"bytes":               {"read_file", map[string]any{"path": "logo.png"}, []string{"binary", "SHA-256"}, "PNG\\r"},
		"a listing":           {"list_directory", map[string]any{}, []string{`"sub/"`, `"main.go"`, `"size":42`}, "secret.txt"},
		"a glob":              {"search_files", map[string]any{"pattern": "**/*.txt"}, []string{`"path":"sub/a.txt"`}, "main.go"},
		"a name at any depth": {"search_files", map[string]any{"pattern": "a.txt"}, []string{`"path":"sub/a.txt"`}, ""},
		"a text":              {"search_files", map[string]any{"text": "todo", "ignore_case": true}, []string{`"path":"sub/a.txt","line":1,"text":"TODO one"`}, "never"},
		"no secrets":          {"search_files", map[string]any{"text": "hunter2|TOKEN"}, []string{`"matches":[]`}, "hunter2"},
		"enough":              {"search_files", map[string]any{"pattern": "**", "max_results": 1}, []string{"There are more than 1 matches"}, ""},
	} {
		got, err := d.call(c.tool, c.args)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %s lacks %s", name, got, w)
			}
		}
		if c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s: %s has %s", name, got, c.not)
		}
	}
}

func TestFiles_Writing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	patch := "*** Begin Patch\n*** Update File: main.go\n@@ func main() {\n-\tprintln(1)\n+\tprintln(2)\n*** Add File: new/b.txt\n+b\n*** Delete File: sub/a.txt\n*** End Patch"
	for _, c := range []struct {
		tool string
		args map[string]any
		diff string
		file string
		want string
	}{
		{"write_file", map[string]any{"path": "x/y.txt", "content": "new\n"}, "+new", "repo/x/y.txt", "new\n"},
		{"write_file", map[string]any{"path": "x/y.txt", "content": "more\n", "append": true}, "+more", "repo/x/y.txt", "new\nmore\n"},
		{"edit_file", map[string]any{"path": "x/y.txt", "old_text": "new", "new_text": "old"}, "-new", "repo/x/y.txt", "old\nmore\n"},
		{"ide_configure", map[string]any{"editor": "cursor", "folder": "x"}, `+    "chela": {`, "repo/x/.cursor/mcp.json", "{\n  \"mcpServers\": {\n    \"chela\": {\n      \"command\": \"" + program + "\",\n      \"args\": [\n        \"mcp\",\n        \"serve\"\n      ]\n    }\n  }\n}\n"},
		{"ide_configure", map[string]any{"editor": "cursor", "folder": "x", "remove": true}, `-    "chela": {`, "repo/x/.cursor/mcp.json", "{\n  \"mcpServers\": {\n  }\n}\n"},
		{"apply_patch", map[string]any{"input": patch}, "+\tprintln(2)", "repo/main.go", "package main\n\nfunc main() {\n\tprintln(2)\n}\n"},
	} {
		raw, _ := json.Marshal(c.args) //nolint:errchkjson // strings
		tl, _ := d.set.Find(c.tool)
		was := d.read(c.file)
		diff, err := tl.Preview(t.Context(), tool.Call{Args: raw, Folders: d.f})
		if err != nil || !strings.Contains(diff, c.diff) || d.read(c.file) != was {
			t.Errorf("%s shows %q %v, and the file is %q", c.tool, diff, err, d.read(c.file))
		}
		if out, err := d.call(c.tool, c.args); err != nil {
			t.Errorf("%s: %s %v", c.tool, out, err)
		}
		if got := d.read(c.file); got != c.want {
			t.Errorf("%s leaves %q, want %q", c.tool, got, c.want)
		}
	}
	if d.read("repo/new/b.txt") != "b\n" || d.read("repo/sub/a.txt") != "!a.txt" {
		t.Error("the patch did not add and delete")
	}
	if info, err := os.Stat(filepath.Join(d.home, "repo/main.go")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode of an edited file is %v %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(d.home, "repo", ".chela-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestFiles_Hole4PatchIsGuarded and the rest of what leads out of the granted folders.
func TestFiles_Hole4PatchIsGuarded(t *testing.T) {
	t.Parallel()
	add := func(path string) string {
		return "*** Begin Patch\n*** Add File: " + path + "\n+evil\n*** End Patch"
	}
	d := newDesk(t)
	out := filepath.Join(d.home, "out")
	for name, target := range map[string]string{"link": "../secret.txt", "dir": "..", "abs": d.home, "env": ".env", "self": "self", "new": "../fresh.txt"} {
		if err := os.Symlink(target, filepath.Join(d.f.Work, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		tool string
		args map[string]any
		kind fault.Kind
	}{
		"read outside":              {"read_file", map[string]any{"path": "../secret.txt"}, fault.Denied},
		"read outside, absolute":    {"read_file", map[string]any{"path": d.home + "/secret.txt"}, fault.Denied},
		"a folder of a like name":   {"read_file", map[string]any{"path": d.home + "/repo2/x"}, fault.Denied},
		"read by a link":            {"read_file", map[string]any{"path": "link"}, fault.Denied},
		"read by a folder's link":   {"read_file", map[string]any{"path": "dir/secret.txt"}, fault.Denied},
		"read by an absolute link":  {"read_file", map[string]any{"path": "abs/secret.txt"}, fault.Denied},
		"a secret":                  {"read_file", map[string]any{"path": ".env"}, fault.Denied},
		"a secret by a link":        {"read_file", map[string]any{"path": "env"}, fault.Denied},
		"a secret, overwritten":     {"write_file", map[string]any{"path": ".env", "content": "x"}, fault.Denied},
		"a secret by a link, too":   {"write_file", map[string]any{"path": "env", "content": "x"}, fault.Denied},
		"list outside":              {"list_directory", map[string]any{"path": ".."}, fault.Denied},
		"list by a link":            {"list_directory", map[string]any{"path": "dir"}, fault.Denied},
		"search outside":            {"search_files", map[string]any{"path": "..", "text": "outside"}, fault.Denied},
		"write outside":             {"write_file", map[string]any{"path": "../out", "content": "x"}, fault.Denied},
		"write by a link":           {"write_file", map[string]any{"path": "link", "content": "x"}, fault.Denied},
		"write by a link to be":     {"write_file", map[string]any{"path": "new", "content": "x"}, fault.Denied},
		"write by a folder's link":  {"write_file", map[string]any{"path": "dir/out", "content": "x"}, fault.Denied},
		"write where one reads":     {"write_file", map[string]any{"path": d.home + "/docs/x", "content": "x"}, fault.Denied},
		"edit where one reads":      {"edit_file", map[string]any{"path": d.home + "/docs/readme.md", "old_text": "Read", "new_text": "x"}, fault.Denied},
		"patch outside":             {"apply_patch", map[string]any{"input": add("../out")}, fault.Denied},
		"patch outside, absolute":   {"apply_patch", map[string]any{"input": add(out)}, fault.Denied},
		"patch, another folder":     {"apply_patch", map[string]any{"input": add("out"), "working_dir": d.home}, fault.Denied},
		"patch, up from a folder":   {"apply_patch", map[string]any{"input": add("../../out"), "working_dir": "sub"}, fault.Denied},
		"patch by a link":           {"apply_patch", map[string]any{"input": add("dir/out")}, fault.Denied},
		"patch moves out":           {"apply_patch", map[string]any{"input": "*** Begin Patch\n*** Update File: main.go\n*** Move to: ../out\n*** End Patch"}, fault.Denied},
		"a link to itself":          {"read_file", map[string]any{"path": "self"}, fault.Unavailable},
		"not there":                 {"read_file", map[string]any{"path": "nope"}, fault.NotFound},
		"a folder":                  {"read_file", map[string]any{"path": "sub"}, fault.Invalid},
		"a file, listed":            {"list_directory", map[string]any{"path": "main.go"}, fault.Invalid},
		"twice the same":            {"edit_file", map[string]any{"path": "main.go", "old_text": "n", "new_text": "m"}, fault.Conflict},
		"not in it":                 {"edit_file", map[string]any{"path": "main.go", "old_text": "absent", "new_text": "m"}, fault.Conflict},
		"a patch that does not fit": {"apply_patch", map[string]any{"input": "*** Begin Patch\n*** Add File: half.txt\n+x\n*** Update File: main.go\n@@\n-absent\n+x\n*** End Patch"}, fault.Conflict},
		"no patch":                  {"apply_patch", map[string]any{"input": "diff --git a b"}, fault.Invalid},
		"no pattern":                {"search_files", map[string]any{"pattern": "["}, fault.Invalid},
		"another key":               {"read_file", map[string]any{"Path": "main.go"}, fault.Invalid},
	} {
		got, err := d.call(c.tool, c.args)
		if err == nil || fault.KindOf(err) != c.kind || strings.Contains(got+fault.TextOf(err), "hunter2") {
			t.Errorf("%s: %q %v (%v)", name, got, err, fault.KindOf(err))
		}
	}
	for name, want := range map[string]string{"secret.txt": "outside\n", "out": "!out", "fresh.txt": "!fresh.txt", "repo/.env": "TOKEN=hunter2\n", "repo/half.txt": "!half.txt", "docs/readme.md": "# Read\n"} {
		if got := d.read(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	d.f.Grants = append(d.f.Grants, disk.Grant{Path: d.f.Work, Secrets: true}) // the negative twin: granted, it can be read
	d.f.Work = ""
	if got, err := d.call("read_file", map[string]any{"path": filepath.Join(d.home, "repo/.env")}); err != nil || !strings.Contains(got, "hunter2") {
		t.Errorf("granted: %s %v", got, err)
	}
}

// TestFiles_RacingLinks swaps a folder for a link that leads out while files are read and written.
func TestFiles_RacingLinks(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write("out/a.txt", "outside\n")
	real, link := filepath.Join(d.f.Work, "sub"), filepath.Join(d.f.Work, "was")
	stop := make(chan struct{})
	var swaps sync.WaitGroup
	swaps.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(real, link) // whichever of the two is there
			_ = os.Symlink(filepath.Join(d.home, "out"), real)
			_ = os.Remove(real)
			_ = os.Rename(link, real)
		}
	})
	for i := range 300 {
		if got, err := d.call("read_file", map[string]any{"path": "sub/a.txt"}); err == nil && strings.Contains(got, "outside") {
			t.Fatal("a race reads outside")
		}
		_, _ = d.call("write_file", map[string]any{"path": fmt.Sprintf("sub/w%d", i), "content": "x"}) // refused or inside
	}
	close(stop)
	swaps.Wait()
	if left, _ := filepath.Glob(filepath.Join(d.home, "out", "w*")); len(left) > 0 {
		t.Errorf("a race wrote outside: %v", left)
	}
}

// TestHardLinks_AreNotRead: a file whose other name lies outside is read, searched, changed and sent
// by nobody, also when the link is made after a first look; an ordinary file is.
func TestHardLinks_AreNotRead(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write("repo/plain.txt", "TODO inside\n")
	if err := os.Link(filepath.Join(d.home, "secret.txt"), filepath.Join(d.f.Work, "linked.txt")); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string]map[string]any{
		"read_file": {"path": "linked.txt"}, "edit_file": {"path": "linked.txt", "old_text": "outside", "new_text": "x"}, "write_file": {"path": "linked.txt", "content": "x", "append": true},
	} {
		if got, err := d.call(name, args); fault.KindOf(err) != fault.Denied || !strings.Contains(fault.TextOf(err), "hard link") {
			t.Errorf("%s: got %q %v, want that it is a hard link", name, got, err)
		}
	}
	if _, raw, err := files.Read(d.f, "linked.txt"); err == nil {
		t.Errorf("it is sent: %q", raw)
	}
	if got, err := d.call("search_files", map[string]any{"text": "outside|inside"}); err != nil || strings.Contains(got, "linked.txt") || !strings.Contains(got, "plain.txt") || !strings.Contains(got, "1 files were left out") {
		t.Errorf("search: got %s %v, want plain.txt alone, and the other told of", got, err)
	}
	if got, err := d.call("read_file", map[string]any{"path": "plain.txt"}); err != nil || !strings.Contains(got, "inside") {
		t.Errorf("an ordinary file: got %q %v", got, err)
	}
	if err := os.Remove(filepath.Join(d.f.Work, "plain.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(d.home, "secret.txt"), filepath.Join(d.f.Work, "plain.txt")); err != nil {
		t.Fatal(err)
	}
	if got, err := d.call("read_file", map[string]any{"path": "plain.txt"}); err == nil {
		t.Errorf("linked between two reads: got %q", got)
	}
	if got := d.read("secret.txt"); got != "outside\n" {
		t.Errorf("the file outside is %q", got)
	}
}

func TestFiles_SearchEnds(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(fault.New(fault.Unavailable, "Stopped."))
	tl, _ := d.set.Find("search_files")
	if _, err := tl.Call(ctx, tool.Call{Args: json.RawMessage(`{"pattern":"**"}`), Folders: d.f}); fault.KindOf(err) != fault.Unavailable || err == nil {
		t.Errorf("a search that was stopped: %v", err)
	}
}

func FuzzApplyPatch(f *testing.F) {
	f.Add("*** Begin Patch\n*** Update File: main.go\n@@ func main() {\n-\tprintln(1)\n+\tprintln(2)\n*** End Patch")
	f.Add("*** Begin Patch\n*** Add File: ../x\n+evil\n*** Delete File: /etc/passwd\n*** End Patch")
	f.Add("*** Begin Patch\n*** Update File: sub/a.txt\n*** Move to: b/../../c\n@@\n two\n+three\n*** End of File\n*** End Patch")
	f.Fuzz(func(t *testing.T, input string) {
		d := newDesk(t)
		_, _ = d.call("apply_patch", map[string]any{"input": input}) // refused or applied
		var outside []string
		err := filepath.WalkDir(d.home, func(path string, e os.DirEntry, err error) error {
			if err == nil && !e.IsDir() && !strings.HasPrefix(path, d.f.Work+"/") {
				outside = append(outside, strings.TrimPrefix(path, d.home))
			}
			return err
		})
		if err != nil || fmt.Sprint(outside) != "[/docs/readme.md /secret.txt]" || d.read("secret.txt") != "outside\n" || d.read("repo/.env") != "TOKEN=hunter2\n" {
			t.Errorf("outside: %v %v", outside, err)
		}
	})
}
