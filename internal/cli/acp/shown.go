package acp

import (
	"context"

	sdk "github.com/coder/acp-go-sdk"
)

// show implements [editor].
func (s *side) show(id string, u update) {
	n := sdk.SessionNotification{SessionId: sdk.SessionId(id)}
	switch {
	case u.agent != "":
		n.Update = sdk.UpdateAgentMessageText(u.agent)
	case u.person != "":
		n.Update = sdk.UpdateUserMessageText(u.person)
	case u.call != nil:
		n.Update = callOf(*u.call)
	case u.commands != nil:
		n.Update = sdk.SessionUpdate{AvailableCommandsUpdate: &sdk.SessionAvailableCommandsUpdate{AvailableCommands: commandsOf(u.commands)}}
	case u.options != nil:
		n.Update = sdk.SessionUpdate{ConfigOptionUpdate: &sdk.SessionConfigOptionUpdate{ConfigOptions: configOf(u.options)}}
	case u.title != "":
		n.Update = sdk.SessionUpdate{SessionInfoUpdate: &sdk.SessionSessionInfoUpdate{Title: &u.title}}
	default:
		return
	}
	if err := s.conn.SendNotification(s.ctx, sdk.ClientMethodSessionUpdate, n); err != nil && s.ctx.Err() == nil {
		s.logf("The editor was not told what is new in %s: %v", id, err)
	}
}

// permit implements [editor].
func (s *side) permit(ctx context.Context, id string, c call, options []choice) (string, error) {
	in := sdk.RequestPermissionRequest{SessionId: sdk.SessionId(id), ToolCall: sdk.ToolCallUpdate{
		ToolCallId: sdk.ToolCallId(c.id), Title: &c.title, Kind: sdk.Ptr(sdk.ToolKind(c.kind)), Status: sdk.Ptr(sdk.ToolCallStatus(c.state)), Content: contentOf(c), Locations: placesOf(c),
	}}
	if len(c.args) > 0 {
		in.ToolCall.RawInput = c.args
	}
	for _, o := range options {
		kind := sdk.PermissionOptionKindRejectOnce
		switch {
		case o.always:
			kind = sdk.PermissionOptionKindAllowAlways
		case o.allows:
			kind = sdk.PermissionOptionKindAllowOnce
		}
		in.Options = append(in.Options, sdk.PermissionOption{OptionId: sdk.PermissionOptionId(o.id), Name: o.name, Kind: kind})
	}
	out, err := sdk.SendRequest[sdk.RequestPermissionResponse](s.conn, ctx, sdk.ClientMethodSessionRequestPermission, in)
	if err != nil || out.Outcome.Selected == nil {
		return "", err
	}
	for _, o := range options {
		if o.id == string(out.Outcome.Selected.OptionId) {
			return o.id, nil
		}
	}
	return "", nil // none that was offered decides nothing
}

// files implements [editor].
func (s *side) files() (reads, writes bool) {
	if has := s.has.Load(); has != nil {
		reads, writes = has.ReadTextFile, has.WriteTextFile
	}
	return reads, writes
}

// readFile implements [editor].
func (s *side) readFile(ctx context.Context, id, path string, line, limit int) (string, error) {
	in := sdk.ReadTextFileRequest{SessionId: sdk.SessionId(id), Path: path}
	if line > 0 {
		in.Line = &line
	}
	if limit > 0 {
		in.Limit = &limit
	}
	out, err := sdk.SendRequest[sdk.ReadTextFileResponse](s.conn, ctx, sdk.ClientMethodFsReadTextFile, in)
	return out.Content, err
}

// writeFile implements [editor].
func (s *side) writeFile(ctx context.Context, id, path, content string) error {
	return s.conn.SendRequestNoResult(ctx, sdk.ClientMethodFsWriteTextFile, sdk.WriteTextFileRequest{SessionId: sdk.SessionId(id), Path: path, Content: content})
}

// callOf is a call as it is shown first, or what is new about it.
func callOf(c call) sdk.SessionUpdate {
	var raw any
	if len(c.args) > 0 {
		raw = c.args
	}
	if c.first {
		return sdk.SessionUpdate{ToolCall: &sdk.SessionUpdateToolCall{
			ToolCallId: sdk.ToolCallId(c.id), Title: c.title, Kind: sdk.ToolKind(c.kind), Status: sdk.ToolCallStatus(c.state), Content: contentOf(c), Locations: placesOf(c), RawInput: raw,
		}}
	}
	out := &sdk.SessionToolCallUpdate{ToolCallId: sdk.ToolCallId(c.id), Content: contentOf(c), Locations: placesOf(c), RawInput: raw}
	if c.title != "" {
		out.Title = &c.title
	}
	if c.kind != "" {
		out.Kind = sdk.Ptr(sdk.ToolKind(c.kind))
	}
	if c.state != "" {
		out.Status = sdk.Ptr(sdk.ToolCallStatus(c.state))
	}
	return sdk.SessionUpdate{ToolCallUpdate: out}
}

func contentOf(c call) []sdk.ToolCallContent {
	var out []sdk.ToolCallContent
	if c.text != "" {
		out = append(out, sdk.ToolContent(sdk.TextBlock(c.text)))
	}
	for _, d := range c.diffs {
		if d.fresh {
			out = append(out, sdk.ToolDiffContent(d.path, d.new))
		} else {
			out = append(out, sdk.ToolDiffContent(d.path, d.new, d.old))
		}
	}
	return out
}

func placesOf(c call) []sdk.ToolCallLocation {
	var out []sdk.ToolCallLocation
	for _, p := range c.places {
		out = append(out, sdk.ToolCallLocation{Path: p})
	}
	return out
}

func commandsOf(all []command) []sdk.AvailableCommand {
	out := make([]sdk.AvailableCommand, len(all))
	for i, c := range all {
		out[i] = sdk.AvailableCommand{Name: c.name, Description: c.help}
		if c.args != "" {
			out[i].Input = &sdk.AvailableCommandInput{Unstructured: &sdk.UnstructuredCommandInput{Hint: c.args}}
		}
	}
	return out
}

func configOf(all []option) []sdk.SessionConfigOption {
	var out []sdk.SessionConfigOption
	for _, o := range all {
		values := make(sdk.SessionConfigSelectOptionsUngrouped, len(o.values))
		for i, v := range o.values {
			values[i] = sdk.SessionConfigSelectOption{Value: sdk.SessionConfigValueId(v.id), Name: v.name}
		}
		one := &sdk.SessionConfigOptionSelect{
			Id: sdk.SessionConfigId(o.id), Name: o.name, Description: &o.help, Type: "select", CurrentValue: sdk.SessionConfigValueId(o.now),
			Options: sdk.SessionConfigSelectOptions{Ungrouped: &values},
		}
		if o.id == "model" {
			one.Category = sdk.Ptr(sdk.SessionConfigOptionCategoryModel)
		}
		out = append(out, sdk.SessionConfigOption{Select: one})
	}
	return out
}
