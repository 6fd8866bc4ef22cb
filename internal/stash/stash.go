// Package stash keeps what was computed of the log in files, so that the next start does not compute it again. What is there may go at
// any time: whoever finds nothing, or something that is not whole, computes it anew.
package stash

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"chela/internal/packed"
)

// A Mark is a position of a stream of the log, and the hash of the event there: with that, all before it is the same.
type Mark struct {
	Stream string
	At     int64
	Hash   string
}

// A Head says what a file has. A file is only read by whoever names the same form and name.
type Head struct {
	Form  string // of the bytes, with the program that wrote them
	Name  string
	Marks []Mark // up to where what is in it was computed
}

const (
	magic = "chela stash 1\n"
	// last stands instead of the length of a portion behind all of them.
	last = 1<<32 - 1
	// mostBytes bounds a portion.
	mostBytes = 1 << 30
	// leastRecords and leastChanges are those of [At].
	leastRecords = 2000
	leastChanges = 300
	// mostFiles is how many files there are at most; those that were written first go.
	mostFiles  = 8
	unfinished = ".new-"
)

// A Folder has the files. A nil one keeps nothing.
type Folder struct {
	Least int   // of how many records something is worth a file
	After int64 // how many changes make a new one worth while

	root string
	hold func() (release func())
	mu   sync.Mutex // who writes
}

// At returns the files below a folder, which is made when something is kept. hold is called while one is read, whose values stay; it may
// be nil.
func At(root string, hold func() (release func())) *Folder {
	if hold == nil {
		hold = func() func() { return func() {} }
	}
	return &Folder{Least: leastRecords, After: leastChanges, root: root, hold: hold}
}

// path is the file of a name.
func (f *Folder) path(name string) string {
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(f.root, hex.EncodeToString(sum[:16]))
}

var sums = crc32.MakeTable(crc32.Castagnoli) //nolint:gochecknoglobals // a table

// Keep writes a file in the place of the one of that name, which there is until the new one is whole. write calls its argument with
// portions, which are read again one by one.
func (f *Folder) Keep(h Head, write func(add func(portion []byte) error) error) error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := os.MkdirAll(f.root, 0o700); err != nil {
		return fmt.Errorf("make the folder of what is kept for the next start: %w", err)
	}
	tmp, err := os.CreateTemp(f.root, unfinished+"*")
	if err != nil {
		return fmt.Errorf("keep %s for the next start: %w", h.Name, err)
	}
	err = errors.Join(h.write(tmp, write), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), f.path(h.Name))
	}
	if err != nil {
		return fmt.Errorf("keep %s for the next start: %w", h.Name, errors.Join(err, os.Remove(tmp.Name())))
	}
	return f.prune()
}

// write writes the whole file to the disk.
func (h Head) write(to *os.File, write func(add func(portion []byte) error) error) error {
	if _, err := io.WriteString(to, magic); err != nil {
		return err
	}
	n := uint32(0)
	add := func(portion []byte) error {
		if len(portion) > mostBytes {
			return fmt.Errorf("a portion has %d bytes, and at most %d are read again", len(portion), mostBytes)
		}
		n++
		size := binary.LittleEndian.AppendUint32(nil, uint32(len(portion))) //nolint:gosec // bounded above
		if _, err := to.Write(binary.LittleEndian.AppendUint32(size, crc32.Checksum(portion, sums))); err != nil {
			return err
		}
		_, err := to.Write(portion)
		return err
	}
	var w packed.Writer
	packed.Put(&w, &h)
	if err := add(w.Bytes()); err != nil {
		return err
	}
	if err := write(add); err != nil {
		return err
	}
	end := binary.LittleEndian.AppendUint32(nil, last)
	if _, err := to.Write(binary.LittleEndian.AppendUint32(end, n)); err != nil {
		return err
	}
	return to.Sync()
}

// Worth reports whether something of so many records that has changed so often since it was kept is to be kept anew.
func (f *Folder) Worth(records int, changes int64) bool {
	return f != nil && records >= f.Least && changes >= f.After
}

