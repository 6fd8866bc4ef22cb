package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/model"
	"chela/internal/prompt"
	"chela/internal/session"
	"chela/internal/tool"
)

// wholeConversation is the name by which reread finds what a history leaves out of its conversation.
const wholeConversation = "conversation"

// Covered is what a history begins with that leaves out the first n messages of its conversation: how many they are, how they are
// read, and what c says of those that it stands for. It stays the same until more is left out, so that prompts begin as they did.
// The run has seen whatever c was made of.
func (sc *Scope) Covered(c session.Compacted, n int) model.Message {
	sc.seenFrom.add(c.Origins)
	text := fmt.Sprintf("%s the first %d messages of this conversation; %s {\"of\":%q,\"offset\":0} reads them, offset is the number of the message to begin at.]", leftMark, n, rereadTool, wholeConversation)
	if c.Summary != "" {
		text += "\n" + prompt.Data(fmt.Sprintf("a summary of the messages 0 to %d, of %s to %s", c.Messages-1, c.Since.UTC().Format(time.DateOnly), c.Until.UTC().Format(time.DateOnly)), c.Summary)
	}
	return model.Message{Role: model.User, Parts: []model.Part{{Text: text}}}
}

// Begin takes off the newest messages of a conversation those that c stands for, and returns what the history begins with instead:
// nothing when it is whole. later is how many messages came since.
func (sc *Scope) Begin(t session.Thread, c session.Compacted, newest []session.Message, later int) ([]session.Message, []model.Message) {
	rest := past(newest, c.UpTo)
	n := t.Messages - later - len(rest)
	if n <= 0 {
		return rest, nil
	}
	return rest, []model.Message{sc.Covered(c, n)}
}

// covers has the agent be offered reread when its history leaves something of the conversation out.
func (l *loop) covers() {
	if leavesOut(l.history) && !slices.Contains(l.found, rereadTool) {
		l.found = append(l.found, rereadTool)
	}
}

// pageOfMessages is how many messages are read at once.
const pageOfMessages = 500

// rereadConversation reads messages of the conversation from a number on, as many as a result may have. What was said before it was
// forked has the first numbers.
func (l *loop) rereadConversation(ctx context.Context, from int) (tool.Result, error) {
	if from < 0 {
		return tool.Result{}, fault.BadField("offset", "The first message has the number 0.")
	}
	t, err := l.g.conv.Session(ctx, l.s.Run.Thread)
	if err != nil {
		return tool.Result{}, err
	}
	of, err := l.g.stretches(ctx, t)
	if err != nil {
		return tool.Result{}, err
	}
	r := reread{loop: l, from: from, limit: l.g.opts.ResultLimit - 300}
	for _, s := range of {
		if err := r.read(ctx, s); err != nil || r.full {
			return tool.Result{Text: r.text.String()}, err
		}
	}
	if r.text.Len() == 0 {
		return tool.Result{}, fault.BadField("offset", fmt.Sprintf("There are %d messages.", r.met))
	}
	return tool.Result{Text: r.text.String()}, nil
}

// A reread is what was read again of a conversation.
type reread struct {
	*loop
	from, limit int // the number of the first message, and how many bytes there may be
	text        strings.Builder
	met         int // messages that were met
	full        bool
}

// read goes through a stretch until there are as many bytes as there may be.
func (r *reread) read(ctx context.Context, s stretch) error {
	for after := event.Seq(0); ; {
		page, err := r.g.conv.Messages(ctx, s.thread, after, pageOfMessages)
		if err != nil {
			return err
		}
		for _, m := range page {
			if m.Seq > s.upTo {
				return nil
			}
			if r.add(m); r.full {
				return nil
			}
		}
		if len(page) < pageOfMessages {
			return nil
		}
		after = page[len(page)-1].Seq
	}
}

func (r *reread) add(m session.Message) {
	if r.met++; r.met <= r.from || m.Role == session.FromSystem || m.Role == session.Commanded {
		return
	}
	who := "person"
	if m.Role == session.FromAgent {
		who = "agent"
	}
	row := fmt.Sprintf("[%d] %s %s: %s\n", r.met-1, m.At.UTC().Format("2006-01-02 15:04"), who, m.Words())
	if r.text.Len() > 0 && r.text.Len()+len(row) > r.limit {
		fmt.Fprintf(&r.text, "[more, from offset %d]", r.met-1)
		r.full = true
		return
	}
	r.seenFrom.hear(m)
	r.text.WriteString(head(row, r.limit))
}
