package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

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
	rest := newest
	for len(rest) > 0 && rest[0].Seq <= c.UpTo {
		rest = rest[1:]
	}
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

// rereadConversation reads messages of the conversation from a number on, as many as a result may have.
func (l *loop) rereadConversation(ctx context.Context, from int) (tool.Result, error) {
	if from < 0 {
		return tool.Result{}, fault.BadField("offset", "The first message has the number 0.")
	}
	var b strings.Builder
	n, at := 0, l.seenFrom
	limit := l.g.opts.ResultLimit - 300
	for page, err := l.g.conv.Messages(ctx, l.s.Run.Thread, 0, pageOfMessages); ; page, err = l.g.conv.Messages(ctx, l.s.Run.Thread, page[len(page)-1].Seq, pageOfMessages) {
		if err != nil {
			return tool.Result{}, err
		}
		for _, m := range page {
			if n++; n <= from || m.Role == session.FromSystem || m.Role == session.Commanded {
				continue
			}
			who := "person"
			if m.Role == session.FromAgent {
				who = "agent"
			}
			row := fmt.Sprintf("[%d] %s %s: %s\n", n-1, m.At.UTC().Format("2006-01-02 15:04"), who, m.Words())
			if b.Len() > 0 && b.Len()+len(row) > limit {
				fmt.Fprintf(&b, "[more, from offset %d]", n-1)
				return tool.Result{Text: b.String()}, nil
			}
			at.hear(m)
			b.WriteString(head(row, limit))
		}
		if len(page) < pageOfMessages {
			break
		}
	}
	if b.Len() == 0 {
		return tool.Result{}, fault.BadField("offset", fmt.Sprintf("There are %d messages.", n))
	}
	return tool.Result{Text: b.String()}, nil
}
