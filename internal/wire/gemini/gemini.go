// Package gemini reads and writes Google's Gemini wire
// (ai.google.dev/api/generate-content): generateContent, and streamGenerateContent with
// alt=sse. Unknown fields are tolerated.
package gemini

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"chela/internal/wire"
)

// A Request is the body of POST /v1beta/models/NAME:generateContent.
type Request struct {
	SystemInstruction *Content         `json:"systemInstruction,omitempty"`
	Contents          []Content        `json:"contents"`
	Tools             json.RawMessage  `json:"tools,omitempty"` // []Tool
	ToolConfig        *ToolConfig      `json:"toolConfig,omitempty"`
	GenerationConfig  GenerationConfig `json:"generationConfig"`
}

// A ToolConfig says which functions an answer may or must call.
type ToolConfig struct {
	FunctionCalling *FunctionCalling `json:"functionCallingConfig,omitempty"`
}

// A FunctionCalling says it.
type FunctionCalling struct {
	Mode    string   `json:"mode,omitempty"`                 // AUTO, ANY, NONE, VALIDATED; AUTO when left out
	Allowed []string `json:"allowedFunctionNames,omitempty"` // of ANY and VALIDATED: only these
}

// maxStops is how many stop sequences the wire takes.
const maxStops = 5

// check reports what the functions of the call cannot keep.
func (r Request) check(tools []Tool) error {
	if n := len(r.GenerationConfig.StopSequences); n > maxStops {
		return fmt.Errorf("generationConfig.stopSequences: there may be at most %d", maxStops)
	}
	if slices.Contains(r.GenerationConfig.StopSequences, "") {
		return errors.New("generationConfig.stopSequences: a text is empty")
	}
	if r.ToolConfig == nil || r.ToolConfig.FunctionCalling == nil {
		return nil
	}
	const field = "toolConfig.functionCallingConfig"
	c := r.ToolConfig.FunctionCalling
	if !slices.Contains([]string{"", "AUTO", "ANY", "NONE", "VALIDATED"}, c.Mode) {
		return fmt.Errorf("%s.mode: %q is none of AUTO, ANY, NONE and VALIDATED", field, c.Mode)
	}
	if len(c.Allowed) > 0 && c.Mode != "ANY" && c.Mode != "VALIDATED" {
		return fmt.Errorf("%s.allowedFunctionNames: they go with the mode ANY or VALIDATED", field)
	}
	for _, name := range c.Allowed {
		if !slices.ContainsFunc(tools, func(t Tool) bool {
			return slices.ContainsFunc(t.FunctionDeclarations, func(f Function) bool { return f.Name == name })
		}) {
			return fmt.Errorf("%s.allowedFunctionNames: the call offers no function %q", field, name)
		}
	}
	return nil
}

// GenerationConfig bounds and shapes an answer.
type GenerationConfig struct {
	Temperature      *float64 `json:"temperature,omitempty"`
	MaxOutputTokens  int      `json:"maxOutputTokens,omitempty"`
	StopSequences    []string `json:"stopSequences,omitempty"` // before which an answer ends
	ResponseMIMEType string   `json:"responseMimeType,omitempty"`
	ResponseSchema   *Schema  `json:"responseSchema,omitempty"`

	// ResponseJSONSchema is a form in full JSON Schema, which newer models take.
	ResponseJSONSchema json.RawMessage `json:"responseJsonSchema,omitempty"`
}

// A Content is one turn.
type Content struct {
	Role  string `json:"role,omitempty"` // user, model
	Parts []Part `json:"parts"`
}

// A Part is one piece of a turn. ThoughtSignature may stand on any of them, and is
// wanted back on the same one.
type Part struct {
	Text             string            `json:"text,omitempty"`
	Thought          bool              `json:"thought,omitempty"`
	InlineData       *Blob             `json:"inlineData,omitempty"`
	FunctionCall     *FunctionCall     `json:"functionCall,omitempty"`
	FunctionResponse *FunctionResponse `json:"functionResponse,omitempty"`
	ThoughtSignature string            `json:"thoughtSignature,omitempty"`
}

