package shell

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"chela/internal/disk"

	"mvdan.cc/sh/v3/syntax"
)

// A mode says what is done with a path.
type mode uint8

const (
	names mode = iota // only its name, size and the like are looked at
	reads
	sweeps // everything below is read
	writes
)

// A use is a path with what is done with it.
type use struct {
	path    string
	mode    mode
	pattern string // base name with wildcards, of a file in path
}

// quietDevices are files below /dev that hold nothing and change nothing.
var quietDevices = []string{
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/stdin", "/dev/stdout", "/dev/stderr",
}

func quietDevice(p string) bool {
	return oneOf(p, quietDevices...) || strings.HasPrefix(p, "/dev/fd/")
}

// path notes that a command does something with the file that a word names.
func (x *walk) path(w word, in dirs, m mode) {
	for _, p := range x.resolve(w, in) {
		x.use(p, w, m)
	}
}

func (x *walk) use(p string, w word, m mode) {
	if quietDevice(p) {
		return
	}
	if strings.HasPrefix(p, "/dev/tcp/") || strings.HasPrefix(p, "/dev/udp/") {
		x.network(p)
		return
	}
	u := use{path: p, mode: m}
	if w.kind == globbed && m > names {
		if u.pattern = path.Base(w.text); strings.Trim(u.pattern, "*?") == "" {
			u.pattern = ""
			if m == reads {
				u.mode = sweeps
			}
		}
	}
	if m == writes {
		x.r.writes = true
		switch {
		case systemPath(p), p == "/":
			x.danger("It changes %s, which belongs to the system.", p)
		case disk.Startup(p):
			x.danger("It changes %s, which is run without being asked.", p)
		}
	}
	if slices.ContainsFunc(x.uses, func(o use) bool { return o.path == p && o.mode == m && o.pattern == u.pattern }) {
		return
	}
	if real, changed := x.follow(p); changed {
		x.uses = append(x.uses, use{path: real, mode: m})
		if m == writes && systemPath(real) {
			x.danger("It changes %s, which belongs to the system.", real)
		}
	}
	x.uses = append(x.uses, u)
}

// resolve returns the paths that a word may name, cleaned; of a pattern, the folder that is
// sure. A path that is not known is said to be unclear.
func (x *walk) resolve(w word, in dirs) []string {
	text := w.text
	switch w.kind {
	case exact:
	case unknown:
		x.unclear("It cannot be known which file %s is.", w.src)
		if !strings.Contains(text, "/") {
			return nil
		}
		text = text[:strings.LastIndexByte(text, '/')+1]
	case globbed:
		if slices.Contains(strings.Split(text[w.meta:], "/"), "..") {
			x.unclear("It cannot be known which files %s are.", w.src)
		}
		text = text[:strings.LastIndexByte(text[:w.meta], '/')+1]
	}
	if text == "" && w.kind != globbed {
		return nil
	}
	if strings.HasPrefix(text, "~") {
		if text == "~" || strings.HasPrefix(text, "~/") {
			text = x.home() + text[1:]
		}
		if strings.HasPrefix(text, "~") {
			return []string{path.Clean(text)}
		}
	}
	if filepath.IsAbs(text) {
		return []string{filepath.Clean(text)}
	}
	if in == nil {
		x.unclear("It cannot be known in which folder %s is.", w.src)
		return nil
	}
	out := make([]string, 0, len(in))
	for _, d := range in {
		if strings.HasPrefix(d, "~") {
			out = append(out, homePath(d, text))
			continue
		}
		out = append(out, filepath.Join(d, text))
	}
	return out
}

// homePath joins below a home folder of which only the name ~ is known.
func homePath(d, text string) string {
	p := path.Join(d, text)
	if !strings.HasPrefix(p, "~") {
		return "/home" // above a home folder
	}
	return p
}

// follow returns where the links in a path lead, in the spelling of the granted folders.
func (x *walk) follow(p string) (string, bool) {
	if x.sh.Links == nil || !filepath.IsAbs(p) {
		return p, false
	}
	real := x.followed(p)
	for _, g := range x.sh.Folders.All() {
		if root := x.followed(g.Path); root != g.Path {
			if rel, err := filepath.Rel(root, real); err == nil && filepath.IsLocal(rel) {
				real = filepath.Join(g.Path, rel)
				break
			}
		}
	}
	return real, real != p
}

