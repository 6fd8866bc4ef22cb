package files

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"chela/internal/disk"
	"chela/internal/fault"
	"chela/internal/tool"
)

type writeOut struct {
	Path    string `json:"path"`
	Bytes   int    `json:"bytes"`
	Created bool   `json:"created,omitempty"`
}

// A change is a file as it stands and as it shall stand.
type change struct {
	place
	old, next string
	mode      fs.FileMode
	fresh     bool // it does not exist yet
	gone      bool // it is removed
}

// before reads the file that a write is about to change.
func before(f disk.Folders, path string) (change, error) {
	p, err := at(f, path, true)
	if err != nil {
		return change{}, err
	}
	c := change{place: p, mode: 0o644}
	raw, info, err := p.content()
	switch {
	case fault.KindOf(err) == fault.NotFound && err != nil:
		c.fresh = true
	case err != nil:
		_ = p.root.Close() // only read
		return change{}, err
	default:
		c.old, c.mode = string(raw), info.Mode().Perm()
	}
	return c, nil
}

func (c change) close() { _ = c.root.Close() } // a folder's descriptor

// diff is the change as a unified diff. Bytes that are no text are not shown.
func (c change) diff() string {
	for _, text := range []string{c.old, c.next} {
		if _, plain := plainText([]byte(text)); !plain {
			return "Binary file " + c.path + " changes from " + size(int64(len(c.old))) + " to " + size(int64(len(c.next))) + ".\n"
		}
	}
	from, to := c.path, c.path
	if c.fresh {
		from = os.DevNull
	}
	if c.gone {
		to = os.DevNull
	}
	return udiff.Unified(from, to, c.old, c.next)
}

// write puts the new content in place of the old: whole or not at all. A link is followed
// to where it leads, as long as that lies in the folder. told takes in what became of it.
func (c change) write(told *disk.Changes) error {
	if c.gone {
		if err := c.root.Remove(c.name); err != nil {
			return refused(err, c.path)
		}
		told.Add(disk.Change{Path: c.path, How: disk.Deleted})
		return nil
	}
	name := c.name
	for range 16 {
		target, err := c.root.Readlink(name)
		if err != nil {
			break
		}
		if filepath.IsAbs(target) {
			return fault.New(fault.Denied, "%s leads out of its folder by a link.", c.path)
		}
		name = filepath.Join(filepath.Dir(name), target)
	}
	if err := c.hidden(filepath.Join(c.grant.Path, name)); err != nil {
		return err
	}
	if dir := filepath.Dir(name); dir != "." {
		if err := c.root.MkdirAll(dir, 0o755); err != nil {
			return refused(err, c.path)
		}
	}
	var tail [6]byte
	_, _ = rand.Read(tail[:]) // it never fails
	temp := filepath.Join(filepath.Dir(name), ".chela-"+hex.EncodeToString(tail[:]))
	if err := c.root.WriteFile(temp, []byte(c.next), c.mode); err != nil {
		return errors.Join(refused(err, c.path), ignore(c.root.Remove(temp)))
	}
	if err := c.root.Rename(temp, name); err != nil {
		return errors.Join(refused(err, c.path), ignore(c.root.Remove(temp)))
	}
	how := disk.Changed
	if c.fresh {
		how = disk.Made
	}
	told.Add(disk.Change{Path: c.path, How: how})
	return nil
}

// ignore drops the error of tidying up after another.
func ignore(error) error { return nil }

func (in writeIn) change(f disk.Folders) (change, error) {
	c, err := before(f, in.Path)
	if err != nil {
		return c, err
	}
	if c.next = *in.Content; !in.Append {
		return c, nil
	}
	if err := c.mixes(*in.Content); err != nil {
		c.close()
		return c, err
	}
	words, s := shaped(c.old)
	c.next = s.text(words + s.given(*in.Content))
	return c, nil
}

// Preview implements [tool.Previewer].
func (in writeIn) Preview(_ context.Context, c tool.Call) (string, error) {
	return preview(in.change(c.Folders))
}

func preview(c change, err error) (string, error) {
	if err != nil {
		return "", err
	}
	defer c.close()
	return c.diff(), nil
}

func writeFile(_ context.Context, c tool.Call, in writeIn) (writeOut, error) {
	ch, err := in.change(c.Folders)
	return done(c, ch, err)
}

func done(call tool.Call, c change, err error) (writeOut, error) {
	if err != nil {
		return writeOut{}, err
	}
	defer c.close()
	return writeOut{Path: c.path, Bytes: len(c.next), Created: c.fresh}, c.write(call.Changes)
}

func (in editIn) change(f disk.Folders) (change, error) {
	c, err := before(f, in.Path)
	if err != nil {
		return c, err
	}
	words, s := shaped(c.old)
	old := s.given(in.OldText)
	times, mixed := strings.Count(words, old), c.mixes(in.OldText, *in.NewText)
	switch {
	case c.fresh:
		err = fault.New(fault.NotFound, "%s does not exist; write_file makes it.", c.path)
	case in.OldText == "":
		err = fault.BadField("old_text", "It is empty; write_file writes a whole file.")
	case in.OldText == *in.NewText:
		err = fault.BadField("new_text", "It is the same as old_text.")
	case mixed != nil:
		err = mixed
	case times == 0:
		err = fault.New(fault.Conflict, "%s does not contain old_text exactly as given; read the file again and copy it with all blanks.", c.path)
	case times > 1 && !in.ReplaceAll:
		err = fault.New(fault.Conflict, "%s contains old_text %d times; give more of what is around it, or set replace_all.", c.path, times)
	}
	if err != nil {
		c.close()
		return c, err
	}
	c.next = s.text(strings.ReplaceAll(words, old, s.given(*in.NewText)))
	return c, nil
}

// Preview implements [tool.Previewer].
func (in editIn) Preview(_ context.Context, c tool.Call) (string, error) {
	return preview(in.change(c.Folders))
}

func editFile(_ context.Context, c tool.Call, in editIn) (writeOut, error) {
	ch, err := in.change(c.Folders)
	return done(c, ch, err)
}
