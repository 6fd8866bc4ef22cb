package fault

import (
	"errors"
	"syscall"
)

// FullDisk is what people are told when err says that the disk with a folder is full; nil when it
// says something else.
func FullDisk(err error, folder string) *Error {
	if !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) {
		return nil
	}
	return Full(err, folder)
}

// Full says that the disk with a folder is full.
func Full(cause error, folder string) *Error {
	return Wrap(cause, Unavailable, "The disk with the folder %s is full, so nothing more can be recorded; what is recorded can be read. Free some room there. Nothing was changed; try it again then.", folder)
}
