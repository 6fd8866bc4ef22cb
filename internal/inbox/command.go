package inbox

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/session"
)

// A Command is something said about the conversation itself. It is answered without a model,
// wherever it is said, and no model is shown it.
type Command struct {
	Name string   `json:"name" doc:"what is written after /"`
	Args string   `json:"args,omitempty" doc:"what follows the name; in brackets what may be left out"`
	Help string   `json:"help" doc:"what it does, in a sentence"`
	Role org.Role `json:"role" doc:"the least role that it needs"`
	// leaves says that the command is answered in another conversation, so that this one may be
	// closed.
	leaves bool
	do     func(in *Inbox, ctx context.Context, m *Message, args string) (*reply, error)
}

// A reply is what a command answers.
type reply struct {
	text    string
	changed session.Changed // about the conversation from now on
}

// commands is the table of all commands.
func commands() []Command {
	return []Command{
		{Name: "new", Help: "Begins a new conversation in the same project.", Role: org.Viewer, leaves: true, do: (*Inbox).begin},
		{Name: "help", Help: "Lists the commands.", Role: org.Viewer, do: (*Inbox).help},
		{Name: "status", Help: "Tells where this conversation is, what works on it and what waits for a person.", Role: org.Viewer, do: (*Inbox).status},
		{Name: "stop", Help: "Cancels what works on this conversation.", Role: org.Editor, do: (*Inbox).stop},
		{Name: "model", Args: "[name]", Help: "Has all agents of this conversation ask that model; `default` goes back, and no name lists the models.", Role: org.Editor, do: (*Inbox).model},
		{Name: "agent", Args: "[name]", Help: "Has that agent answer in this conversation; `default` lets the controller choose again, and no name lists the agents.", Role: org.Viewer, do: (*Inbox).agent},
		{Name: "project", Args: "[name]", Help: "Puts this conversation into a project; no name lists the projects.", Role: org.Viewer, do: (*Inbox).useProject},
		{Name: "thread", Args: "[title]", Help: "Goes on in the thread of that title, and begins it when there is none.", Role: org.Viewer, leaves: true, do: (*Inbox).useThread},
		{Name: "queue", Args: "[mode]", Help: "Says what becomes of messages that come while an agent works: `steer`, `collect`, `followup`, `interrupt`; `default` goes back, and no mode tells it.", Role: org.Editor, do: (*Inbox).queue},
		{Name: "approve", Args: "[id] [why]", Help: "Lets what is asked about be done; no id shows what this conversation asks.", Role: org.Editor, do: (*Inbox).approve},
		{Name: "deny", Args: "[id] [why]", Help: "Keeps it from being done, and tells the agent why; no id shows what this conversation asks.", Role: org.Editor, do: (*Inbox).deny},
		{Name: "usage", Help: "Tells the tokens and the cost of this conversation, and of everything today.", Role: org.Viewer, do: (*Inbox).usage},
		{Name: "memory", Args: "[words]", Help: "Finds what is remembered in the project; no words shows the latest.", Role: org.Viewer, do: (*Inbox).memory},
	}
}

// Commands returns the commands that a role may give.
func Commands(role org.Role) []Command {
	return slices.DeleteFunc(commands(), func(c Command) bool { return !role.AtLeast(c.Role) })
}

// command answers a message that is a command; nil for anything else. A message that begins
// with two slashes is one for the agents, with one of them.
func (in *Inbox) command(ctx context.Context, m *Message) (*reply, error) {
	c, args, is := parse(m.Text)
	switch {
	case strings.HasPrefix(m.Text, "//"):
		m.Text = m.Text[1:]
		return nil, nil
	case !is:
		return nil, nil
	case c.do == nil:
		return &reply{text: unknown(c.Name)}, nil
	}
	if err := in.mayGive(ctx, m, c); err != nil {
		return nil, err
	}
	return c.do(in, ctx, m, args)
}

// parse reads a command; one without a function is none that there is. The phrases of people
// who do not type slashes are commands, too.
func parse(text string) (c Command, args string, is bool) {
	if rest, ok := strings.CutPrefix(text, "/"); ok {
		name, args := rest, ""
		if i := strings.IndexAny(rest, " \t\n"); i >= 0 {
			name, args = rest[:i], strings.TrimSpace(rest[i:])
		}
		return named(strings.ToLower(name)), args, true
	}
	small := strings.ToLower(text)
	for phrase, name := range map[string]string{"use project ": "project", "use thread ": "thread"} {
		if strings.HasPrefix(small, phrase) {
			return named(name), strings.TrimSpace(text[len(phrase):]), true
		}
	}
	if small = strings.TrimRight(small, "?"); small == "whereami" || small == "where am i" {
		return Command{Name: "whereami", Role: org.Viewer, do: (*Inbox).whereami}, "", true
	}
	return c, "", false
}

func named(name string) Command {
	all := commands()
	if i := slices.IndexFunc(all, func(c Command) bool { return c.Name == name }); i >= 0 {
		return all[i]
	}
	return Command{Name: name}
}

// mayGive refuses a command before it does anything: one that its sender may not give, one in
// a conversation that cannot be answered in, and errAgain for one that was given before.
func (in *Inbox) mayGive(ctx context.Context, m *Message, c Command) error {
	if c.Role != org.Viewer { // which everybody is who may say something
		role, err := in.records.Members.RoleOf(ctx, m.From)
		if err != nil {
			return err
		}
		if !role.AtLeast(c.Role) {
			return fault.New(fault.Denied, "/%s needs the role %s. Ask somebody who has it.", c.Name, c.Role)
		}
	}
	if m.Key != "" {
		_, err := in.records.Log.ByKey(ctx, m.From.AgentID, m.Key)
		if err == nil {
			return errAgain
		}
		if fault.KindOf(err) != fault.NotFound {
			return err
		}
	}
	live, begun, err := in.session(ctx, m)
	switch {
	case err != nil:
		return err
	case m.Begun && !begun:
		return fault.New(fault.NotFound, "The conversation %s does not exist.", m.Thread)
	case live.Removed:
		return removed(live.ID, fault.Conflict)
	case live.Closed && !c.leaves:
		return closed(m.Thread)
	}
	return nil
}

// session returns the message's conversation; one that has not begun is where it would begin.
func (in *Inbox) session(ctx context.Context, m *Message) (_ session.Thread, begun bool, err error) {
	if m.Thread != "" {
		s, err := in.records.Conversations.Session(ctx, m.Thread)
		if err == nil || fault.KindOf(err) != fault.NotFound {
			return s, err == nil, err
		}
	}
	return session.Thread{ID: m.Thread, Project: m.Project, Agent: m.Agent}, false, nil
}

// unknown answers a word that is no command with those that are nearest to it.
func unknown(name string) string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.Name)
	}
	hint := "There are: /" + strings.Join(names, ", /") + "."
	if near := fault.Near(name, names); len(near) > 0 {
		hint = "Did you mean /" + strings.Join(near, " or /") + "?"
	}
	return fmt.Sprintf("There is no command /%s. %s To say it to the agents, write //%s.", name, hint, name)
}

func (in *Inbox) help(ctx context.Context, m *Message, _ string) (*reply, error) {
	role, err := in.records.Members.RoleOf(ctx, m.From)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString("These are answered without a model:\n\n")
	for _, c := range Commands(role) {
		fmt.Fprintf(&b, "- `%s`: %s\n", strings.TrimSpace("/"+c.Name+" "+c.Args), c.Help)
	}
	b.WriteString("\n`whereami` without a slash tells where this conversation is, too. A message for the agents that begins with a slash begins with two.")
	return &reply{text: b.String()}, nil
}
