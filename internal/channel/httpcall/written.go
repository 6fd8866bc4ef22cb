package httpcall

import (
	"context"
	"net/http/httptrace"
	"sync/atomic"
)

// Written returns a context for one request over HTTP, and whether anything of it was written:
// of one that was not, the other side has nothing.
func Written(ctx context.Context) (context.Context, func() bool) {
	var written atomic.Bool
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { written.Store(true) }}), written.Load
}
