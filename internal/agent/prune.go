package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"chela/internal/fault"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/tool"
)

// When a context is made smaller before a model refuses it, as shares of the model's window in percent: from softAt on old
// results of tools are shortened, from hardAt on they are taken out, and then the oldest messages. Nothing is done in
// between, so that what a provider has cached of a history seldom changes.
const (
	softAt = 50
	hardAt = 80
	downTo = 60 // what hard pruning leaves, at most

	defaultWindow = 128_000 // tokens, of a model of which none is known
	softAge       = 3       // rounds of tools after which a result is old
	softBytes     = 2000    // a shorter result stays
	hardBytes     = 300
	softHead      = 1000
	softTail      = 400
	keepMessages  = 6 // the newest always stay
)

// rereadTool reads again what was left out.
const rereadTool = "reread"

type rereadIn struct {
	Of     string `json:"of" doc:"the name in the mark: a call's id, messages, or conversation"`
	Offset int    `json:"offset,omitempty" minimum:"0" doc:"bytes to skip; of a conversation the number of the message to begin at"`
}

// rereader declares reread. It is shown to who had something left out.
func rereader() *tool.Tool {
	return declared[rereadIn](tool.Spec{
		Name: rereadTool, Help: "Read again what was left out of this conversation's context.", Risk: tool.ReadOnly, Role: org.Viewer, Repeatable: true, Everyone: true,
	})
}

// A left is what was left out of a history, whole, by its name.
type left map[string]string

// prune makes the history small enough for the model's window before it is sent. What is left out can be read again.
func (l *loop) prune() {
	window := l.window()
	size := l.size()
	if size*100 <= window*softAt {
		return
	}
	l.history = slices.Clone(l.history)
	for _, stage := range []struct {
		at, least int
		each      func(model.ToolResult) string
	}{{softAt, softBytes, shortened}, {hardAt, hardBytes, removed}} {
		if l.size()*100 <= window*stage.at {
			break
		}
		l.pruneResults(stage.least, stage.each)
	}
	if l.size()*100 > window*hardAt {
		l.pruneMessages(window * downTo / 100)
	}
	if len(l.left) > 0 && !slices.Contains(l.found, rereadTool) {
		l.found = append(l.found, rereadTool)
		if l.tools != nil {
			l.tools = l.g.toolset(l.t.agent, l.found)
		}
	}
	if now := l.size(); now < size {
		l.g.opts.Log.Info("the context was made smaller", "run", l.s.Run.ID, "agent", l.agentID(), "tokens", size, "now", now, "window", window)
	}
}

// window is how many tokens the model takes.
func (l *loop) window() int {
	if l.g.opts.Price != nil {
		if p, ok := l.g.opts.Price(cmp.Or(l.asks, l.t.agent.Model), l.job); ok && p.Context > 0 {
			return p.Context
		}
	}
	return defaultWindow
}

// size estimates the tokens of the next call.
func (l *loop) size() int { return l.tokens(l.bytes(l.tools)) }

// bytes are those of the next call.
func (l *loop) bytes(tools *model.Toolset) int {
	n := len(l.system) + toolBytes(tools)
	for _, m := range l.history {
		n += sizeOf(m)
	}
	return n
}

// tokens estimates the tokens of so many bytes.
func (l *loop) tokens(bytes int) int { return l.g.gauge.tokens(l.rateKey(), bytes) }

// rateKey names the model that the loop asks for.
func (l *loop) rateKey() string { return rateKey(cmp.Or(l.asks, l.t.agent.Model), l.job) }

// counted takes in what a provider counted of a call of so many bytes. Pictures are counted in ways of their own.
func (l *loop) counted(bytes int, u model.Usage) {
	for _, m := range l.history {
		for _, p := range m.Parts {
			if p.Image != nil || p.Result != nil && len(p.Result.Images) > 0 {
				return
			}
		}
	}
	l.g.gauge.observe(l.rateKey(), bytes, u)
}

func sizeOf(m model.Message) int {
	n := 0
	for _, p := range m.Parts {
		n += len(p.Text)
		if p.Call != nil {
			n += len(p.Call.Args) + len(p.Call.Name)
		}
		if p.Result != nil {
			n += len(p.Result.Text)
		}
	}
	return n
}

