package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"chela/internal/agent"
)

// usageColumns are by what usage is summed.
var usageColumns = map[agent.UsageBy]string{ //nolint:gochecknoglobals // a table
	agent.ByDay: "at - at % 86400000000", agent.ByAgent: "agent", agent.ByModel: "provider || '/' || model",
	agent.ByProject: "project", agent.ByPerson: "person", agent.ByKey: "by_key",
}

// mostUsage bounds the sums of one answer.
const mostUsage = 10_000

// Usage sums the model calls from a time until before another, of one project unless project is empty,
// by what by names; the greatest cost first, of days the earliest.
func (sp Spending) Usage(ctx context.Context, project string, since, until time.Time, by []agent.UsageBy) ([]agent.Usage, error) {
	var columns []string
	order := "sum(cost_microusd) DESC, sum(input_tokens + output_tokens) DESC"
	for i, b := range by {
		columns = append(columns, usageColumns[b])
		if b == agent.ByDay {
			order = fmt.Sprintf("%d, %s", i+1, order)
		}
	}
	where, args := "at >= ? AND at < ?", []any{max(micros(since), 0), micros(until)}
	if project != "" {
		where, args = where+" AND project = ?", append(args, project)
	}
	query := "SELECT " + strings.Join(append(columns, spendSums), ", ") + " FROM model_calls WHERE " + where
	if len(columns) > 0 {
		numbers := make([]string, len(columns))
		for i := range columns {
			numbers[i] = fmt.Sprint(i + 1)
		}
		query += " GROUP BY " + strings.Join(numbers, ", ") + " ORDER BY " + order
	}
	rows, err := sp.db.Query(ctx, query+limited(mostUsage), args...)
	if err != nil {
		return nil, fmt.Errorf("read what was used: %w", err)
	}
	return all(rows, func(scan func(...any) error) (u agent.Usage, err error) {
		var day int64
		of := map[agent.UsageBy]any{agent.ByDay: &day, agent.ByAgent: &u.Agent, agent.ByModel: &u.Model, agent.ByProject: &u.Project, agent.ByPerson: &u.Person, agent.ByKey: &u.Key}
		var into []any
		for _, b := range by {
			into = append(into, of[b])
		}
		err = scan(append(into, sumsInto(&u.Spend)...)...)
		if day > 0 {
			at := time.UnixMicro(day).UTC()
			u.Day = &at
		}
		return u, err
	})
}
