// Package question reads what people ask about a project's records. A question becomes a [Plan]: a
// kind of record, a filter in the language of lists, and what is measured. It is read by a grammar
// over tables of synonyms, one for each language (words/*.txt), and over the project's own names
// ([Vocabulary]). No model is asked. What the grammar does not understand is said ([Reading.Unknown]).
package question

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/query"
)

// A Measure is what is made of the records that a filter leaves.
type Measure string

// The measures.
const (
	List       Measure = "list"
	Count      Measure = "count"
	Group      Measure = "group"      // counted by By, or by the period Per of the day By
	Sum        Measure = "sum"        // of Of
	Average    Measure = "average"    // of Of
	Median     Measure = "median"     // of Of
	Percentile Measure = "percentile" // Percent of Of
	Share      Measure = "share"      // of the records of Base
	Facts      Measure = "facts"      // the fields Fields of the records Records
	Capacity   Measure = "capacity"   // hours and load of people
	Coverage   Measure = "coverage"   // of objectives by tickets
	Decisions  Measure = "decisions"  // taken in threads
	Actions    Measure = "actions"    // agreed on in threads
	Questions  Measure = "questions"  // open in threads
	Waits      Measure = "waits"      // tickets that wait for tickets
	Duplicates Measure = "duplicates" // tickets of one title
	Deltas     Measure = "deltas"     // findings of delta packs
	Changes    Measure = "changes"    // of records: what became of them, who did it, and when
	Comments   Measure = "comments"   // on records
	Forecast   Measure = "forecast"   // when the tickets are done, from how many were on each of the last days
	Slips      Measure = "slips"      // tickets, milestones or phases that are late, or will be
	Risks      Measure = "risks"      // what may go wrong: blindspots, what is blocked or late, risks of objectives
	Suggest    Measure = "suggest"    // who could take the ticket Records
	Summary    Measure = "summary"    // the main figures of a project
	Origin     Measure = "origin"     // from where something is known: what its record rests on
	Search     Measure = "search"     // the best records in full text
)

// Measures lists all values.
func Measures() []Measure {
	return []Measure{List, Count, Group, Sum, Average, Median, Percentile, Share, Facts, Capacity, Coverage, Decisions, Actions, Questions, Waits, Duplicates, Deltas, Changes, Comments, Forecast, Slips, Risks, Suggest, Summary, Origin, Search}
}

// Duration is the value of [Plan.Of] that stands for the days from a ticket's creation to its end.
const Duration = "duration"

// Age is the value of [Plan.Of] that stands for the days since the creation of a ticket that is open.
const Age = "age"

// Remaining is the value in [Plan.Fields] that stands for the days until the day on which a record is due, ends or happens.
const Remaining = "remaining"

// Entered is the value in [Plan.Fields] that stands for the day since when a ticket has had its status.
const Entered = "entered"

// Values of [Plan.State] for tickets on which somebody commented, and nobody did, in the plan's days.
const (
	Commented   = "commented"
	Uncommented = "uncommented"
)

// Planned is the value of [Plan.State] of what slips for tickets with the milestones and phases that are late or will be.
const Planned = "planned"

// Values of [Plan.By] for comments.
const (
	byAuthor = "author"
	byRecord = "record"
)

// ByRecord reports whether comments are counted by the records that they are on.
func (p Plan) ByRecord() bool { return p.By == byRecord }

// held is the value of [Plan.State] for tickets by how long they have had their status.
const held = "held"

// Stays reports whether a plan asks since when tickets have had their status.
func (p Plan) Stays() bool { return p.State == held || slices.Contains(p.Fields, Entered) }

// Paced reports whether a plan asks how long tickets have been in work.
func (p Plan) Paced() bool { return p.Measure == Slips || p.Measure == Risks || p.Measure == Summary }

// Beyond reports whether a plan asks for what records as they stand do not say.
func (p Plan) Beyond() bool {
	return p.Stays() || p.Paced() || p.Measure == Changes || p.Measure == Comments || slices.Contains([]string{Commented, Uncommented, Added, Removed}, p.State)
}

