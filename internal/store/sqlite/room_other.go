//go:build !unix

package sqlite

import "errors"

// free is not known here.
func free(string) (uint64, error) { return 0, errors.ErrUnsupported }
