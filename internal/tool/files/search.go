package files

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"chela/internal/disk"
	"chela/internal/fault"
	"chela/internal/tool"
)

type match struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
	Text string `json:"text,omitempty"`
	Size int64  `json:"size,omitempty"` // when no text was searched for
}

type searchOut struct {
	Path    string  `json:"path"`
	Matches []match `json:"matches"`
	Note    string  `json:"note,omitempty"`
}

// Bounds of a search.
const (
	maxDepth    = 32
	maxVisited  = 200_000   // files and folders
	maxSearched = 256 << 20 // bytes
	maxLine     = 400       // bytes of a matching line that are shown
)

var errEnough = errors.New("enough was found")

type search struct {
	place
	in      searchIn
	text    *regexp.Regexp
	most    int
	visited int
	bytes   int64
	linked  int // files that were left out because they have other names
	out     searchOut
}

func searchFiles(ctx context.Context, c tool.Call, in searchIn) (searchOut, error) {
	p, err := at(c.Folders, in.Path, false)
	if err != nil {
		return searchOut{}, err
	}
	defer func() { _ = p.root.Close() }() // only read
	s := search{place: p, in: in, most: 100, out: searchOut{Path: p.path, Matches: []match{}}}
	if in.MaxResults != 0 {
		s.most = in.MaxResults
	}
	switch {
	case in.Pattern == "" && in.Text == "":
		return s.out, fault.BadField("pattern", "Name a pattern of paths, a text to find, or both.")
	case s.most < 1 || s.most > 1000:
		return s.out, fault.BadField("max_results", "It is between 1 and 1,000.")
	case !doublestar.ValidatePattern(in.Pattern):
		return s.out, fault.BadField("pattern", fmt.Sprintf("%q is no pattern; write for example **/*.go.", in.Pattern))
	}
	if in.Text != "" {
		expr := in.Text
		if in.IgnoreCase {
			expr = "(?i)" + expr
		}
		if s.text, err = regexp.Compile(expr); err != nil {
			return s.out, fault.BadField("text", "It is no regular expression (RE2): "+err.Error())
		}
	}
	base := filepath.ToSlash(p.name)
	err = fs.WalkDir(p.root.FS(), base, func(name string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return s.visit(base, name, e, err)
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	if s.linked > 0 {
		s.out.Note = strings.TrimSpace(fmt.Sprintf("%s %d files were left out because they are hard links, whose other names may lie outside.", s.out.Note, s.linked))
	}
	if err != nil && ctx.Err() == nil {
		err = refused(err, p.path)
	}
	return s.out, err
}

func (s *search) visit(base, name string, e fs.DirEntry, err error) error {
	switch {
	case err != nil && name == base:
		return err
	case err != nil:
		return nil // what cannot be read is not searched
	}
	below, _ := filepath.Rel(filepath.FromSlash(base), filepath.FromSlash(name))
	below = filepath.ToSlash(below)
	if s.visited++; s.visited > maxVisited {
		s.out.Note = fmt.Sprintf("The search stopped after %d files; search a folder below.", maxVisited)
		return errEnough
	}
	if e.IsDir() {
		if name != base && (disk.Generated(e.Name()) || len(bytes.Split([]byte(below), []byte("/"))) > maxDepth) {
			return fs.SkipDir
		}
		return nil
	}
	if !e.Type().IsRegular() || s.hidden(filepath.Join(s.grant.Path, filepath.FromSlash(name))) != nil || !s.named(below) {
		return nil
	}
	return s.look(name, below, e)
}

// named reports whether a path fits the pattern; one without a slash is looked for at any
// depth.
func (s *search) named(below string) bool {
	if s.in.Pattern == "" {
		return true
	}
	ok, _ := doublestar.Match(s.in.Pattern, below) // validated
	if !ok && path.Base(s.in.Pattern) == s.in.Pattern {
		ok, _ = doublestar.Match(s.in.Pattern, path.Base(below)) // validated
	}
	return ok
}

func (s *search) look(name, below string, e fs.DirEntry) error {
	info, err := e.Info()
	if err != nil {
		return nil //nolint:nilerr // gone meanwhile
	}
	if s.text == nil {
		return s.add(match{Path: below, Size: info.Size()})
	}
	if info.Size() > maxRead {
		return nil
	}
	if s.bytes += info.Size(); s.bytes > maxSearched {
		s.out.Note = fmt.Sprintf("The search stopped after %s; search a folder below, or fewer files.", size(maxSearched))
		return errEnough
	}
	file := s.place
	file.name, file.path = filepath.FromSlash(name), filepath.Join(s.grant.Path, filepath.FromSlash(name))
	raw, _, err := file.content()
	if errors.Is(err, errLinked) {
		s.linked++
	}
	if err != nil || bytes.IndexByte(raw[:min(len(raw), 8000)], 0) >= 0 {
		return nil //nolint:nilerr // what cannot be read, and what is binary, has no lines
	}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, maxRead+1)
	for n := 1; lines.Scan(); n++ {
		if s.text.Match(lines.Bytes()) {
			if err := s.add(match{Path: below, Line: n, Text: short(lines.Text())}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *search) add(m match) error {
	if len(s.out.Matches) == s.most {
		s.out.Note = fmt.Sprintf("There are more than %d matches; narrow the search.", s.most)
		return errEnough
	}
	s.out.Matches = append(s.out.Matches, m)
	return nil
}

func short(line string) string {
	if len(line) <= maxLine {
		return line
	}
	cut := maxLine
	for cut > 0 && line[cut]&0xc0 == 0x80 {
		cut--
	}
	return line[:cut] + "…"
}

func size(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}
