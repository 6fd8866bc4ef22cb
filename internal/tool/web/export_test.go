package web

import (
	"net"

	"chela/internal/tool"
)

// ToolsWith returns the tools with another resolver of names.
func ToolsWith(p Policy, r *net.Resolver) []*tool.Tool {
	f := fetcher{policy: p, resolver: r}
	return []*tool.Tool{tool.Func(spec("http_get"), f.get), tool.Func(spec("web_fetch"), f.page)}
}
