package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"chela/internal/fault"
)

// names are what Chromium is called.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}

// places are where it lies that is not in PATH.
var places = []string{"/Applications/Chromium.app/Contents/MacOS/Chromium", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"}

// Find returns the browser that is used: the one at path, or the first that is installed.
func Find(path string) (string, error) {
	if path != "" {
		found, err := exec.LookPath(path)
		if err != nil {
			return "", fault.Wrap(err, fault.Unavailable, "browser.path names %s, which is no program. Name Chromium or Chrome, or leave it out to use the one that is installed.", path)
		}
		return found, nil
	}
	for _, n := range names {
		if found, err := exec.LookPath(n); err == nil {
			return found, nil
		}
	}
	for _, p := range places {
		if info, err := os.Stat(p); err == nil && !info.IsDir() {
			return p, nil
		}
	}
	return "", fault.New(fault.Unavailable, "There is no browser: install Chromium (the package chromium) or set browser.path in chela.yaml. Pages without scripts are read by web_fetch.")
}

// Examine says in a sentence which browser is used, and how it is held.
func Examine(ctx context.Context, o Options) (string, error) {
	path, err := Find(o.Path)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version") //nolint:gosec // the operator's own browser
	cmd.Env = environment(os.TempDir())
	out, err := cmd.Output()
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "%s does not start. Install Chromium again, or set browser.path in chela.yaml.", path)
	}
	held := "in its own sandbox"
	if asNobody() {
		held += ", as the user nobody, since the daemon runs as root"
	}
	if o.Unsandboxed {
		held = "WITHOUT its own sandbox, because browser.unsandboxed is set"
	}
	bounds := "This system does not tell what it uses, so nothing bounds its memory"
	if o = o.filled(); Bounded {
		bounds = fmt.Sprintf("One that uses more than %d MB of memory, or %s of the processor between two calls, is closed", o.Memory>>20, o.Processor)
	}
	return fmt.Sprintf("%s at %s runs %s. %s.", strings.TrimSpace(string(out)), path, held, bounds), nil
}

// environment is what Chromium is told: nothing of the daemon's.
func environment(home string) []string {
	path := os.Getenv("PATH")
	if path == "" {
		path = "/usr/local/bin:/usr/bin:/bin"
	}
	return []string{"PATH=" + path, "HOME=" + home, "TMPDIR=" + os.TempDir(), "XDG_CONFIG_HOME=" + home, "XDG_CACHE_HOME=" + filepath.Join(home, "cache"), "LANG=C.UTF-8"}
}

// profileOf returns the folder of the profile that a command line names.
func profileOf(args []string) string {
	for _, a := range args {
		if dir, ok := strings.CutPrefix(a, "--user-data-dir="); ok {
			return dir
		}
	}
	return ""
}
