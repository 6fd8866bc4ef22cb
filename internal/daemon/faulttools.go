//go:build !chela_fault

package daemon

import "chela/internal/tool"

// faultTools are tools that only test builds have.
func faultTools() []*tool.Tool { return nil }
