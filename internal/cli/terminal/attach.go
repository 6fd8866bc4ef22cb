package terminal

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// An attachment is a file that goes with a message: a picture in it, a document through the
// intake.
type attachment struct {
	name    string
	data    []byte
	picture bool
}

// largest bounds a file, in bytes: as the API takes pictures with a message, and documents.
const (
	largestPicture  = 8 << 20
	largestDocument = 64 << 20
)

// pathIn reads what a terminal pastes when a file is dropped on it: one path, which may be
// quoted, have its spaces escaped, or be a file: address. "" when it is something else.
func pathIn(pasted string) string {
	text := strings.TrimSpace(pasted)
	if text == "" || strings.ContainsAny(text, "\n\x00") || len(text) > 4096 {
		return ""
	}
	if u, err := url.Parse(text); err == nil && u.Scheme == "file" {
		return absolute(u.Path)
	}
	if n := len(text); n > 1 && (text[0] == '\'' || text[0] == '"') && text[n-1] == text[0] {
		return absolute(text[1 : n-1])
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		} else if text[i] == ' ' {
			return ""
		}
		b.WriteByte(text[i])
	}
	return absolute(b.String())
}

// absolute returns a path that begins at the root or at home; others are words.
func absolute(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		path = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(path) {
		return ""
	}
	return filepath.Clean(path)
}

// attach reads the file at a path that was pasted; ok is false when there is none. wrong says
// why one that is there cannot go with a message.
func attach(path string) (a attachment, ok bool, wrong string) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return a, false, ""
	}
	name := filepath.Base(path)
	if info.Size() > largestDocument {
		return a, true, name + " is larger than 64 MB. Split it, or hand it in on the page."
	}
	raw, err := os.ReadFile(path) //nolint:gosec // the person's own, whose path they pasted
	if err != nil {
		return a, true, name + " cannot be read."
	}
	a = attachment{name: name, data: raw}
	switch http.DetectContentType(raw) {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		a.picture = true
	}
	if a.picture && len(raw) > largestPicture {
		return a, true, name + " is larger than 8 MB; a message takes smaller pictures."
	}
	return a, true, ""
}
