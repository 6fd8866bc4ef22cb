package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
)

// A terminal is a chela in a terminal of its own.
type terminal struct {
	t    *testing.T
	keys *os.File
	cmd  *exec.Cmd
	done chan error

	mu    sync.Mutex // guards shown
	shown strings.Builder
}

// terminal begins a conversation in a terminal.
func (s setup) terminal(t *testing.T, env []string, args ...string) *terminal {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"chat", "--data", s.data}, args...)...) //nolint:gosec // ours
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.data, "TERM=xterm-256color"}, env...)
	keys, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 100})
	must(t, err)
	c := &terminal{t: t, keys: keys, cmd: cmd, done: make(chan error, 1)}
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := keys.Read(b)
			c.mu.Lock()
			c.shown.Write(b[:n])
			c.mu.Unlock()
			if err != nil { // the program has ended
				c.done <- cmd.Wait()
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has mostly ended
		_ = keys.Close()
	})
	return c
}

func (c *terminal) press(keys string) {
	c.t.Helper()
	_, err := c.keys.WriteString(keys)
	must(c.t, err)
}

// raw is all that was written to the terminal.
func (c *terminal) raw() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.shown.String()
}

// shows waits until the terminal was shown some words.
func (c *terminal) shows(words string) {
	c.t.Helper()
	deadline := time.After(time.Minute)
	for !strings.Contains(ansi.Strip(c.raw()), words) {
		select {
		case <-deadline:
			c.t.Fatalf("it does not show %q:\n%s", words, ansi.Strip(c.raw()))
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// ends waits for the end of the program.
func (c *terminal) ends() {
	c.t.Helper()
	select {
	case err := <-c.done:
		if err != nil {
			c.t.Errorf("it ended with %v:\n%s", err, ansi.Strip(c.raw()))
		}
	case <-time.After(time.Minute):
		c.t.Fatalf("it does not end:\n%s", ansi.Strip(c.raw()))
	}
}

// TestTheTerminal talks in a terminal: an answer is seen while it is written, a question is
// answered in place, Ctrl-C stops what works, and the conversation is gone on with later.
func TestTheTerminal(t *testing.T) {
	t.Parallel()
	goOn, hang := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(hang) })
	w := newWorld(t, func(r request) any {
		n, said := r.since()
		switch {
		case strings.Contains(said, "slowly"):
			return slowly{"Halfway there", ", **finished** now.", goOn}
		case strings.Contains(said, "Write it") && n == 0:
			return toolCall("write_file", `{"path":"x.txt","content":"x\n"}`)
		case strings.Contains(said, "Write it"):
			return text("Written: " + lastResult(r))
		case strings.Contains(said, "hang"):
			return slowly{"Hanging", "", hang}
		}
		return text("Done.")
	})
	s := setup{data: t.TempDir(), env: w.env()}
	shop := t.TempDir()
	must(t, os.WriteFile(filepath.Join(s.data, "policy.yaml"), []byte("version: 1\nfolders: [{path: "+shop+", write: true}]\n"), 0o600))
	d := s.running(t)

	c := s.terminal(t, nil, "-a", "coder")
	c.shows("Enter sends")
	c.press("Tell me slowly\r")
	c.shows("Halfway")
	c.shows("coder writes")
	close(goOn)
	c.shows("Halfway there, finished now.")
	c.press("Write it\r")
	c.shows("x.txt")
	c.shows("y approve")
	if _, err := os.Stat(filepath.Join(shop, "x.txt")); err == nil {
		t.Error("it was written before anybody approved")
	}
	c.press("d")
	c.shows("+++ ")
	c.press("y")
	c.shows("Written:")
	if raw, err := os.ReadFile(filepath.Join(shop, "x.txt")); err != nil || string(raw) != "x\n" {
		t.Errorf("%q %v", raw, err)
	}
	c.press("hang\r")
	c.shows("Hanging")
	c.press("\x03")
	c.shows("A person cancelled it.")
	c.press("/sta\t\r")
	c.shows("Nothing works on it.")
	c.press("/quit\r")
	c.ends()

	c = s.terminal(t, []string{"NO_COLOR=1"}, "--resume")
	c.shows("── Tell me slowly")
	c.shows("Halfway there, finished now.")
	c.press("\x1b[A")
	c.shows("/quit")
	c.press("\x03") // puts the line away
	c.shows("once more leaves")
	c.press("\x03")
	c.ends()
	if strings.Contains(c.raw(), "\x1b[36m") {
		t.Error("it has colours that nobody wanted")
	}
	d.stop()
	s.verified(t)
}

// TestTerminal_ChatOfScripts: a message comes from the input or after -m, the answer alone goes to the
// output, and the exit code says what became of it.
func TestTerminal_ChatOfScripts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(r request) any {
		n, said := r.since()
		switch {
		case strings.Contains(said, "fail"):
			return 400
		case strings.Contains(said, "look") && n == 0:
			return toolCall("human_search", `{"query":"the vendor's number"}`)
		}
		return text("You said: " + said)
	})
	s := setup{data: t.TempDir(), env: w.env()}
	if _, errs, code := s.chela(t, "", "chat", "-m", "Hello"); code == 0 || errs == "" {
		t.Errorf("without a daemon: %d %s", code, errs)
	}
	s.running(t)
	for name, c := range map[string]struct {
		in        string
		args      []string
		code      int
		out, errs string
	}{
		"after -m":           {"", []string{"-m", "Hello"}, 0, `You said: "Hello"` + "\n", ""},
		"from the input":     {"line 1\nline 2\n", nil, 0, `You said: "line 1\nline 2"` + "\n", ""},
		"both":               {"the file\n", []string{"-m", "Sum it up"}, 0, `You said: "Sum it up\n\nthe file"` + "\n", ""},
		"nothing":            {" \n", nil, 2, "", "nothing to say"},
		"a word too many":    {"", []string{"Hello"}, 2, "", "-m"},
		"a run that fails":   {"", []string{"-m", "fail"}, 1, "", "failed"},
		"a run that waits":   {"", []string{"-m", "look"}, 3, "", "chela approval list"},
		"a command":          {"", []string{"-m", "whereami"}, 0, "This is a new conversation", ""},
		"what is not there":  {"", []string{"-t", "thr_none", "-m", "Hello"}, 3, "", "thr_none"},
		"a refused approval": {"", []string{"-m", "/approve apr_none"}, 3, "", "apr_none"},
	} {
		args := append([]string{"chat", "-a", "coder"}, c.args...)
		out, errs, code := s.chela(t, c.in, args...)
		if code != c.code || !strings.HasPrefix(out, c.out) || c.out == "" && out != "" || !strings.Contains(errs, c.errs) || c.errs == "" && errs != "" {
			t.Errorf("%s: %d\n%q\n%q", name, code, out, errs)
		}
	}
}