// Reckoned reports whether the value of a field of a plan is reckoned, and no field of records.
func Reckoned(name string) bool { return name == Duration || name == Age }

// A Plan is a question that code can answer. Fields that its measure does not use are empty.
type Plan struct {
	Kind    desk.Kind `json:"kind,omitempty" doc:"the kind of records; empty means all"`
	Filter  string    `json:"filter,omitempty" doc:"which of them, in the language of lists"`
	Measure Measure   `json:"measure" enum:"list,count,group,sum,average,median,percentile,share,facts,capacity,coverage,decisions,actions,questions,waits,duplicates,deltas,changes,comments,forecast,slips,risks,suggest,summary,origin,search"`
	Base    string    `json:"base,omitempty" doc:"of which records a share is"`
	By      string    `json:"by,omitempty" doc:"the field that groups"`
	Per     string    `json:"per,omitempty" enum:"day,week,month,quarter,year" doc:"the period of By"`
	Of      string    `json:"of,omitempty" doc:"the number: a field, duration or age"`
	Each    Measure   `json:"each,omitempty" enum:"average,median" doc:"what is made of the number in each group; empty means that it is added up. Of periods without a number: average, of how many records each has"`
	Having  string    `json:"having,omitempty" doc:"which groups: those of so many records, or that add up to so much, such as >5 or <=2"`
	Percent float64   `json:"percent,omitempty"`
	Sort    string    `json:"sort,omitempty" doc:"a field, with - for the greatest first; duration, age and, for groups, count sort too"`
	Limit   int       `json:"limit,omitempty"`
	Fields  []string  `json:"fields,omitempty" doc:"of the records that are asked for"`
	Records []string  `json:"records,omitempty" doc:"ids of the records that are asked for"`
	Person  string    `json:"person,omitempty" doc:"who decided, promised or is waited for"`
	Not     string    `json:"not,omitempty" doc:"whose decisions or promises are left out"`
	Words   string    `json:"words,omitempty" doc:"what is looked for in texts"`
	From    string    `json:"from,omitempty" doc:"the first day"`
	To      string    `json:"to,omitempty" doc:"the last day"`
	State   string    `json:"state,omitempty" doc:"which of them, by what no filter says: of actions open, done, overdue or due; of people overloaded, busiest, idle, underutilized (idle ones too) or away, total, or unique, for the skills that one alone has; of objectives unserved; of tickets held, for those that have had their status since To or before, or since From or later, the longest first, unmapped, parent-closed, children-closed, or serves (the objectives Records); of groups of owners without, for those who have none; of groups titles, which name the tickets of each; of waits stuck, for those blocked too, with why, or whether they are of Records, for them, or through others for them, or the longest chain, circles, or holders, for which the most wait; of slips planned, for the milestones and phases, too; of changes the status that they brought tickets to: one, open again, or closed; of checklists items, of which Words says whether open or done; of tickets commented or uncommented, or added or removed: those that came to the sprint Words after its first day From, or left it since"`
}

// Bounds of a plan.
const (
	maxLimit   = 1000
	maxFields  = 10
	maxRecords = 50
	maxText    = 500
)

