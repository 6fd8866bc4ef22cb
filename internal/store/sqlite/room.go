package sqlite

import (
	"sync"

	"zombiezen.com/go/sqlite"

	"chela/internal/fault"
)

// A room is what is known of the free space on the disk of the database. SQLite rolls back what does
// not fit, so nothing is lost; recording goes on by itself when there is space again.
type room struct {
	folder string

	mu   sync.Mutex // guards full
	full error      // why the last write failed, when the disk was full
}

// enough is how much must be free for the disk to count as no longer full, in bytes.
const enough = 1 << 20

// failed takes in why a write failed, and says it to people when the disk is full.
func (r *room) failed(err error) error {
	if err == nil || sqlite.ErrCode(err).ToPrimary() != sqlite.ResultFull && fault.FullDisk(err, r.folder) == nil {
		return err
	}
	full := fault.Full(err, r.folder)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.full = full
	return full
}

// found takes in that a write went well.
func (r *room) found() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.full = nil
}

// lacks says why nothing can be written now; nil when the last write went well, or there is space
// again.
func (r *room) lacks() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.full == nil {
		return nil
	}
	if free, err := free(r.folder); err == nil && free >= enough {
		return nil
	}
	return r.full
}
