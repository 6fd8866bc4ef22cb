package sandbox

import (
	"bufio"
	"bytes"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// An ignore is a line of a .gitignore.
type ignore struct {
	dir     string // in which it stands
	pattern string // of doublestar
	name    bool   // it is compared with names, at any depth
	folders bool   // it is about folders alone
	not     bool   // what it fits is kept
}

// Bounds of a .gitignore: beyond them it is not read.
const (
	mostIgnore  = 64 << 10 // bytes
	mostIgnores = 500      // lines
)

// ignoresOf reads the .gitignore of a folder, if its entries say that there is one.
func ignoresOf(dir string, entries []fs.DirEntry) []ignore {
	for _, e := range entries {
		if e.Name() != ".gitignore" || !e.Type().IsRegular() {
			continue
		}
		f, err := os.OpenFile(filepath.Join(dir, e.Name()), os.O_RDONLY|plainly, 0) // it may have become a link or a pipe since it was listed
		if err != nil {
			return nil
		}
		raw, err := io.ReadAll(io.LimitReader(f, mostIgnore))
		_ = f.Close() // only read
		if err != nil {
			return nil
		}
		return readIgnores(dir, raw)
	}
	return nil
}

func readIgnores(dir string, raw []byte) []ignore {
	var out []ignore
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for lines.Scan() && len(out) < mostIgnores {
		if i, ok := readIgnore(lines.Text()); ok {
			i.dir = dir
			out = append(out, i)
		}
	}
	return out
}

// braces are special to doublestar, and not to Git.
var braces = strings.NewReplacer("{", `\{`, "}", `\}`)

// readIgnore reads a line as Git does; ok is false for one that says nothing.
func readIgnore(line string) (i ignore, ok bool) {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if line == "" || line[0] == '#' {
		return i, false
	}
	if line[0] == '!' {
		i.not, line = true, line[1:]
	}
	if rest, found := strings.CutSuffix(line, "/"); found {
		i.folders, line = true, rest
	}
	i.name = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if strings.HasSuffix(line, "/**") {
		line += "/*" // all that lies in it, and not itself
	}
	i.pattern = braces.Replace(line)
	return i, line != "" && doublestar.ValidatePattern(i.pattern)
}

// ignored reports whether rules leave a path out: the last that fits decides. What lies in a folder that is left out is
// never looked at.
func ignored(rules []ignore, file string, folder bool) bool {
	for n := len(rules) - 1; n >= 0; n-- {
		if i := rules[n]; (folder || !i.folders) && i.fits(file) {
			return !i.not
		}
	}
	return false
}

func (i ignore) fits(file string) bool {
	below := filepath.ToSlash(strings.TrimPrefix(file[len(i.dir):], string(filepath.Separator)))
	if i.name {
		below = path.Base(below)
	}
	ok, err := doublestar.Match(i.pattern, below)
	return ok && err == nil
}
