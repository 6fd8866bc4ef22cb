package web

import (
	"net"

	"chela/internal/tool"
)

// ToolsWith returns the tools with another resolver of names.
func ToolsWith(reach Reach, r *net.Resolver) []*tool.Tool {
	f := fetcher{reach: reach, resolver: r}
	return []*tool.Tool{tool.Func(spec("http_get"), f.get), tool.Func(spec("web_fetch"), f.page)}
}
