//go:build chela_fault

package daemon

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"

	"chela/internal/org"
	"chela/internal/tool"
)

// ping is what the fake tools take.
type ping struct {
	Text string `json:"text"`
}

// faultTools act on a server that keeps its own record of calls, by which tests judge
// that nothing happened twice.
func faultTools() []*tool.Tool {
	url := os.Getenv("CHELA_FAKE_TOOLS")
	call := func(kind string) func(context.Context, tool.Call, ping) (string, error) {
		return func(ctx context.Context, c tool.Call, in ping) (string, error) {
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/"+kind+"?key="+c.Key, bytes.NewBufferString(in.Text))
			if err != nil {
				return "", err
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				return "", err
			}
			_ = res.Body.Close() // only its coming counts
			return fmt.Sprintf("did %s", in.Text), nil
		}
	}
	return []*tool.Tool{
		tool.Func(tool.Spec{Name: "fake_write", Help: "Changes the world once.", Risk: tool.NetworkCalls, Role: org.Editor}, call("write")),
		tool.Func(tool.Spec{Name: "fake_read", Help: "Reads the world.", Risk: tool.ReadOnly, Role: org.Viewer, Repeatable: true}, call("read")),
	}
}
