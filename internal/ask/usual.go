package ask

import (
	"context"

	"chela/internal/clerk"
)

// usual are questions that a manager asks most days. None needs a model.
func usual() []string {
	return []string{
		"What is overdue?", "What is blocked?", "What is due this week?", "Which developer has the most capacity?", "Who is overloaded?", "Who closed the most tickets?",
		"Which tickets are unassigned?", "Open tickets by priority", "How many story points are open?", "Which open tickets have no due date?",
		"Which objectives are at risk?", "Which open tickets serve no objective?", "What tickets changed since Monday?", "What was decided?",
	}
}

// A Line is a usual question with its answer in a few words.
type Line struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
	Total    int    `json:"total" doc:"how many records the answer is about"`
}

// Usual answers the usual questions about a project, as records has it, or nil as it is now. No model is asked and nothing is recorded.
func (a *Asker) Usual(ctx context.Context, project string, records clerk.Earlier) ([]Line, error) {
	s, err := a.snapshot(ctx, Question{Project: project, Records: records})
	if err != nil {
		return nil, err
	}
	now := a.source.Mint().Now().UTC()
	out := make([]Line, 0, len(usual()))
	for _, q := range usual() {
		w, err := a.compute(ctx, Question{Project: project, Text: q}, s, now)
		if err != nil {
			return nil, err
		}
		out = append(out, Line{Question: q, Answer: w.out.Answer, Total: w.out.Total})
	}
	return out, nil
}
