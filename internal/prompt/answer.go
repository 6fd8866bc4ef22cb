package prompt

import (
	"encoding/json"
	"strings"

	"chela/internal/model"
)

// An Answer is the contract of who answers questions: sentences with the records that each rests on.
type Answer struct {
	Reading   int        `json:"reading"` // of the question, when it has several; from 1
	Sentences []Sentence `json:"sentences"`
	Plan      Planned    `json:"plan"` // in place of sentences
}

// A Planned is what a model wants to have computed, where no rule read the question: members of a plan of questions, by the same names.
type Planned struct {
	Measure string  `json:"measure"`
	Kind    string  `json:"kind"`
	Filter  string  `json:"filter"`
	Base    string  `json:"base"`
	By      string  `json:"by"`
	Per     string  `json:"per"`
	Of      string  `json:"of"`
	Each    string  `json:"each"`
	Percent float64 `json:"percent"`
	Sort    string  `json:"sort"`
	Limit   int     `json:"limit"`
}

// NoPlan is the measure of a [Planned] that asks for nothing.
const NoPlan = "none"

// A Sentence is one sentence of an answer.
type Sentence struct {
	Text    string   `json:"text"`
	Records []string `json:"records"`
}

const answerSchema = `{"type":"object","additionalProperties":false,"required":["reading","sentences"],"properties":{` + answerMembers + `}}`

// plannedSchema is answerSchema with a plan, which has all its members: some providers ask for that.
const plannedSchema = `{"type":"object","additionalProperties":false,"required":["reading","sentences","plan"],"properties":{` + answerMembers + `,
	"plan":{"type":"object","additionalProperties":false,"required":["measure","kind","filter","base","by","per","of","each","percent","sort","limit"],"description":"What is to be computed; its measure is none when nothing is.","properties":{
		"measure":{"type":"string","enum":["none","list","count","group","sum","average","median","percentile","share"]},
		"kind":{"type":"string","description":"Kind of the records."},
		"filter":{"type":"string"},"base":{"type":"string"},"by":{"type":"string"},"per":{"type":"string"},"of":{"type":"string"},"each":{"type":"string"},
		"percent":{"type":"number"},"sort":{"type":"string"},"limit":{"type":"integer"}}}}}`

const answerMembers = `
	"reading":{"type":"integer","description":"Number of the computed answer that fits the question; 1 when there is one."},
	"sentences":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["text","records"],"properties":{
		"text":{"type":"string","description":"One sentence. Names of records, no ids."},
		"records":{"type":"array","items":{"type":"string"},"description":"Ids of the records that it rests on."}}}}`

// PlannedSchema is [AnswerSchema] with a plan, for a question that rules did not read.
func PlannedSchema() *model.Schema {
	return &model.Schema{Name: "answer", Schema: json.RawMessage(plannedSchema)}
}

// AnswerSchema is what the provider of answers is asked for.
func AnswerSchema() *model.Schema {
	return &model.Schema{Name: "answer", Schema: json.RawMessage(answerSchema)}
}

// maxSentences bounds an answer.
const maxSentences = 60

// ParseAnswer reads an answer. One without a sentence says nothing, which the form allows.
func ParseAnswer(text string) (Answer, error) {
	var a Answer
	if err := parse(text, &a); err != nil {
		return Answer{}, err
	}
	out := Answer{Reading: max(a.Reading, 1), Plan: a.Plan}
	for _, s := range a.Sentences {
		if s.Text = strings.TrimSpace(s.Text); s.Text != "" && len(out.Sentences) < maxSentences {
			out.Sentences = append(out.Sentences, s)
		}
	}
	return out, nil
}

// IsProse reports whether an answer that [ParseAnswer] does not read is sentences for people: no JSON, and no part of such.
func IsProse(text string) bool {
	text = strings.TrimSpace(text)
	return !json.Valid([]byte(text)) && !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "```") && !strings.Contains(text, `"sentences"`)
}
