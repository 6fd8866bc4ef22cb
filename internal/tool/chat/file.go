package chat

import (
	"cmp"
	"context"
	"fmt"
	"mime"
	"net/http"
	"path/filepath"

	"chela/internal/channel"
	"chela/internal/disk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/session"
	"chela/internal/tool"
)

// FileIn is the file that is to be sent, and where.
type FileIn struct {
	Path    string `json:"path"`
	Text    string `json:"text,omitempty" doc:"Markdown that comes before it"`
	Channel string `json:"channel,omitempty" doc:"for a chat outside this conversation: its name, as list_chats shows it"`
	Chat    string `json:"chat,omitempty" doc:"for a chat outside this conversation: the platform's id, as list_chats shows it"`
	Branch  string `json:"branch,omitempty" doc:"of a thread or topic in the chat"`
}

// Check implements [tool.Checker].
func (in FileIn) Check() error {
	switch {
	case (in.Channel == "") != (in.Chat == ""), in.Branch != "" && in.Chat == "":
		return fault.BadField("chat", "A chat outside this conversation needs its channel and chat, as list_chats shows them.")
	case len(in.Text) > maxText:
		return fault.BadField("text", fmt.Sprintf("The text has %d bytes; the limit is %d.", len(in.Text), maxText))
	}
	return nil
}

// Act implements [tool.Actor].
func (in FileIn) Act(f disk.Folders) tool.Act {
	path := f.Resolve(in.Path)
	act := tool.Act{Paths: []disk.Use{{Path: path}}, Here: in.Chat == "", Shown: "Send the file " + path + " to this conversation"}
	if in.Chat != "" {
		act.Shown = fmt.Sprintf("Send the file %s to the chat %s on the channel %s", path, in.Chat, in.Channel)
	}
	if in.Text != "" {
		act.Shown += ":\n\n" + in.Text
	}
	return act
}

func (t *tools) sendFile(ctx context.Context, c tool.Call, in FileIn) (Out, []event.Draft, error) {
	path, raw, err := t.read(c.Folders, in.Path)
	if err != nil {
		return Out{}, nil, err
	}
	name := filepath.Base(path)
	if len(raw) == 0 {
		return Out{}, nil, fault.New(fault.Invalid, "The file %s is empty; no platform takes it.", name)
	}
	at := c.Place
	at.From, at.Key = event.Party{AgentID: string(c.Agent), Role: "agent"}, c.Key+"/file"
	var drafts []event.Draft
	if in.Chat != "" {
		if at, drafts, err = t.place(ctx, c, in.Channel, channel.Address{Chat: in.Chat, Branch: in.Branch}, cmp.Or(in.Text, name)); err != nil {
			return Out{}, nil, err
		}
	}
	ref, err := t.files.Put(raw)
	if err != nil {
		return Out{}, nil, err
	}
	kind := cmp.Or(mime.TypeByExtension(filepath.Ext(name)), http.DetectContentType(raw))
	said := session.Said{Message: in.Text, Origins: c.Origins, Files: []session.File{{Ref: string(ref), Name: name, Type: kind, Size: len(raw)}}}
	return Out{Conversation: at.Thread}, append(drafts, session.SaidKind.Draft(at, said)), nil
}