// Check reports the first bad field of a plan that somebody wrote.
func (p Plan) Check(now time.Time) error {
	if !slices.Contains(Measures(), p.Measure) {
		allowed := make([]string, 0, len(Measures()))
		for _, m := range Measures() {
			allowed = append(allowed, string(m))
		}
		return fault.BadField("plan.measure", fmt.Sprintf("There is no measure %q.", p.Measure), allowed...)
	}
	if len(p.Fields) > maxFields || len(p.Records) > maxRecords || p.Limit < 0 || p.Limit > maxLimit || len(p.Words)+len(p.Person)+len(p.Not)+len(p.State)+len(p.From)+len(p.To) > maxText {
		return fault.BadField("plan", fmt.Sprintf("A plan has at most %d fields, %d records, a limit of %d and %d letters of text.", maxFields, maxRecords, maxLimit, maxText))
	}
	if p.Percent < 0 || p.Percent > 100 {
		return fault.BadField("plan.percent", "A percentile is between 0 and 100.")
	}
	for _, day := range []string{p.From, p.To} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return fault.BadField("plan.from", "A day is written as 2026-03-01.")
		}
	}
	if p.Kind == "" {
		return p.kindless()
	}
	fields, err := desk.Fields(p.Kind)
	if err != nil {
		return err
	}
	if _, err := p.Where(p.Filter, now); err != nil {
		return err
	}
	if _, err := p.Where(p.Base, now); err != nil {
		return err
	}
	for name, value := range map[string]string{"plan.by": p.By, "plan.of": p.Of, "plan.sort": strings.TrimPrefix(p.Sort, "-")} {
		if name == "plan.by" && p.Measure == Comments && slices.Contains([]string{"", byAuthor, byRecord}, value) {
			continue
		}
		if _, ok := fields.Find(value); value != "" && !ok && (!Reckoned(value) || name == "plan.by") && (p.Measure != Group || value != "count") {
			return fault.BadField(name, fmt.Sprintf("There is no field %q of the kind %s.", value, p.Kind.Word()))
		}
	}
	if slices.Contains([]Measure{Sum, Average, Median, Percentile}, p.Measure) {
		if f, ok := fields.Find(p.Of); !Reckoned(p.Of) && (!ok || f.Type != query.Number) {
			return fault.BadField("plan.of", fmt.Sprintf("The %s needs a number: a field such as storyPoints, duration or age.", p.Measure))
		}
	}
	if p.Each != "" && (p.Measure != Group || p.Of == "" && (p.Per == "" || p.Each != Average) || p.Each != Average && p.Each != Median) {
		return fault.BadField("plan.each", "What is made of the number in each group is its average or its median; of periods without a number, the average of how many records are in each.", string(Average), string(Median))
	}
	slips := p.Measure == Slips && slices.Contains([]desk.Kind{desk.Milestone, desk.Phase}, p.Kind)
	if (slices.Contains([]Measure{Forecast, Slips, Risks, Suggest, Summary}, p.Measure) || p.State == Titles) && !lasting(p.Kind) && !slips {
		return fault.BadField("plan.kind", fmt.Sprintf("The measure %s is of tickets.", p.Measure))
	}
	if p.Measure == Group && p.By == "" {
		return fault.BadField("plan.by", "A group needs the field that groups.")
	}
	if _, _, ok := p.Bound(); p.Having != "" && (!ok || p.Measure != Group || p.Each != "") {
		return fault.BadField("plan.having", "How many records a group has, or how much they add up to, is compared with a whole number: >5, >=5, <5, <=5 or =5.")
	}
	return nil
}

// Bound is how many records a group of the plan has to have; false when the plan does not say.
func (p Plan) Bound() (op string, n int, ok bool) {
	at := strings.IndexFunc(p.Having, unicode.IsDigit)
	if at < 1 || !slices.Contains([]string{">", ">=", "<", "<=", "="}, p.Having[:at]) {
		return "", 0, false
	}
	n, err := strconv.Atoi(p.Having[at:])
	return p.Having[:at], n, err == nil
}

// kindless checks a plan that is about no kind.
func (p Plan) kindless() error {
	if p.Filter != "" || p.Base != "" {
		return fault.BadField("plan.kind", "A filter needs the kind of records that it is for.")
	}
	if !slices.Contains([]Measure{Search, Facts, Origin, Changes, Comments}, p.Measure) {
		return fault.BadField("plan.kind", fmt.Sprintf("The measure %s needs a kind of records.", p.Measure))
	}
	return nil
}

// Where reads a filter of the plan's kind; nil holds for every record.
func (p Plan) Where(filter string, now time.Time) (query.Expr, error) {
	fields, err := desk.Fields(p.Kind)
	if err != nil {
		return nil, err
	}
	return query.Parse(filter, fields, now)
}
