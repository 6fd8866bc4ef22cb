package api

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"chela/internal/event"
	"chela/internal/org"
)

// An agentDocument is an agent as programs know it that were written for the system whose scenarios we take.
type agentDocument struct {
	ID      string    `json:"agentId"`
	Name    *string   `json:"name"`
	Desc    *string   `json:"description"`
	Prompt  *string   `json:"systemPrompt"`
	Skills  *[]string `json:"skills"`
	Tools   *[]string `json:"allowedTools"`
	Role    *string   `json:"role"` // CONTROLLER, SPECIALIST or CHECKER
	Enabled *bool     `json:"enabled"`
}

// agentPatch has the fields of an [org.Agent] that such a document says.
type agentPatch struct {
	Card struct {
		ID      org.AgentID `json:"agent_id,omitempty"`
		Display struct {
			Name *string `json:"name,omitempty"`
			Desc *string `json:"desc,omitempty"`
		} `json:"display,omitzero"`
		Capabilities *[]org.Capability `json:"capabilities,omitempty"`
	} `json:"card,omitzero"`
	Kind    string    `json:"kind,omitempty"`
	Prompt  *string   `json:"prompt,omitempty"`
	Tools   *[]string `json:"tools,omitempty"`
	Enabled *bool     `json:"enabled,omitempty"`
}

// agentFields returns raw in our fields when it is such a document, which has a field that ours has not; else raw
// itself. What the document leaves out is left out.
func agentFields(raw []byte) ([]byte, error) {
	var names map[string]json.RawMessage
	if json.Unmarshal(raw, &names) != nil || !isAgentDocument(names) {
		return raw, nil // ours, or no JSON, which its reader says
	}
	var d agentDocument
	if err := event.DecodeStrict(raw, &d); err != nil {
		return nil, err
	}
	p := agentPatch{Prompt: d.Prompt, Tools: d.Tools, Enabled: d.Enabled}
	p.Card.Display.Name, p.Card.Display.Desc = d.Name, d.Desc
	if d.ID != "" {
		p.Card.ID = agentID(d.ID)
	}
	if d.Role != nil {
		p.Kind = strings.ToLower(*d.Role)
	}
	if d.Skills != nil {
		p.Card.Capabilities = new([]org.Capability)
		for _, s := range *d.Skills {
			word := strings.ToLower(strings.Join(strings.Fields(s), "-"))
			*p.Card.Capabilities = append(*p.Card.Capabilities, org.Capability{ID: "skill:" + strings.TrimPrefix(word, "skill:"), Version: "1"})
		}
	}
	fields, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("encode the fields of an agent: %w", err)
	}
	return fields, nil
}

func isAgentDocument(names map[string]json.RawMessage) bool {
	theirs := []string{"agentId", "name", "description", "systemPrompt", "skills", "allowedTools", "role"}
	return slices.ContainsFunc(theirs, func(n string) bool { _, has := names[n]; return has })
}
