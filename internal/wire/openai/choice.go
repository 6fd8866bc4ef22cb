package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// A ToolChoice says which tools an answer may or must call. On the wire it is a word, or
// an object that names a function or the functions that are allowed.
type ToolChoice struct {
	Mode    string   // none, auto, required; function
	Name    string   // of the function that must be called
	Allowed []string // with auto and required: only these; all when there are none
}

type (
	named struct {
		Name string `json:"name"`
	}
	namedTool struct {
		Type     string `json:"type"`
		Function *named `json:"function,omitempty"`
	}
	allowedTools struct {
		Mode  string      `json:"mode"`
		Tools []namedTool `json:"tools"`
	}
	choice struct {
		Type     string        `json:"type"`
		Function *named        `json:"function,omitempty"`
		Allowed  *allowedTools `json:"allowed_tools,omitempty"`
	}
)

// UnmarshalJSON implements [json.Unmarshaler].
func (c *ToolChoice) UnmarshalJSON(raw []byte) error {
	var o choice
	if len(raw) > 0 && raw[0] == '"' {
		*c = ToolChoice{}
		if err := json.Unmarshal(raw, &c.Mode); err != nil {
			return err
		}
		if !slices.Contains([]string{"none", "auto", "required"}, c.Mode) {
			return fmt.Errorf("tool_choice: %q is none of none, auto and required", c.Mode)
		}
		return nil
	}
	if err := json.Unmarshal(raw, &o); err != nil {
		return err
	}
	switch {
	case o.Type == "function" && o.Function != nil && o.Function.Name != "":
		*c = ToolChoice{Mode: "function", Name: o.Function.Name}
		return nil
	case o.Type == "allowed_tools" && o.Allowed != nil && (o.Allowed.Mode == "auto" || o.Allowed.Mode == "required") && len(o.Allowed.Tools) > 0:
		*c = ToolChoice{Mode: o.Allowed.Mode}
		for _, t := range o.Allowed.Tools {
			if t.Type != "function" || t.Function == nil || t.Function.Name == "" {
				return errors.New("tool_choice.allowed_tools: only functions can be allowed, each with its name")
			}
			c.Allowed = append(c.Allowed, t.Function.Name)
		}
		return nil
	}
	return errors.New("tool_choice: it is none, auto, required, a function with its name, or allowed_tools with a mode and tools")
}

// MarshalJSON implements [json.Marshaler].
func (c ToolChoice) MarshalJSON() ([]byte, error) {
	switch {
	case c.Mode == "function":
		return json.Marshal(choice{Type: "function", Function: &named{c.Name}})
	case len(c.Allowed) > 0:
		o := choice{Type: "allowed_tools", Allowed: &allowedTools{Mode: c.Mode}}
		for _, name := range c.Allowed {
			o.Allowed.Tools = append(o.Allowed.Tools, namedTool{"function", &named{name}})
		}
		return json.Marshal(o)
	}
	return json.Marshal(c.Mode)
}

// check reports a choice that the tools of the call cannot keep.
func (c *ToolChoice) check(tools []Tool) error {
	if c == nil {
		return nil
	}
	has := func(name string) bool {
		return slices.ContainsFunc(tools, func(t Tool) bool { return t.Function.Name == name })
	}
	for _, name := range c.Allowed {
		if !has(name) {
			return fmt.Errorf("tool_choice: the call offers no tool %q", name)
		}
	}
	switch {
	case c.Mode == "function" && !has(c.Name):
		return fmt.Errorf("tool_choice: the call offers no tool %q", c.Name)
	case c.Mode == "required" && len(tools) == 0:
		return errors.New("tool_choice: the call offers no tools")
	}
	return nil
}

// Stops are texts before which an answer ends. One may stand on the wire without a list.
type Stops []string

// maxStops is how many the wire takes.
const maxStops = 4

// UnmarshalJSON implements [json.Unmarshaler].
func (s *Stops) UnmarshalJSON(raw []byte) error {
	*s = nil
	if len(raw) == 0 || raw[0] != '"' {
		return json.Unmarshal(raw, (*[]string)(s))
	}
	var one string
	if err := json.Unmarshal(raw, &one); err != nil {
		return err
	}
	*s = Stops{one}
	return nil
}

func (s Stops) check() error {
	if len(s) > maxStops {
		return fmt.Errorf("stop: there may be at most %d", maxStops)
	}
	if slices.Contains(s, "") {
		return errors.New("stop: a text is empty")
	}
	return nil
}
