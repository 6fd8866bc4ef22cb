//go:build linux && !amd64 && !arm64

package inside

const (
	auditArch = 0
	x32Bit    = 0
)

var deniedHere []uint32
