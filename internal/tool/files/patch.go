package files

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"chela/internal/disk"
	"chela/internal/fault"
	"chela/internal/tool"
)

// A patched is what a patch does to one file. The format is the envelope that several
// coding agents share: *** Begin Patch, then *** Add File, *** Update File (with an
// optional *** Move to) or *** Delete File sections, then *** End Patch. A section of an
// update is made of hunks that begin with @@ and an optional line that comes before, whose
// lines begin with a blank (stays), - (goes) or + (comes).
type patched struct {
	path, moveTo string
	add, remove  bool
	content      string // of an added file
	hunks        []hunk
}

type hunk struct {
	after string // a line that comes before the hunk; "" means none is named
	lines []hunkLine
	end   bool // it stands at the end of the file
}

type hunkLine struct {
	kind byte // ' ' stays, '-' goes, '+' comes
	text string
}

// old returns the lines that are there before the change.
func (h hunk) old() (out []string) {
	for _, l := range h.lines {
		if l.kind != '+' {
			out = append(out, l.text)
		}
	}
	return out
}

// turn returns what there is in place of there, which fits h. Lines that stay are left as the file has them.
func (h hunk) turn(there []string) (out []string) {
	for _, l := range h.lines {
		switch l.kind {
		case '+':
			out = append(out, l.text)
			continue
		case ' ':
			out = append(out, there[0])
		}
		there = there[1:]
	}
	return out
}

const (
	patchBegin  = "*** Begin Patch"
	patchEnd    = "*** End Patch"
	patchAdd    = "*** Add File: "
	patchUpdate = "*** Update File: "
	patchDelete = "*** Delete File: "
	patchMove   = "*** Move to: "
	patchEOF    = "*** End of File"
)

func parsePatch(text string) ([]patched, error) {
	lines := strings.Split(strings.ReplaceAll(strings.TrimSpace(text), "\r\n", "\n"), "\n")
	if lines[0] != patchBegin || strings.TrimSpace(lines[len(lines)-1]) != patchEnd || len(lines) < 3 {
		return nil, fault.BadField("input", "A patch begins with the line "+patchBegin+" and ends with the line "+patchEnd+".")
	}
	var out []patched
	for n, line := range lines[1 : len(lines)-1] {
		bad := func(what string) error {
			return fault.BadField("input", fmt.Sprintf("Line %d of the patch: %s", n+2, what))
		}
		if next, ok := section(line); ok {
			if next.path == "" {
				return nil, bad("a section names a file.")
			}
			out = append(out, next)
			continue
		}
		if len(out) == 0 {
			return nil, bad("a section begins with *** Add File, *** Update File or *** Delete File.")
		}
		if err := out[len(out)-1].line(line); err != nil {
			return nil, bad(fault.TextOf(err))
		}
	}
	for i, p := range out {
		if slices.ContainsFunc(out[:i], func(o patched) bool { return o.path == p.path }) {
			return nil, fault.BadField("input", "The patch has two sections for "+p.path+"; put its changes into one.")
		}
		if !p.add && !p.remove && len(p.hunks) == 0 && p.moveTo == "" {
			return nil, fault.BadField("input", "The patch changes nothing in "+p.path+".")
		}
	}
	return out, nil
}

func section(line string) (patched, bool) {
	for _, s := range []struct {
		head        string
		add, remove bool
	}{{patchAdd, true, false}, {patchUpdate, false, false}, {patchDelete, false, true}} {
		if path, ok := strings.CutPrefix(line, s.head); ok {
			return patched{path: strings.TrimSpace(path), add: s.add, remove: s.remove}, true
		}
	}
	return patched{}, false
}

// line takes in one line of a section.
func (p *patched) line(line string) error {
	if to, ok := strings.CutPrefix(line, patchMove); ok && !p.add && !p.remove && len(p.hunks) == 0 {
		p.moveTo = strings.TrimSpace(to)
		return nil
	}
	switch {
	case p.remove:
		return fault.New(fault.Invalid, "a deletion has no lines.")
	case p.add:
		rest, ok := strings.CutPrefix(line, "+")
		if !ok {
			return fault.New(fault.Invalid, "every line of an added file begins with +.")
		}
		p.content += rest + "\n"
		return nil
	case strings.HasPrefix(line, "@@"):
		p.hunks = append(p.hunks, hunk{after: strings.TrimSpace(strings.Trim(line, "@"))})
		return nil
	case len(p.hunks) == 0:
		return fault.New(fault.Invalid, "a change begins with @@.")
	}
	h := &p.hunks[len(p.hunks)-1]
	if line == patchEOF {
		h.end = true
		return nil
	}
	kind, rest := byte(' '), ""
	if line != "" {
		kind, rest = line[0], line[1:]
	}
	if !strings.ContainsRune(" -+", rune(kind)) {
		return fault.New(fault.Invalid, "a line of a change begins with a blank, - or +.")
	}
	h.lines = append(h.lines, hunkLine{kind, rest})
	return nil
}

