// Package chat holds the tools by which an agent writes to a chat outside its conversation.
package chat

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"chela/internal/artifact"
	"chela/internal/channel"
	"chela/internal/disk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/session"
	"chela/internal/tool"
)

//go:embed *.md
var help embed.FS

// Chats is what is known of chats.
type Chats interface {
	Mint() *event.Mint
	// Places are the chats that may be written to, those of the newest conversations first.
	Places(ctx context.Context) ([]channel.Place, error)
}

// Files keeps what is sent.
type Files interface {
	Put(raw []byte) (artifact.Ref, error)
}

// Read returns a file that a call may read, whole, and its absolute path.
type Read func(f disk.Folders, path string) (whole string, raw []byte, err error)

// Tools returns the tools.
func Tools(chats Chats, files Files, read Read) []*tool.Tool {
	t := &tools{chats, files, read}
	return []*tool.Tool{
		tool.Record(tool.Spec{
			Name: "message", Help: tool.HelpFile(help, "message"), Risk: tool.Send, Role: org.Editor,
		}, t.message),
		tool.Record(tool.Spec{
			Name: "send_file", Help: tool.HelpFile(help, "send_file"), Risk: tool.Send, Permission: org.Files, Role: org.Editor,
		}, t.sendFile),
		tool.Func(tool.Spec{
			Name: "list_chats", Help: tool.HelpFile(help, "list_chats"), Risk: tool.ReadOnly, Role: org.Viewer, Repeatable: true, Parallel: true, Private: true,
		}, t.list),
	}
}

type tools struct {
	chats Chats
	files Files
	read  Read
}

// In is what is to be sent, and where.
type In struct {
	Channel string `json:"channel" doc:"its name, as list_chats shows it"`
	Chat    string `json:"chat" doc:"the platform's id, as list_chats shows it"`
	Branch  string `json:"branch,omitempty" doc:"of a thread or topic in the chat"`
	Text    string `json:"text" doc:"Markdown"`
}

// maxText bounds a text, in bytes.
const maxText = 50_000

// Check implements [tool.Checker].
func (in In) Check() error {
	switch {
	case in.Channel == "" || in.Chat == "":
		return fault.BadField("chat", "A message needs its channel and chat, as list_chats shows them.")
	case strings.TrimSpace(in.Text) == "":
		return fault.BadField("text", "A message needs a text.")
	case len(in.Text) > maxText:
		return fault.BadField("text", fmt.Sprintf("The text has %d bytes; the limit is %d.", len(in.Text), maxText))
	}
	return nil
}

// Act implements [tool.Actor].
func (in In) Act(disk.Folders) tool.Act {
	where := in.Chat
	if in.Branch != "" {
		where += ", thread " + in.Branch
	}
	return tool.Act{Shown: fmt.Sprintf("Write to the chat %s on the channel %s:\n\n%s", where, in.Channel, in.Text)}
}

// Nothing is the input of a tool that takes none.
type Nothing struct{}

// List is the chats that may be written to.
type List struct {
	Chats []channel.Place `json:"chats"`
}

func (t *tools) list(ctx context.Context, _ tool.Call, _ Nothing) (List, error) {
	all, err := t.chats.Places(ctx)
	return List{append([]channel.Place{}, all...)}, err
}

// Out is what came of it.
type Out struct {
	// Conversation is where the text stands and answers come; it is sent when this is recorded.
	Conversation string `json:"conversation"`
}

func (t *tools) message(ctx context.Context, c tool.Call, in In) (Out, []event.Draft, error) {
	at, opened, err := t.place(ctx, c, in.Channel, channel.Address{Chat: in.Chat, Branch: in.Branch}, in.Text)
	switch {
	case err != nil:
		return Out{}, nil, err
	case at.Thread == c.Run.Thread:
		return Out{}, nil, fault.New(fault.Conflict, "That chat is this conversation. Answer, and it is sent there.")
	}
	return Out{Conversation: at.Thread}, append(opened, session.SaidKind.Draft(at, session.Said{Message: in.Text, Origins: c.Origins})), nil
}

// place is where a text for a chat stands: the newest conversation that is held there, or one that
// is opened with it.
func (t *tools) place(ctx context.Context, c tool.Call, name string, to channel.Address, title string) (at event.Place, opened []event.Draft, err error) {
	all, err := t.chats.Places(ctx)
	if err != nil {
		return at, nil, err
	}
	i := slices.IndexFunc(all, func(p channel.Place) bool { return p.Channel == name && p.Address == to })
	if i < 0 {
		i = slices.IndexFunc(all, func(p channel.Place) bool { return p.Channel == name && p.Chat == to.Chat })
	}
	if i < 0 {
		return at, nil, fault.New(fault.NotFound, "There is no chat %q on a channel %q that may be written to. list_chats shows those there are.", to.Chat, name)
	}
	at = c.Place
	at.Thread, at.From, at.Key = all[i].Thread, event.Party{AgentID: string(c.Agent), Role: "agent"}, c.Key+"/message"
	if at.Thread == "" || all[i].Address != to {
		at.Thread = t.chats.Mint().ID("thr")
		begin := at
		begin.Stream, begin.Key = event.ThreadStream(at.Thread), ""
		opened = append(opened, session.OpenedKind.Draft(begin, session.Opened{
			Project: c.Run.Project, Agent: string(c.Agent), Channel: string(all[i].Kind), Title: session.TitleOf(title), Person: string(c.Agent),
			Chat: &session.Chat{Channel: name, Chat: to.Chat, Branch: to.Branch},
		}))
	}
	at.Stream = event.ThreadStream(at.Thread)
	return at, opened, nil
}
