package mcp

import (
	"encoding/json"

	"chela/internal/tool"
)

// Apart takes the project out of the arguments of a call.
func Apart(t *tool.Tool, raw json.RawMessage) (json.RawMessage, string) { return apart(t, raw) }

// WithProject adds the argument that names the project to a schema.
func WithProject(raw json.RawMessage) json.RawMessage { return withProject(raw) }

// AnObject adds to a schema that arguments are an object.
func AnObject(raw json.RawMessage) json.RawMessage { return anObject(raw) }