// followed follows the links of the longest beginning of p that exists.
func (x *walk) followed(p string) string {
	rest := ""
	for at := p; ; at = filepath.Dir(at) {
		if real, err := x.sh.Links(at); err == nil {
			return filepath.Join(real, rest)
		}
		if at == filepath.Dir(at) {
			return p
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// redirect reads one redirection, and returns what the command then reads.
func (x *walk) redirect(r *syntax.Redirect, in dirs, std input) input {
	w := x.word(r.Word, in)
	if w.odd {
		x.unclear("Shells differ in what %s means.", w.src)
	}
	switch r.Op {
	case syntax.RdrIn:
		x.path(w, in, reads)
		return input{piped: true, net: w.net, maybe: []word{w}, files: []word{w}}
	case syntax.Hdoc, syntax.DashHdoc:
		if r.Hdoc == nil {
			return input{piped: true}
		}
		body := word{}
		if quotedDelimiter(r.Word) {
			body = word{text: rawText(r.Hdoc)}
		} else {
			b := builder{x: x, in: in, meta: -1}
			for _, p := range r.Hdoc.Parts {
				b.part(p, true)
			}
			if b.nested {
				x.nested(r.Hdoc, in)
			}
			body = word{text: b.text.String(), proc: b.proc}
			if b.lost {
				body.kind = unknown
			}
		}
		return input{piped: true, text: body, known: true}
	case syntax.WordHdoc:
		return input{piped: true, text: w, known: true, net: w.net}
	case syntax.DplIn, syntax.DplOut:
		if w.kind == exact && strings.Trim(w.text, "0123456789-") == "" {
			return std
		}
	default: // it writes
	}
	x.path(w, in, writes)
	return std
}

func quotedDelimiter(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); !ok || strings.Contains(l.Value, `\`) {
			return true
		}
	}
	return false
}

func rawText(w *syntax.Word) string {
	var b strings.Builder
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			b.WriteString(l.Value)
		}
	}
	return b.String()
}

// judgePaths sorts what was used into what is granted and what is not.
func (x *walk) judgePaths() {
	for _, u := range x.uses {
		p := disk.Use{Path: u.path, Write: u.mode == writes}
		if !slices.Contains(x.r.Paths, p) {
			x.r.Paths = append(x.r.Paths, p)
		}
		g, ok := x.sh.Folders.Of(u.path)
		if (!ok || p.Write && !g.Write) && !slices.Contains(x.r.Outside, p) {
			x.r.Outside = append(x.r.Outside, p)
		}
		if ok && g.Secrets || u.mode == names {
			continue
		}
		secret := u.path
		if u.pattern != "" {
			secret = path.Join(u.path, u.pattern)
		}
		if (disk.Secret(u.path) || u.pattern != "" && matchesSecret(u.pattern)) && !slices.Contains(x.r.Secrets, secret) {
			x.r.Secrets = append(x.r.Secrets, secret)
		}
		if u.mode == sweeps && !slices.Contains(x.r.Sweeps, u.path) {
			x.r.Sweeps = append(x.r.Sweeps, u.path)
		}
	}
}

// likelySecrets are names that a pattern of the shell is tried on.
var likelySecrets = []string{
	".env", ".env.local", ".env.production", ".envrc", ".netrc", ".npmrc", ".pgpass", ".ssh", ".aws", ".gnupg", ".kube",
	"id_rsa", "id_ed25519", "server.key", "key.pem", "cert.pem", "private.key", "store.p12", "store.jks", "db.kdbx",
	"credentials.json", "secrets.yml", "secrets.yaml", "prod.env", "node.key", "chela.db", ".bash_history", "shadow", "sudoers",
}

// matchesSecret reports whether wildcards may stand for the name of a file with secrets. A
// pattern that stands for nearly everything does not name one; what it stands for is swept.
func matchesSecret(pattern string) bool {
	if pattern = disk.Fold(pattern); disk.Secret(pattern) {
		return true
	}
	return slices.ContainsFunc(likelySecrets, func(name string) bool {
		ok, err := path.Match(pattern, name)
		return err != nil || ok && (name[0] != '.' || pattern[0] != '*' && pattern[0] != '?')
	})
}
