package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"chela/internal/fault"
)

// A journal is SQLite's write-ahead log as the writer syncs it: SQLite itself only writes it at a commit, so
// that what depends on a commit can begin while the disk is still at work. Before a checkpoint SQLite syncs
// it, too (https://www.sqlite.org/pragma.html#pragma_synchronous, NORMAL). The file stays the same as long as
// the writer's connection is open.
type journal struct {
	path string
	file *os.File             // opened by the first sync, when SQLite has made it
	data func(*os.File) error // puts what was written to a file on disk

	mu   sync.Mutex // guards lost
	lost error      // why that failed
}

// sync returns when all that was committed is on disk. When that fails nobody knows what of it is there, and
// asking again would not tell: it fails from then on.
func (j *journal) sync() error {
	err := j.failed()
	if err == nil {
		err = j.flush()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lost = err
	return err
}

// failed is why a sync failed, nil when none did.
func (j *journal) failed() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.lost
}

func (j *journal) flush() error {
	var err error
	if j.file == nil {
		j.file, err = os.OpenFile(j.path, os.O_RDWR, 0)
	}
	if err == nil {
		err = j.data(j.file)
	}
	if full := fault.FullDisk(err, filepath.Dir(j.path)); full != nil {
		return fault.Wrap(err, fault.Unavailable, "The disk with the folder %s is full, and what was written last may not be on it. Free some room there, then start Chela again.", filepath.Dir(j.path))
	}
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "What was written last to %s may not be on disk. Nothing more is recorded until Chela is started again; see whether the disk is in order.", j.path)
	}
	return nil
}

func (j *journal) close() error {
	if j.file == nil {
		return nil
	}
	if err := j.file.Close(); err != nil {
		return fmt.Errorf("close %s: %w", j.path, err)
	}
	return nil
}
