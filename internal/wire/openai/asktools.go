package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// An AskTool is a tool of a call of the Responses API. One of another type than function has no more than its type here.
type AskTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// An AskChoice says which tools an answer may or must call: a word, or an object.
type AskChoice struct {
	Type  string  `json:"type"` // function, allowed_tools; empty for a word
	Name  string  `json:"name"` // of the function that must be called
	Mode  string  `json:"mode"` // none, auto, required
	Tools []named `json:"tools"`
}

// Allows reports whether a tool may be called.
func (c AskChoice) Allows(name string) bool {
	return c.Mode != "none" && (c.Type != "allowed_tools" || slices.Contains(c.Tools, named{name}))
}

// Offered reads the tools of a call and its choice among them. What it returns as an error is the caller's fault and
// says what is wrong.
func (a Ask) Offered() ([]AskTool, AskChoice, error) {
	tools, c := make([]AskTool, len(a.Tools)), AskChoice{Mode: "auto"}
	for i, raw := range a.Tools {
		if err := json.Unmarshal(raw, &tools[i]); err != nil {
			return nil, c, fmt.Errorf("tools[%d]: %w", i, err)
		}
	}
	if len(a.ToolChoice) == 0 || string(a.ToolChoice) == "null" {
		return tools, c, nil
	}
	if a.ToolChoice[0] == '"' {
		if err := json.Unmarshal(a.ToolChoice, &c.Mode); err != nil {
			return nil, c, fmt.Errorf("tool_choice: %w", err)
		}
	} else {
		c = AskChoice{}
		if err := json.Unmarshal(a.ToolChoice, &c); err != nil {
			return nil, c, fmt.Errorf("tool_choice: %w", err)
		}
	}
	has := func(name string) bool {
		return slices.ContainsFunc(tools, func(t AskTool) bool { return t.Name == name })
	}
	switch {
	case c.Type == "function" && has(c.Name), c.Type == "allowed_tools" && (c.Mode == "auto" || c.Mode == "required"), c.Type == "" && slices.Contains([]string{"none", "auto"}, c.Mode):
		return tools, c, nil
	case c.Type == "" && c.Mode == "required" && len(tools) > 0:
		return tools, c, nil
	case c.Type == "function":
		return nil, c, fmt.Errorf("tool_choice: the call offers no tool %q", c.Name)
	}
	return nil, c, errors.New("tool_choice: it is none, auto, required with tools, a function of them with its name, or allowed_tools with a mode and tools")
}
