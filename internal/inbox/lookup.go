package inbox

import (
	"context"
	"fmt"
	"strings"
	"time"

	"chela/internal/desk"
)

// A Spent sums calls of models.
type Spent struct {
	Calls, Input, Output int
	USD                  float64
	Unpriced             int // calls whose price is not known
}

// Spending sums the calls of models since an instant, of a conversation or of all when the
// thread is empty.
type Spending interface {
	Spent(ctx context.Context, thread string, since time.Time) (Spent, error)
}

func (in *Inbox) usage(ctx context.Context, m *Message, _ string) (*reply, error) {
	var here Spent
	var err error
	if m.Thread != "" {
		if here, err = in.records.Spending.Spent(ctx, m.Thread, time.Time{}); err != nil {
			return nil, err
		}
	}
	today, err := in.records.Spending.Spent(ctx, "", in.runs.Mint().Now().UTC().Truncate(24*time.Hour))
	return &reply{text: fmt.Sprintf("- This conversation: %s\n- Everything today (UTC): %s", here, today)}, err
}

// String says it in a line.
func (s Spent) String() string {
	text := fmt.Sprintf("%d calls, %d tokens in, %d out, $%.4f", s.Calls, s.Input, s.Output, s.USD)
	if s.Unpriced > 0 {
		text += fmt.Sprintf("; the price of %d calls is not known", s.Unpriced)
	}
	return text + "."
}

// mostShown is how many memories one answer shows, and longestShown how much of each.
const (
	mostShown    = 10
	longestShown = 300
)

func (in *Inbox) memory(ctx context.Context, m *Message, words string) (*reply, error) {
	s, _, err := in.session(ctx, m)
	if err != nil {
		return nil, err
	}
	found, err := in.records.Directory.Remembered(ctx, s.Project, words, mostShown)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return &reply{text: "Nothing of that is remembered here."}, nil
	}
	var lines []string
	for _, r := range found {
		thing, err := desk.Decode(r)
		if err != nil {
			return nil, err
		}
		memory, ok := thing.(*desk.MemoryBody)
		if !ok {
			return nil, fmt.Errorf("the record %s is a %T and no memory", r.ID, thing)
		}
		content := strings.Join(strings.Fields(memory.Content), " ")
		if cut := []rune(content); len(cut) > longestShown {
			content = string(cut[:longestShown-1]) + "…"
		}
		lines = append(lines, fmt.Sprintf("- **%s** (%s): %s", memory.Key, r.ID, content))
	}
	return &reply{text: strings.Join(lines, "\n")}, nil
}