// A Blob is a picture's bytes.
type Blob struct {
	MIMEType string `json:"mimeType"`
	Data     string `json:"data"` // base64
}

// A FunctionCall is a call. Most models give it no ID.
type FunctionCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

// A FunctionResponse answers a call; results come in the order of their calls.
type FunctionResponse struct {
	ID       string   `json:"id,omitempty"`
	Name     string   `json:"name"`
	Response Response `json:"response"`
}

// A Response is what a function gave: one of its fields. The wire takes any object; one of
// another form is read as an output that is its JSON.
type Response struct {
	Output string `json:"output,omitempty"`
	Error  string `json:"error,omitempty"`
}

// UnmarshalJSON implements [json.Unmarshaler].
func (r *Response) UnmarshalJSON(raw []byte) error {
	type plain Response
	var p plain
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		p = plain{Output: string(raw)}
	}
	*r = Response(p)
	return nil
}

// A Tool is a list of functions.
type Tool struct {
	FunctionDeclarations []Function `json:"functionDeclarations"`
}

// A Function describes a function.
type Function struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Parameters  *Schema `json:"parameters,omitempty"`

	// ParametersJSONSchema are the parameters in full JSON Schema.
	ParametersJSONSchema json.RawMessage `json:"parametersJsonSchema,omitempty"`
}

// A Schema is the part of JSON Schema that the wire takes; it refuses a call with any
// other key, such as additionalProperties.
type Schema struct {
	Type        SchemaType         `json:"type,omitempty"`
	Format      string             `json:"format,omitempty"`
	Description string             `json:"description,omitempty"`
	Nullable    bool               `json:"nullable,omitempty"`
	Enum        []string           `json:"enum,omitempty"`
	Properties  map[string]*Schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Items       *Schema            `json:"items,omitempty"`
	AnyOf       []*Schema          `json:"anyOf,omitempty"`
	Minimum     *float64           `json:"minimum,omitempty"`
	Maximum     *float64           `json:"maximum,omitempty"`
	MinItems    json.Number        `json:"minItems,omitempty"`
	MaxItems    json.Number        `json:"maxItems,omitempty"`
}

// A SchemaType is a type in the words of JSON Schema. The wire's own are the same in capitals.
type SchemaType string

// UnmarshalText implements [encoding.TextUnmarshaler].
func (t *SchemaType) UnmarshalText(text []byte) error {
	*t = SchemaType(strings.ToLower(string(text)))
	return nil
}

// SchemaOf returns what the wire takes of a JSON Schema; nil for an object without
// properties, which it refuses.
func SchemaOf(raw json.RawMessage) (*Schema, error) {
	s := new(Schema)
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, fmt.Errorf("the schema is not one that Gemini takes: %w", err)
	}
	if s.Type == "object" && len(s.Properties) == 0 {
		return nil, nil //nolint:nilnil // no schema is how the wire says that there are no arguments
	}
	return s, nil
}

// Usage counts tokens. Cached ones are among the prompt's; thoughts are apart from the
// candidates'.
type Usage struct {
	PromptTokenCount        int `json:"promptTokenCount"`
	CachedContentTokenCount int `json:"cachedContentTokenCount"`
	ToolUsePromptTokenCount int `json:"toolUsePromptTokenCount"`
	CandidatesTokenCount    int `json:"candidatesTokenCount"`
	ThoughtsTokenCount      int `json:"thoughtsTokenCount"`
}

// A Failure is an error in place of an answer, or inside a stream; see [Stream.Fail] and
// [WriteError].
type Failure struct {
	Code    int      `json:"code"` // an HTTP status
	Status  string   `json:"status"`
	Message string   `json:"message"`
	Details []Detail `json:"details,omitempty"`
}

// A Detail says more of a failure; only when to try again is read.
type Detail struct {
	Type       string `json:"@type"`
	RetryDelay string `json:"retryDelay,omitempty"` // such as "35s"
}

func (f *Failure) Error() string { return "the provider reports an error: " + f.Message }

// RetryAfter is how long the provider asks to wait, or 0.
func (f *Failure) RetryAfter() time.Duration {
	for _, d := range f.Details {
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil && wait > 0 {
			return min(wait, time.Hour)
		}
	}
	return 0
}