// texts returns what the hunks say of the file.
func (p patched) texts() (out []string) {
	for _, h := range p.hunks {
		for _, l := range h.lines {
			out = append(out, l.text)
		}
	}
	return out
}

// apply returns a text with the hunks in it. Each is found after the one before.
func (p patched) apply(text string) (string, error) {
	words, s := shaped(text)
	lines := strings.Split(words, "\n")
	at := 0
	for n, h := range p.hunks {
		if h.after != "" {
			found := slices.IndexFunc(lines[at:], func(l string) bool { return strings.TrimSpace(l) == h.after })
			if found >= 0 {
				at += found + 1
			}
		}
		old := h.old()
		found := find(lines, old, at, h.end)
		if found < 0 {
			return "", fault.New(fault.Conflict, "Change %d of the patch does not fit %s: the lines that it names are not there in this order. Read the file again.", n+1, p.path)
		}
		turned := h.turn(lines[found : found+len(old)])
		lines = slices.Concat(lines[:found], turned, lines[found+len(old):])
		at = found + len(turned)
	}
	return s.text(strings.Join(lines, "\n")), nil
}

// find returns where old stands in lines from at on, exactly or but for blanks at the ends
// of lines; -1 when it does not.
func find(lines, old []string, at int, end bool) int {
	if len(old) == 0 {
		if end {
			return len(lines)
		}
		return at
	}
	for _, same := range []func(a, b string) bool{
		func(a, b string) bool { return a == b },
		func(a, b string) bool { return strings.TrimRight(a, " \t\r") == strings.TrimRight(b, " \t\r") },
	} {
		for i := at; i+len(old) <= len(lines); i++ {
			if end && i+len(old) < len(lines)-1 {
				continue
			}
			if slices.EqualFunc(lines[i:i+len(old)], old, same) {
				return i
			}
		}
	}
	return -1
}

// resolve makes a path of the patch absolute.
func (in patchIn) resolve(f disk.Folders, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(f.Resolve(in.WorkingDir), path)
}

// changes returns what the patch would do. The caller closes each.
func (in patchIn) changes(f disk.Folders) (out []change, err error) {
	defer func() {
		if err != nil {
			for _, c := range out {
				c.close()
			}
		}
	}()
	list, err := parsePatch(in.Input)
	if err != nil {
		return nil, err
	}
	for _, p := range list {
		c, err := before(f, in.resolve(f, p.path))
		if err != nil {
			return out, err
		}
		out = append(out, c)
		last := &out[len(out)-1]
		switch {
		case p.add && !c.fresh:
			return out, fault.New(fault.Conflict, "%s exists already; change it with *** Update File.", c.path)
		case p.add:
			last.next = p.content
			continue
		case c.fresh:
			return out, fault.New(fault.NotFound, "%s does not exist.", c.path)
		case p.remove:
			last.gone = true
			continue
		}
		if err := c.mixes(p.texts()...); err != nil {
			return out, err
		}
		text, err := p.apply(c.old)
		if err != nil {
			return out, err
		}
		if p.moveTo == "" {
			last.next = text
			continue
		}
		last.gone = true
		to, err := before(f, in.resolve(f, p.moveTo))
		if err != nil {
			return out, err
		}
		to.next, to.mode = text, c.mode
		out = append(out, to)
		if !to.fresh {
			return out, fault.New(fault.Conflict, "%s exists already; nothing is moved over it.", to.path)
		}
	}
	return out, nil
}

// Preview implements [tool.Previewer].
func (in patchIn) Preview(_ context.Context, c tool.Call) (string, error) {
	list, err := in.changes(c.Folders)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, c := range list {
		b.WriteString(c.diff())
		c.close()
	}
	return b.String(), nil
}

type patchOut struct {
	Written []string `json:"written,omitempty"`
	Removed []string `json:"removed,omitempty"`
}

func applyPatch(_ context.Context, c tool.Call, in patchIn) (patchOut, error) {
	list, err := in.changes(c.Folders) // all of it fits, or nothing is touched
	if err != nil {
		return patchOut{}, err
	}
	var out patchOut
	told := c.Changes
	for _, gone := range []bool{false, true} { // what moves is there twice rather than not at all
		for _, c := range list {
			if c.gone != gone || err != nil {
				continue
			}
			if err = c.write(told); err != nil {
				continue
			}
			if gone {
				out.Removed = append(out.Removed, c.path)
			} else {
				out.Written = append(out.Written, c.path)
			}
		}
	}
	for _, c := range list {
		c.close()
	}
	if err != nil && len(out.Written)+len(out.Removed) > 0 {
		err = fault.Wrap(err, fault.KindOf(err), "The patch was applied in part (written: %s; removed: %s). %s", strings.Join(out.Written, ", "), strings.Join(out.Removed, ", "), fault.TextOf(err))
	}
	return out, err
}