// prune takes away what a kill left unfinished, and all files but the newest.
func (f *Folder) prune() error {
	entries, err := os.ReadDir(f.root)
	if err != nil {
		return err
	}
	var whole []fs.FileInfo
	for _, e := range entries {
		info, bad := e.Info()
		switch {
		case bad != nil: // it went
		case strings.HasPrefix(e.Name(), unfinished):
			err = errors.Join(err, os.Remove(filepath.Join(f.root, e.Name())))
		default:
			whole = append(whole, info)
		}
	}
	slices.SortFunc(whole, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, old := range whole[min(mostFiles, len(whole)):] {
		err = errors.Join(err, os.Remove(filepath.Join(f.root, old.Name())))
	}
	return err
}

// Drop takes away the file of a name.
func (f *Folder) Drop(name string) error {
	if f == nil {
		return nil
	}
	if err := os.Remove(f.path(name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Clear takes all files away.
func (f *Folder) Clear() error {
	if f == nil {
		return nil
	}
	return os.RemoveAll(f.root)
}

// ErrBroken says that a file is not whole, or not of the form that was asked for.
var ErrBroken = errors.New("what was kept for the next start is cut off, changed or of another program")

// Take opens the file of a form and a name; it is nil when there is none.
func (f *Folder) Take(form, name string) (*Kept, error) {
	if f == nil {
		return nil, nil
	}
	file, err := os.Open(f.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	k := &Kept{file: file, release: f.hold()}
	if err := k.open(form, name); err != nil {
		return nil, errors.Join(err, k.Close())
	}
	return k, nil
}

// A Kept is a file that is read.
type Kept struct {
	Marks   []Mark
	file    *os.File
	size    int64 // of the file
	at      int64 // where the portions begin
	release func()
}

// Close ends the reading.
func (k *Kept) Close() error {
	k.release()
	return k.file.Close()
}

func (k *Kept) open(form, name string) error {
	info, err := k.file.Stat()
	if err != nil {
		return ErrBroken
	}
	k.size = info.Size()
	begin := make([]byte, len(magic))
	if _, err := k.file.ReadAt(begin, 0); err != nil || string(begin) != magic {
		return ErrBroken
	}
	p, more, err := k.find(int64(len(magic)))
	if err != nil || !more {
		return ErrBroken
	}
	raw, err := p.Read()
	if err != nil {
		return err
	}
	var h Head
	r := packed.NewReader(raw)
	if packed.Take(r, &h); r.End() != nil || h.Form != form || h.Name != name {
		return ErrBroken
	}
	k.Marks, k.at = h.Marks, p.end()
	return nil
}

// A Portion is a part of a file that can be read. Several can be read at once.
type Portion struct {
	file *os.File
	at   int64
	size uint32
	sum  uint32
}

func (p Portion) end() int64 { return p.at + int64(p.size) }

// Read reads the portion. Its texts are parts of what it returns, so that it is not copied.
func (p Portion) Read() (string, error) {
	raw := make([]byte, p.size)
	if _, err := p.file.ReadAt(raw, p.at); err != nil || crc32.Checksum(raw, sums) != p.sum {
		return "", ErrBroken
	}
	return unsafe.String(unsafe.SliceData(raw), len(raw)), nil // nobody else has the bytes
}

// find finds the portion whose length is at a place of the file. There is none behind the last.
func (k *Kept) find(at int64) (p Portion, more bool, err error) {
	var head [8]byte
	if _, err := k.file.ReadAt(head[:], at); err != nil {
		return p, false, ErrBroken
	}
	p = Portion{file: k.file, at: at + int64(len(head)), size: binary.LittleEndian.Uint32(head[:]), sum: binary.LittleEndian.Uint32(head[4:])}
	if p.size != last && (p.size > mostBytes || p.end() > k.size) {
		return p, false, ErrBroken
	}
	return p, p.size != last, nil
}

// Portions finds the portions in their order. When all of them are read without an error the file was whole.
func (k *Kept) Portions() ([]Portion, error) {
	var all []Portion
	for at := k.at; ; {
		p, more, err := k.find(at)
		if err != nil {
			return nil, err
		}
		if !more {
			if int(p.sum) != len(all)+1 { // with the head
				return nil, ErrBroken
			}
			return all, nil
		}
		all, at = append(all, p), p.end()
	}
}
