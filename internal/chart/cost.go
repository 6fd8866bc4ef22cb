package chart

import (
	"cmp"
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Spent is what the models cost that one run asked for one agent on a day.
type Spent struct {
	Day      time.Time
	Agent    string
	Run      string
	USD      float64
	Calls    int
	Unpriced int // calls of models whose price is not known
}

// cost sums what models cost, by agent; the dearest first.
func (c *Chart) cost(q Query, spans []span) {
	spans = over(spans, q.Now)
	rows, sums, unpriced := make(map[string]*Series), make(map[string]float64), 0
	for _, s := range q.Spent {
		i, ok := place(spans, s.Day)
		if !ok {
			continue
		}
		if rows[s.Agent] == nil {
			r := row(s.Agent, s.Agent, spans)
			rows[s.Agent] = &r
		}
		p := &rows[s.Agent].Points[i]
		p.Value, p.Calls = micros(p.Value+s.USD), p.Calls+s.Calls
		p.add(s.Run)
		sums[s.Agent] += s.USD
		unpriced += s.Unpriced
	}
	for _, r := range rows {
		c.Series = append(c.Series, *r)
	}
	slices.SortFunc(c.Series, func(a, b Series) int {
		return cmp.Or(cmp.Compare(sums[b.Name], sums[a.Name]), cmp.Compare(a.Name, b.Name))
	})
	if unpriced > 0 {
		c.Notes = append(c.Notes, strconv.Itoa(unpriced)+" calls are left out of the sums: the price of their model is not known.")
	}
}

// micros rounds dollars to millionths.
func micros(usd float64) float64 { return math.Round(usd*1e6) / 1e6 }

// CSV writes a chart as a table, a row for each point.
func (c Chart) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"series", "at", c.Unit, "story points", "records", "more records", "filter", "as of"}}
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	for _, s := range c.Series {
		for _, p := range s.Points {
			more := ""
			if p.More > 0 {
				more = strconv.Itoa(p.More)
			}
			rows = append(rows, []string{harmless(s.Name), string(p.At), number(p.Value), number(p.StoryPoints), strings.Join(p.Records, " "), more, p.Query, string(p.AsOf)})
		}
	}
	return out.WriteAll(rows)
}

// harmless is a text that no spreadsheet takes for a formula.
func harmless(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}
