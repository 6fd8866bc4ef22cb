package conformance

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"chela/internal/artifact"
	"chela/internal/disk"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/tool"
)

// beats is how long the tool that shows progress takes: some of the door's.
const beats = 400 * time.Millisecond

// picture is a PNG of one red pixel.
const picture = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde\x00\x00\x00\x0cIDATx\x9cc\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef\x00\x00\x00\x00IEND\xaeB`\x82"

// long is a result that an agent sees cut, and a client of the protocol whole.
var long = strings.Repeat("This is an embedded resource content. ", 1000)

// tools are those that the suite calls, beside ours. shown is the picture that some give, once the daemon keeps it.
func tools(ours []*tool.Tool, shown *artifact.Ref) []*tool.Tool {
	ours = append(ours, taskTools()...)
	add := func(name, schema string, call func(ctx context.Context, c tool.Call) (tool.Result, error)) {
		s := tool.Spec{Name: name, Help: "Of the suite.", Risk: tool.ReadOnly, Role: org.Viewer}
		act := func(json.RawMessage, disk.Folders) (tool.Act, error) { return tool.Act{}, nil }
		ours = append(ours, tool.StandIn(s, json.RawMessage(schema), act, call))
	}
	says := func(text string) func(context.Context, tool.Call) (tool.Result, error) {
		return func(context.Context, tool.Call) (tool.Result, error) { return tool.Result{Text: text}, nil }
	}
	add("test_simple_text", `{"type":"object"}`, says("This is a simple text response for testing."))
	shows := func(text string) func(context.Context, tool.Call) (tool.Result, error) {
		return func(context.Context, tool.Call) (tool.Result, error) {
			return tool.Result{Text: text, Shows: []string{string(*shown)}}, nil
		}
	}
	add("test_image_content", `{"type":"object"}`, shows("A picture."))
	add("test_embedded_resource", `{"type":"object"}`, says(long))
	add("test_multiple_content_types", `{"type":"object"}`, shows(long))
	add("test_x_mcp_header", `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer"}}}`, says("ok"))
	add("json_schema_2020_12_tool", `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"address":{"$anchor":"addressDef","type":"object",
		"properties":{"street":{"type":"string"},"city":{"type":"string"}}}},"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},
		"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
		"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
		"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`, says("ok"))
	add("test_error_handling", `{"type":"object"}`, func(context.Context, tool.Call) (tool.Result, error) {
		return tool.Result{}, fault.New(fault.Invalid, "This tool intentionally returns an error for testing.")
	})
	for _, name := range []string{"test_tool_with_progress", "test_tool_with_logging"} {
		add(name, `{"type":"object"}`, func(ctx context.Context, _ tool.Call) (tool.Result, error) {
			select {
			case <-ctx.Done():
			case <-time.After(beats):
			}
			return tool.Result{Text: "done"}, nil
		})
	}
	return ours
}

// taskTools are those that the scenarios of tasks call: one that is quick, one that is slow, one that fails, and one about which a
// person is asked.
func taskTools() []*tool.Tool {
	act := func(json.RawMessage, disk.Folders) (tool.Act, error) { return tool.Act{}, nil }
	of := func(name string, risk tool.Risk, schema string, call func(context.Context, tool.Call) (tool.Result, error)) *tool.Tool {
		return tool.StandIn(tool.Spec{Name: name, Help: "Of the suite.", Risk: risk, Role: org.Viewer}, json.RawMessage(schema), act, call)
	}
	sleep := func(ctx context.Context, d time.Duration) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(d):
			return nil
		}
	}
	return []*tool.Tool{
		of("greet", tool.ReadOnly, `{"type":"object","properties":{"name":{"type":"string"}}}`, func(_ context.Context, c tool.Call) (tool.Result, error) {
			var in struct{ Name string }
			err := json.Unmarshal(c.Args, &in)
			return tool.Result{Text: "Hello, " + in.Name + "!"}, err
		}),
		of("slow_compute", tool.ReadOnly, `{"type":"object","properties":{"seconds":{"type":"integer"},"label":{"type":"string"}}}`, func(ctx context.Context, c tool.Call) (tool.Result, error) {
			var in struct{ Seconds int }
			err := json.Unmarshal(c.Args, &in)
			if err == nil {
				err = sleep(ctx, time.Duration(in.Seconds)*time.Second)
			}
			return tool.Result{Text: "It is computed."}, err
		}),
		of("failing_job", tool.ReadOnly, `{"type":"object"}`, func(ctx context.Context, _ tool.Call) (tool.Result, error) {
			if err := sleep(ctx, time.Second); err != nil {
				return tool.Result{}, err
			}
			return tool.Result{}, fault.New(fault.Invalid, "This job fails.")
		}),
		of("confirm_delete", tool.WriteFiles, `{"type":"object","properties":{"filename":{"type":"string"}}}`, func(context.Context, tool.Call) (tool.Result, error) {
			return tool.Result{Text: "It is deleted."}, nil
		}),
	}
}
