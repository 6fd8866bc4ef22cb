package prompt

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/model"
	"chela/internal/org"
)

// A Choice is the controller's contract: either Delegate, or Requires when no name
// fits, with a SubTask; or Respond alone.
type Choice struct {
	Delegate string   `json:"delegate"` // a specialist's name, without "agent:"
	SubTask  string   `json:"sub_task"`
	Respond  string   `json:"respond"`
	Requires []string `json:"requires"` // capability ids
}

// A Review is the checker's contract.
type Review struct {
	Pass     bool   `json:"pass"`
	Summary  string `json:"summary"`
	Feedback string `json:"feedback"` // what must be mended, when it does not pass
}

// A Triage is the contract of intake-triage.
type Triage struct {
	Type       string  `json:"type"` // one of desk.SourceTypes
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

// The schemas list every field as required because providers' strict structured
// output wants it so; the parse functions take an answer that leaves out what it
// does not use.
const (
	choiceSchema = `{"type":"object","additionalProperties":false,"required":["delegate","sub_task","respond","requires"],"properties":{
		"delegate":{"type":"string","description":"Name of the specialist, or empty when you answer yourself."},
		"sub_task":{"type":"string","description":"What the specialist shall do; empty when you answer yourself."},
		"respond":{"type":"string","description":"Your own answer, or empty when you delegate."},
		"requires":{"type":"array","items":{"type":"string"},"description":"Capability ids when no specialist fits by name; usually empty."}}}`
	reviewSchema = `{"type":"object","additionalProperties":false,"required":["pass","summary","feedback"],"properties":{
		"pass":{"type":"boolean"},
		"summary":{"type":"string","description":"One sentence on the answer."},
		"feedback":{"type":"string","description":"What must be mended; empty when it passes."}}}`
	triageSchema = `{"type":"object","additionalProperties":false,"required":["type","confidence","routes","topics"],"properties":{
		"type":{"type":"string","enum":["CONFLUENCE_EXPORT","JIRA_DUMP","SMARTSHEET_EXPORT","MEETING_NOTES","LINK_LIST","DESIGN_DOC","FREE_TEXT","EXCEL_UPLOAD","UNKNOWN"]},
		"confidence":{"type":"number","description":"From 0 to 1."},
		"routes":{"type":"object","additionalProperties":false,"required":["thread","tickets","plan","resources"],"properties":{
			"thread":{"type":"boolean"},"tickets":{"type":"boolean"},"plan":{"type":"boolean"},"resources":{"type":"boolean"}}},
		"topics":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["title","summary","decisions","open_questions","action_items"],"properties":{
			"title":{"type":"string"},"summary":{"type":"string"},
			"decisions":{"type":"array","items":{"type":"string"}},"open_questions":{"type":"array","items":{"type":"string"}},"action_items":{"type":"array","items":{"type":"string"}}}}}}}`
)

// ChoiceSchema is what the controller's provider is asked for.
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

// ParseChoice reads a controller's answer. An error is a sentence that the model can
// mend its answer by; so it is for the other contracts.
func ParseChoice(text string) (Choice, error) {
	var c Choice
	if err := parse(text, &c); err != nil {
		return Choice{}, err
	}
	c.Delegate = strings.TrimPrefix(strings.TrimSpace(c.Delegate), "agent:")
	c.SubTask, c.Respond = strings.TrimSpace(c.SubTask), strings.TrimSpace(c.Respond)
	for i, id := range c.Requires {
		if strings.TrimSpace(id) == "" || strings.ContainsAny(id, " \t\r\n") {
			return Choice{}, fault.BadField(fmt.Sprintf("requires.%d", i), "A capability's id is not empty and has no blanks, such as skill:planning.")
		}
	}
	delegates := c.Delegate != "" || len(c.Requires) > 0
	switch {
	case delegates == (c.Respond != ""):
		return Choice{}, fault.New(fault.Invalid, "Exactly one is needed: a delegate (or requires) with a sub_task, or a respond.")
	case delegates && c.SubTask == "":
		return Choice{}, fault.BadField("sub_task", "Say what the specialist shall do.")
	case !delegates && c.SubTask != "":
		return Choice{}, fault.BadField("sub_task", "It goes with a delegate; leave it empty when you respond yourself.")
	case c.Delegate != "" && org.AgentID("agent:"+c.Delegate).Check() != nil:
		return Choice{}, fault.BadField("delegate", "It is the name of one specialist, as the list gives it.")
	}
	return c, nil
}

// ParseReview reads a checker's answer.
func ParseReview(text string) (Review, error) {
	var r struct {
		Pass     *bool  `json:"pass"`
		Summary  string `json:"summary"`
		Feedback string `json:"feedback"`
	}
	if err := parse(text, &r); err != nil {
		return Review{}, err
	}
	if r.Pass == nil {
		return Review{}, fault.BadField("pass", "The field is missing.", "true", "false")
	}
	if !*r.Pass && strings.TrimSpace(r.Feedback) == "" {
		return Review{}, fault.BadField("feedback", "A review that does not pass says what must be mended.")
	}
	return Review{Pass: *r.Pass, Summary: r.Summary, Feedback: r.Feedback}, nil
}

// ParseTriage reads a triage agent's answer.
func ParseTriage(text string) (Triage, error) {
	var t struct {
		Type       string   `json:"type"`
		Confidence *float64 `json:"confidence"`
		Routes     *Routes  `json:"routes"`
		Topics     []Topic  `json:"topics"`
	}
	if err := parse(text, &t); err != nil {
		return Triage{}, err
	}
	switch {
	case !slices.Contains(desk.SourceTypes(), t.Type):
		return Triage{}, fault.BadField("type", "The type is not known.", desk.SourceTypes()...)
	case t.Confidence == nil || *t.Confidence < 0 || *t.Confidence > 1:
		return Triage{}, fault.BadField("confidence", "It is a number from 0 to 1.")
	case t.Routes == nil:
		return Triage{}, fault.BadField("routes", "The field is missing; it says of thread, tickets, plan and resources whether they are needed.")
	}
	for i, topic := range t.Topics {
		if strings.TrimSpace(topic.Title) == "" {
			return Triage{}, fault.BadField(fmt.Sprintf("topics.%d.title", i), "A topic has a title.")
		}
	}
	return Triage{Type: t.Type, Confidence: *t.Confidence, Routes: *t.Routes, Topics: t.Topics}, nil
}

// parse reads one JSON object, with or without a code fence around the whole. It
// takes off nothing else and guesses nothing.
func parse(text string, into any) error {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "```"); ok {
		first, body, _ := strings.Cut(rest, "\n")
		inner, closed := strings.CutSuffix(strings.TrimSpace(body), "```")
		if !closed || strings.ContainsAny(strings.TrimSpace(first), " {") {
			return fault.New(fault.Invalid, "The code fence is not one around a JSON object; give the object alone.")
		}
		text = strings.TrimSpace(inner)
	}
	if !strings.HasPrefix(text, "{") {
		return fault.New(fault.Invalid, "The answer is not one JSON object: it does not begin with {.")
	}
	return event.DecodeStrict([]byte(text), into)
}
