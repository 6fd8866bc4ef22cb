package prompt

import (
	"encoding/json"
	"strings"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/model"
)

// A Choice is the controller's contract: exactly one of Delegate and Respond.
type Choice struct {
	Delegate string   `json:"delegate"`
	SubTask  string   `json:"sub_task"`
	Respond  string   `json:"respond"`
	Requires []string `json:"requires"`
}

// A Review is the checker's contract.
type Review struct {
	Pass     bool   `json:"pass"`
	Summary  string `json:"summary"`
	Feedback string `json:"feedback"`
}

// A Triage is the contract of intake-triage.
type Triage struct {
	Type       string  `json:"type"`
	Confidence float64 `json:"confidence"`
	Routes     Routes  `json:"routes"`
	Topics     []Topic `json:"topics"`
}

// Routes say which phases an intake needs.
type Routes struct {
	Thread    bool `json:"thread"`
	Tickets   bool `json:"tickets"`
	Plan      bool `json:"plan"`
	Resources bool `json:"resources"`
}

// A Topic is one subject of pasted content.
type Topic struct {
	Title         string   `json:"title"`
	Summary       string   `json:"summary"`
	Decisions     []string `json:"decisions"`
	OpenQuestions []string `json:"open_questions"`
	ActionItems   []string `json:"action_items"`
}

const (
	choiceSchema = `{"type":"object","additionalProperties":false,"required":["delegate","sub_task","respond","requires"],"properties":{
		"delegate":{"type":"string","description":"Name of the specialist, or empty when you answer yourself."},
		"sub_task":{"type":"string","description":"What the specialist shall do; empty when you answer yourself."},
		"respond":{"type":"string","description":"Your own answer, or empty when you delegate."},
		"requires":{"type":"array","items":{"type":"string"},"description":"Capability ids when no specialist fits by name; usually empty."}}}`
	reviewSchema = `{"type":"object","additionalProperties":false,"required":["pass","summary","feedback"],"properties":{
		"pass":{"type":"boolean"},"summary":{"type":"string"},
		"feedback":{"type":"string","description":"What must be mended; empty when it passes."}}}`
	triageSchema = `{"type":"object","additionalProperties":false,"required":["type","confidence","routes","topics"],"properties":{
		"type":{"type":"string","enum":["CONFLUENCE_EXPORT","JIRA_DUMP","SMARTSHEET_EXPORT","MEETING_NOTES","LINK_LIST","DESIGN_DOC","FREE_TEXT","EXCEL_UPLOAD","UNKNOWN"]},
		"confidence":{"type":"number"},
		"routes":{"type":"object","additionalProperties":false,"required":["thread","tickets","plan","resources"],"properties":{
			"thread":{"type":"boolean"},"tickets":{"type":"boolean"},"plan":{"type":"boolean"},"resources":{"type":"boolean"}}},
		"topics":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["title","summary","decisions","open_questions","action_items"],"properties":{
			"title":{"type":"string"},"summary":{"type":"string"},
			"decisions":{"type":"array","items":{"type":"string"}},"open_questions":{"type":"array","items":{"type":"string"}},"action_items":{"type":"array","items":{"type":"string"}}}}}}}`
)

// ChoiceSchema, ReviewSchema and TriageSchema are what the provider is asked for.
func ChoiceSchema() *model.Schema {
	return &model.Schema{Name: "choice", Schema: json.RawMessage(choiceSchema)}
}

// ReviewSchema is the checker's.
func ReviewSchema() *model.Schema {
	return &model.Schema{Name: "review", Schema: json.RawMessage(reviewSchema)}
}

// TriageSchema is intake-triage's.
func TriageSchema() *model.Schema {
	return &model.Schema{Name: "triage", Schema: json.RawMessage(triageSchema)}
}

// ParseChoice reads a controller's answer.
func ParseChoice(text string) (Choice, error) {
	var c Choice
	if err := parse(text, &c); err != nil {
		return c, err
	}
	if (c.Respond == "") == (c.Delegate == "" && len(c.Requires) == 0) {
		return c, fault.New(fault.Invalid, "Exactly one is needed: a delegate (or requires) with a sub_task, or a respond.")
	}
	c.Delegate = strings.TrimPrefix(c.Delegate, "agent:")
	return c, nil
}

// ParseReview reads a checker's answer.
func ParseReview(text string) (Review, error) {
	r := Review{}
	if !strings.Contains(text, `"pass"`) {
		return r, fault.BadField("pass", "The field is missing.")
	}
	if err := parse(text, &r); err != nil {
		return r, err
	}
	if !r.Pass && strings.TrimSpace(r.Feedback) == "" {
		return r, fault.BadField("feedback", "A review that does not pass says what must be mended.")
	}
	return r, nil
}

// ParseTriage reads a triage agent's answer.
func ParseTriage(text string) (Triage, error) {
	var t Triage
	err := parse(text, &t)
	return t, err
}

// parse takes off a code fence around the whole and nothing else.
func parse(text string, into any) error {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "```"); ok {
		if i := strings.IndexByte(rest, '\n'); i >= 0 {
			text = strings.TrimSuffix(strings.TrimSpace(rest[i:]), "```")
		}
	}
	return event.DecodeStrict([]byte(text), into)
}