// A chunk is a whole answer, or one piece of a streamed one.
type chunk struct {
	Candidates []struct {
		Content      Content `json:"content"`
		FinishReason string  `json:"finishReason"`
	} `json:"candidates"`
	PromptFeedback struct {
		BlockReason string `json:"blockReason"`
	} `json:"promptFeedback"`
	UsageMetadata *Usage   `json:"usageMetadata"`
	ModelVersion  string   `json:"modelVersion"`
	ResponseID    string   `json:"responseId"`
	Error         *Failure `json:"error"`
}

// An Answer is a whole answer in either form. FinishReason is the reason of the block when
// the prompt itself was blocked.
type Answer struct {
	ID           string
	Model        string
	Parts        []Part
	FinishReason string
	Blocked      bool
	Usage        Usage
	Over         int // calls beside Parts that were not kept: they were too many
}

// Text is what the parts say to people.
func (a *Answer) Text() string {
	var b strings.Builder
	for _, p := range a.Parts {
		if !p.Thought {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// ReadResponse reads a whole answer.
func ReadResponse(raw []byte) (Answer, error) {
	var a Answer
	if err := a.add(raw, nil); err != nil {
		return Answer{}, err
	}
	if a.FinishReason == "" {
		return Answer{}, fmt.Errorf("the answer has no end")
	}
	return a, nil
}

// ReadStream reads a streamed answer; show gets its text as it comes. A stream that
// ends before a reason to finish gives what came and wire.ErrTruncated.
func ReadStream(in io.Reader, show func(string)) (Answer, error) {
	var a Answer
	sse := wire.NewSSE(in)
	for {
		_, data, err := sse.Next()
		if err == io.EOF { //nolint:errorlint // Next returns it bare
			if a.FinishReason == "" {
				return a, wire.ErrTruncated
			}
			return a, nil
		}
		if err != nil {
			return a, err
		}
		if err := a.add(data, show); err != nil {
			return a, err
		}
	}
}

// maxParts bounds the pieces of one answer that are kept.
const maxParts = 256

func (a *Answer) add(data []byte, show func(string)) error {
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return fmt.Errorf("the answer is not JSON: %w", err)
	}
	if c.Error != nil {
		return c.Error
	}
	a.ID, a.Model = cmp.Or(c.ResponseID, a.ID), cmp.Or(c.ModelVersion, a.Model)
	if c.UsageMetadata != nil { // every chunk has the totals so far
		a.Usage = *c.UsageMetadata
	}
	if c.PromptFeedback.BlockReason != "" {
		a.FinishReason, a.Blocked = c.PromptFeedback.BlockReason, true
	}
	if len(c.Candidates) == 0 {
		return nil
	}
	for _, p := range c.Candidates[0].Content.Parts {
		if err := a.addPart(p); err != nil {
			return err
		}
		if p.Text != "" && !p.Thought && show != nil {
			show(p.Text)
		}
	}
	if reason := c.Candidates[0].FinishReason; reason != "" && reason != "FINISH_REASON_UNSPECIFIED" {
		a.FinishReason = reason
	}
	return nil
}

// addPart joins texts of one sort. A signature ends the part it stands on: the wire wants
// it back there.
func (a *Answer) addPart(p Part) error {
	if p.isText() && p.Text == "" && p.ThoughtSignature == "" {
		return nil // a last chunk often has one
	}
	if n := len(a.Parts); n > 0 && p.isText() {
		if last := &a.Parts[n-1]; last.isText() && last.Thought == p.Thought && last.ThoughtSignature == "" {
			last.Text += p.Text
			last.ThoughtSignature = p.ThoughtSignature
			return nil
		}
	}
	switch {
	case len(a.Parts) < maxParts:
		a.Parts = append(a.Parts, p)
	case p.FunctionCall != nil:
		a.Over++
	default:
		return fmt.Errorf("the answer has more than %d parts", maxParts)
	}
	return nil
}

func (p Part) isText() bool {
	return p.InlineData == nil && p.FunctionCall == nil && p.FunctionResponse == nil
}