// pruneResults replaces the texts of old results that have more than least bytes.
func (l *loop) pruneResults(least int, each func(model.ToolResult) string) {
	rounds := 0
	for i := len(l.history) - 1; i >= 0; i-- {
		m := l.history[i]
		if m.Role != model.Tool {
			continue
		}
		if rounds++; rounds <= softAge {
			continue
		}
		parts := slices.Clone(m.Parts)
		for j, p := range parts {
			if p.Result == nil || len(p.Result.Text) <= least {
				continue
			}
			r := *p.Result
			if _, known := l.left[r.CallID]; !known {
				l.leave(r.CallID, r.Text)
			}
			whole := r
			whole.Text = l.left[r.CallID]
			r.Text, r.Images = each(whole), nil
			parts[j].Result = &r
		}
		l.history[i].Parts = parts
	}
}

func (l *loop) leave(name, text string) {
	if l.left == nil {
		l.left = make(left)
	}
	l.left[name] = text
}

// leftMark begins what stands where something was left out.
const leftMark = "[left out:"

// shortened is the head and the end of a result.
func shortened(r model.ToolResult) string {
	tail := r.Text[len(r.Text)-min(len(r.Text), softTail):]
	return fmt.Sprintf("%s\n%s %d bytes of the result of %s; %s {\"of\":%q} reads them]\n%s", head(r.Text, softHead), leftMark, max(0, len(r.Text)-softHead-softTail), r.Name, rereadTool, r.CallID, strings.ToValidUTF8(tail, ""))
}

// removed stands for a result.
func removed(r model.ToolResult) string {
	return fmt.Sprintf("%s the result of %s, %d bytes; %s {\"of\":%q} reads it]", leftMark, r.Name, len(r.Text), rereadTool, r.CallID)
}

// pruneMessages leaves out the oldest messages until the call has at most so many tokens; what follows begins at a message
// of a person, since a result may not stand without its call.
func (l *loop) pruneMessages(tokens int) {
	at, size := 0, l.size()
	for at < len(l.history)-keepMessages && size > tokens {
		size -= l.tokens(sizeOf(l.history[at]))
		at++
	}
	for at < len(l.history)-1 && l.history[at].Role != model.User {
		at++
	}
	if at == 0 || l.history[at].Role != model.User {
		return
	}
	const name = "messages"
	var b strings.Builder
	b.WriteString(l.left[name])
	for _, m := range l.history[:at] {
		for _, p := range m.Parts {
			switch {
			case strings.HasPrefix(p.Text, leftMark):
			case p.Text != "":
				fmt.Fprintf(&b, "%s: %s\n\n", m.Role, p.Text)
			case p.Call != nil:
				fmt.Fprintf(&b, "call of %s: %s\n\n", p.Call.Name, p.Call.Args)
			case p.Result != nil:
				fmt.Fprintf(&b, "result of %s: %s\n\n", p.Result.Name, cmp.Or(l.left[p.Result.CallID], p.Result.Text))
			}
		}
	}
	l.leave(name, b.String())
	note := model.Message{Role: model.User, Parts: []model.Part{{Text: fmt.Sprintf("%s %d bytes of what was said and done before; %s {\"of\":%q} reads them. What is known of it may stand below.]", leftMark, b.Len(), rereadTool, name)}}}
	l.history = append([]model.Message{note}, l.history[at:]...)
}

// reread gives again what was left out. ok is false when another tool is called.
func (l *loop) reread(ctx context.Context, p plan) (res tool.Result, ok bool, err error) {
	if p.call.Name != rereadTool {
		return res, false, nil
	}
	var in rereadIn
	if err := json.Unmarshal(p.call.Args, &in); err != nil {
		return res, true, fault.Wrap(err, fault.Invalid, "The arguments of %s are no JSON object.", rereadTool)
	}
	if in.Of == wholeConversation {
		res, err = l.rereadConversation(ctx, in.Offset)
		return res, true, err
	}
	text, known := l.left[in.Of]
	switch {
	case !known:
		return res, true, fault.New(fault.NotFound, "Nothing of the name %q was left out of this context.", in.Of)
	case in.Offset >= len(text):
		return res, true, fault.BadField("offset", fmt.Sprintf("There are %d bytes.", len(text)))
	}
	text = text[in.Offset:]
	if limit := l.g.opts.ResultLimit - 200; len(text) > limit {
		part := head(text, limit)
		text = fmt.Sprintf("%s\n[%d bytes more, from offset %d]", part, len(text)-len(part), in.Offset+len(part))
	}
	res.Text = text
	return res, true, nil
}
