package cli

import (
	"os"
	"runtime/pprof"

	"chela/internal/fault"
)

// profiled does work and writes to the file at path, unless path is empty, where the
// processor's time went meanwhile (in pprof's format, https://github.com/google/pprof).
func profiled(path string, work func() error) (err error) {
	if path == "" {
		return work()
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600) //nolint:gosec // the operator names it
	if err != nil {
		return fault.Wrap(err, fault.Invalid, "The profile cannot be written to %s.", path)
	}
	defer func() {
		if closed := f.Close(); err == nil && closed != nil {
			err = fault.Wrap(closed, fault.Unavailable, "The profile %s is not whole.", path)
		}
	}()
	if err := pprof.StartCPUProfile(f); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The processor's time cannot be told.")
	}
	defer pprof.StopCPUProfile() // before the file is closed
	return work()
}
