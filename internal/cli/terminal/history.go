package terminal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"chela/internal/fault"
)

// A History is what was written before, the newest last. It is kept in a file of JSON strings,
// one a line, which only its owner reads.
type History struct {
	path  string
	lines []string
}

const (
	mostKept    = 1000
	longestKept = 10_000
)

// HistoryPath is where a person's history is kept: in the state folder of the XDG directories.
func HistoryPath() (string, error) {
	state := os.Getenv("XDG_STATE_HOME")
	if state == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find the home folder: %w", err)
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "chela", "history"), nil
}

// OpenHistory reads a history; lines that cannot be read are left out.
func OpenHistory(path string) (*History, error) {
	h := &History{path: path}
	f, err := os.Open(path) //nolint:gosec // the person's own
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return h, fault.Wrap(err, fault.Unavailable, "The history %s cannot be read; nothing that you write is kept.", path)
	}
	defer func() { _ = f.Close() }() // read only
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var text string
		if json.Unmarshal(lines.Bytes(), &text) == nil && text != "" {
			h.lines = append(h.lines, text)
		}
	}
	h.lines = h.lines[max(0, len(h.lines)-mostKept):]
	return h, nil
}

// Add keeps what was written, but for what begins with a space and what was written just before.
func (h *History) Add(text string) error {
	if text == "" || strings.HasPrefix(text, " ") || len(text) > longestKept || len(h.lines) > 0 && h.lines[len(h.lines)-1] == text {
		return nil
	}
	h.lines = append(h.lines, text)
	if h.path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return fmt.Errorf("make the folder of the history: %w", err)
	}
	raw, err := json.Marshal(text)
	if err != nil {
		return fmt.Errorf("encode a line of the history: %w", err)
	}
	if len(h.lines) > mostKept {
		h.lines = h.lines[len(h.lines)-mostKept:]
	}
	f, err := os.OpenFile(h.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the history: %w", err)
	}
	if err := f.Chmod(0o600); err != nil { // it may have been there, and open to others
		return errors.Join(err, f.Close())
	}
	_, err = f.Write(append(raw, '\n'))
	return errors.Join(err, f.Close())
}

// At returns the line that is so many before the newest, which is 1.
func (h *History) At(back int) (string, bool) {
	if back < 1 || back > len(h.lines) {
		return "", false
	}
	return h.lines[len(h.lines)-back], true
}
