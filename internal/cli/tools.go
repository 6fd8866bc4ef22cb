package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/fault"
	"chela/internal/gateway/client"
)

func (a *app) tools() *cobra.Command {
	c := a.asked("tools", "List what agents can call, and who may; call one as an agent", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		var out []struct {
			Name        string   `json:"name"`
			Description string   `json:"description"`
			Risk        string   `json:"risk"`
			Agents      []string `json:"agents"`
		}
		if err := cl.Call(ctx, http.MethodGet, "/api/tools", nil, &out); err != nil {
			return err
		}
		return a.print(out, func() {
			for _, t := range out {
				a.printf("%-26s %-13s %s\n%27s%s\n", t.Name, t.Risk, t.Description, "", cmp.Or(strings.Join(t.Agents, ", "), "nobody"))
			}
		})
	})
	c.AddCommand(a.callTool())
	return c
}

func (a *app) callTool() *cobra.Command {
	var as, key string
	c := a.asked("call TOOL [ARGUMENTS]", "Call a tool as an agent, without a model; the arguments are JSON", cobra.RangeArgs(1, 2), func(ctx context.Context, cl *client.Client, args []string) (err error) {
		in := json.RawMessage("{}")
		if len(args) == 2 {
			in = json.RawMessage(args[1])
		}
		if !json.Valid(in) {
			return fault.New(fault.Invalid, "The arguments are no JSON: %s", in)
		}
		q := url.Values{"agent": {as}, "key": {key}}
		if a.project != "" {
			project, err := a.findProject(ctx, cl)
			if err != nil {
				return err
			}
			q.Set("project", project)
		}
		var out calledTool
		if err := cl.Call(ctx, http.MethodPost, "/api/tools/"+url.PathEscape(args[0])+"/invoke?"+q.Encode(), in, &out); err != nil {
			return err
		}
		failed := out.failed()
		if failed != nil && !a.json {
			return failed
		}
		return errors.Join(failed, a.print(out, func() { a.printf("%s\n", shownOutput(out.Output)) }))
	})
	c.Example = `chela tools call create_ticket '{"title":"Renew the certificate"}' -p "My project"`
	c.Flags().StringVarP(&as, "agent", "a", "", "as whom it is called; the first that may when empty")
	c.Flags().StringVar(&key, "key", "", "asked again under it, the call is not made again")
	a.projectFlag(c)
	return c
}

// calledTool is what came of a call.
type calledTool struct {
	Success bool            `json:"success"`
	Output  json.RawMessage `json:"output,omitempty"`
	Error   string          `json:"error,omitempty"`
	Run     string          `json:"runId"`
	State   string          `json:"state"`
	Waits   string          `json:"waitsFor,omitempty"`
}

// failed says why the call gave nothing, and what is to be done.
func (c calledTool) failed() error {
	if asks, waits := strings.CutPrefix(c.Waits, "approval:"); waits {
		return fault.New(fault.Conflict, "%s Answer with `chela approval approve %s`; `chela why %s` tells what comes of it.", c.Error, asks, c.Run)
	}
	if !c.Success {
		return fault.New(fault.Invalid, "%s", cmp.Or(c.Error, "The call is "+c.State+"."))
	}
	return nil
}

// shownOutput is a text as it is, and JSON with its members in lines.
func shownOutput(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return string(raw)
	}
	return out.String()
}
